use std::fmt;
use std::time::Duration;

use aside_text::one_line_bytes;
use serde::{Deserialize, Serialize};

use crate::{Query, kinds};

/// A command that did not give its part of the snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The command.
    pub query: Query,
    /// What became of it.
    pub reason: Reason,
}

/// What can become of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The system would not start it, or not give its output.
    NotRun {
        /// What the system said.
        message: String,
    },
    /// It had not ended when the time was up, and was killed.
    TimedOut {
        /// The time that the snapshot had.
        limit: Duration,
    },
    /// It wrote more than this, and was killed.
    Flooded {
        /// In bytes.
        limit: usize,
    },
    /// It failed.
    Failed {
        /// The exit code; `None` if a signal ended it.
        code: Option<i32>,
        /// The first telling line of its standard error.
        message: String,
    },
    /// It wrote what git does not write.
    Unexpected {
        /// Where the odd part begins, at most 80 characters of it.
        output: String,
    },
    /// It was not run, since this git would not let its filters be switched
    /// off (git older than 2.31).
    GitTooOld,
    /// It was not run, since the filter drivers could not be listed.
    FiltersUnknown,
}

impl Reason {
    pub(crate) fn unexpected(output: &[u8]) -> Self {
        Self::Unexpected {
            output: one_line_bytes(output).chars().take(80).collect(),
        }
    }

    /// The first line with an error, else the first line.
    pub(crate) fn failed(code: Option<i32>, stderr: &[u8]) -> Self {
        let mut lines = stderr
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.trim_ascii().is_empty());
        let first = lines.clone().next().unwrap_or_default();
        let message = lines
            .find(|line| line.starts_with(b"fatal: ") || line.starts_with(b"error: "))
            .unwrap_or(first);
        Self::Failed {
            code,
            message: one_line_bytes(message.trim_ascii_end())
                .into_owned()
                .chars()
                .take(300)
                .collect(),
        }
    }

    pub(crate) fn not_run(error: &std::io::Error) -> Self {
        Self::NotRun {
            message: one_line_bytes(error.to_string().as_bytes()).into_owned(),
        }
    }
}

/// One line: the command and the reason.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.query, self.reason)
    }
}

impl fmt::Display for Reason {
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

impl From<&Diagnostic> for aside_diagnostic::Diagnostic {
    fn from(diagnostic: &Diagnostic) -> Self {
        let kind = match diagnostic.reason {
            Reason::NotRun { .. } => kinds::NOT_RUN,
            Reason::TimedOut { .. } => kinds::TIMED_OUT,
            Reason::Flooded { .. } => kinds::FLOODED,
            Reason::Failed { .. } => kinds::FAILED,
            Reason::Unexpected { .. } => kinds::UNEXPECTED,
            Reason::GitTooOld => kinds::TOO_OLD,
            Reason::FiltersUnknown => kinds::FILTERS_UNKNOWN,
        };
        kind.diagnostic(diagnostic)
    }
}
