//! Parameters that are objects on this wire: reasoning, and the text of the
//! answer.

use aside_messages::wire::{RawJson, Request};
use serde::Serialize;

use super::models::Traits;
use crate::loss::ConversionLoss;
use crate::parameters::Parameters;
use crate::provider_spec::ResponsesDialect;

/// The parameter `reasoning`.
///
/// ```json
/// {"effort": "low", "summary": "auto"}
/// ```
#[derive(Serialize)]
pub(super) struct Reasoning {
    /// Such as `none`, `low` or `high`; the server's default without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<String>,
    /// `auto` if thinking is requested; without it the server returns no summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
}

/// The parameter `text`, which concerns the form of the answer.
///
/// ```json
/// {"format": {"type": "json_schema", "name": "answer", "schema": {…}, "strict": true},
///  "verbosity": "low"}
/// ```
#[derive(Serialize)]
pub(super) struct Text<'a> {
    /// The schema of the answer, if the request has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
    /// The verbosity that the request sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    verbosity: Option<String>,
}

/// `{"type":"json_schema","name":…,"schema":…,"strict":true}`
#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    name: &'static str,
    schema: &'a RawJson,
    strict: bool,
}

/// Returns the limit of the answer in tokens, raised to the smallest that the provider
/// takes; that is reported.
pub(super) fn limit(
    request: &Request,
    dialect: ResponsesDialect,
    losses: &mut Vec<ConversionLoss>,
) -> Option<u64> {
    let smallest = dialect.min_output_tokens;
    if request.max_tokens == 0 {
        return None;
    }
    if request.max_tokens < smallest {
        let what = format!("raised to {smallest}, the smallest that the wire takes");
        losses.push(ConversionLoss::new("max_tokens", what));
    }
    Some(request.max_tokens.max(smallest))
}

/// Returns the effort of reasoning, and whether it is summarized; `None` leaves both to
/// the server.
///
/// Summaries are requested if the provider has them and the request has thinking that is
/// not disabled.
pub(super) fn reasoning(
    request: &Request,
    parameters: &Parameters<'_>,
    traits: Traits,
    dialect: ResponsesDialect,
    losses: &mut Vec<ConversionLoss>,
) -> Option<Reasoning> {
    let thinking = request.thinking.as_ref();
    let is_off = thinking.is_some_and(|it| it.kind == "disabled");
    let effort = parameters.effort_or_none(request, traits.effort_none, losses);
    let summary = (thinking.is_some() && !is_off && dialect.summaries).then_some("auto");
    (effort.is_some() || summary.is_some()).then_some(Reasoning { effort, summary })
}

/// Returns the format and the verbosity of the answer; `None` if the request sets
/// neither.
pub(super) fn text<'a>(
    parameters: &'a Parameters<'_>,
    losses: &mut Vec<ConversionLoss>,
) -> Option<Text<'a>> {
    let format = parameters.schema.as_ref().map(|schema| Format {
        r#type: "json_schema",
        name: "answer",
        schema,
        strict: parameters.is_strict(losses),
    });
    let verbosity = parameters.verbosity.clone();
    (format.is_some() || verbosity.is_some()).then_some(Text { format, verbosity })
}
