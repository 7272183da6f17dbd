//! A command's failure: an error with an exit code.
//!
//! With `?`, any error becomes a failure with code 1; use [`Failure::usage`] to
//! make a usage error. Libraries never decide on exit codes.

use std::error::Error;
use std::io;

use aside_diagnostic::Diagnostic;

use crate::kinds;

/// A command's error, with its exit code.
pub(crate) struct Failure {
    /// 1 for a failure, 2 for a usage error, and another code for a signal or
    /// for the command that the proxy ran.
    pub(crate) code: u8,
    error: anyhow::Error,
}

impl Failure {
    pub(crate) fn new(code: u8, error: anyhow::Error) -> Self {
        Self { code, error }
    }

    pub(crate) fn usage(error: anyhow::Error) -> Self {
        Self::new(2, error)
    }

    /// Returns the error as a diagnostic. Its message joins the causes with
    /// colons: `failed to read X: no such file or directory`.
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
        Self { code: 1, error: error.into() }
    }
}

/// Returns an error's message. To match all others, an operating system error
/// is put in lower case, without its number.
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
