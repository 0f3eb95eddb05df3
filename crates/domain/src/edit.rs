//! The new values of updates.

/// The new value of an optional member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The value stays.
    #[default]
    Keep,
    /// The value is replaced.
    Set(T),
    /// The value is removed.
    Clear,
}

impl<T> Patch<T> {
    /// The patch with another form of the new value.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Set(value) => Patch::Set(form(value)),
            Self::Clear => Patch::Clear,
        }
    }

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

/// Replaces a value if a new one is given.
pub(crate) fn replace<T>(value: &mut T, new: Option<impl Into<T>>) {
    if let Some(new) = new {
        *value = new.into();
    }
}

/// Replaces an optional value if a new one is given. It cannot remove the value.
pub(crate) fn replace_optional<T>(value: &mut Option<T>, new: Option<impl Into<T>>) {
    if let Some(new) = new {
        *value = Some(new.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_form_is_that_of_the_new_value_alone() {
        assert_eq!(Patch::Set(2).map(|number| number + 1), Patch::Set(3));
        assert_eq!(Patch::Clear.map(|number: i32| number + 1), Patch::Clear);
        assert_eq!(Patch::Keep.map(|number: i32| number + 1), Patch::Keep);
    }
}
