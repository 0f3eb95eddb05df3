//! Closed sets of codes: the contract refuses any other code.

/// An enum with one code for each value.
pub trait ClosedSet: Copy + Sized + 'static {
    /// All values, in the order of the contract.
    const ALL: &'static [Self];

    /// The code of the value: the same in the API, in the portable format and in a column.
    fn code(self) -> &'static str;

    /// The value with a code. Case counts.
    fn parse(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Access, Guests, Moderating};
    use crate::audit::Door;
    use crate::changelog_entry::{EntrySort, EntryStatus, EntryType};
    use crate::comment::Visibility;
    use crate::company::CompanySort;
    use crate::daily_count::Daily;
    use crate::delivery::{DeliveryFailure, DeliveryState};
    use crate::event::{EventType, Moderated, PostField, RoadmapField};
    use crate::feedback_post::{Moderation, PostSort};
    use crate::help_article::{ArticleSort, ArticleStatus};
    use crate::image::ImageFormat;
    use crate::mail::MailFailure;
    use crate::one_person::Traces;
    use crate::permission::Role;
    use crate::portal::Theme;
    use crate::record::Kind;
    use crate::session::{Factor, Way};
    use crate::status::StatusGroup;
    use crate::subscription::Level;
    use crate::user::{PostMail, UserSort};
    use crate::vote::PostType;

    fn is_closed<S: ClosedSet>() {
        for (index, value) in S::ALL.iter().enumerate() {
            let found = S::ALL.iter().position(|other| other.code() == value.code());
            assert_eq!(found, Some(index), "{}", value.code());
            assert!(S::parse(value.code()).is_some_and(|found| found.code() == value.code()));
            assert!(S::parse(&value.code().to_uppercase()).is_none());
        }
        assert!(S::parse("another").is_none());
    }

    macro_rules! closed {
        ($($set:ident)+) => {
            $(is_closed::<$set>();)+
        };
    }

    #[test]
    fn each_value_has_a_code_of_its_own() {
        closed!(
            Access ArticleSort ArticleStatus CompanySort Daily DeliveryFailure DeliveryState Door
            EntrySort EntryStatus EntryType EventType Factor Guests ImageFormat Kind Level
            MailFailure Moderated Moderating Moderation PostField PostMail PostSort PostType Role
            RoadmapField StatusGroup Theme Traces UserSort Visibility Way
        );
    }
}
