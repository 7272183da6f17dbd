//! Parameters that are objects on this wire: reasoning, and the text of the
//! answer.

use aside_messages::wire::{RawJson, Request};
use serde::Serialize;

use super::models::Traits;
use crate::loss::{ConversionLoss, Reason};
use crate::parameters::Parameters;
use crate::provider_spec::ResponsesDialect;

#[derive(Serialize)]
pub(super) struct Reasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct Text<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
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

/// Returns the longest answer, which is raised to the smallest that the
/// provider takes.
pub(super) fn limit(
    request: &Request,
    dialect: ResponsesDialect,
    losses: &mut Vec<ConversionLoss>,
) -> u64 {
    let smallest = dialect.min_output_tokens;
    if request.max_tokens < smallest {
        let what = format!("raised to {smallest}, the smallest that the wire takes");
        losses.push(ConversionLoss::new("max_tokens", what));
    }
    request.max_tokens.max(smallest)
}

/// Returns the effort of reasoning, and whether it is summarized.
pub(super) fn reasoning(
    request: &Request,
    parameters: &Parameters<'_>,
    traits: Traits,
    dialect: ResponsesDialect,
    losses: &mut Vec<ConversionLoss>,
) -> Option<Reasoning> {
    let thinking = request.thinking.as_ref();
    let is_off = thinking.is_some_and(|it| it.kind == "disabled");
    let has_budget = thinking.is_some_and(|it| it.budget_tokens.is_some());
    if has_budget && !is_off {
        losses.push(Reason::NoBudget.at("thinking.budget_tokens"));
    }
    let effort = match (is_off, traits.effort_none) {
        (true, Some(true)) => {
            if parameters.effort.is_some() {
                losses.push(Reason::EffortWithoutThinking.at("output_config.effort"));
            }
            Some("none".to_owned())
        }
        (true, known) => {
            let reason = match known {
                Some(_) => Reason::AlwaysReasons,
                None => Reason::MayAlwaysThink,
            };
            losses.push(reason.at("thinking"));
            parameters.effort.clone()
        }
        (false, _) => parameters.effort.clone(),
    };
    let summary = (thinking.is_some() && !is_off && dialect.summaries).then_some("auto");
    (effort.is_some() || summary.is_some()).then_some(Reasoning { effort, summary })
}

/// Returns the format and the verbosity of the answer.
pub(super) fn text<'a>(parameters: &'a Parameters<'_>) -> Option<Text<'a>> {
    let format = parameters.schema.as_ref().map(|schema| Format {
        r#type: "json_schema",
        name: "answer",
        schema,
        strict: true,
    });
    let verbosity = parameters.verbosity.clone();
    (format.is_some() || verbosity.is_some()).then_some(Text { format, verbosity })
}
