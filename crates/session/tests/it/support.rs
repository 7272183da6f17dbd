//! Parts that several tests share.

#[path = "../../../git-context/tests/it/support/cases.rs"]
pub(crate) mod cases;
#[path = "../../../git-context/tests/it/support/executable.rs"]
pub(crate) mod executable;
pub(crate) mod git;

/// A thirty-second of the cases that a property is tried with, for those where a
/// case is a whole session.
pub(crate) fn thirty_second() -> u32 {
    proptest::test_runner::Config::default().cases.div_ceil(32)
}
