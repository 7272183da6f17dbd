//! One request of a log with its facts, the same for all formats.

use std::time::Duration;

use aside_models::Usage;
use bytes::Bytes;

use crate::agent::Agent;

/// One request of a log, with the facts that the log has about it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Exchange {
    /// The line of the log, or the number of the entry if the log is one
    /// document, 1-based.
    pub line: usize,
    /// The session.
    pub session: Option<String>,
    /// The coding agent that wrote the log, if the log shows it.
    pub agent: Option<Agent>,
    /// The sub-agent of the session that sent the request.
    pub subagent: Option<String>,
    /// The directory of the project, or the name that the agent keeps it under.
    pub project: Option<String>,
    /// True if the agent replaced the conversation by a summary since the request
    /// before.
    pub is_compacted: bool,
    /// The id of the request or of its response.
    pub id: Option<String>,
    /// The id of the request before it.
    pub previous: Option<String>,
    /// The workspace.
    pub workspace: Option<String>,
    /// The time of sending: since 1970, or since the start of a log with times
    /// of its own.
    pub at: Option<Duration>,
    /// The time until the response began, if known.
    pub latency: Option<Duration>,
    /// The time until the end of the response, if known.
    pub duration: Option<Duration>,
    /// The provider or the platform, as the log names it.
    pub provider: Option<String>,
    /// The address that the request was sent to, if the log names it: the whole
    /// of it, or its path.
    pub url: Option<String>,
    /// The model, if the log names it.
    pub model: Option<String>,
    /// Headers of the request, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The request.
    pub request: RecordedBody,
    /// The billed tokens.
    pub usage: Option<Usage>,
    /// The reason that the provider's own cache diagnostics give.
    pub diagnostics: Option<String>,
    /// The HTTP status of the response.
    pub status: Option<u16>,
    /// The message of a failure.
    pub error: Option<String>,
    /// The ids of the tool uses in the response.
    pub answer_tool_ids: Vec<String>,
    /// The list of output items of a response of Responses, as JSON.
    pub answer_output: Option<String>,
    /// The first text of the response.
    pub answer_text: Option<String>,
}

/// The body of a request.
///
/// The form decides how exact a comparison can be: positions of
/// [`Bytes`](Self::Bytes) are positions in the request; of
/// [`Sections`](Self::Sections), only equality counts. The bytes of a log in
/// lines are a part of its line, which clones share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordedBody {
    /// The log has no body, such as a transcript.
    #[default]
    Missing,
    /// The exact bytes that were sent.
    Bytes(Bytes),
    /// The value that was sent, with other bytes: positions in them are not
    /// those of the request.
    Reserialized(Bytes),
    /// Parts of the request in the log's own form: only whole sections can be
    /// compared.
    Sections(Bytes),
}

impl RecordedBody {
    /// Returns a part of a line that holds a body. A body that is the smaller
    /// part of its line is copied, so that it does not keep the rest alive.
    pub(crate) fn part(line: &Bytes, part: &[u8]) -> Bytes {
        match part.len() < line.len() / 2 {
            true => Bytes::copy_from_slice(part),
            false => line.slice_ref(part),
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

    /// Returns true if positions in the bytes are those of the request.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Bytes(_))
    }
}

impl Exchange {
    /// Returns true if the provider refused the request or failed.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.error.is_some() || self.status.is_some_and(|it| it >= 400)
    }

    /// Returns true if the request only counts tokens, which leaves nothing in
    /// a cache.
    #[must_use]
    pub fn is_count(&self) -> bool {
        let path = self.url.as_deref().and_then(|it| it.split('?').next());
        path.is_some_and(|it| it.ends_with("/count_tokens") || it.ends_with(":countTokens"))
    }
}
