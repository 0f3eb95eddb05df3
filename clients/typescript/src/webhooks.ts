import { webcrypto } from "#webcrypto";
import { InvalidSignatureError } from "./errors.js";
import type { StatusGroup } from "./types.js";

interface PostEvent {
  id: string;
  title: string;
  details: string;
  board_id: string;
  board_name: string;
}

interface PostTagEvent {
  id: string;
  title: string;
  board_id: string;
  board_name: string;
  tag_id: string;
  tag_name: string;
}

interface CommentEvent {
  id: string;
  content: string;
  post_id: string;
  post_title: string;
  board_id: string;
  author_id: string;
  parent_comment_id: string | null;
}

interface VoteEvent {
  /** The identifier of the vote. */
  id: string;
  post_id: string;
  post_title: string;
  board_id: string;
}

/** `data` of each event type. */
export interface WebhookEventData {
  "post.created": PostEvent;
  "post.edited": PostEvent & {
    changed_fields: ("title" | "details" | "board_id" | "category_id" | "owner_id" | "eta")[];
  };
  "post.deleted": PostEvent;
  "post.tag_added": PostTagEvent;
  "post.tag_removed": PostTagEvent;
  "post.status_changed": PostEvent & {
    status_id: string;
    status_group_code: StatusGroup;
    previous_status_id: string;
    previous_status_group_code: StatusGroup;
  };
  "comment.created": CommentEvent;
  "comment.edited": CommentEvent;
  "comment.deleted": CommentEvent;
  "vote.created": VoteEvent;
  "vote.deleted": VoteEvent;
  /** Sent by `hearback webhook test`. */
  "webhook.test": { subscription_id: string };
}

export type WebhookEventType = keyof WebhookEventData;

/** An event, by its type. New types may be added: ignore them. */
export type WebhookEvent = {
  [E in WebhookEventType]: {
    event: E;
    organization_id: string;
    occurred_at: string;
    data: WebhookEventData[E];
  };
}[WebhookEventType];

/** The headers of a request, as objects of `fetch` or of Node.js. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyOptions {
  /** The largest difference between `webhook-timestamp` and the local clock. 300 by default. */
  toleranceSeconds?: number | undefined;
}

/**
 * Checks that a webhook request is a delivery of Hearback, and returns its event.
 *
 * `body` is the unparsed body: equivalent JSON has another signature. `secret` is the signing
 * secret that `hearback webhook add` printed.
 *
 * `X-Service-Signature` covers the body alone. `webhook-signature` also covers the delivery's
 * identifier and the time of the attempt. With a secret that Hearback made, a delivery has both
 * headers, and both are checked.
 *
 * @throws InvalidSignatureError if the request is no delivery, or not a recent one.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (!secret) {
    throw new TypeError("secret is empty");
  }
  const bytes = typeof body === "string" ? utf8(body) : body;

  const hex = /^sha256=([0-9a-f]{64})$/.exec(header(headers, "x-service-signature") ?? "")?.[1];
  if (!hex || !(await isSigned(bytes, utf8(secret), fromHex(hex)))) {
    throw new InvalidSignatureError("X-Service-Signature does not fit the body");
  }

  // If these headers were optional, an attacker could send a recorded delivery again without them.
  const key = standardKey(secret);
  if (key) {
    const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => header(headers, `webhook-${name}`));
    const signed = concatenated(utf8(`${id}.${timestamp}.`), bytes);
    if (!(await isSignedByOne(signed, key, signatures ?? ""))) {
      throw new InvalidSignatureError("webhook-signature does not fit the delivery");
    }
    if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
      throw new InvalidSignatureError("webhook-timestamp is too far from the clock");
    }
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}

/** The key of a secret in the form of Standard Webhooks. Imported secrets may have other forms. */
function standardKey(secret: string): Uint8Array | undefined {
  const key = secret.startsWith("whsec_") ? fromBase64(secret.slice("whsec_".length)) : undefined;
  return key && key.length >= 24 && key.length <= 64 ? key : undefined;
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === "function") {
    return headers.get(name) ?? undefined;
  }
  const value = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return Array.isArray(value) ? value.join(", ") : value;
}

// For a day after a rotation there are two signatures. Signatures of other versions may be added.
async function isSignedByOne(signed: Uint8Array, key: Uint8Array, signatures: string): Promise<boolean> {
  for (const signature of signatures.split(" ")) {
    const bytes = signature.startsWith("v1,") && fromBase64(signature.slice("v1,".length));
    if (bytes && (await isSigned(signed, key, bytes))) {
      return true;
    }
  }
  return false;
}

// `verify` compares in constant time.
async function isSigned(signed: Uint8Array, key: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const { subtle } = webcrypto;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return subtle.verify("HMAC", await subtle.importKey("raw", key, algorithm, false, ["verify"]), signature, signed);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

function fromBase64(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenated(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
