/// A violation of the pairing, by the call or the result that was passed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A call with the key of an earlier call.
    DoubledCall,
    /// A call that is not in a turn of the model.
    MisplacedCall,
    /// A result without a call that it can answer.
    OrphanedResult,
    /// A second result of a call.
    DoubledResult,
    /// A result after the window of its call, which has a result already.
    OrphanedDouble,
    /// The result of a call, after a block of another type.
    ResultAfterOther,
}

impl Fault {
    /// Returns true if no call waits for the result.
    #[must_use]
    pub fn is_orphaned(self) -> bool {
        matches!(self, Self::OrphanedResult | Self::OrphanedDouble)
    }

    /// Returns true if an earlier result has the key.
    #[must_use]
    pub fn is_doubled(self) -> bool {
        matches!(self, Self::DoubledResult | Self::OrphanedDouble)
    }
}
