use std::path::Path;

use anyhow::{Context, anyhow};
use aside_reminder::{Diagnostic, Loaded, Severity, Source, advice, load_paths};
use aside_text::one_line;
use serde::Serialize;

use super::{Told, loader};
use crate::Failure;
use crate::arguments::CheckReminders;
use crate::output;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    diagnostics: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    path: String,
    line: Option<usize>,
    message: &'a str,
    severity: &'static str,
}

pub(super) fn run(arguments: &CheckReminders) -> Result<(), Failure> {
    let mut diagnostics = Vec::new();
    let loader = loader(&arguments.everywhere)?;
    if arguments.paths.is_empty() {
        let loaded = loader.load();
        if is_empty(&loaded) {
            output::say("note", "there are no files of reminders");
        }
        diagnostics.extend(told(loaded));
    }
    for path in &arguments.paths {
        is_there(path).map_err(Failure::usage)?;
    }
    for (path, loaded) in arguments.paths.iter().zip(load_paths(&arguments.paths)) {
        if is_empty(&loaded) && path.is_dir() {
            output::say("note", &none_in(path));
        }
        diagnostics.extend(told(loaded));
    }
    let report = if arguments.json {
        json(&diagnostics)?
    } else {
        lines(&diagnostics)
    };
    output::print([report.as_bytes()])?;
    let faults = diagnostics
        .iter()
        .filter(|it| it.severity > Severity::Note)
        .count();
    match faults {
        0 => Ok(()),
        1 => Err(anyhow!("1 fault").into()),
        _ => Err(anyhow!("{faults} faults").into()),
    }
}

fn is_there(path: &Path) -> anyhow::Result<()> {
    std::fs::symlink_metadata(path)
        .map(drop)
        .with_context(|| format!("failed to read {}", path.display()))
}

fn is_empty(loaded: &Loaded) -> bool {
    loaded.reminders.is_empty() && loaded.diagnostics.is_empty()
}

fn none_in(directory: &Path) -> String {
    let inner = directory.join("reminders");
    let hint = match inner.is_dir() {
        true => format!("; those of a session are in {}", inner.display()),
        false => String::new(),
    };
    let directory = directory.display();
    format!("{directory}: no file of a reminder, which ends in .md, .yaml or .yml{hint}")
}

/// What was told while reading, and what may not have been meant.
fn told(loaded: Loaded) -> Vec<Diagnostic> {
    let mut diagnostics = loaded.diagnostics;
    for reminder in &loaded.reminders {
        if let (Some(advice), Source::Plugin { path }) = (advice(reminder), &reminder.source) {
            diagnostics.push(Diagnostic {
                severity: Severity::Note,
                path: path.clone(),
                line: Some(1),
                message: advice.to_owned(),
            });
        }
    }
    diagnostics
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    let line = |diagnostic: &Diagnostic| {
        let note = match diagnostic.severity {
            Severity::Note => " (note)",
            Severity::Warning | Severity::Error => "",
        };
        format!("{}\n", one_line(&format!("{diagnostic}{note}")))
    };
    diagnostics.iter().map(line).collect()
}

fn json(diagnostics: &[Diagnostic]) -> Result<String, serde_json::Error> {
    let mut json = serde_json::to_string_pretty(&Report {
        diagnostics: diagnostics.iter().map(finding).collect(),
    })?;
    json.push('\n');
    Ok(json)
}

fn finding(diagnostic: &Diagnostic) -> Finding<'_> {
    let Told {
        path,
        line,
        message,
    } = Told::from(diagnostic);
    let severity = match diagnostic.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    Finding {
        path,
        line,
        message,
        severity,
    }
}
