//! The caller's options, and the entries that a prefix change excludes.

use std::collections::HashSet;

use super::options::LowerOptions;
use crate::conversation::EntryId;

/// What the passes over whole messages need.
#[derive(Clone, Copy)]
pub(super) struct Settings<'a> {
    pub(super) options: &'a LowerOptions,
    /// The entries whose thinking is not sent.
    pub(super) excluded: &'a HashSet<EntryId>,
}
