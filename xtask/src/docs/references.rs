//! Checks the scenarios and tests that a page names as evidence.
//!
//! A page such as `docs/settings.md` claims a behavior and names the test that
//! shows it. When the test is renamed or removed, the claim loses its evidence,
//! and no compiler reports it.

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

use super::evidence::{self, code_spans};

/// Pages with references to check.
const PAGES: &[&str] = &[
    "attacks/README.md",
    "docs/append-only.md",
    "docs/security.md",
    "docs/settings.md",
    evidence::PAGE,
];

/// Returns one line per reference to a scenario or a test that does not exist.
///
/// A reference is a code span: `fixtures/<scenario>`, `<crate>::<test>` with
/// the crate's folder in snake case, a path below `crates`, or a crate's file
/// and its test: `text/tests/it/table.rs: every_character_is_looked_up`.
pub(super) fn faults(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for page in PAGES {
        match fs::read_to_string(root.join(page)) {
            Ok(text) => {
                faults.extend(page_faults(root, page, &text));
                if *page == evidence::PAGE {
                    faults.extend(evidence::faults(&text));
                }
            }
            Err(error) => faults.push(format!("failed to read {page}: {error}")),
        }
    }
    faults
}

/// Checks one page. A fault begins with the page and the line, from 1:
/// `docs/settings.md:12: fixtures/x does not exist`.
fn page_faults(root: &Path, page: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let missing = code_spans(line).filter(|span| !exists(root, span));
        faults.extend(missing.map(|span| format!("{page}:{}: {span} does not exist", index + 1)));
    }
    faults
}

/// Returns true for everything that is not a reference.
///
/// A type and its member (`Schedule::new`), a path within the crate
/// (`crate::x`) and a word without `::` are not references. The folder name `…`
/// matches any scenario.
fn exists(root: &Path, span: &str) -> bool {
    if let Some(scenario) = span.strip_prefix("fixtures/") {
        return scenario == "…" || root.join(span).join("scenario.yaml").is_file();
    }
    let path = span.strip_prefix("crates/").unwrap_or(span);
    if path != span || path.contains("/src/") || path.contains("/tests/") {
        let (file, test) = path.split_once(": ").unwrap_or((path, ""));
        let file = root.join("crates").join(file);
        let has_test = |source: String| is_test(&source, test);
        return match test {
            "" => file.exists(),
            _ => fs::read_to_string(file).is_ok_and(has_test),
        };
    }
    match span.split_once("::") {
        Some(("crate", _)) | None => true,
        // A type and its member.
        Some((owner, _)) if owner.starts_with(|first: char| first.is_ascii_uppercase()) => true,
        Some((package, test)) => {
            has_test(&root.join("crates").join(package.replace('_', "-")), test)
        }
    }
}

/// Returns true if a source in the crate has a test with that name.
///
/// Reads the package's Rust files, its `tests` directory included, up to the
/// first with the test.
fn has_test(package: &Path, name: &str) -> bool {
    WalkDir::new(package)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|it| it == "rs"))
        .filter_map(|entry| fs::read_to_string(entry.path()).ok())
        .any(|source| is_test(&source, name))
}

/// Returns true if the source has a function by that name with a test
/// attribute.
///
/// Searches the attributes and comments directly above the function for
/// `#[test]` or an attribute such as `#[tokio::test]`.
fn is_test(source: &str, name: &str) -> bool {
    let signature = format!("fn {name}(");
    source.match_indices(&signature).any(|(at, _)| {
        let line = source[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = source[..line].lines().rev().map(str::trim);
        let mut attributes =
            before.take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        attributes.any(|line| line.starts_with("#[test]") || line.contains("::test"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_exists() {
        assert_eq!(faults(&crate::root()), Vec::<String>::new());
    }

    #[test]
    fn a_helper_is_not_a_test() {
        let source = "#[test]\n#[ignore]\nfn a() {}\n\n/// Helps.\nfn b() {}\n#[tokio::test]\nasync fn c() {}\n";
        let found = ["a", "b", "c", "d"].map(|name| is_test(source, name));
        assert_eq!(found, [true, false, true, false]);
    }

    #[test]
    fn missing_scenarios_and_tests_are_reported_with_their_line() {
        let text = "| a | `fixtures/tool-use`, `fixtures/nothing` |\n| b | `reminder::no_such_test`, `max_fires` |\n\
            | c | `text/tests/it/table.rs: no_such_test`, `crates/text/tests`, `text/src/gone.rs` |";
        assert_eq!(
            page_faults(&crate::root(), "page.md", text),
            [
                "page.md:1: fixtures/nothing does not exist",
                "page.md:2: reminder::no_such_test does not exist",
                "page.md:3: text/tests/it/table.rs: no_such_test does not exist",
                "page.md:3: text/src/gone.rs does not exist",
            ]
        );
    }
}
