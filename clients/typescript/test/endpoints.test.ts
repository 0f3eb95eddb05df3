// Each endpoint once, on a real server, with the members of its answer.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { check, checkEach, checkPage } from "./shapes.js";
import * as shape from "./shapes.js";
import { all, client, openPosts, present } from "./support.js";

const ids = async (records: Promise<{ id: string }[]>) => (await records).map(({ id }) => id);

// A name that no earlier run has used.
const fresh = () => `Test ${randomUUID()}`;

test("users", async () => {
  const [post] = await openPosts();
  const user = await client.users.retrieve({ user_id: present(post).author_id });
  check(user, shape.user);
  assert.deepEqual(await client.users.retrieve({ email: user.email }), user);
  checkPage(await client.users.list({ is_blocked: false, sort: "oldest" }), shape.user);
  const found = await all(client.users.iterate({ search: user.email, limit: 1 }));
  assert(found.some(({ user_id }) => user_id === user.user_id));
  check(await client.users.export(user.user_id), shape.userExport);
});

test("making, changing, blocking and deleting a user", async () => {
  const external_id = fresh();
  const made = await client.users.upsert({ external_id, name: "Kim", attributes: { seats: 3 } });
  check(made, shape.upsertedUser);
  const { user_id } = made;
  assert.deepEqual(await client.users.upsert({ external_id, name: "Ash" }), { ...made, created: false });
  check(await client.users.update({ user_id, locale: "pt", clear: ["attributes"] }), shape.success);
  check(await client.users.block({ user_id, reject_pending: true }), shape.success);
  const user = await client.users.retrieve({ user_id });
  check(user, shape.user);
  assert.deepEqual([user.name, user.locale, user.attributes, user.is_blocked], ["Ash", "pt", {}, true]);
  check(await client.users.unblock({ user_id }), shape.success);
  check(await client.users.delete({ user_id }), shape.success);
});

test("merging and erasing users", async () => {
  const make = async () => (await client.users.upsert({ external_id: fresh() })).user_id;
  const users = { merge_user_id: await make(), into_user_id: await make() };
  const none = { posts_moved: 0, comments_moved: 0, votes_moved: 0, votes_dropped: 0, subscriptions_moved: 0 };
  assert.deepEqual(await client.users.merge({ ...users, dry_run: true }), { dry_run: true, effects: none });
  assert.deepEqual(await client.users.merge(users), { success: true });

  const erasure = { user_id: users.into_user_id, content_code: "delete" } as const;
  assert.deepEqual(await client.users.erase({ ...erasure, dry_run: true }), {
    dry_run: true,
    effects: { posts_deleted: 0, comments_deleted: 0, votes_deleted: 0, records_anonymized: 1 },
  });
  assert.deepEqual(await client.users.erase(erasure), { success: true });
});

test("companies", async () => {
  const page = await client.companies.list({ sort: "spend", limit: 2 });
  checkPage(page, shape.company);
  assert((await all(client.companies.iterate({ limit: 2 }))).length > 2);

  const external_id = fresh();
  const made = await client.companies.upsert({ external_id, monthly_spend: "12.50", attributes: { plan: "pro" } });
  check(made, shape.upsertedCompany);
  const company = await client.companies.retrieve({ external_id });
  check(company, shape.company);
  assert.deepEqual([company.id, company.monthly_spend, company.attributes], [made.id, "12.50", { plan: "pro" }]);
  check(await client.companies.delete({ id: made.id }), shape.success);
});

test("feedback boards", async () => {
  const boards = await client.feedbackBoards.list();
  checkEach(boards, shape.feedbackBoard);
  const board = present(boards[0]);
  assert.deepEqual(await client.feedbackBoards.retrieve(board.id), board);
});

test("feedback posts", async () => {
  const page = await client.feedbackPosts.list();
  checkPage(page, shape.feedbackPost);
  const post = await client.feedbackPosts.retrieve(present(page.items[0]).id);
  check(post, shape.feedbackPost);

  const ofBoard = await client.feedbackPosts.list({ board_id: post.board_id, status_id: post.status_id, search: post.title });
  assert(ofBoard.items.some(({ id }) => id === post.id));
  const changed = await client.feedbackPosts.list({ updated_after: new Date(post.updated_at), limit: 1 });
  assert(present(changed.items[0]).updated_at >= post.updated_at);

  // Posts that wait for moderation are not similar to any.
  const shown = present((await openPosts()).find((it) => it.moderation_status_code === "accepted"));
  const similar = await client.feedbackPosts.similar({ title: shown.title, limit: 3 });
  checkEach(similar, shape.similarFeedbackPost);
  assert.equal(present(similar[0]).title, shown.title);
});

test("merging feedback posts", async () => {
  // The last ones: other tests vote for the first ones.
  const [into, merge] = (await openPosts()).slice(-2).map(present);
  const [merge_post_id, into_post_id] = [present(merge).id, present(into).id];
  const merger_id = present(into).author_id;
  const merging = { merge_post_id, into_post_id, merger_id };
  const tried = await client.feedbackPosts.merge({ ...merging, dry_run: true });
  assert("effects" in tried);
  assert.deepEqual(Object.keys(tried.effects).sort(), ["votes_dropped", "votes_moved"]);
  assert.deepEqual(await client.feedbackPosts.merge(merging), { success: true });
  assert.equal((await client.feedbackPosts.retrieve(merge_post_id)).merged_into_id, into_post_id);

  const returned = await client.feedbackPosts.unmerge({ post_id: merge_post_id, dry_run: true });
  assert("effects" in returned);
  assert.deepEqual(Object.keys(returned.effects).sort(), ["posts_followed", "votes_restored", "votes_returned"]);
  assert.deepEqual(await client.feedbackPosts.unmerge({ post_id: merge_post_id, merger_id }), { success: true });
  assert.equal((await client.feedbackPosts.retrieve(merge_post_id)).merged_into_id, null);
});

test("comments", async () => {
  const posts = await all(client.feedbackPosts.iterate({ limit: 100 }));
  const post = present(posts.find(({ comment_count }) => comment_count > 0));
  const page = await client.comments.list({ feedback_post_id: post.id });
  checkPage(page, shape.comment);
  const comment = await client.comments.retrieve(present(page.items[0]).id);
  check(comment, shape.comment);
  assert.equal(comment.feedback_post_id, post.id);
});

test("making and changing boards, roadmap boards and categories", async () => {
  const { id: board_id } = await client.feedbackBoards.create({ name: fresh() });
  check(await client.feedbackBoards.update({ board_id, show_post_dates: false }), shape.success);
  const board = await client.feedbackBoards.retrieve(board_id);
  check(board, shape.feedbackBoard);
  assert.equal(board.show_post_dates, false);
  check(await client.feedbackBoards.reorder({ ids: await ids(client.feedbackBoards.list()) }), shape.success);
  const tried = await client.feedbackBoards.delete({ board_id, delete_posts: true, dry_run: true });
  assert.deepEqual(tried, { dry_run: true, effects: { posts_moved: 0, posts_deleted: 0 } });
  assert.deepEqual(await client.feedbackBoards.delete({ board_id }), { success: true });
  const { id: roadmap_board_id } = await client.roadmapBoards.create({ name: fresh() });
  check(await client.roadmapBoards.update({ roadmap_board_id, clear: ["icon_url"] }), shape.success);
  check(await client.roadmapBoards.retrieve(roadmap_board_id), shape.roadmapBoard);
  check(await client.roadmapBoards.reorder({ ids: await ids(client.roadmapBoards.list()) }), shape.success);
  check(await client.roadmapBoards.delete({ roadmap_board_id }), shape.success);
  const { id: category_id } = await client.categories.create({ name: fresh(), external_id: fresh() });
  check(await client.categories.update({ category_id, clear: ["external_id"] }), shape.success);
  check(await client.categories.retrieve(category_id), shape.category);
  check(await client.categories.delete({ category_id }), shape.success);
});

test("making and changing a post and a comment", async () => {
  const board = present((await client.feedbackBoards.list())[0]);
  const tag = present((await client.tags.list())[0]);
  const made = await client.feedbackPosts.create({
    board_id: board.id, title: fresh(), author_email: "kim@example.com", external_id: fresh(),
  });
  check(made, shape.created);
  const post_id = made.id;
  check(await client.feedbackPosts.update({ post_id, title: "Other", clear: ["external_id"] }), shape.success);
  check(await client.feedbackPosts.addTag({ post_id, tag_id: tag.id }), shape.success);
  const post = await client.feedbackPosts.retrieve(post_id);
  check(post, shape.feedbackPost);
  assert.deepEqual([post.title, post.external_id, post.tag_ids], ["Other", null, [tag.id]]);
  check(await client.feedbackPosts.removeTag({ post_id, tag_id: tag.id }), shape.success);
  const bulk = { post_ids: [post_id], owner_id: post.author_id, notify: true };
  assert.deepEqual(await client.feedbackPosts.bulkUpdate(bulk), { success: true, updated: 1 });
  const closed = present((await client.statuses.list()).at(-1));
  const change = { post_id, status_id: closed.id, changed_by_id: post.author_id, note: "Done.", notify: true };
  check(await client.feedbackPosts.changeStatus(change), shape.success);
  const user_id = post.author_id;
  check(await client.feedbackPosts.subscribe({ post_id, user_id, level: "status" }), shape.success);
  checkPage(await client.feedbackPosts.subscribers({ post_id }), shape.subscriber);
  const [subscriber] = await all(client.feedbackPosts.iterateSubscribers({ post_id, limit: 1 }));
  assert.deepEqual([subscriber?.user_id, subscriber?.level], [user_id, "status"]);
  check(await client.feedbackPosts.unsubscribe({ post_id, user_id }), shape.success);
  check(await client.feedbackPosts.delete({ post_id }), shape.success);
  check(await client.feedbackPosts.restore({ post_id }), shape.success);

  const content = fresh();
  const comment = { feedback_post_id: post_id, content, author_id: post.author_id, notify: false };
  const { id: comment_id } = await client.comments.create(comment);
  check(await client.comments.update({ comment_id, visibility_code: "internal", is_pinned: true }), shape.success);
  const shown = await client.comments.retrieve(comment_id);
  assert.deepEqual([shown.content, shown.visibility_code, shown.is_pinned], [content, "internal", true]);
  check(await client.comments.delete({ comment_id }), shape.success);
});

test("votes", async () => {
  const post = present((await openPosts())[0]);
  const vote = { user_id: post.author_id, post_id: post.id, post_type: "feedback" } as const;
  const first = await client.votes.toggle(vote);
  check(first, shape.voted);
  // Each call is a write of its own, even with the same fields.
  const second = await client.votes.toggle(vote);
  assert.equal(second.voted, !first.voted);
  if (!second.voted) {
    await client.votes.toggle(vote);
  }
  const voter = { post_id: post.id, post_type: "feedback", voter_email: "kim@example.com" } as const;
  check(await client.votes.set({ ...voter, voted: true }), shape.setVote);
  assert.deepEqual(await client.votes.set({ ...voter, voted: true }), { voted: true, changed: false });
  checkPage(await client.votes.list({ post_id: post.id, post_type: "feedback" }), shape.vote);
  checkPage(await client.votes.voters({ post_id: post.id, post_type: "feedback" }), shape.voter);
  const [vote_on_post] = await all(client.votes.iterate({ post_id: post.id, post_type: "feedback", limit: 1 }));
  assert.equal(present(vote_on_post).post_id, post.id);
  const many = { post_id: post.id, post_type: "feedback", voters: [{ voter_email: "kim@example.com" }] } as const;
  const withdrawn = await client.votes.setMany({ ...many, voters: [...many.voters], voted: false });
  check(withdrawn, shape.setVotes);
  assert.deepEqual(withdrawn, { changed: 1, unchanged: 0 });
});

test("categories", async () => {
  const categories = await client.categories.list();
  checkEach(categories, shape.category);
  const category = present(categories[0]);
  assert.deepEqual(await client.categories.retrieve(category.id), category);
});

test("tags, statuses and roadmap boards", async () => {
  checkEach(await client.tags.list(), shape.tag);
  const { id: tag_id } = await client.tags.create({ name: fresh(), external_id: fresh() });
  check(await client.tags.update({ tag_id, is_public: false, clear: ["external_id"] }), shape.success);
  const tag = await client.tags.retrieve(tag_id);
  check(tag, shape.tag);
  assert.deepEqual([tag.is_public, tag.external_id], [false, null]);
  const { id: into_tag_id } = await client.tags.create({ name: fresh() });
  check(await client.tags.merge({ tag_id, into_tag_id }), shape.success);
  check(await client.tags.delete({ tag_id: into_tag_id }), shape.success);
  checkEach(await client.statuses.list(), shape.status);
  checkEach(await client.roadmapBoards.list(), shape.roadmapBoard);
});

test("making, changing and deleting a status", async () => {
  const { id: status_id } = await client.statuses.create({ name: fresh(), status_group_code: "closed" });
  check(await client.statuses.update({ status_id, color: "#123456" }), shape.success);
  const status = await client.statuses.retrieve(status_id);
  check(status, shape.status);
  assert.equal(status.color, "#123456");
  const closed = (await client.statuses.list()).filter(({ status_group_code }) => status_group_code === "closed");
  const order = closed.map(({ id }) => id).reverse();
  check(await client.statuses.reorder({ status_group_code: "closed", ids: order }), shape.success);
  check(await client.statuses.delete({ status_id }), shape.success);
});

test("roadmap posts", async () => {
  const page = await client.roadmapPosts.list({ limit: 2 });
  checkPage(page, shape.roadmapPost);
  assert((await all(client.roadmapPosts.iterate({ limit: 2 }))).length > 2);

  const [feedback] = await openPosts();
  const { roadmap_board_id, status_id } = present(page.items[0]);
  const made = { roadmap_board_id, title: fresh(), position: 1, feedback_post_ids: [present(feedback).id] };
  const { id: post_id } = await client.roadmapPosts.create(made);
  check(await client.roadmapPosts.update({ post_id, title: "Other", clear: ["eta"] }), shape.success);
  check(await client.roadmapPosts.changeStatus({ post_id, status_id }), shape.success);
  const post = await client.roadmapPosts.retrieve(post_id);
  check(post, shape.roadmapPost);
  assert.deepEqual([post.title, post.position, post.feedback_post_ids], ["Other", 1, made.feedback_post_ids]);
  const linked = await client.feedbackPosts.retrieve(present(feedback).id);
  assert(linked.roadmap_post_ids.includes(post_id));
  const links = { post_id, feedback_post_ids: made.feedback_post_ids };
  check(await client.roadmapPosts.link({ ...links, sync_status: true }), shape.success);
  check(await client.roadmapPosts.unlink(links), shape.success);
  check(await client.roadmapPosts.delete({ post_id }), shape.success);
  const gone = await client.roadmapPosts.list({ updated_after: post.updated_at, include_deleted: true, limit: 100 });
  assert.deepEqual(Object.keys(present(gone.items.find(({ id }) => id === post_id))), Object.keys(shape.deleted));
});

test("moderation, activity and the audit log", async () => {
  const { id: board_id } = present((await client.feedbackBoards.list())[0]);
  const { id } = await client.feedbackPosts.create({
    board_id, title: fresh(), author_email: "kim@example.com", moderation_status_code: "pending",
  });
  const queue = await client.moderation.list({ kind: "post" });
  checkPage(queue, shape.queuedItem);
  assert(queue.items.some((item) => item.id === id));
  const decided = await client.moderation.decide({ items: [{ kind: "post", id }], moderation_status_code: "accepted" });
  check(decided, shape.decided);
  assert.equal(decided.changed, 1);
  const { user_id } = await client.users.upsert({ external_id: fresh() });
  const spam = await client.feedbackPosts.create({ board_id, title: fresh(), author_id: user_id });
  const items = [{ kind: "post", id: spam.id } as const];
  await client.moderation.decide({ items, moderation_status_code: "spam", block_author: true });
  assert.equal((await client.users.retrieve({ user_id })).is_blocked, true);
  await client.users.unblock({ user_id });
  await client.moderation.decide({ items, moderation_status_code: "accepted", trust_author: true });
  assert.equal((await client.users.retrieve({ user_id })).is_trusted, true);
  checkPage(await client.feedbackPosts.activity({ post_id: id }), shape.activity);
  assert((await all(client.feedbackPosts.iterateActivity({ post_id: id, limit: 1 }))).length > 1);
  checkPage(await client.audit.list({ target_id: id }), shape.auditEntry);
});

test("labels", async () => {
  checkPage(await client.labels.list(), shape.label);
});

test("ping, and writes of the help center", async () => {
  check(await client.ping(), shape.ping);
  const collection = (await client.helpCollections.create({ name: "For managers" })).id;
  const article = (await client.helpArticles.create({ collection_id: collection, title: "Spare" })).id;
  const named = { article_id: article };
  await client.helpArticles.update({ ...named, title: "Leaving", author_id: null });
  await client.helpArticles.publish(named);
  const shown = await client.helpArticles.retrieve(article);
  check(shown, shape.helpArticle);
  assert.deepEqual([shown.title, shown.status_code], ["Leaving", "published"]);
  await client.helpArticles.unpublish(named);
  assert.deepEqual(await client.helpArticles.restoreVersion({ ...named, version: 1 }), { success: true });
  const versions = await all(client.helpArticles.iterateVersions(named));
  check(versions[0], shape.helpArticleVersion);
  assert.deepEqual(versions.map(({ version, title }) => [version, title]), [[3, "Spare"], [2, "Leaving"], [1, "Spare"]]);
  await client.helpArticles.delete(named);
  const redirect = (await client.helpRedirects.create({ from_path: `/docs/${article}`, to_path: "/help/all" })).id;
  const redirects = await all(client.helpRedirects.iterate());
  check(redirects[0], shape.helpRedirect);
  assert.deepEqual(redirects[0]?.id, redirect);
  assert.deepEqual(await client.helpRedirects.delete({ redirect_id: redirect }), { success: true });
  assert.deepEqual(await client.helpArticles.restore(named), { success: true });
  await client.helpArticles.feedback({ ...named, is_helpful: true });
  assert.equal((await client.helpArticles.retrieve(article)).helpful_count, 1);
  const collection_id = collection;
  const { id: category_id } = await client.helpCategories.create({ collection_id, name: "Spare" });
  await client.helpCategories.delete({ category_id, move_to_collection_id: collection });
  const deletion = { collection_id, delete_articles: true };
  const tried = await client.helpCollections.delete({ ...deletion, dry_run: true });
  assert.equal("effects" in tried && tried.effects["articles_deleted"], 1);
  assert.deepEqual(await client.helpCollections.delete(deletion), { success: true });
});

test("webhooks, deliveries and events", async () => {
  const made = await client.webhooks.create({ url: "https://receiver.invalid/", event_types: ["post.created"] });
  check(made, shape.newWebhook);
  const named = { webhook_id: made.id };
  await client.webhooks.update({ ...named, description: "The CRM" });
  const shown = await client.webhooks.retrieve(made.id);
  check(shown, shape.webhook);
  assert.deepEqual([shown.description, shown.event_types], ["The CRM", ["post.created"]]);
  checkPage(await client.webhooks.list(), shape.webhook);
  check(await client.webhooks.rotateSecret({ ...named, overlap_seconds: 60 }), shape.newSecret);
  check(await client.webhooks.test(made.id), shape.webhookTest);

  const board_id = present((await client.feedbackBoards.list())[0]).id;
  const author_id = present((await client.users.list({ limit: 1 })).items[0]).user_id;
  await client.feedbackPosts.create({ board_id, title: "Spare", author_id });
  const page = await client.deliveries.list(named);
  checkPage(page, shape.delivery);
  const { id } = present(page.items[0]);
  assert.equal((await client.deliveries.retrieve(id)).id, id);
  assert.deepEqual(await client.deliveries.replay({ ...named, state: "delivered" }), { replayed: 0 });
  assert.deepEqual(await client.webhooks.delete(named), { success: true });
  const recorded = await client.events.list({ event_types: ["post.created"] });
  assert.equal(present(recorded.items.at(-1)).event, "post.created");
});

test("changelog and labels: writes", async () => {
  const { id } = await client.labels.create({ name: "Apps", color: "#abcdef" });
  check(await client.labels.retrieve(id), shape.label);
  assert.deepEqual(await client.labels.update({ label_id: id, name: "On phones" }), { success: true });
  const entry = (await client.changelog.create({ title: "Spare" })).id;
  const post = present((await client.feedbackPosts.list({ limit: 1 })).items[0]).id;
  const named = { entry_id: entry };
  await client.changelog.update({ ...named, label_ids: [id] });
  await client.changelog.linkPosts({ ...named, post_ids: [post] });
  await client.changelog.publish({ ...named, notify: false });
  const shown = await client.changelog.retrieve(entry);
  check(shown, shape.changelogEntry);
  assert.deepEqual([shown.status_code, shown.label_ids, shown.post_ids], ["published", [id], [post]]);
  await client.changelog.unlinkPosts({ ...named, post_ids: [post] });
  await client.changelog.unpublish(named);
  await client.changelog.delete(named);
  await client.labels.delete({ label_id: id });
});

test("changelog", async () => {
  checkPage(await client.changelog.list(), shape.changelogEntry);

  const label = present((await client.labels.list({ limit: 1 })).items[0]);
  const title = fresh();
  const answer = await client.changelog.create({
    title,
    details: "Text",
    type: "improvement",
    label_ids: [label.id],
    status_code: "scheduled",
    scheduled_for: new Date("2999-01-01"),
    notify: false,
    featured_image_url: "https://example.com/image.png",
    show_on_portal: false,
  });
  check(answer, shape.created);
  const { items } = await client.changelog.list({ type: "improvement", label_ids: [label.id], sort: "newest" });
  const entry = present(items.find(({ id }) => id === answer.id));
  check(entry, shape.changelogEntry);
  assert.equal(entry.title, title);
  assert.equal(entry.scheduled_at, "2999-01-01T00:00:00.000Z");
});

test("help collections", async () => {
  const page = await client.helpCollections.list();
  checkPage(page, shape.helpCollection);

  const collection_id = present(page.items[0]).id;
  const description = fresh();
  check(await client.helpCollections.update({ collection_id, description }), shape.success);
  const collection = await client.helpCollections.retrieve(collection_id);
  check(collection, shape.helpCollection);
  assert.equal(collection.description, description);

  const order = await all(client.helpCollections.iterate());
  check(await client.helpCollections.reorder({ ids: order.map(({ id }) => id).reverse() }), shape.success);
  check(await client.helpCollections.reorder({ ids: order.map(({ id }) => id) }), shape.success);
  assert.deepEqual((await all(client.helpCollections.iterate())).map(({ id }) => id), order.map(({ id }) => id));
});

test("help categories", async () => {
  const [first, second] = (await client.helpCollections.list()).items.map(({ id }) => id);
  const [from, to] = [present(first), present(second)];
  const name = fresh();
  const answer = await client.helpCategories.create({ collection_id: from, name, color: "#123456" });
  check(answer, shape.created);
  checkPage(await client.helpCategories.list({ collection_id: from }), shape.helpCategory);

  check(await client.helpCategories.update({ category_id: answer.id, collection_id: to, icon: "star" }), shape.success);
  const category = await client.helpCategories.retrieve(answer.id);
  check(category, shape.helpCategory);
  assert.deepEqual([category.collection_id, category.name, category.icon], [to, name, "star"]);

  const order = (await ids(all(client.helpCategories.iterate({ collection_id: to })))).reverse();
  check(await client.helpCategories.reorder({ collection_id: to, ids: order }), shape.success);
  assert.deepEqual(await ids(all(client.helpCategories.iterate({ collection_id: to }))), order);
});

test("help articles", async () => {
  const page = await client.helpArticles.list({ sort: "title" });
  checkPage(page, shape.helpArticleSummary);

  const related = present(page.items[0]);
  const title = fresh();
  const answer = await client.helpArticles.create({
    collection_id: related.collection.id,
    title,
    content: "<p>Text</p>",
    excerpt: "Text",
    status_code: "published",
    related_article_ids: [related.id],
    is_favourite: true,
  });
  check(answer, shape.created);
  const article = await client.helpArticles.retrieve(answer.id);
  check(article, shape.helpArticle);
  assert.equal(article.category, null);
  assert.deepEqual(article.related_article_ids, [related.id]);

  const hits = await client.helpArticles.search({ query: title, published_only: true });
  checkPage(hits, shape.helpArticleHit);
  assert.deepEqual(hits.items.map(({ id }) => id), [answer.id]);

  const category_id = present((await client.helpCategories.list()).items[0]).id;
  const listed = { category_id, sort: "position" } as const;
  const order = (await ids(all(client.helpArticles.iterate(listed)))).reverse();
  check(await client.helpArticles.reorder({ category_id, ids: order }), shape.success);
  assert.deepEqual(await ids(all(client.helpArticles.iterate(listed))), order);
});
