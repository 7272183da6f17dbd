//! Lists without duplicates, for reports.

use std::collections::HashSet;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

/// A list in the order of discovery without duplicates: a session finds the
/// same fault many times.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<T>", into = "Vec<T>")]
#[serde(bound(
    serialize = "T: Clone + Serialize",
    deserialize = "T: Clone + Eq + Hash + Deserialize<'de>"
))]
pub(crate) struct Reported<T> {
    /// Items in insertion order, which is also how they are stored.
    list: Vec<T>,
    /// The same items, for lookup. Rebuilt when the list is read.
    known: HashSet<T>,
}

impl<T: Clone + Eq + Hash> Reported<T> {
    /// Adds an item, and returns true if it is new.
    pub(crate) fn insert(&mut self, item: T) -> bool {
        let new = self.known.insert(item.clone());
        if new {
            self.list.push(item);
        }
        new
    }

    pub(crate) fn contains(&self, item: &T) -> bool {
        self.known.contains(item)
    }
}

impl<T> Reported<T> {
    /// Returns the items in the order of their first insertion.
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.list
    }
}

impl<T> Default for Reported<T> {
    fn default() -> Self {
        Self { list: Vec::new(), known: HashSet::new() }
    }
}

impl<T: PartialEq> PartialEq for Reported<T> {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl<T: Clone + Eq + Hash> From<Vec<T>> for Reported<T> {
    fn from(list: Vec<T>) -> Self {
        Self { known: list.iter().cloned().collect(), list }
    }
}

impl<T> From<Reported<T>> for Vec<T> {
    fn from(reported: Reported<T>) -> Self {
        reported.list
    }
}
