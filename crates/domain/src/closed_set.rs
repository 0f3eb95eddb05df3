//! Sets of codes that the contract closes: any other value is refused.

/// An enum whose every value has one wire code.
pub trait ClosedSet: Copy + Sized + 'static {
    /// Every value, in the order in which the contract names them.
    const ALL: &'static [Self];

    /// The code of this value, the same on the wire, in the portable format and in a column.
    fn code(self) -> &'static str;

    /// The value of a code, which must match to the letter.
    fn parse(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.code() == code)
    }
}
