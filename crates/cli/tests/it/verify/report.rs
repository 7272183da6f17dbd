//! How results are reported: as text, JSON and JUnit.

use std::fs;
use std::process::Command;

use crate::verify::{SCENARIO, SCENARIOS, Team};

#[test]
fn a_report_for_machines() {
    let team = Team::new();
    team.bless();
    team.write(".aside/scenarios/second/scenario.yaml", "turn: []\n");
    team.write("CLAUDE.md", "<&\u{1b}[31m\u{202e}>");
    let arguments = [SCENARIOS, "--junit", "report.xml"];
    team.check(&arguments, 1, &["2 scenarios, 2 failed"]);
    let report = fs::read_to_string(team.path().join("report.xml")).unwrap();
    for expected in [
        r#"tests="2" disabled="0" errors="0" failures="2""#,
        r#"<testcase name="first" classname="aside.verify""#,
        "from CLAUDE.md",
        "scenario.yaml:1: unknown key `turn`: did you mean `turns`?",
    ] {
        assert!(report.contains(expected), "{expected:?} is not in: {report}");
    }
    assert!(!report.contains(['\u{1b}', '\u{202e}']), "{report}");
}

#[test]
fn the_usual_folder_is_the_default_and_has_a_form_for_machines() {
    let team = Team::new();
    let output = team.run(&[], None);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("to accept the changes: aside verify --review, or --bless"), "{error}");
    team.check(&["--bless"], 0, &["1 scenario, 0 failed"]);
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&team.run(arguments, None).stdout).unwrap()
    };
    let good = json(&["--json"]);
    assert_eq!(good["failed"], 0);
    assert_eq!(good["scenarios"][0]["failures"], serde_json::json!([]));
    team.write("CLAUDE.md", "Changed.");
    let bad = json(&["--json"]);
    assert_eq!(bad["failed"], 1);
    let failure = bad["scenarios"][0]["failures"][0].as_str().unwrap();
    assert!(failure.contains(" .aside/scenarios/first/request-1.json differs"), "{failure}");
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    let output = command.arg("verify").current_dir(empty.path()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("aside init writes scenarios"), "{error}");
}

#[test]
fn a_change_in_many_scenarios_is_shown_once() {
    let team = Team::new();
    for name in ["second", "third"] {
        let path = format!(".aside/scenarios/{name}/scenario.yaml");
        team.write(&path, &SCENARIO.replace("Explain", name));
    }
    team.check(&["--bless"], 0, &["3 scenarios, 0 failed"]);
    team.write("CLAUDE.md", "# Team\n\nUse spaces.\n@docs/style.md\n");
    let output = String::from_utf8(team.run(&[], None).stdout).unwrap();
    assert_eq!(output.matches("- | Use tabs.").count(), 1, "{output}");
    let names = " 3 requests: first/request-1, second/request-1, third/request-1\n";
    assert!(output.contains(names), "{output}");
    let same = "1 distinct change in 3 requests of 3 scenarios\n3 scenarios, 3 failed\n";
    assert!(output.ends_with(same), "{output}");
}

#[test]
fn trailing_white_space_is_reported_as_text() {
    let team = Team::new();
    team.bless();
    let written = team.path().join(".aside/scenarios/first/request-1.json");
    let json = fs::read_to_string(&written).unwrap();
    let end = format!("byte {}, where the request ends: ", json.len());
    fs::write(&written, format!("{json}\n")).unwrap();
    team.check(&[SCENARIOS], 1, &[&end, "a line break or other white space"]);
    fs::write(&written, format!("{json}{json}")).unwrap();
    team.check(&[SCENARIOS], 1, &[&end, "more is expected"]);
    fs::write(&written, json.replacen('{', "[", 1)).unwrap();
    team.check(&[SCENARIOS], 1, &["byte 0, at the top level\n"]);
}
