//! Finding the known name nearest to an unknown one.
//!
//! Used for keys and types: `maxTokens` is nearest to `max_tokens`, `Tool_Use`
//! to `tool_use`. ASCII letter case in the unknown name is ignored.

/// Longer names are not compared.
const MAX_NAME_BYTES: usize = 80;

/// A known name and its distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nearest {
    pub(super) name: &'static str,
    /// The distance in bytes; 0 for a name that differs by letter case only.
    edits: usize,
}

impl Nearest {
    /// Returns true if the unknown name is most probably a misspelling: at most
    /// two edits away, letter case aside.
    pub(super) fn is_misspelled(self) -> bool {
        self.edits <= 2
    }
}

/// Returns the nearest known name; `None` if the name is too long to be one.
///
/// When names are equally near, the first is returned. The cost is the product
/// of the lengths, for each known name; the limit of 80 bytes keeps it small
/// for any body.
pub(super) fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> Option<Nearest> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let near = known
        .map(|known| Nearest { name: known, edits: distance(lower.as_bytes(), known.as_bytes()) });
    near.min_by_key(|near| near.edits)
}

/// The Levenshtein distance.
///
/// How many bytes to insert, remove or replace to turn `left` into `right`.
/// Needs one row of `right.len() + 1` numbers.
fn distance(left: &[u8], right: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, one) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(one != other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_near() {
        let known = ["text", "tool_use", "tool_result"];
        let find = |name| nearest(name, known.into_iter());
        let tool_use = |edits| Nearest { name: "tool_use", edits };
        assert_eq!(find("Tool_Use"), Some(tool_use(0)));
        assert_eq!(find("tooluse"), Some(tool_use(1)));
        assert!(!find("tool_calls").expect("a name").is_misspelled());
        assert_eq!(find(&"x".repeat(1_000)), None);
    }
}
