import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import * as hearback from "hearback";
import { Hearback } from "hearback";
import { KEY, NOWHERE, URL, client, openPosts, present, serve } from "./support.js";

/** Returns the error of a call, and checks that it has exactly this class. */
async function failure<E extends hearback.HearbackError>(call: Promise<unknown>, Kind: new (...given: never[]) => E): Promise<E> {
  const error: unknown = await call.then(
    () => assert.fail("it did not fail"),
    (error: unknown) => error,
  );
  assert(error instanceof Kind, inspect(error));
  assert.equal(error.constructor, Kind);
  assert.equal(error.name, Kind.name);
  assert(error instanceof hearback.HearbackError);
  return error;
}

test("400 is a BadRequestError", async () => {
  const label_ids = [NOWHERE];
  const error = await failure(client.changelog.create({ title: "No", label_ids }), hearback.BadRequestError);
  assert.equal(error.status, 400);
  assert.equal(error.message, "one or more label_ids do not belong to this organization");
  assert(error.requestId);
});

test("a message outside of an object is read, too", async () => {
  const { items } = await client.helpCollections.list({ limit: 2 });
  const [collection, other] = items.map(present);
  const taken = { collection_id: present(collection).id, slug: present(other).slug };
  const error = await failure(client.helpCollections.update(taken), hearback.BadRequestError);
  assert.equal(error.message, "Slug already exists");
});

test("401 is an UnauthorizedError", async () => {
  const apiKey = `hbk_${"A".repeat(43)}`;
  const error = await failure(new Hearback({ apiKey, baseUrl: URL }).tags.list(), hearback.UnauthorizedError);
  assert.equal(error.status, 401);
  assert.equal(error.message, "invalid api_key");
  assert(!inspect(error).includes(apiKey));
});

test("403 is a ForbiddenError", async () => {
  const closed = present((await client.feedbackBoards.list()).find((board) => !board.is_voting_enabled));
  const post = present((await client.feedbackPosts.list({ board_id: closed.id, limit: 1 })).items[0]);
  const vote = client.votes.toggle({ user_id: post.author_id, post_id: post.id, post_type: "feedback" });
  const error = await failure(vote, hearback.ForbiddenError);
  assert.equal(error.status, 403);
  assert.equal(error.message, "Voting is not permitted for this board");
});

test("404 is a NotFoundError", async () => {
  const error = await failure(client.feedbackPosts.retrieve(NOWHERE), hearback.NotFoundError);
  assert.equal(error.status, 404);
  assert.equal(error.message, "feedback post not found");
  const user_id = present((await openPosts())[0]).author_id;
  await failure(client.votes.toggle({ user_id, post_id: NOWHERE, post_type: "roadmap" }), hearback.NotFoundError);
});

test("422 is an InvalidRequestError with an item for each wrong field", async () => {
  const error = await failure(client.comments.list({ feedback_post_id: "x", limit: 0 }), hearback.InvalidRequestError);
  assert.equal(error.status, 422);
  assert.deepEqual(
    error.items.map(({ type, loc, input }) => ({ type, loc, input })),
    [
      { type: "uuid_parsing", loc: ["body", "feedback_post_id"], input: "x" },
      { type: "greater_than_equal", loc: ["body", "limit"], input: 0 },
    ],
  );
  assert.match(error.message, /^body\.feedback_post_id: .+; body\.limit: ./);
});

test("each status has its class of error, even if a proxy answers", async () => {
  const answers = [
    { status: 503, body: '{"detail":{"error":"temporarily unavailable"}}', Kind: hearback.UnavailableError },
    { status: 500, body: '{"detail":{"error":"internal error"}}', Kind: hearback.ServerError },
    { status: 502, body: "<html>Bad gateway", Kind: hearback.ServerError },
    { status: 429, body: "", Kind: hearback.ApiError },
    { status: 422, body: "null", Kind: hearback.InvalidRequestError },
    { status: 307, body: "", Kind: hearback.ApiError },
    { status: 200, body: "<html>Please log in", Kind: hearback.ApiError },
  ];
  // All at once, since three attempts take more than a second.
  await Promise.all(
    answers.map(async ({ status, body, Kind }) => {
      const server = await serve((_, response) => {
        response.writeHead(status, { "X-Request-Id": "r-1", Location: URL }).end(body);
      });
      try {
        const error = await failure(new Hearback({ apiKey: KEY, baseUrl: server.url }).tags.list(), Kind);
        assert.equal(error.status, status);
        assert.equal(error.requestId, "r-1");
        assert.equal(server.requests.length, status >= 500 ? 3 : 1);
        assert(error.message);
      } finally {
        server.close();
      }
    }),
  );
});

test("an answer that repeats the request does not bring the key into the error", async () => {
  const server = await serve(({ body }, response) => {
    response.writeHead(400).end(JSON.stringify({ detail: `cannot read ${body}` }));
  });
  try {
    const error = await failure(new Hearback({ apiKey: KEY, baseUrl: server.url }).tags.list(), hearback.BadRequestError);
    assert.match(error.message, /^cannot read .*\*\*\*/);
    assert(!inspect(error, { showHidden: true }).includes(KEY));
  } finally {
    server.close();
  }
});

test("no answer is a ConnectionError", async () => {
  const server = await serve(() => {});
  server.close();
  const gone = new Hearback({ apiKey: KEY, baseUrl: server.url });
  const error = await failure(gone.tags.list(), hearback.ConnectionError);
  assert.match(error.message, /no answer from \/tags\/list: .*ECONNREFUSED/);
  assert(!inspect(error, { depth: 9, showHidden: true }).includes(KEY));
});

test("no answer in time is a ConnectionError", async () => {
  const server = await serve(() => {});
  try {
    const impatient = new Hearback({ apiKey: KEY, baseUrl: server.url, timeoutMs: 50 });
    await failure(impatient.tags.list(), hearback.ConnectionError);
    assert.equal(server.requests.length, 3);
  } finally {
    server.close();
  }
});
