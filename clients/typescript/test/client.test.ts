// Behaviour of all endpoints: iteration, and the secrecy of the key.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Hearback } from "hearback";
import { KEY, URL, all, client, present } from "./support.js";

// A client that counts its requests.
function counting() {
  const count = { requests: 0 };
  const counted: typeof fetch = (...given) => {
    count.requests++;
    return fetch(...given);
  };
  return { count, client: new Hearback({ apiKey: KEY, baseUrl: `${URL}/`, fetch: counted }) };
}

test("an iteration walks all pages, one after the other", async () => {
  const { items: expected } = await client.labels.list({ limit: 100 });
  assert(expected.length > 4);

  const { count, client: counted } = counting();
  assert.deepEqual(await all(counted.labels.iterate({ limit: 2 })), expected);
  assert.equal(count.requests, Math.ceil(expected.length / 2));
});

test("an iteration requests a page only when it is needed", async () => {
  const { count, client: counted } = counting();
  for await (const post of counted.feedbackPosts.iterate({ limit: 2 })) {
    assert(post.id);
    break;
  }
  assert.equal(count.requests, 1);
});

test("an iteration keeps its filters", async () => {
  const board_id = present((await client.feedbackPosts.list({ limit: 1 })).items[0]).board_id;
  const posts = await all(client.feedbackPosts.iterate({ board_id, limit: 10 }));
  assert(posts.length > 10);
  assert(posts.every((post) => post.board_id === board_id));
});

test("an iteration of the changelog skips entries at its beginning", async () => {
  const { items } = await client.changelog.list({ sort: "oldest", limit: 8 });
  const found: string[] = [];
  for await (const { id } of client.changelog.iterate({ sort: "oldest", limit: 2, skip: 3 })) {
    if (found.push(id) === 5) {
      break;
    }
  }
  assert.deepEqual(found, items.slice(3).map(({ id }) => id));
});

test("each list can be iterated", async () => {
  const post = present((await all(client.feedbackPosts.iterate())).find((post) => post.comment_count && post.vote_count));
  const query = present((await client.helpArticles.list({ limit: 1 })).items[0]).title;
  for (const items of [
    client.comments.iterate({ feedback_post_id: post.id }),
    client.votes.iterateVoters({ post_id: post.id, post_type: "feedback" }),
    client.helpCollections.iterate({ limit: 1 }),
    client.helpCategories.iterate(),
    client.helpArticles.iterate(),
    client.helpArticles.iterateSearch({ query, limit: 1 }),
  ]) {
    assert((await all<object>(items)).length > 0);
  }
});

test("no printed form contains the key", async () => {
  const shown = [JSON.stringify(client), inspect(client, { depth: 9, showHidden: true }), String(client)];
  const error = await client.users.retrieve({ email: KEY }).catch((error: unknown) => error);
  shown.push(JSON.stringify(error), inspect(error, { depth: 9, showHidden: true }), String(error));
  shown.forEach((text) => assert(!text.includes(KEY), text));
});

test("a client without a key or an address is refused at once", () => {
  assert.throws(() => new Hearback({ apiKey: "", baseUrl: URL }), TypeError);
  assert.throws(() => new Hearback({ apiKey: KEY, baseUrl: "example.com" }), TypeError);
});

test("calls that the API would refuse do not compile", () => {
  const calls = () => [
    // @ts-expect-error
    client.users.retrieve(),
    // @ts-expect-error
    client.users.retrieve({ user_id: "", email: "" }),
    // @ts-expect-error
    client.comments.list(),
    // @ts-expect-error
    client.votes.toggle({ user_id: "", post_id: "", post_type: "other" }),
    // @ts-expect-error
    client.helpArticles.create({ title: "" }),
    // @ts-expect-error
    client.helpArticles.create({ title: "", collection_id: "", category_id: "" }),
  ];
  assert(calls);
});
