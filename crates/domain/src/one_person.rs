//! Two users who are one person, and people who are erased.

use crate::ClosedSet;
use crate::attributes::Attributes;
use crate::id::UserId;
use crate::record::{OfKind, Record, Step};
use crate::subscription::Subscription;
use crate::user::{PostMail, User};
use crate::vote::Vote;
use crate::{Time, Uuid};

/// The name of a user whose person is erased.
pub const ERASED_NAME: &str = "Deleted user";

/// What becomes of the posts, comments and votes of an erased person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Traces {
    /// `anonymize`: they stay, and name nobody.
    #[default]
    Anonymize,
    /// `delete`
    Delete,
}

impl ClosedSet for Traces {
    const ALL: &'static [Self] = &[Self::Anonymize, Self::Delete];

    fn code(self) -> &'static str {
        match self {
            Self::Anonymize => "anonymize",
            Self::Delete => "delete",
        }
    }
}

impl User {
    /// The user without anything that tells who the person is. The user is no longer linked.
    pub fn erased(self) -> Self {
        let Self { id, user_id, portal_role, created_at, updated_at, .. } = self;
        // Each field is named, so that nobody adds one that stays unseen.
        Self {
            id,
            user_id,
            portal_role,
            created_at,
            updated_at,
            email: String::new(),
            name: ERASED_NAME.to_owned(),
            avatar_url: String::new(),
            company_id: None,
            company_name: String::new(),
            customer_status: String::new(),
            locale: String::new(),
            attributes: Attributes::default(),
            is_blocked: false,
            post_mail: PostMail::default(),
            changelog_mail: true,
            is_trusted: false,
            is_subscribed: false,
            external_id: None,
            is_active: false,
        }
    }

    /// The user with the values of `other` in the place of empty ones. Whether mails are wanted
    /// belongs to the address.
    pub fn completed_by(mut self, other: &Self) -> Self {
        if self.email.is_empty() && !other.email.is_empty() {
            self.email.clone_from(&other.email);
            self.is_subscribed = other.is_subscribed;
        }
        if self.company_name.is_empty() {
            self.company_id = self.company_id.or(other.company_id);
        }
        if self.attributes == Attributes::default() {
            self.attributes.clone_from(&other.attributes);
        }
        // A guest has no name of a person. The trust in a guest belongs to what the guest wrote.
        match other.is_guest() {
            true => self.is_trusted |= other.is_trusted && !self.is_blocked,
            false if self.name.is_empty() => self.name.clone_from(&other.name),
            false => {}
        }
        for (value, others) in [
            (&mut self.avatar_url, &other.avatar_url),
            (&mut self.company_name, &other.company_name),
            (&mut self.customer_status, &other.customer_status),
            (&mut self.locale, &other.locale),
        ] {
            if value.is_empty() {
                value.clone_from(others);
            }
        }
        if self.external_id.is_none() {
            self.external_id.clone_from(&other.external_id);
        }
        self
    }
}

/// The steps that edit a record, and give a vote or subscription of `from` to `into`, who may have
/// one on the same post: `twin`.
pub(crate) fn give(
    record: &Record,
    edited: Record,
    twin: Option<&Record>,
    (from, into): (UserId, UserId),
    at: Time,
) -> Vec<Step> {
    let given = match edited {
        Record::Vote(vote) if vote.user_id == from => Vote { user_id: into, ..vote }.into_record(),
        Record::Subscription(subscription) if subscription.user_id == from => {
            Subscription { user_id: into, ..subscription }.into_record()
        }
        edited => edited,
    };
    let give = Step::edit_record(record.clone(), given, at);
    match twin {
        None => vec![give],
        // The older vote stays.
        Some(twin) if matches!(record, Record::Vote(_)) && age(record) < age(twin) => {
            vec![Step::Remove(twin.clone()), give]
        }
        Some(_) => vec![Step::Remove(record.clone())],
    }
}

/// The order of votes: by time, then by identifier.
fn age(record: &Record) -> Option<(Time, Uuid)> {
    Vote::of_record(record).map(|vote| (vote.created_at, vote.id.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::GUEST_NAME;
    use crate::id::PostSubscriptionId;
    use crate::person::{Email, Handle};
    use crate::subscription::Level;
    use crate::vote::Target;

    fn id<T: From<Uuid>>(n: u128) -> T {
        T::from(Uuid::from_u128(n))
    }

    fn user(n: u128) -> User {
        let address = Email::parse(&format!("ada-{n}@example.com")).unwrap();
        Handle::Email(address).user(None, id(n), id(n + 100), Time::MIN)
    }

    fn vote(n: u128, user: u128, at: Time) -> Record {
        let (id, user_id) = (id(n), id(user));
        let target = Target::Feedback(self::id(50));
        let vote = Vote {
            id,
            user_id,
            target,
            cast_on_id: None,
            created_by_id: None,
            source_url: None,
            created_at: at,
        };
        vote.into_record()
    }

    #[test]
    fn an_erased_user_tells_nothing_of_the_person() {
        let ada = User {
            name: "Ada".to_owned(),
            avatar_url: "https://example.com/ada.png".to_owned(),
            company_name: "Analytical".to_owned(),
            customer_status: "paying".to_owned(),
            external_id: Some("crm-7".to_owned()),
            is_subscribed: true,
            ..user(1)
        };
        let erased = ada.clone().erased();
        assert_eq!((erased.id, erased.user_id), (ada.id, ada.user_id));
        assert_eq!((&*erased.name, &*erased.email), ("Deleted user", ""));
        assert!(!erased.is_active && !erased.receives_mail() && erased.external_id.is_none());
        assert_eq!(erased.clone().erased(), erased);
    }

    #[test]
    fn empty_values_are_filled_and_others_stay() {
        let other = User {
            name: "Ada L.".to_owned(),
            avatar_url: "https://example.com/ada.png".to_owned(),
            external_id: Some("crm-7".to_owned()),
            is_subscribed: true,
            ..user(1)
        };
        let kept = User { name: "Ada".to_owned(), is_subscribed: false, ..user(2) };
        let completed = kept.clone().completed_by(&other);
        let expected = User {
            avatar_url: other.avatar_url.clone(),
            external_id: other.external_id.clone(),
            ..kept.clone()
        };
        assert_eq!(completed, expected);
        let nameless = User { email: String::new(), ..kept };
        let completed = nameless.completed_by(&other);
        assert_eq!((completed.email, completed.is_subscribed), (other.email, true));
    }

    #[test]
    fn of_two_votes_the_older_one_stays() {
        let [old, new] = [Time::MIN, Time::MAX];
        let both = (id(1), id(2));
        let moved = |record: &Record, to| Step::edit_record(record.clone(), to, Time::MAX);
        let mine = vote(9, 1, old);
        let given = |record: &Record, twin| give(record, record.clone(), twin, both, Time::MAX);
        assert_eq!(given(&mine, None), [moved(&mine, vote(9, 2, old))]);
        let twin = vote(8, 2, new);
        let expected = [Step::Remove(twin.clone()), moved(&mine, vote(9, 2, old))];
        assert_eq!(given(&mine, Some(&twin)), expected);
        // Of two votes of the same time, the one with the smaller identifier is the older one.
        let twin = vote(8, 2, old);
        assert_eq!(given(&mine, Some(&twin)), [Step::Remove(mine.clone())]);
    }

    #[test]
    fn of_two_subscriptions_that_of_the_user_who_stays_stays() {
        let subscription = |n, user, created_at| {
            Record::Subscription(Subscription {
                id: PostSubscriptionId(Uuid::from_u128(n)),
                feedback_post_id: id(50),
                user_id: id(user),
                level: Level::All,
                created_at,
            })
        };
        let mine = subscription(9, 1, Time::MIN);
        let twin = subscription(8, 2, Time::MAX);
        let both = (id(1), id(2));
        let given = give(&mine, mine.clone(), Some(&twin), both, Time::MAX);
        assert_eq!(given, [Step::Remove(mine)]);
        // A subscription of another user stays.
        let other = subscription(7, 3, Time::MIN);
        let given = give(&other, other.clone(), None, both, Time::MAX);
        assert_eq!(given, [Step::edit_record(other.clone(), other, Time::MAX)]);
    }

    #[test]
    fn the_trust_in_a_guest_goes_to_a_user_who_is_not_blocked() {
        let (name, email) = (GUEST_NAME.to_owned(), String::new());
        let guest = User { name, email, is_trusted: true, ..user(1) };
        for (is_blocked, is_trusted) in [(false, true), (true, false)] {
            let kept = User { is_blocked, ..user(2) };
            assert_eq!(kept.completed_by(&guest).is_trusted, is_trusted);
        }
    }
}
