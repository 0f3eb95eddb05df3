//! A round trip through another store: its export equals the first one, byte for byte.

use super::{postgres_store, sqlite};
use hearback_app::portable::{Secrets, export, import};
use hearback_app::vault::{Purpose, digest};
use hearback_app::{MasterKey, Vault};
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_ports::import::Ending;
use hearback_ports::{Ports, Record};
use hearback_tests::build::Tenant;
use hearback_tests::conformance::{delete_organization, export_all};
use hearback_tests::generate;
use hearback_tests::property::for_all;
use hearback_tests::system::{block_on, fresh};
use std::io::Cursor;
use std::sync::Arc;

#[test]
fn an_organization_is_the_same_in_the_other_store() {
    block_on(async {
        let stores = [sqlite::stage().await.ports, postgres_store::stage().await.ports];
        for (from, to) in [(&stores[0], &stores[1]), (&stores[1], &stores[0])] {
            for_all(6, generate::tenant(), async |tenant: Tenant| goes(from, to, tenant).await);
        }
    });
}

#[test]
fn an_organization_of_every_kind_of_record_comes_back_as_it_was() {
    block_on(async {
        let stores = [sqlite::stage().await.ports, postgres_store::stage().await.ports];
        goes(&stores[0], &stores[1], Tenant::full()).await;
        goes(&stores[1], &stores[0], Tenant::full()).await;
    });
}

async fn goes(from: &Ports, to: &Ports, tenant: Tenant) {
    let vault = Arc::new(Vault::new(&MasterKey::parse(&"5a".repeat(32)).expect("a master key")));
    let tenant =
        tenant.map(|organization, record| seal(&vault, organization, record)).import(from).await;
    let slug = tenant.organization.slug.as_str();
    let open = written(from, &vault, slug, Secrets::Write).await;
    let closed = written(from, &vault, slug, Secrets::LeaveOut).await;
    for (file, secrets) in [(open, Secrets::Write), (closed, Secrets::LeaveOut)] {
        read(to, &vault, file.clone()).await;
        let again = written(to, &vault, slug, secrets).await;
        assert_eq!(String::from_utf8(again), String::from_utf8(file));
        if secrets == Secrets::Write {
            assert_eq!(unsealed(export_all(to, tenant.id()).await), unsealed(tenant.exported()));
        }
        delete_organization(to, tenant.id()).await;
    }
}

async fn written(ports: &Ports, vault: &Vault, slug: &str, secrets: Secrets) -> Vec<u8> {
    let mut file = Vec::new();
    export(ports, vault, slug, secrets, &mut file).await.expect("the organization is exported");
    file
}

async fn read(ports: &Ports, vault: &Arc<Vault>, file: Vec<u8>) {
    let imported = import(ports, vault.clone(), Cursor::new(file), Ending::Commit, |_| {}).await;
    imported.expect("the organization is imported");
}

/// The records without sealed values, which differ each time.
fn unsealed(mut records: Vec<Record>) -> Vec<Record> {
    for record in &mut records {
        match record {
            Record::ApiKey(key) => key.sealed.0.clear(),
            Record::WebhookSubscription(subscription) => {
                subscription.secret.0.clear();
                // A previous secret does not move.
                (subscription.previous_secret, subscription.previous_until) = (None, None);
            }
            _ => {}
        }
    }
    records
}

/// Gives a record a sealed secret that can be opened.
fn seal(vault: &Vault, organization: OrganizationId, record: &mut Record) {
    match record {
        Record::ApiKey(key) => {
            let plain = format!("hbk_{}{}", fresh::<Uuid>().simple(), "-_aZ09-_aZ0");
            key.sealed = vault
                .seal(organization, key.id.0, Purpose::ApiKey, &plain)
                .expect("the key is sealed");
            key.digest = digest(&plain);
        }
        Record::WebhookSubscription(subscription) => {
            let id = subscription.id.0;
            subscription.secret = vault
                .seal(organization, id, Purpose::SigningSecret, "whsec_ü")
                .expect("the secret is sealed");
        }
        _ => {}
    }
}
