//! Rule patterns: what they expand to, and the globs that they become.

use globset::{Glob, GlobBuilder};

use crate::OperatingSystem;
use crate::discover::profile::GlobForm;
use crate::rules::braces::{Budget, expand};

/// One pattern in a rule, with its braces expanded.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// True if it excludes paths that the patterns before it match.
    pub(crate) negated: bool,
    /// A path matches if one of these matches.
    pub(crate) alternatives: Vec<Alternative>,
}

/// One text that a pattern expands to, relative to the rule's directory.
///
/// It is not compiled: an index with thousands of patterns only needs the globs
/// that can match the touched path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Alternative {
    /// A directory, which matches itself and everything in it.
    Dir(String),
    /// A glob for whole paths.
    Path(String),
    /// A glob for directories.
    OnlyDir(String),
}

impl Pattern {
    /// Expands a pattern to match against paths relative to a directory, with
    /// `/` between their parts.
    ///
    /// ```text
    /// src/**      →  the directory src
    /// src         →  the directory src
    /// *.ts        →  *.ts
    /// !{a,b}/*    →  a/*  b/*   (negated)
    ///
    /// With GlobForm::Gitignore:
    ///
    /// src/**      →  **/src
    /// *.ts        →  **/*.ts
    /// src/*/      →  src/*      (only directories)
    /// ```
    ///
    /// # Errors
    ///
    /// A message about a pattern that is too long, or over the budget.
    pub(crate) fn expand(
        written: &str,
        form: GlobForm,
        platform: OperatingSystem,
        budget: &mut Budget,
    ) -> Result<Self, String> {
        let negated = written.starts_with('!');
        let mut pattern = written.strip_prefix('!').unwrap_or(written).to_owned();
        if platform == OperatingSystem::Windows {
            pattern = pattern.replace('\\', "/");
        }
        let expanded = expand(pattern, budget)?;
        let alternatives = match form {
            GlobForm::Rooted => expanded.iter().map(|text| Alternative::new(text)).collect(),
            GlobForm::Gitignore => expanded.iter().filter_map(|it| Alternative::line(it)).collect(),
        };
        Ok(Self { negated, alternatives })
    }

    /// Parses all of the pattern's globs. One that does not parse makes the
    /// whole pattern match nothing.
    ///
    /// # Errors
    ///
    /// A message on what is wrong with the first invalid glob.
    pub(crate) fn check(&self, platform: OperatingSystem) -> Result<(), String> {
        let mut alternatives = self.alternatives.iter();
        alternatives.try_for_each(|alternative| alternative.globs(platform).map(drop))
    }
}

impl Alternative {
    fn new(text: &str) -> Self {
        let text = text.strip_prefix("./").unwrap_or(text);
        let text = text.trim_start_matches('/');
        let dir = text
            .strip_suffix("/**")
            .or(text.strip_suffix('/'))
            .or((!has_wildcards(text)).then_some(text));
        match dir {
            Some(dir) if !dir.is_empty() => Self::Dir(dir.to_owned()),
            _ => Self::Path(text.to_owned()),
        }
    }

    /// Reads a line of a `.gitignore`; `None` for a comment and a line without a name.
    fn line(text: &str) -> Option<Self> {
        let text = text.strip_suffix("/**").unwrap_or(text).trim_end_matches(' ');
        let name = text.strip_suffix('/').unwrap_or(text);
        if name.is_empty() || name.starts_with('#') {
            return None;
        }
        let name = exclamation_last(name);
        let glob = match name.strip_prefix('/') {
            Some(rooted) => rooted.to_owned(),
            None if name.contains('/') => name,
            None => format!("**/{name}"),
        };
        Some(if text.ends_with('/') { Self::OnlyDir(glob) } else { Self::Path(glob) })
    }

    /// Returns the directory or the glob.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Dir(text) | Self::Path(text) | Self::OnlyDir(text) => text,
        }
    }

    /// Parses the globs that this stands for.
    ///
    /// # Errors
    ///
    /// A message on what is wrong with the first invalid glob.
    pub(crate) fn globs(&self, platform: OperatingSystem) -> Result<Vec<Glob>, String> {
        match self {
            Self::Dir(dir) => Ok(vec![glob(dir, platform)?, glob(&format!("{dir}/**"), platform)?]),
            Self::Path(path) | Self::OnlyDir(path) => Ok(vec![glob(path, platform)?]),
        }
    }
}

/// Moves `!` to the end of a class that it begins, where it is a character as any other.
fn exclamation_last(pattern: &str) -> String {
    let mut moved = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, class)) = rest.split_once("[!") {
        let Some((chars, after)) = class.split_once(']') else {
            break;
        };
        moved.push_str(&format!("{before}[{chars}!]"));
        rest = after;
    }
    moved + rest
}

/// Returns the pattern that matches only this text.
pub(crate) fn escape(text: &str) -> String {
    globset::escape(text).replace('\\', r"\\")
}

/// Returns true for a pattern that may match several texts.
///
/// A special character after a backslash or as a class of its own, such as
/// `[*]`, is the character itself.
pub(crate) fn has_wildcards(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(found) = chars.next() {
        let mut next = chars.clone();
        match (found, next.next(), next.next()) {
            ('\\', Some(_), _) => {
                chars.next();
            }
            ('[', Some(literal), Some(']')) if !['!', '^'].contains(&literal) => chars = next,
            ('*' | '?' | '[', ..) => return true,
            _ => {}
        }
    }
    false
}

/// Compiles a pattern in which `*` does not match `/`.
pub(crate) fn glob(pattern: &str, platform: OperatingSystem) -> Result<Glob, String> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .case_insensitive(platform.ignores_case())
        .build()
        .map_err(|error| error.kind().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_special_character_is_no_wildcard() {
        for (pattern, literal) in [
            ("src/a", "src/a"),
            ("[[]id[]]", "[id]"),
            (r"\[id\]", "[id]"),
            ("a[*]", "a*"),
            (r"a\?", "a?"),
            (r"a\\", r"a\"),
        ] {
            assert!(!has_wildcards(pattern), "{pattern}");
            let glob = glob(pattern, OperatingSystem::Linux).unwrap();
            assert!(glob.compile_matcher().is_match(literal), "{pattern}");
        }
        for pattern in ["*", "a?", "[ab]", "[!a]", "[^]", "[!]b]", r"\\*", r"a\[*"] {
            assert!(has_wildcards(pattern), "{pattern}");
        }
    }

    #[test]
    fn an_escaped_text_matches_itself_alone() {
        for text in ["a", "[id]", "a*", r"a\b", "{a,b}", "a?", "!a"] {
            let pattern = escape(text);
            assert!(!has_wildcards(&pattern), "{pattern}");
            let glob = glob(&pattern, OperatingSystem::Linux).unwrap();
            assert!(glob.compile_matcher().is_match(text), "{pattern}");
        }
    }
}
