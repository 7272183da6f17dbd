//! `aside init` in repositories with many shapes: `shapes.yaml`.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::verify::Team;

const SHAPES: &str = include_str!("shapes.yaml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    name: String,
    files: BTreeMap<String, String>,
    #[serde(default)]
    omits: Vec<String>,
    scenarios: BTreeMap<String, BTreeMap<String, String>>,
}

impl Shape {
    fn check(&self) {
        let name = &self.name;
        let team = Team(tempfile::tempdir().unwrap());
        team.git(&["init", "--quiet"]);
        for (path, text) in &self.files {
            team.write(path, text);
        }
        let mut init = Command::new(env!("CARGO_BIN_EXE_aside"));
        let init = init.args(["init", "--json"]).current_dir(team.path());
        let output = init.output().unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let omits = json["not_pinned"].as_array().unwrap();
        let is_named = |line: &String| omits.iter().any(|it| it == line.as_str());
        assert!(self.omits.iter().all(is_named), "{name}: {json:#}");

        team.check(&["--bless"], 0, &[]);
        // Aside's own texts would be out of date with its next version.
        assert!(!team.path().join(".aside/scenarios/texts").exists(), "{name}");
        team.check(&[], 0, &["0 failed"]);
        for (scenario, change) in &self.scenarios {
            for (path, text) in change {
                let before = fs::read_to_string(team.path().join(path)).unwrap();
                team.write(path, text);
                let output = team.run(&["--json"], None);
                let json: Value = serde_json::from_slice(&output.stdout).unwrap();
                team.write(path, &before);
                let scenarios = json["scenarios"].as_array().unwrap();
                let names = scenarios.iter().map(|it| it["name"].as_str().unwrap());
                assert!(names.eq(self.scenarios.keys()), "{name}: {json:#}");
                let checked = scenarios.iter().find(|it| it["name"] == scenario.as_str()).unwrap();
                let failures = checked["failures"].to_string();
                assert!(failures.contains(&format!("from {}", source(path))), "{name}: {failures}");
            }
        }
        team.check(&[], 0, &["0 failed"]);
    }
}

/// Returns the source that a failure names for a file.
fn source(path: &str) -> String {
    let reminder = path.strip_prefix(".aside/reminders/");
    let reminder = reminder.and_then(|it| it.strip_suffix(".md"));
    reminder.map_or(path.to_owned(), |id| format!("reminder {id}"))
}

/// Checks every third shape, starting with `first`.
fn check(first: usize) {
    let shapes: Vec<Shape> = aside_user_files::yaml(SHAPES).unwrap();
    assert!(shapes.len() >= 10);
    for shape in shapes.iter().skip(first).step_by(3) {
        shape.check();
    }
}

#[test]
fn a_seeded_change_fails_each_scenario() {
    check(0);
}

#[test]
fn a_seeded_change_fails_each_scenario_of_the_second_third() {
    check(1);
}

#[test]
fn a_seeded_change_fails_each_scenario_of_the_last_third() {
    check(2);
}
