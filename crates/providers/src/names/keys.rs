//! Keys of properties that a server refuses, and the way back.

use std::collections::BTreeMap;

use aside_rules::of::schema::{KeyPair, rename_keys};

/// The replaced keys of the inputs of tools, by the name of the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyNames(BTreeMap<String, Vec<KeyPair>>);

impl KeyNames {
    pub(crate) fn insert(&mut self, tool: String, keys: Vec<KeyPair>) {
        self.0.insert(tool, keys);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if keys of the tool were replaced.
    pub(crate) fn has(&self, tool: &str) -> bool {
        self.0.contains_key(tool)
    }

    /// Returns an input with the keys that the server knows; `None` if it stays as it is.
    pub(crate) fn sent(&self, tool: &str, input: &str) -> Option<String> {
        self.rename(tool, input, |pair| (&pair.original, &pair.sent))
    }

    /// Returns an input with the keys of the caller; `None` if it stays as it is.
    pub(crate) fn original(&self, tool: &str, input: &str) -> Option<String> {
        self.rename(tool, input, |pair| (&pair.sent, &pair.original))
    }

    fn rename(
        &self,
        tool: &str,
        input: &str,
        order: fn(&KeyPair) -> (&str, &str),
    ) -> Option<String> {
        let pairs: Vec<_> = self.0.get(tool)?.iter().map(order).collect();
        rename_keys(input, &pairs)
    }
}
