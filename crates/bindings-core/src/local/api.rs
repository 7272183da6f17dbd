//! The strict Messages API in process.

use aside_gateway::strict::{ApiError, Draft, Strict, StrictOptions, StrictRequest};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::cache::seconds;
use crate::error::BindingError;
use crate::output::{Output, options, without_panic};

/// A Messages API that refuses whatever the real one does, and keeps a prompt cache. It sends
/// nothing.
#[derive(Debug)]
pub struct StrictApi(Strict);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    /// The request's path; `/v1/messages` by default.
    path: String,
    /// The header `anthropic-version`, empty if there is none; by default the first version.
    version: Option<String>,
    betas: Option<String>,
    /// Seconds since any fixed moment; by default the last request's time.
    at: Option<f64>,
    /// The content blocks to respond with; by default thinking and a sentence.
    reply: Vec<Box<RawValue>>,
}

#[derive(Serialize)]
struct Head {
    status: u16,
    content_type: &'static str,
    request_id: &'static str,
}

#[derive(Serialize)]
struct Count {
    input_tokens: u64,
}

const MESSAGES_PATH: &str = "/v1/messages";
const COUNT_PATH: &str = "/v1/messages/count_tokens";

/// Every response's id: nothing depends on it.
const REQUEST_ID: &str = "req_aside";

impl Default for StrictApi {
    fn default() -> Self {
        Self(Strict::new(StrictOptions::default()))
    }
}

impl StrictApi {
    /// Responds to a request: `status` and `content_type` are the facts, and the rest is the body.
    ///
    /// `options` may have `path`, `version` and `betas` (headers), `at` in seconds, and `reply`,
    /// the content blocks to respond with.
    ///
    /// # Errors
    /// An option cannot be read. A refusal is no error: it is a response.
    pub fn answer(&mut self, body: &[u8], json: &[u8]) -> Result<Output, BindingError> {
        let options: Options = options(json)?;
        without_panic(|| self.respond(body, &options))
    }

    fn respond(&mut self, body: &[u8], options: &Options) -> Result<Output, BindingError> {
        let mut request = StrictRequest::new(body);
        if let Some(version) = &options.version {
            if version.is_empty() {
                return refusal(&ApiError::invalid("anthropic-version: header is required"));
            }
            request = request.version(version);
        }
        if let Some(betas) = &options.betas {
            request = request.betas(betas);
        }
        if let Some(at) = options.at {
            request = request.at(seconds("at", at)?);
        }
        if !matches!(&*options.path, "" | MESSAGES_PATH | COUNT_PATH) {
            let message = format!("{}: not found", options.path);
            return refusal(&ApiError::of_status(404, message));
        }
        if options.path == COUNT_PATH {
            return match self.0.count_tokens(&request) {
                Ok(input_tokens) => {
                    let count = Output::facts(&Count { input_tokens })?;
                    head(200, "application/json", count.json)
                }
                Err(error) => refusal(&error),
            };
        }
        let mut draft = Draft::polite();
        if !options.reply.is_empty() {
            draft = Draft::new();
            for block in &options.reply {
                draft = reply(draft, block)?;
            }
        }
        match self.0.answer_with(&request, &draft) {
            Ok(response) if response.is_stream() => {
                let events = response.events().concat();
                head(200, "text/event-stream", events.into_bytes())
            }
            Ok(response) => head(200, "application/json", response.to_json().into_bytes()),
            Err(error) => refusal(&error),
        }
    }
}

/// A reply's block with ids or signatures, which the API adds.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    thinking: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

fn reply(draft: Draft, json: &RawValue) -> Result<Draft, BindingError> {
    let failed = |error| BindingError::option(format!("reply: {error}"));
    let block: Block<'_> = serde_json::from_str(json.get()).map_err(failed)?;
    let input = block.input.map_or("{}", RawValue::get);
    match (block.kind.as_str(), block.name) {
        ("text", _) => Ok(draft.text(block.text.unwrap_or_default())),
        ("thinking", _) => Ok(draft.thinking(block.thinking.unwrap_or_default())),
        ("tool_use", Some(name)) => match block.id {
            Some(id) => draft.tool_use_with_id(&id, &name, input),
            None => draft.tool_use(&name, input),
        }
        .map_err(failed),
        _ => draft.block(json.get()).map_err(failed),
    }
}

fn refusal(error: &ApiError) -> Result<Output, BindingError> {
    let body = error.to_json(REQUEST_ID).into_bytes();
    head(error.status(), "application/json", body)
}

fn head(status: u16, content_type: &'static str, body: Vec<u8>) -> Result<Output, BindingError> {
    let head = Head { status, content_type, request_id: REQUEST_ID };
    Ok(Output::facts(&head)?.with_body(body))
}
