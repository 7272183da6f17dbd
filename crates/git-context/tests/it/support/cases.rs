//! How many cases a long test tries.
//!
//! `PROPTEST_CASES` sets this for property tests and for tests that go through
//! every position in a text: few by default, all in `cargo xtask ci --full`.

fn is_full() -> bool {
    let cases = std::env::var("PROPTEST_CASES").ok();
    cases.is_none_or(|it| it.parse().is_ok_and(|cases: u32| cases >= 1_000))
}

/// Returns `all`, or by default `few`.
pub(crate) fn all_or<T>(few: T, all: T) -> T {
    if is_full() { all } else { few }
}
