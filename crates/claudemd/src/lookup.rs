use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::excludes::Excludes;
use crate::rule_index::RuleIndex;
use crate::rules::RulesFound;

/// What was compiled or walked on the way. It is not stored: a memory that is
/// read back makes it again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup {
    pub(crate) excludes: Option<Arc<Excludes>>,
    /// Of the rules known from the start.
    pub(crate) rules: Option<Arc<RuleIndex>>,
    /// By rules directory.
    pub(crate) nested: HashMap<PathBuf, Arc<NestedRules>>,
}

/// What was found in the rules directory of a nested directory.
#[derive(Debug)]
pub(crate) struct NestedRules {
    pub(crate) found: RulesFound,
    pub(crate) index: RuleIndex,
}

/// It only holds what follows from the rest of a memory.
impl PartialEq for Lookup {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
