//! What clap prints: help, the version, and usage errors.
//!
//! Arguments may come from scripts, and clap quotes them in its messages. So
//! they are escaped before they reach a terminal, and a usage error is a JSON
//! diagnostic when the arguments ask for this form.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use aside_text::{one_line, terminal_lines, without_ci_commands};
use clap::Error;

use crate::arguments::{self, DiagnosticsForm};
use crate::kinds;
use crate::output;

/// Prints clap's output on stdout or stderr, and returns the exit code: 0 for
/// help and the version, 2 for a usage error.
///
/// Arguments are quoted as given, with terminal control characters and CI commands escaped.
/// When stdout cannot be written to, the exit code is 1; a closed pipe is no
/// failure.
pub(crate) fn report(error: &Error, given: &[OsString]) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    let is_error = error.use_stderr();
    if is_error && is_json_wanted(given) {
        output::set_form(DiagnosticsForm::Json);
        let text = error.to_string();
        let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
        output::report(&kinds::USAGE.diagnostic(message));
        return ExitCode::from(code);
    }
    match print(error, given) {
        // A failure to print does not change the exit code.
        Err(fault) if !is_error && fault.kind() != ErrorKind::BrokenPipe => {
            let message = format!("failed to write to stdout: {fault}");
            output::report(&kinds::FAILED.diagnostic(message));
            ExitCode::FAILURE
        }
        _ => ExitCode::from(code),
    }
}

/// Prints clap's message. When an argument had to be escaped, this builds the
/// message again from the escaped arguments.
fn print(error: &Error, given: &[OsString]) -> io::Result<()> {
    let shown: Vec<OsString> = given.iter().map(shown).collect();
    if error.to_string().starts_with("error: ") {
        // To match every other error.
        write!(io::stderr(), "aside: ")?;
    }
    if shown == given {
        error.print()?;
        return io::stdout().flush();
    }
    // clap colours its own words, with the arguments between them. So let it
    // build the message again, from escaped arguments.
    match arguments::command().try_get_matches_from(shown) {
        Err(again) if again.kind() == error.kind() => again.print()?,
        _ => write!(io::stderr(), "{}", terminal_lines(&error.to_string()))?,
    }
    io::stdout().flush()
}

/// Returns true when the refused arguments ask for JSON: `--diagnostics json`
/// or `--diagnostics=json`.
fn is_json_wanted(given: &[OsString]) -> bool {
    let pairs = given.windows(2);
    let is_pair = |pair: &[OsString]| pair[0] == "--diagnostics" && pair[1] == "json";
    given.iter().any(|it| it == "--diagnostics=json") || pairs.into_iter().any(is_pair)
}

/// Returns an argument to show on a terminal or in the log of a CI system.
fn shown(argument: &OsString) -> OsString {
    without_ci_commands(&one_line(&argument.to_string_lossy())).into_owned().into()
}
