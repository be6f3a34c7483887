// Firefox, by WebDriver BiDi. What pages are asked for there is asked for in the same words in
// browser.mjs.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after } from "node:test";
import puppeteer from "puppeteer-core";
import { QUERY } from "./projects.mjs";
import { usual } from "./browser.mjs";

const PLACES = [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"];

const launch = () => {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  assert.ok(executablePath, "no Firefox: install it (apt-get install firefox-esr) or name it in FIREFOX");
  return puppeteer.launch({ browser: "firefox", executablePath, headless: true });
};

let browser;
after(async () => (await browser)?.close());

/** As `open` of browser.mjs. */
export const open = async (url) => {
  browser ??= launch();
  const context = await (await browser).createBrowserContext();
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && problems.push(message.text()));
  page.on("response", (response) => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`));
  await page.goto(url);
  return { page, problems, close: () => context.close() };
};

/** As `answersRightly` of browser.mjs. */
export const answersRightly = async (url) => {
  const { page, problems, close } = await open(url);
  const input = await page.waitForSelector("input:not([disabled])", { timeout: 30_000 });
  await input.type(QUERY);
  const shown = () => page.$eval("output", (output) => output.value);
  await page.waitForFunction((text) => document.querySelector("output").value === text, { timeout: 20_000 }, usual).catch(
    async () => assert.equal(await shown(), usual, problems.join("\n")),
  );
  assert.deepEqual(problems, []);
  await close();
};
