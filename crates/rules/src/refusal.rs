//! The texts that APIs publish for their refusals.
//!
//! Source: error texts published by the platforms, in live probes, in SDKs and
//! in issue threads. Texts change, and clients match a key phrase or the code.

use aside_models::Wire;

use crate::finding::Finding;

/// The rows; the top of the file describes their form.
const TEXTS: &str = include_str!("refusals.txt");

/// How an API words the refusal of a body that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusalText {
    /// The error's code; most refusals have none.
    pub code: Option<&'static str>,
    /// The message, with placeholders such as `{path}` for the finding's parts.
    pub text: &'static str,
}

impl Finding {
    /// Returns the text that the API refuses the body with, if one is
    /// published.
    #[must_use]
    pub fn refusal(&self, wire: Wire) -> Option<RefusalText> {
        let wires: &[&str] = match wire {
            Wire::Messages => &["messages"],
            Wire::Responses => &["responses", "openai"],
            Wire::ChatCompletions => &["chat", "openai"],
            _ => &["gemini"],
        };
        let mut rows = rows().filter(|row| wires.contains(&row.wire) && row.rule == self.rule);
        rows.find(|row| self.found.contains(row.found) || self.path.starts_with(row.found))
            .map(|row| row.refusal)
    }
}

struct Row {
    wire: &'static str,
    rule: &'static str,
    /// What the finding contains, or how its path begins; empty for any.
    found: &'static str,
    refusal: RefusalText,
}

fn rows() -> impl Iterator<Item = Row> {
    let rows = TEXTS.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let mut fields = line.splitn(4, " | ");
        let (wire, rule) = (fields.next()?, fields.next()?);
        let code = Some(fields.next()?).filter(|code| *code != "-");
        let text = fields.next()?;
        let (rule, found) =
            rule.strip_suffix(')').and_then(|rule| rule.split_once(" (")).unwrap_or((rule, ""));
        Some(Row { wire, rule, found, refusal: RefusalText { code, text } })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::RULES;
    use crate::{Context, check};

    /// An open object in a tool and in the format of the answer, which have codes of their own.
    #[test]
    fn a_text_is_chosen_by_the_path() {
        let open = r#""strict":true,"name":"a","schema":{"type":"object","properties":{}}"#;
        let tool = open.replace("schema", "parameters");
        for (wire, more, code, text) in [
            (
                Wire::Responses,
                format!(r#""input":"Hi","tools":[{{"type":"function",{tool}}}]"#),
                Some("invalid_function_parameters"),
                "Invalid schema: ",
            ),
            (
                Wire::Responses,
                format!(r#""input":"Hi","text":{{"format":{{"type":"json_schema",{open}}}}}"#),
                Some("invalid_json_schema"),
                "Invalid schema for response_format: ",
            ),
            (
                Wire::ChatCompletions,
                format!(
                    r#""messages":[{{"role":"user","content":"Hi"}}],"response_format":{{"type":"json_schema","json_schema":{{{open}}}}}"#
                ),
                None,
                "Invalid schema for response_format: ",
            ),
        ] {
            let body = format!(r#"{{"model":"gpt-4.1",{more}}}"#);
            let checked = check(body.as_bytes(), wire, &Context::default());
            let found = checked.refused().find(|it| it.rule == "strict-object");
            let refusal = found.and_then(|it| it.refusal(wire)).expect(&body);
            assert_eq!(refusal.code, code, "{body}");
            assert!(refusal.text.starts_with(text), "{refusal:?}");
        }
    }

    #[test]
    fn every_text_is_of_a_rule_and_can_be_reached() {
        let all: Vec<Row> = rows().collect();
        let lines = TEXTS.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(all.len(), lines.count(), "a line with fewer fields");
        for (index, row) in all.iter().enumerate() {
            let Row { wire, rule, .. } = row;
            assert!(RULES.iter().any(|it| it.id == *rule), "{rule}");
            let is_on_wire = |it: &Row| it.wire == *wire && it.rule == *rule;
            let mut earlier = all[..index].iter().filter(|it| is_on_wire(it));
            assert!(earlier.all(|it| !it.found.is_empty()), "{wire}: {rule}");
        }
    }
}
