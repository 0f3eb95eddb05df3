//! `RecordRepository::erasable`, and the changes that erase what was deleted.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::audit::page as entries;
use super::merge::{merge, part, record as record_merge, stored, votes};
use super::record_races::at_once;
use super::records::{bare, load};
use super::{Stage, applies, export_all, first_page, others};
use crate::build::{Imported, Tenant, at, organization, slug};
use crate::system::{fresh, patiently};
use hearback_domain::audit::{AuditEntry, AuditFilter, Door};
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::comment::Comment;
use hearback_domain::company::Company;
use hearback_domain::feedback_post::{FeedbackPost, PostFilter, PostSort};
use hearback_domain::fold::Folded;
use hearback_domain::help_article::HelpArticle;
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::id::{PostId, UserId};
use hearback_domain::merge::{DroppedVote, MergeRecord, UnmergeEffects};
use hearback_domain::record::{Key, OfKind, Step};
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::spend::Spend;
use hearback_domain::user::User;
use hearback_domain::vote::{Target, Vote};
use hearback_domain::{Time, Uuid};
use hearback_ports::backlog::Task;
use hearback_ports::{Change, Kind, Record, Recorded, Unique};
use std::collections::BTreeSet;

/// When what is erased was deleted.
const OLD: i64 = 1;
/// The time before which a deletion is old.
const BEFORE: i64 = 2;
/// When the records are erased.
const LATER: i64 = 1_000_000;

/// Erases what an organization deleted before a time, in parts of up to `limit` records.
async fn erase(stage: &Stage, acme: &Tenant, before: Time, limit: i64) {
    loop {
        let keys = patiently(|| stage.ports.records.erasable(acme.id(), before, limit)).await;
        assert!(keys.len() as i64 <= limit);
        if keys.is_empty() {
            return;
        }
        let known = load(stage, acme.id(), &keys).await;
        let steps = keys.iter().map(|key| known.get(*key).unwrap().clone().erase(at(LATER)));
        let steps: Vec<Step> = steps.collect();
        assert!(steps.iter().all(|step| !step.is_empty()), "{steps:?}");
        applies(stage, acme.id(), &bare(steps), Recorded::Done).await;
    }
}

/// The posts that are found by a text, in a search or as similar ones.
async fn found(stage: &Stage, acme: &Tenant, text: &str) -> BTreeSet<PostId> {
    let posts = &stage.ports.feedback_posts;
    let filter = PostFilter { search: Some(Folded::new(text)), ..PostFilter::default() };
    let page = posts.page(acme.id(), filter, PostSort::Newest, first_page()).await.unwrap();
    let similar = posts.candidates(acme.id(), text.to_owned(), None).await.unwrap();
    let similar = similar.into_iter().filter(|(_, title)| title == text).map(|(id, _)| id);
    page.items.into_iter().map(|it| it.post.id).chain(similar).collect()
}

/// Sets whether a post is active, and nothing else.
async fn set_active(stage: &Stage, acme: &Tenant, post: PostId, is_active: bool) {
    let known = load(stage, acme.id(), &[(FeedbackPost::KIND, post.0)]).await;
    let before = known.any::<FeedbackPost>(post).unwrap().clone();
    let after = FeedbackPost { is_active, ..before.clone() };
    let change = bare(vec![Step::edit(before, after, at(LATER))]);
    applies(stage, acme.id(), &change, Recorded::Done).await;
}

/// Adds a record of each kind that is erased, all of which were deleted then, and what belongs to the
/// posts. All texts contain `mark`. Returns the records that are erased, and those that are removed.
fn delete(acme: &mut Tenant, mark: &str, deleted_at: Time) -> (Vec<Key>, Vec<Key>) {
    let text = || mark.to_owned();
    let (fan, open, tag) = (acme.add(acme.user()), acme.add(acme.post()), acme.add(acme.tag()));
    let plan = acme.add(acme.roadmap_post());
    let post = acme.add(FeedbackPost {
        title: text(),
        description: text(),
        external_id: Some(text()),
        owner_id: Some(fan.user_id),
        created_by_id: Some(fan.user_id),
        eta: Some(at(7)),
        is_pinned: true,
        tag_ids: vec![tag.id],
        is_active: false,
        updated_at: deleted_at,
        ..acme.post()
    });
    let deleted_plan = acme.add(RoadmapPost {
        title: text(),
        description: text(),
        external_id: Some(text()),
        owner_id: Some(fan.user_id),
        tag_ids: vec![tag.id],
        is_active: false,
        updated_at: deleted_at,
        ..acme.roadmap_post()
    });
    let company = acme.add(Company {
        name: text(),
        customer_status: text(),
        monthly_spend: Spend::parse("12.50").unwrap(),
        is_active: false,
        updated_at: deleted_at,
        ..acme.company()
    });
    let user = acme.add(User {
        name: text(),
        email: format!("{mark}@example.com"),
        external_id: Some(text()),
        company_name: text(),
        locale: text(),
        is_active: false,
        updated_at: deleted_at,
        ..acme.user()
    });
    // The reply stays where it is.
    let comment = Comment {
        content: text(),
        is_active: false,
        updated_at: deleted_at,
        ..acme.comment(&open)
    };
    let comment = acme.add(comment);
    acme.add(Comment { parent_comment_id: Some(comment.id), ..acme.comment(&open) });
    let label = acme.add(acme.label());
    let entry = acme.add(ChangelogEntry {
        title: text(),
        content: text(),
        external_id: Some(text()),
        label_ids: vec![label.id],
        is_active: false,
        updated_at: deleted_at,
        ..acme.entry()
    });
    let related = acme.add(acme.article());
    let article = acme.add(HelpArticle {
        title: text(),
        content: text(),
        excerpt: Some(text()),
        external_id: Some(text()),
        related_article_ids: vec![related.id],
        is_active: false,
        updated_at: deleted_at,
        ..acme.article()
    });
    let on_it = acme.add(Comment { content: text(), is_pinned: true, ..acme.comment(&post) });
    let removed = [
        acme.add(Vote { source_url: Some(text()), ..acme.vote(&fan, &post) }).into_record(),
        acme.add(acme.vote(&fan, &deleted_plan)).into_record(),
        acme.add(acme.post_subscription(&fan, &post)).into_record(),
        acme.add(acme.link(&plan, &post)).into_record(),
        acme.add(HelpArticleVersion { title: text(), ..acme.version(&article, 1) }).into_record(),
        acme.add(acme.link(&deleted_plan, &open)).into_record(),
    ];
    acme.add(acme.version(&related, 1));
    acme.add(acme.vote(&fan, &open));
    acme.add(acme.post_subscription(&fan, &open));
    acme.add(acme.link(&plan, &open));
    let erased = [
        post.into_record(),
        deleted_plan.into_record(),
        company.into_record(),
        user.into_record(),
        comment.into_record(),
        on_it.into_record(),
        entry.into_record(),
        article.into_record(),
    ];
    (erased.map(|it| it.key()).into(), removed.map(|it| it.key()).into())
}

async fn log(stage: &Stage, acme: &Imported, all: &[Key]) {
    let entry = |target: &Key| AuditEntry {
        id: fresh(),
        at: at(0),
        door: Door::Api,
        actor_id: None,
        action: "test".to_owned(),
        target: *target,
        data: r#"{"before":null}"#.to_owned(),
    };
    let change = Change { audit: all.iter().map(entry).collect(), ..bare(vec![]) };
    applies(stage, acme.id(), &change, Recorded::Done).await;
}

pub async fn what_was_deleted_before_a_time_loses_its_content_and_what_belongs_to_it(stage: Stage) {
    let mut acme = Tenant::new();
    let [old_mark, new_mark] = [(); 2].map(|()| format!("zz{}", fresh::<Uuid>().simple()));
    let (erased, removed) = delete(&mut acme, &old_mark, at(OLD));
    let (kept, _) = delete(&mut acme, &new_mark, at(BEFORE));
    let acme = acme.import(&stage.ports).await;
    let all = [erased.clone(), kept.clone()].concat();
    log(&stage, &acme, &all).await;
    log(&stage, &acme, &[(Kind::Tag, erased[0].1)]).await;
    let others_before = others(&stage, &acme).await;
    let is_due = async |time| {
        let due = stage.ports.backlog.organizations(Task::EraseDeleted, time, None, 10_000);
        due.await.unwrap().contains(&acme.id())
    };
    assert!(is_due(at(BEFORE)).await && !is_due(at(OLD)).await);
    assert_eq!(patiently(|| stage.ports.records.erasable(acme.id(), at(OLD), 9)).await, []);

    let before = export_all(&stage.ports, acme.id()).await;
    erase(&stage, &acme, at(BEFORE), 2).await;
    let stays = before.into_iter().filter(|record| !removed.contains(&record.key()));
    let expected = stays.map(|record| match erased.contains(&record.key()) {
        true => record.erase(at(LATER)).after().unwrap().clone(),
        false => record,
    });
    let expected: Vec<Record> = expected.collect();
    assert_eq!(export_all(&stage.ports, acme.id()).await, expected);
    assert!(!format!("{expected:?}").contains(&old_mark));
    assert_eq!(stage.ports.counts.miscounted(acme.id()).await.unwrap(), 0);
    assert!(!is_due(at(BEFORE)).await && is_due(at(BEFORE + 1)).await);
    let known = entries(&stage, &acme, AuditFilter::default()).await;
    let told = known.iter().filter(|entry| entry.data != "{}").map(|entry| entry.target);
    let told: BTreeSet<Key> = told.collect();
    let expected = kept.into_iter().chain([(Kind::Tag, erased[0].1)]);
    assert_eq!(told, expected.collect());
    assert_eq!(others(&stage, &acme).await, others_before);
}

pub async fn of_three_servers_that_erase_at_once_each_record_is_erased_once(stage: Stage) {
    let mut acme = Tenant::new();
    let (erased, _) = delete(&mut acme, "gone", at(OLD));
    let post = FeedbackPost { is_active: false, updated_at: at(OLD), ..acme.post() };
    let post = acme.add(post);
    for _ in 0..40 {
        let fan = acme.add(acme.user());
        acme.add(acme.vote(&fan, &post));
        acme.add(Comment { is_active: false, ..acme.comment(&post) });
    }
    let acme = acme.import(&stage.ports).await;
    let server = |stage: Stage, acme: Tenant| async move {
        loop {
            let records = &stage.ports.records;
            let keys = patiently(|| records.erasable(acme.id(), at(BEFORE), 7)).await;
            if keys.is_empty() {
                return;
            }
            let known = load(&stage, acme.id(), &keys).await;
            let found = keys.iter().filter_map(|key| known.get(*key).cloned());
            let steps: Vec<Step> = found.map(|record| record.erase(at(LATER))).collect();
            let steps = steps.into_iter().filter(|step| !step.is_empty()).collect();
            let change = bare(steps);
            let applied = patiently(|| records.apply(acme.id(), change.clone())).await;
            assert!(matches!(applied, Recorded::Done | Recorded::Stale), "{applied:?}");
        }
    };
    at_once((0..3).map(|_| server(stage.clone(), Tenant::clone(&acme)))).await;
    let records = export_all(&stage.ports, acme.id()).await;
    let of = |key: &&Key| records.iter().any(|it| it.key() == **key && it.is_erased());
    assert_eq!(erased.iter().filter(of).count(), erased.len());
    assert_eq!(stored::<Vote>(&stage, &acme).await.len(), 1);
    assert_eq!(stage.ports.counts.miscounted(acme.id()).await.unwrap(), 0);
}

pub async fn a_merged_post_gets_its_votes_back_though_the_other_one_is_erased(stage: Stage) {
    let mut acme = Tenant::new();
    let [source, follower, target] = [(); 3].map(|()| acme.add(acme.post()));
    let users: Vec<User> = (0..5).map(|_| acme.add(acme.user())).collect();
    let [alone, older, younger, other, behind] = &users[..] else { panic!("five users") };
    for (user, post, millis) in [
        (alone, &source, 1),
        (older, &source, 2),
        (older, &target, 3),
        (younger, &source, 5),
        (younger, &target, 4),
        (other, &target, 6),
        (behind, &follower, 7),
    ] {
        acme.add(Vote { created_at: at(millis), ..acme.vote(user, post) });
    }
    let acme = acme.import(&stage.ports).await;
    let merged = async |source: PostId, target: PostId| {
        record_merge(&stage, acme.id(), merge(&acme, source, target), None, Recorded::Done).await;
    };
    merged(follower.id, target.id).await;
    merged(source.id, target.id).await;
    set_active(&stage, &acme, target.id, false).await;
    set_active(&stage, &acme, follower.id, false).await;
    erase(&stage, &acme, Time::MAX, 2).await;
    let voters = async |on: PostId| -> BTreeSet<UserId> {
        let all = stored::<Vote>(&stage, &acme).await.into_iter();
        all.filter(|vote| vote.target == Target::Feedback(on)).map(|vote| vote.user_id).collect()
    };
    // What was cast on the source waits for the end of its merge.
    let waiting = [alone, older].map(|user| user.user_id);
    assert_eq!(voters(target.id).await, BTreeSet::from(waiting));
    let dropped = stored::<DroppedVote>(&stage, &acme).await;
    let dropped: Vec<_> =
        dropped.iter().map(|vote| (vote.user_id, vote.feedback_post_id)).collect();
    assert_eq!(dropped, [(younger.user_id, source.id)]);

    let effects = part(&stage, &acme, source.id, target.id).await;
    assert_eq!(effects, UnmergeEffects { returned: 2, restored: 1, followed: 0 });
    let back = [alone, older, younger].map(|user| user.user_id);
    assert_eq!(voters(source.id).await, BTreeSet::from(back));
    assert_eq!(votes(&stage, &acme, source.id).await.len(), 3);
    assert_eq!(voters(target.id).await, BTreeSet::new());
    assert_eq!(stored::<DroppedVote>(&stage, &acme).await, []);
    assert_eq!(stage.ports.counts.miscounted(acme.id()).await.unwrap(), 0);
    assert_eq!(patiently(|| stage.ports.records.erasable(acme.id(), Time::MAX, 9)).await, []);
}

pub async fn the_votes_of_a_merged_post_go_with_it_after_the_other_one_is_erased(stage: Stage) {
    let mut acme = Tenant::new();
    let [source, target] = [(); 2].map(|()| acme.add(acme.post()));
    let [alone, both] = [(); 2].map(|()| acme.add(acme.user()));
    acme.add(acme.vote(&alone, &source));
    acme.add(acme.vote(&both, &target));
    acme.add(acme.vote(&both, &source));
    let acme = acme.import(&stage.ports).await;
    let merge = merge(&acme, source.id, target.id);
    record_merge(&stage, acme.id(), merge, None, Recorded::Done).await;
    set_active(&stage, &acme, target.id, false).await;
    erase(&stage, &acme, Time::MAX, 9).await;
    assert_eq!(stored::<Vote>(&stage, &acme).await.len(), 1);
    assert_eq!(stored::<DroppedVote>(&stage, &acme).await.len(), 1);
    set_active(&stage, &acme, source.id, false).await;
    erase(&stage, &acme, Time::MAX, 9).await;
    assert_eq!(stored::<Vote>(&stage, &acme).await, []);
    assert_eq!(stored::<DroppedVote>(&stage, &acme).await, []);
    assert_eq!(stored::<MergeRecord>(&stage, &acme).await.len(), 1);
    assert_eq!(stage.ports.counts.miscounted(acme.id()).await.unwrap(), 0);
}

pub async fn the_votes_of_a_deleted_source_stay_on_a_post_that_is_not_erased(stage: Stage) {
    let mut acme = Tenant::new();
    let [source, target] = [(); 2].map(|()| acme.add(acme.post()));
    let fan = acme.add(acme.user());
    acme.add(acme.vote(&fan, &source));
    let acme = acme.import(&stage.ports).await;
    let merge = merge(&acme, source.id, target.id);
    record_merge(&stage, acme.id(), merge, None, Recorded::Done).await;
    set_active(&stage, &acme, source.id, false).await;
    erase(&stage, &acme, Time::MAX, 9).await;
    assert_eq!(votes(&stage, &acme, target.id).await.len(), 1);
    let [merged] = &stored::<FeedbackPost>(&stage, &acme)
        .await
        .into_iter()
        .filter(|post| post.id == source.id)
        .collect::<Vec<_>>()[..]
    else {
        panic!("the source")
    };
    assert_eq!((&*merged.title, merged.merged_into_id), ("", Some(target.id)));
}

pub async fn votes_that_an_older_record_says_moved_stay_for_the_end_of_the_merge(stage: Stage) {
    let mut acme = Tenant::new();
    let target = FeedbackPost { is_active: false, updated_at: at(OLD), ..acme.post() };
    let target = acme.add(target);
    let source = acme.add(FeedbackPost { merged_into_id: Some(target.id), ..acme.post() });
    let [moved, other] = [(); 2].map(|()| acme.add(acme.user()));
    acme.add(acme.vote(&moved, &target));
    acme.add(acme.vote(&other, &target));
    let moved_user_ids = vec![moved.user_id];
    acme.add(MergeRecord { moved_user_ids, ..acme.merge(&source, &target) });
    let acme = acme.import(&stage.ports).await;
    erase(&stage, &acme, at(BEFORE), 9).await;
    let left: Vec<UserId> =
        stored::<Vote>(&stage, &acme).await.into_iter().map(|vote| vote.user_id).collect();
    assert_eq!(left, [moved.user_id]);
}

pub async fn a_tombstone_keeps_its_slug(stage: Stage) {
    let mut acme = Tenant::new();
    let post = FeedbackPost { is_active: false, updated_at: at(OLD), ..acme.post() };
    let post = acme.add(FeedbackPost { slug: slug(post.id.0), ..post });
    let acme = acme.import(&stage.ports).await;
    erase(&stage, &acme, at(BEFORE), 9).await;
    let second = FeedbackPost { slug: post.slug, ..acme.post() };
    let taken = Recorded::Taken(Unique::Slug);
    applies(&stage, acme.id(), &bare(vec![Step::make(second)]), taken).await;
}

pub async fn nothing_finds_an_erased_post_by_its_texts(stage: Stage) {
    let mut acme = Tenant::new();
    let mark = format!("zz{}", fresh::<Uuid>().simple());
    let post = FeedbackPost { title: mark.clone(), description: mark.clone(), ..acme.post() };
    let post = acme.add(post);
    let acme = acme.import(&stage.ports).await;
    set_active(&stage, &acme, post.id, false).await;
    set_active(&stage, &acme, post.id, true).await;
    assert_eq!(found(&stage, &acme, &mark).await, BTreeSet::from([post.id]));
    set_active(&stage, &acme, post.id, false).await;
    erase(&stage, &acme, Time::MAX, 9).await;
    set_active(&stage, &acme, post.id, true).await;
    assert_eq!(found(&stage, &acme, &mark).await, BTreeSet::new());
}

pub async fn tombstones_are_imported_as_they_were_exported(stage: Stage) {
    let mut acme = Tenant::new();
    delete(&mut acme, "gone", at(OLD));
    let acme = acme.import(&stage.ports).await;
    erase(&stage, &acme, at(BEFORE), 9).await;
    let records = export_all(&stage.ports, acme.id()).await;
    let copy = Tenant::of(organization(), records.into_iter().skip(1).collect());
    let copy = copy.import(&stage.ports).await;
    assert_eq!(export_all(&stage.ports, copy.id()).await, copy.exported());
    assert_eq!(patiently(|| stage.ports.records.erasable(copy.id(), Time::MAX, 9)).await, []);
}
