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

/// Finds a style by its name in `directories`, of which a later one has higher
/// precedence. The style `default` is that there is none.
///
/// What is wrong with a file is told by `tell`, as is a style that is nowhere.
pub(crate) fn find(
    name: &str,
    directories: &[PathBuf],
    tell: &mut impl FnMut(String),
) -> Option<Style> {
    if name.trim().is_empty() || name.eq_ignore_ascii_case("default") {
        return None;
    }
    for directory in directories.iter().rev() {
        for path in files(directory) {
            match read(&path) {
                Ok(style) if style.style.name == name => return Some(style),
                Ok(_) => {}
                Err(error) => tell(format!(
                    "{}: {error}; the style is left out",
                    path.display()
                )),
            }
        }
    }
    tell(format!(
        "outputStyle is left out: no style is called {name:?}"
    ));
    None
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

fn read(path: &Path) -> io::Result<Style> {
    let text = String::from_utf8(read_bytes(path)?).map_err(|_| io::Error::other("not UTF-8"))?;
    let fault = |error: aside_frontmatter::Error| io::Error::other(error.to_string());
    let document = aside_frontmatter::split(&text).map_err(fault)?;
    let header = document
        .data::<Header>()
        .map_err(fault)?
        .unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
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
        let mut faults = Vec::new();
        let directories = [path("user"), path("absent"), path("project")];
        let found = find(name, &directories, &mut |fault| faults.push(fault));
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

    #[test]
    fn a_file_with_a_fault_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.md");
        fs::write(&path, "---\nname: \"\n---\n").unwrap();
        let mut faults = Vec::new();
        let found = find("b", &[directory.path().to_owned()], &mut |it| {
            faults.push(it);
        });
        assert_eq!((found, faults.len()), (None, 2));
        assert!(
            faults[0].starts_with(&format!("{}: ", path.display())),
            "{faults:?}"
        );
    }
}
