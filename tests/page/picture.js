// picture.js FILE: takes the picture of /docs for the README.

"use strict";

const { DocsPage, KEY, launch } = require("./support.js");

async function main(file) {
  const browser = await launch();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 1120 } });
    const docs = await DocsPage.open(context);
    await docs.key.fill(KEY);
    await docs.call("/feedback-boards/list");
    await docs.tab.locator("#swagger-ui").evaluate((main, endpoint) => {
      main.scrollTop = endpoint.offsetTop - 4;
    }, await docs.endpoint("/feedback-boards/list").elementHandle());
    await docs.tab.mouse.move(0, 0);
    await docs.tab.screenshot({ path: file, animations: "disabled" });
  } finally {
    await browser.close();
  }
}

main(process.argv[2]);
