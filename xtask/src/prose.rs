//! Figures of the prose in comments, per crate: the rates of words that other
//! Rust projects use rarely, the first words of function documentation, and the
//! share of documentation in the lines of the crate. The names of types that
//! several crates define with different meanings follow. They inform; nothing
//! fails on them.
//!
//! A README that is included as the documentation of its crate is part of the
//! comments. The share leaves out tests and benchmarks.
//!
//! `cargo xtask prose` reads sources only and takes about as long as a search.
//! A row has the figures of one crate:
//!
//! ```text
//! crate                words   what  where   told     if  returns  verb first  doc lines
//! text                  2150    1.4    0.9    0.0    7.0     12.1       100 %       26 %
//! ```
//!
//! To see the effect of a rewritten crate, compare its row before and after.

mod comments;
mod type_names;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use walkdir::WalkDir;

use crate::tidy::packages;
use comments::{Comments, read, read_markdown, read_test};
use type_names::TypeNames;

/// Words that are counted, each with its spellings and the highest rate per
/// 1,000 words of comments that reads like other Rust projects.
const COUNTED: &[(&str, &[&str], f64)] = &[
    ("what", &["what"], 3.0),
    ("where", &["where"], 2.5),
    (
        "told",
        &["told", "tell", "tells", "telling", "said", "say", "says"],
        1.0,
    ),
    ("if", &["if"], f64::INFINITY),
    ("returns", &["returns"], f64::INFINITY),
];

/// Words that the glossary in `CONTRIBUTING.md` replaces.
const REPLACED: &[&str] = &[
    "anew", "beside", "brings", "mended", "nobody", "somebody", "stands", "whoever", "whom",
    "wishes",
];

/// The figures of one crate.
#[derive(Debug, Default)]
struct Figures {
    /// Words of all comments, code left out.
    words: usize,
    /// The number of each word, in lower case.
    counts: BTreeMap<String, usize>,
    /// Lines that are neither blank nor part of tests; those of an included
    /// README count, too.
    lines: usize,
    /// Lines of `///` and `//!`, and of the README.
    documentation_lines: usize,
    /// Documented public functions.
    functions: usize,
    /// Those whose documentation begins with a verb in the third person.
    verbs: usize,
}

impl Figures {
    /// Adds the figures of one file.
    fn add(&mut self, comments: &Comments) {
        self.lines += comments.lines;
        self.documentation_lines += comments.documentation_lines;
        for word in &comments.words {
            self.words += 1;
            *self.counts.entry(word.clone()).or_default() += 1;
        }
        self.functions += comments.function_openings.len();
        let verbs = comments.function_openings.iter().filter(|it| is_verb(it));
        self.verbs += verbs.count();
    }

    /// Returns how often a word occurs, in any of its spellings.
    fn count(&self, spellings: &[&str]) -> usize {
        let counts = spellings.iter().filter_map(|word| self.counts.get(*word));
        counts.sum()
    }

    /// Occurrences per 1,000 words.
    fn rate(&self, spellings: &[&str]) -> f64 {
        1_000.0 * ratio(self.count(spellings), self.words)
    }
}

/// Returns the figures of every crate, then the replaced words that are left and
/// the type names of several crates.
pub(crate) fn run(root: &Path) -> Result<String> {
    let mut all = Figures::default();
    let mut table = String::from(
        "crate                words   what  where   told     if  returns  verb first  doc lines\n",
    );
    let mut left = String::new();
    let mut names = TypeNames::default();
    for package in packages(root)? {
        let mut figures = Figures::default();
        for comments in sources(package.directory(), package.crate_name(), &mut names)? {
            figures.add(&comments);
            all.add(&comments);
        }
        row(&mut table, package.crate_name(), &figures);
        let replaced: Vec<_> = REPLACED
            .iter()
            .filter_map(|word| {
                figures
                    .counts
                    .get(*word)
                    .map(|count| format!("{word} {count}"))
            })
            .collect();
        if !replaced.is_empty() {
            let _ = writeln!(left, "{:<16} {}", package.crate_name(), replaced.join(", "));
        }
    }
    row(&mut table, "all", &all);
    let mut limits = String::from("highest:");
    for (name, _, most) in COUNTED.iter().filter(|(.., most)| most.is_finite()) {
        let _ = write!(limits, " {name} {most}");
    }
    Ok(format!(
        "{table}\n{limits} per 1,000 words; verb first: 80 % or more\n\nReplaced words that are left:\n{left}\nType names of several crates:\n{}",
        names.ambiguous()
    ))
}

/// Appends the row of one crate to the table.
fn row(table: &mut String, name: &str, figures: &Figures) {
    let _ = write!(table, "{name:<16} {:>9}", figures.words);
    for (column, spellings, _) in COUNTED {
        let width = if *column == "returns" { 8 } else { 6 };
        let _ = write!(table, " {:>width$.1}", figures.rate(spellings));
    }
    let _ = writeln!(
        table,
        " {:>9.0} % {:>8.0} %",
        100.0 * ratio(figures.verbs, figures.functions),
        100.0 * ratio(figures.documentation_lines, figures.lines),
    );
}

/// Reads every source file of a crate, and adds the types that its library
/// defines to `names`.
fn sources(directory: &Path, crate_name: &str, names: &mut TypeNames) -> Result<Vec<Comments>> {
    let mut all = Vec::new();
    for entry in WalkDir::new(directory).sort_by_file_name() {
        let entry = entry?;
        let path = entry.path();
        let reader = match path.extension().and_then(OsStr::to_str) {
            Some("rs") if is_test(path.strip_prefix(directory)?) => read_test,
            Some("rs") => read,
            Some("md") if path == directory.join("README.md") && includes(directory) => {
                read_markdown
            }
            _ => continue,
        };
        let text = fs::read_to_string(path)
            .with_context(|| format!("failed to read {}", path.display()))?;
        if path.starts_with(directory.join("src")) {
            names.add(crate_name, &text);
        }
        all.push(reader(&text));
    }
    Ok(all)
}

/// Returns true for a file of tests or benchmarks, by its path in the crate.
fn is_test(path: &Path) -> bool {
    path.starts_with("tests") || path.starts_with("benches") || path.ends_with("tests.rs")
}

/// Returns true if the README is the documentation of the crate.
fn includes(directory: &Path) -> bool {
    fs::read_to_string(directory.join("src/lib.rs"))
        .is_ok_and(|text| text.contains("include_str!(\"../README.md\")"))
}

/// Returns true for a verb in the third person: `Returns`, `Is`, `Does`.
fn is_verb(word: &str) -> bool {
    const NOT_VERBS: &[&str] = &["As", "This", "Its", "Less", "Always", "Perhaps", "Bytes"];
    word.ends_with('s') && !NOT_VERBS.contains(&word)
}

/// Returns the quotient, 0 for an empty whole.
#[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_shares_are_counted() {
        let mut figures = Figures::default();
        figures.add(&read(
            "/// Returns what it is.\npub fn a() {}\n\n/// What it is.\npub fn b() {}\n",
        ));
        assert_eq!((figures.functions, figures.verbs), (2, 1));
        assert_eq!((figures.words, figures.count(&["what"])), (7, 2));
        assert_eq!((figures.documentation_lines, figures.lines), (2, 4));
    }
}
