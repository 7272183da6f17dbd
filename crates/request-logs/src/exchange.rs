//! One request from a log with its facts, the same for all formats.

use std::time::Duration;

use aside_models::Usage;
use aside_models::usage::Billed;
use bytes::Bytes;
use serde_json::Value;

use crate::agent::Agent;
use crate::time;

/// How much of a time or a usage that cannot be read to show.
const MAX_SHOWN_CHARS: usize = 80;

/// One request from a log, with whatever the log says about it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Exchange {
    /// The line in the log, or the number of the entry when the log is one
    /// document; from 1.
    pub line: usize,
    /// The session.
    pub session: Option<String>,
    /// The session that this one's history began in, if it is a fork (Codex).
    pub forked_from: Option<String>,
    /// The coding agent that wrote the log, if the log shows it.
    pub agent: Option<Agent>,
    /// The sub-agent that sent the request.
    pub subagent: Option<String>,
    /// The project directory, or the name that the agent keeps it under.
    pub project: Option<String>,
    /// True if the agent has replaced the conversation by a summary since the
    /// request before.
    pub is_compacted: bool,
    /// The request's id, or its response's. Codex writes none: there it is the session that began
    /// the history, and that history's tokens so far.
    pub id: Option<String>,
    /// What else names the request in each copy of its session, whose times may differ: the request
    /// id of the API, or Codex's `id`.
    pub request_id: Option<String>,
    /// The previous request's id.
    pub previous: Option<String>,
    /// The workspace.
    pub workspace: Option<String>,
    /// When it was sent: since 1970, or since the log began if that has times
    /// of its own.
    pub at: Option<Duration>,
    /// How long it took until the response began, if known.
    pub latency: Option<Duration>,
    /// How long it took until the response ended, if known.
    pub duration: Option<Duration>,
    /// The provider or platform, as the log names it.
    pub provider: Option<String>,
    /// The address that the request was sent to, if the log names it: all of
    /// it, or its path.
    pub url: Option<String>,
    /// The model, if the log names it: the one that answered, which may not be the one that the body
    /// requests.
    pub model: Option<String>,
    /// Request headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The request.
    pub request: RecordedBody,
    /// The billed tokens.
    pub usage: Option<Usage>,
    /// The first and the last sampling, if the API ran several for the response, as for its own
    /// tools: `usage` adds them up.
    pub samplings: Option<[Usage; 2]>,
    /// True if the log has no figure for tokens written to the cache: then some that `usage` counts
    /// as neither read nor written may have been written.
    pub is_write_missing: bool,
    /// The models that the request's model consulted. Each becomes an exchange of its own.
    pub(crate) advisors: Vec<(String, Usage)>,
    /// A figure that `usage` lacks, since it could not be read.
    pub(crate) unread_figure: Option<String>,
    /// The value that `usage` lacks, since it has no known figure.
    pub(crate) unread_usage: Option<String>,
    /// The value that `at` lacks, since it is not a time.
    pub(crate) unread_time: Option<String>,
    /// The reason that the provider's own cache diagnostics give.
    pub diagnostics: Option<String>,
    /// The response's HTTP status.
    pub status: Option<u16>,
    /// A failure's message.
    pub error: Option<String>,
    /// The response's tool use ids.
    pub answer_tool_ids: Vec<String>,
    /// The list of output items of a response of Responses, as JSON.
    pub answer_output: Option<String>,
    /// How many of the output's tokens are reasoning, on Responses.
    pub reasoning_tokens: Option<u64>,
    /// The response's first text.
    pub answer_text: Option<String>,
}

/// A request's body.
///
/// The form decides how exact a comparison can be: positions in
/// [`Bytes`](Self::Bytes) are positions in the request; with
/// [`Sections`](Self::Sections) only equality counts. In a log in lines these
/// bytes are part of their line, which clones share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordedBody {
    /// The log has no body, as in a transcript.
    #[default]
    Missing,
    /// The exact bytes that were sent.
    Bytes(Bytes),
    /// The value that was sent, in other bytes: positions in them are not those
    /// in the request.
    Reserialized(Bytes),
    /// Parts of the request in the log's own form: you can only compare whole
    /// sections.
    Sections(Bytes),
}

impl RecordedBody {
    /// Returns the part of a line that holds a body. A body that is the smaller
    /// part of its line is copied, so that it does not keep the rest alive.
    pub(crate) fn part(line: &Bytes, part: &[u8]) -> Bytes {
        if part.len() < line.len() / 2 {
            Bytes::copy_from_slice(part)
        } else {
            line.slice_ref(part)
        }
    }

    /// Returns the bytes, if there are any.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Missing => None,
            Self::Bytes(bytes) | Self::Reserialized(bytes) | Self::Sections(bytes) => Some(bytes),
        }
    }

    /// Returns true if positions in the bytes are those in the request.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Bytes(_))
    }
}

/// The message of a request that no response followed.
pub(crate) const NO_RESPONSE: &str = "no response";

impl Exchange {
    /// Creates an exchange that was sent at this time. `null` is no time.
    pub(crate) fn sent(time: Option<&Value>) -> Self {
        let time = time.filter(|it| !it.is_null());
        let at = time.and_then(time::read);
        let unread_time = time.filter(|_| at.is_none()).map(|it| match it {
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "an object".to_owned(),
            value => shown(value),
        });
        Self { at, unread_time, ..Self::default() }
    }

    /// Sets what a usage object bills. One with members that are all unknown is reported.
    pub(crate) fn bill_usage(&mut self, usage: Option<&Value>) {
        let billed = usage.and_then(Billed::from_any_vendor);
        let reasoning = usage.and_then(|it| it.get("output_tokens_details"));
        self.reasoning_tokens = reasoning.and_then(|it| it.get("reasoning_tokens")?.as_u64());
        let has_members = |it: &&Value| it.as_object().is_some_and(|it| !it.is_empty());
        let is_unknown = billed.is_none() && !self.is_foreign();
        self.unread_usage = usage.filter(|_| is_unknown).filter(has_members).map(shown);
        self.bill(billed);
    }

    /// Sets what was billed, unless that is known.
    pub(crate) fn bill(&mut self, billed: Option<Billed>) {
        if let (None, Some(billed)) = (self.usage, billed) {
            self.usage = billed.known();
            self.samplings = billed.samplings;
            self.unread_figure = billed.unread;
            self.is_write_missing = billed.is_write_missing;
            self.advisors = billed.advisors;
        }
    }

    /// Takes out the requests to the models that this one's consulted, as those of a sub-agent.
    pub(crate) fn take_advisors(&mut self) -> Vec<Self> {
        let advisors = std::mem::take(&mut self.advisors).into_iter().zip(1..);
        let exchange = |((model, usage), number): ((String, Usage), usize)| Self {
            line: self.line,
            session: self.session.clone(),
            agent: self.agent,
            subagent: Some("advisor".to_owned()),
            project: self.project.clone(),
            id: self.id.as_ref().map(|id| format!("{id}-advisor-{number}")),
            request_id: self.request_id.clone(),
            at: self.at,
            provider: self.provider.clone(),
            model: Some(model),
            usage: Some(usage),
            ..Self::default()
        };
        advisors.map(exchange).collect()
    }

    /// Returns true if the provider refused the request or failed.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.error.is_some() || self.status.is_some_and(|it| it >= 400)
    }

    /// Returns true if the request only counts tokens, which leaves nothing in
    /// a cache.
    #[must_use]
    pub fn is_count(&self) -> bool {
        self.path_ends_with(&[
            "/count_tokens",
            "/input_tokens",
            ":countTokens",
            // Bedrock and Google Cloud.
            "/count-tokens",
            "/count-tokens:rawPredict",
        ])
    }

    /// Returns true if the address is that of another service of a provider, whose bodies can look
    /// like requests: embeddings, moderations, images and sounds.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.path_ends_with(&[
            "/embeddings",
            ":embedContent",
            ":batchEmbedContents",
            "/moderations",
            "/rerank",
            "/images/generations",
            "/images/edits",
            "/audio/speech",
            "/audio/transcriptions",
        ])
    }

    fn path_ends_with(&self, ends: &[&str]) -> bool {
        let path = self.url.as_deref().and_then(|it| it.split('?').next());
        path.is_some_and(|path| ends.iter().any(|end| path.ends_with(end)))
    }
}

fn shown(value: &Value) -> String {
    value.to_string().chars().take(MAX_SHOWN_CHARS).collect()
}
