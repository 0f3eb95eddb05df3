import { webcrypto } from "#webcrypto";
import { Transport, type HearbackOptions } from "./transport.js";
import type * as T from "./types.js";

export interface WriteOptions {
  /** Identifies the write: the server does it once, even if it is sent again. Random by default. */
  idempotencyKey?: string | undefined;
}

/**
 * A client of one organization. Its members are the resources. Their members are the endpoints.
 * `docs/api.md` of Hearback describes the requests and the answers.
 */
export class Hearback {
  readonly #transport: Transport;

  readonly users = {
    /** By `user_id` or by `email`. */
    retrieve: this.#read<T.UserSelector, T.User>("/users/retrieve"),
    /** A page, by default newest first. */
    list: this.#read<T.UsersList, T.Page<T.User>>("/users/list"),
    iterate: this.#pages<T.UsersList, T.User>("/users/list"),
    /** Makes a user, or changes the one with the `external_id` or the `email`. */
    upsert: this.#write<T.UsersUpsert, T.UpsertedUser>("/users/upsert"),
    update: this.#write<T.UsersUpdate, T.Success>("/users/update"),
    /** Posts, comments and votes stay. */
    delete: this.#write<T.UsersNamed, T.Success>("/users/delete"),
    block: this.#write<T.UsersBlock, T.Success>("/users/block"),
    unblock: this.#write<T.UsersNamed, T.Success>("/users/unblock"),
    /** All that is stored of a person. */
    export: this.#byId<T.UserExport>("/users/export", "user_id"),
    /** Gives all that refers to a user to another one, who is the same person. */
    merge: this.#write<T.UsersMerge, T.Tried>("/users/merge"),
    /** Erases all that tells who a user is. */
    erase: this.#write<T.UsersErase, T.Tried>("/users/erase"),
  };

  readonly companies = {
    /** By `id` or by `external_id`. */
    retrieve: this.#read<T.CompanySelector, T.Company>("/companies/retrieve"),
    /** A page, by default newest first. */
    list: this.#read<T.CompaniesList, T.Page<T.Company>>("/companies/list"),
    iterate: this.#pages<T.CompaniesList, T.Company>("/companies/list"),
    /** Makes a company, or changes the one with the `external_id`. */
    upsert: this.#write<T.CompaniesUpsert, T.UpsertedCompany>("/companies/upsert"),
    delete: this.#write<T.CompanySelector, T.Success>("/companies/delete"),
  };

  readonly feedbackBoards = {
    list: this.#all<T.FeedbackBoard>("/feedback-boards/list"),
    retrieve: this.#byId<T.FeedbackBoard>("/feedback-boards/retrieve", "id"),
    create: this.#write<T.FeedbackBoardsCreate, T.Created>("/feedback-boards/create"),
    update: this.#write<T.FeedbackBoardsUpdate, T.Success>("/feedback-boards/update"),
    /** With `dry_run`, returns the effects and changes nothing. */
    delete: this.#write<T.FeedbackBoardsDelete, T.Tried>("/feedback-boards/delete"),
    reorder: this.#write<T.Reorder, T.Success>("/feedback-boards/reorder"),
  };

  readonly feedbackPosts = {
    /** A page, by default newest first. */
    list: this.#read<T.FeedbackPostsList, T.Page<T.FeedbackPost>>("/feedback-posts/list"),
    iterate: this.#pages<T.FeedbackPostsList, T.FeedbackPost>("/feedback-posts/list"),
    retrieve: this.#byId<T.FeedbackPost>("/feedback-posts/retrieve", "id"),
    /** The posts with the most similar titles, best first. */
    similar: this.#read<T.FeedbackPostsSimilar, T.SimilarFeedbackPost[]>("/feedback-posts/similar"),
    /** With the `external_id` of an existing post, returns its identifier. */
    create: this.#write<T.FeedbackPostsCreate, T.Created>("/feedback-posts/create"),
    update: this.#write<T.FeedbackPostsUpdate, T.Success>("/feedback-posts/update"),
    changeStatus: this.#write<T.FeedbackPostsChangeStatus, T.Success>("/feedback-posts/change-status"),
    /** Changes all of the posts, or none. */
    bulkUpdate: this.#write<T.FeedbackPostsBulkUpdate, T.Updated>("/feedback-posts/bulk-update"),
    addTag: this.#write<T.FeedbackPostsTag, T.Success>("/feedback-posts/add-tag"),
    removeTag: this.#write<T.FeedbackPostsTag, T.Success>("/feedback-posts/remove-tag"),
    delete: this.#write<T.FeedbackPostsNamed, T.Success>("/feedback-posts/delete"),
    /** For 30 days after the deletion. */
    restore: this.#write<T.FeedbackPostsNamed, T.Success>("/feedback-posts/restore"),
    /** Merges one post into another, which gets its votes. */
    merge: this.#write<T.FeedbackPostsMerge, T.Tried>("/feedback-posts/merge"),
    /** Ends a merge: each of both posts has its own votes again. */
    unmerge: this.#write<T.FeedbackPostsUnmerge, T.Tried>("/feedback-posts/unmerge"),
    /** A page of what happened to a post, newest first. */
    activity: this.#read<T.FeedbackPostsActivity, T.Page<T.Activity>>("/feedback-posts/activity"),
    iterateActivity: this.#pages<T.FeedbackPostsActivity, T.Activity>("/feedback-posts/activity"),
    /** A page of the subscribers of a post, oldest subscription first. */
    subscribers: this.#read<T.FeedbackPostsSubscribers, T.Page<T.Subscriber>>("/feedback-posts/subscribers"),
    iterateSubscribers: this.#pages<T.FeedbackPostsSubscribers, T.Subscriber>("/feedback-posts/subscribers"),
    /** Subscribes a user, or changes the level of a subscriber. */
    subscribe: this.#write<T.FeedbackPostsSubscribe, T.Success>("/feedback-posts/subscribe"),
    unsubscribe: this.#write<T.FeedbackPostsUnsubscribe, T.Success>("/feedback-posts/unsubscribe"),
  };

  readonly comments = {
    /** A page, oldest first. */
    list: this.#read<T.CommentsList, T.Page<T.Comment>>("/comments/list"),
    iterate: this.#pages<T.CommentsList, T.Comment>("/comments/list"),
    retrieve: this.#byId<T.Comment>("/comments/retrieve", "id"),
    create: this.#write<T.CommentsCreate, T.Created>("/comments/create"),
    update: this.#write<T.CommentsUpdate, T.Success>("/comments/update"),
    /** Replies stay. */
    delete: this.#write<T.CommentsDelete, T.Success>("/comments/delete"),
  };

  readonly votes = {
    /** Casts the user's vote, or withdraws it if there is one. */
    toggle: this.#write<T.VotesToggle, T.Voted>("/votes/toggle"),
    /** Casts a vote, or withdraws it. */
    set: this.#write<T.VotesSet, T.SetVote>("/votes/set"),
    /** Casts the votes of all of the voters, or of none, or withdraws them. */
    setMany: this.#write<T.VotesSetMany, T.SetVotes>("/votes/set-many"),
    /** A page, oldest first. */
    list: this.#read<T.VotesList, T.Page<T.Vote>>("/votes/list"),
    iterate: this.#pages<T.VotesList, T.Vote>("/votes/list"),
    /** A page of the voters of a post, oldest vote first. */
    voters: this.#read<T.VotesVoters, T.Page<T.Voter>>("/votes/voters"),
    iterateVoters: this.#pages<T.VotesVoters, T.Voter>("/votes/voters"),
  };

  readonly categories = {
    list: this.#all<T.Category>("/categories/list"),
    retrieve: this.#byId<T.Category>("/categories/retrieve", "id"),
    create: this.#write<T.CategoriesCreate, T.Created>("/categories/create"),
    update: this.#write<T.CategoriesUpdate, T.Success>("/categories/update"),
    /** The posts of the category get the replacement, or none. */
    delete: this.#write<T.CategoriesDelete, T.Success>("/categories/delete"),
  };

  readonly tags = {
    list: this.#all<T.Tag>("/tags/list"),
    retrieve: this.#byId<T.Tag>("/tags/retrieve", "id"),
    /** With the `external_id` of an existing tag, returns its identifier. */
    create: this.#write<T.TagsCreate, T.Created>("/tags/create"),
    /** Changes the given values, and empties the fields that `clear` names. */
    update: this.#write<T.TagsUpdate, T.Success>("/tags/update"),
    delete: this.#write<T.TagsDelete, T.Success>("/tags/delete"),
    /** Deletes a tag, and gives its posts another one. */
    merge: this.#write<T.TagsMerge, T.Success>("/tags/merge"),
  };

  readonly statuses = {
    /** In workflow order. */
    list: this.#all<T.Status>("/statuses/list"),
    retrieve: this.#byId<T.Status>("/statuses/retrieve", "id"),
    /** Makes a status at the end of its group. */
    create: this.#write<T.StatusesCreate, T.Created>("/statuses/create"),
    update: this.#write<T.StatusesUpdate, T.Success>("/statuses/update"),
    delete: this.#write<T.StatusesDelete, T.Success>("/statuses/delete"),
    /** Within a group. */
    reorder: this.#write<T.StatusesReorder, T.Success>("/statuses/reorder"),
  };

  readonly roadmapBoards = {
    list: this.#all<T.RoadmapBoard>("/roadmap-boards/list"),
    retrieve: this.#byId<T.RoadmapBoard>("/roadmap-boards/retrieve", "id"),
    create: this.#write<T.RoadmapBoardsCreate, T.Created>("/roadmap-boards/create"),
    update: this.#write<T.RoadmapBoardsUpdate, T.Success>("/roadmap-boards/update"),
    /** A board without posts. */
    delete: this.#write<T.RoadmapBoardsDelete, T.Success>("/roadmap-boards/delete"),
    reorder: this.#write<T.Reorder, T.Success>("/roadmap-boards/reorder"),
  };

  readonly roadmapPosts = {
    /** A page, by position. */
    list: this.#read<T.RoadmapPostsList, T.Page<T.RoadmapPost>>("/roadmap-posts/list"),
    iterate: this.#pages<T.RoadmapPostsList, T.RoadmapPost>("/roadmap-posts/list"),
    retrieve: this.#byId<T.RoadmapPost>("/roadmap-posts/retrieve", "id"),
    create: this.#write<T.RoadmapPostsCreate, T.Created>("/roadmap-posts/create"),
    update: this.#write<T.RoadmapPostsUpdate, T.Success>("/roadmap-posts/update"),
    /** Also of the linked posts that follow it. */
    changeStatus: this.#write<T.RoadmapPostsChangeStatus, T.Success>("/roadmap-posts/change-status"),
    /** With `sync_status` the feedback posts follow later changes of the status. */
    link: this.#write<T.RoadmapPostsLink, T.Success>("/roadmap-posts/link"),
    unlink: this.#write<T.RoadmapPostsUnlink, T.Success>("/roadmap-posts/unlink"),
    delete: this.#write<T.RoadmapPostsNamed, T.Success>("/roadmap-posts/delete"),
  };

  readonly moderation = {
    /** A page of posts or comments, oldest first. */
    list: this.#read<T.ModerationList, T.Page<T.QueuedItem>>("/moderation/list"),
    iterate: this.#pages<T.ModerationList, T.QueuedItem>("/moderation/list"),
    /** Accepts or rejects all of the items, or none. */
    decide: this.#write<T.ModerationDecide, T.Decided>("/moderation/decide"),
  };

  readonly audit = {
    /** A page, newest first. */
    list: this.#read<T.AuditList, T.Page<T.AuditEntry>>("/audit/list"),
    iterate: this.#pages<T.AuditList, T.AuditEntry>("/audit/list"),
  };

  readonly labels = {
    /** A page, by name. */
    list: this.#read<T.Paging, T.Page<T.Label>>("/labels/list"),
    iterate: this.#pages<T.Paging, T.Label>("/labels/list"),
  };

  readonly changelog = {
    /** A page, by default newest first. */
    list: this.#read<T.ChangelogList, T.Page<T.ChangelogEntry>>("/changelog/list"),
    iterate: this.#pages<T.ChangelogList, T.ChangelogEntry>("/changelog/list"),
    create: this.#write<T.ChangelogCreate, T.Created>("/changelog/create"),
  };

  readonly helpCollections = {
    /** A page, by position. */
    list: this.#read<T.Paging, T.Page<T.HelpCollection>>("/help-collections/list"),
    iterate: this.#pages<T.Paging, T.HelpCollection>("/help-collections/list"),
    retrieve: this.#byId<T.HelpCollection>("/help-collections/retrieve", "collection_id"),
    /** Changes the given values. */
    update: this.#write<T.HelpCollectionsUpdate, T.Success>("/help-collections/update"),
    reorder: this.#write<T.Reorder, T.Success>("/help-collections/reorder"),
  };

  readonly helpCategories = {
    /** A page, by position. */
    list: this.#read<T.HelpCategoriesList, T.Page<T.HelpCategory>>("/help-categories/list"),
    iterate: this.#pages<T.HelpCategoriesList, T.HelpCategory>("/help-categories/list"),
    retrieve: this.#byId<T.HelpCategory>("/help-categories/retrieve", "category_id"),
    create: this.#write<T.HelpCategoriesCreate, T.Created>("/help-categories/create"),
    /** Changes the given values. `collection_id` moves the category with its articles. */
    update: this.#write<T.HelpCategoriesUpdate, T.Success>("/help-categories/update"),
    /** Within a collection. */
    reorder: this.#write<T.HelpCategoriesReorder, T.Success>("/help-categories/reorder"),
  };

  readonly helpArticles = {
    /** A page of the articles with the text, most recently updated first. */
    search: this.#read<T.HelpArticlesSearch, T.Page<T.HelpArticleHit>>("/help-articles/search"),
    iterateSearch: this.#pages<T.HelpArticlesSearch, T.HelpArticleHit>("/help-articles/search"),
    /** A page of articles without their content, by default most recently updated first. */
    list: this.#read<T.HelpArticlesList, T.Page<T.HelpArticleSummary>>("/help-articles/list"),
    iterate: this.#pages<T.HelpArticlesList, T.HelpArticleSummary>("/help-articles/list"),
    retrieve: this.#byId<T.HelpArticle>("/help-articles/retrieve", "article_id"),
    create: this.#write<T.HelpArticlesCreate, T.Created>("/help-articles/create"),
    /** Within a category, or directly in a collection. */
    reorder: this.#write<T.HelpArticlesReorder, T.Success>("/help-articles/reorder"),
  };

  constructor(options: HearbackOptions) {
    this.#transport = new Transport(options);
  }

  // The kinds of endpoints. Each function makes a method from a path.

  #read<P extends object, R>(path: string) {
    return (...[params]: Arguments<P>): Promise<R> => this.#transport.call(path, params);
  }

  #all<R>(path: string) {
    return (): Promise<R[]> => this.#transport.call(path);
  }

  #byId<R>(path: string, member: string) {
    return (id: string): Promise<R> => this.#transport.call(path, { [member]: id });
  }

  #write<P extends object, R>(path: string) {
    return (params: P, options: WriteOptions = {}): Promise<R> =>
      this.#transport.call(path, params, options.idempotencyKey ?? webcrypto.randomUUID());
  }

  #pages<P extends T.Paging, R>(path: string) {
    return (...[params]: Arguments<P>): AsyncGenerator<R, void, undefined> => this.#items(path, params);
  }

  async *#items<R>(path: string, first: object = {}): AsyncGenerator<R, void, undefined> {
    let params = first;
    for (;;) {
      const page: T.Page<R> = await this.#transport.call(path, params);
      yield* page.items;
      if (!page.has_next_page || page.cursor === null) {
        return;
      }
      // The server refuses `skip` with a cursor.
      params = { ...first, skip: undefined, cursor: page.cursor };
    }
  }
}

/** The argument is optional if all parameters are optional. */
type Arguments<P> = {} extends P ? [params?: P] : [params: P];
