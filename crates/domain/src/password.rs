//! Passwords: which ones are good, and how a store holds them. The password itself is a secret that
//! only `app` handles.

use crate::Time;
use crate::fold::name_key;
use crate::id::UserId;
use crate::millis::minutes;
use std::fmt;

/// The fewest characters of a password.
pub const LEAST_PASSWORD: usize = 10;

/// The most characters of a password.
pub const MOST_PASSWORD: usize = 200;

/// The most passwords that a network tries for an address until [`TRIES_MILLIS`] are over.
pub const MOST_TRIES: i32 = 10;

/// The most passwords that all networks try for an address until [`TRIES_MILLIS`] are over.
pub const MOST_TRIES_OF_ACCOUNT: i32 = 200;

/// The most passwords that a network tries until [`TRIES_MILLIS`] are over. Many people may share
/// one.
pub const MOST_TRIES_OF_NETWORK: i32 = 100;

/// The time after which tries no longer count, in milliseconds: 10 minutes.
pub const TRIES_MILLIS: i64 = minutes(10);

/// Why a password is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeakPassword {
    /// It has fewer than [`LEAST_PASSWORD`] characters.
    TooShort,
    /// It has more than [`MOST_PASSWORD`] characters.
    TooLong,
    /// It is the name or the address of its owner, or the part of the address before the `@`.
    Personal,
    /// It is one of the most common passwords, or one character again and again.
    Common,
}

/// Checks a new password of a person with this address and name. Case does not count.
pub fn check_password(password: &str, email: &str, name: &str) -> Result<(), WeakPassword> {
    let length = password.chars().count();
    if length < LEAST_PASSWORD {
        return Err(WeakPassword::TooShort);
    }
    if length > MOST_PASSWORD {
        return Err(WeakPassword::TooLong);
    }
    let folded = name_key(password.trim());
    let local = email.split('@').next().unwrap_or_default();
    if [email, local, name.trim()].into_iter().any(|own| name_key(own) == folded) {
        return Err(WeakPassword::Personal);
    }
    let mut characters = folded.chars();
    let first = characters.next();
    if characters.all(|it| Some(it) == first) || COMMON.contains(&&*folded) {
        return Err(WeakPassword::Common);
    }
    Ok(())
}

/// The most common passwords that are long enough, in lower case.
const COMMON: [&str; 94] = [
    "0123456789",
    "01234567890",
    "0987654321",
    "1029384756",
    "1111122222",
    "11223344556677889900",
    "1122334455",
    "112233445566",
    "1212121212",
    "121212121212",
    "1231231230",
    "1231231231",
    "123123123123",
    "1234512345",
    "1234554321",
    "1234561234",
    "123456123456",
    "1234567890",
    "12345678900",
    "12345678901",
    "123456789012",
    "1234567890123",
    "12345678910",
    "1234567891011",
    "123456789123",
    "123456789a",
    "123456789abc",
    "123456789q",
    "1234567899",
    "1234abcd1234",
    "123qwe123qwe",
    "1472583690",
    "1a2b3c4d5e",
    "1q2w3e4r5t",
    "1q2w3e4r5t6y",
    "1q2w3e4r5t6y7u",
    "1qaz2wsx3edc",
    "1qaz2wsx3edc4rfv",
    "1qazxsw23edc",
    "7894561230",
    "9876543210",
    "a123456789",
    "a1b2c3d4e5",
    "aa12345678",
    "aa123456789",
    "abc1234567",
    "abc123456789",
    "abcd123456",
    "abcd12345678",
    "abcde12345",
    "abcdefghij",
    "abcdefghijk",
    "admin12345",
    "admin123456",
    "administrator",
    "asdasdasdasd",
    "asdf123456",
    "asdfasdfasdf",
    "asdfghjkl1",
    "asdfghjkl;",
    "basketball",
    "change_me_please",
    "changemenow",
    "correcthorsebatterystaple",
    "computer123",
    "football123",
    "helloworld",
    "iloveyou12",
    "iloveyou123",
    "iloveyou1234",
    "letmein123",
    "letmein1234",
    "liverpool1",
    "manchester",
    "mypassword",
    "passw0rd123",
    "password01",
    "password1!",
    "password10",
    "password11",
    "password12",
    "password123",
    "password123!",
    "password1234",
    "password12345",
    "passwordpassword",
    "q1w2e3r4t5",
    "q1w2e3r4t5y6",
    "qwerty1234",
    "qwerty12345",
    "qwerty123456",
    "qwertyuiop",
    "qwertyuiop123",
    "welcome123",
];

/// The hash of a password, with its parameters and its salt, in the PHC string format.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(pub String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

/// The password of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPassword {
    /// The user.
    pub user_id: UserId,
    /// The hash.
    pub hash: PasswordHash,
    /// When the user set it.
    pub set_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(password: &str) -> Result<(), WeakPassword> {
        check_password(password, "ada.lovelace@example.com", "Ada Lovelace")
    }

    #[test]
    fn a_password_has_10_to_200_characters() {
        for good in ["grün & blau", "ÄäÖöÜüßẞéè", &"ab".repeat(100)] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        assert_eq!(check("ÄäÖöÜüßẞé"), Err(WeakPassword::TooShort));
        assert_eq!(check(&format!("{}c", "ab".repeat(100))), Err(WeakPassword::TooLong));
    }

    #[test]
    fn what_everybody_guesses_first_is_no_password() {
        for own in ["Ada.Lovelace@Example.com", "ADA.lovelace", " ada lovelace "] {
            assert_eq!(check(own), Err(WeakPassword::Personal), "{own}");
        }
        for common in ["PassWord123", "1234567890", "zzzzzzzzzzzz", "Qwertyuiop"] {
            assert_eq!(check(common), Err(WeakPassword::Common), "{common}");
        }
        assert!(COMMON.iter().all(|it| check(it) == Err(WeakPassword::Common)), "in lower case");
    }

    #[test]
    fn a_hash_does_not_show() {
        assert_eq!(format!("{:?}", PasswordHash("$argon2id$".to_owned())), "PasswordHash(…)");
    }
}
