//! A request with whatever its log knows. Everything but the time is optional;
//! each fact makes the model more exact.

use std::time::Duration;

use crate::usage::Usage;
use aside_body::body::Body;
use aside_body::response::reasoning_ids;
use aside_models::billed_model;

/// A request with what a log knows about it.
///
/// ```
/// use std::time::Duration;
/// use aside_cache_model::{Body, Timed};
///
/// let request = Body::parse(br#"{"model":"m","messages":[]}"#)?;
/// let mut entry = Timed::new(request, Duration::from_secs(20));
/// entry.session = Some("s1".to_owned());
/// entry.latency = Some(Duration::from_millis(800));
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Timed {
    /// The body.
    pub request: Body,
    /// Its index in the log, from 0, by which verdicts and findings name it. `None` counts the
    /// requests that were sent to one model: a log may have others in between.
    pub index: Option<usize>,
    /// When it was sent, counted from any fixed moment.
    pub at: Duration,
    /// The session that it belongs to.
    pub session: Option<String>,
    /// The request's id, or its response's.
    pub id: Option<String>,
    /// The id of the request that it continues.
    pub previous: Option<String>,
    /// The id of a request earlier in its conversation, as a server knows it that verifies
    /// signatures: a response that left nothing to verify may follow that one.
    pub follows: Option<String>,
    /// The workspace that it was sent in.
    pub workspace: Option<String>,
    /// How long until its response began.
    pub latency: Option<Duration>,
    /// The model that answered: a fallback, or the one behind a deployment's name.
    pub answered: Option<String>,
    /// The billed usage.
    pub usage: Option<Usage>,
    /// True if the log may leave out the beginning of the request, as telemetry does and a body that
    /// continues what the provider keeps: tokens that were billed and are not in the body then belong
    /// to an unseen prefix.
    pub is_partial: bool,
    /// The thinking that the model does not read, as a server knows it that verifies signatures.
    pub unread: UnreadThinking,
    /// The response.
    pub answer: Option<ResponseParts>,
}

/// Thinking in a body that the model does not read, by the paths of its blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnreadThinking {
    /// Blocks that the provider drops.
    pub blocks: Vec<String>,
    /// Blocks whose text is ignored, because they were made without one.
    pub texts: Vec<String>,
}

/// The parts of a response by which to recognize the next request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponseParts {
    /// Its tool use ids.
    pub tool_use_ids: Vec<String>,
    /// Its first text.
    pub text: Option<String>,
    /// The ids of its reasoning items (Responses), each with its tokens: a later request may have
    /// only the id.
    pub reasoning: Vec<(String, u64)>,
}

impl ResponseParts {
    /// Takes a response's tool use ids and its first text.
    #[must_use]
    pub fn new(tool_use_ids: Vec<String>, text: Option<String>) -> Self {
        Self { tool_use_ids, text, reasoning: Vec::new() }
    }

    /// Adds the reasoning of its output items, a JSON array. Of the tokens, only the sum is
    /// reported, which is divided evenly.
    #[must_use]
    pub fn with_reasoning(mut self, output: &str, tokens: u64) -> Self {
        let ids = reasoning_ids(output);
        let each = tokens.div_ceil(ids.len().max(1) as u64);
        self.reasoning = ids.into_iter().map(|id| (id, each)).collect();
        self
    }
}

impl Timed {
    /// Creates an entry with only a time.
    #[must_use]
    pub fn new(request: Body, at: Duration) -> Self {
        Self {
            request,
            index: None,
            at,
            session: None,
            id: None,
            previous: None,
            follows: None,
            workspace: None,
            latency: None,
            answered: None,
            usage: None,
            is_partial: false,
            unread: UnreadThinking::default(),
            answer: None,
        }
    }

    /// Returns the model at whose prices it is billed.
    #[must_use]
    pub fn billed_model(&self) -> &str {
        let answered = self.answered.as_deref().unwrap_or_default();
        billed_model(answered, self.request.model().unwrap_or_default())
    }
}
