//! `FeedbackPostRepository`, reading: `search` and `merge` are files of their own.

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{Stage, first_page, walk, walk_while};
use crate::build::{Imported, Tenant, at};
use crate::system::fresh;
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation, PostDetails, PostFilter};
use hearback_domain::fold::Folded;
use hearback_domain::id::{BoardId, StatusId};
use hearback_domain::status::Status;
use hearback_domain::tag::Tag;
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::page::{ByTime, PageRequest};
use hearback_ports::{Limit, StoreError};
use std::cmp::Reverse;

/// All posts that a filter lets through, of one page.
async fn listed(stage: &Stage, acme: &Tenant, filter: PostFilter) -> Vec<FeedbackPost> {
    let page = stage.ports.feedback_posts.page(acme.id(), filter, first_page()).await.unwrap();
    assert_eq!(page.next, None);
    page.items.into_iter().map(|details| details.post).collect()
}

fn newest_first(mut posts: Vec<FeedbackPost>) -> Vec<FeedbackPost> {
    posts.sort_by_key(|post| Reverse((post.created_at, post.id)));
    posts
}

fn on(board: BoardId) -> PostFilter {
    PostFilter { board_id: Some(board), ..PostFilter::default() }
}

fn with(status: StatusId) -> PostFilter {
    PostFilter { status_id: Some(status), ..PostFilter::default() }
}

/// An organization with posts of few different times, so that identifiers decide.
async fn crowd(stage: &Stage, posts: i64) -> Imported {
    let mut acme = Tenant::new();
    let dated = |n| FeedbackPost { created_at: at(n % 3), ..acme.post() };
    acme.add_backwards((0..posts).map(dated).collect());
    acme.import(&stage.ports).await
}

pub async fn a_post_is_found_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let category = acme.add(acme.category());
    let owner = acme.add(acme.user());
    let bare =
        acme.add(FeedbackPost { title: String::new(), description: String::new(), ..acme.post() });
    let rich = acme.add(FeedbackPost {
        title: "Größe 😀 \"quoted\" \\ \u{ffff}".to_owned(),
        owner_id: Some(owner.user_id),
        category_id: Some(category.id),
        eta: Some(Time::MAX),
        moderation: Moderation::Rejected,
        created_at: Time::MIN,
        updated_at: at(1),
        ..acme.post()
    });
    let acme = acme.import(&stage.ports).await;
    for post in [bare, rich] {
        let found = stage.ports.feedback_posts.find(acme.id(), post.id).await.unwrap();
        assert_eq!(found, Some(PostDetails { post, vote_count: 0, comment_count: 0 }));
    }
}

pub async fn a_post_shows_its_tags_in_the_order_given_deleted_ones_too(stage: Stage) {
    let mut acme = Tenant::new();
    let mut tags: Vec<_> =
        (0..12).map(|n| acme.add(Tag { is_active: n % 3 != 0, ..acme.tag() }).id).collect();
    tags.reverse();
    tags.swap(2, 7);
    let tagged = acme.add(FeedbackPost { tag_ids: tags.clone(), created_at: at(1), ..acme.post() });
    let other = acme.add(FeedbackPost {
        tag_ids: vec![tags[3], tags[9]],
        created_at: at(0),
        ..acme.post()
    });
    let acme = acme.import(&stage.ports).await;
    for post in [&tagged, &other] {
        let found = stage.ports.feedback_posts.find(acme.id(), post.id).await.unwrap().unwrap();
        assert_eq!(found.post.tag_ids, post.tag_ids);
    }
    assert_eq!(listed(&stage, &acme, PostFilter::default()).await, [tagged, other]);
}

pub async fn a_post_counts_its_votes_and_its_active_comments(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, quiet) = (acme.add(acme.post()), acme.add(acme.post()));
    for n in 0..3 {
        // The vote of somebody who left still counts.
        let voter = acme.add(User { is_active: n > 0, ..acme.user() });
        acme.add(acme.vote(&voter, &post));
    }
    let plan = acme.add(acme.roadmap_post());
    acme.add(acme.vote(&acme.author, &plan));
    for &moderation in Moderation::ALL {
        for &visibility in Visibility::ALL {
            acme.add(Comment { moderation, visibility, ..acme.comment(&post) });
            acme.add(Comment { moderation, visibility, is_active: false, ..acme.comment(&post) });
        }
    }
    let acme = acme.import(&stage.ports).await;
    let busy = PostDetails { post, vote_count: 3, comment_count: 8 };
    let quiet = PostDetails { post: quiet, vote_count: 0, comment_count: 0 };
    let page = stage
        .ports
        .feedback_posts
        .page(acme.id(), PostFilter::default(), first_page())
        .await
        .unwrap();
    assert_eq!(page.items, [quiet.clone(), busy.clone()]);
    for details in [busy, quiet] {
        assert_eq!(
            stage.ports.feedback_posts.find(acme.id(), details.post.id).await.unwrap(),
            Some(details)
        );
    }
}

pub async fn merged_and_unmoderated_posts_are_found_and_listed_inactive_ones_are_not(stage: Stage) {
    let mut acme = Tenant::new();
    let target = acme.add(acme.post());
    let merged = acme.add(FeedbackPost { merged_into_id: Some(target.id), ..acme.post() });
    let spam = acme.add(FeedbackPost { moderation: Moderation::Spam, ..acme.post() });
    let deleted = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    let acme = acme.import(&stage.ports).await;
    let found = async |id| {
        stage.ports.feedback_posts.find(acme.id(), id).await.unwrap().map(|details| details.post)
    };
    assert_eq!(found(merged.id).await, Some(merged.clone()));
    assert_eq!(found(spam.id).await, Some(spam.clone()));
    assert_eq!(found(deleted.id).await, None);
    assert_eq!(listed(&stage, &acme, PostFilter::default()).await, [spam, merged, target]);
}

pub async fn a_post_on_a_deleted_board_and_with_a_deleted_status_is_still_there(stage: Stage) {
    let mut acme = Tenant::new();
    let board = acme.add(FeedbackBoard { is_active: false, ..acme.board() });
    let status = acme.add(Status { is_active: false, ..acme.status() });
    let author = acme.add(User { is_active: false, ..acme.user() });
    let (board_id, status_id, author_id) = (board.id, status.id, author.user_id);
    let post = acme.add(FeedbackPost { board_id, status_id, author_id, ..acme.post() });
    let acme = acme.import(&stage.ports).await;
    let found = stage.ports.feedback_posts.find(acme.id(), post.id).await.unwrap();
    assert_eq!(found.map(|details| details.post), Some(post.clone()));
    assert_eq!(listed(&stage, &acme, PostFilter::default()).await, [post]);
}

pub async fn posts_are_listed_newest_first_and_of_one_time_by_id_descending(stage: Stage) {
    let mut acme = Tenant::new();
    let times = [Time::MIN, at(-1), at(0), at(0), at(0), at(1), Time::MAX, Time::MAX];
    let dated = |created_at| FeedbackPost { created_at, ..acme.post() };
    acme.add_backwards(times.map(dated).to_vec());
    let acme = acme.import(&stage.ports).await;
    assert_eq!(listed(&stage, &acme, PostFilter::default()).await, newest_first(acme.all()));
}

pub async fn a_list_of_posts_is_of_a_board_in_a_status_or_both(stage: Stage) {
    let mut acme = Tenant::new();
    let (board, status) = (acme.add(acme.board()), acme.add(acme.status()));
    for n in 0..12 {
        let board_id = if n % 2 == 0 { board.id } else { acme.board.id };
        let status_id = if n % 3 == 0 { status.id } else { acme.status.id };
        acme.add(FeedbackPost { board_id, status_id, created_at: at(n / 4), ..acme.post() });
    }
    let acme = acme.import(&stage.ports).await;
    let all = newest_first(acme.all());
    let only = |keep: &dyn Fn(&FeedbackPost) -> bool| {
        all.iter().filter(|post| keep(post)).cloned().collect::<Vec<_>>()
    };
    assert_eq!(listed(&stage, &acme, on(board.id)).await, only(&|post| post.board_id == board.id));
    assert_eq!(
        listed(&stage, &acme, with(status.id)).await,
        only(&|post| post.status_id == status.id)
    );
    let both = PostFilter { status_id: Some(status.id), ..on(board.id) };
    assert_eq!(
        listed(&stage, &acme, both).await,
        only(&|post| post.board_id == board.id && post.status_id == status.id)
    );
}

pub async fn a_filter_by_what_is_deleted_or_not_there_matches_nothing(stage: Stage) {
    let mut acme = Tenant::new();
    let board = acme.add(FeedbackBoard { is_active: false, ..acme.board() });
    let status = acme.add(Status { is_active: false, ..acme.status() });
    acme.add(FeedbackPost { board_id: board.id, ..acme.post() });
    acme.add(FeedbackPost { status_id: status.id, ..acme.post() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for filter in [
        on(board.id),
        with(status.id),
        on(fresh()),
        with(fresh()),
        on(globex.board.id),
        with(globex.status.id),
        PostFilter { status_id: Some(status.id), ..on(acme.board.id) },
        PostFilter { search: Some(Folded::new("dark")), ..on(board.id) },
        PostFilter { search: Some(Folded::new("dark")), ..with(status.id) },
        PostFilter { search: Some(Folded::new("dark")), ..on(fresh()) },
    ] {
        assert_eq!(listed(&stage, &acme, filter.clone()).await, [], "{filter:?}");
    }
}

pub async fn a_page_of_posts_tells_where_the_next_one_begins(stage: Stage) {
    let acme = crowd(&stage, 4).await;
    let all = newest_first(acme.all());
    for limit in 1..=5 {
        let limit = Limit::new(limit).unwrap();
        let request = PageRequest { after: None, limit };
        let page = stage
            .ports
            .feedback_posts
            .page(acme.id(), PostFilter::default(), request)
            .await
            .unwrap();
        let ids: Vec<_> = page.items.iter().map(|details| details.post.id).collect();
        let expected: Vec<_> = all.iter().take(limit.get()).map(|post| post.id).collect();
        assert_eq!(ids, expected, "{limit:?}");
        let last = &all[expected.len() - 1];
        let next = (limit.get() < 4).then_some(ByTime { at: last.created_at, id: last.id.0 });
        assert_eq!(page.next, next, "{limit:?}");
    }
}

pub async fn a_walk_over_posts_shows_each_once_whatever_is_written_meanwhile(stage: Stage) {
    let acme = crowd(&stage, 20).await;
    let (id, posts) = (acme.id(), &stage.ports.feedback_posts);
    for limit in [2, 5, 19, 100] {
        let page = async |request| posts.page(id, PostFilter::default(), request).await;
        // Before, between and behind the others.
        let meanwhile = async || {
            let new =
                [at(-5), at(1), at(5)].map(|created_at| FeedbackPost { created_at, ..acme.post() });
            acme.append(&stage.ports, new.to_vec()).await;
        };
        let walked = walk_while(limit, page, meanwhile).await;
        let mut ids: Vec<_> = walked.iter().map(|details| details.post.id).collect();
        let first = acme.all::<FeedbackPost>();
        assert!(first.iter().all(|post| ids.contains(&post.id)), "limit {limit}: none is skipped");
        assert!(
            walked.is_sorted_by_key(|details| Reverse((details.post.created_at, details.post.id)))
        );
        ids.sort();
        assert!(ids.is_sorted_by(|a, b| a < b), "limit {limit}: none is shown twice");
    }
}

pub async fn a_page_of_posts_begins_behind_a_place_where_no_post_is(stage: Stage) {
    let acme = crowd(&stage, 9).await;
    let all = newest_first(acme.all());
    let places = [
        (at(1), fresh()),
        (at(1), hearback_domain::Uuid::nil()),
        (Time::MAX, fresh()),
        (Time::MIN, fresh()),
    ];
    for (at, id) in places {
        let request = PageRequest { after: Some(ByTime { at, id }), ..first_page() };
        let page = stage
            .ports
            .feedback_posts
            .page(acme.id(), PostFilter::default(), request)
            .await
            .unwrap();
        let items: Vec<_> = page.items.into_iter().map(|details| details.post).collect();
        let expected: Vec<_> =
            all.iter().filter(|post| (post.created_at, post.id.0) < (at, id)).cloned().collect();
        assert_eq!(items, expected, "behind {at} {id}");
    }
}

pub async fn a_walk_over_filtered_posts_shows_each_once(stage: Stage) {
    let mut acme = Tenant::new();
    let (board, status) = (acme.add(acme.board()), acme.add(acme.status()));
    for n in 0..30 {
        let board_id = if n % 2 == 0 { board.id } else { acme.board.id };
        let status_id = if n % 3 == 0 { status.id } else { acme.status.id };
        acme.add(FeedbackPost { board_id, status_id, created_at: at(n % 4), ..acme.post() });
    }
    let acme = acme.import(&stage.ports).await;
    let both = PostFilter { status_id: Some(status.id), ..on(board.id) };
    let searched = PostFilter { search: Some(Folded::new("dark")), ..both.clone() };
    for filter in [on(board.id), with(status.id), both, searched] {
        let page = async |request| {
            stage.ports.feedback_posts.page(acme.id(), filter.clone(), request).await
        };
        let walked =
            walk(2, page).await.into_iter().map(|details| details.post).collect::<Vec<_>>();
        let fits = |post: &FeedbackPost| {
            filter.board_id.is_none_or(|id| post.board_id == id)
                && filter.status_id.is_none_or(|id| post.status_id == id)
        };
        let expected = newest_first(acme.all::<FeedbackPost>().into_iter().filter(fits).collect());
        assert_eq!(walked, expected, "{filter:?}");
    }
}

pub async fn another_organizations_posts_are_as_unknown_ones(stage: Stage) {
    let acme = crowd(&stage, 3).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for post in acme.all::<FeedbackPost>() {
        assert_eq!(stage.ports.feedback_posts.find(globex.id(), post.id).await.unwrap(), None);
    }
    assert_eq!(stage.ports.feedback_posts.find(globex.id(), fresh()).await.unwrap(), None);
    assert_eq!(listed(&stage, &globex, PostFilter::default()).await, []);
    assert_eq!(listed(&stage, &globex, on(acme.board.id)).await, []);
    let nowhere =
        stage.ports.feedback_posts.page(fresh(), PostFilter::default(), first_page()).await;
    assert!(
        matches!(nowhere, Ok::<_, StoreError>(page) if page.items.is_empty() && page.next.is_none())
    );
}
