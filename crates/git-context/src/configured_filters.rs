//! Reading filter drivers from the files that configure them.
//!
//! To run the status in parallel with the other commands, the drivers must be
//! known without git. A file with neither `[filter` nor `[include` configures
//! none, however else it is written: in git's grammar a section's name follows
//! its bracket at once, without quotes or escapes, and values of one file come
//! from no other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::data_file;
use crate::layout::Layout;
use crate::repository::exists;

const MAX_CONFIG_BYTES: u64 = 64 * 1024;

/// Reads the names of all filter drivers configured for the repository at
/// `root`, which git finds first. Returns `None` if only git can determine them.
///
/// `others` are the files of user and system.
pub(crate) fn names(root: &Path, layout: &Layout, others: &[PathBuf]) -> Option<BTreeSet<String>> {
    // Git may take one of both for a repository and not the other.
    if !exists(&root.join(".git")) || exists(&root.join("HEAD")) {
        return None;
    }
    let own = [
        layout.common_dir.join("config"),
        layout.git_dir.join("config.worktree"),
        layout.common_dir.join("config.worktree"),
    ];
    let mut names = BTreeSet::new();
    for file in own.iter().chain(others) {
        let content = data_file::read(file, MAX_CONFIG_BYTES).ok()?;
        scan(&content.unwrap_or_default(), &mut names)?;
    }
    Some(names)
}

/// Adds the drivers in a file. `None` if it includes others, or writes a driver
/// in another form than `[filter "name"]`.
fn scan(content: &[u8], names: &mut BTreeSet<String>) -> Option<()> {
    let headers = content.split(|&byte| byte == b'[').skip(1);
    for header in headers {
        if starts_with(header, b"include") {
            return None;
        }
        if starts_with(header, b"filter") {
            names.insert(simple_name(&header[b"filter".len()..])?);
        }
    }
    Some(())
}

fn starts_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start))
}

fn simple_name(rest: &[u8]) -> Option<String> {
    let quoted = rest.trim_ascii_start().strip_prefix(b"\"")?;
    let end = quoted.iter().position(|&byte| byte == b'"')?;
    let (name, behind) = quoted.split_at(end);
    let is_simple = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let is_header = rest.len() > quoted.len() + 1 && behind.starts_with(b"\"]");
    if !is_header || name.is_empty() || !name.iter().all(is_simple) {
        return None;
    }
    String::from_utf8(name.to_owned()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, expected: Option<&[&str]>) {
        let mut names = BTreeSet::new();
        let known = scan(content.as_bytes(), &mut names);
        let names = known.map(|()| names.into_iter().collect::<Vec<_>>());
        let expected = expected.map(|it| it.iter().map(ToString::to_string).collect());
        assert_eq!(names, expected, "{content:?}");
    }

    #[test]
    fn files_without_drivers() {
        check("", Some(&[]));
        check("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n", Some(&[]));
        check("[branch \"filter/include\"]\n\tremote = origin\n", Some(&[]));
        check("[a.filter \"x\"]\nclean = y\n", Some(&[]));
    }

    #[test]
    fn drivers_in_the_usual_form() {
        check(
            "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n",
            Some(&["lfs"]),
        );
        check("[FILTER\t\"a.b-C_1\"]clean=x [core] [filter \"z\"]", Some(&["a.b-C_1", "z"]));
    }

    #[test]
    fn everything_else_is_left_to_git() {
        for content in [
            "[include]\npath = x",
            "[IncludeIf \"onbranch:main\"]\npath = x",
            "[filter]\nclean = x",
            "[filter.lfs]\nclean = x",
            "[filter\"lfs\"]\nclean = x",
            "[filter \"\"]\nclean = x",
            "[filter \"a=b\"]\nclean = x",
            "[filter \"a b\"]\nclean = x",
            "[filter \"a\\\"b\"]\nclean = x",
            "[filter \"é\"]\nclean = x",
            "[filter \"open",
            "[filter \"lfs\" ]\nclean = x",
            "[filters \"lfs\"]\nclean = x",
        ] {
            check(content, None);
        }
    }
}
