//! Output styles: Markdown files with front matter, kept by the user and the
//! project.
//!
//! ```text
//! ---
//! name: Terse
//! keep-coding-instructions: true
//! ---
//! Answer in one sentence.
//! ```

use std::path::{Path, PathBuf};

use aside_diagnostic::Diagnostic;
use aside_prompt_sections::{CodingInstructions, OutputStyle};
use aside_user_files::open::{DirEntry, DirEntryKind, Fence, OpenError, RegularFile};
use serde::Deserialize;

use crate::kinds;

/// How many files to read per directory.
const MAX_FILES: usize = 100;
/// How many entries to list per directory.
const MAX_ENTRIES: usize = 10_000;
const MAX_BYTES: u64 = 1024 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) style: OutputStyle,
    /// Whether the style replaces the coding instructions.
    pub(crate) coding: CodingInstructions,
    pub(crate) path: PathBuf,
}

/// Other keys are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Header {
    /// The default is the file name without `.md`.
    name: Option<String>,
    /// True to keep the section on coding in the system prompt.
    keep_coding_instructions: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyleDir {
    /// It need not exist.
    pub(crate) path: PathBuf,
    /// The fence for links: without it, a repository could send any file of the
    /// user.
    pub(crate) fence: Fence,
}

/// Looks up a style by name in `directories`; later ones have higher
/// precedence. `default` means no style.
///
/// A file that cannot be read is reported in `diagnostics`; a style that does
/// not exist is the error.
pub(crate) fn find(
    name: &str,
    directories: &[StyleDir],
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Option<Style>, String> {
    if name.trim().is_empty() || name.eq_ignore_ascii_case("default") {
        return Ok(None);
    }
    for directory in directories.iter().rev() {
        let files = files(directory).unwrap_or_else(|error| {
            if !error.is_missing() {
                let message = format!("{}; its styles are left out", error.message());
                let diagnostic = kinds::STYLE_UNREADABLE.diagnostic(message);
                diagnostics.push(diagnostic.at(&directory.path));
            }
            Vec::new()
        });
        for (path, opened) in files {
            match opened.map_err(|error| error.message()).and_then(|file| read(&path, file)) {
                Ok(style) if style.style.name.raw() == name => return Ok(Some(style)),
                Ok(_) => {}
                Err(error) => {
                    let message = format!("{error}; the style is left out");
                    diagnostics.push(kinds::STYLE_UNREADABLE.diagnostic(message).at(path));
                }
            }
        }
    }
    Err(format!("outputStyle is left out: no style is called {name:?}"))
}

/// A file in a directory, and what opening it gave.
type Found = (PathBuf, Result<RegularFile, OpenError>);

/// Opens the files that may be styles, sorted by name.
fn files(directory: &StyleDir) -> Result<Vec<Found>, OpenError> {
    let StyleDir { path, fence } = directory;
    let dir = fence.open_dir(path)?;
    let entries = dir.entries(MAX_ENTRIES)?.list.into_iter();
    let styles = entries.filter(|entry| Path::new(&entry.name).extension() == Some("md".as_ref()));
    let open = |entry: DirEntry| {
        let path = path.join(&entry.name);
        let opened = match entry.kind {
            // Opened below the handle that was listed.
            DirEntryKind::File => dir.open_file(Path::new(&entry.name)),
            _ => fence.open_file(&path),
        };
        (path, opened)
    };
    Ok(styles.take(MAX_FILES).map(open).collect())
}

/// Reads a file as a style; the error is the fault in words.
///
/// The style is the text after the front matter, without surrounding white
/// space.
fn read(path: &Path, file: RegularFile) -> Result<Style, String> {
    let text = file.read(MAX_BYTES).map_err(|error| error.message())?;
    let fault = |error: aside_user_files::DocumentError| error.to_string();
    let text = aside_user_files::decode(text).map_err(fault)?;
    let document = aside_user_files::split(&text).map_err(fault)?;
    let header = document.data::<Header>().map_err(fault)?.unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Style {
        style: OutputStyle {
            name: header.name.unwrap_or_else(|| stem.into_owned()).into(),
            instructions: document.body().trim().to_owned().into(),
        },
        coding: if header.keep_coding_instructions {
            CodingInstructions::Included
        } else {
            CodingInstructions::Replaced
        },
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the style, and the diagnostics as text.
    fn found(name: &str, directories: &[StyleDir]) -> (Option<Style>, Vec<String>) {
        let mut diagnostics = Vec::new();
        let found = find(name, directories, &mut diagnostics);
        let diagnostics = diagnostics.iter();
        let mut faults: Vec<_> = diagnostics.map(|it| it.without_severity().to_string()).collect();
        let found = found.unwrap_or_else(|fault| {
            faults.push(fault);
            None
        });
        (found, faults)
    }

    fn check(name: &str, expected: Option<(&str, CodingInstructions)>, diagnostics: &[&str]) {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for (name, text) in [
            ("user/terse.md", "Be terse."),
            (
                "user/kind.md",
                "---\nname: Kind one\nkeep-coding-instructions: true\n---\nBe kind.\n",
            ),
            ("project/terse.md", "Be very terse."),
            ("project/terse.txt", "not a style"),
        ] {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            fs::write(path(name), text).unwrap();
        }
        let directories = ["user", "absent", "project"].map(|name| StyleDir {
            path: path(name),
            fence: Fence::default().approve_everything(),
        });
        let (found, faults) = found(name, &directories);
        let found = found.as_ref().map(|found| (found.style.instructions.raw(), found.coding));
        assert_eq!(found, expected);
        assert_eq!(faults, diagnostics);
    }

    #[test]
    fn a_style_is_found_by_file_or_name() {
        check("terse", Some(("Be very terse.", CodingInstructions::Replaced)), &[]);
        check("Kind one", Some(("Be kind.", CodingInstructions::Included)), &[]);
        check("default", None, &[]);
        check("", None, &[]);
        check("kind", None, &["outputStyle is left out: no style is called \"kind\""]);
        check(
            "../user/kind",
            None,
            &["outputStyle is left out: no style is called \"../user/kind\""],
        );
    }

    fn inside(path: &Path, inside: &Path) -> StyleDir {
        StyleDir { path: path.to_owned(), fence: Fence::around([inside]) }
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_a_project_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::create_dir_all(path("p/styles")).unwrap();
        fs::write(path("secret"), "secret").unwrap();
        fs::write(path("p/shared"), "Be calm.").unwrap();
        std::os::unix::fs::symlink(path("secret"), path("p/styles/a.md")).unwrap();
        std::os::unix::fs::symlink(path("p/shared"), path("p/styles/b.md")).unwrap();
        let find = |name: &str| {
            let dir = inside(&path("p/styles"), &path("p"));
            let (found, faults) = found(name, &[dir]);
            (found.map(|it| it.style.instructions.raw().to_owned()), faults)
        };
        let (found, faults) = find("a");
        assert_eq!(found, None);
        assert!(faults[0].contains("a.md: outside the project and not approved: "), "{faults:?}");
        assert_eq!(find("b").0.as_deref(), Some("Be calm."));
    }

    #[test]
    fn a_file_with_a_fault_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.md");
        for (text, fault) in [
            (&b"---\nname: \"\n---\n"[..], "line "),
            (b"---\nname: a\n---\nbad \xff\n", "line 4: found the byte 0xff, expected UTF-8"),
            (b"---\n# 2\nname: \"\x1b\"\n---\n", "line 3: control characters are not allowed"),
        ] {
            fs::write(&path, text).unwrap();
            let dir = inside(directory.path(), directory.path());
            let (found, faults) = found("b", &[dir]);
            assert_eq!((found, faults.len()), (None, 2));
            assert!(faults[0].starts_with(&format!("{}: {fault}", path.display())), "{faults:?}");
        }
    }
}
