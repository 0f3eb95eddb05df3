//! `SavedViewRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::sessions::link;
use super::{Stage, delete_organization};
use crate::build::Tenant;
use crate::system::{fresh, patiently};
use futures_util::future::join_all;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::saved_view::SavedView;
use hearback_ports::Recorded;

fn view(user_id: UserId, name: &str, query: &str) -> SavedView {
    SavedView { user_id, name: name.to_owned(), query: query.to_owned() }
}

async fn save(stage: &Stage, organization: OrganizationId, view: &SavedView) -> Recorded {
    patiently(|| stage.ports.saved_views.save(organization, view.clone(), 3)).await
}

async fn names(stage: &Stage, organization: OrganizationId, user: UserId) -> Vec<String> {
    let views = stage.ports.saved_views.of_user(organization, user).await.unwrap();
    views.into_iter().map(|view| view.name).collect()
}

pub async fn the_views_of_a_user_are_listed_by_name_and_replaced_under_it(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    for name in ["b", "ä", "B"] {
        assert_eq!(save(&stage, id, &view(user, name, "sort=votes")).await, Recorded::Done);
    }
    assert_eq!(save(&stage, id, &view(other.user_id, "b", "")).await, Recorded::Done);
    assert_eq!(names(&stage, id, user).await, ["B", "b", "ä"]);
    // Of three views at the most, one is replaced, and none is added.
    assert_eq!(save(&stage, id, &view(user, "c", "")).await, Recorded::Stale);
    let changed = view(user, "b", "search=größer%20%27");
    assert_eq!(save(&stage, id, &changed).await, Recorded::Done);
    let views = &stage.ports.saved_views;
    assert_eq!(views.of_user(id, user).await.unwrap()[1], changed);
    patiently(|| views.remove(id, user, "b".to_owned())).await;
    patiently(|| views.remove(id, user, "unknown".to_owned())).await;
    assert_eq!(names(&stage, id, user).await, ["B", "ä"]);
    assert_eq!(names(&stage, id, other.user_id).await, ["b"]);
    assert_eq!(names(&stage, acme.twin().id(), user).await, [""; 0]);
}

pub async fn views_go_with_the_link_of_their_user(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    assert_eq!(save(&stage, id, &view(user, "a", "")).await, Recorded::Done);
    link(&stage, &acme, user, false).await;
    assert_eq!(save(&stage, id, &view(user, "b", "")).await, Recorded::Stale);
    link(&stage, &acme, user, true).await;
    assert_eq!(names(&stage, id, user).await, [""; 0]);
    assert_eq!(save(&stage, id, &view(fresh(), "a", "")).await, Recorded::Stale);
    delete_organization(&stage.ports, id).await;
    assert_eq!(save(&stage, id, &view(user, "a", "")).await, Recorded::Stale);
}

pub async fn of_many_views_at_once_no_more_are_kept_than_the_most(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    let views: Vec<_> = (0..8).map(|n| view(user, &n.to_string(), "")).collect();
    let saved = join_all(views.iter().map(|view| save(&stage, id, view))).await;
    assert_eq!(saved.iter().filter(|saved| **saved == Recorded::Done).count(), 3);
    assert_eq!(names(&stage, id, user).await.len(), 3);
}
