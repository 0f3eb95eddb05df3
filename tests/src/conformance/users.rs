//! `UserRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, ends, export_all, inventory, others};
use crate::build::{OfKind, Tenant, at};
use crate::system::fresh;
use hearback_domain::Uuid;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserSelector};
use hearback_ports::Recorded;

async fn by_id(stage: &Stage, organization: OrganizationId, id: impl Into<Uuid>) -> Option<User> {
    stage.ports.users.find(organization, UserSelector::Id(UserId(id.into()))).await.unwrap()
}

async fn by_email(stage: &Stage, organization: OrganizationId, email: &str) -> Option<User> {
    stage.ports.users.find(organization, UserSelector::Email(email.to_owned())).await.unwrap()
}

pub async fn a_user_is_found_by_the_persons_id_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let bare = acme.add(User {
        email: String::new(),
        avatar_url: String::new(),
        portal_role: "owner".to_owned(),
        company_name: String::new(),
        customer_status: "a status of their own".to_owned(),
        is_subscribed: true,
        ..acme.user()
    });
    let acme = acme.import(&stage.ports).await;
    for user in [acme.author.clone(), bare] {
        assert_eq!(by_id(&stage, acme.id(), user.user_id).await, Some(user));
    }
}

pub async fn the_id_of_a_link_finds_no_user(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    assert_eq!(by_id(&stage, acme.id(), acme.author.id).await, None);
}

pub async fn an_address_is_found_to_the_letter(stage: Stage) {
    let mut acme = Tenant::new();
    let emails = [
        "Ada@Example.com",
        "ada@example.com",
        "ädä@example.com",
        "a\u{308}da\u{308}@example.com",
        "a%@example.com",
    ];
    let users = emails.map(|email| acme.add(User { email: email.to_owned(), ..acme.user() }));
    let acme = acme.import(&stage.ports).await;
    for user in users {
        assert_eq!(by_email(&stage, acme.id(), &user.email).await, Some(user));
    }
    for email in [
        "ADA@example.com",
        "ada@example.com ",
        "ÄDÄ@example.com",
        "%@example.com",
        "a_a@example.com",
    ] {
        assert_eq!(by_email(&stage, acme.id(), email).await, None, "{email}");
    }
}

pub async fn an_empty_address_finds_no_user(stage: Stage) {
    let mut acme = Tenant::new();
    // Several users may have no address.
    acme.add(User { email: String::new(), ..acme.user() });
    acme.add(User { email: String::new(), ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(by_email(&stage, acme.id(), "").await, None);
}

pub async fn inactive_users_are_not_found(stage: Stage) {
    let mut acme = Tenant::new();
    let gone = acme.add(User { is_active: false, ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(by_id(&stage, acme.id(), gone.user_id).await, None);
    assert_eq!(by_email(&stage, acme.id(), &gone.email).await, None);
}

pub async fn a_user_who_is_no_longer_linked_is_found_behind_a_linked_one(stage: Stage) {
    let acme = Tenant::new();
    let external_id = Some("crm-7".to_owned());
    let gone = |n| User {
        is_active: false,
        external_id: external_id.clone(),
        updated_at: at(n),
        ..acme.user()
    };
    let [early, late] = [gone(1), gone(2)];
    let acme = acme.import(&stage.ports).await;
    let both = [&early, &late].map(|user| user.clone().into_record());
    acme.append(&stage.ports, both.to_vec()).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let find = async |organization, selector| {
        stage.ports.users.find_any(organization, selector).await.unwrap()
    };
    let by_external_id = || UserSelector::ExternalId("crm-7".to_owned());
    assert_eq!(find(acme.id(), by_external_id()).await, Some(late.clone()));
    assert_eq!(find(acme.id(), UserSelector::Id(early.user_id)).await, Some(early.clone()));
    let by_address = UserSelector::Email(early.email.clone());
    assert_eq!(find(acme.id(), by_address.clone()).await, Some(early));
    assert_eq!(find(globex.id(), by_address).await, None);
    assert_eq!(find(globex.id(), by_external_id()).await, None);
    let linked = User { external_id, updated_at: at(0), ..acme.user() };
    acme.append(&stage.ports, vec![linked.clone().into_record()]).await;
    assert_eq!(find(acme.id(), by_external_id()).await, Some(linked));
    assert_eq!(find(acme.id(), UserSelector::Email(String::new())).await, None);
}

pub async fn a_person_has_a_profile_in_each_organization(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let mut globex = Tenant::new();
    let there =
        globex.add(User { name: "Countess".to_owned(), id: fresh(), ..acme.author.clone() });
    let globex = globex.import(&stage.ports).await;
    for (organization, user) in [(acme.id(), acme.author.clone()), (globex.id(), there)] {
        assert_eq!(by_email(&stage, organization, &user.email).await, Some(user.clone()));
        assert_eq!(by_id(&stage, organization, user.user_id).await, Some(user));
    }
}

pub async fn another_organizations_users_are_as_unknown_ones(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    assert_eq!(by_id(&stage, globex.id(), acme.author.user_id).await, None);
    assert_eq!(by_id(&stage, globex.id(), fresh::<Uuid>()).await, None);
    assert_eq!(by_email(&stage, globex.id(), &acme.author.email).await, None);
    assert_eq!(by_email(&stage, globex.id(), "nobody@example.com").await, None);
}

pub async fn an_unsubscribed_user_gets_no_more_mail_linked_or_not(stage: Stage) {
    let mut acme = Tenant::new();
    let subscribed = |is_active| User { is_subscribed: true, is_active, ..acme.user() };
    let users = [subscribed(true), subscribed(false), acme.user()].map(|user| acme.add(user));
    let other = acme.add(User { is_subscribed: true, ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    for user in &users {
        // The second call changes nothing.
        for _ in 0..2 {
            ends(Recorded::Done, async || {
                stage.ports.users.unsubscribe(acme.id(), user.user_id, at(99)).await
            })
            .await;
        }
    }
    let stored: Vec<User> = export_all(&stage.ports, acme.id())
        .await
        .iter()
        .filter_map(User::of_record)
        .cloned()
        .collect();
    for user in users {
        let updated_at = if user.is_subscribed { at(99) } else { user.updated_at };
        assert!(stored.contains(&User { is_subscribed: false, updated_at, ..user }));
    }
    for user in [other, acme.author.clone()] {
        assert!(stored.contains(&user));
    }
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn unsubscribing_an_unknown_user_changes_nothing(stage: Stage) {
    let mut acme = Tenant::new();
    let user = acme.add(User { is_subscribed: true, ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    let strangers = [
        (globex.id(), user.user_id),
        (fresh(), user.user_id),
        (acme.id(), fresh()),
        (acme.id(), UserId(user.id.0)),
    ];
    for (organization, user) in strangers {
        ends(Recorded::Done, async || {
            stage.ports.users.unsubscribe(organization, user, at(99)).await
        })
        .await;
    }
    assert_eq!(inventory(&stage, acme.id()).await, before);
}
