use std::time::Duration;

/// How long is waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For a connection.
    pub connect: Duration,
    /// For the next bytes of a stream, its first ones included.
    pub silence: Duration,
    /// For an answer that does not come as a stream, and so comes late.
    pub answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(120),
            answer: Duration::from_secs(600),
        }
    }
}

/// Whether requests go through the proxy that the environment names
/// (`HTTPS_PROXY` and its like).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proxies {
    /// They do.
    #[default]
    Environment,
    /// They go to the provider itself.
    None,
}
