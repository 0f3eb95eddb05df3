//! `TagRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{AWKWARD, Stage};
use crate::build::Tenant;
use crate::system::fresh;
use hearback_domain::tag::Tag;

pub async fn tags_are_listed_by_name_in_code_points_then_by_id(stage: Stage) {
    let mut acme = Tenant::new();
    // Tags without code are not in each other's way.
    let named = |name: &&str| Tag { name: (*name).to_owned(), code: None, ..acme.tag() };
    acme.add_backwards([AWKWARD; 3].as_flattened().iter().map(named).collect());
    let acme = acme.import(&stage.ports).await;
    let mut expected = acme.all::<Tag>();
    expected.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    assert_eq!(stage.ports.tags.list(acme.id()).await.unwrap(), expected);
}

pub async fn a_tag_is_listed_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let tag = Tag {
        code: Some(String::new()),
        show_on_feedback: true,
        show_on_roadmap: false,
        ..acme.tag()
    };
    let tag = acme.add(tag);
    let acme = acme.import(&stage.ports).await;
    assert_eq!(stage.ports.tags.list(acme.id()).await.unwrap(), [tag]);
}

pub async fn inactive_tags_are_not_listed(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(Tag { is_active: false, ..acme.tag() });
    let kept = acme.add(acme.tag());
    let acme = acme.import(&stage.ports).await;
    assert_eq!(stage.ports.tags.list(acme.id()).await.unwrap(), [kept]);
}

pub async fn another_organizations_tags_are_not_listed(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(acme.tag());
    acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    assert_eq!(stage.ports.tags.list(globex.id()).await.unwrap(), []);
    assert_eq!(stage.ports.tags.list(fresh()).await.unwrap(), []);
}
