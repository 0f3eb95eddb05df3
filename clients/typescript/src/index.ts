export { Hearback } from "./client.js";
export * from "./errors.js";
export type { WriteOptions } from "./methods.js";
export type { HearbackOptions } from "./transport.js";
export type * from "./types.js";
export {
  verifyWebhook,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookEventData,
  type WebhookEventType,
  type WebhookHeaders,
} from "./webhooks.js";
