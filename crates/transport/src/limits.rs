//! Limits of time and size, and the use of a proxy.

use std::time::Duration;

/// Limits of time and size.
///
/// ```
/// use std::time::Duration;
/// use aside_transport::Limits;
///
/// let limits = Limits { silence: Duration::from_secs(30), ..Limits::default() };
/// assert_eq!(limits.connect, Duration::from_secs(10));
/// assert_eq!(limits.answer, Duration::from_secs(600));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time to connect.
    pub connect: Duration,
    /// The time until the next bytes of a stream, the first ones included.
    pub silence: Duration,
    /// The time until a response that is not streamed.
    pub answer: Duration,
    /// The maximum number of bytes of a stream, pings included: a server can
    /// send text without an end.
    pub stream_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(120),
            answer: Duration::from_secs(600),
            // A hundred times the longest output of any model.
            stream_bytes: 256 << 20,
        }
    }
}

/// Whether requests go through the proxy that the environment names
/// (`HTTPS_PROXY` and similar ones). Requests to this machine never do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proxies {
    /// Requests go through the proxy.
    #[default]
    Environment,
    /// Requests go to the provider directly.
    None,
}
