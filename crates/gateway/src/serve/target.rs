//! What a request asks for, by its method and path.

use aside_body::wire::of_url;
use aside_models::Wire;
use axum::http::{HeaderMap, Method, Uri};

use super::state::Endpoint;
use crate::proxy::route::is_plain;
use crate::wires::Transfer;

/// What a request asks for.
#[derive(Debug)]
pub(super) enum Target {
    /// A message of the model.
    Message(Endpoint),
    /// The number of input tokens.
    Count(Endpoint),
    /// A stored response (Responses).
    Stored {
        id: String,
        method: Method,
    },
    /// The list of models, in a wire's form.
    Models(Wire),
    /// One model.
    Model(Wire, String),
    Unknown,
}

impl Target {
    /// Decides by the path's tail. A path that the proxy would refuse asks for
    /// nothing.
    pub(super) fn new(method: &Method, uri: &Uri, headers: &HeaderMap) -> Self {
        if !is_plain(uri.path()) {
            return Self::Unknown;
        }
        let path = uri.path().trim_end_matches('/');
        let segments: Vec<&str> = path.split('/').collect();
        let endpoint = |wire| Endpoint {
            wire,
            path: path.to_owned(),
            model: None,
            transfer: Transfer::Whole,
        };
        let models = models_wire(path, headers);
        match (method, &segments[..]) {
            (&Method::POST, [.., "responses", "input_tokens"]) => {
                Self::Count(endpoint(Wire::Responses))
            }
            (&Method::POST, [.., "messages", "count_tokens"]) => {
                Self::Count(endpoint(Wire::Messages))
            }
            (&Method::POST, [.., "models", call]) => match call.rsplit_once(':') {
                Some((model, action)) => {
                    generate(endpoint(Wire::GenerateContent), model, action, uri)
                }
                None => Self::Unknown,
            },
            (&Method::POST, [.., "count_tokens"]) => Self::Unknown,
            (&Method::POST, _) => match of_url(path) {
                Some(wire) => Self::Message(endpoint(wire)),
                None => Self::Unknown,
            },
            (&(Method::GET | Method::DELETE), [.., "responses", id]) => Self::Stored {
                id: (*id).to_owned(),
                method: method.clone(),
            },
            (&Method::GET, [.., "models"]) => Self::Models(models),
            (&Method::GET, [.., "models", id]) => Self::Model(models, (*id).to_owned()),
            _ => Self::Unknown,
        }
    }
}

/// Returns what a Gemini call asks for, as in
/// `/v1beta/models/gemini-3.6-flash:streamGenerateContent?alt=sse`.
fn generate(endpoint: Endpoint, model: &str, action: &str, uri: &Uri) -> Target {
    let query = uri.query().unwrap_or_default();
    let transfer = match action {
        "streamGenerateContent" if query.split('&').any(|it| it == "alt=sse") => Transfer::Events,
        "streamGenerateContent" => Transfer::Array,
        _ => Transfer::Whole,
    };
    let endpoint = Endpoint {
        model: Some(model.to_owned()),
        transfer,
        ..endpoint
    };
    match action {
        "generateContent" | "streamGenerateContent" => Target::Message(endpoint),
        "countTokens" => Target::Count(endpoint),
        _ => Target::Unknown,
    }
}

/// Returns the wire in whose form to list models. All vendors have the same
/// path: a request with a Google key comes from Google's SDKs, one with a bearer
/// token and without an Anthropic API version from OpenAI's.
fn models_wire(path: &str, headers: &HeaderMap) -> Wire {
    let is_openai =
        headers.contains_key("authorization") && !headers.contains_key("anthropic-version");
    match path {
        _ if path.contains("/v1beta/") || headers.contains_key("x-goog-api-key") => {
            Wire::GenerateContent
        }
        _ if is_openai => Wire::Responses,
        _ => Wire::Messages,
    }
}
