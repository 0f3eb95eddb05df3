// Every tool, by the official TypeScript client, over HTTP, on the demo.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL("/mcp", process.env.HEARBACK_TEST_URL);
const client = new Client({ name: "hearback-tests", version: "1" });

const transport = (key) =>
  new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${key}` } } });

before(() => client.connect(transport(process.env.HEARBACK_TEST_KEY)));
after(() => client.close());

const fresh = () => `Test ${randomUUID()}`;
const address = () => `${randomUUID()}@example.com`;
const success = { success: true };

// Calls a tool, and returns its answer.
async function call(name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert(!result.isError, JSON.stringify(result.structuredContent));
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

async function makePost() {
  const { feedback_boards: boards } = await call("list_setup");
  const post = { board_id: boards[0].id, title: fresh(), author_email: address() };
  return (await call("create_post", post)).id;
}

test("the tools", async () => {
  const { tools } = await client.listTools();
  assert.equal(tools.length, 18);
  for (const { name, annotations, inputSchema } of tools) {
    assert.equal(annotations.destructiveHint, "confirm" in inputSchema.properties, name);
    assert.equal(annotations.readOnlyHint, !("idempotency_key" in inputSchema.properties), name);
  }
  assert.match(client.getInstructions(), /untrusted_text/);
});

test("reading", async () => {
  const { items } = await call("search", { kind: "posts", sort: "votes", limit: 1 });
  const [top] = items;
  assert.deepEqual((await call("get", { id: top.id })).record, top);
  const voters = await call("list_voters", { post_id: top.id, post_type: "feedback" });
  for (const { untrusted_text } of voters.items) {
    assert.deepEqual(Object.keys(untrusted_text), ["name", "email"]);
  }
});

test("posts, votes and comments", async () => {
  const { user_id } = await call("upsert_user", { email: address(), name: "Kim" });
  const [duplicate, post] = [await makePost(), await makePost()];
  const vote = { post_id: duplicate, post_type: "feedback", voter_id: user_id, voted: true };
  assert.deepEqual(await call("vote", vote), { voted: true, changed: true });
  assert.deepEqual(await call("update_post", { post_id: post, title: fresh() }), success);
  const merge = { merge_post_id: duplicate, into_post_id: post, merger_id: user_id };
  const tried = await call("merge_posts", { ...merge, dry_run: true });
  assert.deepEqual(tried.effects, { votes_moved: 1, votes_dropped: 0 });
  assert.deepEqual(await call("merge_posts", { ...merge, confirm: true }), success);
  assert.deepEqual(await call("unmerge_post", { post_id: duplicate }), success);
  const comment = { feedback_post_id: post, content: "I!", author_id: user_id, notify: false };
  const { id: comment_id } = await call("add_comment", comment);
  assert.deepEqual(await call("update_comment", { comment_id, content: "Me!" }), success);
  assert.deepEqual(await call("delete_comment", { comment_id, confirm: true }), success);
  assert.deepEqual(await call("delete_post", { post_id: duplicate, confirm: true }), success);
});

test("changelog, articles and moderation", async () => {
  const { id: entry_id } = await call("create_changelog_entry", { title: fresh() });
  assert.deepEqual(await call("update_changelog_entry", { entry_id, title: fresh() }), success);
  const { help_collections: collections } = await call("list_setup");
  const { id } = await call("write_article", { title: fresh(), collection_id: collections[0].id });
  assert.deepEqual(await call("write_article", { article_id: id, content: "<p>B</p>" }), success);
  assert(Array.isArray((await call("moderate", { kind: "post" })).items));
  const items = [{ kind: "post", id: await makePost() }];
  const decision = { items, moderation_status_code: "rejected", confirm: true };
  assert.deepEqual(await call("moderate", decision), { success: true, changed: 1 });
});

test("a refusal names the argument", async () => {
  const post_id = await makePost();
  const refused = await client.callTool({ name: "delete_post", arguments: { post_id } });
  assert.equal(refused.isError, true);
  assert.deepEqual(refused.structuredContent.detail[0].loc, ["body", "confirm"]);
  assert.equal((await call("get", { id: post_id })).kind, "post");
});

test("a wrong key gets no tools", async () => {
  const other = new Client({ name: "hearback-tests", version: "1" });
  await assert.rejects(other.connect(transport("hbk_wrong")), /401|[Uu]nauthorized|invalid api_key/);
});
