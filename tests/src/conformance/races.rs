//! Concurrent use cases: the final state agrees with all results.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, delete_organization, export_all, first_page, inventory, write_some};
use crate::build::{Imported, OfKind, Tenant, Votable, at};
use crate::deliveries::pending;
use crate::system::{asked, fresh};
use futures_util::future::join_all;
use hearback_app::effects::Tried;
use hearback_app::votes::{ToggleVote, toggle};
use hearback_app::write::Update;
use hearback_app::{Caller, Error, Missing, Outcome, Precondition, Repeat, crud, feedback_posts};
use hearback_domain::changelog_entry::{ChangelogEntry, EntryDraft, Launch};
use hearback_domain::event::EventType;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_article::{
    ArticleDraft, ArticleFilter, ArticleParent, ArticleSort, ArticleStatus, HelpArticle,
};
use hearback_domain::help_category::{CategoryDraft, CategoryPatch, HelpCategory};
use hearback_domain::id::{HelpCollectionId, PostId, UserId};
use hearback_domain::merge::{MergeRecord, MergeRequest};
use hearback_domain::position::Position;
use hearback_domain::record::Kind;
use hearback_domain::text::{Name, Title};
use hearback_domain::user::User;
use hearback_domain::vote::{OpenPost, Target, Vote};
use hearback_ports::mail_queue::Written;
use hearback_ports::{IdempotencyKey, Lease, Ports, WriteResult};
use std::collections::{BTreeMap, BTreeSet};
use tokio::task::JoinHandle;

/// Toggles a vote in a task. The task returns whether the vote exists afterwards.
pub(super) fn toggling(ports: &Ports, caller: Caller, input: ToggleVote) -> JoinHandle<bool> {
    let ports = ports.clone();
    tokio::spawn(async move {
        match asked(|| toggle(&ports, caller, input, None)).await.unwrap().answer() {
            WriteResult::Voted(voted) => voted,
            other => panic!("a toggle returned {other:?}"),
        }
    })
}

/// Merges two posts in a task. The task returns whether the merge was done. It panics on any error
/// but [`Precondition::CannotMerge`].
fn merging(ports: &Ports, caller: Caller, request: MergeRequest) -> JoinHandle<bool> {
    let ports = ports.clone();
    tokio::spawn(async move {
        match asked(|| feedback_posts::merge(&ports, caller, request.into(), None)).await {
            Ok(tried) => tried == Tried::Did(Outcome::Fresh(WriteResult::Success)),
            Err(Error::Refused(Precondition::CannotMerge)) => false,
            Err(error) => panic!("{error:?}"),
        }
    })
}

/// The results of the tasks, in their order.
pub(super) async fn answers<T>(tasks: Vec<JoinHandle<T>>) -> Vec<T> {
    join_all(tasks).await.into_iter().map(Result::unwrap).collect()
}

pub(super) fn count(answers: &[bool], which: bool) -> usize {
    answers.iter().filter(|&&answer| answer == which).count()
}

/// The voters on a post. Asserts that no user has two votes.
async fn voters(stage: &Stage, acme: &Tenant, post: PostId) -> BTreeSet<UserId> {
    let page =
        stage.ports.votes.voters(acme.id(), Target::Feedback(post), first_page()).await.unwrap();
    assert_eq!(page.next, None);
    let users: BTreeSet<UserId> = page.items.iter().map(|voter| voter.user_id).collect();
    assert_eq!(users.len(), page.items.len());
    users
}

/// The numbers of created and of deleted votes, by the events. Asserts that no vote was created or
/// deleted twice.
async fn told(stage: &Stage, acme: &Tenant) -> (usize, usize) {
    let events = stage.ports.events.list(acme.id(), None, 10_000).await.unwrap();
    let of = |event_type| {
        let events: Vec<_> = events.iter().filter(|event| event.event_type == event_type).collect();
        let id = |data: &str| data.split(',').next().unwrap().to_owned();
        let votes: BTreeSet<String> = events.iter().map(|event| id(&event.data)).collect();
        assert_eq!(votes.len(), events.len(), "no vote is created or deleted twice");
        votes
    };
    let (created, deleted) = (of(EventType::VoteCreated), of(EventType::VoteDeleted));
    assert_eq!(pending(stage, acme.id()).await.len(), events.len());
    (created.len(), deleted.len())
}

/// The post that a vote on `post` counts on.
async fn counts_on(stage: &Stage, acme: &Tenant, post: PostId) -> PostId {
    let ballot = stage
        .ports
        .votes
        .ballot(acme.id(), Target::Feedback(post), acme.author.user_id)
        .await
        .unwrap();
    match ballot.post {
        Some(OpenPost::Feedback { id, .. }) => id,
        other => panic!("{other:?} is not a feedback post"),
    }
}

/// Every ordered pair of different posts.
fn pairs(posts: &[FeedbackPost], merger: UserId) -> Vec<MergeRequest> {
    let of = |source: &FeedbackPost| {
        let (source, others) = (source.id, posts.iter().map(|post| post.id));
        others.filter(move |&target| target != source).map(move |target| MergeRequest {
            source,
            target,
            merger,
        })
    };
    posts.iter().flat_map(of).collect()
}

/// An organization with a subscription to all events, with posts and users.
pub(super) fn crowded(posts: usize, users: usize) -> (Tenant, Vec<FeedbackPost>, Vec<User>) {
    let mut acme = Tenant::new();
    acme.add(acme.subscription());
    let posts = (0..posts).map(|_| acme.add(acme.post())).collect();
    let users = (0..users).map(|_| acme.add(acme.user())).collect();
    (acme, posts, users)
}

pub async fn of_64_toggles_of_one_vote_at_once_half_cast_and_half_withdraw(stage: Stage) {
    let (mut acme, posts, users) = crowded(2, 1);
    let voted = acme.add(acme.vote(&users[0], &posts[1]));
    let acme = acme.import(&stage.ports).await;
    for (round, post) in posts.iter().enumerate() {
        let before = voters(&stage, &acme, post.id).await;
        assert_eq!(
            before.len(),
            round,
            "there is no vote on the first post, and one on the second"
        );
        let input = ToggleVote { voter: users[0].user_id, target: post.target() };
        let answers =
            answers((0..64).map(|_| toggling(&stage.ports, acme.caller(), input)).collect()).await;
        assert_eq!((count(&answers, true), count(&answers, false)), (32, 32));
        assert_eq!(voters(&stage, &acme, post.id).await, before);
        assert_eq!(told(&stage, &acme).await, (32 * (round + 1), 32 * (round + 1)));
    }
    let left: Vec<Vote> = export_all(&stage.ports, acme.id())
        .await
        .iter()
        .filter_map(Vote::of_record)
        .cloned()
        .collect();
    assert_eq!(left.len(), 1);
    assert_ne!(left[0].id, voted.id, "each new vote has a new identifier");
}

pub async fn of_64_toggles_of_one_roadmap_vote_at_once_half_cast_and_half_withdraw(stage: Stage) {
    let (mut acme, _, users) = crowded(0, 1);
    let plan = acme.add(acme.roadmap_post());
    let acme = acme.import(&stage.ports).await;
    let input = ToggleVote { voter: users[0].user_id, target: plan.target() };
    let answers =
        answers((0..64).map(|_| toggling(&stage.ports, acme.caller(), input)).collect()).await;
    assert_eq!((count(&answers, true), count(&answers, false)), (32, 32));
    let page = stage.ports.votes.voters(acme.id(), plan.target(), first_page()).await.unwrap();
    assert_eq!(page.items, []);
    assert_eq!(told(&stage, &acme).await, (0, 0));
}

pub async fn the_votes_of_64_users_on_one_post_at_once_all_count(stage: Stage) {
    let (acme, posts, users) = crowded(1, 64);
    let acme = acme.import(&stage.ports).await;
    let input = |user: &User| ToggleVote { voter: user.user_id, target: posts[0].target() };
    let answers = answers(
        users.iter().map(|user| toggling(&stage.ports, acme.caller(), input(user))).collect(),
    )
    .await;
    assert_eq!(count(&answers, true), 64);
    assert_eq!(
        voters(&stage, &acme, posts[0].id).await,
        users.iter().map(|user| user.user_id).collect()
    );
    assert_eq!(told(&stage, &acme).await, (64, 0));
}

pub async fn a_toggle_that_is_repeated_under_one_key_is_done_once(stage: Stage) {
    let (acme, posts, users) = crowded(1, 1);
    let acme = acme.import(&stage.ports).await;
    let input = ToggleVote { voter: users[0].user_id, target: posts[0].target() };
    let repeat = Repeat {
        path: "/votes/toggle",
        key: IdempotencyKey::parse("once").unwrap(),
        body: [3; 32],
    };
    let twin = |_| {
        let (ports, caller, repeat) = (stage.ports.clone(), acme.caller(), repeat.clone());
        tokio::spawn(async move {
            asked(|| toggle(&ports, caller, input, Some(repeat.clone()))).await.unwrap()
        })
    };
    let outcomes = answers((0..32).map(twin).collect()).await;
    let fresh = outcomes
        .iter()
        .filter(|outcome| **outcome == Outcome::Fresh(WriteResult::Voted(true)))
        .count();
    let replayed = outcomes
        .iter()
        .filter(|outcome| **outcome == Outcome::Replayed(WriteResult::Voted(true)))
        .count();
    assert_eq!((fresh, replayed), (1, 31));
    assert_eq!(voters(&stage, &acme, posts[0].id).await.len(), 1);
    assert_eq!(told(&stage, &acme).await, (1, 0));
}

pub async fn twelve_posts_merged_into_each_other_at_once_become_one(stage: Stage) {
    let (mut acme, posts, users) = crowded(12, 30);
    // Each user has votes on two posts, so that merges drop second votes.
    for (n, user) in users.iter().enumerate() {
        for post in [&posts[n % 12], &posts[(n * 5 + 1) % 12]] {
            acme.add(acme.vote(user, post));
        }
    }
    let acme = acme.import(&stage.ports).await;
    let requests = pairs(&posts, acme.author.user_id);
    assert_eq!(requests.len(), 132);
    let answers = answers(
        requests.into_iter().map(|request| merging(&stage.ports, acme.caller(), request)).collect(),
    )
    .await;
    assert_eq!(count(&answers, true), 11);
    let survivor = counts_on(&stage, &acme, posts[0].id).await;
    is_what_all_were_merged_into(&stage, &acme, survivor).await;
    assert_eq!(
        voters(&stage, &acme, survivor).await,
        users.iter().map(|user| user.user_id).collect()
    );
    assert_eq!(told(&stage, &acme).await, (0, 0));
}

pub async fn two_posts_merged_into_each_other_at_once_make_no_circle(stage: Stage) {
    let (acme, posts, _) = crowded(20, 0);
    let acme = acme.import(&stage.ports).await;
    let merger = acme.author.user_id;
    for pair in posts.chunks(2) {
        let both = pairs(pair, merger)
            .into_iter()
            .map(|request| merging(&stage.ports, acme.caller(), request));
        assert_eq!(count(&answers(both.collect()).await, true), 1);
        let survivor = counts_on(&stage, &acme, pair[0].id).await;
        assert_eq!(counts_on(&stage, &acme, pair[1].id).await, survivor);
    }
}

pub async fn votes_that_are_cast_while_their_post_is_merged_go_along(stage: Stage) {
    // Each pair of posts is another chance of a race between a vote and the merge.
    let (acme, posts, users) = crowded(100, 8);
    let acme = acme.import(&stage.ports).await;
    let merger = acme.author.user_id;
    for pair in posts.chunks(2) {
        let input = |user: &User| ToggleVote { voter: user.user_id, target: pair[0].target() };
        let mut voting: Vec<_> =
            users.iter().map(|user| toggling(&stage.ports, acme.caller(), input(user))).collect();
        let request = MergeRequest { source: pair[0].id, target: pair[1].id, merger };
        voting.insert(0, merging(&stage.ports, acme.caller(), request));
        assert_eq!(count(&answers(voting).await, true), 1 + users.len());
        assert_eq!(
            voters(&stage, &acme, pair[1].id).await,
            users.iter().map(|user| user.user_id).collect()
        );
    }
}

pub async fn toggles_and_merges_of_the_same_posts_at_once_lose_no_vote(stage: Stage) {
    let (acme, posts, users) = crowded(8, 48);
    let acme = acme.import(&stage.ports).await;
    // Each user toggles the vote on one post several times. The task returns the results in their
    // order.
    let voting = |(n, user): (usize, &User)| {
        let (ports, caller) = (stage.ports.clone(), acme.caller());
        let input = ToggleVote { voter: user.user_id, target: posts[n % posts.len()].target() };
        tokio::spawn(async move {
            let mut told = Vec::new();
            for _ in 0..3 + n % 2 {
                told.push(toggling(&ports, caller, input).await.unwrap());
            }
            (input.voter, told)
        })
    };
    let voting: Vec<_> = users.iter().enumerate().map(voting).collect();
    // Meanwhile, neighboring posts are merged, and finally all pairs of posts.
    let merger = acme.author.user_id;
    let mut merges = 0;
    for pair in posts.windows(2) {
        merges += count(
            &answers(
                pairs(pair, merger)
                    .into_iter()
                    .map(|request| merging(&stage.ports, acme.caller(), request))
                    .collect(),
            )
            .await,
            true,
        );
        tokio::task::yield_now().await;
    }
    let rest = pairs(&posts, merger)
        .into_iter()
        .map(|request| merging(&stage.ports, acme.caller(), request))
        .collect();
    merges += count(&answers(rest).await, true);
    assert_eq!(merges, 7);

    let told_to: BTreeMap<UserId, Vec<bool>> = answers(voting).await.into_iter().collect();
    for answers in told_to.values() {
        let alternating: Vec<bool> = (0..answers.len()).map(|n| n % 2 == 0).collect();
        assert_eq!(*answers, alternating, "the results of a user's toggles alternate");
    }
    let survivor = counts_on(&stage, &acme, posts[0].id).await;
    is_what_all_were_merged_into(&stage, &acme, survivor).await;
    let expected = told_to
        .iter()
        .filter(|(_, answers)| answers.last() == Some(&true))
        .map(|(&user, _)| user)
        .collect();
    assert_eq!(voters(&stage, &acme, survivor).await, expected);
    let all: Vec<bool> = told_to.into_values().flatten().collect();
    assert_eq!(told(&stage, &acme).await, (count(&all, true), count(&all, false)));
}

/// Makes an article in a task.
fn writing(
    ports: &Ports,
    caller: Caller,
    draft: ArticleDraft,
    repeat: Option<Repeat>,
) -> JoinHandle<Outcome> {
    let ports = ports.clone();
    tokio::spawn(async move {
        let create = || crud::create(&ports, caller, draft.clone(), repeat.clone());
        asked(create).await.unwrap()
    })
}

/// Makes a category in a task.
fn filing(ports: &Ports, caller: Caller, draft: CategoryDraft) -> JoinHandle<Outcome> {
    let ports = ports.clone();
    tokio::spawn(async move {
        asked(|| crud::create(&ports, caller, draft.clone(), None)).await.unwrap()
    })
}

/// Updates a category in a task.
fn patching(
    ports: &Ports,
    caller: Caller,
    category: &HelpCategory,
    patch: CategoryPatch,
) -> JoinHandle<Outcome> {
    let (ports, input) = (ports.clone(), Update::new(category.id, patch));
    tokio::spawn(async move {
        asked(|| crud::update(&ports, caller, input.clone(), None)).await.unwrap()
    })
}

fn to(collection: HelpCollectionId) -> CategoryPatch {
    CategoryPatch { collection_id: Some(collection), ..CategoryPatch::default() }
}

fn article(parent: ArticleParent, title: &str) -> ArticleDraft {
    ArticleDraft {
        parent,
        title: Title::parse(title).unwrap(),
        content: String::new(),
        slug: None,
        excerpt: None,
        status: ArticleStatus::Draft,
        show_on_portal: true,
        is_favourite: false,
        published_at: None,
        related_article_ids: vec![],
        author_id: None,
        external_id: None,
    }
}

fn category(collection_id: HelpCollectionId, name: &str) -> CategoryDraft {
    CategoryDraft {
        collection_id,
        name: Name::parse(name).unwrap(),
        slug: None,
        description: None,
        icon: None,
        color: None,
        external_id: None,
    }
}

/// An entry that is published and announced at once.
fn entry(author: UserId, title: &str) -> EntryDraft {
    EntryDraft {
        title: Title::parse(title).unwrap(),
        content: String::new(),
        entry_type: None,
        label_ids: vec![],
        launch: Launch::Published,
        notify: true,
        author_id: Some(author),
        featured_image_url: None,
        show_on_portal: true,
        external_id: None,
    }
}

/// The stored records of a kind.
async fn stored<R: OfKind>(stage: &Stage, acme: &Tenant) -> Vec<R> {
    export_all(&stage.ports, acme.id()).await.iter().filter_map(R::of_record).cloned().collect()
}

/// Asserts that positions are consecutive from 1.0000 on.
fn are_consecutive(places: impl Iterator<Item = Position>) {
    let places: Vec<Position> = places.collect();
    let expected: BTreeSet<_> =
        std::iter::successors(Some(Position::START.next()), |place| Some(place.next()))
            .take(places.len())
            .collect();
    assert_eq!(places.into_iter().collect::<BTreeSet<_>>(), expected);
}

pub async fn an_article_that_is_made_again_and_again_under_one_key_is_made_once(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let draft = article(ArticleParent::Collection(acme.collection.id), "Signing in");
    let repeat = Repeat {
        path: "/help-articles/create",
        key: IdempotencyKey::parse("once").unwrap(),
        body: [3; 32],
    };
    let twins = (0..32)
        .map(|_| writing(&stage.ports, acme.caller(), draft.clone(), Some(repeat.clone())))
        .collect();
    let outcomes = answers(twins).await;
    let articles: Vec<HelpArticle> = stored(&stage, &acme).await;
    assert_eq!(articles.len(), 1);
    let answer = WriteResult::Created(articles[0].id.0);
    let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    assert_eq!(count(Outcome::Fresh(answer.clone())), 1);
    assert_eq!(count(Outcome::Replayed(answer)), 31);
    are_consecutive(articles.iter().map(|article| article.seq_number));
}

pub async fn records_that_are_made_while_categories_move_have_their_parents(stage: Stage) {
    let mut acme = Tenant::new();
    let collections: Vec<_> = (0..4).map(|_| acme.add(acme.help_collection()).id).collect();
    let filed = acme.add(acme.help_category());
    let other = acme.add(acme.help_category());
    let acme = acme.import(&stage.ports).await;
    let mut tasks = Vec::new();
    for n in 0..24 {
        // Two categories move through the collections in opposite directions. Meanwhile, categories
        // and articles are made in these collections, and articles in the first of the two.
        tasks.push(patching(&stage.ports, acme.caller(), &filed, to(collections[n % 4])));
        tasks.push(patching(&stage.ports, acme.caller(), &other, to(collections[(24 - n) % 4])));
        tasks.push(filing(&stage.ports, acme.caller(), category(collections[n % 4], "Made")));
        tasks.push(writing(
            &stage.ports,
            acme.caller(),
            article(ArticleParent::Category(filed.id), "Filed"),
            None,
        ));
        tasks.push(writing(
            &stage.ports,
            acme.caller(),
            article(ArticleParent::Collection(collections[n % 4]), "Direct"),
            None,
        ));
    }
    answers(tasks).await;
    let categories: Vec<HelpCategory> = stored(&stage, &acme).await;
    let places: BTreeSet<_> =
        categories.iter().map(|category| (category.collection_id, category.seq_number)).collect();
    assert_eq!(places.len(), 26, "no two categories have the same place");
    let articles: Vec<HelpArticle> = stored(&stage, &acme).await;
    for parent in collections
        .iter()
        .map(|&id| ArticleParent::Collection(id))
        .chain([ArticleParent::Category(filed.id)])
    {
        are_consecutive(
            articles
                .iter()
                .filter(|article| article.parent == parent)
                .map(|article| article.seq_number),
        );
    }
    let here = categories.iter().find(|category| category.id == filed.id).unwrap().collection_id;
    assert_eq!(
        stage.ports.help_categories.find(acme.id(), filed.id).await.unwrap().unwrap().article_count,
        24
    );
    for &collection in &collections {
        let details =
            stage.ports.help_collections.find(acme.id(), collection).await.unwrap().unwrap();
        let count =
            categories.iter().filter(|category| category.collection_id == collection).count();
        assert_eq!(details.category_count, count as i64);
        let filter = ArticleFilter { collection_id: Some(collection), ..ArticleFilter::default() };
        let page = stage
            .ports
            .help_articles
            .page(acme.id(), filter, ArticleSort::Newest, first_page())
            .await
            .unwrap();
        assert_eq!(page.items.len(), if collection == here { 30 } else { 6 });
        assert!(page.items.iter().all(|article| article.collection.id == collection));
    }
}

pub async fn an_organization_that_is_deleted_while_it_is_written_to_leaves_nothing(stage: Stage) {
    let mut acme = Tenant::new();
    for _ in 0..5 {
        acme.add(User { is_subscribed: true, ..acme.user() });
    }
    let acme = acme.import(&stage.ports).await;
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let (ports, organization, caller) = (stage.ports.clone(), acme.id(), acme.caller());
        let draft = article(ArticleParent::Collection(acme.collection.id), "Signing in");
        tasks.push(tokio::spawn(async move {
            loop {
                let create = || crud::create(&ports, caller, draft.clone(), None);
                if let Err(error) = asked(create).await {
                    return error;
                }
            }
        }));
        let (ports, draft) = (stage.ports.clone(), entry(acme.author.user_id, "Dark mode"));
        tasks.push(tokio::spawn(async move {
            loop {
                let create = || crud::create(&ports, caller, draft.clone(), None);
                if let Err(error) = asked(create).await {
                    return error;
                }
                // The result is not checked: the organization may be deleted at any moment.
                let _: Written = write_some(&ports, organization, at(0), 2).await.unwrap();
                let lease = Lease { holder: fresh(), until: at(100) };
                ports.mail_queue.claim(organization, lease, at(0), 2).await.unwrap();
            }
        }));
    }
    while stored::<ChangelogEntry>(&stage, &acme).await.len() < 10 {
        tokio::task::yield_now().await;
    }
    delete_organization(&stage.ports, acme.id()).await;
    for error in answers(tasks).await {
        assert!(
            matches!(
                error,
                Error::NotFound(
                    Missing::Record(Kind::HelpCollection) | Missing::Record(Kind::User)
                )
            ),
            "{error:?}"
        );
    }
    assert!(inventory(&stage, acme.id()).await.is_empty());
}

/// Asserts that all posts of an organization were merged into `survivor`, directly or not, each
/// once, and that all votes are on it.
async fn is_what_all_were_merged_into(stage: &Stage, acme: &Imported, survivor: PostId) {
    let records = export_all(&stage.ports, acme.id()).await;
    let posts: Vec<&FeedbackPost> = records.iter().filter_map(FeedbackPost::of_record).collect();
    let merged: BTreeMap<PostId, PostId> =
        posts.iter().filter_map(|post| Some((post.id, post.merged_into_id?))).collect();
    assert_eq!(merged.len(), posts.len() - 1);
    for post in posts {
        let end = std::iter::successors(Some(post.id), |id| merged.get(id).copied()).last();
        assert_eq!(end, Some(survivor));
        assert_eq!(counts_on(stage, acme, post.id).await, survivor);
    }
    let votes = records.iter().filter_map(Vote::of_record);
    assert!(votes.into_iter().all(|vote| vote.target == Target::Feedback(survivor)));
    // The merge records show the same merges.
    let audit = records.iter().filter_map(MergeRecord::of_record);
    let audit: BTreeMap<PostId, PostId> =
        audit.map(|merge| (merge.merge_post_id, merge.into_post_id)).collect();
    assert_eq!(audit, merged);
}
