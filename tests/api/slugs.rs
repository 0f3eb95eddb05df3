//! Slugs and positions of what is created: changelog entries, help categories, help articles.

use crate::support::{Draft, Organization, Store};
use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What is created, and how its slug is learned.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Entry,
    Category,
    Article,
}

impl Kind {
    /// Imports one with this slug.
    fn draft(self, draft: &mut Draft, collection: &str, slug: &str, is_active: bool) {
        let members = match self {
            Self::Entry => json!({"slug": slug, "is_active": is_active}),
            Self::Category | Self::Article => {
                json!({"slug": slug, "is_active": is_active, "collection_id": collection})
            }
        };
        match self {
            Self::Entry => draft.entry(members),
            Self::Category => draft.help_category(members),
            Self::Article => draft.article(members),
        };
    }

    /// Creates one; returns the whole of it.
    async fn create(
        self,
        acme: &Organization,
        collection: &str,
        name: &str,
        slug: Option<&str>,
    ) -> Value {
        let (path, body) = match self {
            Self::Entry => ("/changelog/create", json!({"title": name})),
            Self::Category => (
                "/help-categories/create",
                json!({"name": name, "slug": slug, "collection_id": collection}),
            ),
            Self::Article => (
                "/help-articles/create",
                json!({"title": name, "slug": slug, "collection_id": collection}),
            ),
        };
        let answer = acme.post(path, body).await.expect(200);
        let id = answer["id"].as_str().expect("an id");
        match self {
            Self::Entry => {
                let page = acme.post("/changelog/list", json!({"limit": 100})).await.expect(200);
                let entries = page["items"].as_array().expect("items");
                entries.iter().find(|entry| entry["id"] == id).cloned().expect("the entry")
            }
            Self::Category => acme.retrieve("/help-categories/retrieve", "category_id", id).await,
            Self::Article => acme.retrieve("/help-articles/retrieve", "article_id", id).await,
        }
    }

    async fn slug(
        self,
        acme: &Organization,
        collection: &str,
        name: &str,
        slug: Option<&str>,
    ) -> String {
        let created = self.create(acme, collection, name, slug).await;
        created["slug"].as_str().expect("a slug").to_owned()
    }
}

#[rstest]
#[tokio::test]
async fn a_slug_is_derived_by_transliteration(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values(Kind::Entry, Kind::Category, Kind::Article)] kind: Kind,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let acme = acme.open(store).await;
    for (name, slug) in [
        ("Über Größe", "uber-grosse"),
        ("  Dark -- mode!  ", "dark-mode"),
        ("C++ & Rust_2", "c-rust-2"),
        ("Ærøskøbing", "aeroskobing"),
        ("ΑΒΓ", "abg"),
        ("Привет", "privet"),
    ] {
        assert_eq!(kind.slug(&acme, &collection, name, None).await, slug, "{name}");
    }
    // Never empty, whatever the name is; of these only the form is known.
    for name in [
        "日本語",
        "🙂",
        "!!!",
        "   ",
        "\u{200b}",
        "ا",
        "ß".repeat(512).as_str(),
        "日".repeat(512).as_str(),
    ] {
        let slug = kind.slug(&acme, &collection, name, None).await;
        assert!((1..=512).contains(&slug.len()), "{name}: {slug}");
        let is_derived = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(
            slug.chars().all(is_derived) && !slug.starts_with('-') && !slug.ends_with('-'),
            "{name}: {slug}"
        );
    }
    let japanese = kind.slug(&acme, &collection, "日本語", None).await;
    assert!(japanese.chars().any(|c| c.is_ascii_lowercase()), "a romanization: {japanese}");
}

#[rstest]
#[tokio::test]
async fn a_long_slug_is_cut_at_a_word(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values(Kind::Entry, Kind::Category, Kind::Article)] kind: Kind,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let acme = acme.open(store).await;
    // Each `ß` becomes two letters, so the words have eleven, and 42 of them fit.
    let name = "straßeßß ".repeat(56);
    let slug = kind.slug(&acme, &collection, &name, None).await;
    let words = "strassessss-".repeat(42);
    assert_eq!(slug, words.trim_end_matches('-'));
    // Its numbers stay within the limit too, and a second one cuts no deeper than it must.
    for number in 2..=11 {
        let slug = kind.slug(&acme, &collection, &name, None).await;
        assert!(slug.len() <= 512 && slug.ends_with(&format!("-{number}")), "{slug}");
        assert!(slug.starts_with("strassessss-strassessss-"));
    }
}

#[rstest]
#[tokio::test]
async fn a_taken_slug_gets_the_next_number_whoever_has_it_and_however_it_is_written(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values(Kind::Entry, Kind::Category, Kind::Article)] kind: Kind,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    kind.draft(&mut acme, &collection, "Dark-Mode", true);
    kind.draft(&mut acme, &collection, "DARK-mode-2", false);
    kind.draft(&mut acme, &collection, "gone", false);
    let acme = acme.open(store).await;
    for slug in ["dark-mode-3", "dark-mode-4", "dark-mode-5"] {
        assert_eq!(kind.slug(&acme, &collection, "Dark mode", None).await, slug);
    }
    assert_eq!(kind.slug(&acme, &collection, "Gone", None).await, "gone-2");
    assert_eq!(kind.slug(&acme, &collection, "Gone 2", None).await, "gone-2-2");
    assert_eq!(kind.slug(&acme, &collection, "Gone", None).await, "gone-3");
}

#[rstest]
#[tokio::test]
async fn a_given_slug_is_kept_as_given_and_numbered_where_it_is_taken(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values(Kind::Category, Kind::Article)] kind: Kind,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let longest = "s".repeat(512);
    kind.draft(&mut acme, &collection, &longest, false);
    let acme = acme.open(store).await;
    for (given, kept) in [
        ("Start.Here~_-", "Start.Here~_-"),
        ("START.here~_-", "START.here~_--2"),
        ("start.here~_-", "start.here~_--3"),
        ("a-2", "a-2"),
        ("a", "a"),
        ("A", "A-3"),
        ("a-2", "a-2-2"),
        ("...", "..."),
    ] {
        assert_eq!(kind.slug(&acme, &collection, "x", Some(given)).await, kept, "{given}");
    }
    let numbered = kind.slug(&acme, &collection, "x", Some(&longest.to_uppercase())).await;
    assert_eq!(numbered, format!("{}-2", "S".repeat(510)));
}

#[rstest]
#[tokio::test]
async fn each_kind_and_each_organization_has_slugs_of_its_own(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let (here, there) = (
        acme.collection(json!({"slug": "dark-mode"})),
        globex.collection(json!({"slug": "dark-mode"})),
    );
    acme.post(json!({"slug": "dark-mode"}));
    let (acme, globex) = (acme.open(store).await, globex.open(store).await);
    for (organization, collection) in [(&acme, &here), (&globex, &there)] {
        for kind in [Kind::Entry, Kind::Category, Kind::Article] {
            assert_eq!(
                kind.slug(organization, collection, "Dark mode", None).await,
                "dark-mode",
                "{kind:?}"
            );
        }
    }
}

#[rstest]
#[tokio::test]
async fn fifty_created_at_once_with_one_title_have_fifty_slugs_and_places(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
    #[values(Kind::Entry, Kind::Category, Kind::Article)] kind: Kind,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    kind.draft(&mut acme, &collection, "dark-mode-7", true);
    let acme = acme.open(store).await;
    let created =
        join_all((0..50).map(|_| kind.create(&acme, &collection, "Dark mode", None))).await;
    let slugs: BTreeSet<&str> =
        created.iter().map(|one| one["slug"].as_str().expect("a slug")).collect();
    assert_eq!(slugs.len(), 50);
    for slug in slugs {
        let number = slug.strip_prefix("dark-mode").expect("the slug of the title");
        let number: u32 =
            if number.is_empty() { 1 } else { number[1..].parse().expect("a number") };
        assert!((1..=51).contains(&number) && number != 7, "{slug}");
    }
    if let Kind::Entry = kind {
        return;
    }
    let mut places: Vec<&str> =
        created.iter().map(|one| one["seq_number"].as_str().expect("a place")).collect();
    places.sort_by_key(|place| place.replace('.', "").parse::<u64>().expect("digits"));
    // One is there from the start.
    let expected: Vec<String> = (2..=51).map(|place| format!("{place}.0000")).collect();
    assert_eq!(places, expected);
}

#[rstest]
#[tokio::test]
async fn updates_at_once_to_one_slug_leave_it_to_one(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    let collections: Vec<String> = (0..10).map(|_| acme.collection(json!({}))).collect();
    let categories: Vec<String> =
        (0..10).map(|_| acme.help_category(json!({"collection_id": collections[0]}))).collect();
    let acme = acme.open(store).await;
    for (path, field, ids) in [
        ("/help-collections/update", "collection_id", collections),
        ("/help-categories/update", "category_id", categories),
    ] {
        let answers =
            join_all(ids.iter().map(|id| acme.post(path, json!({field: id, "slug": "Wanted"}))))
                .await;
        let count = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
        assert_eq!((count(200), count(400)), (1, 9), "{path}");
    }
}

#[rstest]
#[tokio::test]
async fn categories_that_move_at_once_while_others_are_created_have_places_of_their_own(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    let (from, to) = (acme.collection(json!({})), acme.collection(json!({})));
    let moving: Vec<String> =
        (0..25).map(|_| acme.help_category(json!({"collection_id": from}))).collect();
    let acme = acme.open(store).await;
    let moves = join_all(moving.iter().map(|id| {
        acme.post("/help-categories/update", json!({"category_id": id, "collection_id": to}))
    }));
    let creations = join_all((0..25).map(|_| {
        acme.post("/help-categories/create", json!({"collection_id": to, "name": "New"}))
    }));
    let (moved, created) = futures_util::future::join(moves, creations).await;
    for answer in moved.iter().chain(&created) {
        answer.expect(200);
    }
    let list = acme.walk("/help-categories/list", json!({"collection_id": to}), 100).await;
    let places: BTreeSet<&str> =
        list.iter().map(|category| category["seq_number"].as_str().expect("a place")).collect();
    assert_eq!((list.len(), places.len()), (50, 50));
    let shown = acme.retrieve("/help-collections/retrieve", "collection_id", &from).await;
    assert_eq!(shown["category_count"], 0);
}

#[rstest]
#[tokio::test]
async fn patches_at_once_of_different_fields_all_take_effect(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    let (from, to) = (acme.collection(json!({})), acme.collection(json!({})));
    let category = acme.help_category(json!({"collection_id": from}));
    let acme = acme.open(store).await;
    let patches = [
        json!({"name": "Name"}),
        json!({"slug": "Slug"}),
        json!({"description": "Description"}),
        json!({"icon": "Icon"}),
        json!({"color": "#012345"}),
        json!({"collection_id": to}),
    ];
    let all = join_all(patches.iter().map(|patch| {
        let mut body = patch.clone();
        body["category_id"] = category.as_str().into();
        acme.post("/help-categories/update", body)
    }));
    for answer in all.await {
        answer.expect(200);
    }
    let shown = acme.retrieve("/help-categories/retrieve", "category_id", &category).await;
    for patch in patches {
        for (field, value) in patch.as_object().expect("an object") {
            assert_eq!(&shown[field], value, "{field}");
        }
    }
}
