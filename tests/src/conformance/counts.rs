//! `CountRepository`, and the counts that changes move.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::races::{answers, toggling};
use super::{Stage, applies, change, delete_organization, export_all, first_page, make, settled};
use crate::build::{Imported, OfKind, Tenant, Votable, at};
use crate::property::for_all;
use crate::system::{asked, patiently};
use futures_util::future::join_all;
use hearback_app::users::PatchUser;
use hearback_app::votes::{ToggleVote, toggle};
use hearback_app::write::Update;
use hearback_app::{companies, crud, feedback_posts, users};
use hearback_domain::attributes::AttributesPatch;
use hearback_domain::comment::Comment;
use hearback_domain::company::{Company, CompanyPatch};
use hearback_domain::daily_count::{Daily, DailyCounts, Day};
use hearback_domain::feedback_post::{FeedbackPost, Moderation, PostFilter, PostSort};
use hearback_domain::help_article::{ArticleAnswers, ArticleParent, HelpArticle};
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::{CompanyId, OrganizationId, UserId};
use hearback_domain::merge::MergeRequest;
use hearback_domain::missed_search::MissedSearch;
use hearback_domain::record::Step;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::spend::Spend;
use hearback_domain::text::ExternalId;
use hearback_domain::user::{User, UserPatch};
use hearback_domain::vote::{Target, Vote};
use hearback_domain::{Time, Uuid};
use hearback_ports::backlog::Task;
use hearback_ports::page::{Limit, PageRequest};
use hearback_ports::{Record, Recorded};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The active records of a kind.
fn active<R: OfKind>(all: &[Record]) -> Vec<R> {
    let active = all.iter().filter(|record| record.is_active());
    active.filter_map(R::of_record).cloned().collect()
}

fn count<T>(all: &[T], counts: impl Fn(&T) -> bool) -> i64 {
    all.iter().filter(|one| counts(one)).count() as i64
}

/// Asserts that each record has the count of the records that the store has.
async fn agree(stage: &Stage, acme: &Tenant) {
    let (ports, id) = (&stage.ports, acme.id());
    while patiently(|| ports.feedback_posts.move_votes()).await > 0 {}
    assert_eq!(ports.counts.miscounted(id).await.unwrap(), 0);
    let all = export_all(ports, id).await;
    let (votes, comments) = (active::<Vote>(&all), active::<Comment>(&all));
    let (articles, categories) = (active::<HelpArticle>(&all), active::<HelpCategory>(&all));
    for post in active::<FeedbackPost>(&all) {
        let found = ports.feedback_posts.find(id, post.id).await.unwrap().unwrap();
        let expected = (
            count(&votes, |vote| vote.target == post.target()),
            count(&comments, |comment| comment.feedback_post_id == post.id),
        );
        assert_eq!((found.vote_count, found.comment_count), expected);
    }
    spends_agree(stage, acme, &all).await;
    days_agree(stage, acme, &all).await;
    for post in active::<RoadmapPost>(&all) {
        let found = ports.roadmap_posts.find(id, post.id).await.unwrap().unwrap();
        assert_eq!(found.vote_count, count(&votes, |vote| vote.target == post.target()));
    }
    for one in active::<HelpCollection>(&all) {
        let found = ports.help_collections.find(id, one.id).await.unwrap().unwrap();
        assert_eq!(found.category_count, count(&categories, |it| it.collection_id == one.id));
    }
    for one in &categories {
        let found = ports.help_categories.find(id, one.id).await.unwrap().unwrap();
        let expected = count(&articles, |it| it.parent.category() == Some(one.id));
        assert_eq!(found.article_count, expected);
    }
}

/// Asserts that the stored numbers of days, once they are counted, are those of the records.
async fn days_agree(stage: &Stage, acme: &Tenant, all: &[Record]) {
    let counts = &stage.ports.counts;
    patiently(|| counts.refresh_days(acme.id())).await;
    assert_eq!(patiently(|| counts.refresh_days(acme.id())).await, 0);
    let (mut by_day, mut by_parent) = (BTreeMap::new(), BTreeMap::new());
    let mut add = |kind, parent: Uuid, at| {
        *by_day.entry((kind, Day::of(at))).or_insert(0) += 1;
        *by_parent.entry((kind, parent)).or_insert(0) += 1;
    };
    let (votes, comments) = (active::<Vote>(all), active::<Comment>(all));
    for post in active::<FeedbackPost>(all) {
        if post.merged_into_id.is_some() || post.moderation != Moderation::Accepted {
            continue;
        }
        add(Daily::Posts, post.board_id.0, post.created_at);
        add(Daily::Statuses, post.status_id.0, post.created_at);
        for vote in votes.iter().filter(|vote| vote.target == post.target()) {
            add(Daily::Votes, post.board_id.0, vote.created_at);
        }
        let accepted = comments.iter().filter(|it| it.moderation == Moderation::Accepted);
        for comment in accepted.filter(|it| it.feedback_post_id == post.id) {
            add(Daily::Comments, post.board_id.0, comment.created_at);
        }
    }
    let expected = DailyCounts {
        by_day: by_day.into_iter().map(|((kind, day), number)| (kind, day, number)).collect(),
        by_parent: by_parent.into_iter().map(|((kind, id), number)| (kind, id, number)).collect(),
    };
    let all = counts.days(acme.id(), Day::of(Time::MIN), Day::of(Time::MAX)).await.unwrap();
    assert_eq!(all, expected);
}

/// The spend on a post: of the companies of its voters, in hundredths.
pub(super) fn spend_on(
    post: &FeedbackPost,
    votes: &[Vote],
    users: &[User],
    companies: &[Company],
) -> i64 {
    let its: BTreeSet<UserId> =
        votes.iter().filter(|vote| vote.target == post.target()).map(|vote| vote.user_id).collect();
    let its: BTreeSet<CompanyId> = users
        .iter()
        .filter(|user| its.contains(&user.user_id))
        .filter_map(|user| user.company_id)
        .collect();
    let its = companies.iter().filter(|company| company.is_active && its.contains(&company.id));
    its.map(|company| company.monthly_spend.hundredths()).sum()
}

/// Sums the spend on all posts of an organization, and of no other: a round over all organizations
/// may find nothing to do because another test does it just then.
pub(super) async fn sum_spends(stage: &Stage, organization: OrganizationId) {
    while patiently(|| stage.ports.counts.sum_spends(organization, 100)).await > 0 {}
}

/// Asserts that each post has the spend of its voters' companies, before it is summed and after, and
/// that the sums order the posts.
async fn spends_agree(stage: &Stage, acme: &Tenant, all: &[Record]) {
    let (ports, id) = (&stage.ports, acme.id());
    let (votes, companies) = (active::<Vote>(all), active::<Company>(all));
    let users: Vec<User> = all.iter().filter_map(OfKind::of_record).cloned().collect();
    let spend = |post: &FeedbackPost| spend_on(post, &votes, &users, &companies);
    let mut expected: Vec<(i64, Uuid)> =
        active::<FeedbackPost>(all).iter().map(|post| (spend(post), post.id.0)).collect();
    expected.sort_unstable_by(|one, other| other.cmp(one));
    for _ in 0..2 {
        for (spend, post) in &expected {
            let found = ports.feedback_posts.find(id, (*post).into()).await.unwrap().unwrap();
            assert_eq!(found.monthly_spend.hundredths(), *spend);
        }
        sum_spends(stage, id).await;
    }
    let page = PageRequest { limit: Limit::new(Limit::MAX).unwrap(), ..first_page() };
    let page = ports.feedback_posts.page(id, PostFilter::default(), PostSort::Spend, page).await;
    let listed = page.unwrap().items;
    let listed: Vec<(i64, Uuid)> =
        listed.iter().map(|it| (it.monthly_spend.hundredths(), it.post.id.0)).collect();
    assert_eq!(listed, expected);
}

/// Edits a record.
async fn edit<R: OfKind>(stage: &Stage, acme: &Tenant, record: &R, rule: impl Fn(R) -> R) {
    let key = record.clone().into_record().key();
    let known = stage.ports.records.load(acme.id(), vec![key]).await.unwrap();
    let before = R::of_record(known.get(key).unwrap()).unwrap().clone();
    let step = Step::edit(before.clone(), rule(before), at(0));
    applies(stage, acme.id(), &change(vec![step], at(0)), Recorded::Done).await;
    agree(stage, acme).await;
}

pub async fn counts_move_with_each_kind_of_change(stage: Stage) {
    let mut acme = Tenant::new();
    let posts = [acme.add(acme.post()), acme.add(acme.post()), acme.add(acme.post())];
    let plan = acme.add(acme.roadmap_post());
    let users: Vec<User> = (0..5).map(|_| acme.add(acme.user())).collect();
    for user in &users[..3] {
        acme.add(acme.vote(user, &posts[0]));
        acme.add(acme.vote(user, &plan));
    }
    acme.add(acme.comment(&posts[1]));
    acme.add(Comment { is_active: false, ..acme.comment(&posts[1]) });
    let other = acme.add(acme.help_collection());
    let category = acme.add(acme.help_category());
    let article = HelpArticle { parent: ArticleParent::Category(category.id), ..acme.article() };
    let article = acme.add(article);
    let acme = acme.import(&stage.ports).await;
    agree(&stage, &acme).await;

    let toggled = async |user: &User, target: Target| {
        let input = ToggleVote { voter: user.user_id, target };
        asked(|| toggle(&stage.ports, acme.caller(), input, None)).await.unwrap();
        agree(&stage, &acme).await;
    };
    for user in [0, 4, 2] {
        toggled(&users[user], posts[0].target()).await;
        toggled(&users[user], plan.target()).await;
        toggled(&users[user], posts[1].target()).await;
    }
    let comment = acme.comment(&posts[0]);
    make(&stage, acme.id(), comment.clone()).await;
    agree(&stage, &acme).await;
    for is_active in [false, true] {
        edit(&stage, &acme, &comment, |it: Comment| Comment { is_active, ..it }).await;
    }
    make(&stage, acme.id(), acme.post()).await;
    for (source, target) in [(0, 1), (1, 2)] {
        let request = MergeRequest {
            source: posts[source].id,
            target: posts[target].id,
            merger: acme.author.user_id,
        };
        asked(|| feedback_posts::merge(&stage.ports, acme.caller(), request.into(), None))
            .await
            .unwrap();
        agree(&stage, &acme).await;
    }
    asked(|| crud::delete::<FeedbackPost>(&stage.ports, acme.caller(), posts[2].id, None))
        .await
        .unwrap();
    agree(&stage, &acme).await;

    let collection_id = other.id;
    edit(&stage, &acme, &category, |it| HelpCategory { collection_id, ..it }).await;
    let parent = ArticleParent::Collection(other.id);
    edit(&stage, &acme, &article, |it| HelpArticle { parent, ..it }).await;
    let more = HelpArticle { parent: ArticleParent::Category(category.id), ..acme.article() };
    make(&stage, acme.id(), more.clone()).await;
    agree(&stage, &acme).await;
    edit(&stage, &acme, &more, |it| HelpArticle { is_active: false, ..it }).await;
    edit(&stage, &acme, &category, |it| HelpCategory { is_active: false, ..it }).await;
}

pub async fn the_recent_votes_of_a_post_are_those_of_the_last_refresh(stage: Stage) {
    let mut acme = Tenant::new();
    let (popular, trending, quiet) =
        (acme.add(acme.post()), acme.add(acme.post()), acme.add(acme.post()));
    let users: Vec<User> = (0..4).map(|_| acme.add(acme.user())).collect();
    for (n, user) in users.iter().enumerate() {
        acme.add(Vote { created_at: at(0), ..acme.vote(user, &popular) });
        if n < 2 {
            acme.add(Vote { created_at: at(10), ..acme.vote(user, &trending) });
        }
    }
    acme.add(Vote { created_at: at(9), ..acme.vote(&users[0], &quiet) });
    let acme = acme.import(&stage.ports).await;
    let (ports, id) = (&stage.ports, acme.id());
    let order = async |since: i64, refreshed: u64| {
        let changed = patiently(|| ports.counts.refresh_trends(id, at(since))).await;
        assert_eq!(changed, refreshed);
        let filter = PostFilter::default();
        let page =
            ports.feedback_posts.page(id, filter, PostSort::Trending, first_page()).await.unwrap();
        page.items.into_iter().map(|details| details.post.id).collect::<Vec<_>>()
    };
    let by_votes = [popular.id, trending.id, quiet.id];
    assert_eq!(order(11, 0).await, by_votes);
    assert_eq!(order(10, 1).await, [trending.id, popular.id, quiet.id]);
    assert_eq!(order(9, 1).await, [trending.id, quiet.id, popular.id]);
    assert_eq!(order(0, 1).await, by_votes);
    assert_eq!(order(0, 0).await, by_votes);
    assert_eq!(order(11, 3).await, by_votes);
    assert_eq!(ports.counts.miscounted(acme.twin().id()).await.unwrap(), 0);
}

pub async fn the_numbers_of_days_stay_until_they_are_counted_anew(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, waiting) = (acme.add(acme.post()), acme.post());
    acme.add(FeedbackPost { moderation: Moderation::Pending, ..waiting });
    let days = ["1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z"];
    let users: Vec<User> = days.iter().map(|_| acme.add(acme.user())).collect();
    for (user, day) in users.iter().zip(days) {
        let created_at = Time::parse(day).unwrap();
        acme.add(Vote { created_at, ..acme.vote(user, &post) });
    }
    let acme = acme.import(&stage.ports).await;
    let (counts, id) = (&stage.ports.counts, acme.id());
    let votes = async |from: i64, until: i64| {
        let found = counts.days(id, Day(from), Day(until)).await.unwrap().by_day;
        let votes = found.into_iter().filter(|(kind, ..)| *kind == Daily::Votes);
        votes.map(|(_, Day(day), number)| (day, number)).collect::<Vec<_>>()
    };
    assert_eq!(votes(-1, 1).await, []);
    // Three days of votes, and the day of the accepted post on its board and in its status.
    assert_eq!(patiently(|| counts.refresh_days(id)).await, 5);
    assert_eq!(votes(-1, 1).await, [(-1, 1), (0, 1), (1, 1)]);
    assert_eq!(votes(0, 0).await, [(0, 1)]);
    assert_eq!(votes(1, 0).await, []);
    assert_eq!(patiently(|| counts.refresh_days(acme.twin().id())).await, 5);

    let gone = Step::edit(post.clone(), post.with_activity(false), at(1));
    attempt(&stage, &acme, gone).await;
    assert_eq!(votes(-1, 1).await.len(), 3);
    assert_eq!(patiently(|| counts.refresh_days(id)).await, 5);
    assert_eq!(votes(-1, 1).await, []);
}

/// Makes a step of a change, if it is possible.
async fn attempt(stage: &Stage, acme: &Tenant, step: Step) {
    let change = change(vec![step], at(0));
    let _ = settled(async || stage.ports.records.apply(acme.id(), change.clone()).await).await;
}

/// A step of a history: its kind, and the numbers of the records that it concerns.
type Event = (u8, usize, usize);

async fn happen(stage: &Stage, acme: &Imported, (kind, one, other): Event) {
    let (ports, caller) = (&stage.ports, acme.caller());
    let all = export_all(ports, acme.id()).await;
    let some = |n: usize, count: usize| n % count.max(1);
    let posts: Vec<FeedbackPost> = all.iter().filter_map(OfKind::of_record).cloned().collect();
    let plans = active::<RoadmapPost>(&all);
    let users = active::<User>(&all);
    let companies = active::<Company>(&all);
    let categories = active::<HelpCategory>(&all);
    let post = &posts[some(one, posts.len())];
    let user = &users[some(other, users.len())];
    match kind {
        0..4 => {
            let target = if kind == 3 { plans[0].target() } else { post.target() };
            let input = ToggleVote { voter: user.user_id, target };
            let _ = asked(|| toggle(ports, caller, input, None)).await;
        }
        4 => {
            attempt(stage, acme, Step::make(acme.comment(post))).await;
        }
        5 => {
            let comments = all.iter().filter_map(Comment::of_record).collect::<Vec<_>>();
            if let Some(comment) = comments.get(some(one, comments.len())) {
                let after = (*comment).clone().with_activity(!comment.is_active);
                attempt(stage, acme, Step::edit((*comment).clone(), after, at(0))).await;
            }
        }
        6 => {
            let target = posts[some(other, posts.len())].id;
            let request = MergeRequest { source: post.id, target, merger: acme.author.user_id };
            let _ = asked(|| feedback_posts::merge(ports, caller, request.into(), None)).await;
        }
        7 => {
            let after = post.clone().with_activity(!post.is_active);
            attempt(stage, acme, Step::edit(post.clone(), after, at(0))).await;
        }
        11 => {
            let spend = Spend::from_hundredths(100 * one as i64);
            let patch = company_patch(&companies[other % companies.len()], spend);
            asked(|| companies::upsert(ports, caller, patch.clone(), None)).await.unwrap();
        }
        12 => {
            let patch = UserPatch { leaves_company: one == 0, ..UserPatch::default() };
            let company = (one > 0).then(|| company_patch(&companies[one % companies.len()], None));
            let values = PatchUser { patch, company };
            let input = Update::new(user.user_id, values);
            let _ = asked(|| users::update(ports, caller, input.clone(), None)).await;
        }
        8 => {
            let made = acme.post();
            let voters = users[some(other, users.len())..].iter();
            let votes = voters.map(|user| acme.vote(user, &made).into_record());
            let comment = acme.comment(&made).into_record();
            let more = [made.clone().into_record(), comment].into_iter().chain(votes);
            acme.append(ports, more.collect()).await;
        }
        _ => {
            let category = &categories[some(one, categories.len())];
            let parent = ArticleParent::Category(category.id);
            let articles = active::<HelpArticle>(&all);
            match articles.get(other) {
                None => {
                    let article = HelpArticle { parent, ..acme.article() };
                    attempt(stage, acme, Step::make(article)).await;
                }
                Some(article) if kind == 9 => {
                    let after = HelpArticle { parent, ..article.clone() };
                    attempt(stage, acme, Step::edit(article.clone(), after, at(0))).await;
                }
                Some(article) => {
                    let after = article.clone().with_activity(false);
                    attempt(stage, acme, Step::edit(article.clone(), after, at(0))).await;
                }
            }
        }
    }
}

fn company_patch(company: &Company, monthly_spend: Option<Spend>) -> CompanyPatch {
    CompanyPatch {
        external_id: ExternalId::parse(&company.external_id).unwrap(),
        name: None,
        monthly_spend,
        customer_status: None,
        attributes: AttributesPatch::default(),
    }
}

pub async fn counts_are_true_after_any_history(stage: Stage) {
    let event = (0_u8..13, 0_usize..6, 0_usize..6);
    for_all(8, prop::collection::vec(event, 0..24), async |history| {
        let mut acme = Tenant::new();
        acme.add(acme.roadmap_post());
        let companies = [100, 2_050].map(|spend| {
            let monthly_spend = Spend::from_hundredths(spend).unwrap();
            acme.add(Company { monthly_spend, ..acme.company() })
        });
        for company in [Some(&companies[0]), Some(&companies[0]), Some(&companies[1]), None] {
            let company_id = company.map(|company| company.id);
            acme.add(User { company_id, ..acme.user() });
            acme.add(acme.post());
        }
        acme.add(acme.help_category());
        acme.add(acme.help_category());
        let acme = acme.import(&stage.ports).await;
        for event in history {
            happen(&stage, &acme, event).await;
        }
        agree(&stage, &acme).await;
    });
}

pub async fn votes_of_64_callers_at_once_on_one_post_all_count(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, target) = (acme.add(acme.post()), acme.add(acme.post()));
    let users: Vec<User> = (0..64).map(|_| acme.add(acme.user())).collect();
    for user in &users[..10] {
        acme.add(acme.vote(user, &post));
    }
    let acme = acme.import(&stage.ports).await;
    let toggles = |users: &[User]| {
        let input = |user: &User| ToggleVote { voter: user.user_id, target: post.target() };
        let toggle = |user| toggling(&stage.ports, acme.caller(), input(user));
        users.iter().map(toggle).collect::<Vec<_>>()
    };
    answers(toggles(&users)).await;
    agree(&stage, &acme).await;
    let found = stage.ports.feedback_posts.find(acme.id(), post.id).await.unwrap().unwrap();
    assert_eq!(found.vote_count, 54);

    // A merge comes between them.
    let tasks = toggles(&users[..32]);
    let request = MergeRequest { source: post.id, target: target.id, merger: acme.author.user_id };
    asked(|| feedback_posts::merge(&stage.ports, acme.caller(), request.into(), None))
        .await
        .unwrap();
    answers(tasks).await;
    agree(&stage, &acme).await;
}

/// Adds searches that have found nothing to a day that takes three different ones.
async fn miss(stage: &Stage, organization: OrganizationId, day: i64, all: &[(&str, i64)]) {
    let misses = all.iter().map(|(text, number)| (MissedSearch::new(text).unwrap(), *number));
    let misses: BTreeMap<_, _> = misses.collect();
    patiently(|| stage.ports.counts.add_misses(organization, Day(day), misses.clone(), 3)).await;
}

/// The searches that have found nothing, each as its words and its number.
async fn misses(
    stage: &Stage,
    organization: OrganizationId,
    (from, until): (i64, i64),
    limit: i64,
) -> Vec<String> {
    let counts = &stage.ports.counts;
    let found = patiently(|| counts.misses(organization, Day(from), Day(until), limit)).await;
    found.into_iter().map(|(words, number)| format!("{words} {number}")).collect()
}

pub async fn searches_add_up_by_day_up_to_the_most_of_a_day(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let id = acme.id();
    miss(&stage, id, 10, &[("VPN", 2), ("größe \u{1f4be}'", 1)]).await;
    // One more has room.
    miss(&stage, id, 10, &[("vpn", 1), ("a", 5), ("b", 7)]).await;
    miss(&stage, id, 11, &[("vpn", 1), ("b", 1)]).await;
    miss(&stage, id, -1, &[("before 1970", 1)]).await;
    miss(&stage, acme.twin().id(), 10, &[("twin", 1)]).await;
    let both = ["a 5", "vpn 4", "b 1", "größe \u{1f4be}' 1"];
    assert_eq!(misses(&stage, id, (10, 11), 9).await, both);
    assert_eq!(misses(&stage, id, (10, 11), 2).await, both[..2]);
    assert_eq!(misses(&stage, id, (11, 11), 9).await, ["b 1", "vpn 1"]);
    assert_eq!(misses(&stage, id, (-1, -1), 9).await, ["before 1970 1"]);
    assert_eq!(misses(&stage, id, (11, 10), 9).await, [""; 0]);
    delete_organization(&stage.ports, id).await;
    miss(&stage, id, 10, &[("vpn", 1)]).await;
    assert_eq!(misses(&stage, id, (10, 11), 9).await, [""; 0]);
}

pub async fn of_many_searches_at_once_no_more_are_kept_than_the_most_of_a_day(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (stage, id) = (&stage, acme.id());
    let all = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|text| async move {
        miss(stage, id, 10, &[(text, 1)]).await;
    });
    join_all(all).await;
    assert_eq!(misses(stage, id, (10, 10), 9).await.len(), 3);
}

pub async fn old_searches_are_removed_in_parts_the_oldest_first(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (counts, id) = (&stage.ports.counts, acme.id());
    miss(&stage, id, 12, &[("d", 1)]).await;
    miss(&stage, id, 10, &[("a", 1), ("b", 1)]).await;
    miss(&stage, id, 11, &[("c", 1)]).await;
    let is_due = async |now| {
        let organizations = stage.ports.backlog.organizations(Task::PruneMisses, now, None, 1_000);
        organizations.await.unwrap().contains(&id)
    };
    let (first, last) = (Day(10).start(), Day(12).start());
    assert!(!is_due(first).await && is_due(first.plus_millis(1)).await);
    let prune = async |before, limit| patiently(|| counts.prune_misses(id, before, limit)).await;
    assert_eq!(prune(first, 9).await, 0);
    let mut removed = 0;
    while removed < 2 {
        removed += prune(last, 1).await;
    }
    assert_eq!(misses(&stage, id, (0, 99), 9).await, ["c 1", "d 1"]);
    while removed < 3 {
        removed += prune(last, 9).await;
    }
    assert_eq!(misses(&stage, id, (0, 99), 9).await, ["d 1"]);
    assert!(!is_due(last).await);
}

pub async fn the_articles_that_have_answers_begin_with_the_least_helpful_one(stage: Stage) {
    let mut acme = Tenant::new();
    let mut article = |helpful, not_helpful, is_active| {
        let (helpful_count, not_helpful_count) = (helpful, not_helpful);
        let article = acme.article();
        acme.add(HelpArticle { helpful_count, not_helpful_count, is_active, ..article })
    };
    let [good, bad, worst] = [(3, 0), (9, 5), (1, 5)].map(|(yes, no)| article(yes, no, true));
    article(0, 0, true);
    article(0, 7, false);
    let acme = acme.import(&stage.ports).await;
    let answers = |it: HelpArticle| ArticleAnswers {
        id: it.id,
        title: it.title,
        helpful: it.helpful_count,
        not_helpful: it.not_helpful_count,
    };
    let expected = [worst, bad, good].map(answers);
    for limit in [9_usize, 2] {
        let counts = &stage.ports.counts;
        let found = patiently(|| counts.answers(acme.id(), limit as i64)).await;
        assert_eq!(found, expected[..limit.min(3)]);
    }
}
