// Receives webhooks of Hearback. Node.js 18 or newer, and nothing else:
//
//     WEBHOOK_SECRET=whsec_… PORT=3000 node receiver.mjs
//
// What is said here of requests is explained in docs/webhooks.md.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const SECRET = process.env.WEBHOOK_SECRET; // as `hearback webhook add` printed it
if (!SECRET) {
  throw new Error("WEBHOOK_SECRET is not set");
}
const KEY = Buffer.from(SECRET.replace(/^whsec_/, ""), "base64");
const PORT = Number(process.env.PORT ?? 3000);
const MAX_BODY = 1024 * 1024; // bytes
const MAX_AGE = 5 * 60; // seconds
const REMEMBERED = 10_000; // deliveries

async function receive(request, response) {
  const length = request.headers["content-length"];
  if (!(Number(length) <= MAX_BODY)) {
    return answer(response.setHeader("Connection", "close"), length ? 413 : 411);
  }
  const body = await read(request);
  if (!isGenuine(request.headers, body)) {
    return answer(response, 401);
  }
  // Answered at once, whatever it is; the work is done afterwards. What must survive a crash is written down before the answer,
  // since nobody sends it again after that.
  answer(response, 204);
  setImmediate(work, request.headers["webhook-id"], JSON.parse(body));
}

// The body as it came: other JSON that says the same has another signature.
async function read(request) {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function answer(response, status) {
  response.writeHead(status).end();
}

// Whether a request is a delivery of Hearback's, as it was sent, and just now.
function isGenuine(headers, body) {
  const hex = createHmac("sha256", SECRET).update(body).digest("hex");
  if (!equal(`sha256=${hex}`, headers["x-service-signature"])) {
    return false;
  }

  // That vouches for the body. This one vouches for the delivery's identifier and for the time as well: without it, somebody who
  // has seen a delivery could send it again as a new one.
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  const base64 = createHmac("sha256", KEY).update(`${id}.${timestamp}.`).update(body).digest("base64");
  // More than one for a day after the secret was rotated.
  if (!signatures.split(" ").some((signature) => equal(`v1,${base64}`, signature))) {
    return false;
  }
  return Math.abs(Date.now() / 1000 - Number(timestamp)) <= MAX_AGE;
}

// Compares in a time that tells nothing of where they differ.
function equal(expected, given = "") {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// Handles each delivery once. A real receiver keeps the identifiers where it keeps what it makes of the events.
const seen = new Set();

function work(id, event) {
  if (seen.has(id)) {
    return;
  }
  seen.add(id);
  if (seen.size > REMEMBERED) {
    seen.delete(seen.values().next().value);
  }
  handle(event);
}

function handle(event) {
  if (event.event === "vote.created") {
    console.log("a vote for", event.data.post_title);
  }
  // Any other is left alone: it may be of a type that there was not when this was written.
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy());
});
server.listen(PORT, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
