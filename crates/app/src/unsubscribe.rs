//! Unsubscribe links: `{portal}/unsubscribe/{token}`, the same on every replica and valid for ever.
//!
//! A token is `version (1 byte) | organization | user | tag` in unpadded base64url, and `version |
//! organization | user | post | tag` if it ends the subscription to a post alone. The version says
//! whether a token without a post ends all mail, or that about the changelog. The tag is the
//! HMAC-SHA256 of the bytes before it, under a key derived from the master key for this use alone.
//! So only a recipient of the link can unsubscribe the user, and nothing is stored for each mail.
//! Tags of former master keys stay valid ([`FormerLinks`](crate::vault::FormerLinks)).

use crate::once::once;
use crate::{Caller, Error, Missing, Vault, write};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::Uuid;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::organization::Organization;
use hearback_domain::record::{Kind, Step};
use hearback_domain::user::User;
use hearback_ports::{Ports, Recorded, WriteResult};
use ring::hmac;

/// Makes and opens unsubscribe tokens.
pub struct UnsubscribeTokens {
    present: hmac::Key,
    /// The keys of the present master key and of former ones.
    good: Vec<hmac::Key>,
}

impl UnsubscribeTokens {
    /// Tokens under the keys of a vault.
    pub fn new(vault: &Vault) -> Self {
        let good = vault
            .unsubscribing_keys()
            .map(|key| hmac::Key::new(hmac::HMAC_SHA256, &**key))
            .collect();
        Self { present: hmac::Key::new(hmac::HMAC_SHA256, &**vault.unsubscribing_key()), good }
    }

    /// The token that unsubscribes a user from an organization's mails. It is a secret of the user
    /// and must not be logged.
    pub fn token(&self, organization: OrganizationId, user: UserId) -> String {
        self.signed(ALL, &[organization.0, user.0])
    }

    /// The token that ends the mails of a user about the changelog. It is a secret, too.
    pub fn of_changelog(&self, organization: OrganizationId, user: UserId) -> String {
        self.signed(CHANGELOG, &[organization.0, user.0])
    }

    /// The token that ends the subscription of a user to a post. It is a secret, too.
    pub fn of_post(&self, organization: OrganizationId, user: UserId, post: PostId) -> String {
        self.signed(ONE_POST, &[organization.0, user.0, post.0])
    }

    fn signed(&self, version: u8, ids: &[Uuid]) -> String {
        let mut bytes = vec![version];
        bytes.extend(ids.iter().flat_map(Uuid::as_bytes));
        let tag = hmac::sign(&self.present, &bytes);
        bytes.extend_from_slice(tag.as_ref());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The mails that a token ends. `None` if no key of this installation signed it.
    pub fn open(&self, token: &str) -> Option<Ending> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (signed, tag) = bytes.split_last_chunk::<TAG_LENGTH>()?;
        self.good.iter().find(|key| hmac::verify(key, signed, tag).is_ok())?;
        let (version, ids) = signed.split_first()?;
        let ids: Vec<Uuid> = ids.chunks(16).map(Uuid::from_slice).collect::<Result<_, _>>().ok()?;
        let (organization, user, mails) = match (*version, &ids[..]) {
            (ALL, [organization, user]) => (organization, user, Mails::All),
            (CHANGELOG, [organization, user]) => (organization, user, Mails::Changelog),
            (ONE_POST, [organization, user, post]) => {
                (organization, user, Mails::Post((*post).into()))
            }
            _ => return None,
        };
        let (organization, user) = ((*organization).into(), (*user).into());
        Some(Ending { organization, user, mails })
    }
}

/// The mails that an unsubscription ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The organization.
    pub organization: OrganizationId,
    /// The user.
    pub user: UserId,
    /// The mails that end.
    pub mails: Mails,
}

/// Mails to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mails {
    /// All of them.
    All,
    /// Those about the changelog.
    Changelog,
    /// Those about a post: the subscription to it ends.
    Post(PostId),
}

/// Unsubscribes a user from mails. It succeeds even if the user, the post or the organization no
/// longer exists.
pub async fn unsubscribe(
    ports: &Ports,
    Ending { organization, user, mails }: Ending,
) -> Result<(), Error> {
    let caller = Caller::background(organization).doing("unsubscribe");
    if mails == Mails::Changelog {
        let off = |user| Ok(User { changelog_mail: false, ..user });
        return match write::edit(ports, caller, user, None, off).await {
            Ok(_) | Err(Error::NotFound(Missing::Record(Kind::User))) => Ok(()),
            Err(error) => Err(error),
        };
    }
    let round = |_| async move {
        let at = ports.clock.now();
        let Mails::Post(post) = mails else {
            return Ok((
                ports.users.unsubscribe(organization, user, at).await?,
                WriteResult::Success,
            ));
        };
        let found = ports.subscriptions.find(organization, post, user).await?;
        let Some(subscription) = found else { return Ok((Recorded::Done, WriteResult::Success)) };
        let steps = vec![Step::remove(subscription)];
        Ok((write::change(ports, caller, steps, vec![], vec![], at).await?, WriteResult::Success))
    };
    once(ports, organization, user, None, round).await.map(drop)
}

/// The user who is unsubscribed, with the organization, as long as both are there.
pub async fn reader(
    ports: &Ports,
    Ending { organization, user, .. }: Ending,
) -> Result<Option<(Organization, Option<User>)>, Error> {
    let keys = vec![(Kind::Organization, organization.0), (Kind::User, user.0)];
    let known = ports.records.load(organization, keys).await?;
    let found: Option<&Organization> = known.active(organization);
    Ok(found.map(|found| (found.clone(), known.active(user).cloned())))
}

/// The version of a token that ends all mail.
const ALL: u8 = 1;
/// The version of a token that ends a subscription.
const ONE_POST: u8 = 2;
/// The version of a token that ends the mails about the changelog.
const CHANGELOG: u8 = 3;
/// The length of HMAC-SHA256, in bytes.
const TAG_LENGTH: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use hearback_domain::Time;
    use hearback_ports::Recorded;
    use hearback_ports::mock::Mocks;
    use std::time::Duration;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const USER: UserId = UserId(Uuid::from_u128(2));

    fn all() -> Ending {
        Ending { organization: ORGANIZATION, user: USER, mails: Mails::All }
    }

    fn tokens(master_key: &str) -> UnsubscribeTokens {
        UnsubscribeTokens::new(&Vault::new(&MasterKey::parse(&master_key.repeat(32)).unwrap()))
    }

    #[test]
    fn a_token_has_its_organization_and_user() {
        let token = tokens("ab").token(ORGANIZATION, USER);
        assert_eq!(tokens("ab").open(&token), Some(all()));
        let post = Uuid::from_u128(3).into();
        let of_post = tokens("ab").of_post(ORGANIZATION, USER, post);
        assert_eq!(tokens("ab").open(&of_post), Some(Ending { mails: Mails::Post(post), ..all() }));
        let of_changelog = tokens("ab").of_changelog(ORGANIZATION, USER);
        let mails = Mails::Changelog;
        assert_eq!(tokens("ab").open(&of_changelog), Some(Ending { mails, ..all() }));
        assert!(
            token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
            "{token}"
        );
    }

    #[test]
    fn only_our_own_tokens_open() {
        let token = tokens("ab").token(ORGANIZATION, USER);
        assert_eq!(tokens("cd").open(&token), None);
        for length in 0..token.len() {
            assert_eq!(tokens("ab").open(&token[..length]), None);
        }
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        for place in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place] ^= 1;
            assert_eq!(tokens("ab").open(&URL_SAFE_NO_PAD.encode(bytes)), None);
        }
        for text in ["", "x", "é", &"A".repeat(10_000)] {
            assert_eq!(tokens("ab").open(text), None);
        }
    }

    #[tokio::test]
    async fn a_lost_race_is_tried_again_until_it_is_done() {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.clock.expect_sleep().returning(|_| ());
        let mut answers = vec![Recorded::Done, Recorded::Stale];
        mocks
            .users
            .expect_unsubscribe()
            .times(2)
            .returning(move |_, _, _| Ok(answers.pop().unwrap_or(Recorded::Stale)));
        assert!(unsubscribe(&mocks.ports(), all()).await.is_ok());
    }
}
