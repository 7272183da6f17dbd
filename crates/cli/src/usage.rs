//! The output of clap: help, the version, and usage errors.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use aside_text::{one_line, terminal_lines};
use clap::{CommandFactory, Error};

use crate::arguments::{Arguments, DiagnosticsForm};
use crate::kinds;
use crate::output;

/// Prints it on stdout or stderr. Arguments are quoted as given, with terminal
/// control characters escaped.
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

fn print(error: &Error, given: &[OsString]) -> io::Result<()> {
    let shown: Vec<OsString> = given.iter().map(shown).collect();
    if shown == given {
        error.print()?;
        return io::stdout().flush();
    }
    // clap colours its own words, and has the arguments between them: it is
    // asked again with arguments that may be shown.
    match Arguments::command().try_get_matches_from(shown) {
        Err(again) if again.kind() == error.kind() => again.print()?,
        _ => write!(io::stderr(), "{}", terminal_lines(&error.to_string()))?,
    }
    io::stdout().flush()
}

/// Returns true if the arguments, which clap refused, ask for JSON.
fn is_json_wanted(given: &[OsString]) -> bool {
    let pairs = given.windows(2);
    let is_pair = |pair: &[OsString]| pair[0] == "--diagnostics" && pair[1] == "json";
    given.iter().any(|it| it == "--diagnostics=json") || pairs.into_iter().any(is_pair)
}

fn shown(argument: &OsString) -> OsString {
    one_line(&argument.to_string_lossy()).into_owned().into()
}
