//! Who may see a board, and who may write on it.

use crate::ClosedSet;
use crate::feedback_post::Moderation;

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
