//! The end of an exchange: the values that its record and its line are made of.

use std::time::Duration;

use axum::body::Bytes;

use super::observe::Observed;
use super::upstream::Wire;

/// An exchange as it is recorded.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) wire: Wire,
    pub(crate) provider: &'static str,
    /// The time since 1970.
    pub(crate) at: Duration,
    pub(crate) path: String,
    /// The body as it was sent to the upstream, decompressed.
    pub(crate) body: Bytes,
    /// The body as the agent sent it, if it differs.
    pub(crate) original: Option<Bytes>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) status: Option<u16>,
    /// The time until the response began.
    pub(crate) latency: Option<Duration>,
    pub(crate) observed: Observed,
    pub(crate) is_complete: bool,
    /// Why the markers were left as they were.
    pub(crate) note: Option<String>,
}
