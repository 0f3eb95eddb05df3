// The dashboard in a browser: its pages judged by axe, a week of a product manager with scripts and
// without, and the keys of the inbox.

"use strict";

const assert = require("node:assert/strict");
const { after, before, describe, test } = require("node:test");
const { address, all, found, judge, launch, weight, within } = require("./support.js");

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

// The lists of records.
const LISTS = [
  "roadmap-posts", "changelog", "help-articles", "help-collections", "help-categories", "help-redirects", "people",
  "companies", "posts", "webhooks", "deliveries", "events", "audit", "boards", "statuses", "categories", "tags", "labels",
  "roadmap-boards", "settings",
];

// The most bytes of a page with its files, before compression.
const MOST = 150 * 1024;

test("axe finds nothing on any page of the dashboard", { timeout: 600_000 }, async () => {
  await within(browser, {}, async (tab) => {
    await tab.join(address("axe"), "owner");
    const first = async (kind) => (await all(kind))[0].id;
    const [post, other] = await all("feedback-posts");
    const pages = [
      "", `?post=${post.id}`, "?sort=votes", "/insights?span=years", "/help", `/help-articles/${await first("help-articles")}/versions?version=1`, "/moderation", "/roadmap", "/members", "/organization", "/keys", "/keys?ask=rotate",
      `/posts/${post.id}`, `/tags/${await first("tags")}`, `/boards/${await first("feedback-boards")}`,
      `/people/${post.author_id}`, `/changelog/${await first("changelog")}`,
      `/help-articles/${await first("help-articles")}`, `/do/tags/create`, `/do/webhooks/create`,
      `/do/feedback-boards/reorder`, `/do/feedback-posts/merge?merge_post_id=${post.id}&into_post_id=${other.id}`,
      `/do/feedback-posts/delete?post_id=${post.id}`, ...LISTS.map((list) => `/${list}`),
    ];
    for (const page of pages) {
      const answer = await tab.open(`/dashboard${page}`);
      assert.equal(answer.status(), 200, page);
      assert.deepEqual(await judge(tab), [], page);
      assert((await weight(tab)) <= MOST, page);
    }
  });
});

for (const javaScriptEnabled of [true, false]) {
  describe(javaScriptEnabled ? "with scripts" : "without scripts", () => {
    const inside = (made, run) => within(browser, { base: made.base, javaScriptEnabled }, run);

    test("a post is triaged, planned and merged, and the merge is undone", async () => {
      const made = found("Week");
      const board = await made.board("Ideas");
      const [first, second] = [await made.post(board, "Dark mode"), await made.post(board, "Night theme")];
      await inside(made, async (tab) => {
        await tab.join(address("pm"), "owner", made.invite(address("pm"), "owner"));
        await tab.open("/dashboard");
        await tab.go(tab.link("Dark mode"));
        assert.equal(await tab.words(".work h1"), "Dark mode");
        // A status with a note.
        await tab.page.locator("#status-status_id").selectOption({ label: "Planned" });
        await tab.page.getByLabel("Note for the voters").fill("We begin in May.");
        await tab.go(tab.page.locator("#status-form").getByRole("button", { name: "Save" }));
        assert.equal(await tab.notice(), "Saved.");
        assert.match(await tab.words(".rows .here"), /Planned/);
        // A note that nobody outside of the team sees.
        await tab.page.getByLabel("Internal note").fill("Ask Tom.");
        await tab.go(tab.button("Add the note"));
        assert.match(await tab.words(".comment.internal"), /Ask Tom\./);
        // The merge shows what it does, and is undone.
        await tab.go(tab.page.locator(".work .acts-list").getByRole("link", { name: "Merge" }));
        await tab.page.getByRole("searchbox").fill("night");
        await tab.go(tab.button("Find"));
        await tab.page.getByLabel("Into the post").first().selectOption({ label: "Night theme" });
        await tab.go(tab.button("Merge"));
        assert.match(await tab.words("main"), /This will change:/);
        await tab.go(tab.button("Merge"));
        assert.equal((await made.call("/feedback-posts/retrieve", { id: first.id })).merged_into_id, second.id);
        await tab.open(`/dashboard/posts/${first.id}`);
        await tab.go(tab.link("Undo the merge"));
        await tab.go(tab.button("Undo the merge"));
        if ((await made.call("/feedback-posts/retrieve", { id: first.id })).merged_into_id) {
          await tab.go(tab.button("Undo the merge"));
        }
        assert.equal((await made.call("/feedback-posts/retrieve", { id: first.id })).merged_into_id, null);
      });
    });

    test("a plan is moved, an entry published, a colleague invited", async () => {
      const made = found("Ship");
      const roadmap = await made.make("roadmap-boards", { name: "Product" });
      const plan = await made.make("roadmap-posts", { roadmap_board_id: roadmap.id, title: "Dark mode" });
      const statuses = await made.all("statuses");
      const planned = statuses.find(({ name }) => name === "Planned") ?? statuses[1];
      await inside(made, async (tab) => {
        await tab.join(address("pm"), "owner", made.invite(address("pm"), "owner"));
        await tab.open("/dashboard/roadmap");
        await tab.page.locator(".plan select").first().selectOption(planned.id);
        await tab.go(tab.button("Move").first());
        assert.equal((await made.call("/roadmap-posts/retrieve", { id: plan.id })).status_id, planned.id);

        await tab.open("/dashboard/changelog");
        await tab.go(tab.link("New").first());
        await tab.page.getByLabel("Title").fill("Dark mode is here");
        await tab.page.getByLabel("Text").fill("**Easy** on the eyes.");
        await tab.go(tab.button("Save"));
        await tab.go(tab.link("Publish"));
        await tab.go(tab.button("Publish"));
        const { items } = await made.call("/changelog/list");
        assert.deepEqual(items.map(({ title, status_code }) => [title, status_code]), [["Dark mode is here", "published"]]);

        await tab.open("/dashboard/members");
        const colleague = address("bob");
        await tab.page.getByLabel("Mail address").fill(colleague);
        await tab.page.locator("#role").selectOption("viewer");
        await tab.go(tab.button("Invite somebody"));
        assert.match(await tab.words("main"), /The invitation is on its way/);
        assert.match(await tab.words("main"), new RegExp(colleague.replaceAll(".", "\\.")));
      });
    });
  });
}

test("the keys of the inbox choose, open and change a post", async () => {
  const made = found("Keys");
  const board = await made.board("Ideas");
  for (const title of ["First", "Second", "Third"]) {
    await made.post(board, title);
  }
  await within(browser, { base: made.base }, async (tab) => {
    const { page } = tab;
    await tab.join(address("pm"), "owner", made.invite(address("pm"), "owner"));
    await tab.open("/dashboard");
    const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    assert.equal(await focused(), "Second");
    await page.keyboard.press("x");
    assert.equal(await page.locator("input[name=post_ids]:checked").count(), 1);
    await page.keyboard.press("k");
    assert.equal(await focused(), "Third");
    await Promise.all([page.waitForEvent("framenavigated"), page.keyboard.press("Enter")]);
    await page.waitForLoadState("load");
    assert.equal(await tab.words(".work h1"), "Third");
    await page.keyboard.press("s");
    assert.equal(await page.evaluate(() => document.activeElement.id), "status-status_id");
    await page.keyboard.press("Escape");
    await page.locator("main").focus();
    await page.keyboard.press("?");
    assert.equal(await page.locator("dialog[open]").count(), 1);
    assert.deepEqual((await judge(tab)).filter((text) => !text.includes("region")), []);
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "search");
    // A key that is typed into a field is a letter.
    await page.keyboard.type("jk");
    assert.equal(await page.locator("#search").inputValue(), "jk");
  });
});

test("a plan is dragged to another column", async () => {
  const made = found("Drag");
  const roadmap = await made.make("roadmap-boards", { name: "Product" });
  const plan = await made.make("roadmap-posts", { roadmap_board_id: roadmap.id, title: "Dark mode" });
  await within(browser, { base: made.base }, async (tab) => {
    await tab.join(address("pm"), "owner", made.invite(address("pm"), "owner"));
    await tab.open("/dashboard/roadmap");
    const column = tab.page.locator(".column:not(:has(.plan))").first();
    const status = await column.getAttribute("data-status");
    await Promise.all([tab.page.waitForEvent("framenavigated"), tab.page.locator(".plan").dragTo(column)]);
    await tab.page.waitForLoadState("load");
    assert.equal((await made.call("/roadmap-posts/retrieve", { id: plan.id })).status_id, status);
  });
});

test("the list of the inbox follows what others do, and keeps choice and focus", async () => {
  const made = found("Live");
  const board = await made.board("Ideas");
  const first = await made.post(board, "First");
  await made.post(board, "Second");
  await within(browser, { base: made.base }, async (tab) => {
    const { page } = tab;
    await tab.join(address("pm"), "owner", made.invite(address("pm"), "owner"));
    await page.clock.install();
    await tab.open("/dashboard");
    await page.locator(`input[name=post_ids][value="${first.id}"]`).check();
    await tab.link("First").first().focus();
    await made.post(board, "Third");
    const pause = Number(await page.locator("[data-refresh]").getAttribute("data-refresh"));
    await page.clock.runFor(pause + 1);
    await page.locator(".rows .open", { hasText: "Third" }).waitFor();
    assert.deepEqual(await page.locator(".rows .open").allTextContents(), ["Third", "Second", "First"]);
    const chosen = await page.locator("input[name=post_ids]:checked").evaluateAll((all) => all.map((it) => it.value));
    assert.deepEqual(chosen, [first.id]);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "First");
  });
});
