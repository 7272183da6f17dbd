use std::path::{Path, PathBuf};

use crate::markdown::Markdown;
use crate::platform::ImportTarget;
use crate::read::{self, Target};
use crate::{Dirs, Platform};

/// What may stand directly behind a path without being part of it.
const PUNCTUATION: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '"'];
/// How many ways to read the end of a path are tried.
const READINGS: usize = 8;

/// A place in a Markdown text that imports a file, or looks as if it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The path as written: without the `@`, the fragment, the backslashes
    /// before spaces, and the punctuation behind it.
    pub path: String,
    /// The line it is on, 1-based.
    pub line: usize,
    /// The path with the punctuation, of which some may belong to it.
    full: String,
}

/// Everything in a Markdown text (without front matter) that has the form of
/// an import: `@path` at the start of a line or behind white space, not in
/// code and not in a comment. `@decorator` and `@org/package` have it too.
///
/// Empty where quotes and lists open more than 200 columns deep.
pub fn scan_imports(markdown: &str) -> Vec<Import> {
    match Markdown::of(markdown) {
        Ok(parts) => scan(markdown, &parts),
        Err(_) => Vec::new(),
    }
}

/// The imports of a Markdown text, front matter and all, that is a file in
/// the directory `dir`: what has the form of an import and either is written
/// like a path (`./a`, `~/a`, `/a`, `a.md`) or names something that exists.
pub fn imports(markdown: &str, dir: &Path, dirs: &Dirs) -> Vec<Import> {
    let (body, first_line) = match aside_user_files::split(markdown) {
        Ok(document) => (document.body(), document.body_line()),
        Err(_) => (markdown, 1),
    };
    let mut imports = scan_imports(body);
    imports.retain_mut(|import| {
        import.line += first_line - 1;
        import.is_written_like_a_path()
            || import
                .readings(dir, dirs.home.as_deref(), Platform::CURRENT)
                .iter()
                .any(|path| read::target(path) != Target::Nothing)
    });
    imports
}

pub(crate) fn scan(text: &str, parts: &Markdown) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut opaque = parts.opaque.iter().peekable();
    let (mut line, mut counted) = (1, 0);
    // Where the last path ended: spaces can be part of one, with an `@` behind.
    let mut taken = 0;
    for (at, _) in text.match_indices('@') {
        while opaque.next_if(|range| range.end <= at).is_some() {}
        let end = opaque.peek().map_or(text.len(), |range| range.start);
        let before = text[..at].chars().next_back();
        if at < taken || end <= at || !before.is_none_or(char::is_whitespace) {
            continue;
        }
        let written = &text[at + 1..end];
        let length = length(written);
        taken = at + 1 + length;
        if let Some((path, full)) = path(&written[..length]) {
            line += text[counted..at].matches('\n').count();
            counted = at;
            imports.push(Import { path, line, full });
        }
    }
    imports
}

/// How long the path at the start of `text` is: up to white space that no
/// backslash makes part of it.
fn length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.find(|c: char| {
        let ends = c.is_whitespace() && !(escaped && c == ' ');
        escaped = c == '\\';
        ends
    });
    end.unwrap_or(text.len())
}

/// The path that is written so, without and with the punctuation behind it.
fn path(written: &str) -> Option<(String, String)> {
    let (written, _) = written.split_once('#').unwrap_or((written, ""));
    let full = written.replace("\\ ", " ");
    let mut first = full.chars();
    let possible = match first.next()? {
        '~' => full == "~" || matches!(first.next(), Some('/' | '\\')),
        '/' => first.next().is_some_and(|c| c != '/'),
        c => c.is_alphanumeric() || matches!(c, '.' | '_' | '-'),
    };
    let path = full.trim_end_matches(PUNCTUATION);
    let says_something = path.contains(|c: char| c.is_alphanumeric() || c == '_' || c == '~');
    (possible && says_something).then(|| (path.to_owned(), full.clone()))
}

impl Import {
    /// Whether it is meant as a file, there or not. Other words with an `@`
    /// are imports only where such a file exists.
    pub fn is_written_like_a_path(&self) -> bool {
        let path = self.path.as_str();
        let starts = ["./", "../", "~/", "/"];
        let endings = [
            "md", "markdown", "mdc", "mdx", "txt", "rst", "json", "yaml", "yml", "toml",
        ];
        let ending = path.rsplit_once('.').map(|(_, ending)| ending);
        starts.iter().any(|start| path.starts_with(start))
            || ending.is_some_and(|ending| endings.contains(&ending))
    }

    /// The files that may be meant, most likely first.
    pub(crate) fn readings(
        &self,
        dir: &Path,
        home: Option<&Path>,
        platform: Platform,
    ) -> Vec<PathBuf> {
        let mut written = vec![self.full.as_str()];
        let mut rest = self.full.as_str();
        while rest.len() > self.path.len() && written.len() < READINGS - 1 {
            rest = &rest[..rest.len() - 1];
            written.push(rest);
        }
        if rest.len() > self.path.len() {
            written.push(&self.path);
        }
        let absolute = |path| match platform.import_target(path) {
            ImportTarget::Home(path) => Some(home?.join(path)),
            ImportTarget::Absolute(path) => Some(PathBuf::from(path)),
            ImportTarget::Relative(path) => Some(dir.join(path)),
        };
        written.into_iter().filter_map(absolute).collect()
    }
}
