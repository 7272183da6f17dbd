//! `aside reminders check`: faults in reminder files, and advice on valid ones.
//!
//! ```text
//! .aside/reminders/a.md:3: unknown key "intervall" is ignored: did you mean interval?
//! ```
//!
//! Without paths, this checks a session's files. Notes fail nothing; errors and
//! warnings lead to exit code 1. When a path does not exist, this is a usage
//! error.

use std::path::Path;

use anyhow::Context;
use aside_reminder::{Diagnostic, Loaded, Severity, advice};
use serde::Serialize;

use super::loader;
use crate::Failure;
use crate::arguments::CheckReminders;
use crate::count::fail_on;
use crate::kinds;
use crate::output;

/// What `--json` prints.
///
/// `{"diagnostics": [{"severity": "warning", "code": "…", "path": "…", "line": 3, "message": "…"}]}`
#[derive(Serialize)]
struct Report<'a> {
    /// Faults and advice, by file.
    diagnostics: &'a [Diagnostic],
}

/// Checks the files, prints what it finds on stdout, and fails when a
/// diagnostic is more severe than a note.
pub(super) fn run(arguments: &CheckReminders) -> Result<(), Failure> {
    let mut diagnostics = Vec::new();
    let loader = loader(&arguments.common)?;
    if arguments.paths.is_empty() {
        let loaded = loader.load();
        if is_empty(&loaded) {
            let message = "no reminder file was found";
            output::report(&kinds::NO_REMINDER_FILES.diagnostic(message));
        }
        diagnostics.extend(findings(loaded));
    }
    for path in &arguments.paths {
        is_there(path).map_err(Failure::usage)?;
    }
    let loaded = loader.load_paths(&arguments.paths);
    for (path, loaded) in arguments.paths.iter().zip(loaded) {
        if is_empty(&loaded) && path.is_dir() {
            let message = none_in(path);
            output::report(&kinds::NO_REMINDER_FILES.diagnostic(message).at(path));
        }
        diagnostics.extend(findings(loaded));
    }
    if arguments.json {
        output::json(&Report { diagnostics: &diagnostics })?;
    } else if diagnostics.is_empty() {
        output::text("no faults\n")?;
    } else {
        output::lines(&lines(&diagnostics))?;
    }
    let faults = diagnostics.iter().filter(|it| it.severity > Severity::Note).count();
    fail_on(faults as u64, "fault", "faults")
}

/// Fails when nothing has this path. A broken link counts as existing.
fn is_there(path: &Path) -> anyhow::Result<()> {
    std::fs::symlink_metadata(path)
        .map(drop)
        .with_context(|| format!("failed to read {}", path.display()))
}

/// Returns true when there were no files: a file yields a reminder or a
/// diagnostic.
fn is_empty(loaded: &Loaded) -> bool {
    loaded.reminders.is_empty() && loaded.diagnostics.is_empty()
}

/// Returns what to print for a directory without files, with a hint when the
/// user meant its `reminders` directory.
fn none_in(directory: &Path) -> String {
    let inner = directory.join("reminders");
    let hint = if inner.is_dir() {
        format!("; those of a session are in {}", inner.display())
    } else {
        String::new()
    };
    format!("no file in it ends in .md, .yaml or .yml{hint}")
}

/// Returns diagnostics for the files, and advice on valid ones.
fn findings(loaded: Loaded) -> Vec<Diagnostic> {
    let mut diagnostics = loaded.diagnostics;
    diagnostics.extend(loaded.reminders.iter().filter_map(advice));
    diagnostics
}

/// Returns a line per diagnostic; a note is marked as one.
fn lines(diagnostics: &[Diagnostic]) -> String {
    let line = |diagnostic: &Diagnostic| {
        let note = match diagnostic.severity {
            Severity::Note => " (note)",
            Severity::Warning | Severity::Error => "",
        };
        format!("{}{note}\n", diagnostic.without_severity())
    };
    diagnostics.iter().map(line).collect()
}
