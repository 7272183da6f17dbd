//! Prints figures about the prose in comments, per crate: rates of small words
//! and of words that other Rust projects use rarely, the first words of function
//! documentation, and how many lines are documentation. The last row is for the
//! pages in `docs` and the README. Below the table are type names that several
//! crates define with different meanings. Nothing fails on these figures: they
//! show where to read aloud.
//!
//! A README that is included as its crate's documentation is part of the
//! comments. The share of documentation leaves out tests and benchmarks.
//!
//! `cargo xtask prose` only reads sources and takes about as long as a search. A
//! crate has one row:
//!
//! ```text
//! crate                words    of   the    to  that  when  this   you  what where  told  verb first  doc lines
//! text                  1236  21.8  49.4  17.8  19.4   4.9   1.6   1.6   0.8   0.0   0.0       100 %       30 %
//! ```
//!
//! To see what rewriting a crate does, compare its row before and after.

mod comments;
mod type_names;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Result;
use walkdir::WalkDir;

use crate::tidy::packages;
use comments::{Comments, read, read_markdown, read_test};
use type_names::TypeNames;

/// Words to count, each with its spellings and the rate per 1,000 words at which
/// comments read like those of other Rust projects.
const COUNTED: &[(&str, &[&str], &str)] = &[
    ("of", &["of"], "≤ 28 (docs ≤ 25)"),
    ("the", &["the"], "≤ 80"),
    ("to", &["to"], "≥ 15"),
    ("that", &["that"], "≤ 13"),
    ("when", &["when"], "≥ 4"),
    ("this", &["this"], ""),
    ("you", &["you", "your", "yours"], "docs ≥ 5"),
    ("what", &["what"], "≤ 3"),
    ("where", &["where"], "≤ 2.5"),
    ("told", &["told", "tell", "tells", "telling", "said", "say", "says"], "≤ 1"),
];

/// Words that the glossary in `CONTRIBUTING.md` replaces.
const REPLACED: &[&str] = &[
    "anew", "beside", "brings", "mended", "nobody", "somebody", "stands", "whoever", "whom",
    "wishes",
];

#[derive(Debug, Default)]
struct Figures {
    /// Code is left out.
    words: usize,
    /// By word, in lower case.
    counts: BTreeMap<String, usize>,
    /// Lines that are neither blank nor part of tests; an included README counts,
    /// too.
    lines: usize,
    /// Lines with `///` or `//!`, and those in the README.
    documentation_lines: usize,
    /// Public ones with documentation.
    functions: usize,
    /// Those whose documentation begins with a verb in the third person.
    verbs: usize,
}

impl Figures {
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

    /// Returns occurrences per 1,000 words.
    fn rate(&self, spellings: &[&str]) -> f64 {
        1_000.0 * ratio(self.count(spellings), self.words)
    }
}

/// Returns every crate's figures, then the replaced words that are left and type
/// names that several crates share.
pub(crate) fn run(root: &Path) -> Result<String> {
    let mut all = Figures::default();
    let mut table = String::from("crate                words");
    for (name, ..) in COUNTED {
        let _ = write!(table, " {name:>5}");
    }
    table.push_str("  verb first  doc lines\n");
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
            .filter_map(|word| figures.counts.get(*word).map(|count| format!("{word} {count}")))
            .collect();
        if !replaced.is_empty() {
            let _ = writeln!(left, "{:<16} {}", package.crate_name(), replaced.join(", "));
        }
    }
    row(&mut table, "all", &all);
    row(&mut table, "docs", &pages(root)?);
    let goals = COUNTED.iter().filter(|(.., goal)| !goal.is_empty());
    let goals: Vec<_> = goals.map(|(name, _, goal)| format!("{name} {goal}")).collect();
    let goals = goals.join(", ");
    Ok(format!(
        "{table}\ngoals per 1,000 words: {goals}; verb first: 80 % or more\n\nReplaced words that are left:\n{left}\nType names of several crates:\n{}",
        names.ambiguous()
    ))
}

/// Reads the README and the pages in `docs`.
fn pages(root: &Path) -> Result<Figures> {
    let mut figures = Figures::default();
    let mut pages = vec![root.join("README.md")];
    for entry in WalkDir::new(root.join("docs")).sort_by_file_name() {
        pages.push(entry?.into_path());
    }
    for path in pages {
        if path.extension() == Some(OsStr::new("md")) {
            figures.add(&read_markdown(&crate::read(&path)?));
        }
    }
    Ok(figures)
}

fn row(table: &mut String, name: &str, figures: &Figures) {
    let _ = write!(table, "{name:<16} {:>9}", figures.words);
    for (_, spellings, _) in COUNTED {
        let _ = write!(table, " {:>5.1}", figures.rate(spellings));
    }
    let _ = writeln!(
        table,
        " {:>9.0} % {:>8.0} %",
        100.0 * ratio(figures.verbs, figures.functions),
        100.0 * ratio(figures.documentation_lines, figures.lines),
    );
}

/// Reads every source file in a crate, and adds the types that its library defines
/// to `names`.
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
        let text = crate::read(path)?;
        if path.starts_with(directory.join("src")) {
            names.add(crate_name, &text);
        }
        all.push(reader(&text));
    }
    Ok(all)
}

/// Takes the path in the crate. Benchmarks count as tests.
fn is_test(path: &Path) -> bool {
    path.starts_with("tests") || path.starts_with("benches") || path.ends_with("tests.rs")
}

/// Returns true if the README is the crate's documentation.
fn includes(directory: &Path) -> bool {
    fs::read_to_string(directory.join("src/lib.rs"))
        .is_ok_and(|text| text.contains("include_str!(\"../README.md\")"))
}

/// Returns true for a verb in the third person: `Returns`, `Is`, `Does`.
fn is_verb(word: &str) -> bool {
    const NOT_VERBS: &[&str] = &["As", "This", "Its", "Less", "Always", "Perhaps", "Bytes"];
    word.ends_with('s') && !NOT_VERBS.contains(&word)
}

/// An empty whole gives 0.
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
