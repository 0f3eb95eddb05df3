//! Slugs of new records: changelog entries, help categories, help articles.

use crate::support::{Draft, Organization, Store};
use rstest::rstest;
use serde_json::json;

/// A kind of records with slugs.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Entry,
    Category,
    Article,
}

impl Kind {
    /// Imports a record with this slug.
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

    /// Creates a record and returns its slug.
    async fn slug(
        self,
        acme: &Organization,
        collection: &str,
        name: &str,
        slug: Option<&str>,
    ) -> String {
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
        let created = match self {
            Self::Entry => {
                let page = acme.post("/changelog/list", json!({"limit": 100})).await.expect(200);
                let entries = page["items"].as_array().expect("items");
                entries.iter().find(|entry| entry["id"] == id).cloned().expect("the entry")
            }
            Self::Category => acme.retrieve("/help-categories/retrieve", "category_id", id).await,
            Self::Article => acme.retrieve("/help-articles/retrieve", "article_id", id).await,
        };
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
    // A slug is never empty. For these names, only its form is specified.
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
    // Each `ß` becomes two letters, so a word has eleven letters, and 42 words fit.
    let name = "straßeßß ".repeat(56);
    let slug = kind.slug(&acme, &collection, &name, None).await;
    let words = "strassessss-".repeat(42);
    assert_eq!(slug, words.trim_end_matches('-'));
    // The number fits within the limit too. A greater number cuts the slug no deeper than needed.
    for number in 2..=11 {
        let slug = kind.slug(&acme, &collection, &name, None).await;
        assert!(slug.len() <= 512 && slug.ends_with(&format!("-{number}")), "{slug}");
        assert!(slug.starts_with("strassessss-strassessss-"));
    }
}

#[rstest]
#[tokio::test]
async fn a_slug_that_any_record_has_in_any_case_gets_the_next_number(
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
async fn a_given_slug_is_kept_as_given_and_numbered_if_it_is_taken(
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
async fn the_code_or_slug_of_a_deleted_record_is_free(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    draft.category(json!({"name": "Old", "code": "old", "is_active": false}));
    let acme = draft.open(store).await;
    let kinds = [
        ("/categories", "category_id", "code", json!({})),
        ("/statuses", "status_id", "code", json!({"status_group_code": "open"})),
        ("/tags", "tag_id", "code", json!({})),
        ("/feedback-boards", "board_id", "slug", json!({})),
        ("/roadmap-boards", "roadmap_board_id", "slug", json!({})),
    ];
    for (path, field, member, mut body) in kinds {
        body["name"] = json!("Speed");
        for _ in 0..3 {
            let made = acme.post(&format!("{path}/create"), body.clone()).await.expect(200);
            let shown = acme.post(&format!("{path}/retrieve"), json!({"id": made["id"]})).await;
            assert_eq!(shown.expect(200)[member], "speed", "{path}");
            let deleted = json!({field: made["id"]});
            acme.post(&format!("{path}/delete"), deleted).await.expect(200);
        }
    }
    let made = acme.post("/categories/create", json!({"name": "Old"})).await.expect(200);
    let shown = acme.post("/categories/retrieve", json!({"id": made["id"]})).await.expect(200);
    assert_eq!(shown["code"], "old-2", "an imported record keeps its code");
}
