// Browsers with the portal, visitors who sign in, and the API, for the tests and the pictures.
//
// scripts/client-tests sets the variables: HEARBACK_TEST_URL and HEARBACK_TEST_KEY of a server with
// the demo, HEARBACK_TEST_BINARY and HEARBACK_DATA_DIR of its program and its files, and CHROMIUM.

"use strict";

const assert = require("node:assert/strict");
const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { chromium } = require("playwright-core");

const URL = process.env.HEARBACK_TEST_URL;
const KEY = process.env.HEARBACK_TEST_KEY;
const BINARY = process.env.HEARBACK_TEST_BINARY;
const MAILS = path.join(process.env.HEARBACK_DATA_DIR, "mail");

const options = { executablePath: process.env.CHROMIUM, args: ["--disable-gpu", "--disable-quic"] };
// Of some hundred starts of Chromium, one ends by SIGSEGV.
const launch = () => chromium.launch(options).catch(() => chromium.launch(options));

// A picture of one pixel, for those of other hosts.
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=", "base64");

// A tab with the portal, and what went wrong in it.
class Tab {
  complaints = [];
  requests = [];

  constructor(page, base = URL) {
    this.page = page;
    this.base = base;
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("requestfailed", (request) => {
      const { errorText } = request.failure();
      // Who leaves a page before its files are there has no use for them.
      if (errorText !== "net::ERR_ABORTED") {
        this.complaints.push(`${request.url()}: ${errorText}`);
      }
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    // A violation of the page's policy is an error, too.
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) {
        this.complaints.push(message.text());
      }
    });
  }

  // Opens a path of the portal, or an address.
  async open(target) {
    return this.page.goto(target.startsWith("http") ? target : this.base + target);
  }

  // Clicks what leads to another page, and waits for that page.
  async go(locator) {
    const [answer] = await Promise.all([this.page.waitForEvent("framenavigated"), locator.click()]);
    await this.page.waitForLoadState("load");
    return answer;
  }

  button(name, options = {}) {
    return this.page.getByRole("button", { name, exact: true, ...options });
  }

  link(name, options = {}) {
    return this.page.getByRole("link", { name, exact: true, ...options });
  }

  // The words of a part of the page. The marks around what runs in another direction are none.
  async words(part) {
    const locator = typeof part === "string" ? this.page.locator(part) : part;
    return (await locator.innerText()).replace(/[\u2068\u2069]/g, "");
  }

  // The headline.
  heading() {
    return this.words("main h1");
  }

  notice() {
    return this.words("p.notice");
  }

  alert() {
    return this.words(this.page.getByRole("alert"));
  }

  path() {
    const { pathname, search } = new globalThis.URL(this.page.url());
    return (pathname + search).slice(this.base.length - URL.length);
  }

  // The width by which the page is wider than the window.
  async overflow() {
    return this.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  }

  // Gets a mail to sign in, from the form that the page has.
  async ask(email) {
    await this.page.getByLabel("Email address").fill(email);
    const before = mailsTo(email).length;
    await this.go(this.button("Send me the mail"));
    return mailTo(email, before);
  }

  // Signs in by a code.
  async signIn(email) {
    await this.open("/sign-in");
    const { code } = await this.ask(email);
    await this.page.getByLabel("Code").fill(code);
    await this.go(this.page.getByRole("main").getByRole("button", { name: "Sign in" }));
    assert.equal(await this.notice(), "You are signed in.");
    return this;
  }

  // Signs in by the link of an invitation.
  async join(email, role, link = invite(email, role)) {
    await this.open(link);
    await this.go(this.page.getByRole("main").getByRole("button", { name: "Sign in" }));
    assert.equal(await this.notice(), "You are signed in.");
    return this;
  }
}

// Runs with a window of its own, which shares nothing with other windows. The page must not complain.
// `base` is the address of the portal, if it is not that of the demo.
async function within(browser, { base, ...options }, run) {
  const context = await open(browser, { base, ...options });
  const tabs = [];
  const tab = async () => {
    const tab = new Tab(await context.newPage(), base);
    tabs.push(tab);
    return tab;
  };
  try {
    await run(await tab(), tab);
    assert.deepEqual(tabs.flatMap((tab) => tab.complaints), []);
  } finally {
    await context.close();
  }
}

const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// The violations that axe finds, one line for each rule. A dark page differs from the light one in
// its colours alone.
async function violations(tab, colorScheme) {
  const colors = { runOnly: { type: "rule", values: ["color-contrast"] } };
  const found = await tab.page.evaluate((options) => globalThis.axe.run(options), colorScheme === "dark" ? colors : {});
  assert(found.passes.length > (colorScheme === "dark" ? 0 : 10));
  return found.violations.map(({ id, help, nodes }) =>
    `${id}: ${help}: ${nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ""}`).join(" | ")}`);
}

// What is wrong with a page for those who see, hear or use it in another way: wide and narrow, light
// and dark.
async function judge(tab) {
  const found = [];
  await tab.page.evaluate(AXE);
  for (const [width, height] of [[1280, 900], [320, 640]]) {
    await tab.page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"]) {
      await tab.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      found.push(...(await violations(tab, colorScheme)).map((text) => `${width} px, ${colorScheme}: ${text}`));
    }
    const overflow = await tab.overflow();
    if (overflow > 0) {
      found.push(`${width} px: ${overflow} px wider than the window`);
    }
  }
  await tab.page.setViewportSize({ width: 1280, height: 900 });
  return found;
}

// The bytes of a page, with the files that it names in its head.
const files = new Map();
async function weight(tab) {
  const html = Buffer.byteLength(await (await fetch(tab.page.url(), { headers: { cookie: await cookies(tab) } })).text());
  const named = await tab.page.evaluate(() =>
    [...document.querySelectorAll("link[rel=stylesheet], link[rel=icon]")].map(({ href }) => href)
      .concat([...document.scripts].map(({ src }) => src).filter(Boolean)));
  let sum = html;
  for (const file of named) {
    if (!files.has(file)) {
      const answer = await fetch(file);
      assert.equal(answer.status, 200, file);
      files.set(file, (await answer.arrayBuffer()).byteLength);
    }
    sum += files.get(file);
  }
  return sum;
}

async function cookies(tab) {
  return (await tab.page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
}

// A window whose pictures of other hosts are all the same: there is no network.
async function open(browser, { base = URL, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-US", ...options });
  const { origin } = new globalThis.URL(base);
  await context.route((url) => url.origin !== origin, (route) => route.fulfill({ contentType: "image/png", body: PIXEL }));
  return context;
}

// Runs a command, and returns its output.
const run = (args, input = "", env = process.env) => execFileSync(BINARY, args, { encoding: "utf8", env, input, stdio: "pipe" });

// Another server, over an empty folder, with further settings.
async function serve(settings) {
  const folder = fs.mkdtempSync(`${process.env.HEARBACK_DATA_DIR}-`);
  const { DATABASE_URL, ...rest } = process.env;
  const env = { ...rest, HEARBACK_DATA_DIR: folder, ...settings };
  const server = spawn(BINARY, ["serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
  const base = await new Promise((done, fail) => {
    let log = "";
    server.stderr.on("data", (part) => {
      log += part;
      const found = /listening on (http:\/\/[\d.:]+)/.exec(log);
      if (found) {
        done(found[1]);
      }
    });
    server.on("exit", () => fail(new Error(log)));
  });
  return { base, folder, run: (args) => run(args, "", env), stop: () => server.kill() };
}

// A server of somebody else, on a free port of the loopback interface.
async function listen(handler) {
  const server = http.createServer(handler);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, stop };
}

// The files of mails to sign in, and of those that tell news.
const SIGN_IN = /^sign-in\./;
const NEWS = /^[\da-f-]{36}\./;

// The mails to an address, oldest first.
function mailsTo(email, kind = SIGN_IN) {
  if (!fs.existsSync(MAILS)) {
    return [];
  }
  const names = fs.readdirSync(MAILS).filter((name) => kind.test(name) && name.endsWith(".eml"));
  const mails = names.sort().map((name) => fs.readFileSync(path.join(MAILS, name), "utf8"));
  return mails.filter((mail) => /^To: .*(\r?\n .*)?/m.exec(mail)[0].includes(email)).map((mail) => {
    const text = mail
      .replace(/=\r?\n/g, "")
      .replace(/(=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll("=", ""), "hex").toString("utf8"));
    return {
      subject: /^Subject: (.*)$/m.exec(text)[1],
      code: /^ {4}(\d{6})\r?$/m.exec(text)?.[1],
      link: /^(http:\/\/\S+\/sign-in\/[\w-]+)\r?$/m.exec(text)?.[1],
    };
  });
}

// The first mail to an address behind those that were there.
async function mailTo(email, before, kind) {
  for (let tries = 0; tries < 200; tries++) {
    const mails = mailsTo(email, kind);
    if (mails.length > before) {
      return mails[before];
    }
    await new Promise((resume) => setTimeout(resume, 50));
  }
  throw new Error(`no mail came to ${email}`);
}

// An organization: the address of its portal, its API, what it makes by it, and commands for it.
function site(slug, key, base) {
  const call = async (endpoint, body = {}) => {
    const answer = await fetch(`${URL}/api/external/v1${endpoint}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ api_key: key, ...body }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, `${endpoint}: ${text}`);
    return JSON.parse(text);
  };

  // Makes a record, and retrieves it.
  const make = async (kind, body) => {
    const { id } = await call(`/${kind}/create`, body);
    return call(`/${kind}/retrieve`, { id });
  };

  // All records of a short list, some of which come in pages.
  const all = async (kind) => {
    const found = await call(`/${kind}/list`);
    return found.items ?? found;
  };

  // A post by a person of its own.
  const post = (board, title, more = {}) =>
    make("feedback-posts", { board_id: board.id, title, author_email: "author@example.com", author_name: "Ida Author", ...more });

  const comment = (feedback_post_id, content) =>
    call("/comments/create", { feedback_post_id, content, author_email: "commenter@example.com", author_name: "Cem Commenter" });

  const board = (name, more = {}) => make("feedback-boards", { name, ...more });

  const command = (args, input) => run([...args, "--organization", slug], input);

  // The link by which somebody becomes a member of the team.
  const invite = (email, role) => {
    const printed = command(["member", "invite", "--email", email, "--role", role]);
    return URL + /https?:\/\/[^/\s]+((?:\/o\/[\w-]+)?\/sign-in\/[\w-]+)/.exec(printed)[1];
  };

  return { base, call, make, all, post, comment, board, command, invite };
}

const demo = site("weekwright", KEY, URL);
const { invite } = demo;

// A new organization, with a board and the usual statuses. `settings` are those of the command line.
function found(name, settings = [], options = []) {
  const slug = `${name}-${Math.random().toString(36).slice(2, 10)}`.toLowerCase();
  run(["organization", "create", "--slug", slug, "--name", name, ...options]);
  const [key] = /hbk_[\w-]{43}/.exec(run(["key", "generate", "--organization", slug]));
  const made = site(slug, key, `${URL}/o/${slug}`);
  if (settings.length > 0) {
    made.command(["organization", "set", ...settings]);
  }
  return made;
}

// An address that no other test has.
const address = (name) => `${name}.${Math.random().toString(36).slice(2, 10)}@example.com`;

module.exports = { ...demo, KEY, NEWS, Tab, URL, address, found, judge, launch, listen, mailTo, mailsTo, open, run, serve, weight, within };
