//! `OrganizationRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::mail_queue::of_post;
use super::sessions::{begins, session, sign_in, signs_in, spends, token};
use super::sso_secrets::{adds, sso_secret};
use super::{
    Stage, change, delete_organization, ends, export_all, inventory, make, others, queue, settled,
    write_mails, write_some,
};
use super::{images, oidc, passwords, second_factors};
use crate::build::{Tenant, Votable, at, begin, organization};
use crate::deliveries::{claim, ended, lease, settle, status, take};
use crate::system::{fresh, patiently};
use futures_util::future::join_all;
use hearback_app::votes::{ToggleVote, toggle};
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::comment::Comment;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::organization::{HelpCenter, Organization};
use hearback_domain::portal::{PortalSettings, Theme};
use hearback_domain::record::Step;
use hearback_domain::slug::Slug;
use hearback_domain::tag::Tag;
use hearback_domain::user::{User, UserSelector};
use hearback_domain::{Time, Uuid};
use hearback_ports::images::Admission;
use hearback_ports::import::Ending;
use hearback_ports::mail_queue::Written;
use hearback_ports::{IdempotencyKey, Recorded, Unique, WriteResult};

async fn insert(stage: &Stage, organization: &Organization, expected: Recorded) {
    ends(expected, async || stage.ports.organizations.insert(organization.clone()).await).await;
}

async fn find(stage: &Stage, slug: &str) -> Option<Organization> {
    stage.ports.organizations.find_by_slug(slug).await.unwrap()
}

pub async fn an_organization_is_found_by_its_slug_in_any_case(stage: Stage) {
    let slug = Slug::parse(&format!("Dark-Mode_2.0~{}", fresh::<Uuid>().simple())).unwrap();
    let name = "Größe 😀".to_owned();
    let acme = Organization {
        slug,
        name,
        help_center: HelpCenter::Disabled,
        events_ledger: false,
        created_at: at(-1),
        ..organization()
    };
    insert(&stage, &acme, Recorded::Done).await;
    let slug = acme.slug.as_str();
    for given in [slug, &slug.to_ascii_lowercase(), &slug.to_ascii_uppercase()] {
        assert_eq!(find(&stage, given).await, Some(acme.clone()));
    }
    // No character of a slug is a pattern, and only ASCII letters match without regard to case.
    for other in [&slug.replace('_', "x"), &slug.replace('D', "Đ"), &slug[1..], "", "%"] {
        assert_eq!(find(&stage, other).await, None, "{other}");
    }
}

pub async fn a_taken_slug_is_refused_in_any_case(stage: Stage) {
    let acme = organization();
    insert(&stage, &acme, Recorded::Done).await;
    for slug in [acme.slug.as_str().to_owned(), acme.slug.as_str().to_ascii_uppercase()] {
        let late = Organization {
            slug: Slug::parse(&slug).unwrap(),
            name: "Late".to_owned(),
            ..organization()
        };
        insert(&stage, &late, Recorded::Taken(Unique::Slug)).await;
    }
    assert_eq!(find(&stage, acme.slug.as_str()).await, Some(acme));
}

/// The organization with a portal at a host.
pub(super) fn at_host(host: &str, organization: Organization) -> Organization {
    let portal = PortalSettings { host: Some(host.to_owned()), ..organization.portal };
    Organization { portal, ..organization }
}

async fn find_at(stage: &Stage, host: &str) -> Option<Organization> {
    stage.ports.organizations.find_by_host(host).await.unwrap()
}

async fn set(stage: &Stage, before: &Organization, after: &Organization, expected: Recorded) {
    let steps = vec![Step::edit(before.clone(), after.clone(), at(1))];
    let change = change(steps, at(1));
    ends(expected, async || stage.ports.records.apply(before.id, change.clone()).await).await;
}

pub async fn an_organization_is_found_by_its_host_in_any_case(stage: Stage) {
    let host = format!("feedback.{}.example", fresh::<Uuid>().simple());
    let other_host = format!("other.{host}");
    let plain = organization();
    let acme = at_host(&host, organization());
    let portal = PortalSettings { theme: Theme::Dark, is_private: true, ..acme.portal };
    let acme = Organization { portal, ..acme };
    insert(&stage, &plain, Recorded::Done).await;
    insert(&stage, &acme, Recorded::Done).await;
    for given in [host.clone(), host.to_ascii_uppercase()] {
        assert_eq!(find_at(&stage, &given).await, Some(acme.clone()));
    }
    for other in [&other_host, &host[1..], "", "%"] {
        assert_eq!(find_at(&stage, other).await, None, "{other}");
    }
    let moved = at_host(&other_host, acme.clone());
    set(&stage, &acme, &moved, Recorded::Done).await;
    assert_eq!(find_at(&stage, &host).await, None);
    assert_eq!(find_at(&stage, &other_host).await, Some(moved.clone()));
    let reset = Organization { portal: PortalSettings::default(), ..moved.clone() };
    set(&stage, &moved, &reset, Recorded::Done).await;
    assert_eq!(find_at(&stage, &other_host).await, None);
    assert_eq!(find(&stage, reset.slug.as_str()).await, Some(reset));
}

pub async fn a_taken_host_is_refused(stage: Stage) {
    let host = format!("{}.example", fresh::<Uuid>().simple());
    let acme = at_host(&host, organization());
    let globex = organization();
    insert(&stage, &acme, Recorded::Done).await;
    insert(&stage, &globex, Recorded::Done).await;
    let late = at_host(&host, organization());
    insert(&stage, &late, Recorded::Taken(Unique::Host)).await;
    set(&stage, &globex, &at_host(&host, globex.clone()), Recorded::Taken(Unique::Host)).await;
    assert_eq!(find(&stage, globex.slug.as_str()).await, Some(globex));
    assert_eq!(find_at(&stage, &host).await, Some(acme.clone()));
    // A deleted organization gives up its host.
    ends(Recorded::Done, async || stage.ports.organizations.delete(acme.id).await).await;
    assert_eq!(find_at(&stage, &host).await, None);
    insert(&stage, &late, Recorded::Done).await;
    assert_eq!(find_at(&stage, &host).await, Some(late));
}

pub async fn a_taken_identifier_is_refused(stage: Stage) {
    let acme = organization();
    insert(&stage, &acme, Recorded::Done).await;
    let late = Organization { id: acme.id, ..organization() };
    insert(&stage, &late, Recorded::Taken(Unique::Id)).await;
    assert_eq!(find(&stage, late.slug.as_str()).await, None);
}

pub async fn organizations_are_listed_by_slug_in_code_points(stage: Stage) {
    let common = fresh::<Uuid>().simple().to_string();
    let ending = |end| Organization {
        slug: Slug::parse(&format!("{common}{end}{common}")).unwrap(),
        ..organization()
    };
    let mut acme = ["a", "B", "_", "Z", "~", "c", "0", ".", "-"].map(ending);
    for organization in &acme {
        insert(&stage, organization, Recorded::Done).await;
    }
    acme.sort_by(|a, b| a.slug.as_str().cmp(b.slug.as_str()));
    let mut listed = stage.ports.organizations.list().await.unwrap();
    assert!(listed.is_sorted_by(|a, b| a.slug.as_str() < b.slug.as_str()));
    listed.retain(|organization| organization.slug.as_str().starts_with(&common));
    assert_eq!(listed, acme);
}

pub async fn of_many_organizations_of_one_slug_at_once_one_is_added(stage: Stage) {
    let slug = organization().slug;
    let add = async |_| {
        let new = Organization { slug: slug.clone(), ..organization() };
        (settled(async || stage.ports.organizations.insert(new.clone()).await).await, new)
    };
    let mut winners = Vec::new();
    for added in join_all((0..30).map(add)).await {
        match added {
            (Recorded::Done, new) => winners.push(new),
            (recorded, _) => assert_eq!(recorded, Recorded::Taken(Unique::Slug)),
        }
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(find(&stage, slug.as_str()).await, winners.pop());
}

pub async fn a_deletion_takes_everything_of_an_organization_and_nothing_else(stage: Stage) {
    let mut acme = Tenant::full();
    let post = acme.add(acme.post());
    let entry = ChangelogEntry {
        status: EntryStatus::Published,
        published_at: Some(at(0)),
        notify: true,
        ..acme.entry()
    };
    let key = acme.all::<hearback_domain::api_key::ApiKey>().remove(0);
    let mailings = of_post(&mut acme);
    let acme = acme.import(&stage.ports).await;
    // Rows that no import writes: mailings, mails, an event, deliveries with an attempt, a receipt,
    // a session, a sign-in, a token and a secret of single sign-on.
    make(&stage, acme.id(), entry.clone()).await;
    for mailing in mailings {
        queue(&stage, acme.id(), mailing).await;
    }
    assert!(write_mails(&stage, acme.id(), at(0), 100).await > 0);
    let repeat = hearback_app::Repeat {
        path: "/votes/toggle",
        key: IdempotencyKey::parse("once").unwrap(),
        body: [1; 32],
    };
    let input = ToggleVote { voter: acme.author.user_id, target: post.target() };
    let outcome = toggle(&stage.ports, acme.caller(), input, Some(repeat)).await.unwrap();
    assert_eq!(outcome.answer(), WriteResult::Voted(true));
    let mine = lease(Time::MAX);
    let claimed = take(&stage, claim(&acme, mine, Time::MAX), 1).await;
    settle(&stage, vec![ended(&claimed[0], mine, status(500), Time::MAX)]).await;
    take(&stage, claim(&acme, mine, Time::MAX), 1).await;
    begins(&stage, acme.id(), &session(acme.author.user_id, 0), Recorded::Done).await;
    signs_in(&stage, acme.id(), &sign_in("ada@example.com", 0), Recorded::Done).await;
    spends(&stage, acme.id(), token(), [1, 0], Recorded::Done).await;
    adds(&stage, acme.id(), &sso_secret(0), Recorded::Done).await;
    images::adds(&stage, acme.id(), images::image(0), 100, Admission::Added).await;
    let user = acme.author.user_id;
    oidc::adds(&stage, acme.id(), &oidc::provider(0), Recorded::Done).await;
    oidc::links(&stage, acme.id(), &oidc::account(user), Recorded::Done).await;
    let tried = passwords::tries(&stage, acme.id(), token(), [at(0), at(1)]).await;
    assert_eq!(tried, Recorded::Done);
    passwords::sets(&stage, acme.id(), &passwords::password(user, 0), None, Recorded::Done).await;
    begins(&stage, acme.id(), &session(user, 0), Recorded::Done).await;
    let factor = second_factors::factor(user);
    second_factors::adds(&stage, acme.id(), &factor, token(), Recorded::Done).await;
    begins(&stage, acme.id(), &session(user, 0), Recorded::Done).await;
    let rows = stage.probe.rows(acme.id()).await;
    assert!(["events", "deliveries", "delivery_attempts"].iter().all(|&kind| rows[kind] == 1));
    let before = others(&stage, &acme).await;

    delete_organization(&stage.ports, acme.id()).await;
    assert!(inventory(&stage, acme.id()).await.is_empty());
    assert_eq!(find(&stage, acme.organization.slug.as_str()).await, None);
    assert_eq!(stage.ports.keys.owner(key.digest).await.unwrap(), None);
    let selector = UserSelector::Id(acme.author.user_id);
    assert_eq!(stage.ports.users.find(acme.id(), selector).await.unwrap(), None);
    assert_eq!(others(&stage, &acme).await, before);

    // The organization's identifiers, slug and key are free again.
    let mut import = begin(&stage.ports).await;
    acme.put(&mut *import).await.unwrap();
    import.finish(Ending::Commit).await.unwrap();
    assert_eq!(export_all(&stage.ports, acme.id()).await, acme.exported());
}

pub async fn a_deleted_organization_is_gone_before_its_rows_are(stage: Stage) {
    let mut acme = Tenant::full();
    acme.add(User { is_subscribed: true, ..acme.user() });
    let post = acme.add(acme.post());
    let tag = acme.add(acme.tag());
    let key = acme.all::<hearback_domain::api_key::ApiKey>().remove(0);
    let entry = acme.entry();
    let acme = acme.import(&stage.ports).await;
    let scheduled =
        ChangelogEntry { status: EntryStatus::Scheduled, scheduled_at: Some(at(0)), ..entry };
    make(&stage, acme.id(), scheduled.clone()).await;
    let published = ChangelogEntry {
        id: fresh(),
        slug: crate::build::slug(fresh()),
        status: EntryStatus::Published,
        published_at: Some(at(0)),
        scheduled_at: None,
        notify: true,
        ..scheduled.clone()
    };
    make(&stage, acme.id(), published).await;
    assert!(write_mails(&stage, acme.id(), at(0), 1).await > 0);
    let input = ToggleVote { voter: acme.author.user_id, target: post.target() };
    toggle(&stage.ports, acme.caller(), input, None).await.unwrap();

    let (ports, id) = (&stage.ports, acme.id());
    ends(Recorded::Done, async || ports.organizations.delete(id).await).await;
    let slug = acme.organization.slug.as_str();
    assert_eq!(find(&stage, slug).await, None);
    assert!(ports.organizations.list().await.unwrap().iter().all(|it| it.id != id));
    assert_eq!(ports.exporter.snapshot().await.unwrap().organization(slug).await.unwrap(), None);
    assert_eq!(ports.keys.owner(key.digest).await.unwrap(), None);
    ends(Recorded::Stale, async || ports.organizations.delete(id).await).await;
    let edited = Tag { name: "gone".to_owned(), ..tag.clone() };
    let edit = change(vec![Step::edit(tag, edited, at(1))], at(1));
    ends(Recorded::Stale, async || ports.records.apply(id, edit.clone()).await).await;
    assert_eq!(write_some(ports, id, at(0), 100).await.unwrap(), Written::Nothing);
    assert_eq!(ports.mail_queue.claim(id, lease(at(9)), at(0), 100).await.unwrap(), []);
    assert_eq!(take(&stage, claim(&acme, lease(Time::MAX), Time::MAX), 0).await, []);

    // The slug is free. The identifier is free when the rows are gone.
    let has_rows = ports.organizations.deleted().await.unwrap().iter().any(|it| it.id == id);
    let heir = Organization { slug: acme.organization.slug.clone(), ..organization() };
    insert(&stage, &heir, Recorded::Done).await;
    if has_rows {
        let same = Organization { id, ..organization() };
        insert(&stage, &same, Recorded::Taken(Unique::Id)).await;
    }
    assert_eq!(patiently(|| ports.organizations.remove(heir.id)).await, 0);
    while patiently(|| ports.organizations.remove(id)).await > 0 {}
    assert!(ports.organizations.deleted().await.unwrap().iter().all(|it| it.id != id));
    assert!(inventory(&stage, id).await.is_empty());
    assert_eq!(find(&stage, slug).await, Some(heir));
}

pub async fn two_removals_at_once_take_records_that_refer_to_each_other(stage: Stage) {
    let mut acme = Tenant::new();
    let target = acme.add(acme.post());
    let mut last = acme.add(FeedbackPost { merged_into_id: Some(target.id), ..acme.post() });
    for _ in 0..600 {
        let comment = acme.add(acme.comment(&target));
        acme.add(Comment { parent_comment_id: Some(comment.id), ..acme.comment(&target) });
        last = acme.add(FeedbackPost { merged_into_id: Some(last.id), ..acme.post() });
    }
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let (ports, id) = (&stage.ports, acme.id());
    ends(Recorded::Done, async || ports.organizations.delete(id).await).await;
    let remove = |()| async { while patiently(|| ports.organizations.remove(id)).await > 0 {} };
    join_all([(); 2].map(remove)).await;
    assert!(inventory(&stage, acme.id()).await.is_empty());
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn a_deletion_of_a_missing_organization_is_stale(stage: Stage) {
    let acme = organization();
    insert(&stage, &acme, Recorded::Done).await;
    for expected in [Recorded::Done, Recorded::Stale] {
        ends(expected, async || stage.ports.organizations.delete(acme.id).await).await;
    }
    ends(Recorded::Stale, async || stage.ports.organizations.delete(fresh()).await).await;
}
