// The file is generated: see clients/generate.

import { Methods } from "./methods.js";
import type * as T from "./types.js";

/** The resources of a client. Their members are the endpoints. */
export class Endpoints extends Methods {
  /** Name the organization of the key. */
  readonly ping = this.all<T.Ping>("/ping");

  readonly users = {
    /** Returns a user by exactly one of `user_id` and `email`. */
    retrieve: this.read<T.UsersRetrieve, T.User>("/users/retrieve"),
    /**
     * Users, newest first. `search` finds text in name and address.
     *
     * With `updated_after`, users by their last change, oldest first. With `include_deleted`, an item may be a
     * `Deleted`.
     */
    list: this.read<T.UsersList, T.Page<T.User>>("/users/list"),
    iterate: this.pages<T.UsersList, T.User>("/users/list"),
    /** Makes a user, or changes the one with this `external_id`, or else with this `email`. */
    upsert: this.write<T.UsersUpsert, T.UpsertedUser>("/users/upsert"),
    /** Changes the given values. `clear` takes `company_id`, `external_id` and `attributes`. */
    update: this.write<T.UsersUpdate, T.Success>("/users/update"),
    /** Deletes a user. Posts, comments and votes stay. */
    delete: this.write<T.UsersDelete, T.Success>("/users/delete"),
    /**
     * Blocks a user, who then cannot post, comment or vote.
     *
     * `reject_pending` rejects the posts and comments of the user that wait for moderation.
     */
    block: this.write<T.UsersBlock, T.Success>("/users/block"),
    /** Export all that is stored of a person. */
    export: this.byId<T.UserExport>("/users/export", "user_id"),
    /** Unblock a user. */
    unblock: this.write<T.UsersUnblock, T.Success>("/users/unblock"),
    /**
     * Gives all that refers to one user to another one, who is the same person.
     *
     * `dry_run` changes nothing: the answer has the `effects`, such as `posts_moved`.
     */
    merge: this.write<T.UsersMerge, T.Tried>("/users/merge"),
    /**
     * Erases all that tells who a user is.
     *
     * Posts, comments and votes stay, or with the `content_code` `delete` are deleted. `dry_run` changes nothing:
     * the answer has the `effects`, such as `posts_deleted`.
     */
    erase: this.write<T.UsersErase, T.Tried>("/users/erase"),
  };

  readonly companies = {
    /** Returns a company by exactly one of `id` and `external_id`. */
    retrieve: this.read<T.CompaniesRetrieve, T.Company>("/companies/retrieve"),
    /**
     * Companies, newest first.
     *
     * With `updated_after`, companies by their last change, oldest first. With `include_deleted`, an item may be a
     * `Deleted`.
     */
    list: this.read<T.CompaniesList, T.Page<T.Company>>("/companies/list"),
    iterate: this.pages<T.CompaniesList, T.Company>("/companies/list"),
    /** Makes a company, or changes the one with this `external_id`. */
    upsert: this.write<T.CompaniesUpsert, T.Upserted>("/companies/upsert"),
    /** Deletes a company by exactly one of `id` and `external_id`. */
    delete: this.write<T.CompaniesDelete, T.Success>("/companies/delete"),
  };

  readonly feedbackBoards = {
    /** List the feedback boards. */
    list: this.all<T.FeedbackBoard[]>("/feedback-boards/list"),
    /** Retrieve a feedback board. */
    retrieve: this.byId<T.FeedbackBoard>("/feedback-boards/retrieve", "id"),
    /** Makes a board, behind the others. */
    create: this.write<T.FeedbackBoardsCreate, T.Created>("/feedback-boards/create"),
    /**
     * Changes the given values.
     *
     * `clear` names the fields to empty: `description`, `icon_url`, `post_template`, `external_id`.
     */
    update: this.write<T.FeedbackBoardsUpdate, T.Success>("/feedback-boards/update"),
    /**
     * Deletes a board. Its posts move to another board, or are deleted with it.
     *
     * `dry_run` changes nothing: the answer has the `effects`, `posts_moved` and `posts_deleted`.
     */
    delete: this.write<T.FeedbackBoardsDelete, T.Tried>("/feedback-boards/delete"),
    /** Puts the boards in the order of `ids`, which names all of them. */
    reorder: this.write<T.FeedbackBoardsReorder, T.Success>("/feedback-boards/reorder"),
  };

  readonly feedbackPosts = {
    /** Retrieve a feedback post. */
    retrieve: this.byId<T.FeedbackPost>("/feedback-posts/retrieve", "id"),
    /**
     * Makes a post by exactly one of `author_id`, `author_external_id` and `author_email`.
     *
     * An author who is not known becomes a user. The author is subscribed to the post, unless `subscribe_author` is
     * false. With the `external_id` of an existing post, returns its identifier.
     */
    create: this.write<T.FeedbackPostsCreate, T.Created>("/feedback-posts/create"),
    /**
     * Changes the given values. `tag_ids` replaces all tags.
     *
     * `clear` names the fields to empty: `category_id`, `owner_id`, `eta`, `external_id`, `attributes`.
     */
    update: this.write<T.FeedbackPostsUpdate, T.Success>("/feedback-posts/update"),
    /**
     * Changes the status. `note` becomes a public comment of the user `changed_by_id`.
     *
     * `notify` mails the change to the subscribers of the post.
     */
    changeStatus: this.write<T.FeedbackPostsChangeStatus, T.Success>("/feedback-posts/change-status"),
    /**
     * Changes the given values of up to 100 posts: of all, or of none.
     *
     * `notify` mails new statuses to the subscribers of the posts.
     */
    bulkUpdate: this.write<T.FeedbackPostsBulkUpdate, T.Updated>("/feedback-posts/bulk-update"),
    /** Adds a tag behind the others. */
    addTag: this.write<T.FeedbackPostsAddTag, T.Success>("/feedback-posts/add-tag"),
    /** Remove a tag from a feedback post. */
    removeTag: this.write<T.FeedbackPostsRemoveTag, T.Success>("/feedback-posts/remove-tag"),
    /** Delete a feedback post. */
    delete: this.write<T.FeedbackPostsDelete, T.Success>("/feedback-posts/delete"),
    /** Restores a post that was deleted in the last 30 days. */
    restore: this.write<T.FeedbackPostsRestore, T.Success>("/feedback-posts/restore"),
    /**
     * Merges one post into another, with its votes. `merger_id` is the acting user.
     *
     * `dry_run` changes nothing: the answer has the `effects`, `votes_moved` and `votes_dropped`.
     */
    merge: this.write<T.FeedbackPostsMerge, T.Tried>("/feedback-posts/merge"),
    /**
     * Ends the merge of a post. Each of both posts has its own votes again.
     *
     * `merger_id` is the acting user. `dry_run` changes nothing: the answer has the `effects`, `votes_returned`,
     * `votes_restored` and `posts_followed`.
     */
    unmerge: this.write<T.FeedbackPostsUnmerge, T.Tried>("/feedback-posts/unmerge"),
    /**
     * Feedback posts, by default newest first. `search` finds text in title and description.
     *
     * `tag_ids` selects posts with at least one of the tags, and `company_id` those with a vote of one of its
     * users. With `updated_after`, posts by their last change, oldest first. With `include_deleted`, an item may be
     * a `Deleted`.
     */
    list: this.read<T.FeedbackPostsList, T.Page<T.FeedbackPost>>("/feedback-posts/list"),
    iterate: this.pages<T.FeedbackPostsList, T.FeedbackPost>("/feedback-posts/list"),
    /** The posts whose titles are most like `title`, or like that of `post_id`, best first. */
    similar: this.read<T.FeedbackPostsSimilar, T.SimilarFeedbackPost[]>("/feedback-posts/similar"),
    /** The subscribers of a post, oldest subscription first. */
    subscribers: this.read<T.FeedbackPostsSubscribers, T.Page<T.Subscriber>>("/feedback-posts/subscribers"),
    iterateSubscribers: this.pages<T.FeedbackPostsSubscribers, T.Subscriber>("/feedback-posts/subscribers"),
    /** What happened to a post, newest first. */
    activity: this.read<T.FeedbackPostsActivity, T.Page<T.Activity>>("/feedback-posts/activity"),
    iterateActivity: this.pages<T.FeedbackPostsActivity, T.Activity>("/feedback-posts/activity"),
    /** Subscribes a user, by default to `all`, or changes the level of a subscriber. */
    subscribe: this.write<T.FeedbackPostsSubscribe, T.Success>("/feedback-posts/subscribe"),
    /** Ends the subscription of a user, if there is one. */
    unsubscribe: this.write<T.FeedbackPostsUnsubscribe, T.Success>("/feedback-posts/unsubscribe"),
  };

  readonly comments = {
    /** Retrieve a comment. */
    retrieve: this.byId<T.Comment>("/comments/retrieve", "id"),
    /**
     * Comments, oldest first: those of a feedback post, or those changed since `updated_after`.
     *
     * With `include_deleted`, an item may be a `Deleted`.
     */
    list: this.read<T.CommentsList, T.Page<T.Comment>>("/comments/list"),
    iterate: this.pages<T.CommentsList, T.Comment>("/comments/list"),
    /**
     * Comments on a post by exactly one of `author_id`, `author_external_id` and `author_email`.
     *
     * A public comment is mailed to the subscribers of the post, unless `notify` is false.
     */
    create: this.write<T.CommentsCreate, T.Created>("/comments/create"),
    /** Changes the given values. A post has one pinned comment. `clear` takes `external_id`. */
    update: this.write<T.CommentsUpdate, T.Success>("/comments/update"),
    /** Deletes a comment. Replies stay. */
    delete: this.write<T.CommentsDelete, T.Success>("/comments/delete"),
  };

  readonly votes = {
    /** Casts the user's vote, or withdraws it. */
    toggle: this.write<T.VotesToggle, T.Voted>("/votes/toggle"),
    /** Casts or withdraws the vote of exactly one of `voter_id`, `voter_external_id` and `voter_email`. */
    set: this.write<T.VotesSet, T.SetVote>("/votes/set"),
    /** Casts or withdraws the votes of up to 500 voters on a post: of all, or of none. */
    setMany: this.write<T.VotesSetMany, T.SetVotes>("/votes/set-many"),
    /**
     * Votes, oldest first: of a user, of the users of a company, on a post, or all.
     *
     * `post_id` needs `post_type`.
     */
    list: this.read<T.VotesList, T.Page<T.Vote>>("/votes/list"),
    iterate: this.pages<T.VotesList, T.Vote>("/votes/list"),
    /** The voters of a post, oldest vote first. */
    voters: this.read<T.VotesVoters, T.Page<T.Voter>>("/votes/voters"),
    iterateVoters: this.pages<T.VotesVoters, T.Voter>("/votes/voters"),
  };

  readonly categories = {
    /** List the categories. */
    list: this.all<T.Category[]>("/categories/list"),
    /** Retrieve a category. */
    retrieve: this.byId<T.Category>("/categories/retrieve", "id"),
    /** Create a category. */
    create: this.write<T.CategoriesCreate, T.Created>("/categories/create"),
    /** Changes the given values. `clear` takes `description` and `external_id`. */
    update: this.write<T.CategoriesUpdate, T.Success>("/categories/update"),
    /** Deletes a category. Its posts get the replacement, or none. */
    delete: this.write<T.CategoriesDelete, T.Success>("/categories/delete"),
  };

  readonly tags = {
    /** List the tags. */
    list: this.all<T.Tag[]>("/tags/list"),
    /** Retrieve a tag. */
    retrieve: this.byId<T.Tag>("/tags/retrieve", "id"),
    /** Makes a tag. With the `external_id` of an existing tag, returns its identifier. */
    create: this.write<T.TagsCreate, T.Created>("/tags/create"),
    /** Changes the given values. `clear` names the fields to empty: `external_id`. */
    update: this.write<T.TagsUpdate, T.Success>("/tags/update"),
    /** Delete a tag. */
    delete: this.write<T.TagsDelete, T.Success>("/tags/delete"),
    /** Deletes a tag, and gives its posts another one. */
    merge: this.write<T.TagsMerge, T.Success>("/tags/merge"),
  };

  readonly statuses = {
    /** List the statuses. */
    list: this.all<T.Status[]>("/statuses/list"),
    /** Retrieve a status. */
    retrieve: this.byId<T.Status>("/statuses/retrieve", "id"),
    /** Makes a status, at the end of its group. */
    create: this.write<T.StatusesCreate, T.Created>("/statuses/create"),
    /**
     * Changes the given values. A new default status takes the place of the former one.
     *
     * `clear` names the fields to empty: `external_id`.
     */
    update: this.write<T.StatusesUpdate, T.Success>("/statuses/update"),
    /** Deletes a status. A status in use needs a replacement, which its posts get. */
    delete: this.write<T.StatusesDelete, T.Success>("/statuses/delete"),
    /** Puts the statuses of a group in the order of `ids`, which names all of them. */
    reorder: this.write<T.StatusesReorder, T.Success>("/statuses/reorder"),
  };

  readonly roadmapBoards = {
    /** List the roadmap boards. */
    list: this.all<T.RoadmapBoard[]>("/roadmap-boards/list"),
    /** Retrieve a roadmap board. */
    retrieve: this.byId<T.RoadmapBoard>("/roadmap-boards/retrieve", "id"),
    /** Makes a roadmap board, behind the others. */
    create: this.write<T.RoadmapBoardsCreate, T.Created>("/roadmap-boards/create"),
    /** Changes the given values. `clear` takes `description`, `icon_url` and `external_id`. */
    update: this.write<T.RoadmapBoardsUpdate, T.Success>("/roadmap-boards/update"),
    /** Deletes a roadmap board without posts. */
    delete: this.write<T.RoadmapBoardsDelete, T.Success>("/roadmap-boards/delete"),
    /** Puts the roadmap boards in the order of `ids`, which names all of them. */
    reorder: this.write<T.RoadmapBoardsReorder, T.Success>("/roadmap-boards/reorder"),
  };

  readonly roadmapPosts = {
    /** Retrieve a roadmap post. */
    retrieve: this.byId<T.RoadmapPost>("/roadmap-posts/retrieve", "id"),
    /**
     * Roadmap posts, by position. `search` finds text in title and description.
     *
     * With `updated_after`, posts by their last change, oldest first. With `include_deleted`, an item may be a
     * `Deleted`.
     */
    list: this.read<T.RoadmapPostsList, T.Page<T.RoadmapPost>>("/roadmap-posts/list"),
    iterate: this.pages<T.RoadmapPostsList, T.RoadmapPost>("/roadmap-posts/list"),
    /** Makes a roadmap post at a `position`, from 1, or behind the others of its board. */
    create: this.write<T.RoadmapPostsCreate, T.Created>("/roadmap-posts/create"),
    /**
     * Changes the given values. `tag_ids` replaces all tags.
     *
     * `clear` names the fields to empty: `category_id`, `owner_id`, `author_id`, `eta`, `external_id`.
     */
    update: this.write<T.RoadmapPostsUpdate, T.Success>("/roadmap-posts/update"),
    /** Changes the status, also of the linked posts that follow it. */
    changeStatus: this.write<T.RoadmapPostsChangeStatus, T.Success>("/roadmap-posts/change-status"),
    /** Links feedback posts. With `sync_status` they follow later changes of the status. */
    link: this.write<T.RoadmapPostsLink, T.Success>("/roadmap-posts/link"),
    /** Unlink feedback posts from a roadmap post. */
    unlink: this.write<T.RoadmapPostsUnlink, T.Success>("/roadmap-posts/unlink"),
    /** Delete a roadmap post. */
    delete: this.write<T.RoadmapPostsDelete, T.Success>("/roadmap-posts/delete"),
  };

  readonly moderation = {
    /** The posts or the comments in a state of moderation, by default `pending`, oldest first. */
    list: this.read<T.ModerationList, T.Page<T.QueuedItem>>("/moderation/list"),
    iterate: this.pages<T.ModerationList, T.QueuedItem>("/moderation/list"),
    /**
     * Accepts or rejects up to 100 posts and comments: all, or none.
     *
     * `trust_author` also trusts their authors, and `block_author` blocks them. Give at most one.
     */
    decide: this.write<T.ModerationDecide, T.Decided>("/moderation/decide"),
  };

  readonly audit = {
    /** The changes of records, newest first. `action` is a path, such as `tags/update`. */
    list: this.read<T.AuditList, T.Page<T.AuditEntry>>("/audit/list"),
    iterate: this.pages<T.AuditList, T.AuditEntry>("/audit/list"),
  };

  readonly webhooks = {
    /** Webhooks, oldest first, active or not. No answer shows a secret again. */
    list: this.read<T.WebhooksList, T.Page<T.Webhook>>("/webhooks/list"),
    iterate: this.pages<T.WebhooksList, T.Webhook>("/webhooks/list"),
    /** A webhook, active or not. */
    retrieve: this.byId<T.Webhook>("/webhooks/retrieve", "id"),
    /**
     * Makes a webhook, and shows its signing secret this once.
     *
     * Without `event_types` it gets the types of the contract, and without `board_ids` the events of all boards.
     */
    create: this.write<T.WebhooksCreate, T.NewWebhook>("/webhooks/create"),
    /**
     * Changes the given values. An empty `event_types` or `board_ids` stands for all.
     *
     * With `is_active` its waiting deliveries are sent, and its failures no longer count. `clear` takes
     * `description`.
     */
    update: this.write<T.WebhooksUpdate, T.Success>("/webhooks/update"),
    /** Deletes a webhook with its deliveries. */
    delete: this.write<T.WebhooksDelete, T.Success>("/webhooks/delete"),
    /**
     * Makes a new signing secret, and shows it this once.
     *
     * For `overlap_seconds`, `webhook-signature` has a signature of the former secret, too.
     */
    rotateSecret: this.write<T.WebhooksRotateSecret, T.NewSecret>("/webhooks/rotate-secret"),
    /** Sends the event `webhook.test`, and waits up to 30 seconds for the response. The webhook may be inactive. */
    test: this.byId<T.WebhookTest>("/webhooks/test", "webhook_id"),
  };

  readonly deliveries = {
    /** Deliveries, newest first: to a webhook, or to all. */
    list: this.read<T.DeliveriesList, T.Page<T.Delivery>>("/deliveries/list"),
    iterate: this.pages<T.DeliveriesList, T.Delivery>("/deliveries/list"),
    /** A delivery with its attempts, oldest first. */
    retrieve: this.byId<T.DeliveryWithAttempts>("/deliveries/retrieve", "id"),
    /**
     * Sends a delivery again, or those of a webhook: with the same id and body. Without `state`, those that failed.
     *
     * Deliveries of an inactive webhook wait until it is active.
     */
    replay: this.write<T.DeliveriesReplay, T.Replayed>("/deliveries/replay"),
  };

  readonly events = {
    /** The events of the last 90 days, in the order of recording, if the organization keeps a ledger of events. */
    list: this.read<T.EventsList, T.Page<T.Event>>("/events/list"),
    iterate: this.pages<T.EventsList, T.Event>("/events/list"),
  };

  readonly labels = {
    /** List the labels of the changelog. */
    list: this.read<T.LabelsList, T.Page<T.Label>>("/labels/list"),
    iterate: this.pages<T.LabelsList, T.Label>("/labels/list"),
    /** Retrieve a label. */
    retrieve: this.byId<T.Label>("/labels/retrieve", "id"),
    /** Makes a label. With the `external_id` of an existing label, returns its identifier. */
    create: this.write<T.LabelsCreate, T.Created>("/labels/create"),
    /** Changes the given values. `clear` takes `description` and `external_id`. */
    update: this.write<T.LabelsUpdate, T.Success>("/labels/update"),
    /** Deletes a label. Entries that have it keep it. */
    delete: this.write<T.LabelsDelete, T.Success>("/labels/delete"),
  };

  readonly changelog = {
    /** An entry in any state. */
    retrieve: this.byId<T.ChangelogEntry>("/changelog/retrieve", "id"),
    /** Changelog entries in every state, newest first, without the first `skip` entries. */
    list: this.read<T.ChangelogList, T.Page<T.ChangelogEntry>>("/changelog/list"),
    iterate: this.pages<T.ChangelogList, T.ChangelogEntry>("/changelog/list"),
    /** Makes a changelog entry. Subscribers get a mail, unless `notify` is false. */
    create: this.write<T.ChangelogCreate, T.Created>("/changelog/create"),
    /**
     * Changes the given values. `label_ids` replaces all labels, and `published_at` needs a published entry.
     *
     * `clear` names the fields to empty: `type`, `featured_image_url`, `author_id`, `external_id`.
     */
    update: this.write<T.ChangelogUpdate, T.Success>("/changelog/update"),
    /**
     * Publishes a draft or a scheduled entry. With `scheduled_for` in the future, schedules it.
     *
     * Subscribers get a mail, unless `notify` is false. With `notify_voters`, the subscribers of linked posts get
     * one in any case. Nobody gets a second mail about an entry.
     */
    publish: this.write<T.ChangelogPublish, T.Success>("/changelog/publish"),
    /** Makes a draft of a published or scheduled entry. */
    unpublish: this.write<T.ChangelogUnpublish, T.Success>("/changelog/unpublish"),
    /** Deletes an entry. Its slug stays taken. */
    delete: this.write<T.ChangelogDelete, T.Success>("/changelog/delete"),
    /** Links feedback posts to an entry that answers them. */
    linkPosts: this.write<T.ChangelogLinkPosts, T.Success>("/changelog/link-posts"),
    /** Unlink feedback posts from an entry of the changelog. */
    unlinkPosts: this.write<T.ChangelogUnlinkPosts, T.Success>("/changelog/unlink-posts"),
  };

  readonly helpCollections = {
    /** List the help collections. */
    list: this.read<T.HelpCollectionsList, T.Page<T.HelpCollection>>("/help-collections/list"),
    iterate: this.pages<T.HelpCollectionsList, T.HelpCollection>("/help-collections/list"),
    /** Retrieve a help collection. */
    retrieve: this.byId<T.HelpCollection>("/help-collections/retrieve", "collection_id"),
    /** Makes a help collection, behind the others. */
    create: this.write<T.HelpCollectionsCreate, T.Created>("/help-collections/create"),
    /** Changes the given values. A new slug changes the public URL of all articles inside. */
    update: this.write<T.HelpCollectionsUpdate, T.Success>("/help-collections/update"),
    /**
     * Deletes a help collection. Its categories and articles move to the end of another one, or are deleted with
     * it. Otherwise the collection must have no articles, and its categories are deleted.
     *
     * `dry_run` changes nothing: the answer has the `effects`, such as `articles_moved` and `urls_changed`.
     */
    delete: this.write<T.HelpCollectionsDelete, T.Tried>("/help-collections/delete"),
    /** Puts the collections in the order of `ids`, which names all of them. */
    reorder: this.write<T.HelpCollectionsReorder, T.Success>("/help-collections/reorder"),
  };

  readonly helpCategories = {
    /** List the help categories of a collection. */
    list: this.read<T.HelpCategoriesList, T.Page<T.HelpCategory>>("/help-categories/list"),
    iterate: this.pages<T.HelpCategoriesList, T.HelpCategory>("/help-categories/list"),
    /** Retrieve a help category. */
    retrieve: this.byId<T.HelpCategory>("/help-categories/retrieve", "category_id"),
    /** Makes a help category, at the end of its collection. */
    create: this.write<T.HelpCategoriesCreate, T.Created>("/help-categories/create"),
    /** Changes the given values. `collection_id` moves the category with its articles. */
    update: this.write<T.HelpCategoriesUpdate, T.Success>("/help-categories/update"),
    /**
     * Deletes a help category. Its articles move to the end of a collection, or are deleted with it. Otherwise the
     * category must have no articles.
     *
     * `dry_run` changes nothing: the answer has the `effects`, such as `articles_moved` and `urls_changed`.
     */
    delete: this.write<T.HelpCategoriesDelete, T.Tried>("/help-categories/delete"),
    /** Puts the categories of a collection in the order of `ids`, which names all of them. */
    reorder: this.write<T.HelpCategoriesReorder, T.Success>("/help-categories/reorder"),
  };

  readonly helpArticles = {
    /**
     * Articles with the text in title, content or excerpt, most recently updated first.
     *
     * The answer contains drafts unless `published_only` is true.
     */
    search: this.read<T.HelpArticlesSearch, T.Page<T.HelpArticleHit>>("/help-articles/search"),
    iterateSearch: this.pages<T.HelpArticlesSearch, T.HelpArticleHit>("/help-articles/search"),
    /**
     * Articles without `content`, most recently updated first.
     *
     * `collection_id` also selects the articles of the collection's categories.
     */
    list: this.read<T.HelpArticlesList, T.Page<T.ListedHelpArticle>>("/help-articles/list"),
    iterate: this.pages<T.HelpArticlesList, T.ListedHelpArticle>("/help-articles/list"),
    /** Retrieve a help article. */
    retrieve: this.byId<T.HelpArticle>("/help-articles/retrieve", "article_id"),
    /** Makes a help article in a category or directly in a collection: give exactly one. */
    create: this.write<T.HelpArticlesCreate, T.Created>("/help-articles/create"),
    /**
     * Changes the given values. `category_id` or `collection_id` moves the article to the end of it.
     *
     * `clear` names the fields to empty: `excerpt`, `author_id`, `external_id`.
     */
    update: this.write<T.HelpArticlesUpdate, T.Success>("/help-articles/update"),
    /** Publish a help article. */
    publish: this.write<T.HelpArticlesPublish, T.Success>("/help-articles/publish"),
    /** Makes a draft of an article. Its `published_at` becomes null. */
    unpublish: this.write<T.HelpArticlesUnpublish, T.Success>("/help-articles/unpublish"),
    /** Deletes an article. Its slug stays taken. */
    delete: this.write<T.HelpArticlesDelete, T.Success>("/help-articles/delete"),
    /** Restores an article that was deleted in the last 30 days. */
    restore: this.write<T.HelpArticlesRestore, T.Success>("/help-articles/restore"),
    /**
     * The versions of an article, newest first. The first one is the article as it is.
     *
     * The newest 100 are kept, and of the older ones the last of each day.
     */
    versions: this.read<T.HelpArticlesVersions, T.Page<T.HelpArticleVersion>>("/help-articles/versions"),
    iterateVersions: this.pages<T.HelpArticlesVersions, T.HelpArticleVersion>("/help-articles/versions"),
    /** Gives an article the title and content of an older version. That is a new version. */
    restoreVersion: this.write<T.HelpArticlesRestoreVersion, T.Success>("/help-articles/restore-version"),
    /** Counts whether a reader found a help article helpful. The audit log has the `comment`. */
    feedback: this.write<T.HelpArticlesFeedback, T.Success>("/help-articles/feedback"),
    /** Puts the articles directly in a collection, or in a category, in the order of `ids`. */
    reorder: this.write<T.HelpArticlesReorder, T.Success>("/help-articles/reorder"),
  };

  readonly helpRedirects = {
    /** Redirects, newest first. A page that is moved or gets another slug leaves one. */
    list: this.read<T.HelpRedirectsList, T.Page<T.HelpRedirect>>("/help-redirects/list"),
    iterate: this.pages<T.HelpRedirectsList, T.HelpRedirect>("/help-redirects/list"),
    /** Leads a path, and all that leads there, to another one. A page at the path is shown nevertheless. */
    create: this.write<T.HelpRedirectsCreate, T.Created>("/help-redirects/create"),
    /** Deletes a redirect. */
    delete: this.write<T.HelpRedirectsDelete, T.Success>("/help-redirects/delete"),
  };
}
