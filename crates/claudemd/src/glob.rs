//! The patterns of rules, with the budgets that keep a hostile pattern cheap.

use globset::{Glob, GlobBuilder};

use crate::OperatingSystem;

/// The maximum number of patterns that the braces of one pattern may expand to.
const MAX_PATTERNS: usize = 1_000;
/// The maximum number of replacements of braces in one pattern, including
/// braces around a single name.
const MAX_STEPS: usize = 4 * MAX_PATTERNS;
/// The longest pattern, in bytes: as long as a path can be.
const MAX_PATTERN_BYTES: usize = 4_096;

/// A budget shared by the patterns of many rules. Each pattern and each
/// replacement of braces costs one step. Without it, a thousand rules could
/// hold a thousand patterns that expand to a thousand each.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The number of steps that are left.
    steps: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: 50_000 }
    }
}

impl Budget {
    /// Returns true if every further pattern is an error.
    pub(crate) fn is_spent(&self) -> bool {
        self.steps == 0
    }

    /// Takes one step, and fails when the last one is taken.
    fn spend(&mut self) -> Result<(), String> {
        self.steps = self.steps.saturating_sub(1);
        if self.is_spent() {
            return Err("over the limit of 50000 patterns in all rules".to_owned());
        }
        Ok(())
    }
}

/// One compiled pattern of a rule.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// True if it excludes paths that the patterns before it match.
    pub(crate) negated: bool,
    /// The globs after the expansion; a path matches if one of them matches.
    pub(crate) globs: Vec<Glob>,
}

impl Pattern {
    /// Compiles a pattern that is matched against paths relative to a
    /// directory, with `/` between their parts.
    ///
    /// ```text
    /// src/**      →  src  src/**
    /// src         →  src  src/**
    /// *.ts        →  *.ts
    /// !{a,b}/*    →  a/*  b/*   (negated)
    /// ```
    ///
    /// # Errors
    ///
    /// A message with the fault of the pattern.
    pub(crate) fn parse(
        written: &str,
        platform: OperatingSystem,
        budget: &mut Budget,
    ) -> Result<Self, String> {
        let negated = written.starts_with('!');
        let mut pattern = written.strip_prefix('!').unwrap_or(written).to_owned();
        if platform == OperatingSystem::Windows {
            pattern = pattern.replace('\\', "/");
        }
        let mut globs = Vec::new();
        for pattern in expand(&pattern, budget)? {
            let pattern = pattern
                .strip_prefix("./")
                .unwrap_or(&pattern)
                .trim_start_matches('/');
            let dir = pattern
                .strip_suffix("/**")
                .or(pattern.strip_suffix('/'))
                .or((!has_wildcards(pattern)).then_some(pattern));
            match dir {
                // The pattern matches a directory and everything in it.
                Some(dir) if !dir.is_empty() => {
                    globs.push(glob(dir, platform)?);
                    globs.push(glob(&format!("{dir}/**"), platform)?);
                }
                _ => globs.push(glob(pattern, platform)?),
            }
        }
        Ok(Self { negated, globs })
    }
}

/// Returns the pattern that matches a text alone.
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

/// Expands the braces of a pattern: `{a,b}/c` becomes `a/c` and `b/c`. An
/// unclosed brace stays, and the glob parser refuses it.
///
/// Nested braces are expanded from the outside to the inside. The results are
/// in the order of the alternatives.
///
/// # Errors
///
/// A pattern that is too long or expands to more than [`MAX_PATTERNS`], or a
/// spent budget.
pub(crate) fn expand(pattern: &str, budget: &mut Budget) -> Result<Vec<String>, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("longer than {MAX_PATTERN_BYTES} bytes"));
    }
    let mut expanded = Vec::new();
    let mut open = vec![pattern.to_owned()];
    let mut steps = 0;
    while let Some(pattern) = open.pop() {
        budget.spend()?;
        steps += 1;
        if expanded.len() + open.len() >= MAX_PATTERNS || steps > MAX_STEPS {
            return Err(format!(
                "braces stand for more than {MAX_PATTERNS} patterns"
            ));
        }
        match first_braces(&pattern) {
            None => expanded.push(pattern),
            Some((before, alternatives, after)) => {
                // The list is used as a stack.
                let each = alternatives.iter().rev();
                open.extend(each.map(|one| format!("{before}{one}{after}")));
            }
        }
    }
    Ok(expanded)
}

/// Returns the text before, in (split at commas) and after the first braces.
///
/// Braces after a backslash or in a character class such as `[{]` do not count.
fn first_braces(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut depth = 0usize;
    let mut in_class = false;
    let (mut start, mut from) = (0, 0);
    let mut alternatives = Vec::new();
    let mut chars = pattern.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            ']' => in_class = false,
            '[' if pattern[at..].contains(']') => in_class = true,
            _ if in_class => {}
            '{' => {
                depth += 1;
                if depth == 1 {
                    (start, from) = (at, at + 1);
                }
            }
            ',' if depth == 1 => {
                alternatives.push(&pattern[from..at]);
                from = at + 1;
            }
            '}' if depth == 1 => {
                alternatives.push(&pattern[from..at]);
                return Some((&pattern[..start], alternatives, &pattern[at + 1..]));
            }
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
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
