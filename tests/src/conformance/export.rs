//! `Exporter`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::audit::note;
use super::{KINDS, Stage, delete_organization, ends, export_all};
use crate::build::{OfKind, Tenant, Votable, at, event, organization, subscription};
use crate::deliveries::{Webhooks, claim, ended, lease, listening, settle, status, take, tell};
use crate::generate;
use crate::property::for_all;
use crate::system::fresh;
use hearback_app::feedback_posts;
use hearback_app::votes::{ToggleVote, toggle};
use hearback_domain::api_key::Sealed;
use hearback_domain::comment::Comment;
use hearback_domain::event::EventType;
use hearback_domain::id::OrganizationId;
use hearback_domain::merge::MergeRequest;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::export::{ExportKey, Snapshot};
use hearback_ports::{Kind, Record, Recorded};
use std::slice;

/// All records of an organization in a snapshot.
async fn read(
    snapshot: &mut dyn Snapshot,
    organization: OrganizationId,
    limit: i64,
) -> Vec<Record> {
    let mut records = Vec::new();
    for &kind in KINDS {
        let mut after: Option<ExportKey> = None;
        loop {
            let page = snapshot.page(organization, kind, after, limit).await.unwrap();
            assert_eq!(page.batch.kind(), kind);
            let full = usize::try_from(limit).unwrap();
            assert!(
                page.batch.len() == full || (page.batch.len() < full && page.next.is_none()),
                "{page:?}"
            );
            let page_records = page.batch.into_records();
            let last = page_records.last().map(Record::id);
            records.extend(page_records);
            let Some(next) = page.next else { break };
            assert_eq!(Some(next.id), last);
            assert!(after < Some(next));
            after = Some(next);
        }
    }
    records
}

pub async fn an_export_shows_every_record_as_it_was_written_by_kind_and_id(stage: Stage) {
    let acme = Tenant::full().import(&stage.ports).await;
    for limit in [1, 2, 3, 500] {
        let mut snapshot = stage.ports.exporter.snapshot().await.unwrap();
        assert_eq!(read(&mut *snapshot, acme.id(), limit).await, acme.exported(), "by {limit}");
    }
}

pub async fn every_imported_record_is_exported(stage: Stage) {
    for_all(10, generate::tenant(), async |tenant: Tenant| {
        let tenant = tenant.import(&stage.ports).await;
        assert_eq!(export_all(&stage.ports, tenant.id()).await, tenant.exported());
    });
}

pub async fn a_comment_comes_after_the_one_that_it_answers(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    // The deeper the comment, the lower its identifier.
    let mut comments: Vec<Comment> = (0..40).map(|_| acme.comment(&post)).collect();
    comments.reverse();
    for child in 1..comments.len() {
        // A chain with a branch at each fourth comment.
        let parent = if child % 4 == 3 { child - 2 } else { child - 1 };
        comments[child].parent_comment_id = Some(comments[parent].id);
    }
    for comment in comments {
        acme.add(comment);
    }
    let acme = acme.import(&stage.ports).await;
    let exported = export_all(&stage.ports, acme.id()).await;
    assert_eq!(exported, acme.exported());
    let mut seen = Vec::new();
    for comment in exported.iter().filter_map(Comment::of_record) {
        assert!(comment.parent_comment_id.is_none_or(|parent| seen.contains(&parent)));
        seen.push(comment.id);
    }
    let mut snapshot = stage.ports.exporter.snapshot().await.unwrap();
    assert_eq!(read(&mut *snapshot, acme.id(), 3).await, exported);
}

pub async fn a_snapshot_is_of_the_moment_at_which_it_was_made(stage: Stage) {
    let mut acme = Tenant::full();
    let (post, other) = (acme.add(acme.post()), acme.add(acme.post()));
    let acme = acme.import(&stage.ports).await;
    let slug = acme.organization.slug.as_str();
    let mut snapshot = stage.ports.exporter.snapshot().await.unwrap();

    let input = ToggleVote { voter: acme.author.user_id, target: post.target() };
    toggle(&stage.ports, acme.caller(), input, None).await.unwrap();
    acme.append(&stage.ports, vec![acme.comment(&post).into_record()]).await;
    let late = organization();
    ends(Recorded::Done, async || stage.ports.organizations.insert(late.clone()).await).await;
    assert_eq!(read(&mut *snapshot, acme.id(), 2).await, acme.exported());
    assert_eq!(snapshot.organization(late.slug.as_str()).await.unwrap(), None);

    let request = MergeRequest { source: post.id, target: other.id, merger: acme.author.user_id };
    feedback_posts::merge(&stage.ports, acme.caller(), request.into(), None).await.unwrap();
    assert_ne!(export_all(&stage.ports, acme.id()).await, acme.exported());
    delete_organization(&stage.ports, acme.id()).await;
    assert_eq!(snapshot.organization(slug).await.unwrap(), Some(acme.organization.clone()));
    assert_eq!(read(&mut *snapshot, acme.id(), 7).await, acme.exported());
    assert_eq!(export_all(&stage.ports, acme.id()).await, []);
}

pub async fn a_snapshot_finds_an_organization_by_its_slug_in_any_case(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let mut snapshot = stage.ports.exporter.snapshot().await.unwrap();
    let slug = acme.organization.slug.as_str();
    for given in [slug, &slug.to_ascii_lowercase(), &slug.to_ascii_uppercase()] {
        assert_eq!(snapshot.organization(given).await.unwrap(), Some(acme.organization.clone()));
    }
    assert_eq!(snapshot.organization("there-is-no-such-organization").await.unwrap(), None);
}

pub async fn an_organization_that_is_not_there_has_no_records(stage: Stage) {
    let mut snapshot = stage.ports.exporter.snapshot().await.unwrap();
    assert_eq!(read(&mut *snapshot, fresh(), 10).await, []);
}

pub async fn of_the_keys_only_the_active_one_is_exported(stage: Stage) {
    let mut acme = Tenant::new();
    let first = acme.add(acme.api_key());
    let acme = acme.import(&stage.ports).await;
    let keys = async || {
        let mut snapshot = stage.ports.exporter.snapshot().await.unwrap();
        snapshot.page(acme.id(), Kind::ApiKey, None, 10).await.unwrap().batch.into_records()
    };
    assert_eq!(keys().await, [first.clone().into_record()]);
    let second = acme.api_key();
    ends(Recorded::Done, async || {
        stage.ports.keys.replace(acme.id(), first.id, second.clone(), note()).await
    })
    .await;
    assert_eq!(keys().await, [second.clone().into_record()]);
    ends(Recorded::Done, async || stage.ports.keys.revoke(acme.id(), second.id, note()).await)
        .await;
    assert_eq!(keys().await, []);
}

pub async fn a_subscription_is_exported_without_its_history(stage: Stage) {
    let mut hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    let secret = Sealed(vec![9, 0, 9]);
    let rotate =
        async || Webhooks(&stage.ports).rotate(acme.id(), hook.id, secret.clone(), at(100)).await;
    ends(Recorded::Done, rotate).await;
    let mine = lease(at(50));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 1).await;
    settle(&stage, vec![ended(&claimed[0], mine, status(410), at(10))]).await;
    hook = hook.rotated(secret, at(100));
    hook.is_active = false;
    let exported = async |organization| {
        let records = export_all(&stage.ports, organization).await;
        records.iter().filter_map(WebhookSubscription::of_record).cloned().collect::<Vec<_>>()
    };
    assert_eq!(exported(acme.id()).await, [hook]);
    assert_eq!(exported(acme.twin().id()).await, acme.twin().all());
}
