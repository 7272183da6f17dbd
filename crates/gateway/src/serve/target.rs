//! What a request asks for, by its method and path.

use aside_body::wire::of_url;
use aside_models::Wire;
use axum::http::{HeaderMap, Method, Uri};

use super::models::ModelPage;
use crate::proxy::route::is_plain;
use crate::wires::{Endpoint, InputPage, StoredAction, Transfer};

/// What a request asks for.
#[derive(Debug)]
pub(super) enum Target {
    /// A message of the model.
    Message(Endpoint),
    /// The number of input tokens.
    Count(Endpoint),
    /// A stored response (Responses).
    Stored { id: String, action: StoredAction },
    /// The list of models, in a wire's form.
    Models(Wire, ModelPage),
    /// One model.
    Model(Wire, String),
    /// Nothing. The refusal has a wire's form.
    Unknown(Wire),
}

impl Target {
    /// Decides by the path's tail. A path that the proxy would refuse asks for
    /// nothing.
    pub(super) fn new(method: &Method, uri: &Uri, headers: &HeaderMap) -> Self {
        let wire = wire_of(uri.path(), headers);
        if !is_plain(uri.path()) {
            return Self::Unknown(wire);
        }
        let path = uri.path().trim_end_matches('/');
        let segments: Vec<&str> = path.split('/').collect();
        let endpoint =
            |wire| Endpoint { wire, path: path.to_owned(), model: None, transfer: Transfer::Whole };
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
                None => Self::Unknown(wire),
            },
            (&Method::POST, [.., "count_tokens"]) => Self::Unknown(wire),
            (&Method::POST, _) => match of_url(path) {
                Some(wire) => Self::Message(endpoint(wire)),
                None => Self::Unknown(wire),
            },
            (&Method::GET, [.., "responses", id, "input_items"]) => Self::Stored {
                id: (*id).to_owned(),
                action: StoredAction::ListInput(input_page(uri)),
            },
            (&(Method::GET | Method::DELETE), [.., "responses", id]) => Self::Stored {
                id: (*id).to_owned(),
                action: match query(uri, "stream") {
                    _ if method == Method::DELETE => StoredAction::Remove,
                    Some("true") => StoredAction::Stream {
                        first: number(uri, "starting_after").map_or(0, |it| it.saturating_add(1)),
                    },
                    _ => StoredAction::Read,
                },
            },
            (&Method::GET, [.., "models"]) => Self::Models(wire, model_page(wire, uri)),
            // `MODEL:METHOD` is no id at Google.
            (&Method::GET, [.., "models", id])
                if wire != Wire::GenerateContent || !id.contains(':') =>
            {
                Self::Model(wire, (*id).to_owned())
            }
            _ => Self::Unknown(wire),
        }
    }
}

/// Returns the value of a query parameter, as it is written.
fn query<'a>(uri: &'a Uri, key: &str) -> Option<&'a str> {
    let mut parameters = uri.query()?.split('&');
    parameters.find_map(|it| it.strip_prefix(key)?.strip_prefix('='))
}

fn number(uri: &Uri, key: &str) -> Option<usize> {
    query(uri, key)?.parse().ok()
}

/// The latest items are first, unless the query asks for another order.
fn input_page(uri: &Uri) -> InputPage {
    InputPage {
        is_ascending: query(uri, "order") == Some("asc"),
        after: query(uri, "after").map(str::to_owned),
        limit: number(uri, "limit").unwrap_or(20).clamp(1, 100),
    }
}

fn model_page(wire: Wire, uri: &Uri) -> ModelPage {
    let id = |key| query(uri, key).map(str::to_owned);
    let limit = |key, usual| number(uri, key).unwrap_or(usual).clamp(1, 1_000);
    match wire {
        Wire::GenerateContent => {
            ModelPage { after: id("pageToken"), before: None, limit: limit("pageSize", 50) }
        }
        _ => {
            ModelPage { after: id("after_id"), before: id("before_id"), limit: limit("limit", 20) }
        }
    }
}

/// Returns what a Gemini call asks for, as in
/// `/v1beta/models/gemini-3.6-flash:streamGenerateContent?alt=sse`.
fn generate(endpoint: Endpoint, model: &str, action: &str, uri: &Uri) -> Target {
    let transfer = match action {
        "streamGenerateContent" if query(uri, "alt") == Some("sse") => Transfer::Events,
        "streamGenerateContent" => Transfer::Array,
        _ => Transfer::Whole,
    };
    let endpoint = Endpoint { model: Some(model.to_owned()), transfer, ..endpoint };
    match action {
        "generateContent" | "streamGenerateContent" => Target::Message(endpoint),
        "countTokens" => Target::Count(endpoint),
        _ => Target::Unknown(Wire::GenerateContent),
    }
}

/// Returns the wire in whose form to list models, or to refuse a path. All
/// vendors list models at the same path: a request with a Google key comes from
/// Google's SDKs, one with a bearer token and without an Anthropic API version
/// from OpenAI's.
fn wire_of(path: &str, headers: &HeaderMap) -> Wire {
    let is_openai =
        headers.contains_key("authorization") && !headers.contains_key("anthropic-version");
    match path {
        _ if path.contains("/v1beta/") || headers.contains_key("x-goog-api-key") => {
            Wire::GenerateContent
        }
        _ if path.contains("/chat/") => Wire::ChatCompletions,
        _ if is_openai || path.contains("/responses") => Wire::Responses,
        _ => Wire::Messages,
    }
}
