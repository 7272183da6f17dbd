//! Globs in `Glob` and in `Grep`'s `glob`.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use crate::refusal::Refusal;

const MAX_GLOB_BYTES: usize = 1_000;

/// A glob over paths relative to a directory.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    matcher: GlobMatcher,
}

impl Pattern {
    /// Parses a glob. Without a slash it matches in every directory; with one,
    /// it is relative to `base`, or starts with it.
    pub(crate) fn parse(glob: &str, base: &Path) -> Result<Self, Refusal> {
        let refuse = |why: &str| Err(Refusal::new("the glob", why));
        if glob.len() > MAX_GLOB_BYTES {
            return refuse("longer than 1,000 bytes");
        }
        if glob.is_empty() {
            return refuse("empty");
        }
        let below = match glob.strip_prefix('/') {
            None => glob.strip_prefix("./").unwrap_or(glob),
            Some(_) => match base.to_str().and_then(|base| glob.strip_prefix(base)) {
                Some(below) => below.trim_start_matches('/'),
                None => {
                    return refuse("it leads out of the directory that is searched: set `path`");
                }
            },
        };
        if below.split('/').any(|part| part == "..") {
            return refuse("it has a `..` in it: set `path`");
        }
        let anywhere = (!glob.contains('/')).then(|| format!("**/{below}"));
        let built = GlobBuilder::new(anywhere.as_deref().unwrap_or(below))
            .literal_separator(true)
            .backslash_escape(true)
            .build();
        match built {
            Ok(glob) => Ok(Self { matcher: glob.compile_matcher() }),
            Err(error) => refuse(&error.kind().to_string()),
        }
    }

    /// Takes a path relative to the directory being searched.
    pub(crate) fn matches(&self, below: &Path) -> bool {
        self.matcher.is_match(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match() {
        let check = |glob: &str, yes: &[&str], no: &[&str]| {
            let pattern = Pattern::parse(glob, Path::new("/home/mia/shop")).unwrap();
            for path in yes {
                assert!(pattern.matches(Path::new(path)), "{glob} should match {path}");
            }
            for path in no {
                assert!(!pattern.matches(Path::new(path)), "{glob} should not match {path}");
            }
        };
        check("*.rs", &["a.rs", "b/a.rs"], &["a.rst"]);
        check("./*.rs", &["a.rs"], &["b/a.rs"]);
        check("b/*.{rs,md}", &["b/a.rs", "b/a.md"], &["a.rs", "b/c/a.rs"]);
        check("**/*.rs", &["a.rs", "b/c/a.rs"], &["a.md"]);
        check("/home/mia/shop/b/**", &["b/a", "b/c/a"], &["a"]);
        check("[ab]?", &["a1", "x/b2"], &["c1"]);
    }

    #[test]
    fn invalid_globs_are_refused() {
        let check = |glob: &str, expected: &str| {
            let refused = Pattern::parse(glob, Path::new("/home/mia/shop")).unwrap_err();
            assert!(refused.to_string().starts_with(expected), "{refused}");
        };
        check("", "the glob: empty");
        check("../*", "the glob: it has a `..`");
        check("/etc/*", "the glob: it leads out");
        check("{a", "the glob: unclosed alternate group");
        check(&"a".repeat(1_001), "the glob: longer than 1,000 bytes");
        check(&"{".repeat(1_000), "the glob: ");
        // Many alternatives are within the limits.
        assert!(Pattern::parse(&"{a,b}".repeat(200), Path::new("/")).is_ok());
    }
}
