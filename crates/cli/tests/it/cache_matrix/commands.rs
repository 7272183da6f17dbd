//! Commands that read files: what each reports about the requests after the
//! first.

use serde_json::Value;

use crate::cache_matrix::session::Session;
use crate::cache_matrix::{LATER, clean};

/// A miss, as a command reports it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) reason: String,
    pub(crate) cause: Option<String>,
    pub(crate) path: Option<String>,
    /// The first byte that differs in the value.
    pub(crate) byte: Option<u64>,
    pub(crate) detail: Option<String>,
    pub(crate) tokens: Option<u64>,
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Returns a detail's name: a string, or an object's only key.
fn name(value: &Value) -> Option<String> {
    let key = value.as_object().and_then(|it| it.keys().next().cloned());
    text(value).or(key)
}

impl Report {
    /// Reads a miss from the model:
    /// `{"reason", "detail", "difference", "lost_tokens"}`.
    pub(crate) fn of_miss(miss: &Value) -> Option<Self> {
        let difference = &miss["difference"];
        Some(Self {
            reason: text(&miss["reason"])?,
            cause: text(&difference["cause"]),
            path: text(&difference["path"]),
            byte: difference["value_offset"].as_u64(),
            detail: name(&miss["detail"]),
            tokens: miss["lost_tokens"].as_u64(),
        })
    }
}

/// Runs a command on the session's files; returns its exit code and output.
fn run(session: &Session, arguments: &[&str]) -> (i32, String) {
    let directory = session.directory();
    let mut command = clean::aside(directory, directory);
    let output = command.args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap(), text)
}

pub(crate) fn explain(session: &Session) -> Vec<Option<Report>> {
    let (code, text) = run(session, &["cache", "explain", "log.jsonl", "--json"]);
    assert_eq!(code, 0, "{text}");
    let output: Value = serde_json::from_str(&text).unwrap();
    let miss = |index: usize| Report::of_miss(&output["requests"][index]["predicted"]["miss"]);
    LATER.map(miss).into()
}

pub(crate) fn context(session: &Session) -> Vec<Option<Report>> {
    let (code, text) = run(session, &["context", "--file", "log.jsonl", "--json"]);
    assert_eq!(code, 0, "{text}");
    let lines: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    LATER.map(|index| Report::of_miss(&lines[index]["miss"])).into()
}

/// Compares each request to the previous one. A miss is attributed to the level
/// where they differ.
pub(crate) fn diff(session: &Session) -> Vec<Option<Report>> {
    let report = |index: usize| {
        let (before, after) = (format!("{}.json", index - 1), format!("{index}.json"));
        let (code, text) = run(session, &["diff", &before, &after, "--json"]);
        let output: Value = serde_json::from_str(&text).unwrap();
        let is_kept =
            matches!(output["relation"].as_str(), Some("identical" | "continues" | "after_marker"));
        assert_eq!(code == 0, is_kept, "{text}");
        if is_kept {
            return None;
        }
        let cause = output["difference"]["cause"].as_str();
        let level = match (cause, output["parameter"].as_str()) {
            (Some("other_model"), _) => Some("model"),
            (_, Some("reasoning.effort" | "reasoning_effort")) => Some("reasoning_effort"),
            _ => output["lost_level"].as_str(),
        };
        let miss = serde_json::json!({
            "reason": level.map(|it| format!("{it}_changed")),
            "detail": output["parameter"].is_string().then_some("parameter"),
            "difference": output["difference"],
            "lost_tokens": output["lost_tokens"],
        });
        Report::of_miss(&miss)
    };
    LATER.map(report).into()
}

/// Returns the rule that `cache lint` reports, with tokens for all requests.
pub(crate) fn lint(session: &Session) -> Option<(String, u64)> {
    let (code, text) = run(session, &["cache", "lint", "log.jsonl", "--json"]);
    let output: Value = serde_json::from_str(&text).unwrap();
    let findings = output["findings"].as_array().unwrap();
    assert_eq!(code == 0, findings.is_empty(), "{text}");
    let finding = findings.first()?;
    assert_eq!(findings.len(), 1, "{text}");
    let rule = text_of(&finding["rule"]);
    Some((rule, finding["lost_tokens"].as_u64().unwrap()))
}

fn text_of(value: &Value) -> String {
    text(value).unwrap()
}
