// Guests in a real browser, with scripts and without.

"use strict";

const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { URL, address, board, launch, mailTo, mailsTo, post, within } = require("./support.js");

let browser, open, mailed;
before(async () => {
  browser = await launch();
  open = await board("Guests alone", { guest_code: "anonymous" });
  mailed = await board("Guests by mail", { guest_code: "email" });
});
after(() => browser.close());

function journey(name, run) {
  for (const scripts of [true, false]) {
    test(`${name}, ${scripts ? "with" : "without"} scripts`, () =>
      within(browser, { javaScriptEnabled: scripts }, (tab, another) => run(tab, another)));
  }
}

const vote = (tab) => tab.page.locator("main .vote").first();
const pressed = async (tab, expected) => {
  await tab.page.locator(`main .vote[aria-pressed="${expected}"]`).first().waitFor();
};

journey("a guest votes, writes and edits without an account, and takes it along by signing in", async (tab) => {
  const { slug } = await post(open, `Guests vote ${Math.random()}`);
  await tab.open(`/p/${slug}`);
  await vote(tab).click();
  await pressed(tab, true);
  await tab.page.reload();
  await pressed(tab, true);

  await tab.page.getByLabel("Add a comment").fill("Written by a guest");
  await tab.go(tab.button("Comment"));
  assert.equal(await tab.notice(), "Your comment is posted.");
  const comment = tab.page.locator(".comment").filter({ hasText: "Written by a guest" });
  assert.match(await comment.innerText(), /^Guest$/m);
  await tab.go(comment.getByRole("link", { name: "Reply" }));
  await tab.page.getByLabel("Reply", { exact: true }).fill("A reply by a guest");
  await tab.go(tab.button("Reply"));
  assert.equal(await tab.notice(), "Your comment is posted.");

  await tab.open(`/b/${open.slug}/new`);
  const title = `By a guest ${Math.random()}`;
  await tab.page.getByLabel("Title").fill(title);
  await tab.go(tab.button("Post the idea"));
  assert.equal(await tab.notice(), "Your idea is posted. You get a mail when its status changes.");
  const path = tab.path().split("?")[0];
  await tab.go(tab.link("Edit").first());
  await tab.page.getByLabel("Details").fill("More about it");
  await tab.go(tab.button("Save"));
  assert.match(await tab.words("main .prose"), /More about it/);

  await tab.signIn(address("guest"));
  await tab.open(path);
  assert.equal(await tab.heading(), title);
  await tab.link("Edit").first().waitFor();
  assert.doesNotMatch(await tab.words("main .thread"), /^Guest$/m);
  assert.deepEqual((await tab.page.context().cookies()).filter(({ name }) => name.endsWith("-guest")), []);
});

journey("a guest posts and votes by mail, and it counts when the link is opened and its button pressed", async (tab, another) => {
  const email = address("by-mail");
  const title = `By mail ${Math.random()}`;
  await tab.open(`/b/${mailed.slug}/new`);
  await tab.page.getByLabel("Title").fill(title);
  await tab.page.getByLabel("Details").fill("Some details");
  await tab.page.getByLabel("Name").fill("Greta Guest");
  await tab.page.getByLabel("Email address").fill(email);
  const before = mailsTo(email).length;
  await tab.go(tab.button("Post the idea"));
  assert.equal(await tab.heading(), "Look into your mail");
  const { link, subject } = await mailTo(email, before);
  assert.equal(subject, "Confirm what you sent to Weekwright");

  const other = await another();
  await other.open(link);
  assert.equal(await other.heading(), "Is this from you?");
  assert.match(await other.words("main"), new RegExp(title));
  await other.go(other.button("Confirm"));
  assert.equal(await other.notice(), "Your idea is posted. You get a mail when its status changes.");
  assert.equal(await other.heading(), title);
  assert.match(await other.words("main .thread"), /Greta Guest/);
});

journey("a guest votes and follows by mail, from a page of its own", async (tab) => {
  const { slug } = await post(mailed, `Vote by mail ${Math.random()}`);
  for (const [open, words] of [
    [() => vote(tab), "Your vote counts."],
    [() => tab.link("Get mails"), "Saved."],
  ]) {
    await tab.page.context().clearCookies();
    await tab.open(`/p/${slug}`);
    await tab.go(open());
    await tab.page.getByLabel("Name").fill("Vera Voter");
    const { code } = await tab.ask(address("vote"));
    await tab.page.getByLabel("Code").fill(code);
    await tab.go(tab.button("Confirm"));
    assert.equal(await tab.notice(), words);
    assert.equal(tab.path().split("?")[0], `/p/${slug}`);
  }
});

test("a form that is faulty says what to do at each field, and keeps what was typed", () =>
  within(browser, { javaScriptEnabled: false }, async (tab) => {
    const { slug } = await post(mailed, `Faults ${Math.random()}`);
    await tab.open(`/p/${slug}`);
    await tab.page.getByLabel("Add a comment").fill("Kept");
    await tab.page.getByLabel("Name").fill("Kept, too");
    await tab.page.getByLabel("Email address").fill("no-address");
    // The browser itself would say so.
    await tab.page.locator("form.write").evaluate((form) => form.setAttribute("novalidate", ""));
    await tab.go(tab.button("Comment"));
    assert.match(await tab.alert(), /This is no email address/);
    assert.equal(await tab.page.getByLabel("Add a comment").inputValue(), "Kept");
    assert.equal(await tab.page.getByLabel("Name").inputValue(), "Kept, too");
    assert.equal(await tab.page.getByLabel("Email address").inputValue(), "no-address");

    // Nobody sees the trap, and nobody reaches it by keyboard.
    const trap = tab.page.getByLabel("Leave this field empty");
    const { width, height } = await trap.locator("xpath=ancestor::p").boundingBox();
    assert(width <= 1 && height <= 1);
    assert.equal(await trap.getAttribute("tabindex"), "-1");
    assert.equal(new globalThis.URL(tab.page.url()).origin, new globalThis.URL(URL).origin);
  }));
