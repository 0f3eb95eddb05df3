// The portal by the keyboard alone, with scripts and without: no mouse, and the focus is seen at each
// step.

"use strict";

const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { address, found, launch, mailTo, within } = require("./support.js");

const { base, board, post, all, call, comment } = found("Keyboard");
// The most steps to what one looks for.
const MOST = 80;

let browser, ideas;
before(async () => {
  browser = await launch();
  ideas = await board("Keyboard ideas");
  const [planned] = (await all("statuses")).filter(({ code }) => code === "planned");
  const { id } = await post(ideas, "A kettle that sings", { status_id: planned.id });
  await comment(id, "In tune, please.");
  await post(ideas, "A lamp");
  const shelf = await call("/help-collections/create", { name: "Shelf" });
  await call("/help-articles/create", { collection_id: shelf.id, title: "How to boil water", status_code: "published" });
});
after(() => browser.close());

// The element with the focus: its role, its name, and whether it is seen to have the focus.
const focused = (tab) => tab.page.evaluate(() => {
  const at = document.activeElement;
  const box = at.getBoundingClientRect();
  const style = getComputedStyle(at);
  const name = at.getAttribute("aria-label") ?? (at.labels?.length ? [...at.labels].map((label) => label.textContent).join(" ") : at.textContent);
  return {
    role: at.localName,
    name: name.trim().replace(/\s+/g, " ").replace(/[\u2068\u2069]/g, ""),
    isSeen: box.width > 0 && box.bottom > 0 && box.top < innerHeight && style.outlineStyle !== "none",
  };
});

// Goes forward until an element of this role and name has the focus.
async function reach(tab, role, name) {
  const seen = [];
  let at = await focused(tab);
  while (at.role !== role || !(typeof name === "string" ? at.name === name : name.test(at.name))) {
    assert(seen.length < MOST, `no ${role} ${name} in ${seen.join(", ")}`);
    await tab.page.keyboard.press("Tab");
    at = await focused(tab);
    for (let tries = 0; tries < 20 && !at.isSeen && at.role !== "body"; tries++) {
      // The page scrolls to it, or still loads its styles.
      await tab.page.evaluate(() => new Promise(requestAnimationFrame));
      at = await focused(tab);
    }
    assert(at.isSeen || at.role === "body", `the focus is seen: ${at.role} ${at.name}`);
    seen.push(`${at.role} ${at.name}`);
  }
}

// Presses a key that leads to another page.
async function go(tab, key = "Enter") {
  await Promise.all([tab.page.waitForEvent("framenavigated"), tab.page.keyboard.press(key)]);
  await tab.page.waitForLoadState("load");
}

// Types into a field.
async function type(tab, role, name, text) {
  await reach(tab, role, name);
  await tab.page.keyboard.type(text);
}

async function open(tab, name) {
  await reach(tab, "a", name);
  await go(tab);
}

async function send(tab, name, key) {
  await reach(tab, "button", name);
  await go(tab, key);
}

// Who comes from the first page signs in by the code of a mail.
async function signIn(tab, email) {
  await tab.open("/");
  await open(tab, "Sign in");
  await type(tab, "input", "Email address", email);
  await go(tab);
  const { code } = await mailTo(email, 0);
  await type(tab, "input", "Code", code);
  await go(tab);
  assert.equal(await tab.notice(), "You are signed in.");
}

function journey(name, run) {
  for (const javaScriptEnabled of [true, false]) {
    test(`${name}, ${javaScriptEnabled ? "with" : "without"} scripts`, () =>
      within(browser, { base, javaScriptEnabled }, (tab) => run(tab, javaScriptEnabled)));
  }
}

journey("by the keyboard one signs in, posts, comments, replies, votes and deletes", async (tab, scripts) => {
  await signIn(tab, address("typist"));
  assert.equal(tab.path().split("?")[0], "/");

  await open(tab, "Share an idea");
  await open(tab, "Keyboard ideas");
  const title = `Typed ${scripts}`;
  await type(tab, "input", "Title", title);
  await type(tab, "textarea", "Details", "Without a *mouse*.");
  if (scripts) {
    await reach(tab, "button", "Preview");
    await tab.page.keyboard.press("Space");
    await tab.page.locator(".preview em").waitFor();
    // The way back is where one was.
    assert.equal((await focused(tab)).name, "Write");
    await tab.page.keyboard.press("Space");
    assert.equal((await focused(tab)).name, "Details");
  }
  await send(tab, "Post the idea", "Space");
  assert.equal(await tab.heading(), title);

  await type(tab, "textarea", "Add a comment", "A first comment");
  await send(tab, "Comment");
  assert.equal(await tab.notice(), "Your comment is posted.");
  await open(tab, "Reply");
  await type(tab, "textarea", "Reply", "And a reply");
  await send(tab, "Reply");
  assert.equal(await tab.notice(), "Your comment is posted.");
  assert.equal(await tab.words(".replies .prose"), "And a reply");

  // One's own post has one's vote from the start.
  await tab.open(tab.path().split("?")[0]);
  await reach(tab, "button", /^Vote for/);
  for (const [key, pressed] of [["Enter", false], ["Space", true]]) {
    await tab.page.keyboard.press(key);
    await tab.page.locator(`main .vote[aria-pressed=${pressed}]`).first().waitFor();
    if (!scripts) {
      await tab.page.waitForLoadState("load");
    }
    await reach(tab, "button", /^Vote for/);
  }

  await open(tab, "Delete");
  await send(tab, "Delete");
  assert.equal(await tab.notice(), "Deleted.");
  assert.equal(await tab.page.locator(".comment").count(), 1);

  // The account: a name, and the way out.
  await open(tab, /typist/);
  await reach(tab, "input", "Name");
  await tab.page.keyboard.press("Control+a");
  await tab.page.keyboard.type("Tilda Typist");
  await go(tab);
  assert.equal(await tab.notice(), "Saved.");
  await send(tab, "Sign out");
  assert.equal(await tab.notice(), "You are signed out.");
});

journey("by the keyboard one filters, searches, chooses a language and answers an article", async (tab) => {
  await tab.open(`/b/${ideas.slug}`);
  await open(tab, "New");
  await open(tab, "Planned");
  assert.equal(tab.path(), `/b/${ideas.slug}?sort=new&status=planned`);
  assert.deepEqual(await tab.page.locator("main h3").allInnerTexts(), ["A kettle that sings"]);
  await type(tab, "input", "Search ideas", "lamp");
  await go(tab);
  assert.equal(await tab.words("main .empty h2"), "Nothing found");
  await open(tab, "Show everything");

  await open(tab, "Search");
  await type(tab, "input", "Search ideas and articles", "water");
  await go(tab);
  await open(tab, "How to boil water");
  await send(tab, "Yes");
  assert.equal(await tab.notice(), "Thank you for the answer.");

  await reach(tab, "select", "Language");
  await tab.page.keyboard.type("Deutsch");
  await send(tab, "Choose");
  assert.equal(await tab.page.locator("html").getAttribute("lang"), "de");
});

journey("by the keyboard one skips what is the same on every page, and hears of faults first", async (tab) => {
  await tab.open("/");
  await reach(tab, "a", "Skip to content");
  await tab.page.keyboard.press("Enter");
  assert.equal(await tab.page.evaluate(() => document.activeElement.id), "main");
  await open(tab, "Share an idea");
  await type(tab, "input", "Title", " ");
  await send(tab, "Post the idea");
  await tab.page.getByRole("alert").waitFor();
  // The words of a fault lead to its field.
  await open(tab, /Write a title/);
  assert.match(tab.page.url(), /#title$/);
});
