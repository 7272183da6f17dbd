//! Counts with their nouns.

use anyhow::anyhow;

use crate::Failure;

/// Returns a count with its noun: `1 body`, `2 bodies`.
pub(crate) fn count(number: u64, one: &str, several: &str) -> String {
    let name = if number == 1 { one } else { several };
    format!("{number} {name}")
}

/// Fails with the count, unless it is 0.
pub(crate) fn fail_on(number: u64, one: &str, several: &str) -> Result<(), Failure> {
    match number {
        0 => Ok(()),
        _ => Err(anyhow!(count(number, one, several)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_singular() {
        let check = |number, expected| assert_eq!(count(number, "body", "bodies"), expected);
        check(0, "0 bodies");
        check(1, "1 body");
        check(2, "2 bodies");
    }
}
