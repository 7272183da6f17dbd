//! Requests to count tokens.

use aside_messages::wire::Request;

use crate::anthropic;
use crate::options::{Options, ResponseMode};
use crate::outgoing::{Envelope, Outgoing};
use crate::provider_spec::{ProviderSpec, WireDialect};
use crate::refused::RefusedError;

/// Writes a request to count tokens instead of generating a response: without `max_tokens`,
/// `stream`, `metadata`, `service_tier`, `stop_sequences`, sampling and `context_management`.
/// `None` if the provider cannot count.
///
/// # Errors
/// When the model cannot be in the path, or the body is longer than the platform takes.
///
/// ```
/// use aside_messages::wire::Request;
/// use aside_providers::{Options, Provider, count_tokens};
///
/// let request = Request::parse(
///     br#"{"model":"claude-opus-5-5","max_tokens":9,
///         "messages":[{"role":"user","content":"Hi"}]}"#,
/// )?
/// .value;
/// let options = Options::default();
/// let counting = count_tokens(&request, Provider::FirstParty, &options)?;
/// assert_eq!(counting.map(|it| it.path).as_deref(), Some("/v1/messages/count_tokens"));
/// assert!(count_tokens(&request, Provider::Gemini, &options)?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// This does not check the provider's rules: the count endpoint reports what is wrong itself.
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
    let envelope = Envelope { spec, wire, model, delivery: ResponseMode::Whole, options };
    let body = anthropic::count_body(request, &envelope, &dialect);
    envelope.around_count(body).map(Some)
}
