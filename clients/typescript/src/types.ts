// The requests and answers, with the names of the JSON. Identifiers are UUIDs. Times are ISO 8601
// in UTC: 2026-03-01T09:30:00.120Z, and 2026-03-01T09:30:00 for help collections and help categories.
// The file is generated: see clients/generate.

/** Exactly one of the members. */
type ExactlyOne<T> = {
  [K in keyof T]: { [P in K]: T[P] } & { [P in Exclude<keyof T, K>]?: null | undefined };
}[keyof T];

/** At least one of the members. */
type AtLeastOne<T> = {
  [K in keyof T]: { [P in K]: T[P] } & { [P in Exclude<keyof T, K>]?: T[P] | null | undefined };
}[keyof T];

export interface Page<T> {
  items: T[];
  has_next_page: boolean;
  /** The cursor for the next page, or null on the last page. */
  cursor: string | null;
}

export type ActivityType = "created" | "edited" | "status_changed" | "owner_changed" | "merged_in" | "merged" | "unmerged" | "moderated" | "deleted" | "restored";
export type AuditEntryDoor = "api" | "dashboard" | "portal" | "command_line" | "background";
export type ChangelogEntryStatus = "draft" | "published" | "scheduled";
export type ChangelogEntryType = "fixed" | "new" | "improvement";
export type Visibility = "public" | "internal";
export type ModerationStatus = "pending" | "accepted" | "rejected" | "spam";
export type EventType = "post.created" | "post.edited" | "post.deleted" | "post.tag_added" | "post.tag_removed" | "post.status_changed" | "comment.created" | "comment.edited" | "comment.deleted" | "vote.created" | "vote.deleted" | "post.restored" | "post.merged" | "post.unmerged" | "roadmap_post.created" | "roadmap_post.edited" | "roadmap_post.deleted" | "roadmap_post.status_changed" | "user.created" | "user.updated" | "user.deleted" | "moderation.queued" | "comment.internal_created" | "changelog.published" | "changelog.unpublished" | "help_article.published";
export type DeliveryState = "pending" | "delivered" | "failed";
export type Access = "public" | "signed_in" | "team" | "custom";
export type PostModeration = "off" | "first_post" | "on";
export type Guest = "none" | "email" | "anonymous";
export type HelpArticleStatus = "draft" | "published";
export type QueuedItemKind = "post" | "comment";
export type StatusGroup = "open" | "in-progress" | "completed" | "closed";
export type SubscriberLevel = "all" | "status";
export type PostType = "feedback" | "roadmap";
export type UserSort = "newest" | "oldest" | "name" | "updated";
export type UserClear = "external_id" | "company_id" | "attributes";
export type UserContent = "anonymize" | "delete";
export type CompanySort = "newest" | "oldest" | "name" | "updated" | "spend";
export type FeedbackBoardClear = "description" | "icon_url" | "post_template" | "external_id";
export type FeedbackPostClear = "category_id" | "owner_id" | "eta" | "attributes" | "external_id";
export type FeedbackPostSort = "newest" | "oldest" | "votes" | "trending" | "updated" | "spend";
export type CommentClear = "external_id";
export type CategoryClear = "description" | "external_id";
export type RoadmapBoardClear = "description" | "icon_url" | "external_id";
export type RoadmapPostClear = "category_id" | "owner_id" | "author_id" | "eta" | "external_id";
export type WebhookClear = "description";
export type ChangelogSort = "newest" | "oldest" | "published";
export type ChangelogClear = "type" | "featured_image_url" | "author_id" | "external_id";
export type HelpArticleSort = "updated" | "newest" | "oldest" | "title" | "position";
export type HelpArticleClear = "excerpt" | "author_id" | "external_id";

/** Something that happened to a feedback post. */
export interface Activity {
  id: string;
  type: ActivityType;
  /** The acting user, or null if only the key is known. */
  actor_id: string | null;
  data: Record<string, unknown>;
  created_at: string;
}

/** A change of a record. */
export interface AuditEntry {
  id: string;
  at: string;
  door: AuditEntryDoor;
  /** The acting user, or null if only the key is known. */
  actor_id: string | null;
  /** The path of the endpoint, or the command. */
  action: string;
  target_kind: string;
  target_id: string;
  data: Record<string, unknown>;
}

export interface Category {
  id: string;
  name: string;
  code: string;
  description: string | null;
  color: string;
  show_on_feedback: boolean;
  show_on_roadmap: boolean;
  created_at: string;
  external_id: string | null;
}

export interface ChangelogEntry {
  id: string;
  title: string;
  content: string;
  slug: string;
  status_code: ChangelogEntryStatus;
  show_on_portal: boolean;
  featured_image_url: string | null;
  author_id: string | null;
  scheduled_at: string | null;
  published_at: string | null;
  created_at: string;
  updated_at: string;
  type: ChangelogEntryType | null;
  label_ids: string[];
  /** The feedback posts that the entry answers. */
  post_ids: string[];
  /** Whether all who receive mail are mailed when the entry is published. */
  notify: boolean;
  /** Whether the subscribers of linked posts are mailed when the entry is published. */
  notify_voters: boolean;
  external_id: string | null;
}

export interface Comment {
  id: string;
  content: string;
  author_id: string;
  parent_comment_id: string | null;
  feedback_post_id: string;
  visibility_code: Visibility;
  moderation_status_code: ModerationStatus;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  is_pinned: boolean;
}

export interface Company {
  id: string;
  external_id: string;
  name: string;
  /** A decimal with two places. */
  monthly_spend: string;
  customer_status: string;
  attributes: Record<string, string | number | boolean>;
  created_at: string;
  updated_at: string;
}

export interface Created {
  id: string;
}

export interface Decided {
  success: true;
  /** The number of changed records. */
  changed: number;
}

/** A deleted record of a list. */
export interface Deleted {
  id: string;
  is_active: boolean;
  updated_at: string;
}

/** The delivery of an event to a webhook. */
export interface Delivery {
  /** The receiver sees it, the same on every attempt. */
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: EventType;
  state: DeliveryState;
  attempt_count: number;
  /** The status of the last attempt, or null. */
  status: number | null;
  /** The class of the last attempt's failure, such as `timeout`, or null. */
  error: string | null;
  created_at: string;
  /** When it was first sent. */
  occurred_at: string | null;
  next_attempt_at: string | null;
  ended_at: string | null;
}

export interface DeliveryAttempt {
  at: string;
  /** Null if there was no response. */
  status: number | null;
  duration_ms: number;
  /** The class of the failure, such as `timeout`, or null. */
  error: string | null;
  /** The first KiB of the body. */
  response: string;
}

export interface DeliveryWithAttempts {
  /** The receiver sees it, the same on every attempt. */
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: EventType;
  state: DeliveryState;
  attempt_count: number;
  /** The status of the last attempt, or null. */
  status: number | null;
  /** The class of the last attempt's failure, such as `timeout`, or null. */
  error: string | null;
  created_at: string;
  /** When it was first sent. */
  occurred_at: string | null;
  next_attempt_at: string | null;
  ended_at: string | null;
  attempts: DeliveryAttempt[];
}

/** An event of the ledger. */
export interface Event {
  id: string;
  event: EventType;
  occurred_at: string;
  /** The `data` that webhooks get. */
  data: Record<string, unknown>;
}

export interface FeedbackBoard {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  icon_url: string | null;
  is_voting_enabled: boolean;
  is_commenting_enabled: boolean;
  show_post_dates: boolean;
  created_at: string;
  external_id: string | null;
  access_code: Access;
  allowed_email_domains: string[];
  allowed_user_ids: string[];
  post_moderation_code: PostModeration;
  comment_moderation_code: PostModeration;
  guest_code: Guest;
  post_template: string | null;
}

export interface FeedbackPost {
  id: string;
  title: string;
  description: string;
  slug: string;
  board_id: string;
  author_id: string;
  owner_id: string | null;
  status_id: string;
  category_id: string | null;
  eta: string | null;
  moderation_status_code: ModerationStatus;
  created_at: string;
  updated_at: string;
  tag_ids: string[];
  vote_count: number;
  comment_count: number;
  /** The spend of the voters' companies, a decimal with two places. */
  monthly_spend: string;
  merged_into_id: string | null;
  external_id: string | null;
  eta_is_public: boolean;
  is_pinned: boolean;
  /** The user who filed the post for its author. */
  created_by_id: string | null;
  status_changed_at: string;
  attributes: Record<string, string | number | boolean>;
  /** The roadmap posts that it is linked to. */
  roadmap_post_ids: string[];
}

/** An article by itself. */
export interface HelpArticle {
  id: string;
  title: string;
  slug: string;
  excerpt: string | null;
  status_code: HelpArticleStatus;
  show_on_portal: boolean;
  collection: HelpCollectionReference;
  /** Null if the article is directly in the collection. */
  category: HelpCategoryReference | null;
  is_favourite: boolean;
  seq_number: string;
  published_at: string | null;
  related_article_ids: string[];
  author_id: string | null;
  view_count: number;
  helpful_count: number;
  not_helpful_count: number;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  content: string;
}

/** What a search shows, and every article begins with. */
export interface HelpArticleHit {
  id: string;
  title: string;
  slug: string;
  excerpt: string | null;
  status_code: HelpArticleStatus;
  show_on_portal: boolean;
  collection: HelpCollectionReference;
  /** Null if the article is directly in the collection. */
  category: HelpCategoryReference | null;
}

export interface HelpArticleVersion {
  version: number;
  author_id: string | null;
  created_at: string;
  title: string;
  content: string;
}

export interface HelpCategory {
  id: string;
  collection_id: string;
  name: string;
  slug: string;
  description: string | null;
  icon: string | null;
  color: string | null;
  seq_number: string;
  article_count: number;
  created_at: string;
  updated_at: string;
  external_id: string | null;
}

export interface HelpCategoryReference {
  id: string;
  name: string;
  slug: string;
  collection_id: string;
}

export interface HelpCollection {
  id: string;
  name: string;
  slug: string;
  description: string;
  icon: string;
  color: string;
  seq_number: string;
  category_count: number;
  created_at: string;
  updated_at: string;
  external_id: string | null;
}

export interface HelpCollectionReference {
  id: string;
  name: string;
  slug: string;
}

export interface HelpRedirect {
  id: string;
  from_path: string;
  to_path: string;
  created_at: string;
}

export interface Label {
  id: string;
  name: string;
  code: string;
  color: string;
  description: string | null;
  created_at: string;
  external_id: string | null;
}

/** An article of a list. */
export interface ListedHelpArticle {
  id: string;
  title: string;
  slug: string;
  excerpt: string | null;
  status_code: HelpArticleStatus;
  show_on_portal: boolean;
  collection: HelpCollectionReference;
  /** Null if the article is directly in the collection. */
  category: HelpCategoryReference | null;
  is_favourite: boolean;
  seq_number: string;
  published_at: string | null;
  related_article_ids: string[];
  author_id: string | null;
  view_count: number;
  helpful_count: number;
  not_helpful_count: number;
  created_at: string;
  updated_at: string;
  external_id: string | null;
}

export interface NewSecret {
  /** Is not shown again. */
  signing_secret: string;
}

export interface NewWebhook {
  id: string;
  /** Is not shown again. */
  signing_secret: string;
}

export interface Ping {
  organization_id: string;
  organization_slug: string;
  timestamp: string;
}

/** A post or a comment with a state of moderation. */
export interface QueuedItem {
  kind: QueuedItemKind;
  id: string;
  post_id: string;
  board_id: string;
  author_id: string;
  title: string;
  content: string;
  moderation_status_code: ModerationStatus;
  created_at: string;
}

export interface Replayed {
  /** The number of deliveries that are sent again. */
  replayed: number;
}

export interface RoadmapBoard {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  icon_url: string | null;
  is_voting_enabled: boolean;
  created_at: string;
  external_id: string | null;
  access_code: Access;
}

export interface RoadmapPost {
  id: string;
  title: string;
  description: string;
  slug: string;
  roadmap_board_id: string;
  author_id: string | null;
  owner_id: string | null;
  status_id: string;
  category_id: string | null;
  eta: string | null;
  /** The number of the post on its board, from 1. */
  position: number;
  created_at: string;
  updated_at: string;
  tag_ids: string[];
  /** The linked feedback posts. */
  feedback_post_ids: string[];
  vote_count: number;
  external_id: string | null;
}

export interface SetVote {
  voted: boolean;
  /** Whether the call cast or withdrew the vote. */
  changed: boolean;
}

export interface SetVotes {
  /** The number of votes that the call cast or withdrew. */
  changed: number;
  unchanged: number;
}

export interface SimilarFeedbackPost {
  id: string;
  title: string;
  description: string;
  slug: string;
  board_id: string;
  author_id: string;
  owner_id: string | null;
  status_id: string;
  category_id: string | null;
  eta: string | null;
  moderation_status_code: ModerationStatus;
  created_at: string;
  updated_at: string;
  tag_ids: string[];
  vote_count: number;
  comment_count: number;
  /** The spend of the voters' companies, a decimal with two places. */
  monthly_spend: string;
  merged_into_id: string | null;
  external_id: string | null;
  eta_is_public: boolean;
  is_pinned: boolean;
  /** The user who filed the post for its author. */
  created_by_id: string | null;
  status_changed_at: string;
  attributes: Record<string, string | number | boolean>;
  /** The roadmap posts that it is linked to. */
  roadmap_post_ids: string[];
  /** From 0 to 1. */
  score: number;
}

export interface Status {
  id: string;
  name: string;
  code: string;
  color: string;
  status_group_code: StatusGroup;
  is_default_status: boolean;
  show_on_feedback: boolean;
  show_on_roadmap: boolean;
  created_at: string;
  external_id: string | null;
}

export interface Subscriber {
  user_id: string;
  name: string;
  email: string;
  level: SubscriberLevel;
  subscribed_at: string;
}

export interface Success {
  success: true;
}

export interface Tag {
  id: string;
  name: string;
  code: string | null;
  color: string;
  show_on_feedback: boolean;
  show_on_roadmap: boolean;
  created_at: string;
  is_public: boolean;
  external_id: string | null;
}

export interface DryRun {
  dry_run: true;
  effects: Record<string, number>;
}

/** The answer of a write with `dry_run`. */
export type Tried = Success | DryRun;

export interface Updated {
  success: true;
  /** The number of changed records. */
  updated: number;
}

export interface Upserted {
  id: string;
  /** Whether the call made the record. */
  created: boolean;
}

export interface UpsertedUser {
  id: string;
  user_id: string;
  /** Whether the call made the record. */
  created: boolean;
}

/** A person in the organization. Unknown texts are `""`. */
export interface User {
  /** The identifier of the user's link to the organization. */
  id: string;
  /** The identifier of the person. Authors, owners and voters have it. */
  user_id: string;
  email: string;
  name: string;
  avatar_url: string;
  /** For example `end_user`, `member`, `admin` or `owner`. */
  portal_role: string;
  company_name: string;
  customer_status: string;
  created_at: string;
  is_subscribed: boolean;
  external_id: string | null;
  company_id: string | null;
  locale: string;
  attributes: Record<string, string | number | boolean>;
  is_blocked: boolean;
  /** Whether posts and comments of the user need no moderation. */
  is_trusted: boolean;
  updated_at: string;
}

/** A person, with the records that refer to the person. */
export interface UserExport {
  user: Record<string, unknown>;
  company: Record<string, unknown> | null;
  /** The records by their kind, as the portable format has them. */
  records: Record<string, unknown>;
}

export interface Vote {
  id: string;
  post_id: string;
  post_type: PostType;
  user_id: string;
  /** The user who cast the vote for the voter. */
  created_by_id: string | null;
  source_url: string | null;
  created_at: string;
}

export interface Voted {
  /** Whether the user has a vote now. */
  voted: boolean;
}

export interface Voter {
  user_id: string;
  name: string;
  email: string;
  voted_at: string;
}

/** A receiver of events. */
export interface Webhook {
  id: string;
  url: string;
  /** Empty: the types of the contract. */
  event_types: EventType[];
  /** The feedback boards whose events it gets. Empty: all, and events without a board. */
  board_ids: string[];
  description: string | null;
  is_active: boolean;
  /** When the first attempt failed since the last success, or null. */
  failing_since: string | null;
  /** When it last took a delivery, to the minute, or null. */
  last_success_at: string | null;
  created_at: string;
}

export interface WebhookTest {
  /** Null if there was no response. */
  status: number | null;
  duration_ms: number;
  /** The class of the failure, such as `timeout`, or null. */
  error: string | null;
  /** The first KiB of the body. */
  response: string;
}

export interface UsersRetrieveBy {
  user_id: string;
  email: string;
}

export type UsersRetrieve = ExactlyOne<UsersRetrieveBy>;

export interface UsersList {
  /** A text in the name or the address. */
  search?: string | null | undefined;
  company_id?: string | null | undefined;
  customer_status?: string | null | undefined;
  portal_role?: string | null | undefined;
  attributes?: Record<string, string | number | boolean> | null | undefined;
  is_subscribed?: boolean | null | undefined;
  is_blocked?: boolean | null | undefined;
  created_after?: string | Date | null | undefined;
  updated_after?: string | Date | null | undefined;
  /** Needs `updated_after`. An item may then be a `Deleted`. */
  include_deleted?: boolean | null | undefined;
  sort?: UserSort | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface UsersUpsertBy {
  external_id: string;
  email: string;
}

export interface UsersUpsertFields {
  name?: string | null | undefined;
  avatar_url?: string | null | undefined;
  /** Is made or changed with the user. Excludes `company_name`. */
  company?: GivenCompany | null | undefined;
  company_name?: string | null | undefined;
  customer_status?: string | null | undefined;
  attributes?: Record<string, string | number | boolean | null> | null | undefined;
  locale?: string | null | undefined;
  is_subscribed?: boolean | null | undefined;
  created_at?: string | Date | null | undefined;
}

export type UsersUpsert = UsersUpsertFields & AtLeastOne<UsersUpsertBy>;

export interface UsersUpdate {
  user_id: string;
  external_id?: string | null | undefined;
  email?: string | null | undefined;
  name?: string | null | undefined;
  avatar_url?: string | null | undefined;
  company?: GivenCompany | null | undefined;
  company_name?: string | null | undefined;
  customer_status?: string | null | undefined;
  attributes?: Record<string, string | number | boolean | null> | null | undefined;
  locale?: string | null | undefined;
  is_subscribed?: boolean | null | undefined;
  expected_updated_at?: string | Date | null | undefined;
  clear?: UserClear[] | null | undefined;
}

export interface UsersDelete {
  user_id: string;
}

export interface UsersBlock {
  user_id: string;
  /** Rejects the posts and comments of the user that wait for moderation. */
  reject_pending?: boolean | null | undefined;
}

export interface UsersUnblock {
  user_id: string;
}

export interface UsersMerge {
  /** The user who is deleted. */
  merge_user_id: string;
  /** The user who stays. */
  into_user_id: string;
  dry_run?: boolean | null | undefined;
}

export interface UsersErase {
  user_id: string;
  /** `anonymize` by default: posts, comments and votes stay. */
  content_code?: UserContent | null | undefined;
  dry_run?: boolean | null | undefined;
}

export interface CompaniesRetrieveBy {
  id: string;
  external_id: string;
}

export type CompaniesRetrieve = ExactlyOne<CompaniesRetrieveBy>;

export interface CompaniesList {
  customer_status?: string | null | undefined;
  attributes?: Record<string, string | number | boolean> | null | undefined;
  created_after?: string | Date | null | undefined;
  updated_after?: string | Date | null | undefined;
  include_deleted?: boolean | null | undefined;
  sort?: CompanySort | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface CompaniesUpsert {
  external_id: string;
  name?: string | null | undefined;
  monthly_spend?: string | null | undefined;
  customer_status?: string | null | undefined;
  attributes?: Record<string, string | number | boolean | null> | null | undefined;
}

export interface CompaniesDeleteBy {
  id: string;
  external_id: string;
}

export type CompaniesDelete = ExactlyOne<CompaniesDeleteBy>;

export interface FeedbackBoardsCreate {
  name: string;
  slug?: string | null | undefined;
  description?: string | null | undefined;
  icon_url?: string | null | undefined;
  is_voting_enabled?: boolean | null | undefined;
  is_commenting_enabled?: boolean | null | undefined;
  show_post_dates?: boolean | null | undefined;
  access_code?: Access | null | undefined;
  allowed_email_domains?: string[] | null | undefined;
  allowed_user_ids?: string[] | null | undefined;
  post_moderation_code?: PostModeration | null | undefined;
  comment_moderation_code?: PostModeration | null | undefined;
  guest_code?: Guest | null | undefined;
  post_template?: string | null | undefined;
  external_id?: string | null | undefined;
}

export interface FeedbackBoardsUpdate {
  board_id: string;
  name?: string | null | undefined;
  slug?: string | null | undefined;
  description?: string | null | undefined;
  icon_url?: string | null | undefined;
  is_voting_enabled?: boolean | null | undefined;
  is_commenting_enabled?: boolean | null | undefined;
  show_post_dates?: boolean | null | undefined;
  access_code?: Access | null | undefined;
  allowed_email_domains?: string[] | null | undefined;
  allowed_user_ids?: string[] | null | undefined;
  post_moderation_code?: PostModeration | null | undefined;
  comment_moderation_code?: PostModeration | null | undefined;
  guest_code?: Guest | null | undefined;
  post_template?: string | null | undefined;
  external_id?: string | null | undefined;
  clear?: FeedbackBoardClear[] | null | undefined;
}

export interface FeedbackBoardsDelete {
  board_id: string;
  move_posts_to_board_id?: string | null | undefined;
  delete_posts?: boolean | null | undefined;
  dry_run?: boolean | null | undefined;
}

export interface FeedbackBoardsReorder {
  ids: string[];
}

export interface FeedbackPostsCreateBy {
  author_id: string;
  author_external_id: string;
  author_email: string;
}

export interface FeedbackPostsCreateFields {
  board_id: string;
  title: string;
  description?: string | null | undefined;
  author_name?: string | null | undefined;
  status_id?: string | null | undefined;
  category_id?: string | null | undefined;
  tag_ids?: string[] | null | undefined;
  owner_id?: string | null | undefined;
  eta?: string | Date | null | undefined;
  eta_is_public?: boolean | null | undefined;
  slug?: string | null | undefined;
  moderation_status_code?: ModerationStatus | null | undefined;
  attributes?: Record<string, string | number | boolean | null> | null | undefined;
  external_id?: string | null | undefined;
  created_by_id?: string | null | undefined;
  is_pinned?: boolean | null | undefined;
  created_at?: string | Date | null | undefined;
  /** True by default. */
  subscribe_author?: boolean | null | undefined;
}

export type FeedbackPostsCreate = FeedbackPostsCreateFields & ExactlyOne<FeedbackPostsCreateBy>;

export interface FeedbackPostsUpdate {
  post_id: string;
  board_id?: string | null | undefined;
  title?: string | null | undefined;
  description?: string | null | undefined;
  status_id?: string | null | undefined;
  category_id?: string | null | undefined;
  tag_ids?: string[] | null | undefined;
  owner_id?: string | null | undefined;
  eta?: string | Date | null | undefined;
  eta_is_public?: boolean | null | undefined;
  slug?: string | null | undefined;
  moderation_status_code?: ModerationStatus | null | undefined;
  attributes?: Record<string, string | number | boolean | null> | null | undefined;
  external_id?: string | null | undefined;
  created_by_id?: string | null | undefined;
  is_pinned?: boolean | null | undefined;
  expected_updated_at?: string | Date | null | undefined;
  clear?: FeedbackPostClear[] | null | undefined;
}

export interface FeedbackPostsChangeStatus {
  post_id: string;
  status_id: string;
  changed_by_id?: string | null | undefined;
  note?: string | null | undefined;
  /** Whether the subscribers of the post are mailed. The default is false. */
  notify?: boolean | null | undefined;
  eta?: string | Date | null | undefined;
}

export interface FeedbackPostsBulkUpdate {
  post_ids: string[];
  board_id?: string | null | undefined;
  status_id?: string | null | undefined;
  category_id?: string | null | undefined;
  owner_id?: string | null | undefined;
  moderation_status_code?: ModerationStatus | null | undefined;
  add_tag_ids?: string[] | null | undefined;
  remove_tag_ids?: string[] | null | undefined;
  /** Whether new statuses are mailed to the subscribers of the posts. The default is false. */
  notify?: boolean | null | undefined;
}

export interface FeedbackPostsAddTag {
  post_id: string;
  tag_id: string;
}

export interface FeedbackPostsRemoveTag {
  post_id: string;
  tag_id: string;
}

export interface FeedbackPostsDelete {
  post_id: string;
}

export interface FeedbackPostsRestore {
  post_id: string;
}

export interface FeedbackPostsMerge {
  /** The duplicate. */
  merge_post_id: string;
  /** The post that stays. */
  into_post_id: string;
  /** The user who merges them. */
  merger_id: string;
  dry_run?: boolean | null | undefined;
}

export interface FeedbackPostsUnmerge {
  post_id: string;
  /** The user who ends the merge. */
  merger_id?: string | null | undefined;
  dry_run?: boolean | null | undefined;
}

export interface FeedbackPostsList {
  board_id?: string | null | undefined;
  status_id?: string | null | undefined;
  /** A text in the title or the description. */
  search?: string | null | undefined;
  status_group_code?: StatusGroup | null | undefined;
  category_id?: string | null | undefined;
  /** Selects posts with at least one of these tags. */
  tag_ids?: string[] | null | undefined;
  author_id?: string | null | undefined;
  owner_id?: string | null | undefined;
  /** Selects posts with a vote of one of its users. */
  company_id?: string | null | undefined;
  moderation_status_code?: ModerationStatus | null | undefined;
  external_id?: string | null | undefined;
  is_merged?: boolean | null | undefined;
  created_after?: string | Date | null | undefined;
  created_before?: string | Date | null | undefined;
  updated_after?: string | Date | null | undefined;
  include_deleted?: boolean | null | undefined;
  sort?: FeedbackPostSort | null | undefined;
  attributes?: Record<string, string | number | boolean> | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface FeedbackPostsSimilarBy {
  title: string;
  post_id: string;
}

export interface FeedbackPostsSimilarFields {
  board_id?: string | null | undefined;
  limit?: number | null | undefined;
}

export type FeedbackPostsSimilar = FeedbackPostsSimilarFields & ExactlyOne<FeedbackPostsSimilarBy>;

export interface FeedbackPostsSubscribers {
  post_id: string;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface FeedbackPostsActivity {
  post_id: string;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface FeedbackPostsSubscribe {
  post_id: string;
  user_id: string;
  /** `all` by default. */
  level?: SubscriberLevel | null | undefined;
}

export interface FeedbackPostsUnsubscribe {
  post_id: string;
  user_id: string;
}

export interface CommentsListBy {
  feedback_post_id: string;
  updated_after: string | Date;
}

export interface CommentsListFields {
  author_id?: string | null | undefined;
  visibility_code?: Visibility | null | undefined;
  moderation_status_code?: ModerationStatus | null | undefined;
  include_deleted?: boolean | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export type CommentsList = CommentsListFields & AtLeastOne<CommentsListBy>;

export interface CommentsCreateBy {
  author_id: string;
  author_external_id: string;
  author_email: string;
}

export interface CommentsCreateFields {
  feedback_post_id: string;
  content: string;
  author_name?: string | null | undefined;
  parent_comment_id?: string | null | undefined;
  visibility_code?: Visibility | null | undefined;
  moderation_status_code?: ModerationStatus | null | undefined;
  /** Whether a public comment is mailed to the subscribers of the post. The default is true. */
  notify?: boolean | null | undefined;
  external_id?: string | null | undefined;
  created_at?: string | Date | null | undefined;
}

export type CommentsCreate = CommentsCreateFields & ExactlyOne<CommentsCreateBy>;

export interface CommentsUpdate {
  comment_id: string;
  content?: string | null | undefined;
  visibility_code?: Visibility | null | undefined;
  moderation_status_code?: ModerationStatus | null | undefined;
  /** A post has one pinned comment. */
  is_pinned?: boolean | null | undefined;
  external_id?: string | null | undefined;
  expected_updated_at?: string | Date | null | undefined;
  clear?: CommentClear[] | null | undefined;
}

export interface CommentsDelete {
  comment_id: string;
}

export interface VotesToggle {
  /** The voter. */
  user_id: string;
  post_id: string;
  post_type: PostType;
}

export interface VotesSetBy {
  voter_id: string;
  voter_external_id: string;
  voter_email: string;
}

export interface VotesSetFields {
  post_id: string;
  post_type: PostType;
  voter_name?: string | null | undefined;
  /** Whether the voter shall have a vote. */
  voted: boolean;
  created_by_id?: string | null | undefined;
  source_url?: string | null | undefined;
  created_at?: string | Date | null | undefined;
}

export type VotesSet = VotesSetFields & ExactlyOne<VotesSetBy>;

export interface VotesSetMany {
  post_id: string;
  post_type: PostType;
  /** Whether the voters shall have votes. */
  voted: boolean;
  voters: GivenVoter[];
}

export interface VotesList {
  user_id?: string | null | undefined;
  company_id?: string | null | undefined;
  post_id?: string | null | undefined;
  post_type?: PostType | null | undefined;
  created_after?: string | Date | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface VotesVoters {
  post_id: string;
  post_type: PostType;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface CategoriesCreate {
  name: string;
  code?: string | null | undefined;
  description?: string | null | undefined;
  color?: string | null | undefined;
  show_on_feedback?: boolean | null | undefined;
  show_on_roadmap?: boolean | null | undefined;
  external_id?: string | null | undefined;
}

export interface CategoriesUpdate {
  category_id: string;
  name?: string | null | undefined;
  code?: string | null | undefined;
  description?: string | null | undefined;
  color?: string | null | undefined;
  show_on_feedback?: boolean | null | undefined;
  show_on_roadmap?: boolean | null | undefined;
  external_id?: string | null | undefined;
  clear?: CategoryClear[] | null | undefined;
}

export interface CategoriesDelete {
  category_id: string;
  replacement_category_id?: string | null | undefined;
}

export interface TagsCreate {
  name: string;
  code?: string | null | undefined;
  color?: string | null | undefined;
  show_on_feedback?: boolean | null | undefined;
  show_on_roadmap?: boolean | null | undefined;
  is_public?: boolean | null | undefined;
  external_id?: string | null | undefined;
}

export interface TagsUpdate {
  tag_id: string;
  name?: string | null | undefined;
  code?: string | null | undefined;
  color?: string | null | undefined;
  show_on_feedback?: boolean | null | undefined;
  show_on_roadmap?: boolean | null | undefined;
  is_public?: boolean | null | undefined;
  external_id?: string | null | undefined;
  clear?: CommentClear[] | null | undefined;
}

export interface TagsDelete {
  tag_id: string;
}

export interface TagsMerge {
  /** The tag that is deleted. */
  tag_id: string;
  /** The tag that its posts get. */
  into_tag_id: string;
}

export interface StatusesCreate {
  name: string;
  code?: string | null | undefined;
  color?: string | null | undefined;
  status_group_code: StatusGroup;
  is_default_status?: boolean | null | undefined;
  show_on_feedback?: boolean | null | undefined;
  show_on_roadmap?: boolean | null | undefined;
  external_id?: string | null | undefined;
}

export interface StatusesUpdate {
  status_id: string;
  name?: string | null | undefined;
  code?: string | null | undefined;
  color?: string | null | undefined;
  status_group_code?: StatusGroup | null | undefined;
  is_default_status?: boolean | null | undefined;
  show_on_feedback?: boolean | null | undefined;
  show_on_roadmap?: boolean | null | undefined;
  external_id?: string | null | undefined;
  clear?: CommentClear[] | null | undefined;
}

export interface StatusesDelete {
  status_id: string;
  /** The status that the posts get. Required if a post has the deleted one. */
  replacement_status_id?: string | null | undefined;
}

export interface StatusesReorder {
  status_group_code: StatusGroup;
  ids: string[];
}

export interface RoadmapBoardsCreate {
  name: string;
  slug?: string | null | undefined;
  description?: string | null | undefined;
  icon_url?: string | null | undefined;
  is_voting_enabled?: boolean | null | undefined;
  access_code?: Access | null | undefined;
  external_id?: string | null | undefined;
}

export interface RoadmapBoardsUpdate {
  roadmap_board_id: string;
  name?: string | null | undefined;
  slug?: string | null | undefined;
  description?: string | null | undefined;
  icon_url?: string | null | undefined;
  is_voting_enabled?: boolean | null | undefined;
  access_code?: Access | null | undefined;
  external_id?: string | null | undefined;
  clear?: RoadmapBoardClear[] | null | undefined;
}

export interface RoadmapBoardsDelete {
  roadmap_board_id: string;
}

export interface RoadmapBoardsReorder {
  ids: string[];
}

export interface RoadmapPostsList {
  roadmap_board_id?: string | null | undefined;
  status_id?: string | null | undefined;
  category_id?: string | null | undefined;
  owner_id?: string | null | undefined;
  search?: string | null | undefined;
  updated_after?: string | Date | null | undefined;
  include_deleted?: boolean | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface RoadmapPostsCreate {
  roadmap_board_id: string;
  title: string;
  description?: string | null | undefined;
  slug?: string | null | undefined;
  status_id?: string | null | undefined;
  category_id?: string | null | undefined;
  tag_ids?: string[] | null | undefined;
  owner_id?: string | null | undefined;
  author_id?: string | null | undefined;
  eta?: string | Date | null | undefined;
  /** The number of the post on its board, from 1. The last one by default. */
  position?: number | null | undefined;
  feedback_post_ids?: string[] | null | undefined;
  external_id?: string | null | undefined;
}

export interface RoadmapPostsUpdate {
  post_id: string;
  roadmap_board_id?: string | null | undefined;
  title?: string | null | undefined;
  description?: string | null | undefined;
  slug?: string | null | undefined;
  status_id?: string | null | undefined;
  category_id?: string | null | undefined;
  tag_ids?: string[] | null | undefined;
  owner_id?: string | null | undefined;
  author_id?: string | null | undefined;
  eta?: string | Date | null | undefined;
  position?: number | null | undefined;
  external_id?: string | null | undefined;
  expected_updated_at?: string | Date | null | undefined;
  clear?: RoadmapPostClear[] | null | undefined;
}

export interface RoadmapPostsChangeStatus {
  post_id: string;
  status_id: string;
}

export interface RoadmapPostsLink {
  post_id: string;
  feedback_post_ids: string[];
  sync_status?: boolean | null | undefined;
}

export interface RoadmapPostsUnlink {
  post_id: string;
  feedback_post_ids: string[];
}

export interface RoadmapPostsDelete {
  post_id: string;
}

export interface ModerationList {
  kind: QueuedItemKind;
  /** `pending` by default. */
  moderation_status_code?: ModerationStatus | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface ModerationDecide {
  items: GivenItem[];
  moderation_status_code: ModerationStatus;
  /** Trusts the authors. Excludes `block_author`. */
  trust_author?: boolean | null | undefined;
  /** Blocks the authors. */
  block_author?: boolean | null | undefined;
}

export interface AuditList {
  actor_id?: string | null | undefined;
  /** The path of an endpoint, such as `tags/update`, or a command. */
  action?: string | null | undefined;
  target_id?: string | null | undefined;
  created_after?: string | Date | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface WebhooksList {
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface WebhooksCreate {
  url: string;
  /** Empty by default: the types of the contract. */
  event_types?: EventType[] | null | undefined;
  /** The feedback boards whose events it gets. Empty by default: all. */
  board_ids?: string[] | null | undefined;
  description?: string | null | undefined;
  /** True by default. */
  is_active?: boolean | null | undefined;
}

export interface WebhooksUpdate {
  webhook_id: string;
  url?: string | null | undefined;
  event_types?: EventType[] | null | undefined;
  board_ids?: string[] | null | undefined;
  description?: string | null | undefined;
  is_active?: boolean | null | undefined;
  clear?: WebhookClear[] | null | undefined;
}

export interface WebhooksDelete {
  webhook_id: string;
}

export interface WebhooksRotateSecret {
  webhook_id: string;
  /** How long the former secret signs, too. A day by default, a week at most. */
  overlap_seconds?: number | null | undefined;
}

export interface DeliveriesList {
  webhook_id?: string | null | undefined;
  event_type?: EventType | null | undefined;
  state?: DeliveryState | null | undefined;
  created_after?: string | Date | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface DeliveriesReplayBy {
  /** Excludes `webhook_id`. The delivery must match the other fields, too. */
  delivery_id: string;
  webhook_id: string;
}

export interface DeliveriesReplayFields {
  created_after?: string | Date | null | undefined;
  created_before?: string | Date | null | undefined;
  /** `failed` by default. */
  state?: DeliveryState | null | undefined;
}

export type DeliveriesReplay = DeliveriesReplayFields & ExactlyOne<DeliveriesReplayBy>;

export interface EventsList {
  /** Selects events of these types. */
  event_types?: EventType[] | null | undefined;
  created_after?: string | Date | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface LabelsList {
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface LabelsCreate {
  name: string;
  code?: string | null | undefined;
  color: string;
  description?: string | null | undefined;
  external_id?: string | null | undefined;
}

export interface LabelsUpdate {
  label_id: string;
  name?: string | null | undefined;
  code?: string | null | undefined;
  color?: string | null | undefined;
  description?: string | null | undefined;
  external_id?: string | null | undefined;
  clear?: CategoryClear[] | null | undefined;
}

export interface LabelsDelete {
  label_id: string;
}

export interface ChangelogList {
  type?: ChangelogEntryType | null | undefined;
  /** Selects entries with at least one of these labels. */
  label_ids?: string[] | null | undefined;
  sort?: ChangelogSort | null | undefined;
  limit?: number | null | undefined;
  /** The number of entries to leave out at the beginning. Not permitted with a cursor. */
  skip?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface ChangelogCreate {
  title: string;
  details?: string | null | undefined;
  type?: ChangelogEntryType | null | undefined;
  label_ids?: string[] | null | undefined;
  /** `draft` by default. `scheduled` needs `scheduled_for`. */
  status_code?: ChangelogEntryStatus | null | undefined;
  /** Publishes the entry now, even if other fields differ. */
  published?: boolean | null | undefined;
  scheduled_for?: string | Date | null | undefined;
  /** Whether all who receive mail are mailed when the entry is published. True by default. */
  notify?: boolean | null | undefined;
  author_id?: string | null | undefined;
  featured_image_url?: string | null | undefined;
  /** True by default. */
  show_on_portal?: boolean | null | undefined;
  external_id?: string | null | undefined;
}

export interface ChangelogUpdate {
  entry_id: string;
  title?: string | null | undefined;
  details?: string | null | undefined;
  type?: ChangelogEntryType | null | undefined;
  label_ids?: string[] | null | undefined;
  featured_image_url?: string | null | undefined;
  show_on_portal?: boolean | null | undefined;
  slug?: string | null | undefined;
  author_id?: string | null | undefined;
  notify?: boolean | null | undefined;
  published_at?: string | Date | null | undefined;
  external_id?: string | null | undefined;
  expected_updated_at?: string | Date | null | undefined;
  clear?: ChangelogClear[] | null | undefined;
}

export interface ChangelogPublish {
  entry_id: string;
  scheduled_for?: string | Date | null | undefined;
  /** True by default. */
  notify?: boolean | null | undefined;
  /** False by default. */
  notify_voters?: boolean | null | undefined;
}

export interface ChangelogUnpublish {
  entry_id: string;
}

export interface ChangelogDelete {
  entry_id: string;
}

export interface ChangelogLinkPosts {
  entry_id: string;
  post_ids: string[];
}

export interface ChangelogUnlinkPosts {
  entry_id: string;
  post_ids: string[];
}

export interface HelpCollectionsList {
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface HelpCollectionsCreate {
  name: string;
  slug?: string | null | undefined;
  description?: string | null | undefined;
  icon?: string | null | undefined;
  color?: string | null | undefined;
  external_id?: string | null | undefined;
}

export interface HelpCollectionsUpdate {
  collection_id: string;
  name?: string | null | undefined;
  slug?: string | null | undefined;
  description?: string | null | undefined;
  icon?: string | null | undefined;
  color?: string | null | undefined;
  external_id?: string | null | undefined;
  expected_updated_at?: string | Date | null | undefined;
  clear?: CommentClear[] | null | undefined;
}

export interface HelpCollectionsDelete {
  collection_id: string;
  move_to_collection_id?: string | null | undefined;
  delete_articles?: boolean | null | undefined;
  dry_run?: boolean | null | undefined;
}

export interface HelpCollectionsReorder {
  ids: string[];
}

export interface HelpCategoriesList {
  collection_id?: string | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface HelpCategoriesCreate {
  collection_id: string;
  name: string;
  slug?: string | null | undefined;
  description?: string | null | undefined;
  icon?: string | null | undefined;
  color?: string | null | undefined;
  external_id?: string | null | undefined;
}

export interface HelpCategoriesUpdate {
  category_id: string;
  /** The new collection of the category and its articles. */
  collection_id?: string | null | undefined;
  name?: string | null | undefined;
  slug?: string | null | undefined;
  description?: string | null | undefined;
  icon?: string | null | undefined;
  color?: string | null | undefined;
  external_id?: string | null | undefined;
  expected_updated_at?: string | Date | null | undefined;
  clear?: CommentClear[] | null | undefined;
}

export interface HelpCategoriesDelete {
  category_id: string;
  move_to_collection_id?: string | null | undefined;
  delete_articles?: boolean | null | undefined;
  dry_run?: boolean | null | undefined;
}

export interface HelpCategoriesReorder {
  collection_id: string;
  ids: string[];
}

export interface HelpArticlesSearch {
  /** A text in the title, the content or the excerpt. */
  query: string;
  published_only?: boolean | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface HelpArticlesList {
  /** A text in the title, the content or the excerpt. */
  search?: string | null | undefined;
  /** Also selects the articles of the collection's categories. */
  collection_id?: string | null | undefined;
  category_id?: string | null | undefined;
  status_code?: HelpArticleStatus | null | undefined;
  is_favourite?: boolean | null | undefined;
  sort?: HelpArticleSort | null | undefined;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface HelpArticlesCreateBy {
  category_id: string;
  collection_id: string;
}

export interface HelpArticlesCreateFields {
  title: string;
  /** HTML. */
  content?: string | null | undefined;
  slug?: string | null | undefined;
  excerpt?: string | null | undefined;
  /** `draft` by default. */
  status_code?: HelpArticleStatus | null | undefined;
  /** True by default. */
  show_on_portal?: boolean | null | undefined;
  published_at?: string | Date | null | undefined;
  related_article_ids?: string[] | null | undefined;
  is_favourite?: boolean | null | undefined;
  author_id?: string | null | undefined;
  external_id?: string | null | undefined;
}

export type HelpArticlesCreate = HelpArticlesCreateFields & ExactlyOne<HelpArticlesCreateBy>;

export interface HelpArticlesUpdate {
  article_id: string;
  category_id?: string | null | undefined;
  collection_id?: string | null | undefined;
  title?: string | null | undefined;
  /** HTML. */
  content?: string | null | undefined;
  slug?: string | null | undefined;
  excerpt?: string | null | undefined;
  show_on_portal?: boolean | null | undefined;
  published_at?: string | Date | null | undefined;
  related_article_ids?: string[] | null | undefined;
  is_favourite?: boolean | null | undefined;
  author_id?: string | null | undefined;
  external_id?: string | null | undefined;
  expected_updated_at?: string | Date | null | undefined;
  clear?: HelpArticleClear[] | null | undefined;
}

export interface HelpArticlesPublish {
  article_id: string;
}

export interface HelpArticlesUnpublish {
  article_id: string;
}

export interface HelpArticlesDelete {
  article_id: string;
}

export interface HelpArticlesRestore {
  article_id: string;
}

export interface HelpArticlesVersions {
  article_id: string;
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface HelpArticlesRestoreVersion {
  article_id: string;
  /** The number of the version. */
  version: number;
}

export interface HelpArticlesFeedback {
  article_id: string;
  is_helpful: boolean;
  comment?: string | null | undefined;
}

export interface HelpArticlesReorderBy {
  category_id: string;
  collection_id: string;
}

export interface HelpArticlesReorderFields {
  ids: string[];
}

export type HelpArticlesReorder = HelpArticlesReorderFields & ExactlyOne<HelpArticlesReorderBy>;

export interface HelpRedirectsList {
  limit?: number | null | undefined;
  /** the `cursor` of the page before */
  cursor?: string | null | undefined;
}

export interface HelpRedirectsCreate {
  /** A path of the portal, without query and fragment. */
  from_path: string;
  /** If it is redirected itself, the end of its redirect takes its place. */
  to_path: string;
}

export interface HelpRedirectsDelete {
  redirect_id: string;
}

export interface GivenCompany {
  external_id: string;
  name?: string | null | undefined;
  monthly_spend?: string | null | undefined;
  customer_status?: string | null | undefined;
  attributes?: Record<string, string | number | boolean | null> | null | undefined;
}

export interface GivenVoterBy {
  voter_id: string;
  voter_external_id: string;
  voter_email: string;
}

export interface GivenVoterFields {
  voter_name?: string | null | undefined;
  created_at?: string | Date | null | undefined;
}

export type GivenVoter = GivenVoterFields & ExactlyOne<GivenVoterBy>;

export interface GivenItem {
  kind: QueuedItemKind;
  id: string;
}
