use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aside_prompt_sections::{CodingInstructions, OutputStyle};
use serde::Deserialize;

use crate::settings::read_bytes;

/// How many files of a directory of styles are looked at.
const MOST: usize = 100;

/// A style of answers, as a file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) style: OutputStyle,
    /// Whether it stands beside the instructions on coding, or in their place.
    pub(crate) coding: CodingInstructions,
}

/// The front matter of a style. Other keys are other programs' business.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Header {
    name: Option<String>,
    keep_coding_instructions: bool,
}

/// A directory of styles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyleDir {
    pub(crate) path: PathBuf,
    /// What its files may not lead out of: with a link, a repository that
    /// somebody cloned could have any file of theirs sent.
    pub(crate) inside: Option<PathBuf>,
}

/// Finds a style by its name in `directories`, of which a later one has higher
/// precedence. The style `default` is that there is none.
///
/// What is wrong with a file is told by `tell`; that the style is nowhere is the
/// error.
pub(crate) fn find(
    name: &str,
    directories: &[StyleDir],
    tell: &mut impl FnMut(String),
) -> Result<Option<Style>, String> {
    if name.trim().is_empty() || name.eq_ignore_ascii_case("default") {
        return Ok(None);
    }
    for directory in directories.iter().rev() {
        for path in files(&directory.path) {
            match read(&path, directory.inside.as_deref()) {
                Ok(style) if style.style.name == name => return Ok(Some(style)),
                Ok(_) => {}
                Err(error) => tell(format!(
                    "{}: {error}; the style is left out",
                    path.display()
                )),
            }
        }
    }
    Err(format!(
        "outputStyle is left out: no style is called {name:?}"
    ))
}

/// The files that may be styles, by name.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.take(MOST).map(|entry| entry.path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    paths.sort();
    paths
}

fn read(named: &Path, inside: Option<&Path>) -> io::Result<Style> {
    let resolved = fs::canonicalize(named)?;
    if let Some(inside) = inside
        && !resolved.starts_with(fs::canonicalize(inside)?)
    {
        return Err(io::Error::other("a link that leaves the project"));
    }
    let text =
        String::from_utf8(read_bytes(&resolved)?).map_err(|_| io::Error::other("not UTF-8"))?;
    let fault = |error: aside_frontmatter::Error| io::Error::other(error.to_string());
    let document = aside_frontmatter::split(&text).map_err(fault)?;
    let header = document
        .data::<Header>()
        .map_err(fault)?
        .unwrap_or_default();
    let stem = named.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Style {
        style: OutputStyle {
            name: header.name.unwrap_or_else(|| stem.into_owned()),
            instructions: document.body().trim().to_owned(),
        },
        coding: if header.keep_coding_instructions {
            CodingInstructions::Included
        } else {
            CodingInstructions::Replaced
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found, and everything that is told.
    fn found(name: &str, directories: &[StyleDir]) -> (Option<Style>, Vec<String>) {
        let mut faults = Vec::new();
        let found = find(name, directories, &mut |fault| faults.push(fault));
        let found = found.unwrap_or_else(|fault| {
            faults.push(fault);
            None
        });
        (found, faults)
    }

    /// The style found among these files, and what is told.
    fn check(name: &str, expected: Option<(&str, CodingInstructions)>, told: &[&str]) {
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
            inside: None,
        });
        let (found, faults) = found(name, &directories);
        let found = found
            .as_ref()
            .map(|found| (found.style.instructions.as_str(), found.coding));
        assert_eq!(found, expected);
        assert_eq!(faults, told);
    }

    #[test]
    fn by_file_or_by_name() {
        check(
            "terse",
            Some(("Be very terse.", CodingInstructions::Replaced)),
            &[],
        );
        check(
            "Kind one",
            Some(("Be kind.", CodingInstructions::Included)),
            &[],
        );
        check("default", None, &[]);
        check("", None, &[]);
        check(
            "kind",
            None,
            &["outputStyle is left out: no style is called \"kind\""],
        );
        check(
            "../user/kind",
            None,
            &["outputStyle is left out: no style is called \"../user/kind\""],
        );
    }

    fn inside(path: &Path, inside: &Path) -> StyleDir {
        StyleDir {
            path: path.to_owned(),
            inside: Some(inside.to_owned()),
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_out_of_a_project() {
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
            (found.map(|it| it.style.instructions), faults)
        };
        let (found, faults) = find("a");
        assert_eq!(found, None);
        assert!(
            faults[0].contains("a.md: a link that leaves the project"),
            "{faults:?}"
        );
        assert_eq!(find("b").0.as_deref(), Some("Be calm."));
    }

    #[test]
    fn a_file_with_a_fault_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.md");
        fs::write(&path, "---\nname: \"\n---\n").unwrap();
        let dir = inside(directory.path(), directory.path());
        let (found, faults) = found("b", &[dir]);
        assert_eq!((found, faults.len()), (None, 2));
        assert!(
            faults[0].starts_with(&format!("{}: ", path.display())),
            "{faults:?}"
        );
    }
}
