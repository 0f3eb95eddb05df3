//! Concurrent changes of records.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::records::{bare, edit, listed, load, noted, stored};
use super::{Stage, applies, change, delete_organization, export_all, inventory};
use crate::build::{self, OfKind, Tenant, at};
use crate::system::{asked, fresh, patiently};
use futures_util::FutureExt;
use futures_util::future::join_all;
use hearback_app::effects::Tried;
use hearback_app::write::Update;
use hearback_app::{Error, Missing, Outcome, Precondition, crud, feedback_posts, tags};
use hearback_domain::Uuid;
use hearback_domain::color::Color;
use hearback_domain::edit::Patch;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_category::CategoryDraft;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::OrganizationId;
use hearback_domain::label::Label;
use hearback_domain::merge::MergeRequest;
use hearback_domain::position::Position;
use hearback_domain::record::{Key, Known, Step};
use hearback_domain::slug::Code;
use hearback_domain::tag::{Tag, TagDraft, TagPatch};
use hearback_domain::text::{ExternalId, Name};
use hearback_ports::{Kind, Record, Recorded, WriteResult};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The results of futures that each run in a task.
pub(super) async fn at_once<F>(tasks: impl IntoIterator<Item = F>) -> Vec<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let tasks: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
    join_all(tasks).await.into_iter().map(Result::unwrap).collect()
}

/// Decides a change on the stored records and applies it. Repeats both while the change is stale.
async fn decided(
    stage: Stage,
    organization: OrganizationId,
    keys: Vec<Key>,
    decide: impl Fn(&Known) -> Vec<Step>,
) {
    let mut recorded = Recorded::Stale;
    while recorded == Recorded::Stale {
        let steps = decide(&load(&stage, organization, &keys).await);
        let change = change(steps, at(0));
        recorded = patiently(|| stage.ports.records.apply(organization, change.clone())).await;
    }
    assert_eq!(recorded, Recorded::Done);
}

pub async fn of_many_records_made_at_once_no_two_have_the_same_position(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(acme.help_category());
    let acme = acme.import(&stage.ports).await;
    let lists: Vec<Record> = (0..8).flat_map(|_| listed(&acme)).collect();
    let makes = lists.iter().map(|record| {
        let record = record.clone();
        decided(stage.clone(), acme.id(), vec![], move |_| vec![Step::Make(record.clone())])
    });
    at_once(makes).await;
    let mut last = BTreeMap::new();
    for record in lists {
        let record = stored(&stage, acme.id(), record.key()).await;
        let parent = format!("{:?} {:?}", record.kind(), record.parent());
        last.entry(parent).or_insert_with(BTreeSet::new).insert(record.position().unwrap());
    }
    for positions in last.into_values() {
        let first = *positions.first().unwrap();
        let next = |place: &Position| Some(place.next());
        assert_eq!(positions, std::iter::successors(Some(first), next).take(8).collect());
    }
}

fn tag(name: &str) -> TagDraft {
    TagDraft {
        name: Name::parse(name).unwrap(),
        code: None,
        color: None,
        show_on_feedback: true,
        show_on_roadmap: true,
        is_public: true,
        external_id: None,
    }
}

/// Creates tags concurrently.
async fn creating(
    stage: &Stage,
    acme: &Tenant,
    drafts: impl IntoIterator<Item = TagDraft>,
) -> Vec<Result<Outcome, Error>> {
    let creates = drafts.into_iter().map(|draft| {
        let (ports, caller) = (stage.ports.clone(), acme.caller());
        async move { asked(|| crud::create(&ports, caller, draft.clone(), None)).await }
    });
    at_once(creates).await
}

pub async fn of_50_tags_of_one_name_at_once_one_is_made(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let names = ["Größe", "GRÖẞE", "größe", "grÖße"].into_iter().cycle().take(50);
    let answers = creating(&stage, &acme, names.map(tag)).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    let taken = |answer| matches!(answer, &Err(Error::Refused(Precondition::NameTaken)));
    assert!(made.len() == 1 && refused.iter().all(taken), "{made:?} {refused:?}");
    assert_eq!(stage.ports.whole_lists.tags(acme.id()).await.unwrap().len(), 1);
}

pub async fn of_50_tags_of_one_code_at_once_each_is_made_with_a_number(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let code = Code::parse("mobile").unwrap();
    let draft = |n| TagDraft { code: Some(code.clone()), ..tag(&format!("Tag {n}")) };
    let answers = creating(&stage, &acme, (0..50).map(draft)).await;
    assert!(answers.iter().all(|answer| matches!(answer, Ok(Outcome::Fresh(_)))), "{answers:?}");
    let tags = stage.ports.whole_lists.tags(acme.id()).await.unwrap();
    let codes: BTreeSet<String> = tags.into_iter().filter_map(|tag| tag.code).collect();
    let numbered = (2..=50).map(|n| format!("mobile-{n}")).chain(["mobile".to_owned()]);
    assert_eq!(codes, numbered.collect());
}

pub async fn of_64_creates_with_one_external_identifier_all_answer_the_same_tag(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let external_id = ExternalId::parse("t-1").unwrap();
    let draft = || TagDraft { external_id: Some(external_id.clone()), ..tag("Mobile") };
    let answers = creating(&stage, &acme, (0..64).map(|_| draft())).await;
    let tags = stage.ports.whole_lists.tags(acme.id()).await.unwrap();
    assert_eq!(tags.len(), 1);
    let expected = WriteResult::Created(tags[0].id.0);
    for answer in answers {
        assert_eq!(answer.unwrap().answer(), expected);
    }
}

pub async fn edits_of_different_values_of_one_record_at_once_all_last(stage: Stage) {
    let mut acme = Tenant::new();
    let before = acme.add(acme.tag());
    let acme = acme.import(&stage.ports).await;
    let id = before.id;
    for round in 0..6 {
        let none = TagPatch::default;
        let (is_even, text) = (round % 2 == 0, format!("t-{round}"));
        let patches = [
            TagPatch { name: Some(Name::parse(&text).unwrap()), ..none() },
            TagPatch { code: Some(Code::parse(&text).unwrap()), ..none() },
            TagPatch { color: Some(Color::parse(&format!("#00{round}")).unwrap()), ..none() },
            TagPatch { show_on_feedback: Some(is_even), ..none() },
            TagPatch { show_on_roadmap: Some(!is_even), ..none() },
            TagPatch { is_public: Some(is_even), ..none() },
            TagPatch { external_id: Patch::Set(ExternalId::parse(&text).unwrap()), ..none() },
        ];
        let updates = patches.map(|patch| {
            let (ports, caller) = (stage.ports.clone(), acme.caller());
            let update = move || Update::new(id, patch.clone());
            async move { asked(|| crud::update(&ports, caller, update(), None)).await }
        });
        for updated in at_once(updates).await {
            assert_eq!(updated.unwrap(), Outcome::Fresh(WriteResult::Success));
        }
        let expected = Tag {
            name: text.clone(),
            code: Some(text.clone()),
            color: format!("#00{round}"),
            show_on_feedback: is_even,
            show_on_roadmap: !is_even,
            is_public: is_even,
            external_id: Some(text),
            ..before.clone()
        };
        assert_eq!(crud::retrieve::<Tag>(&stage.ports, acme.caller(), id).await.unwrap(), expected);
    }
}

pub async fn edits_and_a_deletion_at_once_leave_the_record_deleted(stage: Stage) {
    let mut acme = Tenant::new();
    let tags: Vec<Tag> = (0..8).map(|_| acme.add(acme.tag())).collect();
    let acme = acme.import(&stage.ports).await;
    let tasks = tags.iter().flat_map(|tag| (0..5).map(move |n| (tag.id, n))).map(|(id, n)| {
        let (ports, caller) = (stage.ports.clone(), acme.caller());
        let name = Some(Name::parse(&format!("{id} {n}")).unwrap());
        let update = Update::new(id, TagPatch { name, ..TagPatch::default() });
        async move {
            match n {
                2 => asked(|| tags::delete(&ports, caller, id, None)).await,
                _ => asked(|| crud::update(&ports, caller, update.clone(), None)).await,
            }
        }
    });
    let fits =
        |answer| matches!(answer, &(Ok(_) | Err(Error::NotFound(Missing::Record(Kind::Tag)))));
    let answers = at_once(tasks).await;
    assert!(answers.iter().all(fits), "{answers:?}");
    assert_eq!(stage.ports.whole_lists.tags(acme.id()).await.unwrap(), []);
}

pub async fn nothing_is_made_in_a_record_once_its_deletion_is_done(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let collection = acme.collection.clone();
    let creates = (0..24).map(|n| {
        let (ports, caller, collection_id) = (stage.ports.clone(), acme.caller(), collection.id);
        let name = Name::parse(&format!("Category {n}")).unwrap();
        let (slug, description, icon, color) = (None, None, None, None);
        let draft = CategoryDraft {
            collection_id,
            name,
            slug,
            description,
            icon,
            color,
            external_id: None,
        };
        async move { asked(|| crud::create(&ports, caller, draft.clone(), None)).await }
    });
    let deletion = async {
        let deleted = HelpCollection { is_active: false, ..collection.clone() };
        let delete = bare(vec![edit(&collection, deleted)]);
        applies(&stage, acme.id(), &delete, Recorded::Done).await;
        let is_category = |record: &&Record| record.kind() == Kind::HelpCategory;
        export_all(&stage.ports, acme.id()).await.iter().filter(is_category).count()
    };
    let (answers, count) = tokio::join!(at_once(creates), deletion);
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(made.len(), count);
    let gone =
        |answer| matches!(answer, &Err(Error::NotFound(Missing::Record(Kind::HelpCollection))));
    assert!(refused.iter().all(gone), "{refused:?}");
}

pub async fn changes_of_several_records_in_any_order_wait_for_each_other_and_end(stage: Stage) {
    let mut acme = Tenant::new();
    let posts = [acme.add(acme.post()), acme.add(acme.post())].map(FeedbackPost::into_record);
    let labels = [acme.add(acme.label()), acme.add(acme.label())].map(Label::into_record);
    let acme = acme.import(&stage.ports).await;
    let keys: Vec<Key> = posts.iter().chain(&labels).map(Record::key).collect();
    let dotted = |known: &Known, (kind, id): Key| match kind {
        Kind::Label => {
            let label = known.any::<Label>(id).unwrap();
            edit(label, Label { name: format!("{}.", label.name), ..label.clone() })
        }
        _ => {
            let post = known.any::<FeedbackPost>(id).unwrap();
            edit(post, FeedbackPost { title: format!("{}.", post.title), ..post.clone() })
        }
    };
    let changes = (0..36_usize).map(|n| {
        let of = [keys[n % 4], keys[(n + 1 + n / 4 % 3) % 4]];
        let decide = move |known: &Known| of.iter().map(|key| dotted(known, *key)).collect();
        decided(stage.clone(), acme.id(), keys.clone(), decide)
    });
    at_once(changes).await;
    let mut length = 0;
    for key in keys {
        length += match stored(&stage, acme.id(), key).await {
            Record::Label(label) => label.name.len(),
            Record::FeedbackPost(post) => post.title.len(),
            other => panic!("{other:?}"),
        };
    }
    assert_eq!(length, 2 * "Dark mode".len() + 2 * "Speed".len() + 2 * 36);
}

pub async fn an_organization_that_is_deleted_while_records_change_leaves_nothing(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(acme.subscription());
    let tag = acme.add(acme.tag());
    let acme = acme.import(&stage.ports).await;
    let is_gone = Arc::new(AtomicBool::new(false));
    let makes = (0..4).map(|_| {
        let (stage, organization, is_gone) = (stage.clone(), acme.id(), is_gone.clone());
        let post = FeedbackPost { tag_ids: vec![tag.id], ..acme.post() };
        async move {
            loop {
                let was_gone = is_gone.load(Ordering::Relaxed);
                let (id, slug) = (fresh::<Uuid>(), build::slug(fresh()));
                let post = FeedbackPost { id: id.into(), slug, ..post.clone() };
                let change = noted(change(vec![Step::make(post)], at(0)), &id.to_string());
                let apply = || stage.ports.records.apply(organization, change.clone());
                let recorded = patiently(apply).await;
                if was_gone {
                    return recorded;
                }
            }
        }
    });
    let updates = (0..4).map(|n| {
        let (ports, caller, id) = (stage.ports.clone(), acme.caller(), tag.id);
        async move {
            let mut round = 0;
            loop {
                round += 1;
                let name = Some(Name::parse(&format!("{n} {round}")).unwrap());
                let update = Update::new(id, TagPatch { name, ..TagPatch::default() });
                let update = || crud::update(&ports, caller, update.clone(), None);
                if let Err(error) = asked(update).await {
                    return error;
                }
            }
        }
    });
    let deletion = async {
        while stage.ports.events.list(acme.id(), None, 10).await.unwrap().len() < 10 {
            tokio::task::yield_now().await;
        }
        delete_organization(&stage.ports, acme.id()).await;
        is_gone.store(true, Ordering::Relaxed);
    };
    let (made, updated, ()) = tokio::join!(at_once(makes), at_once(updates), deletion);
    let missing = Recorded::Missing((Kind::FeedbackBoard, acme.board.id.0));
    assert_eq!(made, [missing; 4]);
    let gone = |error| matches!(error, &Error::NotFound(Missing::Record(Kind::Tag)));
    assert!(updated.iter().all(gone), "{updated:?}");
    assert!(inventory(&stage, acme.id()).await.is_empty());
}

pub async fn a_merged_post_is_edited_while_its_target_is_merged_and_both_end(stage: Stage) {
    let mut acme = Tenant::new();
    let mut triples = Vec::new();
    for n in 0..18 {
        let mut posts = [acme.post(), acme.post(), acme.post()];
        // The posts come in every order of their identifiers.
        posts.rotate_left(n % 3);
        posts[1..].rotate_left(n % 2);
        posts[0].merged_into_id = Some(posts[1].id);
        triples.push(posts.map(|post| acme.add(post)));
    }
    let acme = acme.import(&stage.ports).await;
    let tasks = triples.iter().flat_map(|[merged, source, target]| {
        let key = (Kind::FeedbackPost, merged.id.0);
        let (stage, ports, organization, caller) =
            (stage.clone(), stage.ports.clone(), acme.id(), acme.caller());
        let edits = (0..3).map(move |_| {
            let edit = move |known: &Known| {
                let post = known.any::<FeedbackPost>(key.1).unwrap();
                vec![edit(post, FeedbackPost { title: format!("{}.", post.title), ..post.clone() })]
            };
            decided(stage.clone(), organization, vec![key], edit).boxed()
        });
        let merger = acme.author.user_id;
        let request = MergeRequest { source: source.id, target: target.id, merger };
        let merge = async move {
            let merge = || feedback_posts::merge(&ports, caller, request.into(), None);
            let merged = Tried::Did(Outcome::Fresh(WriteResult::Success));
            assert_eq!(asked(merge).await.unwrap(), merged);
        };
        edits.chain([merge.boxed()])
    });
    at_once(tasks).await;
    for [merged, source, target] in triples {
        let expected = FeedbackPost { title: format!("{}...", merged.title), ..merged };
        let key = expected.clone().into_record().key();
        assert_eq!(stored(&stage, acme.id(), key).await, expected.into_record());
        let found = stored(&stage, acme.id(), source.clone().into_record().key()).await;
        let Record::FeedbackPost(found) = found else { panic!("{found:?}") };
        assert_eq!(found.merged_into_id, Some(target.id));
    }
}
