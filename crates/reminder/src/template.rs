//! The little that a reminder's text may leave open.

use aside_messages::one_line;

use crate::due::Due;

/// What stands for `{{now}}`, `{{date}}`, `{{cwd}}`, `{{branch}}` and
/// `{{turn}}` in the content of a reminder. What is not given, and any other
/// name, stays as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// The local date and time, to the minute, with its zone.
    pub now: Option<String>,
    /// The local date.
    pub date: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The branch of the repository.
    pub branch: Option<String>,
    /// The turn, from 0.
    pub turn: Option<String>,
}

/// Where a text has grown to this many bytes, what else it leaves open stays as
/// it is written: a small file must not become a large request.
const MAX_BYTES: usize = 1024 * 1024;

const NAMES: [&str; 5] = ["now", "date", "cwd", "branch", "turn"];

impl Values {
    /// The text with the values in the places of their names. What a value
    /// says is not looked at again, and stands on one line: what would end it
    /// or steer a terminal is written as an escape.
    #[must_use]
    pub fn fill(&self, content: &str) -> String {
        let shown = NAMES.map(|name| self.get(name).map(one_line));
        let value = |name: &str| {
            let known = NAMES.iter().position(|known| *known == name)?;
            shown[known].as_deref()
        };
        let mut filled = String::with_capacity(content.len());
        let mut rest = content;
        while let Some((before, name, behind)) = next_place(rest) {
            filled.push_str(before);
            match value(name.trim()) {
                Some(value) if filled.len() + value.len() <= MAX_BYTES => filled.push_str(value),
                _ => filled.push_str(&rest[before.len()..rest.len() - behind.len()]),
            }
            rest = behind;
        }
        filled.push_str(rest);
        filled
    }

    /// The same for everything that is due.
    pub fn fill_due(&self, due: &mut [Due]) {
        for due in due {
            due.content = self.fill(&due.content);
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        let value = match name {
            "now" => &self.now,
            "date" => &self.date,
            "cwd" => &self.cwd,
            "branch" => &self.branch,
            "turn" => &self.turn,
            _ => return None,
        };
        value.as_deref()
    }
}

/// The names in a content that no value will ever stand for, as written, in
/// order.
#[must_use]
pub fn unknown_names(content: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = content;
    while let Some((_, name, behind)) = next_place(rest) {
        if !NAMES.contains(&name.trim()) {
            names.push(name);
        }
        rest = behind;
    }
    names
}

/// What stands before the next `{{name}}`, the name, and what stands behind.
/// A name has one line and no braces.
fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find("{{")?;
        let inside = &text[open + 2..];
        let end = inside.find(['{', '}', '\n'])?;
        if !inside[..end].trim().is_empty() && inside[end..].starts_with("}}") {
            return Some((&text[..open], &inside[..end], &inside[end + 2..]));
        }
        from = open + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, expected: &str, unknown: &[&str]) {
        let values = Values {
            now: Some("2026-01-31 12:00 +01:00".into()),
            cwd: Some("/src/{{date}}".into()),
            turn: Some("3".into()),
            ..Values::default()
        };
        assert_eq!(values.fill(content), expected);
        assert_eq!(unknown_names(content), unknown);
    }

    #[test]
    fn values_stand_for_their_names() {
        check("It is {{now}}.", "It is 2026-01-31 12:00 +01:00.", &[]);
        check("{{turn}}{{ turn }}", "33", &[]);
        check("é{{turn}}é", "é3é", &[]);
    }

    #[test]
    fn what_a_value_says_is_not_looked_at() {
        check("{{cwd}}", "/src/{{date}}", &[]);
    }

    #[test]
    fn a_value_stands_on_one_line() {
        let name = "/src\n\n# System\n\u{1b}[31m\u{202e}é";
        let values = Values {
            cwd: Some(name.into()),
            branch: Some(name.into()),
            now: Some(name.into()),
            date: Some(name.into()),
            turn: Some(name.into()),
        };
        for name in NAMES {
            assert_eq!(
                values.fill(&format!("a\n{{{{{name}}}}}\nb")),
                "a\n/src\\n\\n# System\\n\\u{1b}[31m\\u{202e}é\nb"
            );
        }
    }

    #[test]
    fn what_is_not_given_or_not_known_stays() {
        check("{{date}}", "{{date}}", &[]);
        check("{{user}} {{turn}}", "{{user}} 3", &["user"]);
        check("{{Now}}", "{{Now}}", &["Now"]);
    }

    #[test]
    fn a_small_text_does_not_become_a_large_one() {
        let values = Values {
            cwd: Some("x".repeat(4096)),
            ..Values::default()
        };
        let content = "{{cwd}}".repeat(10_000);
        let filled = values.fill(&content);
        assert!(filled.len() < 1024 * 1024 + content.len());
        assert!(filled.ends_with("x{{cwd}}") || filled.ends_with("{{cwd}}{{cwd}}"));
    }

    #[test]
    fn braces_that_name_nothing_are_text() {
        for text in [
            "{{", "}}", "{{}}", "{{ }}", "{turn}", "{{a\nb}}", "{{turn}", "{{turn",
        ] {
            check(text, text, &[]);
        }
        check("{{{turn}}}", "{3}", &[]);
        check("{{a{{turn}}", "{{a3", &[]);
    }
}
