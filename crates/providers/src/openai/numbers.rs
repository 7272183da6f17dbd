//! Finds which call a piece belongs to.

use std::collections::BTreeMap;

/// Assigns pieces to their calls.
///
/// The wire has an index for this. Some servers send none, some send the index 0 for every call,
/// and some send a new id with every piece.
///
/// ```json
/// {"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "Bash", "arguments": ""}}]}
/// {"tool_calls": [{"index": 0, "function": {"arguments": "{\"command\":"}}]}
/// {"tool_calls": [{"index": 0, "function": {"arguments": "\"ls\"}"}}]}
/// ```
///
/// All three are pieces of call 0.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Which call last used an index.
    by_index: BTreeMap<u64, usize>,
    /// Which call began with an id.
    by_id: BTreeMap<String, usize>,
    /// Each call's id, by its number; `None` if it began without one.
    ids: Vec<Option<String>>,
    /// The last piece's call, for pieces with neither index nor id.
    last: usize,
}

impl Numbers {
    /// Returns the number of the call that a piece belongs to, counted from 0. If this equals the
    /// number of calls so far, the piece starts a new call.
    ///
    /// - With an index: the call that last used it, unless the piece has a name and another id.
    /// - Without an index: the call with this id; else a new one if the piece has a name, or the
    ///   last piece's call.
    ///
    /// Pass an empty id or name as `None`. The cost is logarithmic in the number of calls.
    pub(super) fn find(
        &mut self,
        index: Option<u64>,
        id: Option<&str>,
        name: Option<&str>,
    ) -> usize {
        let next = self.ids.len();
        let with_id = || id.and_then(|id| self.by_id.get(id)).copied();
        let number = match index {
            Some(index) => match self.by_index.get(&index) {
                Some(&number) if self.is_another(number, id, name) => with_id().unwrap_or(next),
                Some(&number) => number,
                None => next,
            },
            None => match (with_id(), name) {
                (Some(number), _) => number,
                (None, Some(_)) => next,
                (None, None) => self.last.min(next),
            },
        };
        if number == next {
            self.ids.push(id.map(str::to_owned));
            if let Some(id) = id {
                self.by_id.insert(id.to_owned(), number);
            }
        }
        if let Some(index) = index {
            self.by_index.insert(index, number);
        }
        self.last = number;
        number
    }

    /// Returns true if the piece starts a new call under another call's index: it has another id,
    /// and a name.
    fn is_another(&self, number: usize, id: Option<&str>, name: Option<&str>) -> bool {
        let known = self.ids[number].as_deref();
        name.is_some() && known.is_some() && id.is_some() && known != id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[(Option<u64>, &str, &str)], expected: &[usize]) {
        let mut numbers = Numbers::default();
        let found: Vec<_> = pieces
            .iter()
            .map(|(index, id, name)| {
                let some = |text: &&'_ str| !text.is_empty();
                numbers.find(*index, Some(*id).filter(some), Some(*name).filter(some))
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn pieces_find_their_call() {
        let (zero, one) = (Some(0), Some(1));
        check(&[(zero, "a", "f"), (one, "b", "g"), (zero, "", ""), (one, "", "")], &[0, 1, 0, 1]);
        check(&[(zero, "a", "f"), (zero, "", ""), (zero, "b", "g"), (zero, "", "")], &[0, 0, 1, 1]);
        check(&[(zero, "a", "f"), (zero, "b", ""), (zero, "c", "")], &[0, 0, 0]);
        check(
            &[(None, "a", "f"), (None, "", ""), (None, "b", "g"), (None, "a", "")],
            &[0, 0, 1, 0],
        );
        check(&[(None, "", "f"), (None, "", "f"), (None, "", "")], &[0, 1, 1]);
        check(&[(zero, "a", "f"), (one, "a", "g")], &[0, 1]);
    }
}
