//! Which command of a snapshot failed, and why.
//!
//! ```json
//! {"query": "commits", "reason": {"type": "flooded", "limit": 131072}}
//! ```

use std::fmt;
use std::time::Duration;

use aside_text::one_line_bytes;
use serde::{Deserialize, Serialize};

use crate::{Query, kinds};

/// A part that the snapshot lacks because its command failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryFailure {
    /// The command.
    pub query: Query,
    /// Why it failed.
    pub reason: FailureReason,
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureReason {
    /// The system did not start the command, or its output could not be read.
    NotRun {
        /// The system's error message.
        message: String,
    },
    /// The command exceeded the time limit and was killed.
    TimedOut {
        /// How long the snapshot was allowed to take.
        limit: Duration,
    },
    /// The command wrote too much and was killed.
    Flooded {
        /// How many bytes it was allowed to write.
        limit: usize,
    },
    /// The command exited with an error.
    Failed {
        /// The exit code; `None` if a signal ended the command.
        code: Option<i32>,
        /// The first line on stderr with an error, else the first line.
        message: String,
    },
    /// The output is not in git's format.
    Unexpected {
        /// Where it becomes unexpected, at most 80 characters.
        output: String,
    },
    /// The command was not run: this git cannot switch its filters off (git
    /// older than 2.31).
    GitTooOld,
    /// The command was not run: the filter drivers could not be listed.
    FiltersUnknown,
}

impl FailureReason {
    pub(crate) fn unexpected(output: &[u8]) -> Self {
        Self::Unexpected { output: one_line_bytes(output).chars().take(80).collect() }
    }

    /// Takes the first line on stderr with an error, else the first line.
    pub(crate) fn failed(code: Option<i32>, stderr: &[u8]) -> Self {
        let mut lines =
            stderr.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let first = lines.clone().next().unwrap_or_default();
        let message = lines
            .find(|line| line.starts_with(b"fatal: ") || line.starts_with(b"error: "))
            .unwrap_or(first);
        let message = one_line_bytes(message.trim_ascii_end());
        Self::Failed { code, message: message.chars().take(300).collect() }
    }

    pub(crate) fn not_run(error: &std::io::Error) -> Self {
        Self::NotRun { message: one_line_bytes(error.to_string().as_bytes()).into_owned() }
    }
}

/// Writes the command and the reason on one line.
impl fmt::Display for QueryFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.query, self.reason)
    }
}

impl fmt::Display for FailureReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRun { message } => write!(f, "could not be run: {message}"),
            Self::TimedOut { limit } => {
                write!(f, "had not ended after {} s", limit.as_secs_f32())
            }
            Self::Flooded { limit } => write!(f, "wrote more than {limit} bytes"),
            Self::Failed { code, message } => {
                match code {
                    Some(code) => write!(f, "failed with exit code {code}")?,
                    None => f.write_str("was ended by a signal")?,
                }
                if message.is_empty() {
                    return Ok(());
                }
                write!(f, ": {message}")
            }
            Self::Unexpected { output } => write!(f, "wrote something unexpected: {output}"),
            Self::GitTooOld => {
                f.write_str("not run: this git is older than 2.31, its filters cannot be kept off")
            }
            Self::FiltersUnknown => {
                f.write_str("not run: the filters to be kept off could not be listed")
            }
        }
    }
}

impl From<&QueryFailure> for aside_diagnostic::Diagnostic {
    fn from(diagnostic: &QueryFailure) -> Self {
        let kind = match diagnostic.reason {
            FailureReason::NotRun { .. } => kinds::NOT_RUN,
            FailureReason::TimedOut { .. } => kinds::TIMED_OUT,
            FailureReason::Flooded { .. } => kinds::FLOODED,
            FailureReason::Failed { .. } => kinds::FAILED,
            FailureReason::Unexpected { .. } => kinds::UNEXPECTED,
            FailureReason::GitTooOld => kinds::TOO_OLD,
            FailureReason::FiltersUnknown => kinds::FILTERS_UNKNOWN,
        };
        kind.diagnostic(diagnostic)
    }
}
