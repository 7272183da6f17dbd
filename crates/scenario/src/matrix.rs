//! The matrix of features and scenarios in `docs/scenarios.md`.

use std::fmt::Write;

use crate::case::Case;
use crate::feature::Feature;

/// Returns a Markdown table of features and their scenarios, then features
/// without a scenario, and scenarios without a feature.
#[must_use]
pub fn matrix(cases: &[Case]) -> String {
    let mut text = String::from(
        "# Features and scenarios\n\n\
         Written by `cargo xtask docs` from the key `shows` of the scenarios in `fixtures/`.\n\n\
         | feature | meaning | scenarios |\n|---|---|---|\n",
    );
    let mut missing = Vec::new();
    for feature in Feature::ALL {
        let shown: Vec<_> =
            cases.iter().filter(|case| case.scenario.shows.contains(feature)).map(link).collect();
        if shown.is_empty() {
            missing.push(format!("`{}`", feature.name()));
        }
        let (name, about) = (feature.name(), feature.about());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| `{name}` | {about} | {} |", shown.join(", "));
    }
    let silent: Vec<_> =
        cases.iter().filter(|case| case.scenario.shows.is_empty()).map(link).collect();
    let _ = writeln!(text, "\nMissing: {}.", or_none(&missing));
    let _ = writeln!(text, "\nScenarios that name no feature: {}.", or_none(&silent));
    text
}

/// Returns a link to a scenario, relative to `docs`.
fn link(case: &Case) -> String {
    let name = &case.name;
    format!("[{name}](../fixtures/{name}/scenario.yaml)")
}

/// Joins the names by commas; `none` if there are none.
fn or_none(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}
