//! The options of the caller, and the entries that a change of the prefix excludes.

use std::collections::HashSet;

use super::options::LowerOptions;
use crate::conversation::EntryId;

/// The settings of the passes over whole messages.
#[derive(Clone, Copy)]
pub(super) struct Settings<'a> {
    pub(super) options: &'a LowerOptions,
    /// The entries whose thinking is not sent.
    pub(super) excluded: &'a HashSet<EntryId>,
}
