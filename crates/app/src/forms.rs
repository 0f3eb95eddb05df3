//! The forms of the portal that visitors write in.
//!
//! Each form has a number of its own that the program has signed. It says when the form was shown,
//! and names the write, so that a form which is sent twice is one write.

use crate::{Vault, signed};
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;
use hearback_ports::{IdempotencyKey, Ports};

/// The number of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// When the form was shown.
    pub shown_at: Time,
    /// The name of the write.
    pub key: IdempotencyKey,
}

/// Makes the number of a form that was shown at a time.
pub fn stamp(ports: &Ports, vault: &Vault, organization: OrganizationId, shown_at: Time) -> String {
    let mut value = [0; 24];
    let (number, time) = value.split_at_mut(16);
    number.copy_from_slice(ports.ids.fresh().as_bytes());
    time.copy_from_slice(&shown_at.unix_millis().to_be_bytes());
    signed::write(vault, PURPOSE, organization.0.as_bytes(), &value)
}

/// Reads the number of a form of the organization.
pub fn read_stamp(vault: &Vault, organization: OrganizationId, text: &str) -> Option<Stamp> {
    let value: [u8; 24] = signed::read(vault, PURPOSE, organization.0.as_bytes(), text)?;
    let millis = i64::from_be_bytes(*value.last_chunk()?);
    let shown_at = Time::from_unix_millis(millis).ok()?;
    Some(Stamp { shown_at, key: IdempotencyKey::parse(text)? })
}

const PURPOSE: &str = "form-number";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use crate::write::tests::id;
    use hearback_domain::Uuid;
    use hearback_ports::mock::Mocks;

    #[test]
    fn a_number_of_a_form_says_when_the_form_was_shown() {
        let mut mocks = Mocks::default();
        mocks.ids.expect_fresh().returning(|| Uuid::from_u128(7));
        let vault = Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap());
        let shown_at = Time::parse("2026-11-26T12:00:00Z").unwrap();
        let text = stamp(&mocks.ports(), &vault, id(1), shown_at);
        let read = read_stamp(&vault, id(1), &text).unwrap();
        assert_eq!((read.shown_at, read.key.as_str()), (shown_at, &*text));
        assert_eq!(read_stamp(&vault, id(2), &text), None);
    }
}
