// A real browser that opens a project's page, types the question and reads the answers.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after } from "node:test";
import { chromium } from "playwright-core";
import { answers, QUERY } from "./projects.mjs";

const PLACES = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const launch = () => {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  assert.ok(executablePath, "no Chromium: install it (apt-get install chromium) or name it in CHROMIUM");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args: [...args, ...quiet] });
};

let browser;
after(() => browser?.close());

/** What a page shows of the answers to the usual question. */
export const usual = answers.map(({ label, score }) => `${label} ${score}`).join("\n");

/**
 * Opens a page in a fresh profile; `problems` fills with what the console and the network complain
 * of.
 */
export const open = async (url) => {
  browser ??= launch();
  const context = await (browser = await browser).newContext();
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
  context.on("response", (response) => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`));
  await page.goto(url);
  return { page, problems, close: () => context.close() };
};

/** Whether the page answers as the package in Node does, without a complaint anywhere. */
export const answersRightly = async (url, wanted = usual, question = QUERY) => {
  const { page, problems, close } = await open(url);
  const input = page.locator("input:not([disabled])");
  await input.waitFor({ timeout: 30_000 }).catch(() => assert.fail(`the page never got ready: ${problems.join("\n")}`));
  await input.fill(question);
  await page.waitForFunction((text) => document.querySelector("output").value === text, wanted, { timeout: 20_000 }).catch(
    async () => assert.equal(await page.locator("output").textContent(), wanted, problems.join("\n")),
  );
  assert.deepEqual(problems, []);
  await close();
};
