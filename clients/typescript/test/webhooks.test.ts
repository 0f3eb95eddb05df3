import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { mock, test } from "node:test";
import { promisify } from "node:util";
import {
  InvalidSignatureError,
  verifyWebhook,
  type WebhookEvent,
  type WebhookEventData,
  type WebhookEventType,
  type WebhookHeaders,
} from "hearback";
import { check, type Shape } from "./shapes.js";
import { client, openPosts, present, serve, setting } from "./support.js";

// The example of docs/webhooks.md.
const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SENT_AT = 1772357400;
const HEADERS = {
  "Content-Type": "application/json",
  "X-Service-Event": "vote.created",
  "X-Service-Signature": "sha256=8dbdaff857e347f7d0eabcf2414b72e7d471ffa5e9ffbb7c9cd828c1a36ff785",
  "X-Service-Webhook-Id": "0199aabb-ccdd-7eee-8fff-001122334455",
  "X-Service-Delivery-Id": "cfc0356d-8612-54eb-a4d2-4ba6b70a12f0",
  "X-Service-Attempt": "1",
  "webhook-id": "cfc0356d-8612-54eb-a4d2-4ba6b70a12f0",
  "webhook-timestamp": `${SENT_AT}`,
  "webhook-signature": "v1,ijCbcYqLzgdgEL+1Jluu2K3fEly6BK7ivr7U65CskF4=",
};
const BODY =
  '{"event":"vote.created","organization_id":"0190a1b2-c3d4-7000-8000-000000000001","occurred_at":"2026-03-01T09:30:00.120Z",' +
  '"data":{"id":"0190a1b2-c3d4-7000-8000-00000000000a","post_id":"0190a1b2-c3d4-7000-8000-000000000b05","post_title":"Dark mode",' +
  '"board_id":"0190a1b2-c3d4-7000-8000-000000000b0a"}}';

const hmac = (body: string, secret: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** Verifies a delivery, `seconds` after the example was sent. */
async function verify(body: string | Uint8Array, headers: WebhookHeaders, secret = SECRET, seconds = 1, options = {}) {
  const now = mock.method(Date, "now", () => (SENT_AT + seconds) * 1000);
  const verified = verifyWebhook(body, headers, secret, options);
  return verified.finally(() => now.mock.restore());
}

test("the documented example is verified, as text and as bytes, with headers of every form", async () => {
  const event = await verify(BODY, HEADERS);
  assert.deepEqual(event, JSON.parse(BODY));
  // The type of an event determines the type of its data.
  assert(event.event === "vote.created");
  assert.equal(event.data.post_title, "Dark mode");

  assert.deepEqual(await verify(Buffer.from(BODY), new Headers(HEADERS)), event);
  const lowered = Object.entries(HEADERS).map(([name, value]) => [name.toLowerCase(), value]);
  assert.deepEqual(await verify(new TextEncoder().encode(BODY), Object.fromEntries(lowered)), event);
});

test("a changed delivery is refused", async () => {
  const forged = `v1,${Buffer.alloc(32).toString("base64")}`;
  const { "X-Service-Signature": signature, ...unsigned } = HEADERS;
  const { "webhook-id": _, ...nameless } = HEADERS;
  const attempts: [string, WebhookHeaders, string?][] = [
    [BODY.replace("Dark", "dark"), HEADERS],
    [`${BODY} `, HEADERS],
    [BODY, HEADERS, SECRET.replace("A", "B")],
    [BODY, {}],
    [BODY, unsigned],
    [BODY, nameless],
    [BODY, { ...HEADERS, "X-Service-Signature": signature.slice("sha256=".length) }],
    [BODY, { ...HEADERS, "X-Service-Signature": signature.slice(0, -2) }],
    [BODY, { ...HEADERS, "X-Service-Signature": hmac(BODY, "other") }],
    [BODY, { ...HEADERS, "webhook-id": "another" }],
    [BODY, { ...HEADERS, "webhook-timestamp": `${SENT_AT + 1}` }],
    [BODY, { ...HEADERS, "webhook-signature": forged }],
    [BODY, { ...HEADERS, "webhook-signature": "" }],
    [BODY, { ...HEADERS, "webhook-signature": "v1,?" }],
    // A recorded delivery, without the headers that cover the time.
    [BODY, { "X-Service-Signature": signature }],
  ];
  for (const [body, headers, secret] of attempts) {
    await assert.rejects(verify(body, headers, secret), InvalidSignatureError, JSON.stringify([body, headers, secret]));
  }
  await assert.rejects(verify(BODY, HEADERS, ""), TypeError);
});

test("one of several signatures is enough", async () => {
  const others = `v1a,abc v1,${Buffer.alloc(32).toString("base64")}`;
  await verify(BODY, { ...HEADERS, "webhook-signature": `${others} ${HEADERS["webhook-signature"]}` });
});

test("an old delivery is refused, and one from the future", async () => {
  await verify(BODY, HEADERS, SECRET, 300);
  await verify(BODY, HEADERS, SECRET, -300);
  await assert.rejects(verify(BODY, HEADERS, SECRET, 301), InvalidSignatureError);
  await assert.rejects(verify(BODY, HEADERS, SECRET, -301), InvalidSignatureError);
  await verify(BODY, HEADERS, SECRET, 3600, { toleranceSeconds: 3600 });
  await assert.rejects(verify(BODY, HEADERS, SECRET, 11, { toleranceSeconds: 10 }), InvalidSignatureError);
});

test("a delivery with an imported secret of another form has X-Service-Signature alone", async () => {
  const secret = "päss word";
  assert.deepEqual(await verify(BODY, { "x-service-signature": hmac(BODY, secret) }, secret), JSON.parse(BODY));
});

const post = { id: "uuid", title: "text", details: "text", board_id: "uuid", board_name: "text" } as const;
const tag = { id: "uuid", title: "text", board_id: "uuid", board_name: "text", tag_id: "uuid", tag_name: "text" } as const;
const comment = {
  id: "uuid",
  content: "text",
  post_id: "uuid",
  post_title: "text",
  board_id: "uuid",
  author_id: "uuid",
  parent_comment_id: { orNull: "uuid" },
} as const;
const vote = { id: "uuid", post_id: "uuid", post_title: "text", board_id: "uuid" } as const;
const groups = ["open", "in-progress", "completed", "closed"] as const;

// The test checks `changed_fields` by itself.
type Data<E extends WebhookEventType> = Omit<WebhookEventData[E], "changed_fields">;

const SHAPES: { [E in WebhookEventType]: Shape<Data<E>> } = {
  "post.created": post,
  "post.edited": post,
  "post.deleted": post,
  "post.tag_added": tag,
  "post.tag_removed": tag,
  "post.status_changed": {
    ...post,
    status_id: "uuid",
    status_group_code: groups,
    previous_status_id: "uuid",
    previous_status_group_code: groups,
  },
  "comment.created": comment,
  "comment.edited": comment,
  "comment.deleted": comment,
  "vote.created": vote,
  "vote.deleted": vote,
  "webhook.test": { subscription_id: "uuid" },
};

async function hearback(...command: string[]): Promise<string> {
  // The receiver is on the loopback interface.
  const env = { ...process.env, HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS: "true" };
  const { stdout } = await promisify(execFile)(setting("HEARBACK_TEST_BINARY"), command, { env });
  return stdout;
}

test("real deliveries are verified, and have the members of their types", { timeout: 60_000 }, async () => {
  const organization = ["--organization", process.env["HEARBACK_ORGANIZATION"] ?? "weekwright"];
  let secret = "";
  const events: WebhookEvent[] = [];
  const failures: unknown[] = [];
  let arrived = () => {};
  const receiver = await serve(({ headers, body }, response) => {
    verifyWebhook(body, headers, secret)
      .then(
        (event) => {
          events.push(event);
          response.writeHead(204).end();
        },
        (error: unknown) => {
          failures.push(error);
          response.writeHead(401).end();
        },
      )
      .finally(() => arrived());
  });
  const added = await hearback("webhook", "add", ...organization, "--url", receiver.url, "--event", "vote.created", "--event", "vote.deleted");
  const id = present(added.trim().split("\t")[0]);
  secret = present(added.trim().split("\t")[1]);
  try {
    await hearback("webhook", "test", ...organization, "--id", id);
    for (const type of Object.keys(SHAPES).filter((type) => type !== "webhook.test")) {
      await hearback("webhook", "test", ...organization, "--id", id, "--event", type);
    }
    assert.deepEqual(events.map(({ event }) => event).sort(), Object.keys(SHAPES).sort());

    // Other tests vote as well, for other posts.
    const voted = present((await openPosts())[3]);
    const change = { user_id: voted.author_id, post_id: voted.id, post_type: "feedback" } as const;
    const expected: string[] = [];
    for (let i = 0; i < 2; i++) {
      expected.push((await client.votes.toggle(change)).voted ? "vote.created" : "vote.deleted");
    }
    const mine = () => events.filter(({ data }) => "post_id" in data && data.post_id === voted.id);
    while (mine().length < 2 && failures.length === 0) {
      await new Promise<void>((resolve) => (arrived = resolve));
    }
    assert.deepEqual(failures, []);
    assert.deepEqual(mine().map(({ event }) => event).sort(), expected.sort());

    for (const { event, data } of events) {
      const { changed_fields, ...others } = data as { changed_fields?: unknown };
      check<object>(others, SHAPES[event]);
      assert.equal(Array.isArray(changed_fields), event === "post.edited");
    }
  } finally {
    await hearback("webhook", "remove", ...organization, "--id", id, "--yes");
    receiver.close();
  }
});
