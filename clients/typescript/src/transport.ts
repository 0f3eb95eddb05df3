import { ApiError, ConnectionError, ServerError, apiError } from "./errors.js";

export interface HearbackOptions {
  /** The organization's API key, `hbk_…`. It grants access to everything: keep it on a server. */
  apiKey: string;
  /** Where the service is, such as `https://feedback.example.com`. */
  baseUrl: string;
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** How long one attempt may take, in milliseconds; 30,000 unless given. */
  timeoutMs?: number | undefined;
}

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
/** Who has to wait longer than this had better be told. */
const LONGEST_PAUSE_MS = 60_000;

/** Sends requests, again where that may help, and turns answers into values and errors. */
export class Transport {
  // Private members are in no JSON and no `util.inspect`.
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
    // Called without a `this`, which a browser's fetch insists on.
    const fetch = this.#fetch;
    let response: Response;
    let text: string;
    try {
      // A redirect is not followed: it would take the key, which is in the body, elsewhere.
      response = await fetch(this.#baseUrl + path, { ...request, redirect: "manual", signal });
      text = await response.text();
    } catch (cause) {
      throw new ConnectionError(`no answer from ${path}: ${reasonOf(cause)}`, { cause });
    }

    if (!response.ok) {
      // What answers in place of the service may repeat the request.
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

/** How long to wait before the next attempt, in milliseconds; undefined if there is to be none. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (attempt === ATTEMPTS || !(error instanceof ConnectionError || error instanceof ServerError)) {
    return undefined;
  }
  // Up to a tenth more, so that clients that failed together do not come back together.
  const backoff = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 10);
  const asked = error instanceof ServerError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return asked > LONGEST_PAUSE_MS ? undefined : Math.max(backoff, asked);
}

// Node.js says `fetch failed` and keeps the reason in the cause.
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message || message || String(error);
}
