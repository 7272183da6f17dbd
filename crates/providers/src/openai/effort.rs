//! The effort of reasoning, as `reasoning_effort` of Chat Completions.

use aside_messages::wire::Request;
use aside_models::{ToolSupport, Wire, find};

use crate::loss::{ConversionLoss, Reason};
use crate::outgoing::Envelope;
use crate::parameters::Parameters;

/// Returns the effort of reasoning; `None` leaves it to the server.
///
/// - A model that accepts tools only without reasoning gets `none` if there are tools; an
///   effort and thinking of the request are reported as lost.
/// - Disabled thinking becomes `none` if the model is known to accept that; else it is
///   reported, and the effort of the request is kept.
/// - Otherwise the effort of the request is used. A budget of tokens has no counterpart
///   and is reported.
pub(super) fn effort(
    request: &Request,
    parameters: &Parameters<'_>,
    envelope: &Envelope<'_>,
    has_tools: bool,
    losses: &mut Vec<ConversionLoss>,
) -> Option<String> {
    let facts = find(&envelope.model).facts;
    let mut chat = facts
        .wires
        .iter()
        .filter(|it| it.wire == Wire::ChatCompletions);
    let thinking = request.thinking.as_ref();
    let is_off = thinking.is_some_and(|it| it.kind == "disabled");
    if has_tools && chat.any(|it| it.tools == ToolSupport::WithoutReasoning) {
        if parameters.effort.as_deref().is_some_and(|it| it != "none") {
            losses.push(Reason::NoReasoningWithTools.at("output_config.effort"));
        }
        if thinking.is_some() && !is_off {
            losses.push(Reason::NoReasoningWithTools.at("thinking"));
        }
        return Some("none".to_owned());
    }
    if thinking.is_some_and(|it| it.budget_tokens.is_some()) && !is_off {
        losses.push(Reason::NoBudget.at("thinking.budget_tokens"));
    }
    match (is_off, facts.effort_none) {
        (true, Some(true)) => {
            if parameters.effort.is_some() {
                losses.push(Reason::EffortWithoutThinking.at("output_config.effort"));
            }
            return Some("none".to_owned());
        }
        (true, known) => {
            let reason = match known {
                Some(_) => Reason::AlwaysReasons,
                None => Reason::MayAlwaysThink,
            };
            losses.push(reason.at("thinking"));
        }
        (false, _) => {}
    }
    parameters.effort.clone()
}
