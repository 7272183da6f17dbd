//! Imports: `@path` in an instruction file's text, outside code and comments.
//!
//! Most words with an `@` are no imports, so a word that is not written like a
//! path counts only if the file exists.

use std::path::{Path, PathBuf};

use crate::operating_system::ImportTarget;
use crate::read::{self, Target};
use crate::render::markdown::Markdown;
use crate::{Dirs, OperatingSystem};

/// Characters after a path that may or may not be part of it.
const PUNCTUATION: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '"'];
/// How many ways to try to read the end of a path.
const MAX_READINGS: usize = 8;

/// An `@path` in a Markdown text that is, or looks like, an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The path as written: without the `@`, the fragment, the backslashes
    /// before spaces, and the punctuation after it.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The path with the punctuation, which may be part of it.
    full: String,
}

/// Returns everything in a Markdown text (without front matter) that looks like
/// an import: `@path` at the start of a line or after white space, outside code
/// and comments. `@decorator` and `@org/package` look like this too.
///
/// The list is empty if quotes and lists open more than 200 columns deep.
///
/// ```
/// let found = aside_claudemd::scan_imports("See @docs/style.md, not `@this`.");
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].path.as_str(), found[0].line), ("docs/style.md", 1));
/// ```
pub fn scan_imports(markdown: &str) -> Vec<Import> {
    Markdown::of(markdown).map(|parts| scan(markdown, &parts)).unwrap_or_default()
}

/// Returns the imports in a Markdown text that is a file in the directory
/// `dir`, with its front matter: those from [`scan_imports`] that are written
/// like a path (`./a`, `~/a`, `/a`, `a.md`) or name an existing file.
///
/// Punctuation is part of a path if such a file exists. Files are looked up,
/// not opened. Lines count from the start of the file.
pub fn imports(markdown: &str, dir: &Path, dirs: &Dirs) -> Vec<Import> {
    let (body, first_line) = match aside_user_files::split(markdown) {
        Ok(document) => (document.body(), document.body_line()),
        Err(_) => (markdown, 1),
    };
    let mut imports = scan_imports(body);
    imports.retain_mut(|import| {
        import.line += first_line - 1;
        let exists = |spelling: &&str| {
            let path = target(spelling, dir, dirs.home.as_deref(), OperatingSystem::CURRENT);
            path.is_some_and(|path| read::target(&path) != Target::Nothing)
        };
        let Some(path) = import.spellings().into_iter().find(exists).map(str::to_owned) else {
            return import.is_written_like_a_path();
        };
        import.path = path;
        true
    });
    imports
}

/// Finds a text's imports outside its code and comments.
pub(crate) fn scan(text: &str, parts: &Markdown) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut opaque = parts.opaque.iter().peekable();
    let (mut line, mut counted) = (1, 0);
    // Where the last path ended: spaces can be part of one, with an `@` after
    // them.
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

/// Returns how long the path at the start of `text` is. It ends at white space
/// without a backslash before it.
///
/// `docs/a\ b.md c` is as long as `docs/a\ b.md`.
fn length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.find(|c: char| {
        let ends = c.is_whitespace() && !(escaped && c == ' ');
        escaped = c == '\\';
        ends
    });
    end.unwrap_or(text.len())
}

/// Returns the path without and with the punctuation after it.
///
/// `None` for a word that cannot be a path, such as `@` alone, `@//host` or
/// `@(a)`.
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
    let has_name = path.contains(|c: char| c.is_alphanumeric() || c == '_' || c == '~');
    (possible && has_name).then(|| (path.to_owned(), full.clone()))
}

impl Import {
    /// Returns an import whose path is exactly the one written.
    pub(crate) fn exact(path: &str, line: usize) -> Self {
        Self { path: path.to_owned(), line, full: path.to_owned() }
    }

    /// Returns the import without the punctuation after its path, if there is any.
    pub(crate) fn without_punctuation(&self) -> Option<Self> {
        let path = self.path.trim_end_matches(PUNCTUATION);
        (path != self.path).then(|| Self::exact(path, self.line))
    }

    /// Returns true if the import is written like a path, whether the file
    /// exists or not. Other words with an `@` are imports only if such a file
    /// exists.
    pub(crate) fn is_written_like_a_path(&self) -> bool {
        let path = self.path.as_str();
        let starts = ["./", "../", "~/", "/"];
        let endings = ["md", "markdown", "mdc", "mdx", "txt", "rst", "json", "yaml", "yml", "toml"];
        let ending = path.rsplit_once('.').map(|(_, ending)| ending);
        starts.iter().any(|start| path.starts_with(start))
            || ending.is_some_and(|ending| endings.contains(&ending))
    }

    /// Returns the paths that the import may mean, most likely first.
    ///
    /// `@a.md.` means `a.md.` if that file exists, and `a.md` otherwise.
    pub(crate) fn readings(
        &self,
        dir: &Path,
        home: Option<&Path>,
        platform: OperatingSystem,
    ) -> Vec<PathBuf> {
        let spellings = self.spellings().into_iter();
        spellings.filter_map(|path| target(path, dir, home, platform)).collect()
    }

    /// Returns the path with all, some and none of its punctuation.
    fn spellings(&self) -> Vec<&str> {
        let mut written = vec![self.full.as_str()];
        let mut rest = self.full.as_str();
        while rest.len() > self.path.len() && written.len() < MAX_READINGS - 1 {
            rest = &rest[..rest.len() - 1];
            written.push(rest);
        }
        if rest.len() > self.path.len() {
            written.push(&self.path);
        }
        written
    }
}

/// Returns an import's absolute path; `None` below an unknown home.
fn target(
    path: &str,
    dir: &Path,
    home: Option<&Path>,
    platform: OperatingSystem,
) -> Option<PathBuf> {
    match platform.import_target(path) {
        ImportTarget::Home(path) => Some(home?.join(path)),
        ImportTarget::Absolute(path) => Some(PathBuf::from(path)),
        ImportTarget::Relative(path) => Some(dir.join(path)),
    }
}
