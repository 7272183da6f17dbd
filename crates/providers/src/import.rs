//! Reads other wires' histories and request bodies into the Anthropic form.
//!
//! It reads three wires: Chat Completions, Responses and `generateContent`. Each has a module to
//! take the known members out of an [`Object`]; whatever remains is reported as a conversion loss,
//! so an unknown key is never dropped silently.

mod allowed_tools;
mod answer_format;
mod chat;
mod conversation;
mod gemini;
mod object;
mod parameters;
mod responses;
mod unread;

use std::fmt;

use aside_body::wire::Hints;
use aside_json::{Kind, Tape};
use aside_messages::history::Positions;
use aside_messages::wire::{Request, Tool};
use aside_models::Wire;

pub(crate) use self::answer_format::{NO_NAME, SET_STRICT};
use self::object::{Object, Reports, Spelling};
pub(crate) use self::unread::IN_STORAGE;
use crate::loss::ConversionLoss;
use crate::provider_spec::ProviderSpec;
use crate::sources::{Outputs, Sources, ToolSource};

/// Another wire's request body or history, in the Anthropic form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Imported {
    /// The wire that it was read as.
    pub wire: Wire,
    /// The request. A history has no model; keys missing in a body get the values that the Messages
    /// API requires.
    pub request: Request,
    /// The session's id (`prompt_cache_key`), to set as
    /// [`Options::session_id`](crate::Options::session_id).
    pub session_id: Option<String>,
    /// The values without a counterpart in the Messages API.
    pub losses: Vec<ConversionLoss>,
    /// Whether the body limits the answer.
    has_limit: bool,
    /// Where the request's messages and tools were in the body.
    pub(crate) sources: Sources,
}

impl Imported {
    /// Leaves out the limit that the body does not have, for a provider that needs none.
    #[must_use]
    pub fn written_for(mut self, provider: impl Into<&'static ProviderSpec>) -> Self {
        if !self.has_limit && !provider.into().platform.is_anthropic() {
            let added = self.request.max_tokens.take().map(limit_added);
            self.losses.retain(|it| Some(it) != added.as_ref());
        }
        self
    }

    /// Lowers the limit that the body does not have to the model's own, in tokens.
    pub(crate) fn limited_by(mut self, max_output: Option<u64>) -> Self {
        if !self.has_limit
            && let (Some(limit), Some(most)) = (self.request.max_tokens, max_output)
            && limit > most
        {
            self.request.max_tokens = Some(most);
            let added = self.losses.iter_mut().find(|it| **it == limit_added(limit));
            added.into_iter().for_each(|it| *it = limit_added(most));
        }
        self
    }
}

type Result<T, E = ImportError> = std::result::Result<T, E>;

/// What a wire reads from a body. The caller adds the defaults, and the losses for the parameters
/// that remain.
#[derive(Default)]
struct Read {
    request: Request,
    session_id: Option<String>,
    /// The paths of the messages and their blocks.
    positions: Positions<String>,
    outputs: Outputs,
    /// The paths of the system prompt's blocks, and of the tools.
    system: Vec<String>,
    tools: Vec<ToolSource>,
}

impl Read {
    /// Adds a tool with its path, whose schema is in the member `parameters`.
    fn add_tool(&mut self, tool: Tool, path: &str) {
        self.request.tools.push(tool);
        self.tools.push(ToolSource::new(path.to_owned(), "parameters"));
    }
}

/// Why your text is not a body or a history in this form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}expected {expected}", if .path.is_empty() { "" } else { ": " })]
pub struct ImportError {
    kind: ImportErrorKind,
    /// The value's JSON path, such as `messages[2].tool_calls[0].id`; empty for the whole text.
    path: String,
    /// The expected value, as a noun to follow "expected".
    expected: &'static str,
}

/// The kinds of [`ImportError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportErrorKind {
    /// The text is not JSON.
    Syntax,
    /// A value has another shape than the wire gives it.
    Shape,
    /// The form is the Messages API's own, or is not recognized.
    Form,
}

/// The longest answer when a body does not limit it, in tokens: the Messages API needs a limit. A
/// body gets this with a loss, a history without a report. A budget for thinking is added, since
/// the limit is for both.
const DEFAULT_MAX_TOKENS: u64 = 8_192;

/// Returns the limit for a body without one.
fn default_limit(request: &Request) -> u64 {
    let budget = request.thinking.as_ref().and_then(|it| it.budget_tokens).unwrap_or_default();
    budget.saturating_add(DEFAULT_MAX_TOKENS)
}

fn limit_added(limit: u64) -> ConversionLoss {
    ConversionLoss::new(LIMIT, format!("set to {limit}: the Messages API needs a limit"))
}

/// The limit's key in the Messages API. A half-ported body of another wire may have it.
const LIMIT: &str = "max_tokens";

/// Reads a body or a history that you have in the form of OpenAI's Chat Completions.
///
/// ```
/// let body = br#"{"model":"gpt-4.1","messages":[
///     {"role":"system","content":"Be brief."},
///     {"role":"user","content":"Hi"}]}"#;
/// let imported = aside_providers::from_openai(body)?;
/// assert_eq!(imported.request.system.len(), 1);
/// assert_eq!(imported.request.messages.len(), 1);
/// # Ok::<(), aside_providers::ImportError>(())
/// ```
///
/// # Errors
/// The path to a value that does not fit this form.
pub fn from_openai(json: &[u8]) -> Result<Imported, ImportError> {
    read(json, Wire::ChatCompletions)
}

/// Reads a body or a history that you have in the form of OpenAI's Responses. A call's output is
/// moved directly after the call.
///
/// # Errors
///
/// The path to a value that does not fit this form.
pub fn from_responses(json: &[u8]) -> Result<Imported, ImportError> {
    read(json, Wire::Responses)
}

/// Reads a body or a history that you have in the form of Gemini's `generateContent`.
///
/// # Errors
/// The path to a value that does not fit this form.
pub fn from_gemini(json: &[u8]) -> Result<Imported, ImportError> {
    read(json, Wire::GenerateContent)
}

/// Reads a body or a history when you do not know its wire: its model or shape decides
/// ([`aside_body::wire::decide`]).
///
/// # Errors
/// When the wire is the Messages API; else the path to a value that does not fit the form.
pub fn import(json: &[u8]) -> Result<Imported, ImportError> {
    match aside_body::wire::decide(json, &Hints::default()).wire {
        found if found != Wire::Messages => read(json, found),
        _ => Err(ImportError {
            kind: ImportErrorKind::Form,
            path: String::new(),
            expected: "a body or a history of Chat Completions, Responses or Gemini",
        }),
    }
}

/// Reads a text in a known form.
///
/// An array is a history: it is read as the message list (`messages`, `input` or `contents`) in an
/// otherwise empty body. Linear in the text's length.
///
/// # Errors
/// When the text is not UTF-8 or not JSON, or a member has another type than the wire gives it.
fn read(json: &[u8], wire: Wire) -> Result<Imported> {
    let (kind, path) = (ImportErrorKind::Syntax, String::new());
    let tape = Tape::parse(json).map_err(|_| ImportError { kind, path, expected: "JSON" })?;
    let root = tape.root();
    let reports = Reports::default();
    let spelling = match wire {
        Wire::GenerateContent => Spelling::CamelOrSnake,
        _ => Spelling::Exact,
    };
    let key = aside_body::wire::messages_key(wire);
    let mut body = Object::body_or_history(root, key, spelling, &reports)?;
    let Read { mut request, session_id, positions, outputs, system, tools } = match wire {
        Wire::ChatCompletions => chat::request(&mut body)?,
        Wire::Responses => responses::request(&mut body)?,
        _ => gemini::request(&mut body)?,
    };
    if request.max_tokens.is_none()
        && let Some(limit) = body.whole_number(LIMIT)
    {
        request.max_tokens = Some(limit);
        body.lost(LIMIT, "taken as the limit, which this wire has under another name");
    }
    // Only the Messages API gives 0 a meaning: it warms the cache.
    request.max_tokens = request.max_tokens.filter(|limit| *limit > 0);
    let has_limit = request.max_tokens.is_some();
    if !has_limit {
        let limit = default_limit(&request);
        request.max_tokens = Some(limit);
        let loss = (root.kind() != Kind::Array).then(|| limit_added(limit));
        reports.losses.borrow_mut().extend(loss);
    }
    body.report_parameters();
    let Reports { losses, parameters } = reports;
    let (losses, parameters) = (losses.into_inner(), parameters.into_inner());
    let sources = Sources { wire, messages: positions, outputs, system, tools, parameters };
    Ok(Imported { wire, request, session_id, losses, has_limit, sources })
}

impl ImportError {
    /// Creates the error for a value at this path that has an unexpected shape.
    fn shape(path: impl fmt::Display, expected: &'static str) -> Self {
        Self { kind: ImportErrorKind::Shape, path: path.to_string(), expected }
    }

    /// Returns the error's kind.
    #[must_use]
    pub fn kind(&self) -> ImportErrorKind {
        self.kind
    }

    /// Returns the faulty value's JSON path; empty for the whole text.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}
