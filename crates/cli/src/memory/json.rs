//! `aside memory --json`. You can rely on this form: keys are added, never
//! changed.
//!
//! ```json
//! {"files": [{"path": "/home/alex/app/CLAUDE.md", "kind": "project", "block": "project",
//!             "rule": false, "reason": "session_start", "parent": null, "globs": [],
//!             "trigger": null, "bytes": 812, "tokens": 203, "differs_from_disk": false}],
//!  "skipped": [{"path": "/home/alex/app/CLAUDE.local.md", "reason": "empty"}],
//!  "not_loaded": [{"path": "/home/alex/app/web/CLAUDE.md", "reason": "below_working_directory",
//!                  "detail": "loads when a file in its directory is read"}],
//!  "searched": ["/etc/claude-code", "/home/alex/app"],
//!  "diagnostics": []}
//! ```

use std::borrow::Cow;
use std::path::Path;

use aside_claudemd::MemoryFile;
use aside_diagnostic::Diagnostic;
use serde::Serialize;

use super::report::Report;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    /// The loaded files in request order, then those from each `--touch`.
    files: Vec<File<'a>>,
    /// Files found or imported, but left out, in the order they were found.
    skipped: Vec<Skipped<'a>>,
    /// Files that exist but are not loaded, including the skipped ones.
    not_loaded: Vec<NotLoaded<'a>>,
    /// Which directories were searched.
    searched: Vec<Cow<'a, str>>,
    /// Faults in the settings, then in the files.
    diagnostics: Vec<&'a Diagnostic>,
}

/// A loaded file. Paths are text: bytes that are not UTF-8 are replaced.
#[derive(Serialize)]
struct File<'a> {
    /// The absolute path.
    path: Cow<'a, str>,
    /// Its owner: `managed`, `user`, `project`, `local` or `auto_memory`.
    kind: &'a str,
    /// Which block in the first message contains the file, in the layered
    /// layout: `project` or `user`; `null` when the file loads later.
    block: Option<&'a str>,
    /// True for a rule, which may apply to some paths only.
    rule: bool,
    /// Why it is loaded, such as `session_start` or `include`.
    reason: &'a str,
    /// Which file imports it.
    parent: Option<Cow<'a, str>>,
    /// Path patterns that a rule applies to; empty for all.
    globs: &'a [String],
    /// Which `--touch` file loaded it.
    trigger: Option<Cow<'a, str>>,
    /// How long its text is, as the model gets it.
    bytes: usize,
    /// The text's estimated tokens.
    tokens: u64,
    /// True when this text differs from the file: front matter or comments were
    /// removed, white space trimmed, or a long file truncated.
    differs_from_disk: bool,
}

/// A file that was left out.
#[derive(Serialize)]
struct Skipped<'a> {
    path: Cow<'a, str>,
    /// Such as `empty` or `not_found`.
    reason: &'a str,
}

/// A file that exists but is not loaded.
#[derive(Serialize)]
struct NotLoaded<'a> {
    path: Cow<'a, str>,
    /// Such as `below_working_directory`.
    reason: &'a str,
    /// The reason as a sentence.
    detail: String,
}

pub(super) fn document<'a>(report: &'a Report<'_>) -> Document<'a> {
    let skipped = report
        .memory
        .skipped()
        .iter()
        .map(|skipped| Skipped { path: text(&skipped.path), reason: skipped.reason.as_str() });
    let not_loaded = report.unloaded.files.iter().map(|unloaded| NotLoaded {
        path: text(&unloaded.path),
        reason: unloaded.reason.as_str(),
        detail: unloaded.reason.to_string(),
    });
    let searched = report.unloaded.searched.iter().map(|dir| text(dir));
    let of_memory = report.memory.diagnostics();
    let diagnostics = report.faults.iter().chain(of_memory);
    Document {
        files: report.files().map(|it| file(report, it)).collect(),
        skipped: skipped.collect(),
        not_loaded: not_loaded.collect(),
        searched: searched.collect(),
        diagnostics: diagnostics.collect(),
    }
}

fn file<'a>(report: &Report<'_>, file: &'a MemoryFile) -> File<'a> {
    let (bytes, tokens) = report.size(file);
    File {
        path: text(&file.path),
        kind: file.kind.as_str(),
        block: file.trigger.is_none().then(|| file.kind.block().as_str()),
        rule: file.rule,
        reason: file.reason.as_str(),
        parent: file.parent.as_deref().map(text),
        globs: &file.globs,
        trigger: file.trigger.as_deref().map(text),
        bytes,
        tokens: tokens.tokens(),
        differs_from_disk: file.differs_from_disk,
    }
}

fn text(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}
