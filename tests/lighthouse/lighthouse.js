// Judges five pages of the portal by Lighthouse, as a phone on a slow line sees them. Prints the
// scores as a table, and fails if one is below 95.

"use strict";

const { pathToFileURL } = require("node:url");

const LEAST = 95;
const PAGES = {
  board: "/b/calendar",
  post: "/p/dark-theme-for-the-web-app",
  roadmap: "/roadmap",
  changelog: "/changelog",
  article: "/help/calendars-and-events/events/repeating-events",
};

// Imports look for no package in NODE_PATH.
const load = async (name) => import(pathToFileURL(require.resolve(name)));

(async () => {
  const { launch } = await load("chrome-launcher");
  const { default: lighthouse } = await load("lighthouse");
  const chrome = await launch({
    chromePath: process.env.CHROMIUM,
    chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"],
  });
  try {
    for (const [n, [name, path]] of Object.entries(PAGES).entries()) {
      const url = new URL(path, process.env.HEARBACK_TEST_URL).href;
      const { lhr } = await lighthouse(url, { port: chrome.port, logLevel: "error" });
      if (lhr.runtimeError) throw new Error(`${name}: ${lhr.runtimeError.message}`);
      const columns = Object.values(lhr.categories);
      const scores = columns.map(({ score }) => Math.round(score * 100));
      if (n === 0) {
        console.log(`| | ${columns.map(({ title }) => title).join(" | ")} |`);
        console.log(`|---|${"--:|".repeat(columns.length)}`);
      }
      console.log(`| ${name} | ${scores.join(" | ")} |`);
      if (scores.some((score) => score < LEAST)) {
        process.exitCode = 1;
        for (const { id, score, scoreDisplayMode } of Object.values(lhr.audits)) {
          if (score === 0 && scoreDisplayMode === "binary") console.error(`${name}: ${id}`);
        }
      }
    }
  } finally {
    chrome.kill();
  }
})().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
