//! Reading a `scenario.yaml`: all its faults, not only the first.

use aside_user_files::{DocumentError, DocumentErrorKind, yaml};
use serde::de::IgnoredAny;

use crate::format::Scenario;

/// Per file.
const MAX_FAULTS: usize = 10;

/// Reads a scenario.
///
/// # Errors
///
/// Each top-level key's first fault, or the one fault in a text that is not YAML.
pub(crate) fn read(text: &str) -> Result<Scenario, Vec<DocumentError>> {
    let first = match yaml(text) {
        Ok(scenario) => return Ok(scenario),
        Err(error) => error,
    };
    let is_yaml = yaml::<IgnoredAny>(text).is_ok();
    if first.kind() != DocumentErrorKind::Data || !is_yaml {
        return Err(vec![first]);
    }
    let mut lines: Vec<&str> = text.lines().collect();
    let mut faults = vec![first];
    while faults.len() < MAX_FAULTS {
        let line = faults.last().map_or(1, DocumentError::line);
        if !remove_entry(&mut lines, line) || !lines.iter().any(|line| begins_entry(line)) {
            break;
        }
        match yaml::<Scenario>(&lines.join("\n")) {
            // The rest may no longer be YAML: an entry in an unusual form was cut.
            Err(error) if yaml::<IgnoredAny>(&lines.join("\n")).is_ok() => faults.push(error),
            _ => break,
        }
    }
    faults.sort_by_key(DocumentError::line);
    Err(faults)
}

/// Empties the lines of the top-level entry that contains a line, counted from 1. Returns false if
/// there is none.
fn remove_entry(lines: &mut [&str], line: usize) -> bool {
    let until = line.min(lines.len());
    let Some(start) = lines[..until].iter().rposition(|line| begins_entry(line)) else {
        return false;
    };
    let next = lines[start + 1..]
        .iter()
        .position(|line| begins_entry(line));
    let end = next.map_or(lines.len(), |next| start + 1 + next);
    lines[start..end].fill("");
    true
}

/// Returns true for a top-level entry's first line: a key.
fn begins_entry(line: &str) -> bool {
    let begins = line.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"');
    begins && line.contains(':')
}

#[cfg(test)]
mod tests {
    use super::read;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let faults = read(text).err().unwrap_or_default();
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults, expected);
    }

    #[test]
    fn every_key_with_a_fault_is_reported() {
        check("description: a\nturns:\n- - user: x\n", &[]);
        check(
            "modle: x\nturns:\n  - - usr: x\n    - user: x\n# a\nsimple: sometimes\nrepositry: .\n",
            &[
                "line 1: unknown key `modle`: did you mean `model`?",
                "line 3: turns[0][0]: unknown value `usr`: did you mean `user`?",
                "line 6: simple: expected true or false, found \"sometimes\"",
                "line 7: unknown key `repositry`: did you mean `repository`?",
            ],
        );
    }

    #[test]
    fn a_text_of_another_form_has_its_first_fault() {
        check("turns: [", &["line 1: turns: expected a list, found \"[\""]);
        check(
            "{modle: x, turns: 7}",
            &["line 1: unknown key `modle`: did you mean `model`?"],
        );
        check("- a", &["line 1: expected a mapping, found a list"]);
        let many: String = (0..30).map(|i| format!("k{i}: x\n")).collect();
        assert_eq!(
            read(&many).err().map(|it| it.len()),
            Some(super::MAX_FAULTS)
        );
    }
}
