//! The strict Messages API in process.

use std::collections::VecDeque;

use aside_gateway::strict::{ApiError, Draft, Strict, StrictOptions, StrictRequest};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::cache::seconds;
use crate::error::BindingError;
use crate::output::{Output, options, without_panic};

/// A Messages API that refuses whatever the real one does, and keeps a prompt cache. It sends
/// nothing.
#[derive(Debug)]
pub struct StrictApi {
    api: Strict,
    replies: VecDeque<Draft>,
}

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
}

#[derive(Serialize)]
struct Head {
    status: u16,
    content_type: &'static str,
    request_id: &'static str,
}

const MESSAGES_PATH: &str = "/v1/messages";
const COUNT_PATH: &str = "/v1/messages/count_tokens";

/// Every response's id: nothing depends on it.
const REQUEST_ID: &str = "req_aside";

impl Default for StrictApi {
    fn default() -> Self {
        Self { api: Strict::new(StrictOptions::default()), replies: VecDeque::new() }
    }
}

impl StrictApi {
    /// Sets the content of the next response that has none yet. `blocks` is a list of content
    /// blocks, which may lack what the API adds: ids and signatures. Without this call, a response
    /// is thinking and a sentence.
    ///
    /// # Errors
    /// A block cannot be sent, such as a `tool_use` without its `name`.
    pub fn reply(&mut self, blocks: &[u8]) -> Result<(), BindingError> {
        let failed = |error| BindingError::option(format!("reply: {error}"));
        let blocks: Vec<&RawValue> = serde_json::from_slice(blocks).map_err(failed)?;
        let mut blocks = blocks.into_iter().enumerate();
        let draft = blocks.try_fold(Draft::new(), |draft, (index, block)| {
            add_block(draft, block).map_err(|message| {
                let path = format!("[{index}]");
                let error = BindingError::option(format!("reply{path}: {message}"));
                BindingError { path, ..error }
            })
        })?;
        self.replies.push_back(draft);
        Ok(())
    }

    /// Responds to a request: `status` and `content_type` are the facts, and the rest is the body.
    ///
    /// `options` may have `path`, `version` and `betas` (headers), and `at` in seconds. A refused
    /// request leaves the content of the next response to the next request.
    ///
    /// # Errors
    /// An option cannot be read. A refusal is no error: it is a response.
    pub fn answer(&mut self, body: &[u8], json: &[u8]) -> Result<Output, BindingError> {
        let options: Options = options(json)?;
        without_panic(&[body], || self.respond(body, &options))
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
            return match self.api.count_tokens(&request) {
                Ok(count) => head(200, "application/json", count.to_json().into_bytes()),
                Err(error) => refusal(&error),
            };
        }
        let draft = self.replies.front().cloned().unwrap_or_else(Draft::polite);
        let response = self.api.answer_with(&request, &draft);
        if response.is_ok() {
            self.replies.pop_front();
        }
        match response {
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

fn add_block(draft: Draft, json: &RawValue) -> Result<Draft, String> {
    let failed = |error: serde_json::Error| error.to_string();
    let block: Block<'_> = serde_json::from_str(json.get()).map_err(failed)?;
    let kind = block.kind.as_str();
    let missing = |key: &str| format!("a {kind} block without {key}");
    let input = block.input.map_or("{}", RawValue::get);
    match kind {
        "text" => Ok(draft.text(block.text.ok_or_else(|| missing("text"))?)),
        "thinking" => Ok(draft.thinking(block.thinking.ok_or_else(|| missing("thinking"))?)),
        "tool_use" if !input.starts_with('{') => Err("input: expected an object".to_owned()),
        "tool_use" => {
            let name = block.name.ok_or_else(|| missing("name"))?;
            match block.id {
                Some(id) => draft.tool_use_with_id(&id, &name, input),
                None => draft.tool_use(&name, input),
            }
            .map_err(failed)
        }
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
