//! `/feedback-posts/…`

use crate::backlog::Progress;
use crate::once::{Outcome, Repeat, once};
use crate::{Caller, Error, Missing};
use hearback_domain::feedback_post::{PostDetails, PostFilter};
use hearback_domain::id::PostId;
use hearback_domain::merge::MergeRequest;
use hearback_domain::record::Kind;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Ports, WriteResult};

/// `/feedback-posts/retrieve`: an active post, merged or not.
pub async fn retrieve(ports: &Ports, caller: Caller, id: PostId) -> Result<PostDetails, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    ports
        .feedback_posts
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::FeedbackPost)))
}

/// `/feedback-posts/list`: the active posts that the filter admits, newest first.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    filter: PostFilter,
    page: PageRequest<ByTime>,
) -> Result<Page<PostDetails, ByTime>, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    Ok(ports.feedback_posts.page(organization, filter, page).await?)
}

/// `/feedback-posts/merge`: marks the source as merged into the target and moves its votes to the
/// target. Emits no event.
pub async fn merge(
    ports: &Ports,
    caller: Caller,
    request: MergeRequest,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::FeedbackPost)?;
    let repeat = repeat.as_ref();
    once(ports, organization, request.target, repeat, |_| async {
        let case = ports.feedback_posts.merge_case(organization, request).await?;
        let at = ports.clock.now();
        let merge = case.decide(request, ports.ids.fresh().into(), at)?;
        let receipt = repeat.map(|repeat| repeat.receipt(WriteResult::Success, at));
        Ok((ports.feedback_posts.merge(organization, merge, receipt).await?, WriteResult::Success))
    })
    .await
}

/// Moves a part of the votes of a merge that has left some to move. More may be left if it did
/// anything.
pub async fn move_votes(ports: &Ports) -> Progress {
    match ports.feedback_posts.move_votes().await {
        Ok(done) => Progress { done, failures: vec![] },
        Err(failure) => Progress { done: 0, failures: vec![failure.into()] },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precondition;
    use hearback_domain::id::OrganizationId;
    use hearback_domain::merge::{Merge, MergeCase, PostState};
    use hearback_domain::{Time, Uuid};
    use hearback_ports::Recorded;
    use hearback_ports::mock::Mocks;
    use std::time::Duration;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const CALLER: Caller = Caller::background(ORGANIZATION);

    fn request() -> MergeRequest {
        MergeRequest {
            source: Uuid::from_u128(2).into(),
            target: Uuid::from_u128(3).into(),
            merger: Uuid::from_u128(4).into(),
        }
    }

    fn mocks(source: PostState) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(9));
        mocks.feedback_posts.expect_merge_case().returning(move |_, _| {
            Ok(MergeCase {
                source: Some(source),
                target: Some(PostState::Open),
                merger_linked: true,
            })
        });
        mocks
    }

    #[tokio::test]
    async fn a_decided_merge_is_recorded() {
        let mut mocks = mocks(PostState::Open);
        mocks
            .feedback_posts
            .expect_merge()
            .once()
            .withf(|organization, merge, receipt| {
                let MergeRequest { source, target, merger } = request();
                let expected =
                    Merge { id: Uuid::from_u128(9).into(), source, target, merger, at: Time::MIN };
                (*organization, *merge, receipt) == (ORGANIZATION, expected, &None)
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        let outcome = merge(&mocks.ports(), CALLER, request(), None).await.unwrap();
        assert_eq!(outcome, Outcome::Fresh(WriteResult::Success));
    }

    #[tokio::test]
    async fn a_refused_merge_records_nothing() {
        let outcome = merge(&mocks(PostState::Shut).ports(), CALLER, request(), None).await;
        assert!(matches!(outcome, Err(Error::Refused(Precondition::CannotMerge))));
    }
}
