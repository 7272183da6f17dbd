use globset::{Glob, GlobBuilder};

use crate::Platform;

/// The most patterns that the braces of one may stand for.
const MOST: usize = 1_000;
/// How often the braces of one are replaced at most, those around a single
/// name counted.
const MOST_STEPS: usize = 4 * MOST;
/// The longest pattern, in bytes. It is as long as a path can be.
const LONGEST: usize = 4_096;

/// How much is spent on the patterns of many rules: one step for each pattern,
/// and for each replacement of braces. Without it, a thousand rules could hold
/// a thousand patterns of a thousand each.
#[derive(Debug)]
pub(crate) struct Budget {
    steps: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: 50_000 }
    }
}

impl Budget {
    pub(crate) fn is_spent(&self) -> bool {
        self.steps == 0
    }

    fn spend(&mut self) -> Result<(), String> {
        self.steps = self.steps.saturating_sub(1);
        if self.is_spent() {
            return Err("over the limit of 50000 patterns in all rules".to_owned());
        }
        Ok(())
    }
}

/// One pattern of a rule, ready to be matched.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Whether it takes back what the ones before it match.
    pub(crate) negated: bool,
    pub(crate) globs: Vec<Glob>,
}

impl Pattern {
    /// Reads a pattern whose matches are paths relative to a directory, with
    /// `/` between their parts.
    ///
    /// The error says what is wrong with it.
    pub(crate) fn parse(
        written: &str,
        platform: Platform,
        budget: &mut Budget,
    ) -> Result<Self, String> {
        let negated = written.starts_with('!');
        let mut pattern = written.strip_prefix('!').unwrap_or(written).to_owned();
        if platform == Platform::Windows {
            pattern = pattern.replace('\\', "/");
        }
        let mut globs = Vec::new();
        for pattern in expand(&pattern, budget)? {
            let pattern = pattern.strip_prefix("./").unwrap_or(&pattern);
            let pattern = pattern.trim_start_matches('/');
            let dir = pattern.strip_suffix("/**").or(pattern.strip_suffix('/'));
            let dir = dir.or((!pattern.contains(['*', '?', '['])).then_some(pattern));
            match dir {
                // A directory, and what is in it.
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

/// Compiles a pattern in which `*` does not match `/`.
pub(crate) fn glob(pattern: &str, platform: Platform) -> Result<Glob, String> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .case_insensitive(platform.ignores_case())
        .build()
        .map_err(|error| error.kind().to_string())
}

/// Writes out the braces of a pattern: `{a,b}/c` is `a/c` and `b/c`. What is
/// not closed is left to the glob's own parser to refuse.
pub(crate) fn expand(pattern: &str, budget: &mut Budget) -> Result<Vec<String>, String> {
    if pattern.len() > LONGEST {
        return Err(format!("longer than {LONGEST} bytes"));
    }
    let mut expanded = Vec::new();
    let mut open = vec![pattern.to_owned()];
    let mut steps = 0;
    while let Some(pattern) = open.pop() {
        budget.spend()?;
        steps += 1;
        if expanded.len() + open.len() >= MOST || steps > MOST_STEPS {
            return Err(format!("braces stand for more than {MOST} patterns"));
        }
        match first_braces(&pattern) {
            None => expanded.push(pattern),
            Some((before, alternatives, behind)) => {
                // The last one is taken first.
                let each = alternatives.iter().rev();
                open.extend(each.map(|one| format!("{before}{one}{behind}")));
            }
        }
    }
    Ok(expanded)
}

/// What is before, in (between the commas) and behind the first braces.
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
