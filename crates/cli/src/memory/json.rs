//! The form for machines. It is stable: keys are added, never changed.

use std::borrow::Cow;
use std::path::Path;

use aside_claudemd::MemoryFile;
use aside_diagnostic::Diagnostic;
use serde::Serialize;

use super::report::Report;

#[derive(Serialize)]
struct Document<'a> {
    files: Vec<File<'a>>,
    skipped: Vec<Skipped<'a>>,
    not_loaded: Vec<NotLoaded<'a>>,
    searched: Vec<Cow<'a, str>>,
    diagnostics: Vec<&'a Diagnostic>,
}

/// A file. Paths are text: bytes that are not UTF-8 are replaced.
#[derive(Serialize)]
struct File<'a> {
    path: Cow<'a, str>,
    kind: &'a str,
    /// Of the first message, in the layered layout.
    block: Option<&'a str>,
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
    let of_memory = report.memory.diagnostics();
    let diagnostics = report.faults.iter().chain(of_memory);
    let document = Document {
        files: report.files().map(|it| file(report, it)).collect(),
        skipped: skipped.collect(),
        not_loaded: not_loaded.collect(),
        searched: searched.collect(),
        diagnostics: diagnostics.collect(),
    };
    let mut json = serde_json::to_string_pretty(&document)?;
    json.push('\n');
    Ok(json)
}

fn file<'a>(report: &Report<'_>, file: &'a MemoryFile) -> File<'a> {
    File {
        path: text(&file.path),
        kind: file.kind.as_str(),
        block: file.trigger.is_none().then(|| file.kind.block().as_str()),
        rule: file.rule,
        reason: file.reason.as_str(),
        parent: file.parent.as_deref().map(text),
        globs: &file.globs,
        trigger: file.trigger.as_deref().map(text),
        bytes: file.bytes,
        tokens: report.tokens(file).tokens(),
        differs_from_disk: file.differs_from_disk,
    }
}

fn text(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}
