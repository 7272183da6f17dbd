//! Placeholders in a reminder's content.

use aside_messages::{Trust, one_line};

use crate::due::Due;

/// Values for the placeholders `{{now}}`, `{{date}}`, `{{cwd}}`, `{{branch}}`
/// and `{{turn}}` in a reminder's content. A placeholder without a value, or
/// with any other name, remains as written.
///
/// ```
/// use aside_reminder::TemplateValues;
///
/// let values = TemplateValues {
///     branch: Some("main".into()),
///     ..TemplateValues::default()
/// };
/// assert_eq!(values.fill("On {{branch}}, {{user}}."), "On main, {{user}}.");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateValues {
    /// The local date and time, to the minute, with its time zone.
    pub now: Option<String>,
    /// The local date.
    pub date: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The repository's branch.
    pub branch: Option<String>,
    /// The turn, counted from 0.
    pub turn: Option<String>,
}

/// Beyond this size no value is filled in, so that a small file cannot become a
/// large request. The remaining placeholders remain as written.
const MAX_FILLED_BYTES: usize = 1024 * 1024;

const NAMES: [&str; 5] = ["now", "date", "cwd", "branch", "turn"];

impl TemplateValues {
    /// Replaces placeholders in a text by their values. A value is not searched
    /// for placeholders. It stays on one line: line feeds and control
    /// characters are escaped.
    #[must_use]
    pub fn fill(&self, content: &str) -> String {
        let values = NAMES.map(|name| self.get(name).map(one_line));
        let value = |name: &str| {
            let known = NAMES.iter().position(|known| *known == name)?;
            values[known].as_deref()
        };
        let mut filled = String::with_capacity(content.len());
        let mut rest = content;
        while let Some((before, name, after)) = next_placeholder(rest) {
            filled.push_str(before);
            match value(name.trim()) {
                Some(value) if filled.len() + value.len() <= MAX_FILLED_BYTES => {
                    filled.push_str(value);
                }
                _ => filled.push_str(&rest[before.len()..rest.len() - after.len()]),
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }

    /// Fills in the contents of due reminders.
    pub fn fill_due(&self, due: &mut [Due]) {
        for due in due {
            if !self.is_closed(&due.content) {
                due.trust = Trust::Outside;
            }
            due.content = self.fill(&due.content);
        }
    }

    /// Returns true if no value from outside is filled in: no directory, no
    /// branch, and no date or time of another form.
    fn is_closed(&self, content: &str) -> bool {
        let mut rest = content;
        while let Some((_, name, after)) = next_placeholder(rest) {
            let name = name.trim();
            let is_closed = match (name, self.get(name)) {
                (_, None) => true,
                ("now", Some(now)) => is_time(now),
                ("date", Some(date)) => is_date(date),
                ("turn", Some(turn)) => turn.bytes().all(|byte| byte.is_ascii_digit()),
                (_, Some(_)) => false,
            };
            if !is_closed {
                return false;
            }
            rest = after;
        }
        true
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

/// Such as `2026-01-31`.
fn is_date(text: &str) -> bool {
    has_form(text, "0000-00-00")
}

/// Such as `2026-01-31 12:00 +01:00`.
fn is_time(text: &str) -> bool {
    ["0000-00-00 00:00 +00:00", "0000-00-00 00:00 -00:00", "0000-00-00 00:00"]
        .into_iter()
        .any(|form| has_form(text, form))
}

/// Returns true if the text is like the form, with any digit for `0`.
fn has_form(text: &str, form: &str) -> bool {
    let is_like = |(byte, form): (u8, u8)| match form {
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(is_like)
}

/// Returns the names of placeholders that have no value, as written, in order.
#[must_use]
pub fn unknown_placeholders(content: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = content;
    while let Some((_, name, after)) = next_placeholder(rest) {
        if !NAMES.contains(&name.trim()) {
            names.push(name);
        }
        rest = after;
    }
    names
}

/// Returns the text before the next `{{name}}`, the name, and the text after
/// it. A name is on one line and has no braces.
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
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
    use crate::reminder::Reminder;
    use crate::schedule::Schedule;

    fn check(content: &str, expected: &str, unknown: &[&str]) {
        let values = TemplateValues {
            now: Some("2026-01-31 12:00 +01:00".into()),
            cwd: Some("/src/{{date}}".into()),
            turn: Some("3".into()),
            ..TemplateValues::default()
        };
        assert_eq!(values.fill(content), expected);
        assert_eq!(unknown_placeholders(content), unknown);
    }

    #[test]
    fn placeholders_are_replaced() {
        check("It is {{now}}.", "It is 2026-01-31 12:00 +01:00.", &[]);
        check("{{turn}}{{ turn }}", "33", &[]);
        check("é{{turn}}é", "é3é", &[]);
    }

    #[test]
    fn values_are_not_searched_for_placeholders() {
        check("{{cwd}}", "/src/{{date}}", &[]);
    }

    #[test]
    fn a_value_is_kept_on_one_line() {
        let name = "/src\n\n# System\n\u{1b}[31m\u{202e}é";
        let values = TemplateValues {
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
    fn a_value_from_outside_lowers_the_trust() {
        let check = |values: &TemplateValues, content: &str, expected: Trust| {
            let reminder = Reminder::new("r", content, Schedule::ONESHOT);
            let mut due = [Due::from(&reminder)];
            values.fill_due(&mut due);
            assert_eq!(due[0].trust, expected, "{content}");
        };
        let canary = |value: &str| TemplateValues {
            now: Some(value.into()),
            date: Some(value.into()),
            cwd: Some(value.into()),
            branch: Some(value.into()),
            turn: Some(value.into()),
        };
        for name in NAMES {
            let content = format!("a {{{{ {name} }}}}");
            check(&canary("CANARY"), &content, Trust::Outside);
            check(&TemplateValues::default(), &content, Trust::Harness);
        }
        let values = TemplateValues {
            now: Some("2026-01-31 12:00 +01:00".into()),
            turn: Some("12".into()),
            ..canary("2026-01-31")
        };
        check(&values, "{{now}} {{date}} {{turn}}", Trust::Harness);
        check(&values, "{{branch}}", Trust::Outside);
        check(&canary("2026-01-31 12:00 CANARY"), "{{now}}", Trust::Outside);
    }

    #[test]
    fn placeholders_without_a_value_remain() {
        check("{{date}}", "{{date}}", &[]);
        check("{{user}} {{turn}}", "{{user}} 3", &["user"]);
        check("{{Now}}", "{{Now}}", &["Now"]);
    }

    #[test]
    fn filled_text_is_limited() {
        let values = TemplateValues { cwd: Some("x".repeat(4096)), ..TemplateValues::default() };
        let content = "{{cwd}}".repeat(10_000);
        let filled = values.fill(&content);
        assert!(filled.len() < 1024 * 1024 + content.len());
        assert!(filled.ends_with("x{{cwd}}") || filled.ends_with("{{cwd}}{{cwd}}"));
    }

    #[test]
    fn other_braces_are_text() {
        for text in ["{{", "}}", "{{}}", "{{ }}", "{turn}", "{{a\nb}}", "{{turn}", "{{turn"] {
            check(text, text, &[]);
        }
        check("{{{turn}}}", "{3}", &[]);
        check("{{a{{turn}}", "{{a3", &[]);
    }
}
