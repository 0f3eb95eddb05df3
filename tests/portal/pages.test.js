// Every page: what axe finds, in light and dark, wide and narrow; that nothing sticks out; and what
// it weighs.

"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const { after, before, test } = require("node:test");
const { URL, address, all, board, call, comment, launch, post, within } = require("./support.js");

const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
// The most bytes of a page with all that it needs, before compression.
const MOST = 100 * 1024;

let browser, slug, author;
before(async () => {
  browser = await launch();
  const ideas = await board("Pages");
  const made = await post(ideas, "A post with everything", { description: "# Why\n\nSome **text** with `code`.\n\n> A quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n1. one\n2. two" });
  slug = made.slug;
  author = made.author_id;
  await comment(made.id, "A first comment with a [link](https://example.com).");
  const status = (await all("statuses")).find(({ code }) => code === "planned");
  await call("/feedback-posts/change-status", { post_id: made.id, status_id: status.id, changed_by_id: author, note: "We do this." });
});
after(() => browser.close());

const article = "/help/calendars-and-events/events/repeating-events";

// The pages, by name: those of anybody, and those of people who have signed in. A page is an address,
// or what leads to it.
const PAGES = {
  home: "/",
  "a list that goes on": "/?sort=new&status=planned",
  board: () => "/b/pages",
  "an empty list": "/?q=xyzzyplugh",
  post: () => `/p/${slug}`,
  "new post": "/b/pages/new?title=dark+theme",
  "faults of a post": async (tab) => {
    await tab.open("/b/pages/new");
    await tab.page.getByLabel("Title").fill(" ");
    await tab.go(tab.button("Post the idea"));
  },
  "new post of a guest": "/b/booking-pages/new",
  "faults of a guest": async (tab) => {
    await tab.open("/p/take-a-deposit-when-somebody-books");
    await tab.page.locator("form.write").evaluate((form) => (form.noValidate = true));
    await tab.go(tab.button("Comment"));
  },
  "vote of a guest": "/p/take-a-deposit-when-somebody-books/vote",
  roadmap: "/roadmap",
  "embedded roadmap": "/roadmap?embed=1",
  changelog: "/changelog",
  entry: "/changelog/dark-theme",
  help: "/help?q=calendar",
  collection: "/help/getting-started",
  category: "/help/getting-started?category=first-steps",
  article,
  "thanks for the answer": async (tab) => {
    await tab.open(article);
    await tab.go(tab.button("No"));
  },
  search: "/search?q=rota",
  "sign-in": "/sign-in",
  "faults of the sign-in": async (tab) => {
    await tab.open("/sign-in");
    await tab.page.locator("form:has(#email)").evaluate((form) => (form.noValidate = true));
    await tab.page.getByLabel("Email address").fill("nobody");
    await tab.go(tab.button("Send me the mail"));
  },
  code: async (tab) => {
    await tab.open("/sign-in");
    await tab.ask(address("code"));
  },
  "wrong code": async (tab) => {
    await tab.open("/sign-in");
    await tab.ask(address("wrong"));
    await tab.page.getByLabel("Code").fill("1");
    await tab.go(tab.page.getByRole("main").getByRole("button", { name: "Sign in" }));
  },
  "link of a mail": async (tab) => {
    await tab.open("/sign-in");
    const { link } = await tab.ask(address("link"));
    await tab.open(link);
  },
  profile: () => `/u/${author}`,
  "nothing there": "/nothing-here",
  "Arabic board": "/?sort=new",
};

const OWN_PAGES = {
  "board, signed in": "/",
  "post, signed in": () => `/p/${slug}`,
  "reply and own comment": async (tab) => {
    await tab.open(`/p/${slug}`);
    await tab.page.getByLabel("Add a comment").fill("Mine");
    await tab.go(tab.button("Comment"));
    await tab.go(tab.page.locator(".comment").first().getByRole("link", { name: "Reply" }));
  },
  "edit a comment": async (tab) => {
    await tab.open(`/p/${slug}`);
    await tab.go(tab.page.locator(".comment .acts").getByRole("link", { name: "Edit" }).first());
  },
  "delete a comment": async (tab) => {
    await tab.open(`/p/${slug}`);
    await tab.go(tab.page.locator(".comment .acts").getByRole("link", { name: "Delete" }).first());
  },
  "own post": async (tab) => {
    await tab.open("/b/pages/new");
    await tab.page.getByLabel("Title").fill("Own post");
    await tab.go(tab.button("Post the idea"));
  },
  "edit a post": async (tab) => {
    await tab.open("/p/own-post/edit");
  },
  preview: async (tab) => {
    await tab.open("/b/pages/new");
    await tab.page.getByLabel("Details").fill("# A headline\n\nSome text");
    await tab.button("Preview").click();
    await tab.page.locator(".preview h1, .preview h2").first().waitFor();
  },
  "roadmap, signed in": "/roadmap",
  "changelog, signed in": "/changelog",
  "new post, signed in": "/b/pages/new?title=dark+theme",
  account: "/account",
  notifications: "/notifications",
  "end of the account": "/account/delete",
  "faults of the account": async (tab) => {
    await tab.open("/account");
    await tab.page.locator("#name").fill(" ");
    await tab.go(tab.button("Save"));
  },
};

async function show(tab, page) {
  const target = typeof page === "function" ? await page(tab) : page;
  if (target !== undefined) {
    await tab.open(target);
  }
}

// What axe finds, one line for each rule.
async function violations(tab) {
  const found = await tab.page.evaluate(() => globalThis.axe.run());
  assert(found.passes.length > 10);
  return found.violations.map(({ id, help, nodes }) =>
    `${id}: ${help}: ${nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ""}`).join(" | ")}`);
}

async function judge(tab) {
  const found = [];
  await tab.page.evaluate(AXE);
  for (const [width, height] of [[1280, 900], [320, 640]]) {
    await tab.page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"]) {
      await tab.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      found.push(...(await violations(tab)).map((text) => `${width} px, ${colorScheme}: ${text}`));
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

function pages(all, prepare) {
  for (const [name, page] of Object.entries(all)) {
    test(`page: ${name}`, () =>
      within(browser, name.startsWith("Arabic") ? { locale: "ar" } : {}, async (tab) => {
        await prepare(tab);
        await show(tab, page);
        const found = await judge(tab);
        const bytes = await weight(tab);
        if (bytes > MOST) {
          found.push(`${bytes} bytes are more than ${MOST}`);
        }
        assert.deepEqual(found, []);
        if (name === "nothing there") {
          assert.deepEqual(tab.complaints.splice(0), ["Failed to load resource: the server responded with a status of 404 (Not Found)"]);
        }
      }));
  }
}

let session;
pages(PAGES, async () => {});
pages(OWN_PAGES, async (tab) => {
  if (session) {
    await tab.page.context().addCookies(session);
    return;
  }
  await tab.signIn(address("judge"));
  session = await tab.page.context().cookies();
});

test("at twice the size, nothing sticks out", () =>
  within(browser, { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }, async (tab) => {
    const found = [];
    await tab.page.context().addCookies(session);
    for (const [name, page] of Object.entries({ ...PAGES, ...OWN_PAGES })) {
      if (typeof page === "string" && name !== "nothing there") {
        await tab.open(page);
        const overflow = await tab.overflow();
        if (overflow > 0) {
          found.push(`${name}: ${overflow} px`);
        }
      }
    }
    assert.deepEqual(found, []);
  }));

test("in every language, nothing sticks out of a small window", () =>
  within(browser, { viewport: { width: 320, height: 640 } }, async (tab) => {
    const found = [];
    for (const language of ["en", "de", "fr", "es", "pt-BR", "ja", "zh-Hans", "ar"]) {
      await tab.page.context().addCookies([...session, { name: "hearback-language", value: language, url: URL }]);
      for (const path of ["/", `/p/${slug}`, "/b/pages/new", "/roadmap", "/changelog", article, "/account"]) {
        await tab.open(path);
        assert.equal(await tab.page.locator("html").getAttribute("lang"), language);
        const overflow = await tab.overflow();
        if (overflow > 0) {
          found.push(`${language}: ${path}: ${overflow} px`);
        }
      }
    }
    assert.deepEqual(found, []);
  }));

test("a page tells its language, its title and its headline", () =>
  within(browser, {}, async (tab) => {
    for (const page of Object.values(PAGES).filter((page) => typeof page === "string" && page !== "/nothing-here" && !page.includes("embed"))) {
      await tab.open(page);
      assert.equal(await tab.page.locator("h1").count(), 1, page);
      assert.match(await tab.page.title(), /^.+ · Weekwright$/, page);
      assert.equal(await tab.page.locator("html").getAttribute("lang"), "en");
    }
  }));

test("the theme of the organization is that of the visitor's system", () =>
  within(browser, { colorScheme: "dark" }, async (tab) => {
    await tab.open("/");
    const ground = () => tab.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), "rgb(15, 17, 21)");
    await tab.page.emulateMedia({ colorScheme: "light" });
    assert.equal(await ground(), "rgb(246, 247, 249)");
    assert(tab.requests.every((url) => url.startsWith(URL) || /^https:/.test(url)), String(tab.requests));
  }));
