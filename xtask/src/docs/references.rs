//! Checks the scenarios and tests that a page names as evidence.

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// Pages whose references are checked.
const PAGES: &[&str] = &["docs/append-only.md", "docs/seeds.md", "docs/settings.md"];

/// Returns one line per reference to a scenario or a test that does not exist.
///
/// A reference is a code span: `fixtures/<scenario>`, or `<crate>::<test>` with the crate's folder in
/// snake case.
pub(super) fn faults(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for page in PAGES {
        match fs::read_to_string(root.join(page)) {
            Ok(text) => faults.extend(page_faults(root, page, &text)),
            Err(error) => faults.push(format!("failed to read {page}: {error}")),
        }
    }
    faults
}

fn page_faults(root: &Path, page: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let missing = code_spans(line).filter(|span| !exists(root, span));
        faults.extend(missing.map(|span| format!("{page}:{}: {span} does not exist", index + 1)));
    }
    faults
}

fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Returns true for everything that is not a reference.
fn exists(root: &Path, span: &str) -> bool {
    if let Some(scenario) = span.strip_prefix("fixtures/") {
        return scenario == "…" || root.join(span).join("scenario.yaml").is_file();
    }
    match span.split_once("::") {
        Some(("crate", _)) | None => true,
        Some((package, test)) => {
            has_function(&root.join("crates").join(package.replace('_', "-")), test)
        }
    }
}

fn has_function(package: &Path, name: &str) -> bool {
    let signature = format!("fn {name}(");
    WalkDir::new(package)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|it| it == "rs"))
        .filter_map(|entry| fs::read_to_string(entry.path()).ok())
        .any(|source| source.contains(&signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_exists() {
        assert_eq!(faults(&crate::root()), Vec::<String>::new());
    }

    #[test]
    fn missing_scenarios_and_tests_are_reported_with_their_line() {
        let text = "| a | `fixtures/tool-use`, `fixtures/nothing` |\n| b | `reminder::no_such_test`, `max_fires` |";
        assert_eq!(
            page_faults(&crate::root(), "page.md", text),
            [
                "page.md:1: fixtures/nothing does not exist",
                "page.md:2: reminder::no_such_test does not exist",
            ]
        );
    }
}
