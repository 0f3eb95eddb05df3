//! `HelpRedirectRepository`, and the addresses of pages that move.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, export_all};
use crate::build::{Imported, Tenant};
use crate::system::asked;
use futures_util::future::join_all;
use hearback_app::write::Update;
use hearback_app::{Error, Precondition, crud, help_redirects};
use hearback_domain::draft::Patches;
use hearback_domain::help_article::{ArticleParent, ArticlePatch, ArticleStatus, HelpArticle};
use hearback_domain::help_category::CategoryPatch;
use hearback_domain::help_collection::CollectionPatch;
use hearback_domain::help_redirect::{Move, Path};
use hearback_domain::slug::Slug;
use hearback_domain::{Time, Uuid};
use hearback_ports::Record;
use std::collections::BTreeSet;

fn slug(text: &str) -> Option<Slug> {
    Some(Slug::parse(text).unwrap())
}

fn path(text: &str) -> Path {
    Path::parse(text).unwrap()
}

async fn update<P: Patches + Clone>(stage: &Stage, acme: &Imported, id: impl Into<Uuid>, patch: P) {
    let id = id.into();
    let edit = || crud::update(&stage.ports, acme.caller(), Update::new(id, patch.clone()), None);
    asked(edit).await.unwrap();
}

async fn end(stage: &Stage, acme: &Imported, from: &str) -> Option<String> {
    let resolve = || help_redirects::resolve(&stage.ports, acme.id(), path(from));
    asked(resolve).await.unwrap().map(String::from)
}

/// Asserts that no redirect leads to another one.
async fn has_no_chain(stage: &Stage, acme: &Imported) {
    let all = export_all(&stage.ports, acme.id()).await;
    let redirects = all.iter().filter_map(|record| match record {
        Record::HelpRedirect(redirect) => Some(redirect),
        _ => None,
    });
    let beginnings: BTreeSet<&Path> = redirects.clone().map(|it| &it.from_path).collect();
    for redirect in redirects {
        assert!(!beginnings.contains(&redirect.to_path), "{redirect:?}");
    }
}

pub async fn a_published_article_is_found_at_every_address_that_it_had(stage: Stage) {
    let mut acme = Tenant::new();
    let shelf = acme.collection.id;
    let other = acme.add(acme.help_collection()).id;
    let guides = [acme.add(acme.help_category()).id, acme.add(acme.help_category()).id];
    let article = acme.add(HelpArticle {
        status: ArticleStatus::Published,
        published_at: Some(Time::MIN),
        ..acme.article()
    });
    let hidden = acme.add(acme.article());
    let acme = acme.import(&stage.ports).await;
    let mut slugs = ["shelf", "other", "first", "second", "article"].map(str::to_owned);
    for (id, slug_of_it) in [(shelf, "shelf"), (other, "other")] {
        let patch = CollectionPatch { slug: slug(slug_of_it), ..CollectionPatch::default() };
        update(&stage, &acme, id, patch).await;
    }
    for (id, slug_of_it) in [(guides[0], "first"), (guides[1], "second")] {
        let patch = CategoryPatch { slug: slug(slug_of_it), ..CategoryPatch::default() };
        update(&stage, &acme, id, patch).await;
    }
    let patch = ArticlePatch { slug: slug("article"), ..ArticlePatch::default() };
    update(&stage, &acme, article.id, patch).await;
    let (mut guide_is_in, mut place) = ([0, 0], None);
    let mut had: BTreeSet<String> = BTreeSet::new();
    // A sequence of all kinds of moves, drawn once. The article gets former slugs again. No other
    // category or collection gets a former address.
    let mut draw: u64 = 7;
    for step in 0..40 {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = usize::try_from(draw >> 33).unwrap();
        let (kind, which) = (drawn % 5, drawn / 5 % 2);
        match kind {
            0 => {
                slugs[which] = format!("collection-{step}");
                let patch =
                    CollectionPatch { slug: slug(&slugs[which]), ..CollectionPatch::default() };
                update(&stage, &acme, [shelf, other][which], patch).await;
            }
            1 => {
                slugs[2 + which] = format!("category-{step}");
                let patch = CategoryPatch { slug: slug(&slugs[2 + which]), ..Default::default() };
                update(&stage, &acme, guides[which], patch).await;
            }
            2 => {
                guide_is_in[which] = 1 - guide_is_in[which];
                let collection_id = Some([shelf, other][guide_is_in[which]]);
                slugs[2 + which] = format!("category-{step}");
                let slug = slug(&slugs[2 + which]);
                let patch = CategoryPatch { collection_id, slug, ..CategoryPatch::default() };
                update(&stage, &acme, guides[which], patch).await;
            }
            3 => {
                slugs[4] = format!("article-{}", drawn / 10 % 4);
                let patch = ArticlePatch { slug: slug(&slugs[4]), ..ArticlePatch::default() };
                update(&stage, &acme, article.id, patch).await;
            }
            _ => {
                place = [None, Some(0), Some(1)][drawn / 10 % 3];
                let parent = Some(match place {
                    None => ArticleParent::Collection(shelf),
                    Some(guide) => ArticleParent::Category(guides[guide]),
                });
                let patch = ArticlePatch { parent, ..ArticlePatch::default() };
                update(&stage, &acme, article.id, patch).await;
            }
        }
        let present = match place {
            None => format!("/help/{}/{}", slugs[0], slugs[4]),
            Some(guide) => {
                let (collection, category) = (&slugs[guide_is_in[guide]], &slugs[2 + guide]);
                format!("/help/{collection}/{category}/{}", slugs[4])
            }
        };
        assert_eq!(end(&stage, &acme, &present).await, None, "the article is at {present}");
        for former in had.iter().filter(|former| **former != present) {
            assert_eq!(end(&stage, &acme, former).await.as_ref(), Some(&present), "{former}");
        }
        had.insert(present);
        has_no_chain(&stage, &acme).await;
    }
    assert!(had.len() > 10, "{had:?}");
    let unknown = ["/help", "/help/x", "/help/x/y", "/help/x/y/z", "/guide", "/"];
    for nothing in unknown {
        assert_eq!(end(&stage, &acme, nothing).await, None, "{nothing}");
    }
    let by_slug = format!("/help/x/{}", hidden.slug.as_str());
    assert_eq!(end(&stage, &acme, &by_slug).await, None, "a draft is not shown");
}

pub async fn redirects_that_are_made_at_once_make_no_chain_and_no_circle(stage: Stage) {
    const PATHS: usize = 6;
    let acme = Tenant::new().import(&stage.ports).await;
    let create = async |from: usize, to: usize| {
        let [from, to] = [from, to].map(|n| path(&format!("/{n}")));
        let redirect = Move { from, to };
        let made = || help_redirects::create(&stage.ports, acme.caller(), redirect.clone(), None);
        match asked(made).await {
            Ok(_) => true,
            Err(Error::Refused(Precondition::PathTaken | Precondition::RedirectCircle)) => false,
            Err(error) => panic!("{error}"),
        }
    };
    // One redirect to each path, and the last one would make a circle of them.
    let made = join_all((0..PATHS).map(|n| create(n, (n + 1) % PATHS))).await;
    assert_eq!(made.iter().filter(|made| !**made).count(), 1, "{made:?}");
    has_no_chain(&stage, &acme).await;
}

pub async fn redirects_that_are_made_lead_to_present_pages(stage: Stage) {
    let mut acme = Tenant::new();
    let article = acme.add(HelpArticle {
        status: ArticleStatus::Published,
        published_at: Some(Time::MIN),
        slug: Slug::parse("first").unwrap(),
        ..acme.article()
    });
    let at = |slug: &str| format!("/help/{}/{slug}", acme.collection.slug.as_str());
    let (first, second) = (at("first"), at("second"));
    let acme = acme.import(&stage.ports).await;
    let create = async |from: &str, to: &str| {
        let redirect = Move { from: path(from), to: path(to) };
        let made = || help_redirects::create(&stage.ports, acme.caller(), redirect.clone(), None);
        asked(made).await.unwrap();
    };
    create("/guide", "/docs").await;
    create("/docs", &first).await;
    // The page is shown in spite of it, until it moves.
    create(&first, "/elsewhere").await;
    assert_eq!(end(&stage, &acme, "/guide").await.as_deref(), Some("/elsewhere"));
    assert_eq!(end(&stage, &acme, &first).await, None);
    let patch = ArticlePatch { slug: slug("second"), ..ArticlePatch::default() };
    update(&stage, &acme, article.id, patch).await;
    assert_eq!(end(&stage, &acme, &first).await, Some(second));
    has_no_chain(&stage, &acme).await;
}
