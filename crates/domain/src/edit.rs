//! Values of the patch-style updates.

/// The new value of a member that may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The value stays.
    #[default]
    Keep,
    /// The value is replaced.
    Set(T),
    /// The member is emptied.
    Clear,
}

impl<T> Patch<T> {
    /// Applies the patch to a value.
    pub(crate) fn apply<V>(self, value: &mut Option<V>)
    where
        V: From<T>,
    {
        match self {
            Self::Keep => {}
            Self::Set(new) => *value = Some(new.into()),
            Self::Clear => *value = None,
        }
    }
}

/// Replaces a value where a new one is given.
pub(crate) fn replace<T>(value: &mut T, new: Option<impl Into<T>>) {
    if let Some(new) = new {
        *value = new.into();
    }
}

/// Replaces a value that may be missing where a new one is given. It cannot be emptied.
pub(crate) fn replace_optional<T>(value: &mut Option<T>, new: Option<impl Into<T>>) {
    if let Some(new) = new {
        *value = Some(new.into());
    }
}
