//! The lists of records: each is declared here, in a few lines, and has the same pages.

use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_web::chrome::key;

/// A list of records, its records, and the actions on them.
pub(crate) struct Section {
    /// The part of the address: `tags`.
    pub(crate) slug: &'static str,
    /// The key of the title.
    pub(crate) title: &'static str,
    /// The key of the words that make a record. Empty if no endpoint makes one.
    pub(crate) new: &'static str,
    /// Where the menu has it.
    pub(crate) group: Group,
    /// The kind of the records, whose permissions decide who sees the section.
    pub(crate) kind: Kind,
    /// Whether only those who manage the kind see the section.
    pub(crate) is_for_managers: bool,
    /// The endpoint that lists the records.
    pub(crate) list: &'static str,
    /// The fields of the list by which it is filtered.
    pub(crate) filters: &'static [&'static str],
    /// The columns, the first of which leads to the record.
    pub(crate) columns: &'static [Column],
    /// The endpoint that shows a record, and the name of its field.
    pub(crate) one: Option<(&'static str, &'static str)>,
    /// The endpoint that makes a record.
    pub(crate) create: Option<&'static str>,
    /// The endpoint that changes a record, and the name of its field.
    pub(crate) update: Option<(&'static str, &'static str)>,
    /// The endpoint that restores a deleted record, and the name of its field.
    pub(crate) restore: Option<(&'static str, &'static str)>,
    /// The further actions on a record: endpoints, each with the field that names the record.
    pub(crate) acts: &'static [(&'static str, &'static str)],
    /// The lists that belong to a record: sections, each with the filter that names the record.
    pub(crate) lists: &'static [(&'static str, &'static str)],
    /// The actions on the whole list.
    pub(crate) all: &'static [&'static str],
}

impl Section {
    /// The permission to see the section.
    pub(crate) fn view(&self) -> Permission {
        match self.is_for_managers {
            true => Permission::Manage(self.kind),
            false => Permission::View(self.kind),
        }
    }
}

/// The groups of the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Work,
    People,
    System,
    Settings,
}

/// A column: the member of a record, and the way in which it is shown.
#[derive(Clone, Copy)]
pub(crate) struct Column(pub(crate) &'static str, pub(crate) Shown);

/// The way in which a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// As a text.
    Text,
    /// As a number, or as an amount of money.
    Count,
    /// As a moment.
    Time,
    /// As the words of a code.
    Code,
    /// As yes or no.
    Flag,
    /// As the status with this identifier.
    Status,
    /// As the board with this identifier.
    Board,
    /// As a list of codes.
    Codes,
    /// As the person with this identifier, or as the door of a program.
    Person,
    /// As the values that were changed.
    Changes,
}

use Shown::{Board, Changes, Code, Codes, Count, Flag, Person, Status, Text, Time};

const NONE: Section = Section {
    slug: "",
    title: "",
    new: "",
    group: Group::Work,
    kind: Kind::Organization,
    is_for_managers: false,
    list: "",
    filters: &[],
    columns: &[],
    one: None,
    create: None,
    update: None,
    restore: None,
    acts: &[],
    lists: &[],
    all: &[],
};

/// All sections, in the order of the menu.
pub(crate) const SECTIONS: &[Section] = &[
    Section {
        slug: "roadmap-posts",
        title: key("desk-roadmap-posts"),
        new: key("desk-new-plan"),
        group: Group::Work,
        kind: Kind::RoadmapPost,
        list: "/roadmap-posts/list",
        filters: &["search", "roadmap_board_id", "status_id", "category_id"],
        columns: &[
            Column("title", Text),
            Column("status_id", Status),
            Column("vote_count", Count),
            Column("eta", Time),
        ],
        one: Some(("/roadmap-posts/retrieve", "id")),
        create: Some("/roadmap-posts/create"),
        update: Some(("/roadmap-posts/update", "post_id")),
        acts: &[
            ("/roadmap-posts/change-status", "post_id"),
            ("/roadmap-posts/link", "post_id"),
            ("/roadmap-posts/unlink", "post_id"),
            ("/roadmap-posts/delete", "post_id"),
        ],
        ..NONE
    },
    Section {
        slug: "changelog",
        title: key("desk-changelog"),
        new: key("desk-new-entry"),
        group: Group::Work,
        kind: Kind::ChangelogEntry,
        list: "/changelog/list",
        filters: &["type", "label_ids"],
        columns: &[
            Column("title", Text),
            Column("status_code", Code),
            Column("type", Code),
            Column("published_at", Time),
            Column("scheduled_at", Time),
        ],
        one: Some(("/changelog/retrieve", "id")),
        create: Some("/changelog/create"),
        update: Some(("/changelog/update", "entry_id")),
        acts: &[
            ("/changelog/publish", "entry_id"),
            ("/changelog/unpublish", "entry_id"),
            ("/changelog/link-posts", "entry_id"),
            ("/changelog/unlink-posts", "entry_id"),
            ("/changelog/delete", "entry_id"),
        ],
        ..NONE
    },
    Section {
        slug: "help-articles",
        title: key("desk-help-articles"),
        new: key("desk-new-article"),
        group: Group::Work,
        kind: Kind::HelpArticle,
        list: "/help-articles/list",
        filters: &["search", "collection_id", "category_id", "status_code"],
        columns: &[
            Column("title", Text),
            Column("status_code", Code),
            Column("view_count", Count),
            Column("updated_at", Time),
        ],
        one: Some(("/help-articles/retrieve", "article_id")),
        create: Some("/help-articles/create"),
        update: Some(("/help-articles/update", "article_id")),
        restore: Some(("/help-articles/restore", "article_id")),
        acts: &[
            ("/help-articles/publish", "article_id"),
            ("/help-articles/unpublish", "article_id"),
            ("/help-articles/restore-version", "article_id"),
            ("/help-articles/delete", "article_id"),
        ],
        ..NONE
    },
    Section {
        slug: "help-collections",
        title: key("desk-help-collections"),
        new: key("desk-new-collection"),
        group: Group::Work,
        kind: Kind::HelpCollection,
        list: "/help-collections/list",
        columns: &[Column("name", Text), Column("slug", Text), Column("updated_at", Time)],
        one: Some(("/help-collections/retrieve", "collection_id")),
        create: Some("/help-collections/create"),
        update: Some(("/help-collections/update", "collection_id")),
        acts: &[("/help-collections/delete", "collection_id")],
        lists: &[("help-categories", "collection_id"), ("help-articles", "collection_id")],
        all: &["/help-collections/reorder"],
        ..NONE
    },
    Section {
        slug: "help-categories",
        title: key("desk-help-categories"),
        new: key("desk-new-help-category"),
        group: Group::Work,
        kind: Kind::HelpCategory,
        list: "/help-categories/list",
        filters: &["collection_id"],
        columns: &[Column("name", Text), Column("slug", Text), Column("updated_at", Time)],
        one: Some(("/help-categories/retrieve", "category_id")),
        create: Some("/help-categories/create"),
        update: Some(("/help-categories/update", "category_id")),
        acts: &[("/help-categories/delete", "category_id")],
        lists: &[("help-articles", "category_id")],
        all: &["/help-categories/reorder", "/help-articles/reorder"],
        ..NONE
    },
    Section {
        slug: "help-redirects",
        title: key("desk-help-redirects"),
        new: key("desk-new-redirect"),
        group: Group::Work,
        kind: Kind::HelpRedirect,
        list: "/help-redirects/list",
        columns: &[Column("from_path", Text), Column("to_path", Text), Column("created_at", Time)],
        create: Some("/help-redirects/create"),
        acts: &[("/help-redirects/delete", "redirect_id")],
        ..NONE
    },
    Section {
        slug: "people",
        title: key("desk-people"),
        new: key("desk-new-person"),
        group: Group::People,
        kind: Kind::User,
        list: "/users/list",
        filters: &["search", "portal_role", "is_blocked", "sort"],
        columns: &[
            Column("name", Text),
            Column("email", Text),
            Column("portal_role", Code),
            Column("company_name", Text),
            Column("created_at", Time),
        ],
        one: Some(("/users/retrieve", "user_id")),
        create: Some("/users/upsert"),
        update: Some(("/users/update", "user_id")),
        acts: &[
            ("/users/block", "user_id"),
            ("/users/unblock", "user_id"),
            ("/users/merge", "merge_user_id"),
            ("/users/erase", "user_id"),
            ("/users/delete", "user_id"),
        ],
        lists: &[("posts", "author_id"), ("votes", "user_id")],
        ..NONE
    },
    Section {
        slug: "companies",
        title: key("desk-companies"),
        new: key("desk-new-company"),
        group: Group::People,
        kind: Kind::Company,
        list: "/companies/list",
        filters: &["customer_status", "sort"],
        columns: &[
            Column("name", Text),
            Column("monthly_spend", Count),
            Column("customer_status", Text),
            Column("created_at", Time),
        ],
        one: Some(("/companies/retrieve", "id")),
        create: Some("/companies/upsert"),
        update: Some(("/companies/upsert", "external_id")),
        acts: &[("/companies/delete", "id")],
        lists: &[("people", "company_id"), ("posts", "company_id"), ("votes", "company_id")],
        ..NONE
    },
    Section {
        slug: "posts",
        title: key("desk-posts"),
        new: key("desk-new-post"),
        group: Group::Settings,
        kind: Kind::FeedbackPost,
        list: "/feedback-posts/list",
        filters: &[
            "search",
            "board_id",
            "status_id",
            "category_id",
            "author_id",
            "company_id",
            "sort",
        ],
        columns: &[
            Column("title", Text),
            Column("board_id", Board),
            Column("status_id", Status),
            Column("vote_count", Count),
            Column("comment_count", Count),
            Column("monthly_spend", Count),
            Column("created_at", Time),
        ],
        create: Some("/feedback-posts/create"),
        restore: Some(("/feedback-posts/restore", "post_id")),
        ..NONE
    },
    Section {
        slug: "comments",
        title: key("desk-comments"),
        new: key("desk-new-comment"),
        group: Group::Settings,
        kind: Kind::Comment,
        list: "/comments/list",
        filters: &["author_id", "feedback_post_id", "visibility_code", "moderation_status_code"],
        columns: &[
            Column("content", Text),
            Column("visibility_code", Code),
            Column("moderation_status_code", Code),
            Column("created_at", Time),
        ],
        one: Some(("/comments/retrieve", "id")),
        update: Some(("/comments/update", "comment_id")),
        acts: &[("/comments/delete", "comment_id")],
        ..NONE
    },
    Section {
        slug: "votes",
        title: key("desk-votes"),
        group: Group::Settings,
        kind: Kind::Vote,
        list: "/votes/list",
        filters: &["post_id", "user_id", "company_id", "post_type"],
        columns: &[
            Column("user_id", Text),
            Column("post_type", Code),
            Column("post_id", Text),
            Column("source_url", Text),
            Column("created_at", Time),
        ],
        ..NONE
    },
    Section {
        slug: "webhooks",
        title: key("desk-webhooks"),
        new: key("desk-new-webhook"),
        group: Group::System,
        kind: Kind::WebhookSubscription,
        list: "/webhooks/list",
        columns: &[
            Column("url", Text),
            Column("event_types", Codes),
            Column("is_active", Flag),
            Column("failing_since", Time),
            Column("last_success_at", Time),
        ],
        one: Some(("/webhooks/retrieve", "id")),
        create: Some("/webhooks/create"),
        update: Some(("/webhooks/update", "webhook_id")),
        acts: &[
            ("/webhooks/test", "webhook_id"),
            ("/webhooks/rotate-secret", "webhook_id"),
            ("/deliveries/replay", "webhook_id"),
            ("/webhooks/delete", "webhook_id"),
        ],
        lists: &[("deliveries", "webhook_id")],
        ..NONE
    },
    Section {
        slug: "deliveries",
        title: key("desk-deliveries"),
        group: Group::System,
        kind: Kind::WebhookSubscription,
        list: "/deliveries/list",
        filters: &["webhook_id", "event_type", "state", "created_after"],
        columns: &[
            Column("event_type", Text),
            Column("state", Code),
            Column("attempt_count", Count),
            Column("status", Count),
            Column("created_at", Time),
        ],
        one: Some(("/deliveries/retrieve", "id")),
        acts: &[("/deliveries/replay", "delivery_id")],
        ..NONE
    },
    Section {
        slug: "events",
        title: key("desk-events"),
        group: Group::System,
        kind: Kind::WebhookSubscription,
        list: "/events/list",
        filters: &["event_types", "created_after"],
        columns: &[Column("event", Text), Column("occurred_at", Time)],
        ..NONE
    },
    Section {
        slug: "audit",
        title: key("desk-audit"),
        group: Group::System,
        kind: Kind::Organization,
        is_for_managers: true,
        list: "/audit/list",
        filters: &["actor_id", "action", "target_id", "created_after"],
        columns: &[
            Column("action", Text),
            Column("at", Time),
            Column("actor_id", Person),
            Column("door", Code),
            Column("target_kind", Text),
            Column("target_id", Text),
            Column("data", Changes),
        ],
        ..NONE
    },
    Section {
        slug: "boards",
        title: key("desk-boards"),
        new: key("desk-new-board"),
        group: Group::Settings,
        kind: Kind::FeedbackBoard,
        list: "/feedback-boards/list",
        columns: &[
            Column("name", Text),
            Column("slug", Text),
            Column("access_code", Code),
            Column("is_voting_enabled", Flag),
            Column("is_commenting_enabled", Flag),
        ],
        one: Some(("/feedback-boards/retrieve", "id")),
        create: Some("/feedback-boards/create"),
        update: Some(("/feedback-boards/update", "board_id")),
        acts: &[("/feedback-boards/delete", "board_id")],
        lists: &[("posts", "board_id")],
        all: &["/feedback-boards/reorder"],
        ..NONE
    },
    Section {
        slug: "statuses",
        title: key("desk-statuses"),
        new: key("desk-new-status"),
        group: Group::Settings,
        kind: Kind::Status,
        list: "/statuses/list",
        columns: &[
            Column("name", Text),
            Column("status_group_code", Code),
            Column("is_default_status", Flag),
            Column("show_on_feedback", Flag),
            Column("show_on_roadmap", Flag),
        ],
        one: Some(("/statuses/retrieve", "id")),
        create: Some("/statuses/create"),
        update: Some(("/statuses/update", "status_id")),
        acts: &[("/statuses/delete", "status_id")],
        lists: &[("posts", "status_id")],
        all: &["/statuses/reorder"],
        ..NONE
    },
    Section {
        slug: "categories",
        title: key("desk-categories"),
        new: key("desk-new-category"),
        group: Group::Settings,
        kind: Kind::Category,
        list: "/categories/list",
        columns: &[
            Column("name", Text),
            Column("code", Text),
            Column("show_on_feedback", Flag),
            Column("show_on_roadmap", Flag),
        ],
        one: Some(("/categories/retrieve", "id")),
        create: Some("/categories/create"),
        update: Some(("/categories/update", "category_id")),
        acts: &[("/categories/delete", "category_id")],
        lists: &[("posts", "category_id")],
        ..NONE
    },
    Section {
        slug: "tags",
        title: key("desk-tags"),
        new: key("desk-new-tag"),
        group: Group::Settings,
        kind: Kind::Tag,
        list: "/tags/list",
        columns: &[
            Column("name", Text),
            Column("code", Text),
            Column("is_public", Flag),
            Column("show_on_feedback", Flag),
        ],
        one: Some(("/tags/retrieve", "id")),
        create: Some("/tags/create"),
        update: Some(("/tags/update", "tag_id")),
        acts: &[("/tags/merge", "tag_id"), ("/tags/delete", "tag_id")],
        ..NONE
    },
    Section {
        slug: "labels",
        title: key("desk-labels"),
        new: key("desk-new-label"),
        group: Group::Settings,
        kind: Kind::Label,
        list: "/labels/list",
        columns: &[Column("name", Text), Column("code", Text), Column("description", Text)],
        one: Some(("/labels/retrieve", "id")),
        create: Some("/labels/create"),
        update: Some(("/labels/update", "label_id")),
        acts: &[("/labels/delete", "label_id")],
        ..NONE
    },
    Section {
        slug: "roadmap-boards",
        title: key("desk-roadmap-boards"),
        new: key("desk-new-roadmap"),
        group: Group::Settings,
        kind: Kind::RoadmapBoard,
        list: "/roadmap-boards/list",
        columns: &[
            Column("name", Text),
            Column("slug", Text),
            Column("access_code", Code),
            Column("is_voting_enabled", Flag),
        ],
        one: Some(("/roadmap-boards/retrieve", "id")),
        create: Some("/roadmap-boards/create"),
        update: Some(("/roadmap-boards/update", "roadmap_board_id")),
        acts: &[("/roadmap-boards/delete", "roadmap_board_id")],
        all: &["/roadmap-boards/reorder"],
        ..NONE
    },
];

/// The endpoints that pages of their own call, each with the page.
#[cfg(test)]
pub(crate) const PAGES: &[(&str, &str)] = &[
    ("/feedback-posts/retrieve", "/dashboard/posts/{id}"),
    ("/feedback-posts/similar", "/dashboard/posts/{id}"),
    ("/feedback-posts/activity", "/dashboard/posts/{id}"),
    ("/votes/voters", "/dashboard/posts/{id}"),
    ("/feedback-posts/bulk-update", "/dashboard"),
    ("/help-articles/versions", "/dashboard/help-articles/{id}/versions"),
    ("/users/export", "/dashboard/people/{id}/export"),
    ("/moderation/list", "/dashboard/moderation"),
    ("/moderation/decide", "/dashboard/moderation"),
];

/// The endpoints of which a page of their section's records has the action, each with the page.
#[cfg(test)]
pub(crate) const ACTS: &[(&str, &str)] = &[
    ("/feedback-posts/update", "/dashboard/posts/{id}"),
    ("/feedback-posts/change-status", "/dashboard/posts/{id}"),
    ("/feedback-posts/merge", "/dashboard/posts/{id}"),
    ("/feedback-posts/unmerge", "/dashboard/posts/{id}"),
    ("/feedback-posts/delete", "/dashboard/posts/{id}"),
    ("/feedback-posts/subscribe", "/dashboard/posts/{id}"),
    ("/feedback-posts/unsubscribe", "/dashboard/posts/{id}"),
    ("/comments/create", "/dashboard/posts/{id}"),
    ("/votes/set", "/dashboard/posts/{id}"),
];

/// The endpoints that the dashboard leaves out, each with the reason.
#[cfg(test)]
pub(crate) const LEFT_OUT: &[(&str, &str)] = &[
    ("/ping", "it tells a program that its key is good"),
    ("/votes/set-many", "it is bulk work of programs: the dashboard sets one vote at a time"),
    ("/votes/toggle", "a person says which state a vote is to have: /votes/set"),
    ("/feedback-posts/add-tag", "the form of a post has all of its tags"),
    ("/feedback-posts/remove-tag", "the form of a post has all of its tags"),
    ("/feedback-posts/subscribers", "the page of a post shows its voters and commenters"),
    ("/help-articles/search", "the list of articles has a search"),
    ("/help-articles/feedback", "visitors answer in the portal"),
];

/// The section with a part of the address.
pub(crate) fn section(slug: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.slug == slug)
}

/// The section of which an endpoint is an action.
pub(crate) fn section_of(path: &str) -> Option<&'static Section> {
    let group = |path: &str| path.trim_start_matches('/').split('/').next().map(str::to_owned);
    let is_of = |section: &&Section| {
        section.acts.iter().any(|(act, _)| *act == path)
            || section.create == Some(path)
            || section.update.is_some_and(|(update, _)| update == path)
            || section.restore.is_some_and(|(restore, _)| restore == path)
            || section.all.contains(&path)
    };
    let declared = SECTIONS.iter().find(is_of);
    declared.or_else(|| SECTIONS.iter().find(|section| group(section.list) == group(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{action, actions};
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// The endpoints that a section has.
    fn of(section: &Section) -> Vec<&'static str> {
        let one = section.one.iter().map(|(path, _)| *path);
        let update = section.update.iter().chain(&section.restore).map(|(path, _)| *path);
        let acts = section.acts.iter().map(|(path, _)| *path);
        let all = section.all.iter().chain(&section.create).copied();
        [section.list].into_iter().chain(one).chain(update).chain(acts).chain(all).collect()
    }

    #[test]
    fn every_endpoint_has_a_place_in_the_dashboard_or_a_reason_to_have_none() {
        let all: BTreeSet<&str> = actions().iter().map(|action| action.path).collect();
        let of_sections: BTreeSet<&str> = SECTIONS.iter().flat_map(of).collect();
        let of_pages: BTreeSet<&str> = PAGES.iter().chain(ACTS).map(|(path, _)| *path).collect();
        let left_out: BTreeSet<&str> = LEFT_OUT.iter().map(|(path, _)| *path).collect();
        let placed: BTreeSet<&str> = of_sections.union(&of_pages).copied().collect();
        assert_eq!(placed.intersection(&left_out).collect::<Vec<_>>(), Vec::<&&str>::new());
        assert_eq!(placed.union(&left_out).copied().collect::<BTreeSet<_>>(), all);
    }

    #[test]
    fn every_section_names_fields_that_its_endpoints_have() {
        for section in SECTIONS {
            let list = action(section.list).expect("an endpoint");
            for filter in section.filters {
                assert!(list.field(filter).is_some(), "{}: {filter}", section.slug);
            }
            let named = section.one.iter().chain(&section.update);
            let named = named.chain(&section.restore).chain(section.acts);
            for (path, field) in named {
                let endpoint = action(path).expect("an endpoint");
                assert!(endpoint.field(field).is_some(), "{path}: {field}");
            }
            for (slug, filter) in section.lists {
                let other = super::section(slug).expect("a section");
                let list = action(other.list).expect("an endpoint");
                assert!(list.field(filter).is_some(), "{slug}: {filter}");
            }
        }
    }

    /// The members of the values that a part of the API's document describes.
    fn members(document: &Value, schema: &Value) -> BTreeSet<String> {
        if let Some(named) = schema["$ref"].as_str() {
            let named = document.pointer(named.trim_start_matches('#')).expect("a schema");
            return members(document, named);
        }
        let own = schema["properties"].as_object().into_iter().flat_map(|it| it.keys().cloned());
        let parts = ["allOf", "oneOf"].into_iter().filter_map(|it| schema[it].as_array()).flatten();
        own.chain(parts.flat_map(|part| members(document, part))).collect()
    }

    #[test]
    fn every_column_is_a_member_of_the_records_that_the_list_answers() {
        let document: Value = serde_json::from_str(hearback_api::openapi()).unwrap();
        for section in SECTIONS {
            let operation = &document["paths"][format!("/api/external/v1{}", section.list)]["post"];
            let answer = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            let page = &answer["properties"]["items"];
            let list = if page.is_null() { answer } else { page };
            let members = members(&document, &list["items"]);
            for Column(name, _) in section.columns {
                assert!(members.contains(*name), "{}: {name} of {members:?}", section.slug);
            }
        }
    }

    #[test]
    fn a_section_has_words_for_a_new_record_if_an_endpoint_makes_one() {
        let makers = actions().iter().filter(|it| ["create", "upsert"].contains(&it.parts().1));
        let made: BTreeSet<&str> = makers.map(|it| section_of(it.path).unwrap().slug).collect();
        let named = SECTIONS.iter().filter(|section| !section.new.is_empty());
        assert_eq!(named.map(|section| section.slug).collect::<BTreeSet<_>>(), made);
    }

    #[test]
    fn every_action_is_one_of_a_section() {
        let has_page = |path: &str| PAGES.iter().any(|(other, _)| *other == path);
        for action in actions().iter().filter(|it| it.is_write && !has_page(it.path)) {
            assert!(section_of(action.path).is_some(), "{}", action.path);
        }
    }
}
