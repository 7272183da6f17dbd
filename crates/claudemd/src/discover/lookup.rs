//! Indexed patterns, listed directories and parsed files, kept from one pass to the next.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::discover::excludes::Excludes;
use crate::discover::profile::Header;
use crate::links::given::Given;
use crate::render::contents::Contents;
use crate::rules::RulesFound;
use crate::rules::index::RuleIndex;

/// Caches that passes fill. They are not stored: a memory that is read back
/// fills them again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup {
    pub(crate) excludes: Option<Arc<Excludes>>,
    /// An index of the rules known from the start.
    pub(crate) rules: Option<Arc<RuleIndex>>,
    /// By rules directory.
    pub(crate) nested: HashMap<PathBuf, Arc<NestedRules>>,
    pub(crate) parsed: Parsed,
}

impl Lookup {
    /// Starts over with the files that are parsed already.
    pub(crate) fn after(parsed: Parsed) -> Self {
        Self {
            parsed,
            ..Self::default()
        }
    }
}

/// The contents of files by resolved path, as they were read last. A file with the same bytes is not
/// parsed again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parsed(HashMap<PathBuf, (u64, Header, Arc<Contents>)>);

impl Parsed {
    /// Returns a file's contents, which `parse` makes if its bytes or the reading of its header are
    /// not as before.
    pub(crate) fn contents(
        &mut self,
        file: &Given,
        header: Header,
        parse: impl FnOnce() -> Contents,
    ) -> Arc<Contents> {
        match self.0.get(&file.resolved) {
            Some((fingerprint, as_header, contents))
                if *fingerprint == file.fingerprint && *as_header == header =>
            {
                Arc::clone(contents)
            }
            _ => {
                let contents = Arc::new(parse());
                let entry = (file.fingerprint, header, Arc::clone(&contents));
                self.0.insert(file.resolved.clone(), entry);
                contents
            }
        }
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
