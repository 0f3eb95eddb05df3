//! Second factors of members of the team: the codes of an authenticator app (TOTP, RFC 6238), and
//! recovery codes. The secret and the codes themselves are secrets that only `app` handles.

use crate::Time;
use crate::api_key::Sealed;
use crate::id::UserId;
use crate::millis::seconds;
use crate::session::TokenDigest;
use std::iter;

/// The time for which a code is shown, in milliseconds: 30 seconds.
pub const STEP_MILLIS: i64 = seconds(30);

/// The number of recovery codes. Each is good once.
pub const RECOVERY_CODES: usize = 10;

/// The most codes that a user tries until [`TRIES_MILLIS`](crate::password::TRIES_MILLIS) are over.
pub const MOST_CODE_TRIES: i32 = 5;

/// The second factor of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondFactor {
    /// The user.
    pub user_id: UserId,
    /// The sealed secret, which the user's authenticator app has, too.
    pub sealed: Sealed,
    /// The keyed digests of the recovery codes that are not used.
    pub recovery: Vec<TokenDigest>,
    /// The step of the last accepted code. A code of this step or an earlier one is refused.
    pub last_step: i64,
    /// When the user set it up.
    pub confirmed_at: Time,
}

/// A code, by which a user shows the second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorProof {
    /// The code of the authenticator app for a step.
    Step(i64),
    /// The keyed digest of a recovery code.
    Recovery(TokenDigest),
}

impl SecondFactor {
    /// Uses a code up. Returns the second factor as it stays stored. `None`: the code was used
    /// before, or is none of the user's.
    pub fn show(mut self, proof: FactorProof) -> Option<Self> {
        match proof {
            FactorProof::Step(step) if step > self.last_step => self.last_step = step,
            FactorProof::Step(_) => return None,
            FactorProof::Recovery(digest) => {
                let place = self.recovery.iter().position(|it| *it == digest)?;
                self.recovery.remove(place);
            }
        }
        Some(self)
    }
}

/// The steps whose codes are good at a time: the present one, the one before and the one after. The
/// clocks of phones are not exact.
pub fn steps(now: Time) -> impl Iterator<Item = i64> {
    let present = now.unix_millis().div_euclid(STEP_MILLIS);
    present - 1..=present + 1
}

/// The six digits of a message authentication code by SHA-1 (RFC 4226, 5.3).
pub fn digits(mac: [u8; 20]) -> String {
    let offset = usize::from(mac[19] & 0xf);
    let bytes = mac.iter().skip(offset).take(4);
    let number = bytes.fold(0, |number: u32, byte| number << 8 | u32::from(*byte)) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}

/// Bytes in Base32 (RFC 4648) without padding. Five bytes make eight characters.
pub fn base32(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits = |byte: &u8| (0..8).rev().map(|place| byte >> place & 1).collect::<Vec<_>>();
    let bits: Vec<u8> = bytes.iter().flat_map(bits).collect();
    let letter = |bits: &[u8]| {
        let bits = bits.iter().copied().chain(iter::repeat(0)).take(5);
        char::from(LETTERS[usize::from(bits.fold(0, |number, bit| number << 1 | bit))])
    };
    bits.chunks(5).map(letter).collect()
}

/// A code as it is compared: without white space and hyphens, in upper case.
pub fn bare_code(typed: &str) -> String {
    let is_kept = |it: &char| !it.is_whitespace() && *it != '-';
    typed.chars().filter(is_kept).map(|it| it.to_ascii_uppercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;

    fn factor() -> SecondFactor {
        SecondFactor {
            user_id: Uuid::from_u128(1).into(),
            sealed: Sealed(vec![1]),
            recovery: vec![TokenDigest([1; 32]), TokenDigest([2; 32])],
            last_step: 7,
            confirmed_at: Time::MIN,
        }
    }

    #[test]
    fn a_step_is_good_once_and_no_earlier_one_after_it() {
        for step in [7, 6, 0, -1] {
            assert_eq!(factor().show(FactorProof::Step(step)), None);
        }
        let shown = factor().show(FactorProof::Step(9)).unwrap();
        assert_eq!(shown, SecondFactor { last_step: 9, ..factor() });
        assert_eq!(shown.show(FactorProof::Step(8)), None);
    }

    #[test]
    fn a_recovery_code_is_good_once() {
        let first = FactorProof::Recovery(TokenDigest([1; 32]));
        let shown = factor().show(first).unwrap();
        assert_eq!((&*shown.recovery, shown.last_step), (&[TokenDigest([2; 32])][..], 7));
        assert_eq!(shown.show(first), None);
        assert_eq!(factor().show(FactorProof::Recovery(TokenDigest([3; 32]))), None);
    }

    #[test]
    fn a_code_is_good_for_its_step_and_those_beside_it() {
        for (millis, expected) in [
            (0, [-1, 0, 1]),
            (29_999, [-1, 0, 1]),
            (30_000, [0, 1, 2]),
            (1_111_111_109_000, [37_037_035, 37_037_036, 37_037_037]),
        ] {
            let now = Time::from_unix_millis(millis).unwrap();
            assert_eq!(steps(now).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn digits_are_those_of_rfc_4226() {
        let mac = [
            0x1f, 0x86, 0x98, 0x69, 0x0e, 0x02, 0xca, 0x16, 0x61, 0x85, 0x50, 0xef, 0x7f, 0x19,
            0xda, 0x8e, 0x94, 0x5b, 0x55, 0x5a,
        ];
        assert_eq!(digits(mac), "872921");
    }

    #[test]
    fn base32_is_that_of_rfc_4648() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "MY"),
            (b"fo", "MZXQ"),
            (b"foo", "MZXW6"),
            (b"foob", "MZXW6YQ"),
            (b"fooba", "MZXW6YTB"),
            (b"foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(base32(bytes), text);
        }
    }

    #[test]
    fn a_typed_code_is_compared_without_its_groups() {
        assert_eq!(bare_code(" 123 456\n"), "123456");
        assert_eq!(bare_code("abcde-2345f"), "ABCDE2345F");
    }
}
