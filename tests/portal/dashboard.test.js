// The dashboard in a browser: a week of a product manager, with scripts and without, and the keys of
// the inbox.

"use strict";

const assert = require("node:assert/strict");
const { randomUUID } = require("node:crypto");
const { after, before, describe, test } = require("node:test");
const { NEWS, address, found, judge, launch, listen, mailTo, within } = require("./support.js");

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

// Runs with a member of an organization's team.
const inside = (made, { email = address("pm"), role = "owner", ...options }, run) =>
  within(browser, { base: made.base, ...options }, async (tab) => {
    await tab.join(email, role, made.invite(email, role));
    await run(tab);
  });

// Opens a page until it says what the server does behind a change.
async function until(tab, path, words) {
  const end = Date.now() + 60_000;
  do {
    assert(Date.now() < end, `${path} never says ${words}`);
    await tab.open(path);
  } while (!words.test(await tab.words("main")));
}

// Drops a file on a text.
const drop = (area, { name, mimeType, buffer }) =>
  area.evaluate((area, [name, type, bytes]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(bytes)], name, { type }));
    area.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
  }, [name, mimeType, [...buffer]]);

for (const javaScriptEnabled of [true, false]) {
  describe(javaScriptEnabled ? "with scripts" : "without scripts", () => {
    test("a post is triaged, planned and merged, and the merge is undone", async () => {
      const made = found("Week");
      const board = await made.board("Ideas");
      const [first, second] = [await made.post(board, "Dark mode"), await made.post(board, "Night theme")];
      await inside(made, { javaScriptEnabled }, async (tab) => {
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

    test("a post is put on the roadmap, voted for, deleted and restored", async () => {
      const made = found("Plan");
      const board = await made.board("Ideas");
      const { id } = await made.post(board, "Dark mode");
      const roadmap = await made.make("roadmap-boards", { name: "Product" });
      const voter = address("voter");
      await made.call("/users/upsert", { email: voter, name: "Vera" });
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open(`/dashboard/posts/${id}`);
        await tab.go(tab.link("Put on the roadmap"));
        assert.equal(await tab.page.locator("#title").inputValue(), "Dark mode");
        await tab.page.locator("#roadmap_board_id").selectOption(roadmap.id);
        await tab.go(tab.button("Save"));
        const [plan] = await made.all("roadmap-posts");
        assert.deepEqual((await made.call("/roadmap-posts/retrieve", { id: plan.id })).feedback_post_ids, [id]);

        await tab.open(`/dashboard/posts/${id}`);
        await tab.go(tab.page.locator(".work .acts-list").getByRole("link", { name: "Vote for somebody" }));
        await tab.page.locator("[name=voter_email]").fill(voter);
        await tab.page.locator("[type=checkbox][name=voted]").check();
        await tab.go(tab.page.locator("form.card .button.main"));
        assert.match(await tab.words("#main"), /Vera/);

        await tab.go(tab.page.locator(".work .acts-list").getByRole("link", { name: "Delete" }));
        assert.match(await tab.words("main"), /It can be restored until it is erased/);
        await tab.go(tab.button("Delete"));
        await tab.go(tab.button("Undo"));
        assert.equal(await tab.words(".work h1"), "Dark mode");
        assert.equal((await made.call("/feedback-posts/retrieve", { id })).vote_count, 1);
      });
    });

    test("a plan is moved, an entry published, a colleague invited", async () => {
      const made = found("Ship");
      const roadmap = await made.make("roadmap-boards", { name: "Product" });
      const plan = await made.make("roadmap-posts", { roadmap_board_id: roadmap.id, title: "Dark mode" });
      const statuses = await made.all("statuses");
      const planned = statuses.find(({ name }) => name === "Planned") ?? statuses[1];
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open("/dashboard/roadmap");
        await tab.page.locator(".plan select").first().selectOption(planned.id);
        await tab.go(tab.button("Move").first());
        assert.equal((await made.call("/roadmap-posts/retrieve", { id: plan.id })).status_id, planned.id);

        await tab.open("/dashboard/changelog");
        await tab.go(tab.link("New entry").first());
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

    test("thirty posts are triaged at once", async () => {
      const made = found("Triage");
      const board = await made.board("Ideas");
      await Promise.all(Array.from({ length: 30 }, (_, number) => made.post(board, `Idea ${number}`)));
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open("/dashboard");
        const triage = async (count) => {
          const boxes = await tab.page.locator("[name=post_ids]").all();
          assert.equal(boxes.length, count);
          for (const box of boxes) {
            await box.check();
          }
          await tab.page.locator("#bulk summary").click();
          await tab.page.locator("#bulk-status_id").selectOption({ label: "Planned" });
          await tab.go(tab.page.locator("#bulk .button.main"));
          assert.equal(await tab.notice(), "Saved.");
        };
        await triage(25);
        await tab.go(tab.link("Next page"));
        await triage(5);
        const { id } = (await made.all("statuses")).find(({ code }) => code === "planned");
        const { items } = await made.call("/feedback-posts/list", { status_id: id, limit: 100 });
        assert.equal(items.length, 30);
      });
    });

    test("what waits is accepted or rejected, and its authors are trusted or blocked", async () => {
      const made = found("Queue");
      const board = await made.board("Ideas");
      const posts = {};
      for (const title of ["Dark mode", "Cheap watches"]) {
        const more = { moderation_status_code: "pending", author_email: address("author") };
        posts[title] = await made.post(board, title, more);
      }
      const decide = async (tab, title, who, button) => {
        await tab.page.getByLabel(title).check();
        await tab.page.getByLabel(who).check();
        await tab.go(tab.button(button));
      };
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open("/dashboard/moderation");
        await decide(tab, "Dark mode", "Trust the authors", "Accept");
        await decide(tab, "Cheap watches", "Block the authors", "Reject");
        assert.match(await tab.words("main"), /Nothing waits/);
      });
      for (const [title, state, isBlocked] of [
        ["Dark mode", "accepted", false],
        ["Cheap watches", "rejected", true],
      ]) {
        const post = await made.call("/feedback-posts/retrieve", { id: posts[title].id });
        assert.equal(post.moderation_status_code, state);
        const author = await made.call("/users/retrieve", { user_id: post.author_id });
        assert.deepEqual([author.is_trusted, author.is_blocked], [!isBlocked, isBlocked]);
      }
    });

    test("an entry of the changelog is scheduled", async () => {
      const made = found("Plans");
      const { id } = await made.call("/changelog/create", { title: "Dark mode is here" });
      const at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open(`/dashboard/changelog/${id}`);
        await tab.go(tab.link("Publish"));
        await tab.page.getByLabel("Publish at").fill(at);
        await tab.go(tab.button("Publish"));
        assert.match(await tab.words("main"), /Scheduled/);
      });
      const entry = await made.call("/changelog/retrieve", { id });
      assert.equal(entry.status_code, "scheduled");
      assert.equal(new Date(entry.scheduled_at).toISOString().slice(0, 16), at);
    });

    test("an entry of the changelog tells those who voted", async () => {
      const made = found("News");
      const { slug } = await made.post(await made.board("Ideas"), "Dark mode");
      await made.call("/changelog/create", { title: "Dark mode is here", details: "**Easy** on the eyes." });
      const email = address("voter");
      await within(browser, { base: made.base, javaScriptEnabled: false }, async (voter) => {
        await voter.signIn(email);
        await voter.open(`/p/${slug}`);
        await voter.go(voter.page.locator("main .vote").first());
      });
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open("/dashboard/changelog");
        await tab.go(tab.link("Dark mode is here"));
        await tab.go(tab.link("Link posts"));
        await tab.page.getByRole("searchbox").fill("dark");
        await tab.go(tab.button("Find"));
        await tab.page.getByLabel("Dark mode").check();
        await tab.go(tab.button("Link posts"));
        await tab.go(tab.link("Publish"));
        await tab.page.getByLabel("Tell people by mail").uncheck();
        await tab.page.getByLabel("Mail the voters of the linked posts").check();
        await tab.go(tab.button("Publish"));
        assert.match((await mailTo(email, 0, NEWS)).subject, /Dark mode is here/);
      });
    });

    test("an article is written, published and read", async () => {
      const made = found("Help");
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open("/dashboard/help");
        await tab.go(tab.page.locator(".heading .button.main"));
        await tab.page.getByLabel("Name").fill("Basics");
        await tab.go(tab.button("Save"));
        await tab.open("/dashboard/help");
        await tab.go(tab.page.locator(".tree .button").first());
        await tab.page.getByLabel("Title", { exact: true }).fill("Dark mode");
        await tab.page.getByLabel("Text", { exact: true }).fill("Press the **moon**.");
        await tab.go(tab.button("Save"));
        await tab.go(tab.link("Publish"));
        await tab.go(tab.button("Publish"));
        await until(tab, "/help", /Basics/);
        await tab.go(tab.page.getByRole("main").getByRole("link", { name: "Basics" }));
        await tab.go(tab.page.getByRole("main").getByRole("link", { name: "Dark mode" }));
        assert.equal(await tab.words(".prose strong"), "moon");
      });
    });

    test("an image goes into an article, and the portal shows it", async () => {
      const made = found("Picture");
      const shelf = await made.call("/help-collections/create", { name: "Shelf" });
      await inside(made, { javaScriptEnabled }, async (tab) => {
        const { page } = tab;
        await tab.open(`/dashboard/do/help-articles/create?collection_id=${shelf.id}`);
        const file = { name: "My plan.png", mimeType: "image/png", buffer: await page.locator("h1").screenshot() };
        await page.getByLabel("Title", { exact: true }).fill("How to plan");
        const text = page.getByLabel("Text", { exact: true });
        await text.fill("See this:");
        if (javaScriptEnabled) {
          await drop(text, file);
        } else {
          await page.locator(".attach > summary").click();
          await page.getByLabel("File", { exact: true }).setInputFiles(file);
          await tab.go(tab.button("Add to the text"));
        }
        await page.waitForFunction(() => document.querySelector("[name=content]").value.includes("/images/"));
        assert.match(await text.inputValue(), /^See this:\n\n!\[My plan\]\(\/images\/[0-9a-f]{64}\?s=\d+x\d+\)$/);
        await tab.go(tab.button("Save"));
        await tab.go(tab.link("Publish"));
        await tab.go(tab.button("Publish"));
        await until(tab, "/help", /Shelf/);
        await tab.go(page.getByRole("main").getByRole("link", { name: "Shelf" }));
        await tab.go(page.getByRole("main").getByRole("link", { name: "How to plan" }));
        const image = page.getByRole("img", { name: "My plan" });
        assert(await image.evaluate((it) => it.decode().then(() => it.naturalWidth > 0)));
      });
    });

    test("a webhook fails, is mended, and gets what it missed", async (t) => {
      let status = 500;
      const receiver = await listen((_, response) => response.writeHead(status).end());
      t.after(receiver.stop);
      const made = found("Hook");
      const board = await made.board("Ideas");
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open("/dashboard/webhooks");
        await tab.go(tab.link("New webhook").first());
        await tab.page.getByLabel("URL").fill(`${receiver.origin}/hook`);
        await tab.page.getByLabel("post.created", { exact: true }).check();
        await tab.go(tab.button("Save"));
        await made.post(board, "Dark mode");
        await until(tab, "/dashboard/deliveries", /Failed/);
        await tab.go(tab.link("post.created"));
        assert.match(await tab.words(".facts"), /Attempts\s+2\s[^]*500/);
        status = 200;
        await tab.go(tab.link("Send again"));
        await tab.go(tab.button("Send again"));
        await until(tab, "/dashboard/deliveries", /Delivered/);
      });
    });

    test("a colleague who was invited works, and is out at the next click once the role is taken away", async () => {
      const made = found("Leave");
      const email = address("bob");
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open("/dashboard/members");
        await tab.page.getByLabel("Mail address").fill(email);
        await tab.page.locator("#role").selectOption("member");
        await tab.go(tab.button("Invite somebody"));
        const link = await tab.page.locator("code.secret").innerText();
        await within(browser, { base: made.base, javaScriptEnabled }, async (colleague) => {
          await colleague.join(email, "member", link);
          await colleague.open("/dashboard");
          await tab.open("/dashboard/members");
          const row = tab.page.locator("#members li", { hasText: email });
          await row.getByRole("combobox").selectOption({ label: "Not on the team any more" });
          await tab.go(row.getByRole("button"));
          await tab.go(tab.page.getByRole("button", { name: "Remove from the team" }));
          await colleague.go(colleague.link("People"));
          const { code } = await colleague.ask(email);
          await colleague.page.getByLabel("Code").fill(code);
          await colleague.go(colleague.page.getByRole("main").getByRole("button", { name: "Sign in" }));
          assert.equal(await colleague.heading(), "There is nothing here");
          assert.match(colleague.complaints.splice(0).join(), /status of 404/);
        });
      });
    });

    test("the spend of a company is seen at what it wants", async () => {
      const made = found("Spend");
      const { id } = await made.post(await made.board("Ideas"), "Dark mode");
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open("/dashboard/companies");
        await tab.go(tab.link("New company").first());
        await tab.page.getByLabel("Identifier elsewhere").fill("acme");
        await tab.page.getByLabel("Name", { exact: true }).fill("Acme");
        await tab.page.getByLabel("Monthly spend").fill("120");
        await tab.go(tab.button("Save"));
        const voter_email = address("vic");
        await made.call("/users/upsert", { email: voter_email, company: { external_id: "acme" } });
        await made.call("/votes/set", { post_id: id, post_type: "feedback", voter_email, voted: true });
        await until(tab, `/dashboard/posts/${id}`, /120 a month/);
        assert.match(await tab.words("[aria-labelledby=voters]"), /Acme/);
      });
    });

    test("people are imported from a file after a look at it, and the import is undone", async () => {
      const made = found("People");
      const [ada, grace] = [address("ada"), address("grace")];
      await made.call("/users/upsert", { email: ada, name: "Ada" });
      const file = `email,name,shoe\n${ada},Countess,1\n${grace},Grace,2\nnobody,Nobody,3\n`;
      await inside(made, { javaScriptEnabled }, async (tab) => {
        await tab.open("/dashboard/people");
        await tab.go(tab.link("Import people"));
        const buffer = Buffer.from(file);
        await tab.page.getByLabel("CSV file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer });
        await tab.go(tab.button("Show what changes"));
        assert.match(await tab.words("main"), /New people: 1.*People who change: 1.*Lines with a fault: 1/s);
        assert.match(await tab.words("[aria-labelledby=changes]"), /Ada → Countess/);
        if (javaScriptEnabled) {
          assert.deepEqual(await judge(tab), []);
        }
        await tab.go(tab.button(/^Import \(/));
        // The page loads itself again.
        await tab.page.getByText("People who are new").waitFor();
        assert.match(await tab.words("main"), /People who are new: 1.*People who changed: 1/s);
        if (javaScriptEnabled) {
          assert.deepEqual(await judge(tab), []);
        }
        assert.equal((await made.call("/users/retrieve", { email: grace })).name, "Grace");
        await tab.go(tab.button("Undo the import"));
        await tab.page.getByText("Changes that went back").waitFor();
        assert.match(await tab.words("main"), /Undone\. Changes that went back: 2/);
        assert.equal((await made.call("/users/retrieve", { email: ada })).name, "Ada");
        await tab.open("/dashboard/people");
        assert.doesNotMatch(await tab.words("main"), /Grace/);
      });
    });

    test("a file is checked, refused and imported", async () => {
      const made = found("Import");
      const [organization] = made.command(["export"]).split("\n");
      const tag = (number) => JSON.stringify({
        kind: "tag", id: randomUUID(), name: `Tag ${number}`, color: "#84cc16", is_active: true, created_at: "2026-03-04T12:00:00Z",
      });
      const tags = Array.from({ length: 5_000 }, (_, number) => tag(number));
      await inside(made, { javaScriptEnabled }, async (tab) => {
        const send = async (lines, isDry) => {
          await tab.open("/dashboard/data");
          const buffer = Buffer.from([organization, ...lines].join("\n"));
          await tab.page.getByLabel("File", { exact: true }).setInputFiles({ name: "acme.jsonl", mimeType: "application/jsonl", buffer });
          await tab.page.getByLabel("Only check the file").setChecked(isDry);
          await tab.go(tab.button("Begin"));
        };
        // The page loads itself again.
        const ends = (words) => tab.page.getByRole("heading", { name: words }).waitFor();
        await send(tags, true);
        assert.equal(await tab.page.getByRole("progressbar", { name: "The check is running" }).count(), 1);
        await ends("The file can be imported");
        assert.deepEqual(await made.all("tags"), []);
        await send([tags[0], tags[1].replace("#84cc16", "green")], false);
        await ends("The file is not imported");
        assert.match(await tab.words("main [role=status]"), /Line 3 · color/);
        await send(tags.slice(0, 2), false);
        await ends("The file is imported");
        assert.deepEqual((await made.all("tags")).map(({ name }) => name).sort(), ["Tag 0", "Tag 1"]);
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
  await inside(made, {}, async (tab) => {
    const { page } = tab;
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
    await page.keyboard.press("t");
    assert(await page.locator("details[data-key=t][open] :focus").count(), "t opens the tags");
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
    await page.locator("main").focus();
    await Promise.all([page.waitForEvent("framenavigated"), page.keyboard.press("m")]);
    await page.waitForLoadState("load");
    assert.match(page.url(), /\/do\/feedback-posts\/merge/);
  });
});

test("a plan is dragged to another column", async () => {
  const made = found("Drag");
  const roadmap = await made.make("roadmap-boards", { name: "Product" });
  const plan = await made.make("roadmap-posts", { roadmap_board_id: roadmap.id, title: "Dark mode" });
  await inside(made, {}, async (tab) => {
    await tab.open("/dashboard/roadmap");
    const column = tab.page.locator(".column:not(:has(.plan))").first();
    const status = await column.getAttribute("data-value");
    await Promise.all([tab.page.waitForEvent("framenavigated"), tab.page.locator(".plan").dragTo(column)]);
    await tab.page.waitForLoadState("load");
    assert.equal((await made.call("/roadmap-posts/retrieve", { id: plan.id })).status_id, status);
  });
});

test("articles and categories are dragged to another place of the help center", async () => {
  const made = found("Tree");
  const shelf = await made.call("/help-collections/create", { name: "Shelf" });
  const other = await made.call("/help-collections/create", { name: "Other" });
  const category = await made.call("/help-categories/create", { collection_id: shelf.id, name: "Basics" });
  const articles = [];
  for (const title of ["First", "Second", "Third"]) {
    articles.push(await made.call("/help-articles/create", { category_id: category.id, title }));
  }
  const titles = async (parent) => {
    const { items } = await made.call("/help-articles/list", { ...parent, sort: "position" });
    return items.map(({ title }) => title);
  };
  await inside(made, {}, async (tab) => {
    await tab.open("/dashboard/help");
    const node = ({ id }) => tab.page.locator(`#n-${id}`);
    const drag = async (record, to) => {
      await Promise.all([tab.page.waitForEvent("framenavigated"), node(record).dragTo(node(to))]);
      await tab.page.waitForLoadState("load");
      assert.equal(await tab.notice(), "Saved.");
    };
    await drag(articles[0], articles[2]);
    assert.deepEqual(await titles({ category_id: category.id }), ["Second", "Third", "First"]);
    await drag(articles[1], other);
    assert.deepEqual(await titles({ category_id: category.id }), ["Third", "First"]);
    assert.deepEqual(await titles({ collection_id: other.id }), ["Second"]);
    await drag(category, other);
    const moved = await made.call("/help-categories/retrieve", { category_id: category.id });
    assert.equal(moved.collection_id, other.id);
  });
});

test("the list of the inbox follows what others do, and keeps choice and focus", async () => {
  const made = found("Live");
  const board = await made.board("Ideas");
  const first = await made.post(board, "First");
  await made.post(board, "Second");
  await inside(made, {}, async (tab) => {
    const { page } = tab;
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
