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
