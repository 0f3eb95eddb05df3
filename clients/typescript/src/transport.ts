import { ApiError, ConnectionError, ServerError, apiError } from "./errors.js";

export interface HearbackOptions {
  /** The organization's API key, `hbk_…`. It grants access to all data: keep it on a server. */
  apiKey: string;
  /** The address of the service, such as `https://feedback.example.com`. */
  baseUrl: string;
  /** A function in place of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** The limit of one attempt, in milliseconds. 30,000 by default. */
  timeoutMs?: number | undefined;
}

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
/** If `Retry-After` is longer, the call fails at once. */
const LONGEST_PAUSE_MS = 60_000;

/** Sends requests, with retries, and turns answers into values and errors. */
export class Transport {
  // `JSON.stringify` and `util.inspect` do not show private members.
  readonly #apiKey: string;
  readonly #baseUrl: string;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;

  constructor({ apiKey, baseUrl, fetch = globalThis.fetch, timeoutMs = 30_000 }: HearbackOptions) {
    if (!apiKey) {
      throw new TypeError("apiKey is empty");
    }
    this.#apiKey = apiKey;
    this.#baseUrl = `${new URL(baseUrl).href.replace(/\/+$/, "")}/api/external/v1`;
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
  }

  /** Every attempt sends the same bytes and the same idempotency key: a write is done once. */
  async call<R>(path: string, params: object = {}, idempotencyKey?: string): Promise<R> {
    const headers = new Headers({ "Content-Type": "application/json" });
    if (idempotencyKey !== undefined) {
      headers.set("Idempotency-Key", idempotencyKey);
    }
    const body = JSON.stringify({ ...params, api_key: this.#apiKey });

    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt<R>(path, { method: "POST", headers, body });
      } catch (error) {
        const pause = pauseAfter(error, attempt);
        if (pause === undefined) {
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  async #attempt<R>(path: string, request: RequestInit): Promise<R> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    // A browser's `fetch` fails if `this` is another object.
    const fetch = this.#fetch;
    let response: Response;
    let text: string;
    try {
      // Redirects are not followed: they could send the body, with the key, to another server.
      response = await fetch(this.#baseUrl + path, { ...request, redirect: "manual", signal });
      text = await response.text();
    } catch (cause) {
      throw new ConnectionError(`no answer from ${path}: ${reasonOf(cause)}`, { cause });
    }

    if (!response.ok) {
      // The answer of a proxy may repeat the request, with the key.
      throw apiError(response.status, response.headers, text.replaceAll(this.#apiKey, "***"));
    }
    try {
      return JSON.parse(text) as R;
    } catch {
      const requestId = response.headers.get("x-request-id");
      const message = `the answer of ${path} is not JSON`;
      throw new ApiError({ status: response.status, message, requestId, retryAfterSeconds: null, items: [] });
    }
  }
}

/** The pause before the next attempt, in milliseconds. Undefined if there is no next attempt. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (attempt === ATTEMPTS || !(error instanceof ConnectionError || error instanceof ServerError)) {
    return undefined;
  }
  // Up to a tenth more: this spreads the attempts of clients that failed at the same time.
  const backoff = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 10);
  const asked = error instanceof ServerError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return asked > LONGEST_PAUSE_MS ? undefined : Math.max(backoff, asked);
}

// The message of Node.js is `fetch failed`. Its cause has the reason.
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message || message || String(error);
}
