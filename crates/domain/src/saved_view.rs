//! The views of the inbox that members of the team keep.

use crate::id::UserId;

/// A filter of the inbox that a member keeps under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedView {
    /// The member.
    pub user_id: UserId,
    /// The name: 1 to [`MOST_NAME`] characters. A member has it once.
    pub name: String,
    /// The filter as the query of an address, such as `status_group_code=open&sort=votes`: at most
    /// [`MOST_QUERY`] bytes.
    pub query: String,
}

/// The most views of a member.
pub const MOST_VIEWS: i64 = 50;

/// The most characters of the name of a view.
pub const MOST_NAME: usize = 60;

/// The most bytes of the query of a view.
pub const MOST_QUERY: usize = 2_000;

/// Why a view is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadView {
    /// It has no name.
    NoName,
    /// Its name is longer than [`MOST_NAME`].
    LongName,
    /// Its query is longer than [`MOST_QUERY`].
    LongQuery,
    /// The member has [`MOST_VIEWS`] already.
    TooMany,
}

impl SavedView {
    /// A view with a name, without the white space around it.
    pub fn new(user_id: UserId, name: &str, query: String) -> Result<Self, BadView> {
        let name = name.trim();
        match name.chars().count() {
            0 => Err(BadView::NoName),
            1..=MOST_NAME if query.len() <= MOST_QUERY => {
                Ok(Self { user_id, name: name.to_owned(), query })
            }
            1..=MOST_NAME => Err(BadView::LongQuery),
            _ => Err(BadView::LongName),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;

    #[test]
    fn a_view_has_a_name_and_a_query_of_some_length() {
        let view = |name: &str, bytes: usize| {
            SavedView::new(Uuid::nil().into(), name, "x".repeat(bytes)).map(|view| view.name)
        };
        assert_eq!(view(" Mine ", 2_000), Ok("Mine".to_owned()));
        assert_eq!(view(&"ä".repeat(60), 0), Ok("ä".repeat(60)));
        assert_eq!(view(" \t", 0), Err(BadView::NoName));
        assert_eq!(view(&"ä".repeat(61), 0), Err(BadView::LongName));
        assert_eq!(view("Mine", 2_001), Err(BadView::LongQuery));
    }
}
