/// What breaks the pairing: the call or result that was passed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A call with an earlier call's key.
    DoubledCall,
    /// A call outside a model turn.
    MisplacedCall,
    /// A result that has no call to answer.
    OrphanedResult,
    /// A call's second result.
    DoubledResult,
    /// A result after its call's window, when the call already has a result.
    OrphanedDouble,
    /// A call's result after a block of another type.
    ResultAfterOther,
}

impl Fault {
    /// Returns true if no call waits for this result.
    #[must_use]
    pub fn is_orphaned(self) -> bool {
        matches!(self, Self::OrphanedResult | Self::OrphanedDouble)
    }

    /// Returns true if an earlier result has this key.
    #[must_use]
    pub fn is_doubled(self) -> bool {
        matches!(self, Self::DoubledResult | Self::OrphanedDouble)
    }
}
