// What people do in the portal, in a real browser, with scripts and without.

"use strict";

const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { Tab, URL, address, all, board, comment, launch, make, open, post, within } = require("./support.js");

let browser, ideas;
before(async () => {
  browser = await launch();
  ideas = await board("Journeys");
});
after(() => browser.close());

// A test with scripts and without: every page reads, and every form works, both ways.
function journey(name, run) {
  for (const scripts of [true, false]) {
    test(`${name}, ${scripts ? "with" : "without"} scripts`, () =>
      within(browser, { javaScriptEnabled: scripts }, (tab, another) => run(tab, { scripts, another })));
  }
}

// A test of what scripts add.
const comfort = (name, run, options = {}) => test(name, () => within(browser, options, run));

// Runs in a second browser, in which the same person may be somebody else.
async function elsewhere(run) {
  const context = await open(browser);
  try {
    await run(new Tab(await context.newPage()));
  } finally {
    await context.close();
  }
}

const rows = (tab) => tab.page.locator("main ul.posts > li");
const vote = (tab) => tab.page.locator("main .vote").first();
const sent = (tab) => tab.page.getByRole("main").getByRole("button", { name: "Sign in" });
const count = async (button) => Number((await button.locator("[aria-hidden=true]").last().innerText()).replaceAll(",", ""));
const refused = (status, name) => `Failed to load resource: the server responded with a status of ${status} (${name})`;

journey("posts are sorted, filtered and searched, and the list goes on", async (tab) => {
  await tab.open("/");
  assert.equal(await tab.heading(), "What should we build next?");
  const numbers = await rows(tab).locator(".vote [aria-hidden=true]:not(svg)").allInnerTexts();
  const votes = numbers.map((number) => Number(number.replaceAll(",", "")));
  assert(votes.length > 10);
  assert.deepEqual(votes, [...votes].sort((a, b) => b - a));

  const order = (name) => tab.page.getByRole("navigation", { name: "Order" }).getByRole("link", { name, exact: true });
  await tab.go(order("New"));
  assert.equal(await order("New").getAttribute("aria-current"), "true");
  const times = await rows(tab).locator("time").evaluateAll((all) => all.map((time) => time.dateTime));
  assert.deepEqual(times, [...times].sort().reverse());
  await tab.go(order("Trending"));
  assert.equal(await order("Trending").getAttribute("aria-current"), "true");

  const statuses = tab.page.getByRole("navigation", { name: "Status" });
  await tab.go(statuses.getByRole("link", { name: "Planned", exact: true }));
  const shown = await rows(tab).locator(".status").allInnerTexts();
  assert(shown.length > 0 && shown.every((status) => status === "Planned"), String(shown));
  assert.equal(tab.path(), "/?sort=trending&status=planned");

  // A search keeps order and filter.
  const search = tab.page.getByRole("main").getByRole("searchbox");
  await search.fill("week");
  await search.press("Enter");
  await tab.page.waitForURL(/q=week/);
  assert.equal(tab.path(), "/?sort=trending&status=planned&q=week");
  for (const row of await rows(tab).all()) {
    assert.equal(await row.locator(".status").innerText(), "Planned");
  }
  await search.fill("xyzzy plugh");
  await search.press("Enter");
  await tab.page.getByRole("heading", { name: "Nothing found" }).waitFor();
  await tab.go(tab.link("Show everything"));
  assert.equal(tab.path(), "/");

  const links = () => rows(tab).locator("h3 a").evaluateAll((all) => all.map((link) => link.href));
  const first = await links();
  await tab.go(tab.link("Show more"));
  const second = await links();
  assert(second.length > 0 && second.every((link) => !first.includes(link)));

  const boards = tab.page.getByRole("navigation", { name: "Boards" });
  await tab.go(boards.getByRole("link", { name: "Mobile Apps" }));
  assert.equal(await tab.heading(), "Mobile Apps");
});

journey("who wants to vote signs in by the code, and is back at the post", async (tab) => {
  const { slug } = await post(ideas, "A bell that can be heard outside");
  await tab.open(`/b/${ideas.slug}`);
  await tab.go(tab.link("A bell that can be heard outside").first());
  await tab.open(`/p/${slug}`);
  await tab.go(vote(tab));
  assert.equal(await tab.heading(), "Sign in to Weekwright");

  const email = address("coder");
  const { code, subject } = await tab.ask(email);
  assert.match(subject, /^Sign in to .*Weekwright/);
  assert.equal(await tab.heading(), "Look into your mail");
  const field = tab.page.getByLabel("Code");
  await field.fill(code === "000000" ? "111111" : "000000");
  await tab.go(sent(tab));
  assert.equal(await tab.alert(), "This is not the code. You have 4 more tries.");
  // People copy spaces, too.
  await field.fill(` ${code.slice(0, 3)} ${code.slice(3)} `);
  await tab.go(sent(tab));
  assert.equal(tab.path(), `/p/${slug}?done=signed-in`);
  assert.equal(await tab.notice(), "You are signed in.");
  assert.equal(await vote(tab).getAttribute("aria-pressed"), "false");
});

journey("a link signs in where it is opened, at the press of the button", async (tab) => {
  await tab.open("/sign-in?return_to=/roadmap");
  const { link, code } = await tab.ask(address("linker"));
  await elsewhere(async (other) => {
    // A program that scans mails follows the link, more than once.
    for (let opened = 0; opened < 2; opened++) {
      await other.open(link);
      assert.match(await other.heading(), /^Sign in to/);
    }
    const scanned = await other.page.context().newPage();
    await scanned.goto(`${URL}/account`);
    assert.match(scanned.url(), /\/sign-in\?return_to=%2Faccount$/);
    await scanned.close();

    await other.go(sent(other));
    assert.equal(other.path(), "/roadmap?done=signed-in");
    await other.open("/account");
    assert.equal(await other.heading(), "Your account");
    await elsewhere(async (third) => {
      await third.open(link);
      await third.go(sent(third));
      assert.match(await third.alert(), /This link was used already/);
    });
    assert.deepEqual(other.complaints, []);
  });
  // The first window is as it was, and the code went with the link.
  await tab.page.getByLabel("Code").fill(code);
  await tab.go(sent(tab));
  assert.match(await tab.alert(), /The code is not good any more/);
});

journey("a vote is cast and withdrawn, and counts at once and behind a reload", async (tab, { scripts }) => {
  const { slug } = await post(ideas, `A vote ${scripts}`);
  await tab.signIn(address("voter"));
  await tab.open(`/b/${ideas.slug}?sort=new`);
  const row = rows(tab).filter({ hasText: `A vote ${scripts}` });
  const button = row.getByRole("button", { name: "Vote for" });
  assert.deepEqual([await button.getAttribute("aria-pressed"), await count(button)], ["false", 0]);
  for (const [pressed, votes] of [["true", 1], ["false", 0], ["true", 1]]) {
    const before = tab.requests.length;
    await button.click();
    await row.locator(`.vote[aria-pressed=${pressed}]`).waitFor();
    assert.equal(await count(button), votes);
    if (scripts) {
      // One request, and no other page.
      assert.deepEqual(tab.requests.slice(before), [`${URL}/p/${slug}/vote`]);
      await tab.page.locator("#live", { hasText: new RegExp(`${votes}\u2069? vote`) }).waitFor({ state: "attached" });
      assert(await button.evaluate((button) => button === document.activeElement));
    }
    assert.equal(tab.path(), `/b/${ideas.slug}?sort=new`);
    await tab.page.reload();
    assert.deepEqual([await button.getAttribute("aria-pressed"), await count(button)], [pressed, votes]);
  }
  // The voter hears of the status.
  await tab.open(`/p/${slug}`);
  assert.equal(await tab.button("Status only").getAttribute("aria-pressed"), "true");
  assert.equal(await tab.words("aside h2 >> nth=0"), "1 person wants this");
});

journey("an idea with faults keeps all that was written, and then is posted", async (tab, { scripts }) => {
  const [category] = await all("categories");
  await tab.signIn(address("writer"));
  await tab.open(`/b/${ideas.slug}`);
  await tab.go(tab.link("Share an idea").first());
  assert.equal(await tab.heading(), "Share an idea");
  const title = tab.page.getByLabel("Title");
  const text = tab.page.getByLabel("Details");
  await title.fill("   ");
  await text.fill("First line\n\n**Second** <b>line</b> & ünïcödé 🎈");
  await tab.page.getByLabel("Category").selectOption(category.id);
  const submit = () => tab.go(tab.button("Post the idea"));
  await submit();
  const keeps = async () => {
    assert.equal(await text.inputValue(), "First line\n\n**Second** <b>line</b> & ünïcödé 🎈");
    assert.equal(await tab.page.getByLabel("Category").inputValue(), category.id);
    assert.equal(await title.getAttribute("aria-invalid"), "true");
  };
  const fault = async () => {
    assert.equal(await title.getAttribute("aria-describedby"), "title-hint title-fault");
    return tab.words("#title-fault");
  };
  assert.equal(await fault(), "Write a title.");
  assert.equal(await tab.page.getByRole("alert").getByRole("link").getAttribute("href"), "#title");
  await keeps();
  if (scripts) {
    assert(await tab.page.locator("[data-focus]").evaluate((faults) => faults === document.activeElement));
  }

  // A program that does not keep to the field's limit.
  const long = "ä".repeat(513);
  await title.evaluate((field) => field.removeAttribute("maxlength"));
  await title.fill(long);
  await submit();
  assert.equal(await fault(), "This is too long: at most 512 characters fit.");
  assert.equal(await title.inputValue(), long);
  await keeps();

  await title.fill(`  A sharper pencil ${scripts} `);
  await submit();
  assert.equal(await tab.notice(), "Your idea is posted. You get a mail when its status changes.");
  assert.equal(await tab.heading(), `A sharper pencil ${scripts}`);
  assert.equal(await tab.page.locator(".prose strong").innerText(), "Second");
  assert.equal(await vote(tab).getAttribute("aria-pressed"), "true");
  assert.equal(await tab.button("Everything").getAttribute("aria-pressed"), "true");

  // The author edits and deletes it.
  await tab.go(tab.page.locator(".acts").getByRole("link", { name: "Edit" }));
  await title.fill(`A much sharper pencil ${scripts}`);
  await tab.go(tab.button("Save"));
  assert.equal(await tab.heading(), `A much sharper pencil ${scripts}`);
  await tab.go(tab.page.locator(".acts").getByRole("link", { name: "Delete" }));
  assert.equal(await tab.heading(), "Delete this idea?");
  const deleted = tab.page.url().replace(/\/delete$/, "");
  await tab.go(tab.button("Delete"));
  assert.equal(await tab.notice(), "Deleted.");
  assert.equal(tab.path(), `/b/${ideas.slug}?done=deleted`);
  assert.equal((await fetch(deleted)).status, 404);
});

journey("an idea that was begun signed out is there behind the sign-in", async (tab, { scripts }) => {
  await tab.open(`/b/${ideas.slug}/new`);
  const words = `Umbrella ${scripts} "for" <two>`;
  await tab.page.getByLabel("Title").fill(words);
  await tab.page.getByLabel("Details").fill("It rains\n\n* often\n* hard");
  await tab.go(tab.button("Post the idea"));
  assert.match(await tab.heading(), /^Sign in to/);
  assert.equal(await tab.page.locator(".lead").innerText(), "Sign in to send what you wrote. It is kept meanwhile.");

  // A wrong address, a wrong code, and the right one: the draft stays.
  await tab.page.locator("form:has(#email)").evaluate((form) => (form.noValidate = true));
  await tab.page.getByLabel("Email address").fill("nobody");
  await tab.go(tab.button("Send me the mail"));
  assert.match(await tab.alert(), /This is no email address/);
  const { code } = await tab.ask(address("drafter"));
  await tab.page.getByLabel("Code").fill("12");
  await tab.go(sent(tab));
  await tab.page.getByLabel("Code").fill(code);
  await tab.go(sent(tab));
  assert.equal(await tab.notice(), "You are signed in.");
  assert.equal(await tab.page.getByLabel("Title").inputValue(), words);
  assert.equal(await tab.page.getByLabel("Details").inputValue(), "It rains\n\n* often\n* hard");
  await tab.go(tab.button("Post the idea"));
  assert.equal(await tab.heading(), words);
  assert.equal(await tab.page.locator(".prose li").count(), 2);
  if (scripts) {
    // The draft went when it was sent.
    await tab.open(`/b/${ideas.slug}/new`);
    assert.equal(await tab.page.getByLabel("Title").inputValue(), "");
  }
});

journey("each fault of the account and of a sign-in stands at its field, and nothing typed is lost", async (tab) => {
  // Forms of programs that do not check what browsers check.
  const send = async (name) => {
    await tab.page.evaluate(() => document.querySelectorAll("form").forEach((form) => (form.noValidate = true)));
    await tab.go(tab.page.getByRole("main").getByRole("button", { name, exact: true }).first());
  };
  const fault = async (id) => {
    const field = tab.page.locator(`#${id}`);
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    const [last] = (await field.getAttribute("aria-describedby")).split(" ").slice(-1);
    assert.equal(last, `${id}-fault`);
    assert.equal(await tab.page.locator(".faults a").getAttribute("href"), `#${id}`);
    return tab.words(`#${id}-fault`);
  };
  await tab.open("/sign-in");
  await tab.page.getByLabel("Email address").fill("nobody");
  await send("Send me the mail");
  assert.match(await fault("email"), /This is no email address/);
  assert.equal(await tab.page.getByLabel("Email address").inputValue(), "nobody");

  await tab.signIn(address("faulty"));
  await tab.open("/account");
  await tab.page.getByLabel("Name", { exact: true }).fill("   ");
  await tab.page.locator("#locale").selectOption("fr");
  await send("Save");
  assert.match(await fault("name"), /name/);
  assert.equal(await tab.page.locator("#locale").inputValue(), "fr");

  await tab.open("/account");
  await tab.page.locator("#email").fill("no address");
  await send("Change the address");
  assert.match(await fault("email"), /This is no email address/);
  assert.equal(await tab.page.locator("#email").inputValue(), "no address");
});

journey("comments are written, answered, edited and deleted", async (tab, { scripts }) => {
  const { id, slug } = await post(ideas, `A thread ${scripts}`);
  await tab.signIn(address("talker"));
  await tab.open(`/p/${slug}`);
  const comments = tab.page.locator(".comment");
  await tab.page.getByLabel("Add a comment").fill("   ");
  await tab.go(tab.button("Comment"));
  assert.equal(await tab.page.locator("#text-fault").innerText(), "Write something first.");

  await tab.page.getByLabel("Add a comment").fill("The **first** word");
  await tab.go(tab.button("Comment"));
  assert.equal(await tab.notice(), "Your comment is posted.");
  assert.equal(await comments.locator("strong").innerText(), "first");
  assert.equal(await tab.words("#comments-title"), "1 comment");
  assert.equal(await tab.page.getByLabel("Add a comment").inputValue(), "");

  await tab.go(comments.first().getByRole("link", { name: "Reply" }));
  await tab.page.getByLabel("Reply").fill("And an answer");
  await tab.go(tab.button("Reply"));
  assert.equal(await tab.page.locator(".replies .comment .prose").innerText(), "And an answer");

  const answer = tab.page.locator(".replies .comment");
  await tab.go(answer.getByRole("link", { name: "Edit" }));
  await tab.page.getByLabel("Add a comment").fill("And a better answer");
  await tab.go(tab.button("Save"));
  assert.equal(await answer.locator(".prose").innerText(), "And a better answer");

  await tab.go(answer.getByRole("link", { name: "Delete" }));
  assert.equal(await tab.heading(), "Delete this comment?");
  await tab.go(tab.button("Delete"));
  assert.equal(await comments.count(), 1);

  // Of others, one can change nothing.
  await comment(id, "Foreign");
  await tab.page.reload();
  const foreign = comments.filter({ hasText: "Foreign" });
  assert.deepEqual(await foreign.locator(".acts a").allInnerTexts(), ["Reply"]);
});

journey("one follows a post as one likes", async (tab, { scripts }) => {
  const { slug } = await post(ideas, `To follow ${scripts}`);
  await tab.signIn(address("follower"));
  await tab.open(`/p/${slug}`);
  for (const level of ["Everything", "Status only", "Nothing"]) {
    await tab.go(tab.button(level));
    assert.equal(await tab.notice(), "Saved.");
    const pressed = tab.page.locator(".choices button[aria-pressed=true]");
    assert.deepEqual(await pressed.allInnerTexts(), [level]);
  }
});

journey("the account has a name, a language and sessions", async (tab) => {
  const email = address("owner");
  await tab.signIn(email);
  await tab.open("/account");
  await tab.page.locator("#name").fill("  ");
  await tab.go(tab.page.locator("form:has(#name) button"));
  assert.match(await tab.alert(), /Write your name/);
  await tab.page.locator("#name").fill("Zoë Öztürk");
  await tab.page.locator("#locale").selectOption("de");
  await tab.go(tab.page.locator("form:has(#name) button"));
  assert.equal(await tab.page.locator("html").getAttribute("lang"), "de");
  assert.equal(await tab.page.locator(".me > span:last-child").innerText(), "Zoë Öztürk");
  await tab.page.locator("#locale").selectOption("");
  await tab.go(tab.page.locator("form:has(#name) button"));
  assert.equal(await tab.page.locator("html").getAttribute("lang"), "en");

  // A second browser, which the first one signs out; and a third with all others.
  for (const name of ["End", "End all others"]) {
    await elsewhere(async (other) => {
      await other.signIn(email);
      await tab.open("/account");
      assert.equal(await tab.page.locator(".sessions li").count(), 2);
      assert.equal(await tab.page.locator(".sessions li", { hasText: "this browser" }).count(), 1);
      await tab.go(tab.button(name));
      assert.equal(await tab.page.locator(".sessions li").count(), 1);
      await other.open("/account");
      assert.match(other.path(), /^\/sign-in\?/);
    });
  }
  await tab.open("/account");
  assert.equal(await tab.heading(), "Your account");
});

journey("one chooses mails, and marks notifications as read", async (tab) => {
  await tab.signIn(address("owner"));
  await tab.open("/account");
  await tab.page.locator("#posts-weekly").check();
  await tab.page.locator("#changelog").uncheck();
  await tab.go(tab.page.locator("form:has(#subscribed) button"));
  assert.equal(await tab.page.locator("#posts-weekly").isChecked(), true);
  assert.equal(await tab.page.locator("#changelog").isChecked(), false);
  await tab.go(tab.page.locator(".bell"));
  assert.equal(await tab.heading(), "Notifications");
  assert.match(await tab.page.locator("main").innerText(), /Nothing new/);
});

for (const traces of ["anonymize", "delete"]) {
  journey(`one reads all that is stored, and ends the account (${traces})`, async (tab, { scripts }) => {
    const { id, slug } = await post(ideas, `What stays ${traces} ${scripts}`);
    await comment(id, "Of another person");
    const email = address("ender");
    await tab.signIn(email);
    await tab.open(`/p/${slug}`);
    await tab.page.getByLabel("Add a comment").fill("Mine for a while");
    await tab.go(tab.button("Comment"));
    await tab.open("/account");
    const cookie = (await tab.page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const file = await fetch(`${URL}/account/export`, { headers: { cookie } });
    assert.match(file.headers.get("content-disposition"), /^attachment;/);
    const text = await file.text();
    JSON.parse(text);
    assert(text.includes(email) && text.includes("Mine for a while") && !text.includes("Of another person"));

    await tab.go(tab.link("Delete my account"));
    await tab.page.locator(`main [name=traces][value=${traces}]`).check();
    await tab.go(tab.page.locator("main form:has([name=traces]) button"));
    assert.equal(await tab.notice(), "Deleted.");
    await tab.open("/account");
    assert.match(tab.path(), /^\/sign-in\?/);
    await tab.open(`/p/${slug}`);
    const left = await tab.page.locator(".comment .prose").allInnerTexts();
    assert.deepEqual(left.sort(), traces === "delete" ? ["Of another person"] : ["Mine for a while", "Of another person"]);
    assert(!(await tab.page.content()).includes("ender."));
  });
}

journey("the help center is searched and read, and hears whether it helped", async (tab) => {
  await tab.open("/help");
  const search = tab.page.getByRole("main").getByRole("searchbox");
  await search.fill("repeating");
  await search.press("Enter");
  await tab.page.waitForURL(/q=repeating/);
  await tab.go(tab.page.locator(".hits").getByRole("link", { name: "repeating events" }).first());
  assert.match(await tab.heading(), /Repeating events/i);

  const contents = tab.page.getByRole("navigation", { name: "Contents" });
  const entry = contents.getByRole("link").last();
  await entry.click();
  const id = (await entry.getAttribute("href")).slice(1);
  assert.equal(await tab.page.evaluate(() => decodeURIComponent(location.hash.slice(1))), decodeURIComponent(id));
  assert(await tab.page.locator(`[id="${decodeURIComponent(id)}"]`).isVisible());

  const trail = tab.page.getByRole("navigation", { name: "You are here" });
  assert.equal(await trail.getByRole("link").count(), 3);
  await tab.go(tab.button("Yes"));
  assert.equal(await tab.notice(), "Thank you for the answer.");
  assert.match(await tab.heading(), /Repeating events/i);
  await tab.go(trail.getByRole("link").nth(1));
  assert.equal(await tab.heading(), "Calendars and events");
  await tab.open("/help?q=xyzzyplugh");
  assert.equal(await tab.page.getByRole("heading", { name: "Nothing found" }).count(), 1);
});

journey("a plan of the roadmap gets a vote", async (tab, { scripts }) => {
  const roadmap = (await all("roadmap-boards")).find(({ slug }) => slug === "platform");
  const status = (await all("statuses")).find(({ code }) => code === "planned");
  await make("roadmap-posts", { roadmap_board_id: roadmap.id, title: `A bridge ${scripts}`, status_id: status.id });
  await tab.signIn(address("planner"));
  await tab.open("/roadmap");
  await tab.go(tab.link(roadmap.name));
  const plan = tab.page.locator(".column li", { hasText: `A bridge ${scripts}` });
  const button = plan.getByRole("button");
  for (const [pressed, votes] of [["true", 1], ["false", 0]]) {
    const before = tab.requests.length;
    await button.click();
    await plan.locator(`.vote[aria-pressed=${pressed}]`).waitFor();
    assert.equal(await count(button), votes);
    if (scripts) {
      assert.deepEqual(tab.requests.slice(before).filter((url) => !url.endsWith(".svg")).map((url) => url.replace(/[0-9a-f-]{36}$/, "…")), [`${URL}/roadmap/vote/…`]);
    }
    await tab.page.reload();
    assert.equal(await button.getAttribute("aria-pressed"), pressed);
    assert.equal(tab.path(), "/roadmap/platform");
  }
});

journey("the changelog is filtered, read and followed", async (tab) => {
  await tab.open("/changelog");
  assert(await tab.page.locator("article.entry").count() > 3);
  await tab.go(tab.page.getByRole("navigation", { name: "Filter" }).getByRole("link", { name: "Fixed" }));
  const kinds = await tab.page.locator("article.entry .kind").allInnerTexts();
  assert(kinds.length > 0 && kinds.every((kind) => kind === "Fixed"), String(kinds));
  await tab.open("/changelog");
  const label = tab.page.getByRole("navigation", { name: "Labels" }).getByRole("link").nth(1);
  const name = await label.innerText();
  await tab.go(label);
  for (const entry of await tab.page.locator("article.entry").all()) {
    assert((await entry.locator(".tag").allInnerTexts()).includes(name));
  }
  const title = await tab.page.locator("article.entry h2").first().innerText();
  await tab.go(tab.page.locator("article.entry h2 a").first());
  assert.equal(await tab.heading(), title);

  await tab.signIn(address("reader"));
  await tab.open("/changelog");
  await tab.go(tab.button("Stop mails"));
  await tab.go(tab.button("Get mails"));
  assert.equal(await tab.button("Stop mails").count(), 1);
});

journey("the search finds ideas and articles", async (tab) => {
  await tab.open("/changelog");
  await tab.go(tab.page.getByRole("banner").getByRole("link", { name: "Search" }));
  const search = tab.page.getByRole("main").getByRole("searchbox");
  await search.fill("rota");
  await search.press("Enter");
  await tab.page.waitForURL(/q=rota/);
  assert(await tab.page.locator(".hits li").count() > 0);
  assert(await rows(tab).count() > 0);
});

journey("the language is chosen at the foot, and Arabic runs from right to left", async (tab) => {
  await tab.open("/b/calendar?sort=new");
  const choose = async (tag) => {
    await tab.page.getByRole("contentinfo").getByRole("combobox").selectOption(tag);
    await tab.go(tab.page.getByRole("contentinfo").getByRole("button"));
    assert.equal(await tab.page.locator("html").getAttribute("lang"), tag);
    assert.equal(tab.path(), "/b/calendar?sort=new");
  };
  await choose("de");
  assert.equal(await tab.page.getByRole("banner").getByRole("link", { name: "Anmelden" }).count(), 1);
  await choose("ar");
  assert.equal(await tab.page.locator("html").getAttribute("dir"), "rtl");
  const brand = await tab.page.locator(".brand").boundingBox();
  assert(brand.x > 640, "the name is on the right");
  assert.equal(await tab.overflow(), 0);
  await choose("en");
});

journey("who signs out is out", async (tab) => {
  await tab.signIn(address("leaver"));
  await tab.open("/account");
  await tab.go(tab.button("Sign out"));
  assert.equal(await tab.notice(), "You are signed out.");
  await tab.open("/account");
  assert.match(tab.path(), /^\/sign-in\?/);
});

journey("everything can be reached by the keyboard", async (tab, { scripts }) => {
  await post(ideas, `By keyboard ${scripts}`);
  await tab.signIn(address("typist"));
  await tab.open(`/b/${ideas.slug}?sort=new`);
  const focused = () => tab.page.evaluate(() => {
    const at = document.activeElement;
    const box = at.getBoundingClientRect();
    const style = getComputedStyle(at);
    const isSeen = box.width > 0 && box.bottom > 0 && box.top < innerHeight && (style.outlineStyle !== "none" || at.id === "main");
    return { text: at.textContent.trim().replace(/\s+/g, " "), isVote: at.matches("button.vote"), isSeen, id: at.id };
  });
  await tab.page.keyboard.press("Tab");
  const skip = await focused();
  assert.deepEqual([skip.text, skip.isSeen], ["Skip to content", true]);
  await tab.page.keyboard.press("Enter");
  assert.match(tab.page.url(), /#main$/);

  const find = async () => {
    for (let steps = 0; steps < 60; steps++) {
      await tab.page.keyboard.press("Tab");
      let at = await focused();
      for (let tries = 0; tries < 20 && !at.isSeen; tries++) {
        // The page scrolls to it, or still loads its styles.
        await new Promise((resume) => setTimeout(resume, 50));
        at = await focused();
      }
      assert(at.isSeen, `the focus can be seen: ${at.text}`);
      if (at.isVote && at.text.includes(`By keyboard ${scripts}`)) {
        return;
      }
    }
    assert.fail("no button to vote");
  };
  await find();
  const row = rows(tab).filter({ hasText: `By keyboard ${scripts}` });
  await tab.page.keyboard.press("Enter");
  await row.locator(".vote[aria-pressed=true]").waitFor();
  if (!scripts) {
    await tab.page.waitForLoadState("load");
    await find();
  }
  await tab.page.keyboard.press("Space");
  await row.locator(".vote[aria-pressed=false]").waitFor();
});

journey("what is not there says so, and leads on", async (tab) => {
  const answer = await tab.open("/p/nothing-of-this-name");
  assert.equal(answer.status(), 404);
  assert.equal(await tab.heading(), "There is nothing here");
  await tab.go(tab.link("Go to the first page"));
  assert.equal(tab.path(), "/");
  assert.deepEqual(tab.complaints.splice(0), [refused(404, "Not Found")]);
});

comfort("similar ideas appear while one writes, and take a vote", async (tab) => {
  await post(ideas, "Umbrella stand beside the door");
  await tab.signIn(address("similar"));
  await tab.open(`/b/${ideas.slug}/new`);
  assert.equal(await tab.page.locator("#similar li").count(), 0);
  await tab.page.getByLabel("Title").pressSequentially("umbrella stand", { delay: 20 });
  const found = tab.page.locator("#similar li", { hasText: "Umbrella stand beside the door" });
  await found.waitFor();
  await found.getByRole("button").click();
  await found.locator(".vote[aria-pressed=true]").waitFor();
  assert.equal(tab.path(), `/b/${ideas.slug}/new`);
  assert.equal(await tab.page.getByLabel("Title").inputValue(), "umbrella stand");
});

comfort("a vote for a similar idea that goes by the form leads back to the page", async (tab) => {
  await post(ideas, "Raincoat with a hood");
  await tab.signIn(address("raincoat"));
  await tab.open(`/b/${ideas.slug}/new`);
  await tab.page.getByLabel("Title").pressSequentially("raincoat", { delay: 20 });
  const found = tab.page.locator("#similar li", { hasText: "Raincoat with a hood" });
  await found.waitFor();
  await found.locator("form").evaluate((form) => (form.dataset.plain = "yes"));
  await tab.go(found.getByRole("button"));
  assert.equal(tab.path(), `/b/${ideas.slug}/new?title=raincoat`);
  assert.equal(await found.getByRole("button").getAttribute("aria-pressed"), "true");
});

comfort("a text is shown as it will look", async (tab) => {
  await tab.signIn(address("viewer"));
  await tab.open(`/b/${ideas.slug}/new`);
  await tab.page.getByLabel("Details").fill("**bold**\n\n<script>window.hacked = 1</script><img src=https://pictures.example/x.png onload='window.hacked = 1'>");
  await tab.button("Preview").click();
  await tab.page.locator(".preview strong", { hasText: "bold" }).waitFor();
  assert.equal(await tab.page.getByLabel("Details").isVisible(), false);
  await tab.button("Write").click();
  assert.match(await tab.page.getByLabel("Details").inputValue(), /^\*\*bold/);
  assert.equal(await tab.page.evaluate(() => window.hacked), undefined);
});

comfort("drafts survive a reload, and go when they were sent", async (tab) => {
  const { slug } = await post(ideas, "Drafts of comments");
  await tab.signIn(address("reloader"));
  await tab.open(`/b/${ideas.slug}/new`);
  await tab.page.getByLabel("Title").fill("Half a thought");
  await tab.page.getByLabel("Details").fill("and its rest");
  await tab.page.reload();
  assert.equal(await tab.page.getByLabel("Title").inputValue(), "Half a thought");
  assert.equal(await tab.page.getByLabel("Details").inputValue(), "and its rest");

  const field = tab.page.getByLabel("Add a comment");
  await tab.open(`/p/${slug}`);
  await field.fill("One");
  await tab.page.reload();
  assert.equal(await field.inputValue(), "One");
  await tab.go(tab.button("Comment"));
  assert.equal(await field.inputValue(), "");
  // The next draft is another one.
  await field.fill("Two");
  await tab.page.reload();
  assert.equal(await field.inputValue(), "Two");
});

comfort("the address of a post is copied by a button", async (tab) => {
  const { slug } = await post(ideas, "To be shared");
  await tab.open(`/p/${slug}`);
  await tab.button("Copy").click();
  await tab.button("Copied").waitFor();
  assert.equal(await tab.page.evaluate(() => navigator.clipboard.readText()), `${URL}/p/${slug}`);
}, { permissions: ["clipboard-read", "clipboard-write"] });

comfort("a slash leads to the search, unless one writes", async (tab) => {
  await tab.open("/");
  await tab.page.keyboard.press("/");
  const search = tab.page.getByRole("main").getByRole("searchbox");
  assert(await search.evaluate((field) => field === document.activeElement));
  await tab.page.keyboard.type("a/b");
  assert.equal(await search.inputValue(), "a/b");
});

comfort("a browser that keeps nothing for sites works all the same", async (tab) => {
  await tab.page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException("Access is denied for this document.", "SecurityError");
        },
      });
    }
  });
  const { slug } = await post(ideas, "Nothing is kept");
  await tab.signIn(address("nothing"));
  await tab.open(`/p/${slug}`);
  await tab.page.getByLabel("Add a comment").fill("Here");
  await tab.go(tab.button("Comment"));
  assert.equal(await tab.page.locator(".comment .prose").innerText(), "Here");
});

comfort("a vote that fails in the script goes by the form", async (tab) => {
  const { slug } = await post(ideas, "A vote by the form");
  await tab.signIn(address("former"));
  await tab.open(`/p/${slug}`);
  let failed = 0;
  await tab.page.route("**/vote", (route) => {
    if (route.request().headers()["x-fragment"]) {
      failed++;
      return route.fulfill({ status: 200, contentType: "text/html", body: "<p>odd</p>" });
    }
    return route.continue();
  });
  await tab.go(vote(tab));
  assert.equal(failed, 1);
  assert.equal(tab.path(), `/p/${slug}`);
  assert.equal(await vote(tab).getAttribute("aria-pressed"), "true");
});
