//! Parameters that are objects on this wire: reasoning, and the text of the
//! answer.

use aside_messages::wire::Request;

use super::form::Form;
use crate::json::JsonObject;
use crate::loss::{ConversionLoss, Reason};
use crate::parameters::{Parameters, shows_thinking};
use crate::provider_spec::ResponsesDialect;

/// Returns the limit of the answer in tokens, raised to the smallest that the provider
/// takes; that is reported.
pub(super) fn limit(
    request: &Request,
    dialect: ResponsesDialect,
    losses: &mut Vec<ConversionLoss>,
) -> Option<u64> {
    let (limit, smallest) = (request.max_tokens?, dialect.min_output_tokens);
    if limit < smallest {
        let what = format!("raised to {smallest}, the smallest that the wire takes");
        losses.push(ConversionLoss::new("max_tokens", what));
    }
    Some(limit.max(smallest))
}

/// Writes the parameter `reasoning`: the effort, and whether reasoning is summarized. Without it,
/// both are left to the server.
///
/// ```json
/// {"effort": "low", "summary": "auto"}
/// ```
///
/// Summaries are requested if the request shows thinking; without this the server returns none. If
/// the provider has none, this is reported.
pub(super) fn reasoning(
    body: &mut JsonObject<'_>,
    request: &Request,
    parameters: &Parameters<'_>,
    Form { traits, dialect }: Form,
    losses: &mut Vec<ConversionLoss>,
) {
    let effort = parameters.effort_or_none(request, traits.facts, losses);
    let is_shown = shows_thinking(request) && !traits.facts.refuses_effort();
    if is_shown && !dialect.summaries {
        losses.push(Reason::NoSummaries.at("thinking"));
    }
    let summary = (is_shown && dialect.summaries).then_some("auto");
    if effort.is_some() || summary.is_some() {
        body.object("reasoning", |it| {
            it.given("effort", effort).given("summary", summary);
        });
    }
}

/// Writes the parameter `text`: the format and the verbosity of the answer, if the request
/// sets one of them.
///
/// ```json
/// {"format": {"type": "json_schema", "name": "answer", "schema": {…}, "strict": true},
///  "verbosity": "low"}
/// ```
pub(super) fn text(
    body: &mut JsonObject<'_>,
    parameters: &Parameters<'_>,
    losses: &mut Vec<ConversionLoss>,
) {
    let (schema, verbosity) = (&parameters.schema, &parameters.verbosity);
    if schema.is_none() && verbosity.is_none() {
        return;
    }
    body.object("text", |it| {
        if let Some(schema) = schema {
            it.object("format", |it| {
                it.set("type", "json_schema").set("name", "answer").set("schema", schema);
                it.set("strict", &parameters.is_strict(losses));
            });
        }
        it.given("verbosity", verbosity.as_ref());
    });
}
