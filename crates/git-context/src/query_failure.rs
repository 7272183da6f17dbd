//! Which command of a snapshot failed, and why.
//!
//! ```json
//! {"query": "commits", "reason": {"type": "flooded", "limit": 131072}}
//! ```

use std::time::Duration;

use aside_text::one_line_bytes;
use serde::{Deserialize, Serialize};

use crate::{Query, kinds};

/// A part that the snapshot lacks because its command failed. Displays as the
/// command and the reason on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{query}: {reason}")]
pub struct QueryFailure {
    /// The command.
    pub query: Query,
    /// Why it failed.
    pub reason: FailureReason,
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureReason {
    /// The system did not start the command, or its output could not be read.
    #[error("could not be run: {message}")]
    NotRun {
        /// The system's error message.
        message: String,
    },
    /// The command exceeded the time limit and was killed.
    #[error("had not ended after {} s", limit.as_secs_f32())]
    TimedOut {
        /// How long the snapshot was allowed to take.
        limit: Duration,
    },
    /// The command wrote too much and was killed.
    #[error("wrote more than {limit} bytes")]
    Flooded {
        /// How many bytes it was allowed to write.
        limit: usize,
    },
    /// The command exited with an error.
    #[error("{}", failure(*code, message))]
    Failed {
        /// The exit code; `None` if a signal ended the command.
        code: Option<i32>,
        /// The first line on stderr with an error, else the first line.
        message: String,
    },
    /// The output is not in git's format.
    #[error("wrote something unexpected: {output}")]
    Unexpected {
        /// Where it becomes unexpected, at most 80 characters.
        output: String,
    },
    /// The command was not run: this git cannot switch its filters off (git
    /// older than 2.31).
    #[error("not run: this git is older than 2.31, its filters cannot be kept off")]
    GitTooOld,
    /// The command was not run: the filter drivers could not be listed.
    #[error("not run: the filters to be kept off could not be listed")]
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

fn failure(code: Option<i32>, message: &str) -> String {
    let ended = match code {
        Some(code) => format!("failed with exit code {code}"),
        None => "was ended by a signal".to_owned(),
    };
    if message.is_empty() { ended } else { format!("{ended}: {message}") }
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
