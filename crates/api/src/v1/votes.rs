//! `/votes/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, one_of, uuid};
use crate::page::Walk;
use hearback_app::votes::{self, ToggleVote};
use hearback_app::{Missing, Precondition};
use hearback_domain::vote::{PostType, Target, Voter};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByTime;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    write("/votes/toggle", "Cast a vote, or take it back", handler!(voted: vote => votes::toggle))
        .refusing(&[
            NotFound(Missing::VoteTarget),
            NotFound(Missing::User),
            Refused(Precondition::VotingDisabled),
        ]),
    read(
        "/votes/voters",
        "List the voters of a post, oldest vote first",
        handler!(page<VoterView>: on_post => votes::voters),
    ),
];

fn vote(fields: &mut Fields<'_>) -> Result<ToggleVote, Noted> {
    let voter = fields.id("user_id");
    let target = target(fields);
    Ok(ToggleVote { voter: voter?, target: target? })
}

fn on_post(fields: &mut Fields<'_>) -> Result<(Target, Walk<ByTime>), Noted> {
    let target = target(fields);
    let list = fields.list("oldest");
    let walk = fields.walk(target.map(|target| {
        let (id, kind) = match target {
            Target::Feedback(id) => (id.0, PostType::Feedback),
            Target::Roadmap(id) => (id.0, PostType::Roadmap),
        };
        list.filter(Some(id)).filter(Some(kind.code()))
    }));
    Ok((target?, walk?))
}

/// `post_id` and `post_type`, which chooses what kind of post is consulted.
fn target(fields: &mut Fields<'_>) -> Result<Target, Noted> {
    let id = fields.required("post_id", uuid);
    let kind = fields.required("post_type", one_of);
    Ok(match kind? {
        PostType::Feedback => Target::Feedback(id?.into()),
        PostType::Roadmap => Target::Roadmap(id?.into()),
    })
}

#[derive(Serialize, ToSchema)]
#[schema(as = Voter)]
pub(crate) struct VoterView<'a> {
    user_id: Uuid,
    name: &'a str,
    email: &'a str,
    voted_at: Timestamp,
}

impl<'a> From<&'a Voter> for VoterView<'a> {
    fn from(voter: &'a Voter) -> Self {
        Self {
            user_id: voter.user_id.0,
            name: &voter.name,
            email: &voter.email,
            voted_at: voter.voted_at.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use hearback_domain::Uuid;
    use hearback_domain::id::VoteId;
    use hearback_domain::vote::{Ballot, OpenPost, Target, VoteChange, Voter, Voting};
    use hearback_ports::mock::Mocks;
    use hearback_ports::page::ByTime;
    use hearback_ports::{Limit, Page, PageRequest, Recorded};
    use serde_json::{Value, json};

    fn toggle_body() -> Value {
        json!({"user_id": Uuid::from_u128(1), "post_id": Uuid::from_u128(2), "post_type": "feedback"})
    }

    fn voting(voting: Voting, present: Option<VoteId>) -> Mocks {
        let mut mocks = mocks();
        let post = OpenPost::Feedback {
            id: id(2),
            title: "Dark mode".to_owned(),
            board_id: id(3),
            voting,
        };
        mocks
            .votes
            .expect_ballot()
            .withf(|of, target, voter| {
                (*of, *target, *voter) == (ORGANIZATION, Target::Feedback(id(2)), id(1))
            })
            .returning(move |_, _, voter| {
                Ok(Ballot { post: Some(post.clone()), voter, voter_linked: true, present })
            });
        mocks
    }

    #[actix_web::test]
    async fn a_toggle_casts_a_vote_or_withdraws_it() {
        let mut casting = voting(Voting::Enabled, None);
        let cast = |change: &VoteChange| matches!(change, VoteChange::Cast { .. });
        casting
            .votes
            .expect_record()
            .once()
            .withf(move |_, change, _| cast(change))
            .returning(|_, _, _| Ok(Recorded::Done));
        casting.alarm.expect_ring().once().return_const(());
        assert_eq!(
            call(casting, "/votes/toggle", toggle_body()).await.shown(),
            (200, r#"{"voted":true}"#)
        );

        let mut withdrawing = voting(Voting::Enabled, Some(id(9)));
        let withdraw = |change: &VoteChange| matches!(change, VoteChange::Withdraw { .. });
        withdrawing
            .votes
            .expect_record()
            .once()
            .withf(move |_, change, _| withdraw(change))
            .returning(|_, _, _| Ok(Recorded::Done));
        withdrawing.alarm.expect_ring().once().return_const(());
        assert_eq!(
            call(withdrawing, "/votes/toggle", toggle_body()).await.shown(),
            (200, r#"{"voted":false}"#)
        );
    }

    #[actix_web::test]
    async fn a_board_that_takes_no_votes_is_403() {
        let reply = call(voting(Voting::Disabled, None), "/votes/toggle", toggle_body()).await;
        assert_eq!(reply.shown(), (403, r#"{"detail":"Voting is not permitted for this board"}"#));
    }

    #[actix_web::test]
    async fn the_type_chooses_the_kind_of_post() {
        let mut mocks = mocks();
        mocks
            .votes
            .expect_ballot()
            .withf(|_, target, _| *target == Target::Roadmap(id(2)))
            .returning(|_, _, voter| {
                Ok(Ballot { post: None, voter, voter_linked: true, present: None })
            });
        let mut body = toggle_body();
        body["post_type"] = json!("roadmap");
        assert_eq!(
            call(mocks, "/votes/toggle", body).await.shown(),
            (404, r#"{"detail":{"error":"post not found"}}"#)
        );
    }

    #[actix_web::test]
    async fn every_fault_of_a_toggle_is_told_at_once() {
        let reply =
            call(mocks(), "/votes/toggle", json!({"user_id": 1, "post_type": "blog"})).await;
        assert_eq!(
            reply.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"uuid_type","loc":["body","user_id"],"msg":"UUID input should be a string","input":1},"#,
                    r#"{"type":"missing","loc":["body","post_id"],"msg":"Field required","input":null},"#,
                    r#"{"type":"literal_error","loc":["body","post_type"],"#,
                    r#""msg":"Input should be 'feedback' or 'roadmap'","input":"blog"}]}"#
                )
            )
        );
    }

    const ADA: &str = concat!(
        r#"{"user_id":"00000000-0000-0000-0000-000000000001","name":"Ada","email":"","#,
        r#""voted_at":"2026-03-01T09:30:00.000Z"}"#
    );

    fn paging(target: Target, request: PageRequest<ByTime>, next: Option<ByTime>) -> Mocks {
        let mut mocks = mocks();
        let at = time("2026-03-01T09:30:00Z");
        let ada = Voter {
            vote_id: id(5),
            user_id: id(1),
            name: "Ada".to_owned(),
            email: String::new(),
            voted_at: at,
        };
        mocks
            .votes
            .expect_voters()
            .withf(move |of, on, page| (*of, *on, page) == (ORGANIZATION, target, &request))
            .returning(move |_, _, _| Ok(Page { items: vec![ada.clone()], next }));
        mocks
    }

    #[actix_web::test]
    async fn the_voters_of_a_post_are_paged() {
        let body = json!({"post_id": Uuid::from_u128(2), "post_type": "feedback", "limit": 1});
        let target = Target::Feedback(id(2));
        let end = ByTime { at: time("2026-03-01T09:30:00Z"), id: id(5) };
        let limit = Limit::new(1).unwrap();
        let reply = call(
            paging(target, PageRequest { after: None, limit }, Some(end)),
            "/votes/voters",
            body.clone(),
        )
        .await;
        let page: Value = serde_json::from_str(&reply.body).unwrap();
        let cursor = page["cursor"].as_str().unwrap();
        let expected = format!(r#"{{"items":[{ADA}],"has_next_page":true,"cursor":"{cursor}"}}"#);
        assert_eq!(reply.shown(), (200, &*expected));

        let mut onward = body;
        onward["cursor"] = json!(cursor);
        let second = PageRequest { after: Some(end), limit };
        let reply = call(paging(target, second, None), "/votes/voters", onward.clone()).await;
        assert_eq!(
            reply.shown(),
            (200, &*format!(r#"{{"items":[{ADA}],"has_next_page":false,"cursor":null}}"#))
        );

        onward["post_type"] = json!("roadmap");
        assert_eq!(
            call(mocks(), "/votes/voters", onward).await.status,
            422,
            "the cursor is of another kind of post"
        );
    }
}
