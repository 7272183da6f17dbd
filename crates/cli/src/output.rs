//! The two streams: results on stdout, diagnostics and progress on stderr.
//!
//! Diagnostics go through here only, so that `--quiet`, `--verbose` and
//! `--diagnostics` apply to every command. These choices are set once, before
//! the command runs, and never change. `run::show` writes the model's response
//! to stdout itself, as it arrives.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;

use anyhow::Context;
use aside_diagnostic::{Diagnostic, Severity};
use aside_text::{one_line, terminal_json, without_ci_commands};
use serde::Serialize;

use crate::arguments::{Arguments, DiagnosticsForm};
use crate::highlight;
use crate::kinds;
use crate::output_file;
use crate::paint::{self, Paint, Tone};
use crate::screen;

/// Writes JSON to stdout, byte for byte. On a terminal, this escapes characters
/// that could move the cursor, and appends a newline.
///
/// Chunks are written one by one, so a large body is not copied unless stdout
/// is a terminal.
///
/// # Errors
/// Fails when stdout cannot be written to, for example because its disk is
/// full.
pub(crate) fn print<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> anyhow::Result<()> {
    ended(write_json(chunks))
}

/// [Prints](print()) JSON, but also fails when a reader closed the pipe early.
///
/// # Errors
/// Same as [`print()`].
pub(crate) fn write_json<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() {
        let json: Vec<u8> = chunks.into_iter().flatten().copied().collect();
        let json = String::from_utf8_lossy(&json);
        writeln!(stdout, "{}", terminal_json(&json).trim_end())?;
    } else {
        chunks.into_iter().try_for_each(|chunk| stdout.write_all(chunk))?;
    }
    stdout.flush()
}

/// Prints text for people on stdout. Lines wider than the terminal are broken
/// at spaces.
///
/// The text must not contain terminal control characters, except for colours.
/// An empty text prints nothing.
///
/// # Errors
/// Same as [`print()`].
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    write_text(&screen::fit(text, screen::width()))
}

/// Prints self-contained lines, such as findings, on stdout. They fit a
/// terminal like [`text()`], but stay whole without one, for `grep` and CI
/// matchers to find.
///
/// # Errors
/// Same as [`print()`].
pub(crate) fn lines(lines: &str) -> anyhow::Result<()> {
    match screen::terminal() {
        Some(width) => write_text(&screen::fit(lines, width)),
        None => write_text(lines),
    }
}

/// Writes text to stdout, escaping characters that could move a terminal's
/// cursor, and commands that a CI system would read from its log.
fn write_text(text: &str) -> anyhow::Result<()> {
    let text = terminal_json(text);
    let text = without_ci_commands(&text);
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    ended(written.and_then(|()| stdout.flush()))
}

/// [Prints](print()) a value as JSON on one line.
///
/// # Errors
/// Same as [`print()`].
pub(crate) fn compact_json(value: &impl Serialize) -> anyhow::Result<()> {
    let json = serde_json::to_string(value)? + "\n";
    print([json.as_bytes()])
}

/// [Prints](print()) a value as indented JSON, with a newline.
///
/// # Errors
/// Same as [`print()`].
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let stdout = io::stdout();
    if stdout.is_terminal() {
        let json = serde_json::to_string_pretty(value)? + "\n";
        return print([json.as_bytes()]);
    }
    // Write while serializing: a report is many times as large as its body.
    let mut stdout = BufWriter::new(stdout.lock());
    let written = serde_json::to_writer_pretty(&mut stdout, value).map_err(io::Error::from);
    ended(written.and_then(|()| stdout.write_all(b"\n")).and_then(|()| stdout.flush()))
}

/// Returns how writing to stdout went. When a reader closes the pipe early, as
/// `head` does, this is not an error.
fn ended(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("failed to write to stdout"),
    }
}

/// How to print diagnostics. Set once, before the command runs; text until
/// then.
static FORM: OnceLock<DiagnosticsForm> = OnceLock::new();
/// True with `--quiet`: report only errors.
static QUIET: OnceLock<bool> = OnceLock::new();
/// True with `--verbose`: report inputs, and add codes to text diagnostics.
static VERBOSE: OnceLock<bool> = OnceLock::new();

/// Sets the diagnostics form when the arguments cannot be read.
pub(crate) fn set_form(form: DiagnosticsForm) {
    let _ = FORM.set(form);
}

/// Sets the form for everything written from now on.
pub(crate) fn configure(arguments: &Arguments) {
    // Only the first call has an effect, and there is only one.
    let _ = FORM.set(arguments.diagnostics);
    paint::configure(arguments.color);
    let _ = QUIET.set(arguments.quiet);
    let _ = VERBOSE.set(arguments.verbose);
}

pub(crate) fn is_quiet() -> bool {
    QUIET.get().copied().unwrap_or_default()
}

fn is_verbose() -> bool {
    VERBOSE.get().copied().unwrap_or_default()
}

/// Reports what the command uses, with `--verbose`.
///
/// Without it, the message is not computed.
pub(crate) fn detail(message: impl FnOnce() -> String) {
    if is_verbose() {
        report(&kinds::DETAIL.diagnostic(message()));
    }
}

/// Reports diagnostics on stderr.
pub(crate) fn report_all(diagnostics: impl IntoIterator<Item = impl Into<Diagnostic>>) {
    for diagnostic in diagnostics {
        report(&diagnostic.into());
    }
}

/// Reports a diagnostic on stderr. Ignores failures to write to stderr.
///
/// ```text
/// aside: warning: CLAUDE.md:1: import of docs/gone.md: import names no file [import-not-found]
/// {"severity":"warning","code":"import-not-found","path":"CLAUDE.md","line":1,"message":"…"}
/// ```
///
/// The code in brackets is printed only with `--verbose`.
pub(crate) fn report(diagnostic: &Diagnostic) {
    if is_quiet() && diagnostic.severity < Severity::Error {
        return;
    }
    let line = match FORM.get() {
        Some(DiagnosticsForm::Json) => {
            let json = serde_json::to_string(diagnostic).unwrap_or_default();
            terminal_json(&json).into_owned()
        }
        _ => {
            let message = diagnostic.without_severity();
            let severity = severity(diagnostic.severity);
            let code = if is_verbose() {
                format!(" [{}]", diagnostic.code.as_str())
            } else {
                String::new()
            };
            format!("aside: {severity}: {message}{code}")
        }
    };
    report_line(&line);
}

/// Writes a line to stderr. On a terminal it is wrapped to fit; otherwise it
/// stays one line.
fn report_line(line: &str) {
    let is_text = !matches!(FORM.get(), Some(DiagnosticsForm::Json));
    let line = &if is_text { without_ci_commands(line) } else { line.into() };
    match screen::terminal().filter(|_| is_text && io::stderr().is_terminal()) {
        Some(width) => write_line(&screen::fit(line, width)),
        None => write_line(line),
    }
}

/// Writes a line to stderr at once: a program that the command started may write there, too.
fn write_line(line: &str) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

fn severity(severity: Severity) -> String {
    let word = severity.to_string();
    match severity {
        Severity::Error => Paint::of_stderr().text(Tone::Fault, &word),
        Severity::Warning => Paint::of_stderr().text(Tone::Warning, &word),
        Severity::Note => word,
    }
}

/// Writes a JSON line to stderr, whatever the diagnostics form is.
#[cfg(feature = "network")]
pub(crate) fn json_line(value: &impl Serialize) {
    let json = serde_json::to_string(value).unwrap_or_default();
    write_line(&terminal_json(&json));
}

/// Writes a page to open in a browser, and reports its path on stderr.
pub(crate) fn page(file: &Path, page: &str) -> anyhow::Result<()> {
    output_file::write(file, page)?;
    progress("page", &file.display().to_string());
    Ok(())
}

/// Reports the command's progress on stderr.
///
/// `kind` names the step: `aside: tool: Read src/lib.rs`. In JSON this is a
/// `progress` diagnostic, whose message begins with the step.
pub(crate) fn progress(kind: &str, message: &str) {
    if is_quiet() {
        return;
    }
    if let Some(DiagnosticsForm::Json) = FORM.get() {
        let message = format!("{kind}: {message}");
        report(&kinds::PROGRESS.diagnostic(message));
    } else {
        let kind = match kind {
            "miss" | "refused" | "denied" => Paint::of_stderr().text(Tone::Fault, kind),
            _ => kind.to_owned(),
        };
        let message = highlight::note(&one_line(message), Paint::of_stderr());
        report_line(&format!("aside: {kind}: {message}"));
    }
}
