//! Parts of a body that are reported as lost.
//!
//! There are two policies: members of an item or a part that the server adds itself (ids, states)
//! are dropped without a report; every other member, and every parameter of a body, is a conversion
//! loss with its JSON path.

use std::fmt;

use aside_models::Wire;
use aside_rules::is_parameter;

use super::object::Object;

impl Object<'_> {
    /// Reports an item or a part that the Messages API has no counterpart for.
    pub(super) fn lose(&self) {
        self.lose_value(self.place());
    }

    /// Reports a value that the Messages API has no counterpart for.
    pub(super) fn lose_value(&self, path: impl fmt::Display) {
        self.lost(path, "left out: the Messages API has no counterpart");
    }

    /// Reports members of an item that were not read.
    ///
    /// Members that are null, those that a server adds to its own items (`id`, `status`,
    /// `logprobs`), and an empty list of `annotations` are not reported.
    pub(super) fn report(&mut self) {
        // Ids and states of items are the server's.
        let is_its_own = |path: &str| {
            let key = path.rsplit('.').next().unwrap_or_default();
            matches!(key, "type" | "id" | "status" | "logprobs" | "role")
        };
        for (path, value) in self.rest() {
            let is_empty = path.ends_with("annotations") && value.items().next().is_none();
            if !value.is_null() && !is_its_own(&path) && !is_empty {
                self.lose_value(path);
            }
        }
    }

    /// Reports the parameters of a body that were not read.
    ///
    /// In contrast to [`Object::report`], `id` or `status` at this level is reported: it is no item
    /// of a server.
    pub(super) fn report_parameters(&mut self) {
        for (key, value) in self.rest() {
            if !value.is_null() {
                self.lost(&key, reason(&key));
            }
        }
    }
}

/// The parameters of a body whose conversation is, in part, stored by the server.
pub(crate) const IN_STORAGE: [&str; 3] = ["previous_response_id", "conversation", "prompt"];

/// Returns why a parameter is left out.
fn reason(key: &str) -> &'static str {
    match key {
        "metadata" => "left out: the Messages API takes no metadata but the id of a user",
        "context_management" => "left out: the Messages API has other edits under this name",
        _ if IN_STORAGE.contains(&key) => "left out: it is kept by the server, and not in the body",
        "prompt_cache_options" | "prompt_cache_retention" => {
            "left out: the Messages API has a lifetime for each cache marker only"
        }
        _ if is_parameter(Wire::Messages, key) => {
            "left out: the wire that the body was read as has no such parameter"
        }
        _ => "left out: the Messages API has no such parameter",
    }
}
