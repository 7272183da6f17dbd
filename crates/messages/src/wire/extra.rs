use std::collections::HashSet;

use serde::{Serialize, Serializer};

use super::raw::RawJson;

/// The keys in an object that its type has no field for, and explicit nulls for
/// keys that it has: raw JSON, in input order.
///
/// They are written after the known keys and before `cache_control`. A key is
/// never written twice: one that has a field is left out if the field is
/// written, and when keys are equal the last one is written.
///
/// For example, `{"type":"text","text":"Hi","a":1,"citations":null}` is a text
/// whose extra members are `a` and the null.
///
/// ```
/// use aside_messages::wire::ContentBlock;
///
/// let json = r#"{"type":"text","text":"Hi","new_key":1}"#;
/// let block: ContentBlock = serde_json::from_str(json)?;
/// assert_eq!(serde_json::to_string(&block)?, json);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra(pub Vec<(String, RawJson)>);

impl Extra {
    /// Returns the members, of equal keys the last.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        let is_last = self.last_of_equals();
        let members = self.0.iter().enumerate();
        members.filter_map(move |(index, (key, value))| {
            let is_doubled = is_last.get(index) == Some(&false);
            (!is_doubled).then_some((key.as_str(), value))
        })
    }

    /// Returns false for every member that has an equal key after it. Empty if
    /// no key can be doubled.
    fn last_of_equals(&self) -> Vec<bool> {
        if self.0.len() < 2 {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        let last_first = self.0.iter().rev();
        let mut is_last: Vec<bool> = last_first.map(|(key, _)| seen.insert(key)).collect();
        is_last.reverse();
        is_last
    }
}

impl Serialize for Extra {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.members())
    }
}
