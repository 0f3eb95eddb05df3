//! `FeedbackPostRepository::candidates`, which finds posts with similar titles.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::records::{bare, edit};
use super::{Stage, applies};
use crate::build::{Tenant, at};
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::id::{BoardId, OrganizationId, PostId};
use hearback_domain::record::Step;
use hearback_domain::similar::NEWEST;
use hearback_ports::Recorded;
use std::collections::BTreeSet;

async fn candidates(
    stage: &Stage,
    organization: OrganizationId,
    title: &str,
    board: Option<BoardId>,
) -> BTreeSet<PostId> {
    let found = stage.ports.feedback_posts.candidates(organization, title.to_owned(), board);
    found.await.unwrap().into_iter().map(|(id, _)| id).collect()
}

pub async fn candidates_are_open_posts_of_the_organization_or_of_a_board(stage: Stage) {
    let mut acme = Tenant::new();
    let board = acme.add(acme.board()).id;
    let here = acme.add(acme.post());
    let there = acme.add(FeedbackPost { board_id: board, ..acme.post() });
    acme.add(FeedbackPost { is_active: false, ..acme.post() });
    acme.add(FeedbackPost { merged_into_id: Some(here.id), ..acme.post() });
    for moderation in [Moderation::Pending, Moderation::Rejected, Moderation::Spam] {
        acme.add(FeedbackPost { moderation, ..acme.post() });
    }
    let acme = acme.import(&stage.ports).await;
    for (asked, expected) in [(None, &[here.id, there.id][..]), (Some(board), &[there.id])] {
        let expected: BTreeSet<PostId> = expected.iter().copied().collect();
        assert_eq!(candidates(&stage, acme.id(), &here.title, asked).await, expected);
    }
    assert!(candidates(&stage, acme.id(), "", Some(acme.board.id)).await.contains(&here.id));
}

pub async fn an_old_post_is_a_candidate_by_its_present_title(stage: Stage) {
    let mut acme = Tenant::new();
    let old = acme.add(FeedbackPost { title: "Rotate the camera".to_owned(), ..acme.post() });
    for _ in 0..=NEWEST {
        acme.add(FeedbackPost { title: "Hay".to_owned(), ..acme.post() });
    }
    let made = FeedbackPost {
        title: "Weekly digest".to_owned(),
        created_at: at(-1_000),
        updated_at: at(-1_000),
        status_changed_at: at(-1_000),
        ..acme.post()
    };
    let acme = acme.import(&stage.ports).await;
    applies(&stage, acme.id(), &bare(vec![Step::make(made.clone())]), Recorded::Done).await;
    let is_found = async |organization, title: &str, id| {
        candidates(&stage, organization, title, None).await.contains(&id)
    };
    assert!(is_found(acme.id(), "digest, weekly", made.id).await);
    assert!(is_found(acme.id(), "camera rotation", old.id).await);
    let renamed = FeedbackPost { title: "Größere Schrift".to_owned(), ..old.clone() };
    applies(&stage, acme.id(), &bare(vec![edit(&old, renamed)]), Recorded::Done).await;
    assert!(is_found(acme.id(), "schrift: grossere", old.id).await);
    assert!(is_found(acme.twin().id(), "camera rotation", old.id).await);
}
