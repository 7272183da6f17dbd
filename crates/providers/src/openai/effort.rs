//! The effort of reasoning, as `reasoning_effort` of Chat Completions.

use aside_messages::wire::Request;
use aside_models::{ToolSupport, Wire, find};

use crate::loss::{ConversionLoss, Reason};
use crate::options::Reasoning;
use crate::outgoing::Envelope;
use crate::parameters::{Parameters, is_off, shows_thinking};

/// Returns the effort of reasoning; `None` leaves it to the server.
///
/// - A model that accepts tools only without reasoning gets `none` if there are tools. This is
///   reported, unless the request has turned reasoning off.
/// - Otherwise it is [`Parameters::effort_or_none`]. Thinking is reported as lost unless the
///   server returns it.
pub(super) fn effort(
    request: &Request,
    parameters: &Parameters<'_>,
    envelope: &Envelope<'_>,
    has_tools: bool,
    losses: &mut Vec<ConversionLoss>,
) -> Option<String> {
    let facts = find(&envelope.model).facts;
    let mut chat = facts.wires.iter().filter(|it| it.wire == Wire::ChatCompletions);
    let thinking = request.thinking.as_ref();
    let is_off = is_off(request);
    if has_tools && chat.any(|it| it.tools == ToolSupport::WithoutReasoning) {
        // Without either, the model would reason.
        let effort = parameters.effort.as_deref();
        if effort.map_or(thinking.is_none(), |it| it != "none") {
            losses.push(Reason::NoReasoningWithTools.at("output_config.effort"));
        }
        if thinking.is_some() && !is_off {
            losses.push(Reason::NoReasoningWithTools.at("thinking"));
        }
        return Some("none".to_owned());
    }
    if envelope.options.reasoning != Reasoning::Passed
        && !facts.refuses_effort()
        && shows_thinking(request)
        && thinking.is_some_and(|it| it.budget_tokens.is_none())
    {
        losses.push(Reason::NoThinking.at("thinking"));
    }
    parameters.effort_or_none(request, facts, losses)
}
