//! Limits on time and size, and whether to use a proxy.

use std::time::Duration;

use tokio::time::timeout;

use super::error::{TransportErrorKind, causes};

/// Limits on time and size.
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
    /// How long to try to connect.
    pub connect: Duration,
    /// How long to wait for the next bytes in a stream, the first ones
    /// included.
    pub silence: Duration,
    /// How long to wait for a response that is not streamed.
    pub answer: Duration,
    /// How many bytes a stream may have, pings included: a server can send text
    /// without end.
    pub stream_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(120),
            answer: Duration::from_secs(600),
            // A hundred times any model's longest output.
            stream_bytes: 256 << 20,
        }
    }
}

/// Whether to use the proxy that the environment names (`HTTPS_PROXY` and
/// similar). Requests to this machine never do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proxies {
    /// Requests go through the proxy.
    #[default]
    Environment,
    /// Requests go to the provider directly.
    None,
}

/// Waits for the connection, but not longer than `limit`.
pub(crate) async fn within<T>(
    limit: Duration,
    work: impl Future<Output = reqwest::Result<T>>,
) -> Result<T, TransportErrorKind> {
    let done = timeout(limit, work).await.map_err(|_| TransportErrorKind::Silence)?;
    done.map_err(|error| TransportErrorKind::Connection(causes(&error.without_url())))
}
