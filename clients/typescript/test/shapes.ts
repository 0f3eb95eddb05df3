// The shapes of answers, for checks at run time. The compiler checks that a shape agrees with its
// interface: each member, its type, and whether it may be null.

import assert from "node:assert/strict";
import type * as T from "hearback";

type Text = "text" | "uuid" | "time" | "plain time" | "decimal";

type Kind<V> = null extends V ? { orNull: Base<NonNullable<V>> } : Base<V>;
type Base<V> = [V] extends [string]
  ? string extends V
    ? Text
    : readonly V[]
  : [V] extends [number]
    ? "count" | "number"
    : [V] extends [boolean]
      ? "flag"
      : V extends string[]
        ? "uuids" | "texts"
      : string extends keyof V
        ? "object"
        : Shape<V>;

export type Shape<V> = { readonly [K in keyof V]-?: Kind<V[K]> };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CHECKS: Record<Text | "count" | "number" | "flag" | "uuids" | "texts" | "object", (value: unknown) => boolean> = {
  text: (value) => typeof value === "string",
  uuid: (value) => typeof value === "string" && UUID.test(value),
  time: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  "plain time": (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value),
  decimal: (value) => typeof value === "string" && /^\d+\.\d{4}$/.test(value),
  count: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  texts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  uuids: (value) => Array.isArray(value) && value.every((item) => UUID.test(item)),
};

/** Fails unless the value has exactly the members of the shape. */
export function check<V>(value: V, shape: Shape<V>): void {
  checkShape(value, shape, "the answer");
}

export function checkEach<V>(values: V[], shape: Shape<V>): void {
  assert(values.length > 0, "the list is empty");
  values.forEach((value) => check(value, shape));
}

export function checkPage<V>(page: T.Page<V>, shape: Shape<V>): void {
  const { items, has_next_page, cursor, ...others } = page;
  checkEach(items, shape);
  assert.equal(typeof cursor, has_next_page ? "string" : "object");
  assert.deepEqual(others, {});
}

function checkShape(value: unknown, shape: object, where: string): void {
  assert(typeof value === "object" && value !== null, where);
  assert.deepEqual(Object.keys(value).sort(), Object.keys(shape).sort(), where);
  for (const [name, kind] of Object.entries(shape)) {
    checkKind((value as Record<string, unknown>)[name], kind, `${where}.${name}`);
  }
}

function checkKind(value: unknown, kind: unknown, where: string): void {
  if (typeof kind === "string") {
    const fits = CHECKS[kind as keyof typeof CHECKS](value);
    assert(fits, `${where} is no ${kind}: ${JSON.stringify(value)}`);
  } else if (Array.isArray(kind)) {
    assert(kind.includes(value), `${where} is not one of ${kind.join(", ")}: ${JSON.stringify(value)}`);
  } else if ("orNull" in (kind as object)) {
    if (value !== null) {
      checkKind(value, (kind as { orNull: unknown }).orNull, where);
    }
  } else {
    checkShape(value, kind as object, where);
  }
}

const access = ["public", "signed_in", "team", "custom"] as const;
const moderating = ["off", "first_post", "on"] as const;
const moderation = ["pending", "accepted", "rejected", "spam"] as const;

export const created: Shape<T.Created> = { id: "uuid" };
export const success: Shape<T.Success> = { success: "flag" };
export const voted: Shape<T.Voted> = { voted: "flag" };

export const user: Shape<T.User> = {
  id: "uuid",
  user_id: "uuid",
  email: "text",
  name: "text",
  avatar_url: "text",
  portal_role: "text",
  company_name: "text",
  customer_status: "text",
  created_at: "time",
  is_subscribed: "flag",
  external_id: { orNull: "text" },
  company_id: { orNull: "uuid" },
  locale: "text",
  attributes: "object",
  is_blocked: "flag",
  is_trusted: "flag",
  updated_at: "time",
};

export const upsertedUser: Shape<T.UpsertedUser> = { id: "uuid", user_id: "uuid", created: "flag" };
export const userExport: Shape<T.UserExport> = { user: "object", company: { orNull: "object" }, records: "object" };

export const company: Shape<T.Company> = {
  id: "uuid",
  external_id: "text",
  name: "text",
  monthly_spend: "text",
  customer_status: "text",
  attributes: "object",
  created_at: "time",
  updated_at: "time",
};

export const upsertedCompany: Shape<T.Upserted> = { id: "uuid", created: "flag" };

export const feedbackBoard: Shape<T.FeedbackBoard> = {
  id: "uuid",
  name: "text",
  slug: "text",
  description: { orNull: "text" },
  icon_url: { orNull: "text" },
  is_voting_enabled: "flag",
  is_commenting_enabled: "flag",
  show_post_dates: "flag",
  created_at: "time",
  external_id: { orNull: "text" },
  access_code: access,
  allowed_email_domains: "texts",
  allowed_user_ids: "uuids",
  post_moderation_code: moderating,
  comment_moderation_code: moderating,
  guest_code: ["none", "email", "anonymous"],
  post_template: { orNull: "text" },
};

export const feedbackPost: Shape<T.FeedbackPost> = {
  id: "uuid",
  title: "text",
  description: "text",
  slug: "text",
  board_id: "uuid",
  author_id: "uuid",
  owner_id: { orNull: "uuid" },
  status_id: "uuid",
  category_id: { orNull: "uuid" },
  eta: { orNull: "time" },
  moderation_status_code: moderation,
  created_at: "time",
  updated_at: "time",
  tag_ids: "uuids",
  vote_count: "count",
  comment_count: "count",
  monthly_spend: "text",
  merged_into_id: { orNull: "uuid" },
  external_id: { orNull: "text" },
  eta_is_public: "flag",
  is_pinned: "flag",
  created_by_id: { orNull: "uuid" },
  status_changed_at: "time",
  attributes: "object",
  roadmap_post_ids: "uuids",
};

export const similarFeedbackPost: Shape<T.SimilarFeedbackPost> = { ...feedbackPost, score: "number" };

export const subscriber: Shape<T.Subscriber> = {
  user_id: "uuid",
  name: "text",
  email: "text",
  level: ["all", "status"],
  subscribed_at: "time",
};

export const comment: Shape<T.Comment> = {
  id: "uuid",
  content: "text",
  author_id: "uuid",
  parent_comment_id: { orNull: "uuid" },
  feedback_post_id: "uuid",
  visibility_code: ["public", "internal"],
  moderation_status_code: moderation,
  created_at: "time",
  updated_at: "time",
  external_id: { orNull: "text" },
  is_pinned: "flag",
};

export const vote: Shape<T.Vote> = {
  id: "uuid",
  post_id: "uuid",
  post_type: ["feedback", "roadmap"],
  user_id: "uuid",
  created_by_id: { orNull: "uuid" },
  source_url: { orNull: "text" },
  created_at: "time",
};

export const setVote: Shape<T.SetVote> = { voted: "flag", changed: "flag" };
export const setVotes: Shape<T.SetVotes> = { changed: "count", unchanged: "count" };
export const decided: Shape<T.Decided> = { success: "flag", changed: "count" };
export const deleted: Shape<T.Deleted> = { id: "uuid", is_active: "flag", updated_at: "time" };

export const activity: Shape<T.Activity> = {
  id: "uuid",
  type: [
    "created", "edited", "status_changed", "owner_changed", "merged_in", "merged", "unmerged", "moderated", "deleted",
    "restored",
  ],
  actor_id: { orNull: "uuid" },
  data: "object",
  created_at: "time",
};

export const queuedItem: Shape<T.QueuedItem> = {
  kind: ["post", "comment"],
  id: "uuid",
  post_id: "uuid",
  board_id: "uuid",
  author_id: "uuid",
  title: "text",
  content: "text",
  moderation_status_code: moderation,
  created_at: "time",
};

export const auditEntry: Shape<T.AuditEntry> = {
  id: "uuid",
  at: "time",
  door: ["api", "dashboard", "portal", "command_line", "background"],
  actor_id: { orNull: "uuid" },
  action: "text",
  target_kind: "text",
  target_id: "uuid",
  data: "object",
};

export const voter: Shape<T.Voter> = { user_id: "uuid", name: "text", email: "text", voted_at: "time" };

const mark = {
  id: "uuid",
  name: "text",
  color: "text",
  show_on_feedback: "flag",
  show_on_roadmap: "flag",
  created_at: "time",
} as const;

export const tag: Shape<T.Tag> = {
  ...mark,
  code: { orNull: "text" },
  is_public: "flag",
  external_id: { orNull: "text" },
};

export const category: Shape<T.Category> = {
  ...mark,
  code: "text",
  description: { orNull: "text" },
  external_id: { orNull: "text" },
};

export const status: Shape<T.Status> = {
  ...mark,
  code: "text",
  status_group_code: ["open", "in-progress", "completed", "closed"],
  is_default_status: "flag",
  external_id: { orNull: "text" },
};

export const roadmapBoard: Shape<T.RoadmapBoard> = {
  id: "uuid",
  name: "text",
  slug: "text",
  description: { orNull: "text" },
  icon_url: { orNull: "text" },
  is_voting_enabled: "flag",
  created_at: "time",
  external_id: { orNull: "text" },
  access_code: access,
};

export const roadmapPost: Shape<T.RoadmapPost> = {
  id: "uuid",
  title: "text",
  description: "text",
  slug: "text",
  roadmap_board_id: "uuid",
  author_id: { orNull: "uuid" },
  owner_id: { orNull: "uuid" },
  status_id: "uuid",
  category_id: { orNull: "uuid" },
  eta: { orNull: "time" },
  position: "count",
  created_at: "time",
  updated_at: "time",
  tag_ids: "uuids",
  feedback_post_ids: "uuids",
  vote_count: "count",
  external_id: { orNull: "text" },
};

export const label: Shape<T.Label> = {
  id: "uuid",
  name: "text",
  code: "text",
  color: "text",
  description: { orNull: "text" },
  created_at: "time",
  external_id: { orNull: "text" },
};

export const webhook: Shape<T.Webhook> = {
  id: "uuid",
  url: "text",
  event_types: "texts",
  board_ids: "uuids",
  description: { orNull: "text" },
  is_active: "flag",
  failing_since: { orNull: "time" },
  last_success_at: { orNull: "time" },
  created_at: "time",
};

export const newWebhook: Shape<T.NewWebhook> = { id: "uuid", signing_secret: "text" };

export const newSecret: Shape<T.NewSecret> = { signing_secret: "text" };

export const webhookTest: Shape<T.WebhookTest> = {
  status: { orNull: "count" },
  duration_ms: "count",
  error: { orNull: "text" },
  response: "text",
};

export const delivery: Shape<T.Delivery> = {
  id: "uuid",
  webhook_id: "uuid",
  event_id: "uuid",
  event_type: [
    "post.created", "post.edited", "post.deleted", "post.tag_added", "post.tag_removed",
    "post.status_changed", "comment.created", "comment.edited", "comment.deleted", "vote.created",
    "vote.deleted", "post.restored", "post.merged", "post.unmerged", "roadmap_post.created",
    "roadmap_post.edited", "roadmap_post.deleted", "roadmap_post.status_changed", "user.created",
    "user.updated", "user.deleted", "moderation.queued", "comment.internal_created", "changelog.published",
    "changelog.unpublished", "help_article.published",
  ],
  state: ["pending", "delivered", "failed"],
  attempt_count: "count",
  status: { orNull: "count" },
  error: { orNull: "text" },
  created_at: "time",
  occurred_at: { orNull: "time" },
  next_attempt_at: { orNull: "time" },
  ended_at: { orNull: "time" },
};

export const ping: Shape<T.Ping> = {
  organization_id: "uuid",
  organization_slug: "text",
  timestamp: "time",
};

export const changelogEntry: Shape<T.ChangelogEntry> = {
  id: "uuid",
  title: "text",
  content: "text",
  slug: "text",
  status_code: ["draft", "published", "scheduled"],
  show_on_portal: "flag",
  featured_image_url: { orNull: "text" },
  author_id: { orNull: "uuid" },
  scheduled_at: { orNull: "time" },
  published_at: { orNull: "time" },
  created_at: "time",
  updated_at: "time",
  type: { orNull: ["fixed", "new", "improvement"] },
  label_ids: "uuids",
  post_ids: "uuids",
  notify: "flag",
  notify_voters: "flag",
  external_id: { orNull: "text" },
};

export const helpCollection: Shape<T.HelpCollection> = {
  id: "uuid",
  name: "text",
  slug: "text",
  description: "text",
  icon: "text",
  color: "text",
  seq_number: "decimal",
  category_count: "count",
  created_at: "plain time",
  updated_at: "plain time",
  external_id: { orNull: "text" },
};

export const helpCategory: Shape<T.HelpCategory> = {
  id: "uuid",
  collection_id: "uuid",
  name: "text",
  slug: "text",
  description: { orNull: "text" },
  icon: { orNull: "text" },
  color: { orNull: "text" },
  seq_number: "decimal",
  article_count: "count",
  created_at: "plain time",
  updated_at: "plain time",
  external_id: { orNull: "text" },
};

export const helpArticleHit: Shape<T.HelpArticleHit> = {
  id: "uuid",
  title: "text",
  slug: "text",
  excerpt: { orNull: "text" },
  status_code: ["draft", "published"],
  show_on_portal: "flag",
  collection: { id: "uuid", name: "text", slug: "text" },
  category: { orNull: { id: "uuid", name: "text", slug: "text", collection_id: "uuid" } },
};

export const helpArticleSummary: Shape<T.ListedHelpArticle> = {
  ...helpArticleHit,
  is_favourite: "flag",
  seq_number: "decimal",
  published_at: { orNull: "time" },
  related_article_ids: "uuids",
  author_id: { orNull: "uuid" },
  view_count: "count",
  helpful_count: "count",
  not_helpful_count: "count",
  created_at: "time",
  updated_at: "time",
  external_id: { orNull: "text" },
};

export const helpArticle: Shape<T.HelpArticle> = { ...helpArticleSummary, content: "text" };

export const helpRedirect: Shape<T.HelpRedirect> = {
  id: "uuid",
  from_path: "text",
  to_path: "text",
  created_at: "time",
};

export const helpArticleVersion: Shape<T.HelpArticleVersion> = {
  version: "count",
  author_id: { orNull: "uuid" },
  created_at: "time",
  title: "text",
  content: "text",
};
