//! Changes of the patch-style updates.

/// A record as it was loaded, and as it is to be. Right only while the stored record is still as it was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit<T> {
    /// As it was loaded.
    pub before: T,
    /// As it is to be.
    pub after: T,
}

impl<T: PartialEq> Edit<T> {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }
}

/// Replaces a value where a new one is given.
pub(crate) fn replace<T>(value: &mut T, new: Option<impl Into<T>>) {
    if let Some(new) = new {
        *value = new.into();
    }
}

/// Replaces a value that may be missing where a new one is given. It cannot be made missing again.
pub(crate) fn replace_optional<T>(value: &mut Option<T>, new: Option<impl Into<T>>) {
    if let Some(new) = new {
        *value = Some(new.into());
    }
}
