//! `ModerationQueue`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::Stage;
use crate::build::{at, event, subscription};
use crate::deliveries::{claim, ended, lease, listening, settle, status, take, tell};
use crate::system::fresh;
use hearback_domain::Time;
use hearback_domain::comment::Comment;
use hearback_domain::event::EventType;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::record::OfKind;
use hearback_ports::moderation::Attention;

pub async fn what_asks_for_the_attention_of_the_team_is_counted_up_to_a_limit(stage: Stage) {
    let hooks = [subscription(), subscription()];
    let acme = listening(&stage, &hooks).await;
    let count = async |organization, most| {
        stage.ports.moderation.attention(organization, most).await.unwrap()
    };
    assert_eq!(count(acme.id(), 9).await, Attention::default());

    let in_state = |moderation| FeedbackPost { moderation, ..acme.post() };
    let accepted = in_state(Moderation::Accepted);
    let deleted = FeedbackPost { is_active: false, ..in_state(Moderation::Pending) };
    let states = [Moderation::Pending, Moderation::Pending, Moderation::Rejected, Moderation::Spam];
    let waits = |post| Comment { moderation: Moderation::Pending, ..acme.comment(post) };
    let comments = [
        waits(&accepted),
        waits(&deleted),
        acme.comment(&accepted),
        Comment { is_active: false, ..waits(&accepted) },
    ];
    let posts = states.map(in_state).into_iter().chain([accepted, deleted]);
    let posts = posts.map(FeedbackPost::into_record);
    let records = posts.chain(comments.map(Comment::into_record)).collect();
    acme.append(&stage.ports, records).await;
    assert_eq!(count(acme.id(), 9).await, Attention { waiting: 3, failing: 0 });
    assert_eq!(count(acme.id(), 1).await, Attention { waiting: 2, failing: 0 }, "one of each kind");

    tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    let mine = lease(Time::MAX);
    let claimed = take(&stage, claim(&acme, mine, at(0)), 2).await;
    settle(&stage, vec![ended(&claimed[0], mine, status(500), at(1))]).await;
    assert_eq!(count(acme.id(), 9).await.failing, 1);
    settle(&stage, vec![ended(&claimed[1], mine, status(500), at(1))]).await;
    assert_eq!(count(acme.id(), 9).await.failing, 2);
    assert_eq!(count(acme.id(), 1).await.failing, 1);
    assert_eq!(count(fresh(), 9).await, Attention::default());
}
