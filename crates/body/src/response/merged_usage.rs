use aside_json::{Tape, Value};

use super::figures::Figures;

/// How many members of a usage object to keep: a dozen is usual.
const MAX_MEMBERS: usize = 64;

/// How deep objects are merged: a usage object has details, which have figures by lifetime.
const MAX_LEVELS: usize = 4;

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
    /// positive one, keeps its earlier value, in the objects inside as well.
    pub(super) fn add(&mut self, usage: Value<'_>) {
        self.add_to(usage, MAX_LEVELS);
    }

    fn add_to(&mut self, usage: Value<'_>, levels: usize) {
        if usage.kind() != aside_json::Kind::Object {
            return;
        }
        self.is_given = true;
        for (key, value) in usage.members() {
            let is_full = self.members.len() == MAX_MEMBERS;
            match self.members.iter_mut().find(|it| it.key == key) {
                _ if value.is_null() => {}
                Some(known) if known.is_positive() && value.integer() == Some(0) => {}
                Some(known) => known.value = merged(&known.value, value, levels - 1),
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

/// Returns the later value, or both merged if they are objects.
fn merged(earlier: &str, later: Value<'_>, levels: usize) -> String {
    let of_objects = || {
        let tape = Tape::parse(earlier.as_bytes()).ok().filter(|_| levels > 0)?;
        let mut merged = MergedUsage::default();
        merged.add_to(tape.root(), levels);
        merged.is_given.then(|| merged.add_to(later, levels))?;
        merged.object()
    };
    let is_object = later.kind() == aside_json::Kind::Object;
    is_object.then(of_objects).flatten().unwrap_or_else(|| later.raw().to_owned())
}

impl Member {
    fn is_positive(&self) -> bool {
        self.value.parse().is_ok_and(|figure: u64| figure > 0)
    }
}
