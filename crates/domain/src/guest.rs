//! Guests: visitors who act on a board before they sign in.

use crate::Time;
use crate::access::Guests;
use crate::id::{MembershipId, UserId};
use crate::user::User;

/// The name of a user who is a guest.
pub const GUEST_NAME: &str = "Guest";

impl User {
    /// A guest: a user by whom nobody is known, and whom one browser stands for.
    pub fn guest(id: MembershipId, person: UserId, now: Time) -> Self {
        Self { name: GUEST_NAME.to_owned(), ..Self::bare(id, person, now) }
    }

    /// Whether the user is a guest. Whoever gets an address, another identifier, a name or a role is
    /// none any more.
    pub fn is_guest(&self) -> bool {
        self.is_active
            && self.email.is_empty()
            && self.external_id.is_none()
            && self.role().is_none()
            && self.name == GUEST_NAME
    }
}

/// The way in which a visitor who has not signed in acts on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The visitor has to sign in first.
    SignIn,
    /// The visitor gives an address. The act counts when the visitor has confirmed it by a mail.
    Mail,
    /// The act counts at once.
    Guest,
}

impl Guests {
    /// The way of an act. `needs_address` says that it is of no use without an address, and
    /// `by_mail` that visitors may sign in by mail: a confirmed address signs in.
    pub fn way(self, needs_address: bool, by_mail: bool) -> Way {
        match self {
            Self::Anonymous if !needs_address => Way::Guest,
            Self::Anonymous | Self::Email if by_mail => Way::Mail,
            Self::None | Self::Anonymous | Self::Email => Way::SignIn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClosedSet, Uuid};

    #[test]
    fn a_guest_is_a_user_by_whom_nobody_is_known() {
        let [id, person] = [1, 2].map(Uuid::from_u128);
        let guest = || User::guest(id.into(), person.into(), Time::MIN);
        assert!(guest().is_guest());
        let others = [
            User { email: "ada@example.com".to_owned(), ..guest() },
            User { external_id: Some("crm-7".to_owned()), ..guest() },
            User { portal_role: "member".to_owned(), ..guest() },
            User { name: "Ada".to_owned(), ..guest() },
            User { is_active: false, ..guest() },
        ];
        for other in others {
            assert!(!other.is_guest(), "{other:?}");
        }
        let account = User { name: String::new(), email: "a@b".to_owned(), ..guest() };
        assert_eq!(account.clone().completed_by(&guest()), account);
    }

    #[test]
    fn an_act_goes_the_way_that_the_board_and_the_act_allow() {
        use Way::{Guest, Mail, SignIn};
        let ways = |needs_address, by_mail| -> Vec<Way> {
            Guests::ALL.iter().map(|guests| guests.way(needs_address, by_mail)).collect()
        };
        assert_eq!(ways(false, true), [SignIn, Mail, Guest]);
        assert_eq!(ways(true, true), [SignIn, Mail, Mail]);
        assert_eq!(ways(false, false), [SignIn, SignIn, Guest]);
        assert_eq!(ways(true, false), [SignIn; 3]);
    }
}
