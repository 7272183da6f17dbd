//! Requests to count tokens, and whole responses.

use aside_messages::wire::Request;

use crate::answer::Answer;
use crate::names::Names;
use crate::options::{Options, ResponseMode};
use crate::outgoing::{Envelope, Outgoing};
use crate::provider_spec::{ProviderSpec, WireDialect};
use crate::refused::RefusedError;
use crate::stream_error::StreamError;
use crate::{anthropic, gemini, openai, responses};

/// Writes a request to count tokens instead of a response: without
/// `max_tokens`, `stream`, `metadata`, `service_tier`, `stop_sequences`,
/// sampling and `context_management`. `None` if the provider cannot count.
///
/// # Errors
/// If the model cannot be in the path.
pub fn count_tokens(
    request: &Request,
    provider: impl Into<&'static ProviderSpec>,
    options: &Options,
) -> Result<Option<Outgoing>, RefusedError> {
    let spec = provider.into();
    let model = options.model(spec, &request.model);
    let wire = spec.wire_on(&model, options.server);
    let (WireDialect::Messages(dialect), Some(_)) = (wire.wire, wire.paths.count) else {
        return Ok(None);
    };
    let envelope = Envelope {
        spec,
        wire,
        model,
        delivery: ResponseMode::Whole,
        options,
    };
    let body = anthropic::count_body(request, &envelope, &dialect);
    envelope.around_count(body).map(Some)
}

/// Reads a whole response into the Anthropic form. `names` are those of the
/// request ([`Outgoing::names`]).
///
/// # Errors
/// If the body is an error of the provider, or is not of the wire.
pub fn answer(wire: WireDialect, body: &[u8], names: &Names) -> Result<Answer, StreamError> {
    match wire {
        WireDialect::Messages(_) => anthropic::answer(body),
        WireDialect::Responses(dialect) => responses::answer(body, dialect, names),
        WireDialect::ChatCompletions(dialect) => openai::answer(body, dialect, names),
        WireDialect::GenerateContent => gemini::answer(body, names),
    }
}
