//! `ReceiptRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, ends, receipt};
use crate::build::{Imported, Tenant, at};
use crate::deliveries::counts;
use crate::system::fresh;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::vote::{Target, VoteChange};
use hearback_domain::{Time, Uuid};
use hearback_ports::receipts::StoredReceipt;
use hearback_ports::{IdempotencyKey, Receipt, Recorded, WriteResult};

/// Stores a receipt together with a toggle of the author's vote.
async fn keep(stage: &Stage, acme: &Imported, post: &FeedbackPost, receipt: Receipt) {
    let target = Target::Feedback(post.id);
    let done = ends(Recorded::Done, async || {
        let ballot =
            stage.ports.votes.ballot(acme.id(), target, acme.author.user_id).await.unwrap();
        let change: VoteChange = ballot.toggle(fresh(), fresh(), receipt.at).unwrap();
        stage.ports.votes.record(acme.id(), change, Some(receipt.clone())).await
    });
    done.await;
}

async fn acme(stage: &Stage) -> (Imported, FeedbackPost) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    (acme.import(&stage.ports).await, post)
}

fn key(text: &str) -> IdempotencyKey {
    IdempotencyKey::parse(text).unwrap()
}

pub async fn every_answer_is_given_again(stage: Stage) {
    let (acme, post) = acme(&stage).await;
    let answers = [
        WriteResult::Voted(true),
        WriteResult::Voted(false),
        WriteResult::Success,
        WriteResult::Created(fresh::<Uuid>()),
    ];
    for (n, answer) in answers.into_iter().enumerate() {
        let receipt =
            Receipt { body: [n as u8; 32], ..receipt(&n.to_string(), answer.clone(), at(0)) };
        keep(&stage, &acme, &post, receipt.clone()).await;
        let found =
            stage.ports.receipts.find(acme.id(), receipt.path, receipt.key, at(0)).await.unwrap();
        assert_eq!(found, Some(StoredReceipt { body: receipt.body, answer }));
    }
}

pub async fn a_receipt_is_found_until_it_is_older_than_a_time(stage: Stage) {
    let (acme, post) = acme(&stage).await;
    keep(&stage, &acme, &post, receipt("a", WriteResult::Success, at(1000))).await;
    for (since, is_found) in [
        (Time::MIN, true),
        (at(999), true),
        (at(1000), true),
        (at(1001), false),
        (Time::MAX, false),
    ] {
        let found =
            stage.ports.receipts.find(acme.id(), "/votes/toggle", key("a"), since).await.unwrap();
        assert_eq!(found.is_some(), is_found, "since {since}");
    }
}

pub async fn a_receipt_is_found_by_its_organization_path_and_key_alone(stage: Stage) {
    let (acme, post) = acme(&stage).await;
    let receipts = &stage.ports.receipts;
    keep(&stage, &acme, &post, receipt("Key~1", WriteResult::Voted(true), at(0))).await;
    for other in ["key~1", "Key~", "Key~11", "%", "Key_1"] {
        assert_eq!(
            receipts.find(acme.id(), "/votes/toggle", key(other), at(0)).await.unwrap(),
            None,
            "{other}"
        );
    }
    assert_eq!(
        receipts.find(acme.id(), "/feedback-posts/merge", key("Key~1"), at(0)).await.unwrap(),
        None
    );
    assert_eq!(
        receipts.find(acme.twin().id(), "/votes/toggle", key("Key~1"), at(0)).await.unwrap(),
        None
    );
    assert_eq!(receipts.find(fresh(), "/votes/toggle", key("Key~1"), at(0)).await.unwrap(), None);
    // The same key names another write on another path.
    keep(
        &stage,
        &acme,
        &post,
        Receipt { path: "/feedback-posts/merge", ..receipt("Key~1", WriteResult::Success, at(0)) },
    )
    .await;
    let kept = receipts.find(acme.id(), "/votes/toggle", key("Key~1"), at(0)).await.unwrap();
    assert_eq!(kept, Some(StoredReceipt { body: [7; 32], answer: WriteResult::Voted(true) }));
}

pub async fn only_a_receipt_older_than_a_time_is_forgotten(stage: Stage) {
    let (acme, post) = acme(&stage).await;
    let receipts = &stage.ports.receipts;
    for (n, name) in ["a", "b"].into_iter().enumerate() {
        keep(&stage, &acme, &post, receipt(name, WriteResult::Voted(n == 0), at(1000))).await;
    }
    let is_kept = async |name| {
        receipts.find(acme.id(), "/votes/toggle", key(name), Time::MIN).await.unwrap().is_some()
    };
    receipts.forget(acme.id(), "/votes/toggle", key("a"), at(1000)).await.unwrap();
    receipts.forget(acme.id(), "/feedback-posts/merge", key("a"), at(1001)).await.unwrap();
    receipts.forget(acme.twin().id(), "/votes/toggle", key("a"), at(1001)).await.unwrap();
    assert!(is_kept("a").await && is_kept("b").await);
    // A store may leave the receipt where other transactions are faster.
    while is_kept("a").await {
        receipts.forget(acme.id(), "/votes/toggle", key("a"), at(1001)).await.unwrap();
    }
    receipts.forget(acme.id(), "/votes/toggle", key("a"), at(1001)).await.unwrap();
    assert!(!is_kept("a").await && is_kept("b").await);
    // The key can be used again.
    keep(&stage, &acme, &post, receipt("a", WriteResult::Voted(true), at(2000))).await;
}

pub async fn old_receipts_are_removed_in_parts_the_oldest_first(stage: Stage) {
    let (acme, post) = acme(&stage).await;
    let receipts = &stage.ports.receipts;
    for n in 0..6_i64 {
        keep(&stage, &acme, &post, receipt(&n.to_string(), WriteResult::Success, at(100 - n)))
            .await;
    }
    let kept = async || {
        let mut kept = Vec::new();
        for n in 0..6 {
            if receipts
                .find(acme.id(), "/votes/toggle", key(&n.to_string()), Time::MIN)
                .await
                .unwrap()
                .is_some()
            {
                kept.push(n);
            }
        }
        kept
    };
    assert_eq!(receipts.prune(acme.id(), at(95), 10).await.unwrap(), 0);
    assert_eq!(receipts.prune(acme.twin().id(), Time::MAX, 10).await.unwrap(), 0);
    counts(3, async || receipts.prune(acme.id(), at(99), 3).await).await;
    assert_eq!(kept().await, [0, 1, 2]);
    counts(1, async || receipts.prune(acme.id(), at(99), 3).await).await;
    assert_eq!(kept().await, [0, 1]);
    counts(2, async || receipts.prune(acme.id(), Time::MAX, 10).await).await;
    assert_eq!(kept().await, Vec::<i32>::new());
}
