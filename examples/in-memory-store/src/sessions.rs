//! Sessions and sign-ins of the portal.

use crate::lists::{Order, size, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::session::{
    Factor, MOST_SESSIONS, MOST_SIGN_INS, Proof, Redeemed, Session, SignIn, TokenDigest,
};
use hearback_domain::user::User;
use hearback_ports::sessions::MOST_REMOVED;
use hearback_ports::{Recorded, SessionRepository};
use std::collections::BTreeMap;

#[async_trait]
impl SessionRepository for MemoryStore {
    async fn sign_in(&self, organization: OrganizationId, sign_in: SignIn) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let (now, is_invitation) = (sign_in.created_at, sign_in.role.is_some());
            let is_same = |it: &SignIn| {
                it.email == sign_in.email
                    && it.role.is_some() == is_invitation
                    && it.guest.is_some() == sign_in.guest.is_some()
            };
            if is_invitation {
                tenant.sign_ins.retain(|_, it| !is_same(it));
            } else {
                let open = tenant.sign_ins.values().filter(|it| is_same(it) && it.expires_at > now);
                if open.count() >= size(MOST_SIGN_INS) {
                    return Err(Recorded::Stale);
                }
            }
            remove(&mut tenant.sign_ins, MOST_REMOVED, |it| it.expires_at <= now);
            tenant.sign_ins.insert(sign_in.id, sign_in);
            Ok(())
        })
    }

    async fn offered(
        &self,
        organization: OrganizationId,
        link: TokenDigest,
        now: Time,
    ) -> Result<Option<SignIn>> {
        self.read(organization, |tenant| {
            tenant.sign_ins.values().find(|it| it.link == link && it.expires_at > now).cloned()
        })
    }

    async fn invitations(&self, organization: OrganizationId, now: Time) -> Result<Vec<SignIn>> {
        self.read(organization, |tenant| {
            let open =
                tenant.sign_ins.values().filter(|it| it.role.is_some() && it.expires_at > now);
            let mut open: Vec<SignIn> = open.cloned().collect();
            open.sort_by_key(|it| (it.created_at, it.link));
            open
        })
    }

    async fn redeem(
        &self,
        organization: OrganizationId,
        proof: Proof,
        now: Time,
    ) -> Result<Redeemed> {
        let redeemed = self.update(organization, |tenant| {
            let id = match proof {
                Proof::Link(link) => tenant.sign_ins.values().find(|it| it.link == link)?.id,
                Proof::Code { id, .. } => id,
            };
            let (answer, rest) = tenant.sign_ins.remove(&id)?.redeem(proof, now);
            tenant.sign_ins.extend(rest.map(|rest| (id, rest)));
            Some(answer)
        });
        Ok(redeemed?.unwrap_or(Redeemed::Gone))
    }

    async fn begin(&self, organization: OrganizationId, session: Session) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let (user, now) = (session.user_id, session.created_at);
            tenant.find::<User>(user).ok_or(Recorded::Stale)?;
            tenant.sessions.retain(|_, it| it.user_id != user || it.expires_at > now);
            let began = |it: &&Session| (it.created_at, it.digest);
            let newest = sorted(tenant.sessions_of(user), Order::Descending, began);
            let oldest = newest.into_iter().skip(MOST_SESSIONS - 1).map(|it| it.digest);
            for digest in Vec::from_iter(oldest) {
                tenant.sessions.remove(&digest);
            }
            let has_factor = tenant.second_factors.contains_key(&user);
            let factor = if has_factor { Factor::Wanted } else { session.factor };
            tenant.sessions.insert(session.digest, Session { factor, ..session });
            Ok(())
        })
    }

    async fn find(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
        now: Time,
    ) -> Result<Option<(Session, User)>> {
        self.read(organization, |tenant| {
            let session = tenant.sessions.get(&digest).filter(|it| it.expires_at > now)?;
            Some((session.clone(), tenant.find::<User>(session.user_id)?.clone()))
        })
    }

    async fn touch(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
        seen_at: Time,
        expires_at: Time,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            let session = tenant.sessions.get_mut(&digest).filter(|it| it.seen_at < seen_at);
            if let Some(session) = session {
                (session.seen_at, session.expires_at) = (seen_at, expires_at);
            }
        })
    }

    async fn end(&self, organization: OrganizationId, digest: TokenDigest) -> Result<()> {
        self.update(organization, |tenant| drop(tenant.sessions.remove(&digest)))
    }

    async fn of_user(
        &self,
        organization: OrganizationId,
        user: UserId,
        now: Time,
    ) -> Result<Vec<Session>> {
        self.read(organization, |tenant| {
            let open = tenant.sessions_of(user).filter(|it| it.expires_at > now).cloned();
            sorted(open, Order::Descending, |it| (it.seen_at, it.digest))
        })
    }

    async fn end_all(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<()> {
        self.update(organization, |tenant| tenant.end_all(user, except))
    }

    async fn spend(
        &self,
        organization: OrganizationId,
        token: TokenDigest,
        until: Time,
        now: Time,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            remove(&mut tenant.spent_tokens, MOST_REMOVED, |until| *until <= now);
            let before = tenant.spent_tokens.insert(token, until);
            if before.is_some_and(|before| before > now) { Err(Recorded::Stale) } else { Ok(()) }
        })
    }

    async fn prune(&self, organization: OrganizationId, now: Time, limit: i64) -> Result<usize> {
        self.update(organization, |tenant| {
            remove(&mut tenant.sessions, limit, |it| it.expires_at <= now)
                + remove(&mut tenant.sign_ins, limit, |it| it.expires_at <= now)
                + remove(&mut tenant.spent_tokens, limit, |until| *until <= now)
                + remove(&mut tenant.tries, limit, |it| it.expires_at <= now)
        })
    }
}

/// Removes up to `limit` values that are over. Returns their number.
fn remove<T>(
    all: &mut BTreeMap<TokenDigest, T>,
    limit: i64,
    is_over: impl Fn(&T) -> bool,
) -> usize {
    let over = all.iter().filter(|(_, value)| is_over(value)).map(|(key, _)| *key);
    let over = Vec::from_iter(over.take(size(limit)));
    for key in &over {
        all.remove(key);
    }
    over.len()
}

impl Tenant {
    fn sessions_of(&self, user: UserId) -> impl Iterator<Item = &Session> {
        self.sessions.values().filter(move |session| session.user_id == user)
    }
}
