//! `SlugRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::Stage;
use crate::build::Tenant;
use crate::system::fresh;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::help_article::HelpArticle;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::OrganizationId;
use hearback_domain::slug::Slug;
use hearback_ports::slugs::Slugged;

const KINDS: [Slugged; 3] = [Slugged::ChangelogEntry, Slugged::HelpCategory, Slugged::HelpArticle];

fn slug(text: &str) -> Slug {
    Slug::parse(text).unwrap()
}

/// Those of the candidates that are taken, in the order in which they were given.
async fn taken(
    stage: &Stage,
    organization: OrganizationId,
    of: Slugged,
    candidates: &[&str],
) -> Vec<String> {
    let slugs = candidates.iter().map(|text| slug(text)).collect();
    let taken = stage.ports.slugs.taken(organization, of, slugs).await.unwrap();
    let taken: Vec<String> = taken.into_iter().map(|slug| slug.key()).collect();
    let mut expected: Vec<String> = candidates.iter().map(|text| (*text).to_owned()).collect();
    expected.retain(|text| taken.contains(&slug(text).key()));
    assert_eq!(taken.len(), expected.len(), "none but the candidates, and each once");
    expected
}

/// An organization in which a record of each kind has each slug; every other record is deleted.
fn with_slugs(slugs: &[&str]) -> Tenant {
    let mut acme = Tenant::new();
    for (n, text) in slugs.iter().enumerate() {
        let is_active = n % 2 == 0;
        acme.add(ChangelogEntry { slug: slug(text), is_active, ..acme.entry() });
        acme.add(HelpCategory { slug: slug(text), is_active, ..acme.help_category() });
        acme.add(HelpArticle { slug: slug(text), is_active, ..acme.article() });
    }
    acme
}

pub async fn a_slug_is_taken_that_a_record_has_active_or_not_in_any_case(stage: Stage) {
    let (longest, other) = ("A".repeat(512), format!("{}b", "a".repeat(511)));
    let acme = with_slugs(&["Dark-Mode", "dark-mode-2", "dark_mode", "x.y~z", &longest])
        .import(&stage.ports)
        .await;
    let candidates = [
        "dark-mode",
        "DARK-MODE-2",
        "dark-mode-3",
        "darkXmode",
        "Dark_Mode",
        "dark-mod",
        "x.y~z",
        "xxy~z",
        &longest,
    ];
    let expected = ["dark-mode", "DARK-MODE-2", "Dark_Mode", "x.y~z", &longest];
    for of in KINDS {
        assert_eq!(taken(&stage, acme.id(), of, &candidates).await, expected, "{of:?}");
        assert_eq!(taken(&stage, acme.id(), of, &[&other]).await, [""; 0]);
        assert_eq!(taken(&stage, acme.id(), of, &[]).await, [""; 0]);
        assert_eq!(taken(&stage, acme.id(), of, &["free", "dark-mode"]).await, ["dark-mode"]);
    }
}

pub async fn each_kind_of_record_has_slugs_of_its_own(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(ChangelogEntry { slug: slug("entry"), ..acme.entry() });
    acme.add(HelpCategory { slug: slug("category"), ..acme.help_category() });
    acme.add(HelpArticle { slug: slug("article"), ..acme.article() });
    acme.add(HelpCollection { slug: slug("collection"), ..acme.help_collection() });
    let acme = acme.import(&stage.ports).await;
    for (of, expected) in KINDS.into_iter().zip(["entry", "category", "article"]) {
        assert_eq!(
            taken(&stage, acme.id(), of, &["entry", "category", "article", "collection"]).await,
            [expected]
        );
    }
}

pub async fn another_organizations_slugs_are_free(stage: Stage) {
    let acme = with_slugs(&["dark-mode", "light-mode"]).import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for of in KINDS {
        for organization in [globex.id(), fresh()] {
            assert_eq!(
                taken(&stage, organization, of, &["dark-mode", "light-mode"]).await,
                [""; 0]
            );
        }
        assert_eq!(taken(&stage, acme.id(), of, &["dark-mode", "light-mode"]).await.len(), 2);
    }
}
