//! `cargo xtask size`: how many lines of code each crate has, and may have.
//!
//! A line counts if it is code in `src`: no blank line, no comment, no test.
//! Data does not count. `xtask/budget.toml` has a number for each crate; a
//! commit that raises one says why.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use walkdir::WalkDir;

use crate::{budget, say};

/// Prints each crate's lines next to its budget. Returns true if none has more.
///
/// # Errors
/// A file cannot be read, or the budget is not a list of `name = number`.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let budgets = budget::read(&root.join("xtask/budget.toml"), "lines")?;
    let sizes = sizes(root)?;
    let (mut total, mut is_within) = (0, true);
    for (name, lines) in &sizes {
        let budget = budgets.get(name).copied().unwrap_or_default();
        let fault = if *lines > budget { "  more than its budget" } else { "" };
        say(&format!("{lines:>7} of {budget:>6}  {name}{fault}"));
        total += lines;
        is_within &= *lines <= budget;
    }
    let budget: usize = budgets.values().sum();
    say(&format!("{total:>7} of {budget:>6}"));
    for name in budgets.keys().filter(|name| !sizes.contains_key(*name)) {
        say(&format!("budget.toml: there is no crate {name}"));
        is_within = false;
    }
    Ok(is_within)
}

/// Returns each crate's lines of code, by folder name.
fn sizes(root: &Path) -> Result<BTreeMap<String, usize>> {
    let mut sizes = BTreeMap::new();
    let mut folders = Vec::from(["attacks", "guards", "xtask"].map(|it| root.join(it)));
    for entry in fs::read_dir(root.join("crates"))? {
        folders.push(entry?.path());
    }
    folders.retain(|it| it.is_dir());
    for folder in folders {
        let mut files = Vec::new();
        let mut tests = BTreeSet::new();
        for entry in WalkDir::new(folder.join("src")) {
            let path = entry?.into_path();
            if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path)?;
                tests.extend(test_files(&path, &text));
                files.push((path, text));
            }
        }
        let is_code = |it: &&(PathBuf, String)| !tests.contains(&it.0);
        let lines = files.iter().filter(is_code).map(|it| code_lines(&it.1));
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        sizes.insert(name.into_owned(), lines.sum());
    }
    Ok(sizes)
}

/// Returns the files of modules that a file declares for tests only.
fn test_files(path: &Path, text: &str) -> Vec<PathBuf> {
    let is_root = ["lib.rs", "main.rs", "mod.rs"].iter().any(|it| path.ends_with(it));
    let folder =
        if is_root { path.parent().unwrap_or(path).to_owned() } else { path.with_extension("") };
    let mut lines = text.lines();
    let mut files = Vec::new();
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" {
            let name = lines.next().and_then(|it| it.strip_prefix("mod ")?.strip_suffix(';'));
            files.extend(name.map(|name| folder.join(format!("{name}.rs"))));
        }
    }
    files
}

/// Counts lines that are neither blank nor comments nor in an item for tests.
fn code_lines(text: &str) -> usize {
    let mut lines = text.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let code = line.trim();
        if line == "#[cfg(test)]" {
            let mut item = lines.by_ref().skip_while(|it| it.starts_with("#["));
            if item.next().is_some_and(|it| it.ends_with('{')) {
                lines.by_ref().find(|it| *it == "}");
            }
        } else if !code.is_empty() && !code.starts_with("//") {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_neither_blank_nor_comment_nor_test() {
        let text = "//! Docs.\n\nuse a;\n\n/// More.\nfn f() {\n    // Why.\n    g()\n}\n\n#[cfg(test)]\n\
                    mod laws;\n\n#[cfg(test)]\n#[cfg(unix)]\nmod tests {\n    fn t() {\n    }\n}\nfn last() {}\n";
        assert_eq!(code_lines(text), 5);
        let files = test_files(Path::new("src/a/b.rs"), text);
        assert_eq!(files, [Path::new("src/a/b/laws.rs")]);
    }
}
