//! The table of tools. A new tool is an entry here.

use Calls::{All, By, Find, If, One};
use Nature::{Adds, Destroys, Reads, Sets};

/// A tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// The name for people.
    pub(crate) title: &'static str,
    /// What an agent must know of the tool, beside its arguments.
    pub(crate) about: &'static str,
    pub(crate) nature: Nature,
    pub(crate) calls: Calls,
}

/// What a tool does to the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// It changes nothing.
    Reads,
    /// It makes something, each time.
    Adds,
    /// It changes something. A second time, it changes nothing.
    Sets,
    /// It removes what people see. A second time, it changes nothing. It takes `confirm`.
    Destroys,
}

/// The endpoints that a tool calls, by their paths.
pub(crate) enum Calls {
    /// One endpoint.
    One(&'static str),
    /// The first endpoint if one of these arguments is given, and else the second one.
    If(&'static [&'static str], &'static str, &'static str),
    /// The endpoint that an argument names.
    By(&'static str, &'static [(&'static str, &'static str)]),
    /// The first endpoint that has a record with the `id`: kind, path, and the endpoint's name for
    /// the identifier. The argument `kind` selects one of them.
    Find(&'static [(&'static str, &'static str, &'static str)]),
    /// All endpoints, each with the member of the answer that gets its list.
    All(&'static [(&'static str, &'static str)]),
}

pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "search",
        title: "Search",
        about: "Lists feedback posts, comments, changelog entries or help articles: those that \
                match all of the given filters. `search` finds text in posts and articles. \
                Comments need `feedback_post_id`, or `updated_after` for those of all posts. \
                Posts can be sorted by `votes`: the top requests. Pass `cursor` on for the next \
                page.",
        nature: Reads,
        calls: By(
            "kind",
            &[
                ("posts", "/feedback-posts/list"),
                ("comments", "/comments/list"),
                ("changelog", "/changelog/list"),
                ("articles", "/help-articles/list"),
            ],
        ),
    },
    Tool {
        name: "get",
        title: "Get a record",
        about: "Returns the record with an identifier, and its kind. A user is found by `user_id`.",
        nature: Reads,
        calls: Find(&[
            ("post", "/feedback-posts/retrieve", "id"),
            ("comment", "/comments/retrieve", "id"),
            ("user", "/users/retrieve", "user_id"),
            ("changelog_entry", "/changelog/retrieve", "id"),
            ("help_article", "/help-articles/retrieve", "article_id"),
            ("roadmap_post", "/roadmap-posts/retrieve", "id"),
            ("company", "/companies/retrieve", "id"),
            ("feedback_board", "/feedback-boards/retrieve", "id"),
            ("status", "/statuses/retrieve", "id"),
            ("category", "/categories/retrieve", "id"),
            ("tag", "/tags/retrieve", "id"),
            ("label", "/labels/retrieve", "id"),
            ("roadmap_board", "/roadmap-boards/retrieve", "id"),
            ("help_collection", "/help-collections/retrieve", "collection_id"),
            ("help_category", "/help-categories/retrieve", "category_id"),
        ]),
    },
    Tool {
        name: "list_setup",
        title: "List the setup",
        about: "Returns all that the team has set up, with the identifiers that other tools take: \
                boards, statuses, categories, tags, labels of the changelog, roadmap boards, help \
                collections and help categories. Call it first.",
        nature: Reads,
        calls: All(&[
            ("feedback_boards", "/feedback-boards/list"),
            ("statuses", "/statuses/list"),
            ("categories", "/categories/list"),
            ("tags", "/tags/list"),
            ("labels", "/labels/list"),
            ("roadmap_boards", "/roadmap-boards/list"),
            ("help_collections", "/help-collections/list"),
            ("help_categories", "/help-categories/list"),
        ]),
    },
    Tool {
        name: "create_post",
        title: "Create a feedback post",
        about: "Makes a post on a board. Name its author by exactly one of `author_id`, \
                `author_external_id` and `author_email`; an unknown one becomes a user. Search \
                for the same wish first, and vote for it if it is there.",
        nature: Adds,
        calls: One("/feedback-posts/create"),
    },
    Tool {
        name: "update_post",
        title: "Change a feedback post",
        about: "Changes the given values. `tag_ids` replaces all tags, and `clear` names values \
                to empty. `note` is a public comment on a new status by the user `changed_by_id`, \
                and `notify` mails the status to subscribers: these go with `status_id` and `eta` \
                alone.",
        nature: Adds,
        calls: If(
            &["note", "notify", "changed_by_id"],
            "/feedback-posts/change-status",
            "/feedback-posts/update",
        ),
    },
    Tool {
        name: "merge_posts",
        title: "Merge feedback posts",
        about: "Merges a post into another one, with its votes. `dry_run` only counts them.",
        nature: Destroys,
        calls: One("/feedback-posts/merge"),
    },
    Tool {
        name: "unmerge_post",
        title: "Undo a merge",
        about: "Ends the merge of a post: both posts have their own votes again. `dry_run` only \
                counts them.",
        nature: Sets,
        calls: One("/feedback-posts/unmerge"),
    },
    Tool {
        name: "delete_post",
        title: "Delete a feedback post",
        about: "Deletes a post.",
        nature: Destroys,
        calls: One("/feedback-posts/delete"),
    },
    Tool {
        name: "add_comment",
        title: "Comment on a feedback post",
        about: "Comments on a post: for all, or with the `visibility_code` `internal` for the \
                team. Name the author by exactly one of `author_id`, `author_external_id` and \
                `author_email`. A public comment is mailed to subscribers, unless `notify` is \
                false.",
        nature: Adds,
        calls: One("/comments/create"),
    },
    Tool {
        name: "update_comment",
        title: "Change a comment",
        about: "Changes the given values of a comment.",
        nature: Sets,
        calls: One("/comments/update"),
    },
    Tool {
        name: "delete_comment",
        title: "Delete a comment",
        about: "Deletes a comment. Replies to it stay.",
        nature: Destroys,
        calls: One("/comments/delete"),
    },
    Tool {
        name: "vote",
        title: "Set a vote",
        about: "Casts the vote of a user (`voted` true) or takes it back (false). Name the user \
                by exactly one of `voter_id`, `voter_external_id` and `voter_email`.",
        nature: Sets,
        calls: One("/votes/set"),
    },
    Tool {
        name: "upsert_user",
        title: "Create or change a user",
        about: "Makes a user, or changes the one with this `external_id`, or else this `email`.",
        nature: Sets,
        calls: One("/users/upsert"),
    },
    Tool {
        name: "list_voters",
        title: "List the voters of a post",
        about: "Lists the users who voted for a post, oldest vote first.",
        nature: Reads,
        calls: One("/votes/voters"),
    },
    Tool {
        name: "create_changelog_entry",
        title: "Write a changelog entry",
        about: "Makes a changelog entry: a draft, unless `status_code` or `published` says more. \
                A published entry is mailed to subscribers, unless `notify` is false.",
        nature: Adds,
        calls: One("/changelog/create"),
    },
    Tool {
        name: "update_changelog_entry",
        title: "Change a changelog entry",
        about: "Changes the given values of a changelog entry. It does not publish.",
        nature: Sets,
        calls: One("/changelog/update"),
    },
    Tool {
        name: "write_article",
        title: "Write a help article",
        about: "Changes the given values of the help article `article_id`. Without `article_id`, \
                makes an article, which needs `title` and exactly one of `collection_id` and \
                `category_id`: a draft, unless `status_code` is `published`.",
        nature: Adds,
        calls: If(&["article_id"], "/help-articles/update", "/help-articles/create"),
    },
    Tool {
        name: "moderate",
        title: "Moderate",
        about: "Without `items`, lists the posts or comments (`kind`) that wait for moderation. \
                With `items`, gives them a `moderation_status_code`: `accepted`, `rejected` or \
                `spam`.",
        nature: Destroys,
        calls: If(&["items"], "/moderation/decide", "/moderation/list"),
    },
];

impl Calls {
    /// The paths of all endpoints.
    pub(crate) fn paths(&self) -> Vec<&'static str> {
        match self {
            One(path) => vec![path],
            If(_, first, second) => vec![first, second],
            By(_, paths) | All(paths) => paths.iter().map(|(_, path)| *path).collect(),
            Find(kinds) => kinds.iter().map(|(_, path, _)| *path).collect(),
        }
    }

    /// The argument that selects an endpoint, and its values.
    pub(crate) fn selector(&self) -> Option<(&'static str, Vec<&'static str>)> {
        match self {
            By(argument, paths) => {
                Some((argument, paths.iter().map(|(value, _)| *value).collect()))
            }
            Find(kinds) => Some(("kind", kinds.iter().map(|(kind, ..)| *kind).collect())),
            One(_) | If(..) | All(_) => None,
        }
    }
}
