//! Patterns relative to one directory, by the first component of the paths that
//! they match.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::OperatingSystem;
use crate::rules::glob::{Alternative, Pattern};
use crate::rules::lazy_glob::LazyGlob;

/// Rules whose patterns are relative to the same directory.
#[derive(Debug, Default)]
pub(crate) struct Base {
    /// The directory as the rules name it.
    dir: PathBuf,
    /// `dir` with symbolic links resolved.
    resolved: PathBuf,
    /// The distinct globs, each with its patterns' indexes.
    globs: Vec<(LazyGlob, Vec<usize>)>,
    patterns: Vec<Owner>,
    /// Each pattern's glob indexes, one pattern after the other.
    members: Vec<usize>,
    /// Globs with a literal first component, by that component.
    by_first: HashMap<Vec<u8>, Vec<usize>>,
    /// Globs whose first component has wildcards.
    any_first: Vec<usize>,
}

/// A rule's pattern.
#[derive(Debug)]
pub(crate) struct Owner {
    /// The rule's index in the list that the index was built from.
    pub(crate) rule: usize,
    /// Where the pattern is in the rule, to find the last match.
    pub(crate) position: usize,
    /// True if the pattern excludes paths.
    pub(crate) negated: bool,
    /// The range of its globs in `Base::members`.
    members: Range<usize>,
    /// False if one of its globs does not parse, so that it matches nothing.
    is_valid: OnceLock<bool>,
}

impl Base {
    pub(crate) fn new(dir: PathBuf) -> Self {
        let resolved = std::fs::canonicalize(&dir).unwrap_or_else(|_| dir.clone());
        Self { dir, resolved, ..Self::default() }
    }

    /// Returns the directory that patterns are relative to.
    pub(crate) fn dir(&self) -> &OsStr {
        self.dir.as_os_str()
    }

    /// Adds the pattern at `position` in a rule. `known` has the globs' indexes
    /// so far: rules often repeat a pattern.
    pub(crate) fn add(
        &mut self,
        rule: usize,
        position: usize,
        pattern: Pattern,
        known: &mut HashMap<Alternative, usize>,
        platform: OperatingSystem,
    ) {
        let owner = self.patterns.len();
        let start = self.members.len();
        for alternative in pattern.alternatives {
            let glob = match known.get(&alternative) {
                Some(glob) => *glob,
                None => {
                    known.insert(alternative.clone(), self.globs.len());
                    self.add_glob(alternative, platform)
                }
            };
            self.globs[glob].1.push(owner);
            self.members.push(glob);
        }
        self.patterns.push(Owner {
            rule,
            position,
            negated: pattern.negated,
            members: start..self.members.len(),
            is_valid: OnceLock::new(),
        });
    }

    /// Adds a glob that is not yet known, and returns its index.
    fn add_glob(&mut self, alternative: Alternative, platform: OperatingSystem) -> usize {
        let index = self.globs.len();
        let glob = LazyGlob::new(alternative);
        let list = match glob.first_component() {
            Some(first) => {
                let first = platform.folded(first.as_bytes());
                self.by_first.entry(first.into_owned()).or_default()
            }
            None => &mut self.any_first,
        };
        list.push(index);
        self.globs.push((glob, Vec::new()));
        index
    }

    /// Returns a file's names relative to this directory, each once.
    ///
    /// A name that is not below the directory gives none.
    pub(crate) fn relative(&self, names: &[&Path], platform: OperatingSystem) -> Vec<Vec<u8>> {
        let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
        let mut relative = Vec::new();
        for base in [&self.dir, &self.resolved] {
            for name in names {
                relative.extend(platform.relative(&bytes(base), &bytes(name)));
            }
        }
        relative.sort();
        relative.dedup();
        relative
    }

    /// Adds patterns that match a relative path to `owners`, and globs that are
    /// too large to compile to `faults`, with their rules.
    pub(crate) fn matching<'a>(
        &'a self,
        path: &[u8],
        platform: OperatingSystem,
        owners: &mut Vec<&'a Owner>,
        faults: &mut Vec<(usize, String)>,
    ) {
        let first = path.split(|byte| *byte == b'/').next().unwrap_or(path);
        let first = platform.folded(first);
        let same_first = self.by_first.get(first.as_ref()).into_iter().flatten();
        for index in same_first.chain(&self.any_first) {
            let (glob, patterns) = &self.globs[*index];
            let patterns = patterns.iter().map(|pattern| &self.patterns[*pattern]);
            match glob.is_match(path, platform) {
                Ok(false) => {}
                Ok(true) => owners.extend(patterns.filter(|owner| self.is_valid(owner, platform))),
                Err(fault) => faults.extend(patterns.map(|owner| (owner.rule, fault.to_owned()))),
            }
        }
    }

    /// Returns true if all of a pattern's globs parse.
    fn is_valid(&self, owner: &Owner, platform: OperatingSystem) -> bool {
        let members = &self.members[owner.members.clone()];
        let parses = |glob: &usize| self.globs[*glob].0.parses(platform);
        *owner.is_valid.get_or_init(|| members.iter().all(parses))
    }

    /// Returns how many globs were compiled.
    #[cfg(test)]
    pub(crate) fn compiled(&self) -> usize {
        self.globs.iter().filter(|(glob, _)| glob.is_compiled()).count()
    }
}
