// Every page: what axe finds, in light and dark, wide and narrow; that nothing sticks out; and what
// it weighs.

"use strict";

const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { after, before, test } = require("node:test");
const { URL, address, all, board, call, comment, found, judge, launch, mailTo, mailsTo, post, serve, weight, within } = require("./support.js");

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
    await tab.go(tab.button("Save").first());
  },
};

async function show(tab, page) {
  const target = typeof page === "function" ? await page(tab) : page;
  if (target !== undefined) {
    await tab.open(target);
  }
}

// What the browser says of a page whose status is an error.
const REFUSED = {
  "nothing there": "404 (Not Found)",
  "a sign-in of the company that failed": "403 (Forbidden)",
  "a provider that refused": "403 (Forbidden)",
  "a form that has expired": "403 (Forbidden)",
  "a file that is no image": "422 (Unprocessable Entity)",
  "a form that is too large": "413 (Payload Too Large)",
  "a blocked account that signs in": "403 (Forbidden)",
  "a form to a page that takes none": "405 (Method Not Allowed)",
  "a form while the store is busy": "503 (Service Unavailable)",
  "a server without an organization": "404 (Not Found)",
  "too many forms": "429 (Too Many Requests)",
  "a store that is damaged": "500 (Internal Server Error)",
};

function pages(all, prepare, site) {
  for (const [name, page] of Object.entries(all)) {
    test(`page: ${name}`, () =>
      within(browser, { base: site?.base, ...(name.startsWith("Arabic") ? { locale: "ar" } : {}) }, async (tab) => {
        await prepare(tab);
        await show(tab, page);
        const found = await judge(tab);
        const bytes = await weight(tab);
        if (bytes > MOST) {
          found.push(`${bytes} bytes are more than ${MOST}`);
        }
        assert.deepEqual(found, []);
        if (name in REFUSED) {
          assert.deepEqual(tab.complaints.splice(0), [`Failed to load resource: the server responded with a status of ${REFUSED[name]}`]);
        }
      }));
  }
}

// Signs in once, and then takes the session along.
function sessions(signIn) {
  let session;
  return async (tab) => {
    if (session) {
      await tab.page.context().addCookies(session);
      return;
    }
    await signIn(tab);
    session = await tab.page.context().cookies();
  };
}

const enter = sessions((tab) => tab.signIn(address("judge")));
pages(PAGES, async () => {});
pages(OWN_PAGES, enter);

// An organization with all ways to sign in, and boards on which things wait.
const other = found("Axe", ["--password-sign-in", "on", "--sso-url", "https://sso.example/"]);
const provider = other.command(["oidc", "add", "--name", "Example", "--issuer", "https://oidc.example", "--client-id", "axe"], "secret\n").split("\t")[0];
const boards = {};
let subject;
before(async () => {
  boards.open = await other.board("Open");
  boards.moderated = await other.board("Moderated", { post_moderation_code: "on" });
  boards.guests = await other.board("Guests", { guest_code: "email" });
  subject = await other.post(boards.guests, "A subject of mails");
});
const submit = (tab, name) => tab.go(tab.page.getByRole("main").getByRole("button", { name, exact: true }));
const unchecked = (tab, form) => tab.page.locator(form).evaluate((form) => (form.noValidate = true));

async function askToVote(tab) {
  const email = address("act");
  const before = mailsTo(email).length;
  await tab.open(`/p/${subject.slug}/vote`);
  await tab.page.getByLabel("Name").fill("Greta Guest");
  await tab.page.getByLabel("Email address").fill(email);
  await submit(tab, "Send me the mail");
  return mailTo(email, before);
}

async function write(tab, board, title) {
  await tab.open(`/b/${board.slug}/new`);
  await tab.page.getByLabel("Title").fill(title);
  await submit(tab, "Post the idea");
}

pages({
  "all ways to sign in": "/sign-in",
  "a wrong password": async (tab) => {
    await tab.open("/sign-in");
    await tab.page.getByLabel("Email address").fill(address("wrong"));
    await tab.page.getByLabel("Password").fill("a quiet morning");
    await submit(tab, "Sign in");
  },
  "a sign-in of the company that failed": "/sso/callback?token=x&state=x",
  "a provider that refused": `/sign-in/oidc/${provider}/callback?error=access_denied&state=x`,
  "an idea that waits for the sign-in": (tab) => write(tab, boards.open, "Before the sign-in"),
  "draft behind the sign-in": async (tab) => {
    await write(tab, boards.open, "Before the sign-in");
    const { code } = await tab.ask(address("resume"));
    await tab.page.getByLabel("Code").fill(code);
    await submit(tab, "Sign in");
    assert.equal(await tab.heading(), "Share an idea");
  },
  "faults of an act": async (tab) => {
    await tab.open(`/p/${subject.slug}/vote`);
    await unchecked(tab, "main form:has(#email)");
    await submit(tab, "Send me the mail");
  },
  "code of an act": async (tab) => void (await askToVote(tab)),
  "link of an act": async (tab) => (await askToVote(tab)).link,
  "a profile without posts": () => `/u/${subject.author_id}`,
}, async () => {}, other);

pages({
  "own post that waits": (tab) => write(tab, boards.moderated, "To be looked at"),
  "delete a post": async (tab) => {
    await write(tab, boards.open, `To be deleted ${Math.random()}`);
    await tab.go(tab.link("Delete"));
  },
  "a file that is no image": async (tab) => {
    await tab.open(`/p/${subject.slug}`);
    await tab.page.locator("details.attach summary").click();
    await tab.page.locator("input[type=file]").first().setInputFiles({ name: "x.png", mimeType: "image/png", buffer: Buffer.from("no image") });
    await tab.page.locator("main output").filter({ hasText: /\S/ }).waitFor();
  },
  "a form that has expired": async (tab) => {
    await tab.open("/");
    await tab.page.locator("[name=form_token]").evaluateAll((all) => all.forEach((field) => (field.value = "x")));
    await tab.go(tab.button("Choose"));
  },
  "a form that is too large": async (tab) => {
    await tab.open("/account/password");
    await tab.page.getByLabel("New password").evaluate((field) => {
      field.removeAttribute("maxlength");
      field.value = "x".repeat(2 ** 21);
    });
    await submit(tab, "Save the password");
  },
  "a new password": "/account/password",
  "faults of a password": async (tab) => {
    await tab.open("/account/password");
    await unchecked(tab, "main form:has(#password)");
    await tab.page.getByLabel("New password").fill("short");
    await submit(tab, "Save the password");
  },
  "faults of an address": async (tab) => {
    await tab.open("/account");
    await unchecked(tab, "main form:has(#email)");
    await tab.page.locator("#email").fill("nowhere");
    await submit(tab, "Change the address");
  },
  "an address to confirm": "/sign-in/address/AAAA",
  "notifications with content": async (tab) => {
    await write(tab, boards.open, `To be noticed ${Math.random()}`);
    const { id } = await other.call("/feedback-posts/list", { limit: 1 }).then(({ items }) => items[0]);
    await other.comment(id, "News for the author");
    // The server tells people behind the change.
    const news = tab.page.locator("main").getByText("Cem Commenter");
    for (let tries = 0; tries < 20 && (await news.count()) === 0; tries++) {
      await tab.open("/notifications");
    }
    await news.first().waitFor();
  },
  "a blocked account that signs in": async (tab) => {
    const [{ user_id, email }] = (await other.call("/users/list", { search: "judge" })).items;
    await other.call("/users/block", { user_id });
    await tab.open("/sign-in");
    const { code } = await tab.ask(email);
    await tab.page.getByLabel("Code").fill(code);
    await tab.go(tab.page.getByRole("main").getByRole("button", { name: "Sign in" }));
    assert.match(await tab.words("main"), /The team has blocked this account/);
    await other.call("/users/unblock", { user_id });
  },
}, sessions((tab) => tab.signIn(address("judge"))), other);

// Goes to a page until it has this headline.
async function until(tab, headline, go) {
  let tries = 0;
  do {
    assert(tries < 100, `no page says ${headline}`);
    await go(tries++);
  } while ((await tab.heading()) !== headline);
}

pages({
  "a form to a page that takes none": async (tab) => {
    await tab.open("/");
    await tab.page.locator("form[action='/language']").evaluate((form) => (form.action = "/roadmap"));
    await tab.go(tab.button("Choose"));
  },
  "a form while the store is busy": async (tab) => {
    // An import holds the one writer until the end of its file.
    const importer = spawn(process.env.HEARBACK_TEST_BINARY, ["import", "-"], { stdio: ["pipe", "ignore", "ignore"] });
    try {
      await until(tab, "One moment, please", async (tries) => {
        await tab.open("/account");
        await tab.page.locator("#name").fill(`Name ${tries}`);
        await tab.go(tab.button("Save").first());
      });
    } finally {
      importer.kill();
    }
  },
}, enter);

// A server of its own, over an empty folder.
const server = {};
before(async () => Object.assign(server, await serve({ HEARBACK_FORM_LIMIT_PER_ADDRESS: "1/m" })));
after(() => server.stop());
pages({
  "a server without an organization": "/",
  "too many forms": async (tab) => {
    server.run(["organization", "create", "--slug", "small", "--name", "Small"]);
    const printed = server.run(["member", "invite", "--organization", "small", "--email", owner, "--role", "owner"]);
    await tab.join(owner, "owner", /\/sign-in\/[\w-]+/.exec(printed)[0]);
    await tab.open("/changelog");
    const follow = tab.page.locator("form[action='/changelog/follow'] button");
    await tab.go(follow);
    await tab.go(follow);
  },
  "a store that is damaged": async (tab) => {
    // Browsers keep the colours.
    await tab.open("/");
    for (const name of ["hearback.db", "hearback.db-wal"]) {
      const file = path.join(server.folder, name);
      fs.writeFileSync(file, crypto.randomBytes(fs.statSync(file).size));
    }
    // What was read a moment ago is in memory.
    await until(tab, "Something went wrong", () => tab.open("/help"));
  },
}, async () => {}, server);

// An organization in which nothing was made yet.
const bare = found("Bare", [], ["--empty"]);
before(() => bare.call("/roadmap-boards/create", { name: "Plans" }));
const EMPTY = { board: "/", roadmap: "/roadmap", changelog: "/changelog", help: "/help", search: "/search?q=nothing" };
const prefixed = (prefix, all) => Object.fromEntries(Object.entries(all).map(([name, page]) => [`${prefix}: ${name}`, page]));
const owner = address("owner");
pages(prefixed("empty", EMPTY), async () => {}, bare);
pages(prefixed("empty, owner", { board: "/", notifications: "/notifications", account: "/account" }), sessions((tab) => tab.join(owner, "owner", bare.invite(owner, "owner"))), bare);
pages({ "sign-in of a private portal": "/" }, async () => {
  bare.command(["organization", "set", "--private", "on"]);
  await new Promise((resume) => setTimeout(resume, 1_100));
}, bare);

// The lists of records in the dashboard.
const LISTS = [
  "roadmap-posts", "changelog", "help-articles", "help-collections", "help-categories", "help-redirects", "people",
  "companies", "posts", "webhooks", "deliveries", "events", "audit", "boards", "statuses", "categories", "tags", "labels",
  "roadmap-boards", "settings",
];

// The most bytes of its pages.
const MOST_OF_DASHBOARD = 150 * 1024;

test("axe finds nothing on any page of the dashboard", { timeout: 600_000 }, async () => {
  await within(browser, {}, async (tab) => {
    await tab.join(address("axe"), "owner");
    const first = async (kind) => (await all(kind))[0].id;
    const posts = await all("feedback-posts");
    const [post, other] = posts;
    const commented = posts.find(({ comment_count }) => comment_count > 0);
    const { items: [said] } = await call("/comments/list", { feedback_post_id: commented.id });
    const pages = [
      "", `?post=${post.id}`, "?sort=votes", "/insights?span=years", "/help", `/help-articles/${await first("help-articles")}/versions?version=1`, "/moderation", "/roadmap", "/members", "/organization", "/sign-in", "/keys", "/keys?ask=rotate", "/data", "/people/import",
      `/posts/${post.id}`, `/tags/${await first("tags")}`, `/boards/${await first("feedback-boards")}`,
      `/people/${post.author_id}`, `/changelog/${await first("changelog")}`,
      `/help-articles/${await first("help-articles")}`, `/roadmap-posts/${await first("roadmap-posts")}`,
      `/companies/${await first("companies")}`, `/comments/${said.id}`,
      `/posts?undo=${post.id}&done=saved`, `/do/changelog/publish?entry_id=${await first("changelog")}`,
      `/do/tags/create`, `/do/webhooks/create`,
      `/do/feedback-boards/reorder`, `/do/feedback-posts/merge?merge_post_id=${post.id}&into_post_id=${other.id}`,
      `/do/feedback-posts/delete?post_id=${post.id}`, ...LISTS.map((list) => `/${list}`),
    ];
    for (const page of pages) {
      const answer = await tab.open(`/dashboard${page}`);
      assert.equal(answer.status(), 200, page);
      assert.deepEqual(await judge(tab), [], page);
      assert((await weight(tab)) <= MOST_OF_DASHBOARD, page);
    }
    await tab.page.context().addCookies([{ name: "hearback-language", value: "ar", url: URL }]);
    for (const page of ["", `/posts/${post.id}`, "/members", "/sign-in", "/people/import", "/do/tags/create", "/audit"]) {
      await tab.open(`/dashboard${page}`);
      assert.equal(await tab.page.locator("html").getAttribute("dir"), "rtl");
      assert.deepEqual(await judge(tab), [], page);
    }
    // The languages with the longest words.
    await tab.page.setViewportSize({ width: 320, height: 640 });
    const wide = [];
    for (const language of ["de", "fr"]) {
      await tab.page.context().addCookies([{ name: "hearback-language", value: language, url: URL }]);
      for (const page of pages) {
        await tab.open(`/dashboard${page}`);
        const overflow = await tab.overflow();
        if (overflow > 0) {
          wide.push(`${language}: ${page}: ${overflow} px`);
        }
      }
    }
    assert.deepEqual(wide, []);
  });
});

test("at twice the size, nothing sticks out", () =>
  within(browser, { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }, async (tab) => {
    const found = [];
    await enter(tab);
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
    await enter(tab);
    for (const language of ["en", "de", "fr", "es", "pt-BR", "ja", "zh-Hans", "ar"]) {
      await tab.page.context().addCookies([{ name: "hearback-language", value: language, url: URL }]);
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
