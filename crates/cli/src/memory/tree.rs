//! Prints `aside memory` as a tree.
//!
//! ```text
//! Loaded in /home/alex/app
//! ├─ CLAUDE.md  project, session_start, project block  812 bytes, ~203 tokens
//! │  └─ docs/style.md  project, include, project block  90 bytes, ~22 tokens
//! └─ CLAUDE.local.md  local, session_start, user block  31 bytes, ~8 tokens
//!
//! 3 files, 933 bytes, ~233 tokens
//! ```
//!
//! Sections without a line are left out. Files from outside may have any name,
//! so each is escaped to one line.

use std::collections::HashSet;
use std::path::Path;

use aside_cache_split::Layout;
use aside_claudemd::{MemoryFile, Skipped};
use aside_diagnostic::{Diagnostic, Severity};
use aside_messages::TokenEstimate;
use aside_text::{columns, one_line};

use super::report::Report;
use crate::count::count;
use crate::paint::{Paint, Tone};
use crate::screen;

/// A tree node, and the nodes below it.
struct Node {
    /// Its line's texts, coloured and escaped. A text that does not fit goes to
    /// the next line.
    cells: Vec<String>,
    /// What the file imports, in order.
    below: Vec<Node>,
}

impl Node {
    fn new(cells: Vec<String>) -> Self {
        Self { cells, below: Vec::new() }
    }
}

/// Returns the sections `Loaded in …`, one `Loaded when … is read` per touch,
/// `Not loaded`, `Searched` (only when nothing was found) and `Diagnostics`,
/// then the total.
///
/// A section is a title, its lines with branches, and an empty line:
///
/// ```text
/// Loaded when web/x.rs is read
/// └─ web/CLAUDE.md  project, nested_traversal  120 bytes, ~31 tokens
/// ```
pub(super) fn render(report: &Report<'_>, paint: Paint) -> String {
    let mut out = String::new();
    let title = format!("Loaded in {}", shown(report.cwd));
    let at_start = imports_below(report, report.start(), paint);
    section(&mut out, &title, at_start, paint);
    for touched in report.touched {
        let title = format!("Loaded when {} is read", shown(&touched.path));
        let mut files = imports_below(report, &touched.files, paint);
        if files.is_empty() {
            files.push(Node::new(vec![paint.text(Tone::Faint, "nothing more")]));
        }
        section(&mut out, &title, files, paint);
    }
    section(&mut out, "Not loaded", not_loaded(report, paint), paint);
    if report.files().next().is_none() {
        let searched = report.unloaded.searched.iter().map(|dir| Node::new(vec![shown(dir)]));
        section(&mut out, "Searched", searched.collect(), paint);
    }
    section(&mut out, "Diagnostics", other_diagnostics(report, paint), paint);
    out.push_str(&total(report));
    out
}

/// Appends a section with its title; nothing when it has no line.
fn section(out: &mut String, title: &str, nodes: Vec<Node>, paint: Paint) {
    if nodes.is_empty() {
        return;
    }
    out.push_str(&paint.text(Tone::Strong, title));
    out.push('\n');
    write_nodes(out, "", &nodes, paint);
    out.push('\n');
}

/// Appends the lines with their branches. `indent` comes from the level above.
fn write_nodes(out: &mut String, indent: &str, nodes: &[Node], paint: Paint) {
    for (index, node) in nodes.iter().enumerate() {
        let is_last = index + 1 == nodes.len();
        let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let guides = format!("{indent}{branch}");
        out.push_str(&paint.text(Tone::Faint, &guides));
        let mut column = columns(&guides);
        for (index, cell) in node.cells.iter().enumerate() {
            let gap = if index == 0 { 0 } else { 2 };
            if index > 0 && column + gap + columns(cell) > screen::width() {
                let guides = format!("{indent}{below}  ");
                out.push('\n');
                out.push_str(&paint.text(Tone::Faint, &guides));
                column = columns(&guides);
            } else {
                out.push_str(&" ".repeat(gap));
                column += gap;
            }
            out.push_str(cell);
            column += columns(cell);
        }
        out.push('\n');
        write_nodes(out, &format!("{indent}{below}"), &node.below, paint);
    }
}

/// Returns the files as a tree. In load order, a file directly follows the file
/// that imports it, or this file's earlier imports; so the next file's parents
/// are on the path to the last one.
///
/// When a file's importer is not on this path, the file is a root, and its line
/// names the importer.
fn imports_below<'a>(
    report: &Report<'_>,
    files: impl IntoIterator<Item = &'a MemoryFile>,
    paint: Paint,
) -> Vec<Node> {
    let mut roots: Vec<Node> = Vec::new();
    // Files from a root down to the last one.
    let mut open: Vec<&Path> = Vec::new();
    for file in files {
        let parent = file.parent.as_deref();
        let above = parent.and_then(|parent| open.iter().rposition(|path| *path == parent));
        let depth = above.map_or(0, |at| at + 1);
        open.truncate(depth);
        let mut level = &mut roots;
        for _ in 0..depth {
            level = &mut level.last_mut().expect("an open file has a node").below;
        }
        let mut cells = file_cells(report, file, paint);
        // The importing file may have been loaded before.
        if let (Some(parent), None) = (parent, above) {
            let origin = format!("imported by {}", report.shown(parent));
            cells.push(paint.text(Tone::Faint, &origin));
        }
        level.push(Node::new(cells));
        open.push(&file.path);
    }
    roots
}

/// Returns a file's cells: path, owner and reason, a rule's patterns, and size.
///
/// The block is where the first message has it, so a file that loads later has
/// none, and there are none in the classic layout:
///
/// ```text
/// CLAUDE.md  project, session_start, project block  812 bytes, ~203 tokens
/// rules/ts.md  project rule, path_glob_match  paths *.ts  90 bytes, ~22 tokens, differs from disk
/// ```
fn file_cells(report: &Report<'_>, file: &MemoryFile, paint: Paint) -> Vec<String> {
    let rule = if file.rule { " rule" } else { "" };
    let block = match file.trigger {
        // It is sent when the model reads a file.
        Some(_) => String::new(),
        None if report.layout == Some(Layout::Classic) => String::new(),
        None => format!(", {} block", file.kind.block().as_str()),
    };
    let kind = format!("{}{rule}, {}{block}", file.kind.as_str(), file.reason.as_str());
    let (bytes, tokens) = report.size(file);
    let mut size = sizes(bytes, tokens);
    if file.differs_from_disk {
        size.push_str(", differs from disk");
    }
    let mut cells = vec![report.shown(&file.path), paint.text(Tone::Kind, &kind)];
    if !file.globs.is_empty() {
        let globs: Vec<_> = file.globs.iter().map(|glob| one_line(glob)).collect();
        cells.push(format!("paths {}", globs.join(" ")));
    }
    cells.push(paint.text(Tone::Faint, &size));
    cells
}

/// Returns files that exist but are not loaded: skipped ones with their
/// importers, then the others, then a line when the search was cut off.
fn not_loaded(report: &Report<'_>, paint: Paint) -> Vec<Node> {
    let skipped = || report.memory.skipped().iter();
    let mut nodes: Vec<_> = skipped().map(|it| skipped_line(report, it, paint)).collect();
    let skipped: HashSet<_> = skipped().map(|it| &it.path).collect();
    let others = report.unloaded.files.iter().filter(|it| !skipped.contains(&it.path));
    nodes.extend(others.map(|unloaded| {
        let reason = one_line(&unloaded.reason.to_string()).into_owned();
        Node::new(vec![report.shown(&unloaded.path), paint.text(Tone::Faint, &reason)])
    }));
    if report.unloaded.is_cut {
        let more = paint.text(Tone::Warning, "more directories below were not searched");
        nodes.push(Node::new(vec![more]));
    }
    nodes
}

/// Returns a skipped file's line, with the file and line that import it.
fn skipped_line(report: &Report<'_>, skipped: &Skipped, paint: Paint) -> Node {
    let reason = one_line(&skipped.reason.to_string()).into_owned();
    let mut cells = vec![report.shown(&skipped.path), paint.text(Tone::Warning, &reason)];
    if let Some(parent) = &skipped.parent {
        let at = skipped.line.map(|line| format!(":{line}")).unwrap_or_default();
        let origin = format!("imported by {}{at}", report.shown(parent));
        cells.push(paint.text(Tone::Faint, &origin));
    }
    Node::new(cells)
}

/// Returns all diagnostics, except those for skipped files.
fn other_diagnostics(report: &Report<'_>, paint: Paint) -> Vec<Node> {
    let skips: HashSet<_> = report.memory.skipped().iter().map(Skipped::diagnostic).collect();
    let others = report.memory.diagnostics().iter().filter(|it| !skips.contains(it));
    let node = |diagnostic: &Diagnostic| {
        let tone = match diagnostic.severity {
            Severity::Note => Tone::Faint,
            Severity::Warning | Severity::Error => Tone::Warning,
        };
        Node::new(vec![paint.text(tone, &diagnostic.without_severity().to_string())])
    };
    report.faults.iter().chain(others).map(node).collect()
}

/// Returns the last line: `3 files, 933 bytes, ~233 tokens`.
fn total(report: &Report<'_>) -> String {
    let (bytes, tokens): (Vec<_>, Vec<_>) = report.files().map(|it| report.size(it)).unzip();
    let (bytes, tokens) = (bytes.into_iter().sum(), tokens.into_iter().sum());
    let files = count(report.files().count() as u64, "file", "files");
    format!("{files}, {}\n", sizes(bytes, tokens))
}

/// Returns a size as `812 bytes, ~203 tokens`.
fn sizes(bytes: usize, tokens: TokenEstimate) -> String {
    let bytes = count(bytes as u64, "byte", "bytes");
    format!("{bytes}, ~{}", count(tokens.tokens(), "token", "tokens"))
}

impl Report<'_> {
    /// Returns a path to show on a terminal, relative to the session's
    /// directory.
    fn shown(&self, path: &Path) -> String {
        shown(path.strip_prefix(self.cwd).unwrap_or(path))
    }
}

/// Returns a path to show on a terminal.
fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}
