//! `LabelRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{AWKWARD, Stage, behind, first_page, walk, walk_while};
use crate::build::{Imported, Tenant};
use crate::system::fresh;
use hearback_domain::Uuid;
use hearback_domain::id::{LabelId, OrganizationId};
use hearback_domain::label::Label;
use hearback_ports::page::{ByName, PageRequest};
use hearback_ports::{Limit, StoreError};

/// All labels, of one page.
async fn listed(stage: &Stage, organization: OrganizationId) -> Vec<Label> {
    let page = stage.ports.labels.page(organization, first_page()).await.unwrap();
    assert_eq!(page.next, None);
    page.items
}

/// An organization with three labels of each awkward name.
async fn crowd(stage: &Stage) -> (Imported, Vec<Label>) {
    let mut acme = Tenant::new();
    let named = |name: &&str| Label { name: (*name).to_owned(), ..acme.label() };
    acme.add_backwards([AWKWARD; 3].as_flattened().iter().map(named).collect());
    let mut all = acme.all::<Label>();
    all.sort_by_key(place);
    (acme.import(&stage.ports).await, all)
}

fn place(label: &Label) -> (String, Uuid) {
    (label.name.clone(), label.id.0)
}

pub async fn labels_are_listed_by_name_in_code_points_then_by_id(stage: Stage) {
    let (acme, all) = crowd(&stage).await;
    assert_eq!(listed(&stage, acme.id()).await, all);
    for limit in [1, 2, 50, 51] {
        assert_eq!(
            walk(limit, async |request| stage.ports.labels.page(acme.id(), request).await).await,
            all,
            "by {limit}"
        );
    }
}

pub async fn a_label_is_listed_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let bare = acme.add(Label { name: "a".to_owned(), description: None, ..acme.label() });
    let rich = acme.add(Label {
        name: "b \"😀\" \\ \u{ffff}".to_owned(),
        description: Some(String::new()),
        ..acme.label()
    });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(listed(&stage, acme.id()).await, [bare, rich]);
}

pub async fn inactive_labels_are_not_listed(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(Label { is_active: false, ..acme.label() });
    let kept = acme.add(acme.label());
    let acme = acme.import(&stage.ports).await;
    assert_eq!(listed(&stage, acme.id()).await, [kept]);
}

pub async fn a_page_of_labels_tells_where_the_next_one_begins(stage: Stage) {
    let (acme, all) = crowd(&stage).await;
    for limit in [1, 3, 50, 51, 100] {
        let limit = Limit::new(limit).unwrap();
        let page =
            stage.ports.labels.page(acme.id(), PageRequest { after: None, limit }).await.unwrap();
        let expected: Vec<Label> = all.iter().take(limit.get()).cloned().collect();
        let last = &all[expected.len() - 1];
        let next =
            (expected.len() < all.len()).then(|| ByName { name: last.name.clone(), id: last.id.0 });
        assert_eq!((page.items, page.next), (expected, next), "{limit:?}");
    }
}

pub async fn a_walk_over_labels_shows_each_once_whatever_is_written_meanwhile(stage: Stage) {
    let (acme, first) = crowd(&stage).await;
    for limit in [2, 7, 50] {
        let page = async |request| stage.ports.labels.page(acme.id(), request).await;
        // Before, between and behind the others.
        let meanwhile = async || {
            let new = ["", "a", "z", "\u{10ffff}"]
                .map(|name| Label { name: name.to_owned(), ..acme.label() });
            acme.append(&stage.ports, new.to_vec()).await;
        };
        let walked = walk_while(limit, page, meanwhile).await;
        assert!(first.iter().all(|label| walked.contains(label)), "limit {limit}: none is skipped");
        assert!(
            walked.is_sorted_by(|a, b| place(a) < place(b)),
            "limit {limit}: none is shown twice"
        );
    }
}

pub async fn a_page_of_labels_begins_behind_a_place_where_no_label_is(stage: Stage) {
    let (acme, all) = crowd(&stage).await;
    for name in ["", "a", "aa", "b", "\u{fffe}", "\u{10ffff}"] {
        for id in [Uuid::nil(), all[4].id.0, fresh(), Uuid::max()] {
            let key = ByName { name: name.to_owned(), id };
            let page = stage.ports.labels.page(acme.id(), behind(key.clone())).await.unwrap();
            let expected: Vec<_> =
                all.iter().filter(|label| place(label) > (key.name.clone(), id)).cloned().collect();
            assert_eq!(page.items, expected, "behind {key:?}");
        }
    }
}

pub async fn labels_are_known_where_all_are_active_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let label = acme.add(acme.label()).id;
    let other = acme.add(acme.label()).id;
    let deleted = acme.add(Label { is_active: false, ..acme.label() }).id;
    let category = LabelId(acme.add(acme.category()).id.0);
    let acme = acme.import(&stage.ports).await;
    let known = async |labels| stage.ports.labels.are_known(acme.id(), labels).await.unwrap();
    for labels in [vec![], vec![label], vec![other, label], vec![label, label]] {
        assert!(known(labels.clone()).await, "{labels:?}");
    }
    for labels in [
        vec![fresh()],
        vec![label, fresh()],
        vec![deleted],
        vec![label, deleted, other],
        vec![category],
    ] {
        assert!(!known(labels.clone()).await, "{labels:?}");
    }
    // More than a statement of any database takes as parameters.
    let mut many = vec![label; 70_000];
    many.push(fresh());
    assert!(!known(many).await);
}

pub async fn another_organizations_labels_are_as_unknown_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let label = acme.add(acme.label()).id;
    let deleted = acme.add(Label { is_active: false, ..acme.label() }).id;
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for organization in [globex.id(), fresh()] {
        assert_eq!(listed(&stage, organization).await, []);
        for labels in [vec![label], vec![deleted]] {
            assert!(!stage.ports.labels.are_known(organization, labels).await.unwrap());
        }
        assert!(stage.ports.labels.are_known(organization, vec![]).await.unwrap());
    }
    let opposite = acme.opposite().id();
    assert!(!stage.ports.labels.are_known(opposite, vec![label]).await.unwrap());
    assert!(stage.ports.labels.are_known(opposite, vec![deleted]).await.unwrap());
    let key = ByName { name: String::new(), id: Uuid::nil() };
    let nowhere = stage.ports.labels.page(fresh(), behind(key)).await;
    assert!(
        matches!(nowhere, Ok::<_, StoreError>(page) if page.items.is_empty() && page.next.is_none())
    );
}
