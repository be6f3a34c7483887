// The demonstration as a user starts it, and a browser to look at it with.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const workspace = fileURLToPath(new URL('../..', import.meta.url));

/** Where the screenshots go. */
export const screenshots = `${workspace}target/demo/screenshots`;

/**
 * Runs `cargo demo` and waits for its address: `{ url, stop }`. A page that is served already can be
 * named in HAPAX_PAGE instead.
 */
export function startDemo() {
  if (process.env.HAPAX_PAGE) return Promise.resolve({ url: process.env.HAPAX_PAGE, stop() {} });
  const child = spawn('cargo', ['demo', '--no-prompt', '--port', '0'], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`cargo demo ended with ${code}:\n${said}`)));
    child.stdout.on('data', (data) => {
      said += data;
      const url = said.match(/http:\/\/127\.0\.0\.1:\d+\//)?.[0];
      if (url) resolve({ url, stop: () => child.kill() });
    });
  });
}

/** Runs the command's `web … --serve` and waits for its address: `{ url, stop }`. */
export function startSite(command, words, cwd) {
  const child = spawn(command, ['web', ...words, '--serve=127.0.0.1:0'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.on('exit', (code) => reject(new Error(`hapax web ended with ${code}:\n${said}`)));
    child.stderr.on('data', (data) => {
      said += data;
      const url = said.match(/http:\/\/127\.0\.0\.1:\d+\//)?.[0];
      if (url) resolve({ url, stop: () => child.kill() });
    });
  });
}

/** A Chromium of this machine: the one in CHROMIUM, or where systems put it. */
export function startBrowser() {
  const places = [
    process.env.CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  const executablePath = places.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error('no Chromium: install it (apt-get install chromium) or name it in CHROMIUM');
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args });
}
