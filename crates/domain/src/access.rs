//! Who may see a board, and who may write on it.

use crate::ClosedSet;
use crate::feedback_board::FeedbackBoard;
use crate::feedback_post::Moderation;
use crate::roadmap_board::RoadmapBoard;
use crate::user::User;

/// Who may see a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// `public`: everybody.
    #[default]
    Public,
    /// `signed_in`: users who have signed in.
    SignedIn,
    /// `team`: members of the team.
    Team,
    /// `custom`: members of the team, and the users that the board allows.
    Custom,
}

impl ClosedSet for Access {
    const ALL: &'static [Self] = &[Self::Public, Self::SignedIn, Self::Team, Self::Custom];

    fn code(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::SignedIn => "signed_in",
            Self::Team => "team",
            Self::Custom => "custom",
        }
    }
}

impl FeedbackBoard {
    /// Whether a visitor sees the board. `None` is a visitor who has not signed in.
    pub fn is_seen_by(&self, visitor: Option<&User>) -> bool {
        let is_allowed = |user: &User| {
            let domain = user.email.rsplit_once('@').map(|(_, domain)| domain.to_ascii_lowercase());
            self.allowed_user_ids.contains(&user.user_id)
                || domain.is_some_and(|domain| self.allowed_email_domains.contains(&domain))
        };
        self.is_active && self.access.admits(visitor, is_allowed)
    }
}

impl RoadmapBoard {
    /// Whether a visitor sees the board. `None` is a visitor who has not signed in.
    pub fn is_seen_by(&self, visitor: Option<&User>) -> bool {
        self.is_active && self.access.admits(visitor, |_| false)
    }
}

impl Access {
    fn admits(self, visitor: Option<&User>, is_allowed: impl FnOnce(&User) -> bool) -> bool {
        let is_on_team = |user: &User| user.role().is_some();
        match self {
            Self::Public => true,
            Self::SignedIn => visitor.is_some(),
            Self::Team => visitor.is_some_and(is_on_team),
            Self::Custom => visitor.is_some_and(|user| is_on_team(user) || is_allowed(user)),
        }
    }
}

/// Which posts or comments of the portal wait for moderation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moderating {
    /// `off`: none.
    #[default]
    Off,
    /// `first_post`: those of authors of whom none was accepted yet.
    FirstPost,
    /// `on`: all.
    On,
}

impl ClosedSet for Moderating {
    const ALL: &'static [Self] = &[Self::Off, Self::FirstPost, Self::On];

    fn code(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::FirstPost => "first_post",
            Self::On => "on",
        }
    }
}

impl Moderating {
    /// The state in which the post or comment of a visitor begins.
    pub fn begins(self, is_trusted: bool) -> Moderation {
        match self {
            Self::Off => Moderation::Accepted,
            Self::FirstPost if is_trusted => Moderation::Accepted,
            Self::FirstPost | Self::On => Moderation::Pending,
        }
    }
}

/// What visitors who have not signed in may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guests {
    /// `none`: nothing.
    #[default]
    None,
    /// `email`: posts and comments, with an email address.
    Email,
    /// `anonymous`: posts and comments.
    Anonymous,
}

impl ClosedSet for Guests {
    const ALL: &'static [Self] = &[Self::None, Self::Email, Self::Anonymous];

    fn code(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Email => "email",
            Self::Anonymous => "anonymous",
        }
    }
}

/// A DNS name: labels of letters, digits and hyphens with dots between them, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain(String);

/// The most characters of a domain.
pub const MAX_DOMAIN: usize = 253;

/// The text is not a DNS name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoDomain;

impl Domain {
    /// Checks a DNS name. Its letters become lower case.
    pub fn parse(text: &str) -> Result<Self, NoDomain> {
        let is_label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        if text.len() > MAX_DOMAIN || !text.split('.').all(is_label) {
            return Err(NoDomain);
        }
        Ok(Self(text.to_ascii_lowercase()))
    }
}

impl From<Domain> for String {
    fn from(domain: Domain) -> Self {
        domain.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use crate::draft::Draft;
    use crate::feedback_board::BoardDraft;
    use crate::person::{Email, Handle};
    use crate::record::examples;
    use crate::slug::Slug;

    #[test]
    fn a_board_that_moderates_first_posts_accepts_what_trusted_authors_write() {
        use Moderation::{Accepted, Pending};
        let begins = |is_trusted| {
            [Moderating::Off, Moderating::FirstPost, Moderating::On].map(|it| it.begins(is_trusted))
        };
        assert_eq!(begins(false), [Accepted, Pending, Pending]);
        assert_eq!(begins(true), [Accepted, Accepted, Pending]);
    }

    #[test]
    fn a_board_is_seen_by_those_whom_it_admits() {
        let user = |address: &str, portal_role: &str| {
            let id = |n| crate::Uuid::from_u128(n);
            let handle = Handle::Email(Email::parse(address).unwrap());
            let user = handle.user(None, id(1).into(), id(address.len() as u128).into(), Time::MIN);
            User { portal_role: portal_role.to_owned(), ..user }
        };
        let visitors = [
            None,
            Some(user("ada@example.com", "end_user")),
            Some(user("bob@partner.example", "end_user")),
            Some(user("cleo@else.where.example", "end_user")),
            Some(user("dan@hearback.example.org", "viewer")),
        ];
        let cleo = visitors[3].as_ref().map(|user| user.user_id).unwrap();
        let board = |access| {
            let draft = BoardDraft {
                access,
                allowed_email_domains: vec![Domain::parse("Partner.example").unwrap()],
                allowed_user_ids: vec![cleo],
                ..BoardDraft::usual()
            };
            let slug = Slug::parse("ideas").unwrap();
            draft.create(crate::Uuid::from_u128(9), slug, Time::MIN)
        };
        let seen = |board: &FeedbackBoard| {
            visitors.each_ref().map(|visitor| board.is_seen_by(visitor.as_ref()))
        };
        assert_eq!(seen(&board(Access::Public)), [true; 5]);
        assert_eq!(seen(&board(Access::SignedIn)), [false, true, true, true, true]);
        assert_eq!(seen(&board(Access::Team)), [false, false, false, false, true]);
        assert_eq!(seen(&board(Access::Custom)), [false, false, true, true, true]);
        let deleted = FeedbackBoard { is_active: false, ..board(Access::Public) };
        assert_eq!(seen(&deleted), [false; 5]);
        let roadmap = |access, is_active| {
            let board = RoadmapBoard { access, is_active, ..examples::roadmap_board() };
            visitors.each_ref().map(|visitor| board.is_seen_by(visitor.as_ref()))
        };
        assert_eq!(roadmap(Access::Public, true), [true; 5]);
        assert_eq!(roadmap(Access::Public, false), [false; 5]);
        // A roadmap board admits nobody by name or domain.
        assert_eq!(roadmap(Access::Custom, true), [false, false, false, false, true]);
    }

    #[test]
    fn a_domain_is_a_dns_name_in_lower_case() {
        for (text, domain) in [("Example.COM", "example.com"), ("a", "a"), ("x-1.co", "x-1.co")] {
            assert_eq!(Domain::parse(text).map(String::from).as_deref(), Ok(domain));
        }
        let long = format!("{}.com", "a".repeat(64));
        for text in ["", ".", "a..b", "-a.b", "a-.b", "a b", "ü.de", "@x.de", &long] {
            assert_eq!(Domain::parse(text), Err(NoDomain), "{text:?}");
        }
    }
}
