//! Expanding braces in patterns, with budgets that keep a hostile pattern
//! cheap.

/// How many patterns one pattern's braces may expand to.
const MAX_PATTERNS: usize = 1_000;
/// How many braces to replace in one pattern, even those around a single name.
const MAX_STEPS: usize = 4 * MAX_PATTERNS;
/// How long a pattern may be, in bytes: as long as a path can be.
const MAX_PATTERN_BYTES: usize = 4_096;

/// A budget that many rules' patterns share. Each pattern and each replacement
/// of braces costs one step. Without it, a thousand rules could hold a thousand
/// patterns that expand to a thousand each.
#[derive(Debug)]
pub(crate) struct Budget {
    /// How many steps are left.
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

/// Expands a pattern's braces: `{a,b}/c` becomes `a/c` and `b/c`. An unclosed
/// brace stays, and the glob parser refuses it.
///
/// Nested braces are expanded from the outside to the inside. Results come in
/// the order of the alternatives.
///
/// # Errors
///
/// A pattern that is too long or expands to more than [`MAX_PATTERNS`], or a
/// spent budget.
pub(crate) fn expand(pattern: String, budget: &mut Budget) -> Result<Vec<String>, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("longer than {MAX_PATTERN_BYTES} bytes"));
    }
    let mut expanded = Vec::new();
    let mut open = vec![pattern];
    let mut steps = 0;
    while let Some(pattern) = open.pop() {
        budget.spend()?;
        steps += 1;
        if expanded.len() + open.len() >= MAX_PATTERNS || steps > MAX_STEPS {
            return Err(format!("braces stand for more than {MAX_PATTERNS} patterns"));
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
    // Most patterns have none, and a search is far cheaper than the loop.
    if !pattern.as_bytes().contains(&b'{') {
        return None;
    }
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
