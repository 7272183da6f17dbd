//! `aside memory --json`. The form is stable: keys are added, never changed.
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

/// The whole output.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    /// The loaded files in the order of the request, then those of each `--touch`.
    files: Vec<File<'a>>,
    /// Files that were found or imported, and left out, in the order of discovery.
    skipped: Vec<Skipped<'a>>,
    /// Files that exist and are not loaded, including the skipped ones.
    not_loaded: Vec<NotLoaded<'a>>,
    /// The directories that were searched for files.
    searched: Vec<Cow<'a, str>>,
    /// Faults of the settings, then those of the files.
    diagnostics: Vec<&'a Diagnostic>,
}

/// A loaded file. Paths are text: bytes that are not UTF-8 are replaced.
#[derive(Serialize)]
struct File<'a> {
    /// The absolute path.
    path: Cow<'a, str>,
    /// Its owner: `managed`, `user`, `project`, `local` or `auto_memory`.
    kind: &'a str,
    /// The block of the first message that has the file in the layered layout: `project`
    /// or `user`; `null` for a file that loads later.
    block: Option<&'a str>,
    /// True if it is a rule, which may apply to some paths only.
    rule: bool,
    /// Why it is loaded, such as `session_start` or `include`.
    reason: &'a str,
    /// The file that imports it.
    parent: Option<Cow<'a, str>>,
    /// The patterns of paths for which a rule applies; empty for all.
    globs: &'a [String],
    /// The file of `--touch` that loaded it.
    trigger: Option<Cow<'a, str>>,
    /// The length of its text, as the model gets it.
    bytes: usize,
    /// The estimated tokens of that text.
    tokens: u64,
    /// True if that text is not that of the file: front matter or comments were removed,
    /// white space trimmed, or a long file truncated.
    differs_from_disk: bool,
}

/// A file that was left out.
#[derive(Serialize)]
struct Skipped<'a> {
    path: Cow<'a, str>,
    /// Such as `empty` or `not_found`.
    reason: &'a str,
}

/// A file that exists and is not loaded.
#[derive(Serialize)]
struct NotLoaded<'a> {
    path: Cow<'a, str>,
    /// Such as `below_working_directory`.
    reason: &'a str,
    /// The reason as a sentence.
    detail: String,
}

/// Returns the document.
pub(super) fn document<'a>(report: &'a Report<'_>) -> Document<'a> {
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
    Document {
        files: report.files().map(|it| file(report, it)).collect(),
        skipped: skipped.collect(),
        not_loaded: not_loaded.collect(),
        searched: searched.collect(),
        diagnostics: diagnostics.collect(),
    }
}

/// Returns a loaded file in the form of the output.
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

/// Returns a path as text.
fn text(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}
