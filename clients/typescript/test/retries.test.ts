import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { mock, test } from "node:test";
import { BadRequestError, Hearback, NotFoundError, UnavailableError } from "hearback";
import { KEY, NOWHERE, URL as SERVER, client, hasVote, openPosts, present, serve } from "./support.js";

interface Exchange {
  request: string;
  answer: string;
}

/** A proxy to the server. It cuts the first connection in place of the first answer. */
async function cuttingProxy() {
  const exchanges: Exchange[] = [];
  const sockets: Socket[] = [];
  const { hostname, port } = new URL(SERVER);
  const proxy = createServer((downstream) => {
    const upstream = connect(Number(port), hostname);
    sockets.push(downstream, upstream);
    const exchange = { request: "", answer: "" };
    const isCut = exchanges.push(exchange) === 1;
    downstream.on("data", (data) => {
      exchange.request += data;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      exchange.answer += data;
      if (isCut) {
        downstream.destroy();
      } else {
        downstream.write(data);
      }
    });
    for (const [socket, other] of [[upstream, downstream], [downstream, upstream]] as const) {
      socket.on("error", () => {}).on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    exchanges,
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close(): void {
      proxy.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}

const idempotencyKey = (request: string) => /^idempotency-key: (.+)\r$/im.exec(request)?.[1];

test("a vote whose answer was lost is cast once", async () => {
  const post = present((await openPosts())[1]);
  const before = await hasVote(post);
  const proxy = await cuttingProxy();
  try {
    const unlucky = new Hearback({ apiKey: KEY, baseUrl: proxy.url });
    const { voted } = await unlucky.votes.toggle({ user_id: post.author_id, post_id: post.id, post_type: "feedback" });

    assert.equal(voted, !before);
    assert.equal(await hasVote(post), !before);
    const [first, second, ...others] = proxy.exchanges;
    assert.deepEqual(others, []);
    assert.match(present(first).answer, /^HTTP\/1.1 200 /);
    assert.doesNotMatch(present(first).answer, /idempotent-replayed/i);
    assert.match(present(second).answer, /^idempotent-replayed: true\r$/im);
    assert.match(present(idempotencyKey(present(first).request)), /^[0-9a-f-]{36}$/);
    assert.equal(idempotencyKey(present(second).request), idempotencyKey(present(first).request));
  } finally {
    proxy.close();
  }
});

test("a key that the caller gives makes two calls one write", async () => {
  const post = present((await openPosts())[2]);
  const before = await hasVote(post);
  const vote = { user_id: post.author_id, post_id: post.id, post_type: "feedback" } as const;
  const options = { idempotencyKey: randomUUID() };
  assert.deepEqual(await client.votes.toggle(vote, options), { voted: !before });
  assert.deepEqual(await client.votes.toggle(vote, options), { voted: !before });
  assert.equal(await hasVote(post), !before);
});

test("each write has a key of its own, a read has none", async () => {
  const server = await serve((_, response) => response.end("{}"));
  try {
    const local = new Hearback({ apiKey: KEY, baseUrl: server.url });
    await local.changelog.create({ title: "One" });
    await local.changelog.create({ title: "One" });
    await local.categories.retrieve(NOWHERE);
    const [one, another, read] = server.requests.map(({ headers }) => headers["idempotency-key"]);
    assert(one && another && one !== another);
    assert.equal(read, undefined);
  } finally {
    server.close();
  }
});

test("a key that is not a valid header fails at once", async () => {
  await assert.rejects(client.changelog.create({ title: "No" }, { idempotencyKey: "a\nb" }), TypeError);
  await assert.rejects(client.changelog.create({ title: "No" }, { idempotencyKey: "" }), BadRequestError);
});

test("a 4xx is not tried again", async () => {
  const paths: string[] = [];
  const counted: typeof fetch = (...given) => {
    paths.push(String(given[0]));
    return fetch(...given);
  };
  const counting = new Hearback({ apiKey: KEY, baseUrl: SERVER, fetch: counted });
  await assert.rejects(counting.categories.retrieve(NOWHERE), NotFoundError);
  assert.deepEqual(paths, [`${SERVER.replace(/\/$/, "")}/api/external/v1/categories/retrieve`]);
});

/** Fails `failures` times, then answers. Returns the requests, and the pauses in milliseconds. */
async function failing(failures: number, headers: Record<string, string> = {}) {
  const sent: string[] = [];
  const pauses: number[] = [];
  const fails: typeof fetch = async (url, request) => {
    const key = new Headers(request?.headers).get("idempotency-key");
    const nth = sent.push(`${url} ${key} ${request?.body}`);
    return nth <= failures ? new Response("{}", { status: 503, headers }) : new Response('{"id":"1"}');
  };
  // The mock notes pauses without waiting. `fails` uses no network, so nothing else sets a timer.
  const timers = mock.method(globalThis, "setTimeout", (resume: () => void, pause: number) => {
    pauses.push(pause);
    queueMicrotask(resume);
  });
  try {
    await new Hearback({ apiKey: KEY, baseUrl: SERVER, fetch: fails }).changelog.create({ title: "One" });
  } finally {
    timers.mock.restore();
  }
  return { sent, pauses };
}

test("the pauses between attempts grow, and every attempt sends the same", async () => {
  const { sent, pauses } = await failing(2);
  assert.equal(pauses.length, 2);
  const [first, second] = [present(pauses[0]), present(pauses[1])];
  assert(first >= 500 && first <= 550, `${first}`);
  assert(second >= 1000 && second <= 1100, `${second}`);
  assert.equal(sent.length, 3);
  assert.equal(new Set(sent).size, 1);
});

test("Retry-After is waited for", async () => {
  const { pauses } = await failing(1, { "Retry-After": "7" });
  assert.deepEqual(pauses, [7000]);
});

test("Retry-After may be a date", async () => {
  const now = mock.method(Date, "now", () => Date.UTC(2026, 0, 1));
  try {
    const { pauses } = await failing(1, { "Retry-After": "Thu, 01 Jan 2026 00:00:09 GMT" });
    assert.deepEqual(pauses, [9000]);
  } finally {
    now.mock.restore();
  }
});

test("a long Retry-After fails the call at once", async () => {
  const server = await serve((_, response) => response.writeHead(503, { "Retry-After": "3600" }).end());
  try {
    const error = await new Hearback({ apiKey: KEY, baseUrl: server.url }).tags.list().catch((error: unknown) => error);
    assert(error instanceof UnavailableError);
    assert.equal(error.retryAfterSeconds, 3600);
    assert.equal(server.requests.length, 1);
  } finally {
    server.close();
  }
});
