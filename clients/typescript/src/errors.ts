/** The base class of all errors of this package. No error contains the API key. */
export class HearbackError extends Error {
  override name = "HearbackError";
}

/** No answer came: the connection failed or the time ran out. `cause` is the error of `fetch`. */
export class ConnectionError extends HearbackError {
  override name = "ConnectionError";
}

/** A webhook request is not a delivery of Hearback, or not a recent one. */
export class InvalidSignatureError extends HearbackError {
  override name = "InvalidSignatureError";
}

/** The parts of an answer that make an error. */
export interface Failure {
  status: number;
  message: string;
  requestId: string | null;
  retryAfterSeconds: number | null;
  items: InvalidItem[];
}

/** One wrong field of a request. */
export interface InvalidItem {
  /** The code of the fault, such as `missing`. */
  type: string;
  /** The place: `body`, the name of the field and, within a list, the index. */
  loc: (string | number)[];
  /** The fault in words. */
  msg: string;
  /** The wrong value. */
  input: unknown;
}

/** An answer that is no success. Most statuses have a subclass. */
export class ApiError extends HearbackError {
  override name = "ApiError";
  readonly status: number;
  /** `X-Request-Id` of the answer, which is also in the server's log. */
  readonly requestId: string | null;
  /** `Retry-After` of the answer, in seconds. */
  readonly retryAfterSeconds: number | null;

  constructor({ status, message, requestId, retryAfterSeconds }: Failure) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 400: a rule of the endpoint forbids the request. */
export class BadRequestError extends ApiError {
  override name = "BadRequestError";
}

/** 401: the API key is invalid. */
export class UnauthorizedError extends ApiError {
  override name = "UnauthorizedError";
}

/** 403: the plan lacks the help center, or the board does not permit votes. */
export class ForbiddenError extends ApiError {
  override name = "ForbiddenError";
}

/** 404: a record of the request is not in the organization. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

/** 422: fields of the request are wrong. */
export class InvalidRequestError extends ApiError {
  override name = "InvalidRequestError";
  /** One item for each wrong field. */
  readonly items: InvalidItem[];

  constructor(failure: Failure) {
    super(failure);
    this.items = failure.items;
  }
}

/** 5xx: a fault of the service. */
export class ServerError extends ApiError {
  override name = "ServerError";
}

/** 503: the service is overloaded or temporarily unavailable. */
export class UnavailableError extends ServerError {
  override name = "UnavailableError";
}

const KINDS: Partial<Record<number, new (failure: Failure) => ApiError>> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  422: InvalidRequestError,
  503: UnavailableError,
};

/** Returns the error for an answer with this status and body. */
export function apiError(status: number, headers: Headers, text: string): ApiError {
  const detail = detailOf(text);
  const items = status === 422 && Array.isArray(detail) ? (detail as InvalidItem[]) : [];
  const Kind = KINDS[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Kind({
    status,
    message: messageOf(detail, items) ?? `the server answered with status ${status}`,
    requestId: headers.get("x-request-id"),
    retryAfterSeconds: secondsOf(headers.get("retry-after")),
    items,
  });
}

function detailOf(text: string): unknown {
  try {
    return JSON.parse(text)?.detail;
  } catch {
    // Not an answer of the service, but of a proxy for example.
    return undefined;
  }
}

// `detail` is an object with the message or, in a few answers, the message itself. In a 422 it is a
// list.
function messageOf(detail: unknown, items: InvalidItem[]): string | undefined {
  if (items.length > 0) {
    return items.map(({ loc, msg }) => `${loc?.join(".")}: ${msg}`).join("; ");
  }
  const message = (detail as { error?: unknown } | null | undefined)?.error ?? detail;
  return typeof message === "string" ? message : undefined;
}

// The header is a number of seconds or a date.
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) {
    return null;
  }
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
