// Receives webhooks of Hearback. Node.js 18 or newer, and nothing else:
//
//     WEBHOOK_SECRET=whsec_… PORT=3000 node receiver.mjs
//
// docs/webhooks.md explains the checks of a request.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const SECRET = process.env.WEBHOOK_SECRET; // the secret that `hearback webhook add` printed
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
  // The receiver answers at once and works afterwards. Store an event before the answer if it must
  // survive a crash: Hearback does not send it again after the answer.
  answer(response, 204);
  setImmediate(work, request.headers["webhook-id"], JSON.parse(body));
}

// The body as it came: equal JSON in another form has another signature.
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

// Whether Hearback sent the request as it is and just now.
function isGenuine(headers, body) {
  const hex = createHmac("sha256", SECRET).update(body).digest("hex");
  if (!equal(`sha256=${hex}`, headers["x-service-signature"])) {
    return false;
  }

  // The first signature proves the body. This one proves the delivery's identifier and the time
  // too: without it, a delivery that was seen on the way could be sent again as a new one.
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  const base64 = createHmac("sha256", KEY).update(`${id}.${timestamp}.`).update(body).digest("base64");
  // After a rotation of the secret, there is more than one signature for a day.
  if (!signatures.split(" ").some((signature) => equal(`v1,${base64}`, signature))) {
    return false;
  }
  return Math.abs(Date.now() / 1000 - Number(timestamp)) <= MAX_AGE;
}

// Compares in constant time.
function equal(expected, given = "") {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// Handles each delivery once. A real receiver stores the identifiers with the results of the
// events.
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
  // Other types are ignored: a type may be newer than this program.
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy());
});
server.listen(PORT, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
