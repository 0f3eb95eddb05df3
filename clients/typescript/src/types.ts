// The requests and answers, with the names of the JSON. Identifiers are UUIDs. Times are ISO 8601
// strings in UTC, with milliseconds and `Z`. Times of help collections and help categories have
// neither.

/** Makes all members optional. */
type Optional<T> = { [K in keyof T]?: T[K] | undefined };

// Answers

export interface Page<T> {
  items: T[];
  has_next_page: boolean;
  /** The cursor for the next page, or null on the last page. */
  cursor: string | null;
}

export interface Created {
  id: string;
}

export interface Success {
  success: true;
}

export interface UpsertedCompany extends Created {
  /** Whether the call made the record. */
  created: boolean;
}

export interface UpsertedUser extends UpsertedCompany {
  user_id: string;
}

export type Attributes = Record<string, string | number | boolean>;
/** New values of attributes. Null removes an attribute. */
export type GivenAttributes = Record<string, string | number | boolean | null>;

export interface Updated extends Success {
  /** The number of changed records. */
  updated: number;
}

/** The answer of a write that was only tried. */
export interface DryRun {
  dry_run: true;
  /** What the write would do, such as `posts_moved`. */
  effects: Record<string, number>;
}

/** The answer of a write with `dry_run`. */
export type Tried = Success | DryRun;

export interface Decided extends Success {
  /** The number of changed records. */
  changed: number;
}

/** A deleted record in a list with `include_deleted`. */
export interface Deleted {
  id: string;
  is_active: boolean;
  updated_at: string;
}

export interface Voted {
  /** Whether the user has a vote on the post now. */
  voted: boolean;
}

export interface SetVote extends Voted {
  /** Whether the call cast or withdrew the vote. */
  changed: boolean;
}

export interface SetVotes {
  /** The number of votes that the call cast or withdrew. */
  changed: number;
  unchanged: number;
}

export type ModeratedKind = "post" | "comment";
export type Door = "api" | "dashboard" | "portal" | "command_line" | "background";
export type ActivityType =
  | "created"
  | "edited"
  | "status_changed"
  | "owner_changed"
  | "merged_in"
  | "merged"
  | "unmerged"
  | "moderated"
  | "deleted"
  | "restored";
export type ModerationStatusCode = "pending" | "accepted" | "rejected" | "spam";
export type StatusGroupCode = "open" | "in-progress" | "completed" | "closed";
export type AccessCode = "public" | "signed_in" | "team" | "custom";
export type ModeratingCode = "off" | "first_post" | "on";
export type GuestCode = "none" | "email" | "anonymous";
export type SubscriptionLevel = "all" | "status";
export type ErasedContent = "anonymize" | "delete";
export type VisibilityCode = "public" | "internal";
export type ChangelogType = "fixed" | "new" | "improvement";
export type ChangelogStatusCode = "draft" | "published" | "scheduled";
export type HelpArticleStatusCode = "draft" | "published";
export type PostType = "feedback" | "roadmap";

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
  attributes: Attributes;
  is_blocked: boolean;
  /** Whether posts and comments of the user need no moderation. */
  is_trusted: boolean;
  updated_at: string;
}

/** All that is stored of a person. */
export interface UserExport {
  user: Record<string, unknown>;
  company: Record<string, unknown> | null;
  /** The records that refer to the person, by their kind. */
  records: Record<string, Record<string, unknown>[]>;
}

export interface Company {
  id: string;
  external_id: string;
  name: string;
  /** A decimal number with two decimals. */
  monthly_spend: string;
  customer_status: string;
  attributes: Attributes;
  created_at: string;
  updated_at: string;
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
  access_code: AccessCode;
  allowed_email_domains: string[];
  allowed_user_ids: string[];
  post_moderation_code: ModeratingCode;
  comment_moderation_code: ModeratingCode;
  guest_code: GuestCode;
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
  moderation_status_code: ModerationStatusCode;
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
  attributes: Attributes;
  /** The roadmap posts that it is linked to. */
  roadmap_post_ids: string[];
}

export interface SimilarFeedbackPost extends FeedbackPost {
  /** From 0 to 1. */
  score: number;
}

export interface Subscriber {
  user_id: string;
  name: string;
  email: string;
  level: SubscriptionLevel;
  subscribed_at: string;
}

export interface Comment {
  id: string;
  content: string;
  author_id: string;
  parent_comment_id: string | null;
  feedback_post_id: string;
  visibility_code: VisibilityCode;
  moderation_status_code: ModerationStatusCode;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  is_pinned: boolean;
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

/** Something that happened to a feedback post. */
export interface Activity {
  id: string;
  type: ActivityType;
  /** The acting user, or null if only the key is known. */
  actor_id: string | null;
  data: Record<string, unknown>;
  created_at: string;
}

/** A post or a comment with a state of moderation. */
export interface QueuedItem {
  kind: ModeratedKind;
  id: string;
  post_id: string;
  board_id: string;
  author_id: string;
  title: string;
  content: string;
  moderation_status_code: ModerationStatusCode;
  created_at: string;
}

/** A change of a record. */
export interface AuditEntry {
  id: string;
  at: string;
  door: Door;
  /** The acting user, or null if only the key is known. */
  actor_id: string | null;
  /** The path of the endpoint, or the command. */
  action: string;
  target_kind: string;
  target_id: string;
  data: Record<string, unknown>;
}

export interface Voter {
  user_id: string;
  name: string;
  email: string;
  voted_at: string;
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

export interface Status {
  id: string;
  name: string;
  code: string;
  color: string;
  status_group_code: StatusGroupCode;
  is_default_status: boolean;
  show_on_feedback: boolean;
  show_on_roadmap: boolean;
  created_at: string;
  external_id: string | null;
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
  access_code: AccessCode;
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

/** A label of changelog entries. */
export interface Label {
  id: string;
  name: string;
  code: string;
  color: string;
  description: string | null;
  created_at: string;
}

export interface ChangelogEntry {
  id: string;
  title: string;
  content: string;
  slug: string;
  status_code: ChangelogStatusCode;
  show_on_portal: boolean;
  featured_image_url: string | null;
  author_id: string | null;
  scheduled_at: string | null;
  published_at: string | null;
  created_at: string;
  updated_at: string;
  type: ChangelogType | null;
  label_ids: string[];
}

export interface HelpCollection {
  id: string;
  name: string;
  slug: string;
  description: string;
  icon: string;
  color: string;
  /** The position, a decimal number with four decimals. */
  seq_number: string;
  category_count: number;
  created_at: string;
  updated_at: string;
}

export interface HelpCategory {
  id: string;
  collection_id: string;
  name: string;
  slug: string;
  description: string | null;
  icon: string | null;
  color: string | null;
  /** The position, a decimal number with four decimals. */
  seq_number: string;
  article_count: number;
  created_at: string;
  updated_at: string;
}

/** An article in the answer of a search. */
export interface HelpArticleHit {
  id: string;
  title: string;
  slug: string;
  excerpt: string | null;
  status_code: HelpArticleStatusCode;
  show_on_portal: boolean;
  collection: { id: string; name: string; slug: string };
  /** Null if the article is directly in the collection. */
  category: { id: string; name: string; slug: string; collection_id: string } | null;
}

/** An article in a list: all members but the content. */
export interface HelpArticleSummary extends HelpArticleHit {
  is_favourite: boolean;
  /** The position, a decimal number with four decimals. */
  seq_number: string;
  published_at: string | null;
  related_article_ids: string[];
  author_id: string | null;
  view_count: number;
  helpful_count: number;
  not_helpful_count: number;
  created_at: string;
  updated_at: string;
}

export interface HelpArticle extends HelpArticleSummary {
  /** HTML. */
  content: string;
}

// Requests

export interface Paging
  extends Optional<{
    /** The size of a page: 1 to 100, by default 25. All pages of a list have the same. */
    limit: number;
    /** The cursor of the page before. Null or undefined for the first page. */
    cursor: string | null;
  }> {}

/** Has exactly one of `user_id` and `email`. */
export type UserSelector = { user_id: string; email?: never } | { email: string; user_id?: never };

/** Filters by the time of a change. With `updated_after` the list is in the order of changes. */
interface Changes
  extends Optional<{
    updated_after: string | Date;
    /** Needs `updated_after`. An item may then be a `Deleted`. */
    include_deleted: boolean;
  }> {}

export interface UsersList
  extends Paging,
    Changes,
    Optional<{
      /** A text in the name or the address. */
      search: string;
      company_id: string;
      customer_status: string;
      portal_role: string;
      attributes: Attributes;
      is_subscribed: boolean;
      is_blocked: boolean;
      created_after: string | Date;
      sort: "newest" | "oldest" | "name" | "updated";
    }> {}

interface CompanyFields
  extends Optional<{
    name: string;
    /** A decimal number with at most two decimals. */
    monthly_spend: string;
    customer_status: string;
    attributes: GivenAttributes;
  }> {}

export interface CompaniesUpsert extends CompanyFields {
  external_id: string;
}

/** Has exactly one of `id` and `external_id`. */
export type CompanySelector = { id: string; external_id?: never } | { external_id: string; id?: never };

export interface CompaniesList
  extends Paging,
    Changes,
    Optional<{
      customer_status: string;
      attributes: Attributes;
      created_after: string | Date;
      sort: "newest" | "oldest" | "name" | "updated" | "spend";
    }> {}

interface UserFields
  extends Optional<{
    external_id: string;
    email: string;
    name: string;
    avatar_url: string;
    /** Is made or changed with the user. Excludes `company_name`. */
    company: CompaniesUpsert;
    company_name: string;
    customer_status: string;
    attributes: GivenAttributes;
    locale: string;
    is_subscribed: boolean;
  }> {}

/** The user with the `external_id`, or else with the `email`, is changed. */
export type UsersUpsert = UserFields &
  Optional<{ created_at: string | Date }> &
  ({ external_id: string } | { email: string });

export interface UsersUpdate
  extends UserFields,
    Expected,
    Optional<{ clear: ("company_id" | "external_id" | "attributes")[] }> {
  user_id: string;
}

export interface UsersNamed {
  user_id: string;
}

export interface UsersBlock
  extends UsersNamed,
    Optional<{
      /** Rejects the posts and comments of the user that wait for moderation. */
      reject_pending: boolean;
    }> {}

export interface UsersMerge extends Triable {
  /** The user who is deleted. */
  merge_user_id: string;
  /** The user who stays. */
  into_user_id: string;
}

export interface UsersErase
  extends UsersNamed,
    Triable,
    Optional<{
      /** `anonymize` by default: posts, comments and votes stay. */
      content_code: ErasedContent;
    }> {}

/** Has exactly one of `title` and `post_id`. */
export type FeedbackPostsSimilar = Optional<{
  board_id: string;
  /** 1 to 20, by default 5. */
  limit: number;
}> &
  ({ title: string; post_id?: never } | { post_id: string; title?: never });

export interface FeedbackPostsList
  extends Paging,
    Changes,
    Optional<{
      board_id: string;
      status_id: string;
      /** A text in the title or the description. */
      search: string;
      status_group_code: StatusGroupCode;
      category_id: string;
      /** Selects posts with at least one of these tags. */
      tag_ids: string[];
      author_id: string;
      owner_id: string;
      /** Selects posts with a vote of one of its users. */
      company_id: string;
      moderation_status_code: ModerationStatusCode;
      external_id: string;
      is_merged: boolean;
      created_after: string | Date;
      created_before: string | Date;
      attributes: Attributes;
      sort: "newest" | "oldest" | "votes" | "trending" | "updated" | "spend";
    }> {}

export interface FeedbackPostsMerge extends Triable {
  /** The duplicate. */
  merge_post_id: string;
  /** The post that stays. */
  into_post_id: string;
  /** The user who merges them. */
  merger_id: string;
}

export interface FeedbackPostsUnmerge
  extends Triable,
    Optional<{
      /** The user who ends the merge. */
      merger_id: string;
    }> {
  /** The duplicate. */
  post_id: string;
}

/** The comments of a post, or those that changed. */
export type CommentsList = Paging &
  Optional<{
    author_id: string;
    visibility_code: VisibilityCode;
    moderation_status_code: ModerationStatusCode;
  }> &
  (
    | ({ feedback_post_id: string } & Optional<CommentChanges>)
    | (Pick<CommentChanges, "updated_after"> & Optional<CommentChanges & { feedback_post_id: string }>)
  );

interface CommentChanges {
  updated_after: string | Date;
  /** Needs `updated_after`. An item may then be a `Deleted`. */
  include_deleted: boolean;
}

export interface VotesToggle {
  /** The voter. */
  user_id: string;
  post_id: string;
  post_type: PostType;
}

/** Exactly one of the first three. `voter_name` is the name of a new user. */
export interface GivenVoter
  extends Optional<{
    voter_id: string;
    voter_external_id: string;
    voter_email: string;
    voter_name: string;
    created_at: string | Date;
  }> {}

export interface VotesSet extends GivenVoter, Optional<{ created_by_id: string; source_url: string }> {
  post_id: string;
  post_type: PostType;
  /** Whether the voter shall have a vote. */
  voted: boolean;
}

export interface VotesSetMany {
  post_id: string;
  post_type: PostType;
  /** Whether the voters shall have votes. */
  voted: boolean;
  /** At most 500. */
  voters: GivenVoter[];
}

/** The votes of a user, on a post, or all. */
export type VotesList = Paging &
  Optional<{ created_after: string | Date }> &
  (
    | (Optional<{ user_id: string; post_type: PostType }> & { company_id?: never; post_id?: never })
    | (Optional<{ company_id: string; post_type: PostType }> & { user_id?: never; post_id?: never })
    | { post_id: string; post_type: PostType; user_id?: never; company_id?: never }
  );

export interface ModerationList
  extends Paging,
    Optional<{
      /** `pending` by default. */
      moderation_status_code: ModerationStatusCode;
    }> {
  kind: ModeratedKind;
}

export interface ModerationDecide
  extends Optional<{
    /** Trusts the authors. Excludes `block_author`. */
    trust_author: boolean;
    /** Blocks the authors. */
    block_author: boolean;
  }> {
  /** At most 100. */
  items: { kind: ModeratedKind; id: string }[];
  moderation_status_code: ModerationStatusCode;
}

export interface AuditList
  extends Paging,
    Optional<{
      actor_id: string;
      /** The path of an endpoint, such as `tags/update`, or a command. */
      action: string;
      target_id: string;
      created_after: string | Date;
    }> {}

export interface VotesVoters extends Paging {
  post_id: string;
  post_type: PostType;
}

export interface ChangelogList
  extends Paging,
    Optional<{
      type: ChangelogType;
      /** Selects entries with at least one of these labels. */
      label_ids: string[];
      sort: "newest" | "oldest" | "published";
      /** The number of entries to omit at the beginning. Not permitted with a cursor. */
      skip: number;
    }> {}

export interface ChangelogCreate
  extends Optional<{
    details: string;
    type: ChangelogType;
    label_ids: string[];
    /** `draft` by default. `scheduled` needs `scheduled_for`. */
    status_code: ChangelogStatusCode;
    /** Publishes the entry now, even if other fields differ. */
    published: boolean;
    scheduled_for: string | Date;
    /** Whether the publication sends mails to subscribers. True by default. */
    notify: boolean;
    author_id: string;
    featured_image_url: string;
    /** True by default. */
    show_on_portal: boolean;
  }> {
  title: string;
}

interface Triable
  extends Optional<{
    /** Changes nothing, and answers the effects. */
    dry_run: boolean;
  }> {}

/** The update fails unless the record has this `updated_at`. */
type Expected = Optional<{ expected_updated_at: string }>;

/** The common fields of help collections and help categories. */
type HelpFields = Optional<{
  slug: string;
  description: string;
  icon: string;
  color: string;
}>;

interface TagFields
  extends Optional<{
    code: string;
    color: string;
    show_on_feedback: boolean;
    show_on_roadmap: boolean;
    is_public: boolean;
    external_id: string;
  }> {}

interface BoardFields
  extends Optional<{
    slug: string;
    description: string;
    icon_url: string;
    is_voting_enabled: boolean;
    access_code: AccessCode;
    external_id: string;
  }> {}

type ClearedBoard<Field> = Optional<{
  name: string;
  clear: (Field | "description" | "icon_url" | "external_id")[];
}>;

type FeedbackBoardFields = Optional<{
  is_commenting_enabled: boolean;
  show_post_dates: boolean;
  allowed_email_domains: string[];
  allowed_user_ids: string[];
  post_moderation_code: ModeratingCode;
  comment_moderation_code: ModeratingCode;
  guest_code: GuestCode;
  post_template: string;
}>;

/** All records of a list, in their new order. */
export interface Reorder {
  ids: string[];
}

export interface FeedbackBoardsCreate extends BoardFields, FeedbackBoardFields {
  name: string;
}

export interface FeedbackBoardsUpdate
  extends BoardFields,
    FeedbackBoardFields,
    ClearedBoard<"post_template"> {
  board_id: string;
}

/** The posts move to another board, or are deleted with the board, or there must be none. */
export interface FeedbackBoardsDelete
  extends Triable,
    Optional<{
      move_posts_to_board_id: string;
      delete_posts: boolean;
    }> {
  board_id: string;
}

export interface RoadmapBoardsCreate extends BoardFields {
  name: string;
}

export interface RoadmapBoardsUpdate extends BoardFields, ClearedBoard<never> {
  roadmap_board_id: string;
}

export interface RoadmapBoardsDelete {
  roadmap_board_id: string;
}

export interface RoadmapPostsList
  extends Paging,
    Changes,
    Optional<{
      roadmap_board_id: string;
      status_id: string;
      category_id: string;
      owner_id: string;
      /** A text in the title or the description. */
      search: string;
    }> {}

interface RoadmapPostFields
  extends Optional<{
    description: string;
    slug: string;
    status_id: string;
    category_id: string;
    tag_ids: string[];
    owner_id: string;
    author_id: string;
    eta: string;
    /** The number of the post on its board, from 1. A new post is the last one by default. */
    position: number;
    external_id: string;
  }> {}

export interface RoadmapPostsCreate
  extends RoadmapPostFields,
    Optional<{ feedback_post_ids: string[] }> {
  roadmap_board_id: string;
  title: string;
}

export interface RoadmapPostsUpdate
  extends RoadmapPostFields,
    Expected,
    Optional<{
      roadmap_board_id: string;
      title: string;
      clear: ("category_id" | "owner_id" | "author_id" | "eta" | "external_id")[];
    }> {
  post_id: string;
}

export interface RoadmapPostsChangeStatus {
  post_id: string;
  status_id: string;
}

export interface RoadmapPostsUnlink {
  post_id: string;
  feedback_post_ids: string[];
}

export interface RoadmapPostsLink extends RoadmapPostsUnlink, Optional<{ sync_status: boolean }> {}

export interface RoadmapPostsNamed {
  post_id: string;
}

interface CategoryFields
  extends Optional<{
    code: string;
    description: string;
    color: string;
    show_on_feedback: boolean;
    show_on_roadmap: boolean;
    external_id: string;
  }> {}

export interface CategoriesCreate extends CategoryFields {
  name: string;
}

export interface CategoriesUpdate
  extends CategoryFields,
    Optional<{ name: string; clear: ("description" | "external_id")[] }> {
  category_id: string;
}

export interface CategoriesDelete extends Optional<{ replacement_category_id: string }> {
  category_id: string;
}

/** Exactly one of the first three. `author_name` is the name of a new user. */
interface Author
  extends Optional<{
    author_id: string;
    author_external_id: string;
    author_email: string;
    author_name: string;
  }> {}

interface PostFields
  extends Optional<{
    description: string;
    status_id: string;
    category_id: string;
    tag_ids: string[];
    owner_id: string;
    eta: string;
    eta_is_public: boolean;
    slug: string;
    moderation_status_code: ModerationStatusCode;
    external_id: string;
    /** The user who filed the post for its author. */
    created_by_id: string;
    is_pinned: boolean;
    attributes: GivenAttributes;
  }> {}

export interface FeedbackPostsCreate
  extends Author,
    PostFields,
    Optional<{
      created_at: string;
      /** True by default. */
      subscribe_author: boolean;
    }> {
  board_id: string;
  title: string;
}

export interface FeedbackPostsUpdate
  extends PostFields,
    Expected,
    Optional<{
      board_id: string;
      title: string;
      clear: ("category_id" | "owner_id" | "eta" | "external_id" | "attributes")[];
    }> {
  post_id: string;
}

/** A `note`, a public comment, needs its author `changed_by_id`. */
export interface FeedbackPostsChangeStatus
  extends Optional<{
    changed_by_id: string;
    note: string;
    /** Whether the subscribers of the post are mailed. The default is false. */
    notify: boolean;
    eta: string;
  }> {
  post_id: string;
  status_id: string;
}

export interface FeedbackPostsBulkUpdate
  extends Optional<{
    board_id: string;
    status_id: string;
    category_id: string;
    owner_id: string;
    moderation_status_code: ModerationStatusCode;
    add_tag_ids: string[];
    remove_tag_ids: string[];
    /** Whether new statuses are mailed to the subscribers of the posts. The default is false. */
    notify: boolean;
  }> {
  /** At most 100. */
  post_ids: string[];
}

export interface FeedbackPostsActivity extends Paging {
  post_id: string;
}

export interface FeedbackPostsSubscribers extends Paging {
  post_id: string;
}

export interface FeedbackPostsUnsubscribe {
  post_id: string;
  user_id: string;
}

export interface FeedbackPostsSubscribe
  extends FeedbackPostsUnsubscribe,
    Optional<{
      /** `all` by default. */
      level: SubscriptionLevel;
    }> {}

export interface FeedbackPostsTag {
  post_id: string;
  tag_id: string;
}

export interface FeedbackPostsNamed {
  post_id: string;
}

export interface CommentsCreate
  extends Author,
    Optional<{
      parent_comment_id: string;
      visibility_code: VisibilityCode;
      moderation_status_code: ModerationStatusCode;
      /** Whether a public comment is mailed to the subscribers of the post. The default is true. */
      notify: boolean;
      external_id: string;
      created_at: string;
    }> {
  feedback_post_id: string;
  content: string;
}

export interface CommentsUpdate
  extends Expected,
    Optional<{
      content: string;
      visibility_code: VisibilityCode;
      moderation_status_code: ModerationStatusCode;
      /** A post has one pinned comment. */
      is_pinned: boolean;
      external_id: string;
      clear: "external_id"[];
    }> {
  comment_id: string;
}

export interface CommentsDelete {
  comment_id: string;
}

export interface TagsCreate extends TagFields {
  name: string;
}

export interface TagsUpdate
  extends TagFields,
    Optional<{ name: string; clear: ("external_id")[] }> {
  tag_id: string;
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

interface StatusFields
  extends Optional<{
    code: string;
    color: string;
    /** The default status stays so until another one becomes it. */
    is_default_status: boolean;
    show_on_feedback: boolean;
    show_on_roadmap: boolean;
    external_id: string;
  }> {}

export interface StatusesCreate extends StatusFields {
  name: string;
  status_group_code: StatusGroupCode;
}

export interface StatusesUpdate
  extends StatusFields,
    Optional<{ name: string; status_group_code: StatusGroupCode; clear: "external_id"[] }> {
  status_id: string;
}

export interface StatusesDelete
  extends Optional<{
    /** The status that the posts get. Required if a post has the deleted one. */
    replacement_status_id: string;
  }> {
  status_id: string;
}

export interface StatusesReorder extends Reorder {
  status_group_code: StatusGroupCode;
}

export interface HelpCollectionsUpdate extends HelpFields, Expected, Optional<{ name: string }> {
  collection_id: string;
}

export interface HelpCategoriesReorder extends Reorder {
  collection_id: string;
}

/** The articles directly in a collection, or in a category. */
export type HelpArticlesReorder = Reorder &
  ({ category_id: string; collection_id?: never } | { collection_id: string; category_id?: never });

export interface HelpCategoriesList extends Paging, Optional<{ collection_id: string }> {}

export interface HelpCategoriesCreate extends HelpFields {
  collection_id: string;
  name: string;
}

export interface HelpCategoriesUpdate
  extends HelpFields,
    Expected,
    Optional<{
      name: string;
      /** The new collection of the category and its articles. */
      collection_id: string;
    }> {
  category_id: string;
}

export interface HelpArticlesSearch extends Paging, Optional<{ published_only: boolean }> {
  /** A text in the title, the content or the excerpt. */
  query: string;
}

export interface HelpArticlesList
  extends Paging,
    Optional<{
      /** A text in the title, the content or the excerpt. */
      search: string;
      /** Also selects the articles of the collection's categories. */
      collection_id: string;
      category_id: string;
      status_code: HelpArticleStatusCode;
      is_favourite: boolean;
      sort: "updated" | "newest" | "oldest" | "title" | "position";
    }> {}

interface HelpArticleFields
  extends Optional<{
    /** HTML. */
    content: string;
    slug: string;
    excerpt: string;
    /** `draft` by default. */
    status_code: HelpArticleStatusCode;
    /** True by default. */
    show_on_portal: boolean;
    published_at: string | Date;
    related_article_ids: string[];
    is_favourite: boolean;
  }> {
  title: string;
}

/** An article in a category or directly in a collection: give exactly one. */
export type HelpArticlesCreate = HelpArticleFields &
  ({ category_id: string; collection_id?: never } | { collection_id: string; category_id?: never });
