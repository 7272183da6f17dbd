use aside_json::{Tape, Value};

use super::figures::Figures;

/// How many members of a usage object to keep: a dozen is usual.
const MAX_MEMBERS: usize = 64;

/// A response's usage objects, as the vendor writes them.
///
/// They are merged as JSON, because only the merged keys show which vendor this is.
#[derive(Clone, Debug, Default)]
pub(super) struct MergedUsage {
    members: Vec<Member>,
    /// True once there was a usage object, which may be empty.
    is_given: bool,
}

/// A usage member: its key, also as written, and its value as JSON.
#[derive(Clone, Debug)]
struct Member {
    key: String,
    raw_key: String,
    value: String,
}

impl MergedUsage {
    /// Merges a usage object. Figures are totals for the response: one that is null, or 0 after a
    /// positive one, keeps its earlier value.
    pub(super) fn add(&mut self, usage: Value<'_>) {
        if usage.kind() != aside_json::Kind::Object {
            return;
        }
        self.is_given = true;
        for (key, value) in usage.members() {
            let is_full = self.members.len() == MAX_MEMBERS;
            match self.members.iter_mut().find(|it| it.key == key) {
                _ if value.is_null() => {}
                Some(known) if known.is_positive() && value.integer() == Some(0) => {}
                Some(known) => value.raw().clone_into(&mut known.value),
                None if is_full => {}
                None => self.members.push(Member {
                    key: key.into_owned(),
                    raw_key: value.raw_key().unwrap_or_default().to_owned(),
                    value: value.raw().to_owned(),
                }),
            }
        }
    }

    /// Reads the merged object; `None` when there was none.
    pub(super) fn read<T>(&self, read: impl FnOnce(Figures<'_>) -> T) -> Option<T> {
        let object = self.object()?;
        let tape = Tape::parse(object.as_bytes()).ok()?;
        Some(read(Figures(tape.root())))
    }

    /// Returns the merged object as JSON; `None` when there was none.
    pub(super) fn object(&self) -> Option<String> {
        let members = self.members.iter();
        let members: Vec<String> =
            members.map(|it| format!("\"{}\":{}", it.raw_key, it.value)).collect();
        self.is_given.then(|| format!("{{{}}}", members.join(",")))
    }

    pub(super) fn member(&self, key: &str) -> Option<&str> {
        let found = self.members.iter().find(|it| it.key == key);
        found.map(|it| &*it.value)
    }
}

impl Member {
    fn is_positive(&self) -> bool {
        self.value.parse().is_ok_and(|figure: u64| figure > 0)
    }
}
