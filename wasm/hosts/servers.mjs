// Servers of the tests: a plain one for folders, and those that tools start.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after } from "node:test";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

const started = [];
after(() => started.forEach((stop) => stop()));

const listening = (server) =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server.address().port));
  });

/** Serves a folder with these headers; its address. */
export const serve = async (folder, headers = {}) => {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const name = path.endsWith("/") ? `${path}index.html` : path;
    try {
      const bytes = await readFile(join(folder, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream", ...headers });
      response.end(bytes);
    } catch {
      response.writeHead(404, headers).end();
    }
  });
  const port = await listening(server);
  started.push(() => server.close());
  return `http://127.0.0.1:${port}/`;
};

export const freePort = async () => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const MINUTE = 60_000;

/** Starts a tool that serves on a port, and waits until it answers; its address. */
export const serveBy = async (folder, program, words, port) => {
  const child = spawn(program, words, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  // With its children, which are its process group.
  started.push(() => {
    if (child.exitCode === null) process.kill(-child.pid);
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
  const url = `http://127.0.0.1:${port}/`;
  for (const end = Date.now() + MINUTE; Date.now() < end && child.exitCode === null; ) {
    const response = await fetch(url).catch(() => undefined);
    if (response) return url;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${program} ${words.join(" ")} does not serve:\n${said}`);
};
