//! The one seam to the rules in `aside-rules`.
//!
//! `aside check` explains a finding to a person; the judge writes it in the
//! API's words, since clients match them. Only the first finding is reported,
//! as by the API.

use aside_json::{Kind, Tape, Value};
use aside_models::{Platform, Wire};
use aside_rules::{ApiEndpoint, ApiVersion, Context, Finding, RefusalText};

use super::error::ApiError;
use super::request::StrictRequest;

/// Refuses a body that `aside check` calls refused.
///
/// The headers are known here, so a rule that depends on a beta or on the API
/// version is decided.
///
/// Findings that the API accepts do not refuse a request.
pub(crate) fn check(
    request: &StrictRequest<'_>,
    platform: Platform,
    endpoint: ApiEndpoint,
) -> Result<(), ApiError> {
    let Ok(version) = request.version.parse() else {
        let (version, known) = (&request.version, ApiVersion::ALL.map(ApiVersion::as_str));
        let text = format!("anthropic-version: {version:?}, expected {}", known.join(" or "));
        return Err(ApiError::invalid(text));
    };
    let context = Context {
        version: Some(version),
        betas: Some(request.betas.clone()),
        platform: Some(platform),
        endpoint,
        ..Context::default()
    };
    let checked = aside_rules::check(request.body, Wire::Messages, &context);
    // The API judges a marker on an empty text before the text.
    let is_marker = |it: &&Finding| it.rule == "marker-place" && it.found.contains("empty text");
    let first = checked.refused().find(is_marker);
    match first.or_else(|| checked.refused().next()) {
        Some(finding) => {
            let error = refuse(finding, &ids(finding, checked.refused()), request.body);
            if finding.rule != "image-sides" || error.code().is_none() {
                return Err(error);
            }
            let large = checked.refused().filter(|it| it.rule == finding.rule);
            let large = large.filter(|it| it.expected == finding.expected);
            let limit = number(&finding.expected).parse().unwrap_or_default();
            Err(error.with_large_images(limit, large.map(|it| api_path(&it.path)).collect()))
        }
        None => Ok(()),
    }
}

/// Writes a finding as the API does. If a rule has no published text, the
/// message has the path, the value found, the expected one and the rule's name.
fn refuse(finding: &Finding, ids: &str, body: &[u8]) -> ApiError {
    let path = api_path(&finding.path);
    let Some(RefusalText { code, text, .. }) = finding.refusal(Wire::Messages) else {
        return ApiError::invalid(unworded(finding, &path));
    };
    let is_read = ["{tagged", "{model}"].iter().any(|it| text.contains(it));
    let tape = is_read.then(|| Tape::parse(body).ok()).flatten();
    let root = tape.as_ref().map(Tape::root);
    let model = root.and_then(|it| it.get("model")?.text());
    let tagged = tagged(&path, root);
    let mut dots = path.match_indices('.').map(|(at, _)| at);
    let message = dots.nth(1).map_or(&*path, |end| &path[..end]);
    let text = text
        .replace("{message}", message)
        .replace("{ids}", ids)
        .replace("{list}", path.split('.').next().unwrap_or_default())
        .replace("{tagged_parent}", parent_and_key(&tagged).0)
        .replace("{tagged}", &tagged)
        .replace("{number}", number(&finding.found))
        .replace("{limit}", number(&finding.expected))
        .replace("{last}", finding.found.rsplit(' ').next().unwrap_or_default())
        .replace("{model}", &model.unwrap_or_default());
    let choices = choices(&finding.expected, " or ", " or ");
    let text = fill(&text, finding, &path, &choices);
    // A path may be empty.
    ApiError::invalid(text.strip_prefix(": ").unwrap_or(&text)).with_code(code)
}

/// Writes a finding without a published text.
pub(crate) fn unworded(finding: &Finding, path: &str) -> String {
    let Finding { rule, found, expected, .. } = finding;
    format!("{path}: {found}, expected {expected} ({rule})")
}

/// Replaces the placeholders that the texts of all wires may have.
pub(crate) fn fill(text: &str, finding: &Finding, path: &str, choices: &str) -> String {
    let (parent, key) = parent_and_key(path);
    text.replace("{path}", path)
        .replace("{parent}", parent)
        .replace("{key}", key)
        .replace("{expected}", &finding.expected)
        .replace("{choices}", choices)
        .replace("{name}", named(&finding.found))
        .replace("{found}", &finding.found)
}

fn parent_and_key(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}

/// Returns the first part of `found` in double quotes, such as a tool's name,
/// or all of `found` if nothing is quoted.
fn named(found: &str) -> &str {
    let quoted = found.split('"').nth(1);
    quoted.unwrap_or(found)
}

/// Returns what is quoted in the findings of the same rule in the same message, such as the ids of
/// calls without a result.
pub(crate) fn ids<'f>(finding: &Finding, all: impl Iterator<Item = &'f Finding>) -> String {
    let message = |it: &Finding| it.path.split(']').next().map(str::to_owned);
    let others = all.filter(|it| it.rule == finding.rule && message(it) == message(finding));
    others.map(|it| named(&it.found)).collect::<Vec<_>>().join(", ")
}

/// Writes what a finding expects as the vendors do: `'5m' or '1h'` for `one of
/// 5m, 1h`. `last` joins the last of more than two. Other expectations are
/// returned as they are.
pub(crate) fn choices(expected: &str, two: &str, last: &str) -> String {
    let Some(names) = expected.strip_prefix("one of ") else {
        return expected.to_owned();
    };
    let quoted: Vec<_> = names.split(", ").map(|it| format!("'{it}'")).collect();
    match &*quoted {
        [first, second] => format!("{first}{two}{second}"),
        [rest @ .., end] if !rest.is_empty() => format!("{}{last}{end}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// Returns the first number in a finding, such as how many markers there are.
fn number(found: &str) -> &str {
    let mut digits = found.split(|it: char| !it.is_ascii_digit());
    digits.find(|it| !it.is_empty()).unwrap_or(found)
}

/// Adds the types of the objects on a path, as the API does below an object
/// whose type decides its keys: `messages.0.content.0.text.zzz`,
/// `tools.1.custom.name`. The path's last value has none.
fn tagged(path: &str, root: Option<Value<'_>>) -> String {
    let mut value = root;
    let mut tagged = String::new();
    let mut list = "";
    let mut segments = path.split('.').peekable();
    while let Some(segment) = segments.next() {
        value = value.and_then(|it| match segment.parse() {
            Ok(index) => it.items().nth(index),
            Err(_) => it.get(segment),
        });
        let separator = if tagged.is_empty() { "" } else { "." };
        tagged.push_str(separator);
        tagged.push_str(segment);
        let is_index = segment.bytes().all(|it| it.is_ascii_digit());
        let is_union = match (is_index, segment) {
            (true, _) => matches!(list, "content" | "tools" | "edits"),
            (false, "source" | "thinking" | "tool_choice") => true,
            (false, _) => false,
        };
        list = segment;
        if let (Some(value), true, Some(_)) = (value, is_union, segments.peek()) {
            let tag = value.tag();
            match (&*tag, value.kind()) {
                (_, kind) if kind != Kind::Object => {}
                // A tool without a type is a custom one.
                ("", _) if value.get("input_schema").is_some() => tagged.push_str(".custom"),
                ("", _) => {}
                (tag, _) => {
                    tagged.push('.');
                    tagged.push_str(tag);
                }
            }
        }
    }
    tagged
}

/// Writes `messages[3].content[0]` as the API does: `messages.3.content.0`.
fn api_path(path: &str) -> String {
    path.replace('[', ".").replace(']', "")
}
