//! Sessions of people in the portal, and the sign-ins that begin them.

use crate::id::UserId;
use crate::millis::{DAY, days, minutes};
use crate::permission::Role;
use crate::record::{Record, Step};
use crate::{ClosedSet, Time};
use std::fmt;

/// The SHA-256 of a token, or the keyed digest of a code. A store finds its row by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenDigest(pub [u8; 32]);

impl fmt::Debug for TokenDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenDigest(…)")
    }
}

/// The most sessions of a user. A further one ends the oldest.
pub const MOST_SESSIONS: usize = 30;

/// How long a session lasts without a visit, in milliseconds: 7 days.
pub const SESSION_MILLIS: i64 = days(7);

/// A session of a user in a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The digest of the token that the browser keeps.
    pub digest: TokenDigest,
    /// The user.
    pub user_id: UserId,
    /// The `User-Agent` of the browser: at most 200 characters, or empty.
    pub agent: String,
    /// How the user signed in.
    pub way: Way,
    /// Whether the user has shown the second factor.
    pub factor: Factor,
    /// When the session began.
    pub created_at: Time,
    /// The time of the last noted visit.
    pub seen_at: Time,
    /// The session is over from then on.
    pub expires_at: Time,
}

/// How a user signs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `mail`: by the link or the code of a mail, or by the link of an invitation.
    Mail,
    /// `password`
    Password,
    /// `provider`: by a provider of OpenID Connect.
    Provider,
    /// `token`: by a token of single sign-on.
    Token,
}

impl ClosedSet for Way {
    const ALL: &'static [Self] = &[Self::Mail, Self::Password, Self::Provider, Self::Token];

    fn code(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Password => "password",
            Self::Provider => "provider",
            Self::Token => "token",
        }
    }
}

/// Whether the user of a session has shown the second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// `none`: the user has no second factor.
    None,
    /// `wanted`: the user has one, and has not shown it.
    Wanted,
    /// `shown`
    Shown,
}

impl ClosedSet for Factor {
    const ALL: &'static [Self] = &[Self::None, Self::Wanted, Self::Shown];

    fn code(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Wanted => "wanted",
            Self::Shown => "shown",
        }
    }
}

/// The step that is left before a member of the team counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// To show the second factor.
    Show,
    /// To set one up.
    SetUp,
}

impl Factor {
    /// The step that is left for a member whose organization requires a second factor or not.
    pub fn next_step(self, is_required: bool) -> Option<NextStep> {
        match self {
            Self::Wanted => Some(NextStep::Show),
            Self::None if is_required => Some(NextStep::SetUp),
            Self::None | Self::Shown => None,
        }
    }
}

/// How long a sign-in is fresh, in milliseconds: 10 minutes.
pub const FRESH_MILLIS: i64 = minutes(10);

impl Session {
    /// Whether the user has just shown that the address is the user's own. Then the user sets a
    /// password without the present one.
    pub fn is_fresh(&self, now: Time) -> bool {
        self.way == Way::Mail && self.is_new(now)
    }

    /// Whether the user has just signed in, in any way. Then the user sets up a second factor.
    pub fn is_new(&self, now: Time) -> bool {
        now < self.created_at.plus_millis(FRESH_MILLIS)
    }
}

/// The most wrong codes of a sign-in.
pub const MOST_TRIES: u8 = 5;

/// The most unexpired sign-ins of an address, and the most of them that are acts of guests: each
/// kind counts for itself, so that nobody keeps the owner of an address from signing in. Invitations
/// do not count.
pub const MOST_SIGN_INS: i64 = 5;

/// How long a sign-in lasts, in milliseconds: 10 minutes.
pub const SIGN_IN_MILLIS: i64 = minutes(10);

/// How long a sign-in lasts by which a guest confirms an act, in milliseconds: 24 hours.
pub const ACT_MILLIS: i64 = DAY;

/// How long an invitation lasts, in milliseconds: 7 days.
pub const INVITATION_MILLIS: i64 = days(7);

/// A mail by which a person signs in, or is invited. It is redeemed once: by the link, or by the
/// code.
///
/// A form that waits until its visitor has signed in is kept as one, too: its browser has the token,
/// and no mail leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The digest of the token that the browser keeps, in which the code is valid.
    pub id: TokenDigest,
    /// The digest of the token in the mailed link.
    pub link: TokenDigest,
    /// The keyed digest of the six digits. `None`: an invitation has no code.
    pub code: Option<TokenDigest>,
    /// The address to which the mail goes.
    pub email: String,
    /// The role that the person gets. `Some`: the sign-in is an invitation.
    pub role: Option<Role>,
    /// The page that the person sees then: a path of the portal.
    pub return_to: String,
    /// The act of a guest that the sign-in confirms.
    pub guest: Option<Box<GuestAct>>,
    /// The number of wrong codes so far.
    pub tries: u8,
    /// When the person asked for it.
    pub created_at: Time,
    /// The sign-in is over from then on.
    pub expires_at: Time,
}

/// An act of a guest, which the guest confirms with the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestAct {
    /// The name of the person, if the person becomes a user.
    pub name: String,
    /// The act, in the form of the use case that does it.
    pub act: String,
}

/// By what a sign-in is redeemed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The token in the mailed link.
    Link(TokenDigest),
    /// The mailed code, in the browser that asked for it.
    Code {
        /// The token that the browser keeps.
        id: TokenDigest,
        /// The code.
        code: TokenDigest,
    },
}

/// The answer to a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redeemed {
    /// The proof is right. The sign-in is used up.
    Done(SignIn),
    /// The code is wrong.
    WrongCode {
        /// The number of codes that may still be tried.
        left: u8,
    },
    /// There is no such sign-in, it is over, or it had too many wrong codes.
    Gone,
}

impl SignIn {
    /// Redeems the sign-in. Returns the answer, and the sign-in as it stays stored. `None`: it is
    /// used up. One with too many wrong codes stays, so that it still counts for its address.
    pub fn redeem(self, proof: Proof, now: Time) -> (Redeemed, Option<Self>) {
        if self.expires_at <= now || self.tries >= MOST_TRIES {
            return (Redeemed::Gone, Some(self));
        }
        match proof {
            Proof::Link(link) if self.link == link => (Redeemed::Done(self), None),
            Proof::Code { id, code } if self.id == id && self.code == Some(code) => {
                (Redeemed::Done(self), None)
            }
            Proof::Code { id, .. } if self.id == id && self.code.is_some() => {
                let tries = self.tries.saturating_add(1);
                let answer = match MOST_TRIES.saturating_sub(tries) {
                    0 => Redeemed::Gone,
                    left => Redeemed::WrongCode { left },
                };
                (answer, Some(Self { tries, ..self }))
            }
            Proof::Link(_) | Proof::Code { .. } => (Redeemed::Gone, Some(self)),
        }
    }
}

impl Step {
    /// The user who is no longer linked after the step. The user's sessions end with it.
    pub fn unlinks(&self) -> Option<UserId> {
        match (self.before()?, self.after()?) {
            (Record::User(before), Record::User(after)) => {
                (before.is_active && !after.is_active).then_some(after.user_id)
            }
            _ => None,
        }
    }

    /// The user whom the step blocks. The user's sessions end with it.
    pub fn blocks(&self) -> Option<UserId> {
        match (self.before()?, self.after()?) {
            (Record::User(before), Record::User(after)) => {
                (!before.is_blocked && after.is_blocked).then_some(after.user_id)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;
    use crate::person::{Email, Handle};
    use crate::record::OfKind;
    use crate::user::User;

    fn digest(byte: u8) -> TokenDigest {
        TokenDigest([byte; 32])
    }

    fn at(millis: i64) -> Time {
        Time::from_unix_millis(millis).unwrap()
    }

    fn sign_in() -> SignIn {
        SignIn {
            id: digest(1),
            link: digest(2),
            code: Some(digest(3)),
            email: "ada@example.com".to_owned(),
            role: None,
            return_to: "/".to_owned(),
            guest: None,
            tries: 0,
            created_at: at(0),
            expires_at: at(SIGN_IN_MILLIS),
        }
    }

    fn code(byte: u8) -> Proof {
        Proof::Code { id: digest(1), code: digest(byte) }
    }

    #[test]
    fn a_session_by_mail_is_fresh_for_ten_minutes() {
        let session = |way| Session {
            digest: digest(1),
            user_id: Uuid::from_u128(2).into(),
            agent: String::new(),
            way,
            factor: Factor::None,
            created_at: at(0),
            seen_at: at(0),
            expires_at: at(SESSION_MILLIS),
        };
        for way in Way::ALL {
            assert_eq!(session(*way).is_fresh(at(FRESH_MILLIS - 1)), *way == Way::Mail);
            assert!(!session(*way).is_fresh(at(FRESH_MILLIS)));
            assert!(session(*way).is_new(at(FRESH_MILLIS - 1)));
            assert!(!session(*way).is_new(at(FRESH_MILLIS)));
        }
    }

    #[test]
    fn a_member_shows_a_second_factor_that_is_there_and_sets_up_one_that_is_required() {
        for (factor, required, optional) in [
            (Factor::None, Some(NextStep::SetUp), None),
            (Factor::Wanted, Some(NextStep::Show), Some(NextStep::Show)),
            (Factor::Shown, None, None),
        ] {
            assert_eq!([true, false].map(|it| factor.next_step(it)), [required, optional]);
        }
    }

    #[test]
    fn a_sign_in_is_redeemed_by_its_link_or_its_code_until_it_is_over() {
        for proof in [Proof::Link(digest(2)), code(3)] {
            let last = at(SIGN_IN_MILLIS - 1);
            assert_eq!(sign_in().redeem(proof, last), (Redeemed::Done(sign_in()), None));
            let over = at(SIGN_IN_MILLIS);
            assert_eq!(sign_in().redeem(proof, over), (Redeemed::Gone, Some(sign_in())));
        }
        let elsewhere = Proof::Code { id: digest(9), code: digest(3) };
        for proof in [Proof::Link(digest(3)), elsewhere] {
            assert_eq!(sign_in().redeem(proof, at(0)), (Redeemed::Gone, Some(sign_in())));
        }
    }

    #[test]
    fn the_fifth_wrong_code_ends_a_sign_in() {
        let mut tried = sign_in();
        for left in [4, 3, 2, 1] {
            let (answer, rest) = tried.redeem(code(4), at(0));
            assert_eq!(answer, Redeemed::WrongCode { left });
            tried = rest.unwrap();
        }
        let right = tried.clone().redeem(code(3), at(0));
        assert_eq!(right, (Redeemed::Done(tried.clone()), None));
        let (answer, rest) = tried.redeem(code(4), at(0));
        assert_eq!(answer, Redeemed::Gone);
        let ended = rest.unwrap();
        assert_eq!(ended.tries, MOST_TRIES);
        for proof in [Proof::Link(digest(2)), code(3), code(4)] {
            assert_eq!(ended.clone().redeem(proof, at(0)), (Redeemed::Gone, Some(ended.clone())));
        }
    }

    #[test]
    fn an_invitation_is_redeemed_by_its_link_alone() {
        let invitation = SignIn { code: None, role: Some(Role::Member), ..sign_in() };
        let gone = (Redeemed::Gone, Some(invitation.clone()));
        assert_eq!(invitation.clone().redeem(code(3), at(0)), gone);
        let done = (Redeemed::Done(invitation.clone()), None);
        assert_eq!(invitation.redeem(Proof::Link(digest(2)), at(0)), done);
    }

    #[test]
    fn a_step_unlinks_a_user_who_was_linked_and_blocks_one_who_was_not_blocked() {
        let id = |n| Uuid::from_u128(n);
        let address = Email::parse("ada@example.com").unwrap();
        let linked = Handle::Email(address).user(None, id(4).into(), id(3).into(), Time::MIN);
        let gone = User { is_active: false, ..linked.clone() };
        let unlinks = |before: &User, after: &User| {
            Step::edit_record(before.clone().into_record(), after.clone().into_record(), Time::MAX)
                .unlinks()
        };
        assert_eq!(unlinks(&linked, &gone), Some(linked.user_id));
        assert_eq!(unlinks(&gone, &linked), None);
        let named = User { name: "Ada".to_owned(), ..linked.clone() };
        assert_eq!(unlinks(&linked, &named), None);
        let blocked = User { is_blocked: true, ..linked.clone() };
        let blocks = |before: &User, after: &User| {
            Step::edit_record(before.clone().into_record(), after.clone().into_record(), Time::MAX)
                .blocks()
        };
        assert_eq!(blocks(&linked, &blocked), Some(linked.user_id));
        assert_eq!(blocks(&blocked, &linked), None);
        assert_eq!(blocks(&linked, &gone), None);
    }

    #[test]
    fn a_digest_does_not_show() {
        assert_eq!(format!("{:?}", digest(1)), "TokenDigest(…)");
    }
}
