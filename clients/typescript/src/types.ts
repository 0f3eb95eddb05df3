// What is sent and answered, under the names that it has on the wire. Identifiers are UUIDs. Times are ISO 8601 strings in UTC,
// with milliseconds and `Z` but for those of help collections and help categories, which have neither.

/** Members that may be left out. */
type Optional<T> = { [K in keyof T]?: T[K] | undefined };

// Answers

export interface Page<T> {
  items: T[];
  has_next_page: boolean;
  /** Gets the next page; null on the last one. */
  cursor: string | null;
}

export interface Created {
  id: string;
}

export interface Success {
  success: true;
}

export interface Voted {
  /** Whether the user has a vote on the post now. */
  voted: boolean;
}

export type ModerationStatusCode = "pending" | "accepted" | "rejected" | "spam";
export type StatusGroupCode = "open" | "in-progress" | "completed" | "closed";
export type ChangelogType = "fixed" | "new" | "improvement";
export type ChangelogStatusCode = "draft" | "published" | "scheduled";
export type HelpArticleStatusCode = "draft" | "published";
export type PostType = "feedback" | "roadmap";

/** What is not known of a user is `""`. */
export interface User {
  /** Of the user's link to the organization. */
  id: string;
  /** Of the person: authors, owners and voters are named by it. */
  user_id: string;
  email: string;
  name: string;
  avatar_url: string;
  /** Such as `end_user`, `member`, `admin`, `owner`. */
  portal_role: string;
  company_name: string;
  customer_status: string;
  created_at: string;
  is_subscribed: boolean;
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
  merged_into_id: string | null;
}

export interface Comment {
  id: string;
  content: string;
  author_id: string;
  parent_comment_id: string | null;
  feedback_post_id: string;
  visibility_code: "public" | "internal";
  moderation_status_code: ModerationStatusCode;
  created_at: string;
  updated_at: string;
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
}

export interface RoadmapBoard {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  icon_url: string | null;
  is_voting_enabled: boolean;
  created_at: string;
}

/** Of changelog entries. */
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
  /** Its position: a decimal number with four decimals. */
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
  /** Its position: a decimal number with four decimals. */
  seq_number: string;
  article_count: number;
  created_at: string;
  updated_at: string;
}

/** An article that a search found. */
export interface HelpArticleHit {
  id: string;
  title: string;
  slug: string;
  excerpt: string | null;
  status_code: HelpArticleStatusCode;
  show_on_portal: boolean;
  collection: { id: string; name: string; slug: string };
  /** Null where the article is directly in the collection. */
  category: { id: string; name: string; slug: string; collection_id: string } | null;
}

/** An article as a list has it: without its content. */
export interface HelpArticleSummary extends HelpArticleHit {
  is_favourite: boolean;
  /** Its position: a decimal number with four decimals. */
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
    /** 1 to 100; 25 unless given. The same for a whole walk. */
    limit: number;
    /** That of the page before; null or left out for the first page. */
    cursor: string | null;
  }> {}

/** Exactly one of them. */
export type UserSelector = { user_id: string; email?: never } | { email: string; user_id?: never };

export interface FeedbackPostsList
  extends Paging,
    Optional<{
      board_id: string;
      status_id: string;
      /** Text of the title or the description. */
      search: string;
    }> {}

export interface FeedbackPostsMerge {
  /** The duplicate. */
  merge_post_id: string;
  /** The post that stays. */
  into_post_id: string;
  /** The user who merges them. */
  merger_id: string;
}

export interface CommentsList extends Paging {
  feedback_post_id: string;
}

export interface VotesToggle {
  /** The voter. */
  user_id: string;
  post_id: string;
  post_type: PostType;
}

export interface VotesVoters extends Paging {
  post_id: string;
  post_type: PostType;
}

export interface ChangelogList
  extends Paging,
    Optional<{
      type: ChangelogType;
      /** Entries that have one of them. */
      label_ids: string[];
      sort: "newest" | "oldest" | "published";
      /** How many entries to leave out at the beginning; not together with a cursor. */
      skip: number;
    }> {}

export interface ChangelogCreate
  extends Optional<{
    details: string;
    type: ChangelogType;
    label_ids: string[];
    /** `draft` unless given; `scheduled` needs `scheduled_for`. */
    status_code: ChangelogStatusCode;
    /** Publishes it now, whatever else is given. */
    published: boolean;
    scheduled_for: string | Date;
    /** Whether subscribers get a mail when it is published; true unless given. */
    notify: boolean;
    author_id: string;
    featured_image_url: string;
    /** True unless given. */
    show_on_portal: boolean;
  }> {
  title: string;
}

/** What collections and categories of the help center have in common. */
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

export interface HelpCollectionsUpdate extends HelpFields, Optional<{ name: string }> {
  collection_id: string;
}

export interface HelpCategoriesList extends Paging, Optional<{ collection_id: string }> {}

export interface HelpCategoriesCreate extends HelpFields {
  collection_id: string;
  name: string;
}

export interface HelpCategoriesUpdate
  extends HelpFields,
    Optional<{
      name: string;
      /** Where the category, with its articles, moves to. */
      collection_id: string;
    }> {
  category_id: string;
}

export interface HelpArticlesSearch extends Paging, Optional<{ published_only: boolean }> {
  /** Text of the title, the content or the excerpt. */
  query: string;
}

export interface HelpArticlesList
  extends Paging,
    Optional<{
      /** Text of the title, the content or the excerpt. */
      search: string;
      /** Finds the articles of its categories too. */
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
    /** `draft` unless given. */
    status_code: HelpArticleStatusCode;
    /** True unless given. */
    show_on_portal: boolean;
    published_at: string | Date;
    related_article_ids: string[];
    is_favourite: boolean;
  }> {
  title: string;
}

/** In a category or directly in a collection: exactly one of them. */
export type HelpArticlesCreate = HelpArticleFields &
  ({ category_id: string; collection_id?: never } | { collection_id: string; category_id?: never });
