//! Tests of the rules for visitors, without a store.

use super::*;
use crate::mail::letter::tests::acme;
use crate::write::tests::{id, post};
use crate::{Denied, Error};
use hearback_domain::access::{Access, Guests};
use hearback_domain::draft::Draft;
use hearback_domain::feedback_board::BoardDraft;
use hearback_domain::feedback_post::{FeedbackPost, Moderation, PostDetails, PostSort};
use hearback_domain::id::{BoardId, PostId};
use hearback_domain::person::{Email, Handle};
use hearback_domain::session::{Factor, TokenDigest, Way};
use hearback_domain::spend::Spend;
use hearback_domain::subscription::Level;
use hearback_domain::text::{Content, LongText, Title};
use hearback_domain::vote::Target;
use hearback_domain::{Time, Uuid};
use hearback_ports::mock::Mocks;
use hearback_ports::page::{Page, PageRequest};
use hearback_ports::{Limit, Recorded, StoreError};
use std::sync::mpsc;
use std::time::Duration;

fn board(number: u128, access: Access) -> FeedbackBoard {
    let draft = BoardDraft { access, ..BoardDraft::usual() };
    let slug = Slug::parse(&format!("board-{number}")).unwrap();
    draft.create(id(number), slug, Time::MIN)
}

pub(crate) fn user(number: u128, portal_role: &str) -> User {
    let email = Email::parse("ada@example.com").unwrap();
    let user = Handle::Email(email).user(None, id(number), id(number), Time::MIN);
    User { portal_role: portal_role.to_owned(), ..user }
}

pub(crate) fn visit(boards: Vec<FeedbackBoard>, user: Option<User>) -> Visit {
    let frame = Frame {
        organization: acme(),
        boards,
        roadmap_boards: vec![],
        statuses: vec![],
        categories: vec![],
        tags: vec![],
        labels: vec![],
        has_mail_trouble: false,
    };
    let session = |user: &User| Session {
        digest: TokenDigest([7; 32]),
        user_id: user.user_id,
        agent: String::new(),
        way: Way::Mail,
        factor: Factor::None,
        created_at: Time::MIN,
        seen_at: Time::MIN,
        expires_at: Time::MAX,
    };
    let signed_in = user.map(|user| (session(&user), user));
    Visit { frame: Arc::new(frame), signed_in, guest: None, next_step: None }
}

fn details(post: FeedbackPost) -> PostDetails {
    PostDetails {
        post,
        vote_count: 1,
        comment_count: 0,
        monthly_spend: Spend::default(),
        roadmap_post_ids: vec![],
    }
}

/// A post of user 5 on board 4.
fn of_ada(moderation: Moderation) -> FeedbackPost {
    FeedbackPost { moderation, ..post() }
}

/// Mocks with a post that is found by its slug and by its identifier.
fn storing(post: FeedbackPost) -> Mocks {
    let mut mocks = Mocks::default();
    let named = (post.slug.key(), post.id.0);
    mocks.records.expect_named().returning(move |_, _, _, _| Ok(vec![named.clone()]));
    let details = details(post);
    mocks.feedback_posts.expect_find().returning(move |_, _| Ok(Some(details.clone())));
    mocks
}

const FIRST: PageRequest<hearback_ports::page::ByPost> =
    PageRequest { after: None, limit: Limit::DEFAULT };

#[tokio::test]
async fn a_list_has_the_boards_that_the_visitor_sees() {
    let boards = vec![board(4, Access::Public), board(5, Access::SignedIn), board(6, Access::Team)];
    for (who, seen) in [
        (None, Some(vec![id(4)])),
        (Some(user(1, "end_user")), Some(vec![id(4), id(5)])),
        // Who sees all boards needs no condition.
        (Some(user(1, "viewer")), None),
    ] {
        let mut mocks = Mocks::default();
        mocks
            .feedback_posts
            .expect_page()
            .once()
            .withf(move |_, filter, _, _| {
                let visitor = matches!(filter.audience, Audience::Visitor(_));
                let board_ids: Option<Vec<BoardId>> = seen.clone();
                visitor && filter.is_merged == Some(false) && filter.board_ids == board_ids
            })
            .returning(|_, _, _, _| Ok(Page { items: vec![], next: None }));
        let visit = visit(boards.clone(), who);
        let query = PostsQuery::default();
        assert!(posts(&mocks.ports(), &visit, query, PostSort::Votes, FIRST).await.is_ok());
    }
}

#[tokio::test]
async fn a_list_of_a_board_that_the_visitor_does_not_see_is_empty_without_a_look_up() {
    let visit = visit(vec![board(6, Access::Team)], Some(user(1, "end_user")));
    for board in [None, Some(id(6))] {
        let query = PostsQuery { board, ..PostsQuery::default() };
        let page = posts(&Mocks::default().ports(), &visit, query, PostSort::Votes, FIRST).await;
        assert_eq!(page.unwrap().items, []);
    }
}

fn is_gone<T>(result: Result<T, Error>) -> bool {
    matches!(result, Err(Error::NotFound(_)))
}

fn needs_to_sign_in<T>(result: Result<T, Error>) -> bool {
    matches!(result, Err(Error::Denied(Denied::NotSignedIn)))
}

#[tokio::test]
async fn a_post_is_gone_for_those_who_do_not_see_it() {
    use Moderation::{Accepted, Pending, Rejected};
    let author = post().author_id.0.as_u128();
    for (moderation, access, who, is_seen) in [
        (Accepted, Access::Public, None, true),
        (Accepted, Access::Team, None, false),
        (Accepted, Access::Team, Some(user(1, "viewer")), true),
        (Pending, Access::Public, None, false),
        (Pending, Access::Public, Some(user(1, "end_user")), false),
        (Pending, Access::Public, Some(user(author, "end_user")), true),
        (Pending, Access::Public, Some(user(1, "member")), true),
        (Rejected, Access::Public, Some(user(author, "end_user")), false),
        (Rejected, Access::Public, Some(user(1, "owner")), true),
    ] {
        let ports = storing(of_ada(moderation)).ports();
        let said = format!("{moderation:?} {access:?} {who:?}");
        let visit = visit(vec![board(4, access)], who);
        let found = feedback::find(&ports, &visit, post().slug.as_str()).await;
        assert_eq!(found.is_ok(), is_seen, "{said}");
        assert_eq!(is_gone(found), !is_seen, "{said}");
    }
}

#[tokio::test]
async fn visitors_who_have_not_signed_in_change_nothing() {
    let guest = || Some(User::guest(id(6), id(7), Time::MIN));
    for (guests, guest) in [(Guests::None, None), (Guests::None, guest()), (Guests::Email, guest())]
    {
        let ports = storing(of_ada(Moderation::Accepted)).ports();
        let board = FeedbackBoard { guests, ..board(4, Access::Public) };
        let visit = Visit { guest, ..visit(vec![board], None) };
        let draft = DraftPost {
            board: id(4),
            title: Title::parse("x").unwrap(),
            description: LongText::default(),
            category: None,
        };
        let content = Content::parse("x").unwrap();
        let (slug, target) = (post().slug, Target::Feedback(post().id));
        let slug = slug.as_str();
        assert!(needs_to_sign_in(vote(&ports, &visit, target, true).await));
        assert!(needs_to_sign_in(submit(&ports, &visit, draft.clone(), None).await));
        assert!(needs_to_sign_in(edit_post(&ports, &visit, slug, draft).await));
        assert!(needs_to_sign_in(delete_post(&ports, &visit, slug).await));
        let of = DraftComment { content: content.clone(), parent: None };
        assert!(needs_to_sign_in(comment(&ports, &visit, slug, of, None).await));
        assert!(needs_to_sign_in(follow(&ports, &visit, slug, Some(Level::All)).await));
        assert!(needs_to_sign_in(save_account(&ports, &visit, AccountPatch::default()).await));
    }
    let (ports, visit) = (Mocks::default().ports(), visit(vec![], None));
    let content = Content::parse("x").unwrap();
    assert!(needs_to_sign_in(edit_comment(&ports, &visit, id(1), content).await));
    assert!(needs_to_sign_in(delete_comment(&ports, &visit, id(1)).await));
}

#[tokio::test]
async fn the_post_of_somebody_else_is_not_changed() {
    let visit = visit(vec![board(4, Access::Public)], Some(user(1, "owner")));
    let slug = post().slug;
    let draft = DraftPost {
        board: id(4),
        title: Title::parse("x").unwrap(),
        description: LongText::default(),
        category: None,
    };
    let ports = || storing(of_ada(Moderation::Accepted)).ports();
    assert!(is_gone(edit_post(&ports(), &visit, slug.as_str(), draft).await));
    assert!(is_gone(delete_post(&ports(), &visit, slug.as_str()).await));
}

#[tokio::test]
async fn a_post_that_others_have_taken_up_is_not_deleted_by_its_author() {
    let author = user(post().author_id.0.as_u128(), "end_user");
    let visit = visit(vec![board(4, Access::Public)], Some(author));
    let mut mocks = Mocks::default();
    let named = (post().slug.key(), post().id.0);
    mocks.records.expect_named().returning(move |_, _, _, _| Ok(vec![named.clone()]));
    let taken_up = PostDetails { vote_count: 2, ..details(post()) };
    mocks.feedback_posts.expect_find().returning(move |_, _| Ok(Some(taken_up.clone())));
    assert!(is_gone(delete_post(&mocks.ports(), &visit, post().slug.as_str()).await));
}

#[tokio::test]
async fn a_vote_on_a_post_that_the_visitor_does_not_see_is_not_counted() {
    let visit = visit(vec![board(4, Access::Team)], Some(user(1, "end_user")));
    let target = Target::Feedback(PostId(post().id.0));
    let ports = storing(of_ada(Moderation::Accepted)).ports();
    assert!(is_gone(vote(&ports, &visit, target, true).await));
}

/// Expects the look-ups of the lists of frames, which are empty.
fn expect_lists(mocks: &mut Mocks) {
    mocks.whole_lists.expect_feedback_boards().returning(|_| Ok(vec![]));
    mocks.whole_lists.expect_roadmap_boards().returning(|_| Ok(vec![]));
    mocks.whole_lists.expect_statuses().returning(|_| Ok(vec![]));
    mocks.whole_lists.expect_categories().returning(|_| Ok(vec![]));
    mocks.whole_lists.expect_tags().returning(|_| Ok(vec![]));
    mocks.labels.expect_page().returning(|_, _| Ok(Page { items: vec![], next: None }));
    mocks.notices.expect_trouble().returning(|_| Ok(None));
}

#[tokio::test]
async fn a_frame_is_kept_for_half_a_second() {
    let mut mocks = Mocks::default();
    // A look-up reads the clock twice.
    let mut times = [0, 0, 499, 500, 500].map(Duration::from_millis).into_iter();
    mocks.clock.expect_elapsed().returning_st(move || times.next().unwrap());
    mocks.organizations.expect_find_by_slug().times(2).returning(|_| Ok(Some(acme())));
    expect_lists(&mut mocks);
    let frames = Frames::new(&mocks.ports());
    for _ in 0..3 {
        let frame = frames.at(Site::Slug("acme".to_owned())).await.unwrap().unwrap();
        assert_eq!(frame.organization, acme());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_at_once_look_a_frame_up_once() {
    let mut mocks = Mocks::default();
    let (asked, asking) = mpsc::channel();
    mocks.clock.expect_elapsed().returning(move || {
        asked.send(()).unwrap();
        Duration::ZERO
    });
    // The first request has read the clock twice then, and the second one once.
    mocks.organizations.expect_find_by_slug().once().return_once(move |_| {
        asking.iter().take(3).for_each(drop);
        Ok(Some(acme()))
    });
    expect_lists(&mut mocks);
    let frames = Arc::new(Frames::new(&mocks.ports()));
    let ask = || {
        let frames = Arc::clone(&frames);
        tokio::spawn(async move { frames.at(Site::Slug("acme".to_owned())).await })
    };
    let (first, second) = tokio::try_join!(ask(), ask()).unwrap();
    assert_eq!(first.unwrap().unwrap().organization, acme());
    assert_eq!(second.unwrap().unwrap().organization, acme());
}

#[tokio::test]
async fn a_former_frame_is_there_until_its_organization_is_not() {
    let mut mocks = Mocks::default();
    let mut times = [0, 0, 1000, 1000, 2000, 2000].map(Duration::from_millis).into_iter();
    mocks.clock.expect_elapsed().returning_st(move || times.next().unwrap());
    let unreachable =
        || StoreError::Unreachable { doing: "reading", source: "no connection".into() };
    let mut found = [Ok(Some(acme())), Err(unreachable()), Ok(None)].into_iter();
    mocks.organizations.expect_find_by_slug().returning_st(move |_| found.next().unwrap());
    expect_lists(&mut mocks);
    let (frames, site) = (Frames::new(&mocks.ports()), Site::Slug("acme".to_owned()));
    assert_eq!(frames.former(&site), None);
    let frame = frames.at(site.clone()).await.unwrap();
    assert!(frames.at(site.clone()).await.is_err());
    assert_eq!(frames.former(&site), frame);
    assert_eq!(frames.at(site.clone()).await.unwrap(), None);
    assert_eq!(frames.former(&site), None);
}

/// Expects an entry of the audit log about user 5.
pub(crate) fn audited(mocks: &mut Mocks, data: &'static str) {
    mocks.records.expect_apply().once().returning(move |_, change| {
        let [entry] = &change.audit[..] else { panic!("{change:?}") };
        assert_eq!(entry.target, (Kind::User, Uuid::from_u128(5)));
        assert_eq!(entry.data, data);
        Ok(Recorded::Done)
    });
}
