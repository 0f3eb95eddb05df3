//! `CommentRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{Stage, first_page, walk_while};
use crate::build::{Tenant, at};
use crate::system::fresh;
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::id::PostId;
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Limit;
use hearback_ports::page::{ByTime, PageRequest};

/// All comments on a post, of one page.
async fn listed(stage: &Stage, acme: &Tenant, post: PostId) -> Vec<Comment> {
    let page = stage.ports.comments.page(acme.id(), post, first_page()).await.unwrap();
    assert_eq!(page.next, None);
    page.items
}

fn oldest_first(mut comments: Vec<Comment>) -> Vec<Comment> {
    comments.sort_by_key(|comment| (comment.created_at, comment.id));
    comments
}

pub async fn a_comment_is_found_and_listed_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    let left = acme.add(User { is_active: false, ..acme.user() });
    let mut parent = None;
    for &moderation in Moderation::ALL {
        for &visibility in Visibility::ALL {
            let (parent_comment_id, author_id, updated_at) = (parent, left.user_id, Time::MAX);
            let content = "Ja 😀\n\"so\" \\ ".to_owned();
            let new = Comment {
                content,
                parent_comment_id,
                author_id,
                visibility,
                moderation,
                updated_at,
                ..acme.comment(&post)
            };
            parent = Some(acme.add(new).id);
        }
    }
    let acme = acme.import(&stage.ports).await;
    let comments: Vec<Comment> = acme.all();
    assert_eq!(listed(&stage, &acme, post.id).await, comments);
    for comment in comments {
        assert_eq!(stage.ports.comments.find(acme.id(), comment.id).await.unwrap(), Some(comment));
    }
}

pub async fn inactive_comments_are_neither_found_nor_listed_the_replies_to_them_are(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    let deleted = acme.add(Comment { is_active: false, ..acme.comment(&post) });
    let reply = acme.add(Comment { parent_comment_id: Some(deleted.id), ..acme.comment(&post) });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(stage.ports.comments.find(acme.id(), deleted.id).await.unwrap(), None);
    assert_eq!(stage.ports.comments.find(acme.id(), reply.id).await.unwrap(), Some(reply.clone()));
    assert_eq!(listed(&stage, &acme, post.id).await, [reply]);
}

pub async fn a_comment_on_an_inactive_post_is_found_and_not_listed(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    let comment = acme.add(acme.comment(&post));
    let acme = acme.import(&stage.ports).await;
    assert_eq!(stage.ports.comments.find(acme.id(), comment.id).await.unwrap(), Some(comment));
    assert_eq!(listed(&stage, &acme, post.id).await, []);
}

pub async fn the_comments_on_a_merged_post_stay_there(stage: Stage) {
    let mut acme = Tenant::new();
    let target = acme.add(acme.post());
    let merged = acme.add(FeedbackPost { merged_into_id: Some(target.id), ..acme.post() });
    let comment = acme.add(acme.comment(&merged));
    let acme = acme.import(&stage.ports).await;
    assert_eq!(listed(&stage, &acme, merged.id).await, [comment]);
    assert_eq!(listed(&stage, &acme, target.id).await, []);
}

pub async fn comments_are_listed_oldest_first_and_of_one_time_by_id(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    let times = [Time::MIN, at(-1), at(0), at(0), at(0), at(1), Time::MAX, Time::MAX];
    let dated = |created_at| Comment { created_at, ..acme.comment(&post) };
    acme.add_backwards(times.map(dated).to_vec());
    let acme = acme.import(&stage.ports).await;
    assert_eq!(listed(&stage, &acme, post.id).await, oldest_first(acme.all()));
}

pub async fn a_page_of_comments_tells_where_the_next_one_begins(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    let dated = |n: i64| Comment { created_at: at(n % 2), ..acme.comment(&post) };
    acme.add_backwards((0..4).map(dated).collect());
    let acme = acme.import(&stage.ports).await;
    let all = oldest_first(acme.all());
    for limit in 1..=5 {
        let request = PageRequest { after: None, limit: Limit::new(limit).unwrap() };
        let page = stage.ports.comments.page(acme.id(), post.id, request).await.unwrap();
        let expected = &all[..all.len().min(usize::try_from(limit).unwrap())];
        assert_eq!(page.items, expected, "limit {limit}");
        let next = (limit < 4)
            .then_some(expected.last().unwrap())
            .map(|last| ByTime { at: last.created_at, id: last.id.0 });
        assert_eq!(page.next, next, "limit {limit}");
    }
}

pub async fn a_walk_over_comments_shows_each_once_whatever_is_written_meanwhile(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, other) = (acme.add(acme.post()), acme.add(acme.post()));
    let dated = |n: i64| Comment { created_at: at(n % 3), ..acme.comment(&post) };
    acme.add_backwards((0..20).map(dated).collect());
    let acme = acme.import(&stage.ports).await;
    for limit in [2, 5, 19, 100] {
        let page = async |request| stage.ports.comments.page(acme.id(), post.id, request).await;
        let meanwhile = async || {
            // Not so many that the walk never catches up.
            let new =
                [at(-5), at(1)].map(|created_at| Comment { created_at, ..acme.comment(&post) });
            acme.append(&stage.ports, new.to_vec()).await;
            acme.append(&stage.ports, vec![acme.comment(&other)]).await;
        };
        let walked = walk_while(limit, page, meanwhile).await;
        assert!(
            acme.all::<Comment>().iter().all(|comment| walked.contains(comment)),
            "limit {limit}: none is skipped"
        );
        let keys = |comment: &Comment| (comment.created_at, comment.id);
        assert!(
            walked.is_sorted_by(|a, b| keys(a) < keys(b)),
            "limit {limit}: none is shown twice"
        );
        assert!(walked.iter().all(|comment| comment.feedback_post_id == post.id));
    }
}

pub async fn another_organizations_comments_are_as_unknown_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    let comment = acme.add(acme.comment(&post));
    acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    assert_eq!(stage.ports.comments.find(globex.id(), comment.id).await.unwrap(), None);
    assert_eq!(stage.ports.comments.find(globex.id(), fresh()).await.unwrap(), None);
    assert_eq!(listed(&stage, &globex, post.id).await, []);
    assert_eq!(listed(&stage, &globex, fresh()).await, []);
}
