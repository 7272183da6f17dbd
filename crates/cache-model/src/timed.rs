//! A request with the facts that a log has about it. All facts but the time are
//! optional; each one makes the model more exact.

use std::time::Duration;

use crate::usage::Usage;
use aside_body::body::Body;

/// A request with the facts of a log about it.
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
    /// When it was sent, as the time since any fixed moment.
    pub at: Duration,
    /// The session that it belongs to.
    pub session: Option<String>,
    /// The id of the request or of its response.
    pub id: Option<String>,
    /// The id of the request that it continues.
    pub previous: Option<String>,
    /// The workspace in which it was sent.
    pub workspace: Option<String>,
    /// The time until its response began.
    pub latency: Option<Duration>,
    /// The billed usage.
    pub usage: Option<Usage>,
    /// The response.
    pub answer: Option<ResponseParts>,
}

/// The parts of a response that identify the next request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponseParts {
    /// The ids of its tool uses.
    pub tool_use_ids: Vec<String>,
    /// Its first text.
    pub text: Option<String>,
}

impl ResponseParts {
    /// Creates a value from the ids of the tool uses and the first text of a
    /// response.
    #[must_use]
    pub fn new(tool_use_ids: Vec<String>, text: Option<String>) -> Self {
        Self { tool_use_ids, text }
    }
}

impl Timed {
    /// Creates an entry of which only the time is known.
    #[must_use]
    pub fn new(request: Body, at: Duration) -> Self {
        Self {
            request,
            at,
            session: None,
            id: None,
            previous: None,
            workspace: None,
            latency: None,
            usage: None,
            answer: None,
        }
    }
}
