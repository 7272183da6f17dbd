use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Where and how to run servers.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// The directory to start programs in, unless their configuration has one.
    pub cwd: PathBuf,
    /// Variables to pass to programs, in addition to those in their
    /// configuration. Programs get no others: this process may hold secrets.
    pub environment: Vec<(OsString, OsString)>,
    /// How long a server may take to start and list what it offers, and to list
    /// it again later.
    pub start_limit: Duration,
    /// How long a tool call may take; with zero, none is sent.
    pub call_limit: Duration,
}

impl ConnectOptions {
    /// Creates options with the usual limits: 30 seconds to start, ten minutes
    /// per call.
    #[must_use]
    pub fn new(cwd: PathBuf, environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            cwd,
            environment,
            start_limit: Duration::from_secs(30),
            call_limit: Duration::from_secs(600),
        }
    }
}
