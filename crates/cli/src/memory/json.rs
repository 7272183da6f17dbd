//! The form for machines. It is stable: keys are added, never changed.

use std::borrow::Cow;
use std::path::Path;

use aside_claudemd::{MemoryFile, Severity};
use serde::Serialize;

use super::report::{Report, tokens};

#[derive(Serialize)]
struct Document<'a> {
    files: Vec<File<'a>>,
    skipped: Vec<Skipped<'a>>,
    not_loaded: Vec<NotLoaded<'a>>,
    searched: Vec<Cow<'a, str>>,
    diagnostics: Vec<Diagnostic<'a>>,
}

/// Paths are text: what is not UTF-8 in one is replaced.
#[derive(Serialize)]
struct File<'a> {
    path: Cow<'a, str>,
    kind: &'a str,
    rule: bool,
    reason: &'a str,
    parent: Option<Cow<'a, str>>,
    globs: &'a [String],
    trigger: Option<Cow<'a, str>>,
    bytes: usize,
    tokens: u64,
    differs_from_disk: bool,
}

#[derive(Serialize)]
struct Skipped<'a> {
    path: Cow<'a, str>,
    reason: &'a str,
}

#[derive(Serialize)]
struct NotLoaded<'a> {
    path: Cow<'a, str>,
    reason: &'a str,
    detail: String,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    severity: &'a str,
    /// None where the message names it.
    path: Option<Cow<'a, str>>,
    line: Option<usize>,
    message: Cow<'a, str>,
}

pub(super) fn render(report: &Report<'_>) -> Result<String, serde_json::Error> {
    let skipped = report.memory.skipped().iter().map(|skipped| Skipped {
        path: text(&skipped.path),
        reason: skipped.reason.as_str(),
    });
    let not_loaded = report.unloaded.files.iter().map(|unloaded| NotLoaded {
        path: text(&unloaded.path),
        reason: unloaded.reason.as_str(),
        detail: unloaded.reason.to_string(),
    });
    let searched = report.unloaded.searched.iter().map(|dir| text(dir));
    let document = Document {
        files: report.files().map(file).collect(),
        skipped: skipped.collect(),
        not_loaded: not_loaded.collect(),
        searched: searched.collect(),
        diagnostics: diagnostics(report),
    };
    let mut json = serde_json::to_string_pretty(&document)?;
    json.push('\n');
    Ok(json)
}

fn file(file: &MemoryFile) -> File<'_> {
    File {
        path: text(&file.path),
        kind: file.kind.as_str(),
        rule: file.rule,
        reason: file.reason.as_str(),
        parent: file.parent.as_deref().map(text),
        globs: &file.globs,
        trigger: file.trigger.as_deref().map(text),
        bytes: file.bytes,
        tokens: tokens(file).tokens(),
        differs_from_disk: file.differs_from_disk,
    }
}

fn diagnostics<'a>(report: &Report<'a>) -> Vec<Diagnostic<'a>> {
    let of_settings = report.faults.iter().map(|fault| Diagnostic {
        severity: Severity::Warning.as_str(),
        path: None,
        line: None,
        message: fault.to_string().into(),
    });
    let of_memory = report.memory.diagnostics().iter().map(|fault| Diagnostic {
        severity: fault.severity.as_str(),
        path: Some(text(&fault.path)),
        line: fault.line,
        message: fault.message.as_str().into(),
    });
    of_settings.chain(of_memory).collect()
}

fn text(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}
