//! The diagnostics that a scenario expects.

use std::fs;

use super::init::aside;
use crate::support::git;

/// A repository with an import of a missing file, and blessed scenarios.
fn team() -> tempfile::TempDir {
    let team = tempfile::tempdir().unwrap();
    git(team.path(), &["init", "--quiet"]);
    fs::write(team.path().join("CLAUDE.md"), "Use tabs.\n@docs/gone.md\n").unwrap();
    assert!(aside(team.path(), "", &["init"]).status.success());
    assert!(aside(team.path(), "", &["verify", "--bless"]).status.success());
    git(team.path(), &["add", "--all"]);
    git(team.path(), &["commit", "--quiet", "--message", "x"]);
    team
}

/// Writes the instruction file and accepts its text. Returns the exit code and the output.
fn blessed(team: &tempfile::TempDir, text: &str) -> (Option<i32>, String) {
    fs::write(team.path().join("CLAUDE.md"), text).unwrap();
    let output = aside(team.path(), "", &["verify", "--bless"]);
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(printed).unwrap())
}

#[test]
fn an_edit_above_an_expected_report_fails_nothing() {
    let team = team();
    let file = team.path().join(".aside/scenarios/root/scenario.yaml");
    let scenario = fs::read_to_string(&file).unwrap();
    let place = "/scenario/project/CLAUDE.md: import of ";
    assert!(scenario.contains(place), "{scenario}");
    let moved = "Use tabs.\nUse spaces.\n@docs/gone.md\n";
    assert_eq!(blessed(&team, moved).0, Some(0));
    assert_eq!(aside(team.path(), "", &["verify"]).status.code(), Some(0));
    let review = aside(team.path(), "", &["verify", "--review", "HEAD"]);
    let printed = String::from_utf8(review.stdout).unwrap();
    assert!(printed.contains("+ Use spaces.\n") && !printed.contains("names no file"), "{printed}");
    // A scenario may have a line, which an edit moves.
    for (position, code) in [(":2", 0), (":2:7", 0), (":x", 1), (":", 1), (" ", 1)] {
        let text = scenario.replace("CLAUDE.md: import", &format!("CLAUDE.md{position}: import"));
        fs::write(&file, text).unwrap();
        let output = aside(team.path(), "", &["verify"]);
        assert_eq!(output.status.code(), Some(code), "{position}: {output:?}");
    }
}

#[test]
fn another_report_fails_with_a_hint() {
    let hint =
        "1 failed; what a scenario reports is not blessed: edit `diagnostics` in its scenario.yaml";
    let team = team();
    for (text, faults) in [
        (
            "@docs/gone.md\n@docs/other.md\n",
            &["reported: warning: /scenario/project/CLAUDE.md:2: "][..],
        ),
        ("Use tabs.\n", &["not reported: warning: /scenario/project/CLAUDE.md: "]),
    ] {
        let (code, printed) = blessed(&team, text);
        assert_eq!(code, Some(1), "{printed}");
        for expected in faults.iter().chain(&[hint]) {
            assert!(printed.contains(expected), "{expected:?} is not in: {printed}");
        }
        assert!(!printed.contains("--bless"), "{printed}");
    }
    fs::write(team.path().join("CLAUDE.md"), "@docs/other.md\n").unwrap();
    let review = aside(team.path(), "", &["verify", "--review", "HEAD"]);
    let printed = String::from_utf8(review.stdout).unwrap();
    assert!(printed.contains("CLAUDE.md:1: import of "), "{printed}");
}
