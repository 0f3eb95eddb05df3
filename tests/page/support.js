// A browser with /docs, for the tests and for the picture.
//
// scripts/client-tests sets the variables: HEARBACK_TEST_URL and HEARBACK_TEST_KEY of a server with
// the demo, and CHROMIUM, the program.

"use strict";

const { chromium } = require("playwright-core");

const URL = process.env.HEARBACK_TEST_URL;
const KEY = process.env.HEARBACK_TEST_KEY;

const options = { executablePath: process.env.CHROMIUM, args: ["--disable-gpu", "--disable-quic"] };
// Of some hundred starts of Chromium, one ends by SIGSEGV.
const launch = () => chromium.launch(options).catch(() => chromium.launch(options));

// The page in a tab, with its requests and its errors.
class DocsPage {
  requests = [];
  complaints = [];

  constructor(tab) {
    this.tab = tab;
    tab.on("request", (request) => this.requests.push(`${request.method()} ${request.url()}`));
    tab.on("requestfailed", (request) => this.complaints.push(`${request.url()}: ${request.failure().errorText}`));
    tab.on("pageerror", (error) => this.complaints.push(String(error)));
    // A violation of the page's policy is an error, too.
    tab.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) {
        this.complaints.push(message.text());
      }
    });
  }

  static async open(context, address = `${URL}/docs`) {
    const docs = new DocsPage(await context.newPage());
    await docs.tab.goto(address);
    await docs.tab.locator(".opblock").first().waitFor();
    return docs;
  }

  get key() {
    return this.tab.getByLabel("API key");
  }

  endpoint(path) {
    const summary = this.tab.locator(`.opblock-summary-path[data-path="/api/external/v1${path}"]`);
    return this.tab.locator(".opblock").filter({ has: summary });
  }

  // Opens an endpoint, executes it with the offered body or another one, and returns the answer.
  async call(path, body) {
    const endpoint = this.endpoint(path);
    await endpoint.locator(".opblock-summary-control").click();
    if (body !== undefined) {
      await endpoint.locator("textarea").fill(body);
    }
    await endpoint.getByRole("button", { name: "Execute" }).click();
    const answer = endpoint.locator(".live-responses-table");
    return {
      status: Number(await answer.locator("tbody .response-col_status").innerText()),
      body: JSON.parse(await answer.locator(".highlight-code code").innerText()),
      details: await answer.innerText(),
      curl: await endpoint.locator(".curl").innerText(),
    };
  }
}

module.exports = { DocsPage, KEY, URL, launch };
