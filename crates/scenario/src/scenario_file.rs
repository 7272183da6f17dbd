//! Reading a `scenario.yaml`: all its faults, not only the first.

use std::ops::Range;

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
    let mut faults = Vec::new();
    let mut fault = Some(first);
    while let Some(error) = fault.take()
        && faults.len() < MAX_FAULTS
    {
        let Some(entry) = entry_of(&lines, &error) else {
            faults.push(error);
            break;
        };
        let key = lines[entry.start].split(':').next().unwrap_or_default();
        faults.push(if entry.contains(&(error.line() - 1)) {
            error
        } else {
            error.moved(entry.start + 1, &format!("{key}: "))
        });
        lines[entry].fill("");
        let rest = lines.join("\n");
        // The rest may no longer be YAML: an entry in an unusual form was cut.
        if lines.iter().any(|line| begins_entry(line)) && yaml::<IgnoredAny>(&rest).is_ok() {
            fault = yaml::<Scenario>(&rest).err();
        }
    }
    faults.sort_by_key(DocumentError::line);
    Err(faults)
}

/// Finds the top-level entry with a fault: on its line, unless another entry has it by itself. serde
/// reports some where the mapping begins. Returns the entry's lines, from 0.
fn entry_of(lines: &[&str], fault: &DocumentError) -> Option<Range<usize>> {
    let starts: Vec<usize> = (0..lines.len()).filter(|it| begins_entry(lines[*it])).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let mut entries = starts.iter().copied().zip(ends).map(|(a, b)| a..b);
    let has_fault = |entry: &Range<usize>| {
        let alone = yaml::<Scenario>(&lines[entry.clone()].join("\n"));
        alone.is_err_and(|it| it.message() == fault.message())
    };
    let own = entries.clone().find(|it| it.contains(&(fault.line() - 1)));
    let is_own = own.as_ref().is_some_and(has_fault);
    let other = if is_own { None } else { entries.find(has_fault) };
    other.or(own)
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
    fn a_fault_is_reported_where_it_is() {
        let before = "description: a\nlayout: layered\nturns:\n  - - user: x\n";
        check(
            &format!("{before}provider: foo\nmodle: x\n"),
            &[
                "line 5: provider: unknown provider \"foo\": expected one of first-party, bedrock, \
                 bedrock-messages, vertex, foundry, openai, gemini, grok",
                "line 6: unknown key `modle`: did you mean `model`?",
            ],
        );
        check(&format!("{before}layout: classic\n"), &["line 5: twice the key `layout`"]);
    }

    #[test]
    fn names_are_different_and_reminders_have_a_text() {
        let sections = "sections:\n  - name: a\n    lifetime: project\n    text: x\n  - name: ";
        check(&format!("{sections}b\n    lifetime: session\n"), &[]);
        check(
            &format!("{sections}a\n    lifetime: session\n"),
            &["line 5: sections[1]: expected a name that no section before it has, found \"a\""],
        );
        check(
            &format!("{sections}b\n    lifetime: week\n"),
            &[
                "line 6: sections[1].lifetime: unknown value `week`, expected `project` or `session`",
            ],
        );
        check("sections:\nreminders: []\n", &[]);
        check("sections: [a]\n", &["line 1: sections[0]: expected a mapping, found \"a\""]);
        let reminder = |id: &str, content: &str| {
            format!("  - id: {id}\n    schedule: always\n    content: {content}\n")
        };
        let both = |id: &str, content: &str| {
            format!("reminders:\n{}{}", reminder("a", "x"), reminder(id, content))
        };
        check(&both("b", "7"), &[]);
        check(
            &both("a", "y"),
            &["line 5: reminders[1]: expected an id that no reminder before it has, found \"a\""],
        );
        check(
            &both("b", "\" \""),
            &["line 7: reminders[1].content: expected some text, found \" \""],
        );
        check(
            "cache: {switches: {force_shor: true}}\n",
            &["line 1: cache.switches: unknown key `force_shor`: did you mean `force_short`?"],
        );
        check("cache: {switches: {force_short: true}}\n", &[]);
    }

    #[test]
    fn a_text_of_another_form_has_its_first_fault() {
        check("turns: [", &["line 1: turns: expected a list, found \"[\""]);
        check("{modle: x, turns: 7}", &["line 1: unknown key `modle`: did you mean `model`?"]);
        check("- a", &["line 1: expected a mapping, found a list"]);
        let many: String = (0..30).map(|i| format!("k{i}: x\n")).collect();
        assert_eq!(read(&many).err().map(|it| it.len()), Some(super::MAX_FAULTS));
    }
}
