//! Indexed patterns, listed directories and parsed files, kept from one pass to the next.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::discover::excludes::Excludes;
use crate::render::parsed::Parsed;
use crate::rules::RulesFound;
use crate::rules::index::RuleIndex;

/// Caches that passes fill. They are not stored: a memory that is read back
/// fills them again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup {
    pub(crate) excludes: OnceLock<Arc<Excludes>>,
    /// An index of the rules known from the start.
    pub(crate) rules: Option<Arc<RuleIndex>>,
    /// By rules directory.
    pub(crate) nested: HashMap<PathBuf, Arc<NestedRules>>,
    pub(crate) parsed: Parsed,
}

impl Lookup {
    /// Starts over with the files that are parsed already.
    pub(crate) fn after(parsed: Parsed) -> Self {
        Self { parsed, ..Self::default() }
    }
}

/// The rules in a nested directory's rules directory.
#[derive(Debug)]
pub(crate) struct NestedRules {
    pub(crate) found: RulesFound,
    pub(crate) index: RuleIndex,
}

/// A cache follows from the rest of a memory, so it never makes two differ.
impl PartialEq for Lookup {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
