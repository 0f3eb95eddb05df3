//! `LabelRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::Stage;
use crate::build::Tenant;
use crate::system::fresh;
use hearback_domain::id::LabelId;
use hearback_domain::label::Label;

pub async fn labels_are_known_if_all_are_active(stage: Stage) {
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
    // More labels than a statement of any database takes as parameters.
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
        for labels in [vec![label], vec![deleted]] {
            assert!(!stage.ports.labels.are_known(organization, labels).await.unwrap());
        }
        assert!(stage.ports.labels.are_known(organization, vec![]).await.unwrap());
    }
    let opposite = acme.opposite().id();
    assert!(!stage.ports.labels.are_known(opposite, vec![label]).await.unwrap());
    assert!(stage.ports.labels.are_known(opposite, vec![deleted]).await.unwrap());
}
