// The shapes of the answers, and so the interfaces, agree with docs/openapi.json.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as shape from "./shapes.js";
import { client, present, setting } from "./support.js";

type Schema = { $ref?: string; allOf?: Schema[]; oneOf?: Schema[]; type?: string | string[]; enum?: string[]; properties?: Record<string, Schema> };

const { components, paths } = JSON.parse(readFileSync(setting("HEARBACK_TEST_OPENAPI"), "utf8")) as {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, object>;
};

const VIEWS: Record<string, object> = {
  Activity: shape.activity,
  AuditEntry: shape.auditEntry,
  Category: shape.category,
  ChangelogEntry: shape.changelogEntry,
  Comment: shape.comment,
  Company: shape.company,
  Deleted: shape.deleted,
  Delivery: shape.delivery,
  FeedbackBoard: shape.feedbackBoard,
  FeedbackPost: shape.feedbackPost,
  HelpArticle: shape.helpArticle,
  HelpArticleHit: shape.helpArticleHit,
  HelpArticleVersion: shape.helpArticleVersion,
  HelpCategory: shape.helpCategory,
  HelpCollection: shape.helpCollection,
  HelpRedirect: shape.helpRedirect,
  Label: shape.label,
  NewSecret: shape.newSecret,
  NewWebhook: shape.newWebhook,
  Ping: shape.ping,
  ListedHelpArticle: shape.helpArticleSummary,
  QueuedItem: shape.queuedItem,
  RoadmapBoard: shape.roadmapBoard,
  RoadmapPost: shape.roadmapPost,
  SetVote: shape.setVote,
  SetVotes: shape.setVotes,
  SimilarFeedbackPost: shape.similarFeedbackPost,
  Status: shape.status,
  Subscriber: shape.subscriber,
  Tag: shape.tag,
  Upserted: shape.upsertedCompany,
  UpsertedUser: shape.upsertedUser,
  User: shape.user,
  UserExport: shape.userExport,
  Vote: shape.vote,
  Voter: shape.voter,
  Webhook: shape.webhook,
  WebhookTest: shape.webhookTest,
};

/** The members of an object, whose schema may have several parts. */
function members(schema: Schema): Record<string, Schema> {
  const { $ref, allOf, properties } = schema;
  if ($ref !== undefined) {
    return members(present(components.schemas[present($ref.split("/").pop())]));
  }
  return allOf === undefined ? (properties ?? {}) : Object.assign({}, ...allOf.map(members));
}

const mayBeNull = ({ type, oneOf = [] }: Schema): boolean => [type].flat().includes("null") || oneOf.some(mayBeNull);

function compare(given: object, schema: Schema, where: string): void {
  const described = members(schema);
  assert.deepEqual(Object.keys(given).sort(), Object.keys(described).sort(), where);
  for (const [name, kind] of Object.entries(given)) {
    const member = present(described[name]);
    const isNullable = typeof kind === "object" && "orNull" in kind;
    assert.equal(isNullable, mayBeNull(member), `${where}.${name}`);
    const inner: unknown = isNullable ? kind.orNull : kind;
    const some = member.oneOf?.find((one) => !mayBeNull(one)) ?? member;
    assert.deepEqual(Array.isArray(inner) ? inner : undefined, some.enum, `${where}.${name}`);
    if (typeof inner === "object" && inner !== null && !Array.isArray(inner)) {
      compare(inner, some, `${where}.${name}`);
    }
  }
}

for (const [name, given] of Object.entries(VIEWS)) {
  test(`${name} agrees with its description`, () => compare(given, present(components.schemas[name]), name));
}

test("every endpoint of the description has a method", () => {
  const resources: unknown = client;
  for (const path of Object.keys(paths)) {
    const words = path.split("/").slice(4).map((word) => word.replace(/-./g, (found) => found.slice(1).toUpperCase()));
    const method = words.reduce<unknown>((of, word) => (of as Record<string, unknown>)[word], resources);
    assert.equal(typeof method, "function", path);
  }
});

test("every view of the description has a shape", () => {
  const parts = [
    "Created", "Decided", "DeliveryAttempt", "DeliveryWithAttempts", "Event", "HelpArticleRest",
    "HelpCategoryReference", "HelpCollectionReference", "Invalid", "ListedComment", "ListedCompany",
    "ListedFeedbackPost", "ListedRoadmapPost", "ListedUser", "PlainTimestamp", "Replayed", "SeqNumber", "Success",
    "Timestamp", "Tried", "Updated", "Voted",
  ];
  assert.deepEqual([...Object.keys(VIEWS), ...parts].sort(), Object.keys(components.schemas).sort());
});
