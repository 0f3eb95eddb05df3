//! The facts of the installation, and its secrets.

use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Uuid;
use hearback_domain::api_key::Sealed;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::instance::{Fact, Reseal, Resealed, SealedSecret, SecretKind, SecretPlace};
use hearback_ports::{InstanceRepository, Kind, Record};
use std::sync::Arc;

#[async_trait]
impl InstanceRepository for MemoryStore {
    async fn find(&self, name: &'static str) -> Result<Option<Vec<u8>>> {
        Ok(self.state().facts.get(name).cloned())
    }

    async fn keep_first(&self, name: &'static str, value: Vec<u8>) -> Result<Vec<u8>> {
        self.write(|state| Ok(state.facts.entry(name).or_insert(value).clone()))
    }

    async fn reseal(&self, known: Fact, facts: Vec<Fact>, reseal: Reseal) -> Result<Resealed> {
        let resealed = self.write(|state| {
            if state.facts.get(known.name) != Some(&known.value) {
                return Err(Resealed::Stale);
            }
            state.facts.extend(facts.into_iter().map(|fact| (fact.name, fact.value)));
            let mut secrets = 0;
            for (organization, tenant) in &mut state.tenants {
                for (record, kind, sealed) in Arc::make_mut(tenant).secrets() {
                    let place = SecretPlace { organization: *organization, record, kind };
                    let secret = SealedSecret { place, sealed: sealed.clone() };
                    if let Some(anew) = reseal(&secret).map_err(|_| Resealed::Refused(place))? {
                        *sealed = anew;
                        secrets += 1;
                    }
                }
            }
            Ok(Resealed::Done { secrets })
        });
        Ok(resealed.unwrap_or_else(|refused| refused))
    }
}

impl Tenant {
    fn secrets(&mut self) -> Vec<(Uuid, SecretKind, &mut Sealed)> {
        let mut all = Vec::new();
        for key in self.revoked_keys.values_mut() {
            all.push((key.id.0, SecretKind::RevokedApiKey, &mut key.sealed));
        }
        for secret in &mut self.sso_secrets {
            all.push((secret.id.0, SecretKind::SsoSecret, &mut secret.sealed));
        }
        for provider in &mut self.oidc_providers {
            all.push((provider.id.0, SecretKind::OidcSecret, &mut provider.sealed));
        }
        for factor in self.second_factors.values_mut() {
            all.push((factor.user_id.0, SecretKind::SecondFactor, &mut factor.sealed));
        }
        // Only records of the last two kinds have secrets. The others are not copied.
        for (_, record) in self.records.range_mut((Kind::WebhookSubscription, Uuid::nil())..) {
            match Arc::make_mut(record) {
                Record::ApiKey(key) => all.push((key.id.0, SecretKind::ApiKey, &mut key.sealed)),
                Record::WebhookSubscription(subscription) => {
                    let id = subscription.id.0;
                    let WebhookSubscription { secret, previous_secret, .. } = subscription;
                    all.push((id, SecretKind::SigningSecret, secret));
                    let previous = previous_secret.as_mut();
                    let kind = SecretKind::PreviousSigningSecret;
                    all.extend(previous.map(|secret| (id, kind, secret)));
                }
                _ => {}
            }
        }
        all
    }
}
