//! The failure of a command: an error with its exit code.
//!
//! Any error becomes a failure with code 1 by `?`; a usage error is made by
//! [`Failure::usage`]. Libraries never decide about exit codes.

use std::error::Error;
use std::io;

use aside_diagnostic::Diagnostic;

use crate::kinds;

/// The error of a command, with its exit code.
pub(crate) struct Failure {
    /// 1 for a failure, 2 for a usage error, another one for a signal or the command that
    /// the proxy ran.
    pub(crate) code: u8,
    error: anyhow::Error,
}

impl Failure {
    /// Creates an error with its exit code.
    pub(crate) fn new(code: u8, error: anyhow::Error) -> Self {
        Self { code, error }
    }

    /// Creates a usage error.
    pub(crate) fn usage(error: anyhow::Error) -> Self {
        Self::new(2, error)
    }

    /// Returns the error as a diagnostic. Its message is the chain of causes, separated
    /// by colons: `failed to read X: no such file or directory`.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let kind = match self.code {
            2 => kinds::USAGE,
            _ => kinds::FAILED,
        };
        let causes: Vec<String> = self.error.chain().map(message).collect();
        kind.diagnostic(causes.join(": "))
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self {
            code: 1,
            error: error.into(),
        }
    }
}

/// Returns the message of an error. That of the operating system is written like all others: in
/// lower case, without its number.
fn message(error: &(dyn Error + 'static)) -> String {
    let text = error.to_string();
    let Some(code) = error.downcast_ref().and_then(io::Error::raw_os_error) else {
        return text;
    };
    let text = text.replace(&format!(" (os error {code})"), "");
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn errors_of_the_system_read_like_all_others() {
        let gone: Result<Vec<u8>, _> = std::fs::read("/nowhere/at/all");
        let error = gone.context("failed to read X").unwrap_err();
        let text = Failure::usage(error).diagnostic().message;
        assert_eq!(text, "failed to read X: no such file or directory");
        let own = Failure::from(anyhow::anyhow!("Own text"));
        assert_eq!(own.diagnostic().message, "Own text");
    }
}
