//! Mentions of members of the team in a text.

use crate::fold::Folded;
use crate::id::UserId;
use crate::user::User;

/// The members of a team whom a text mentions: by `@` and the name, in any case, with its spaces or
/// without them. No letter or digit is before the `@`, and none behind the name.
pub fn mentioned(text: &str, team: &[User]) -> Vec<UserId> {
    let text = Folded::new(text);
    let text = text.as_str();
    let mut rests = Vec::new();
    let mut before = None;
    for (at, c) in text.char_indices() {
        if c == '@' && !before.is_some_and(char::is_alphanumeric) {
            rests.push(&text[at + 1..]);
        }
        before = Some(c);
    }
    let is_meant = |user: &&User| {
        let name = Folded::new(user.name.trim());
        let name = name.as_str();
        let joined: String = name.split_whitespace().collect();
        let begins = |rest: &str, name: &str| {
            let behind = rest.strip_prefix(name).filter(|_| !name.is_empty());
            behind.is_some_and(|it| !it.starts_with(char::is_alphanumeric))
        };
        rests.iter().any(|rest| begins(rest, name) || begins(rest, &joined))
    };
    team.iter().filter(is_meant).map(|user| user.user_id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::person::{Email, Handle};
    use crate::{Time, Uuid};

    #[test]
    fn a_mention_is_the_whole_name_of_a_member_behind_an_at_sign() {
        let member = |number: u128, name: &str| {
            let email = Email::parse(&format!("{number}@example.com")).unwrap();
            let id = Uuid::from_u128(number);
            let user = Handle::Email(email).user(None, id.into(), id.into(), Time::MIN);
            User { name: name.to_owned(), ..user }
        };
        let team = [member(1, "Ada Lovelace"), member(2, "Ada"), member(3, "")];
        let found = |text: &str| -> Vec<u128> {
            mentioned(text, &team).into_iter().map(|user| user.0.as_u128()).collect()
        };
        assert_eq!(found("Can you look, @ada lovelace?"), [1, 2]);
        assert_eq!(found("@AdaLovelace"), [1]);
        assert_eq!(found("ask (@Ada)"), [2]);
        for text in ["Ada", "mail ada@ada.example", "@Adam", "@", "@ Ada", ""] {
            assert_eq!(found(text), [0; 0], "{text}");
        }
    }
}
