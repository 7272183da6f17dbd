//! A glob that is compiled when a touched path can match it.

use std::sync::OnceLock;

use globset::{Candidate, GlobSet};

use crate::OperatingSystem;
use crate::rules::glob::Alternative;
use crate::rules::glob_literals::Literals;

/// A glob that is compiled when its literal parts fit a path.
#[derive(Debug)]
pub(crate) struct LazyGlob {
    alternative: Alternative,
    literals: Literals,
    compiled: OnceLock<Compiled>,
}

/// What compiling a glob gave.
#[derive(Debug)]
enum Compiled {
    Set(GlobSet),
    /// The glob does not parse, which was reported when the rule was read.
    Invalid,
    /// The glob parses but is too large to compile.
    TooLarge(String),
}

impl LazyGlob {
    pub(crate) fn new(alternative: Alternative) -> Self {
        Self { literals: Literals::new(&alternative), alternative, compiled: OnceLock::new() }
    }

    /// Returns the first component of every path that matches, if it is
    /// literal.
    pub(crate) fn first_component(&self) -> Option<&str> {
        self.literals.first_component(self.alternative.text())
    }

    /// Returns true if a path matches; that of a directory may end with a slash.
    ///
    /// # Errors
    ///
    /// The glob parses but is too large to compile.
    pub(crate) fn is_match(&self, path: &[u8], platform: OperatingSystem) -> Result<bool, &str> {
        let dir = path.strip_suffix(b"/");
        if dir.is_none() && matches!(self.alternative, Alternative::OnlyDir(_)) {
            return Ok(false);
        }
        let path = dir.unwrap_or(path);
        if !self.literals.may_match(self.alternative.text(), path, platform) {
            return Ok(false);
        }
        if let Alternative::Dir(dir) = &self.alternative
            && self.literals.is_literal
        {
            return Ok(path.split_at_checked(dir.len()).is_some_and(|(start, rest)| {
                platform.same_name(start, dir.as_bytes())
                    && [None, Some(&b'/')].contains(&rest.first())
            }));
        }
        match self.compiled.get_or_init(|| self.compile(platform)) {
            Compiled::Set(set) => Ok(set.is_match_candidate(&Candidate::from_bytes(path))),
            Compiled::Invalid => Ok(false),
            Compiled::TooLarge(fault) => Err(fault),
        }
    }

    fn compile(&self, platform: OperatingSystem) -> Compiled {
        match self.alternative.globs(platform).map(GlobSet::new) {
            Ok(Ok(set)) => Compiled::Set(set),
            Ok(Err(error)) => Compiled::TooLarge(error.to_string()),
            Err(_) => Compiled::Invalid,
        }
    }

    pub(crate) fn parses(&self, platform: OperatingSystem) -> bool {
        match self.compiled.get() {
            Some(compiled) => !matches!(compiled, Compiled::Invalid),
            None => self.alternative.globs(platform).is_ok(),
        }
    }

    /// Returns true if a path could match, so that the glob was compiled.
    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }
}
