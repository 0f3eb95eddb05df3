// /docs in a real browser, against a real server with the demo.

"use strict";

const assert = require("node:assert/strict");
const http = require("node:http");
const { after, before, test } = require("node:test");
const { DocsPage, KEY, URL, launch } = require("./support.js");

const BOARDS = "/feedback-boards/list";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

// Runs with a window of its own, which shares nothing with other windows.
async function within(run, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  try {
    await run(context);
  } finally {
    await context.close();
  }
}

// The answer of the server to a request without the page.
async function boards() {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ api_key: KEY });
  const answer = await fetch(`${URL}/api/external/v1${BOARDS}`, { method: "POST", headers, body });
  assert.equal(answer.status, 200);
  return answer.json();
}

// The message of Chromium about an answer without success.
const refused = (status, name) => `Failed to load resource: the server responded with a status of ${status} (${name})`;

test("a browser that keeps nothing for sites shows the page all the same", () =>
  within(async (context) => {
    await context.addInitScript(() => {
      Object.defineProperty(window, "sessionStorage", {
        get() {
          throw new DOMException("Access is denied for this document.", "SecurityError");
        },
      });
    });
    const docs = await DocsPage.open(context);
    await docs.key.fill(KEY);
    const { status, body } = await docs.call(BOARDS);
    assert.equal(status, 200);
    assert.deepEqual(body, await boards());
    assert.deepEqual(docs.complaints, []);
  }));

test("an endpoint is called through the page, which asks this server alone", () =>
  within(async (context) => {
    const docs = await DocsPage.open(context);
    assert.equal(await docs.tab.title(), "Hearback");
    const { paths, webhooks } = await (await fetch(`${URL}/openapi.json`)).json();
    const shown = await docs.tab.locator(".opblock-summary-path").evaluateAll((all) => all.map(({ dataset }) => dataset.path));
    assert.deepEqual(shown.sort(), Object.keys({ ...paths, ...webhooks }).sort());

    await docs.key.fill(` ${KEY}\t`);
    const { status, body, details, curl } = await docs.call(BOARDS);
    assert.equal(status, 200);
    assert.deepEqual(body, await boards());
    assert(body.some(({ name }) => name === "Calendar & Scheduling"));
    assert.match(details, /Request duration\s+\d+ ms/);
    // The page shows the sent request for copying.
    assert(curl.includes(`${URL}/api/external/v1${BOARDS}`) && curl.includes(KEY), curl);

    assert.deepEqual(docs.requests.sort(), [
      `GET ${URL}/docs`,
      `GET ${URL}/docs/`,
      `GET ${URL}/docs/page.css`,
      `GET ${URL}/docs/page.js`,
      `GET ${URL}/docs/swagger-ui-bundle.js`,
      `GET ${URL}/docs/swagger-ui.css`,
      `GET ${URL}/openapi.json`,
      `POST ${URL}/api/external/v1${BOARDS}`,
    ]);
    assert.deepEqual(docs.complaints, []);
  }));

test("a wrong key is refused in the server's words", () =>
  within(async (context) => {
    const docs = await DocsPage.open(context);
    await docs.key.fill(`${KEY}x`);
    const { status, body } = await docs.call(BOARDS);
    assert.deepEqual([status, body], [401, { detail: { error: "invalid api_key" } }]);
    assert.deepEqual(docs.complaints, [refused(401, "Unauthorized")]);
  }));

test("a key in the body counts if the field is empty", () =>
  within(async (context) => {
    const docs = await DocsPage.open(context);
    const { status, body } = await docs.call(BOARDS, JSON.stringify({ api_key: KEY }));
    assert.deepEqual([status, body], [200, await boards()]);
    assert.deepEqual(docs.complaints, []);
  }));

test("a body that is no object is sent as it was written", () =>
  within(async (context) => {
    const docs = await DocsPage.open(context);
    await docs.key.fill(KEY);
    const { status, body } = await docs.call(BOARDS, "[1,");
    assert.deepEqual([status, body.detail[0].type], [422, "json_invalid"]);
    assert.deepEqual(docs.complaints, [refused(422, "Unprocessable Entity")]);
  }));

test("the key outlives a reload, and is nowhere but in its tab", () =>
  within(async (context) => {
    const docs = await DocsPage.open(context);
    await docs.key.fill(KEY);
    await docs.tab.reload();
    assert.equal(await docs.key.inputValue(), KEY);

    const another = await DocsPage.open(context);
    assert.equal(await another.key.inputValue(), "");
    assert.deepEqual(await context.storageState(), { cookies: [], origins: [] });
    assert(![...docs.requests, docs.tab.url()].some((address) => address.includes(KEY)));
    assert.deepEqual([...docs.complaints, ...another.complaints], []);
  }));

test("a link to an endpoint opens it, in sight", () =>
  within(async (context) => {
    const docs = await DocsPage.open(context, `${URL}/docs#/votes/votes.toggle`);
    const endpoint = docs.endpoint("/votes/toggle");
    await endpoint.getByRole("button", { name: "Execute" }).waitFor();
    const field = await docs.key.boundingBox();
    // The page scrolls to it bit by bit.
    await docs.tab.waitForFunction(
      ([element, above]) => element.getBoundingClientRect().top > above && element.getBoundingClientRect().top < above + 50,
      [await endpoint.elementHandle(), field.y + field.height],
    );
    assert.deepEqual(docs.complaints, []);
  }));

test("the page is light or dark like the system", () =>
  within(async (context) => {
    const docs = await DocsPage.open(context);
    const becomes = (color) =>
      docs.tab.waitForFunction((color) => getComputedStyle(document.body).backgroundColor === color, color);
    await becomes("rgb(28, 32, 34)");
    await docs.tab.emulateMedia({ colorScheme: "light" });
    await becomes("rgb(255, 255, 255)");
    assert.deepEqual(docs.complaints, []);
  }, { colorScheme: "dark" }));

test("below a path of a proxy, the page calls the server behind it", () =>
  within(async (context) => {
    const proxy = http.createServer((request, response) => {
      if (!request.url.startsWith("/feedback/")) {
        response.writeHead(404).end();
        return;
      }
      const { method, headers } = request;
      const passed = http.request(URL + request.url.slice("/feedback".length), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    });
    await new Promise((ready) => proxy.listen(0, "127.0.0.1", ready));
    try {
      const docs = await DocsPage.open(context, `http://127.0.0.1:${proxy.address().port}/feedback/docs`);
      await docs.key.fill(KEY);
      const { status, body } = await docs.call(BOARDS);
      assert.deepEqual([status, body], [200, await boards()]);
      assert.deepEqual(docs.complaints, []);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  }));
