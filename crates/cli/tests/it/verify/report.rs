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

/// As `aside init` finds the place to write them.
#[test]
fn the_usual_folder_is_found_from_below() {
    let team = Team::new();
    team.bless();
    team.write("web/src/a.ts", "");
    let verify = |directory: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
        let directory = team.path().join(directory);
        command.arg("verify").current_dir(directory).output().unwrap()
    };
    let output = verify("web/src");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1 scenario, 0 failed\n");
    assert_eq!(output.status.code(), Some(0));
    // A folder of the directory comes first.
    team.write("web/.aside/scenarios/own/scenario.yaml", "turn: []\n");
    let output = verify("web");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("own/scenario.yaml:1: unknown key `turn`"), "{printed}");
    // Another repository's is not this one's.
    fs::create_dir_all(team.path().join("vendor/x/.git")).unwrap();
    assert_eq!(verify("vendor/x").status.code(), Some(2));
}

/// Paths of files are relative to the current directory, but a text that names
/// this directory is shown as written.
#[test]
fn texts_keep_the_current_directory() {
    let team = Team::new();
    team.bless();
    team.commit();
    let above = fs::canonicalize(team.path()).unwrap().parent().unwrap().to_owned();
    let text = format!("Scratch: {}/scratch", above.display());
    team.write("CLAUDE.md", &text);
    let scenarios = team.path().join(SCENARIOS);
    let verify = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
        command.current_dir(&above).env_remove("CI").arg("verify").arg(&scenarios);
        String::from_utf8(command.args(arguments).output().unwrap().stdout).unwrap()
    };
    for arguments in [&[][..], &["--json"], &["--review", "HEAD"], &["--bless"]] {
        let printed = verify(arguments);
        let shown = arguments == ["--bless"] || printed.contains(&text);
        assert!(shown, "{arguments:?}: {printed}");
        let places = printed.replace(&text, "");
        assert!(!places.contains(above.to_str().unwrap()), "{arguments:?}: {printed}");
    }
}

/// As many as a monorepo's first scenarios: few lines each.
#[test]
fn new_scenarios_are_shown() {
    let team = Team::new();
    let pinned = SCENARIO.replace("turns:", "pin: [instruction_files]\nturns:");
    let names = ["first", "b", "c", "d", "e", "f", "g", "h", "i"];
    for name in names {
        team.write(&format!(".aside/scenarios/{name}/scenario.yaml"), &pinned);
    }
    let output = team.run(&["--bless"], None);
    let printed = String::from_utf8(output.stdout).unwrap();
    let line = "  + CLAUDE.md                   | # Team\n";
    assert_eq!(printed.matches(line).count(), names.len(), "{printed}");
    // One more than fit: no line stands for a single one.
    let new = printed.lines().filter(|it| it.starts_with("- ")).count();
    assert_eq!(new, names.len(), "{printed}");

    let rule = format!("# Team\n\n{}", "Use tabs.\n".repeat(40));
    team.write("CLAUDE.md", &rule);
    for name in names {
        let page = format!(".aside/scenarios/{name}/request-1.txt");
        fs::remove_file(team.path().join(page)).unwrap();
    }
    team.write(".aside/scenarios/j/scenario.yaml", &pinned);
    let output = team.run(&["--bless"], None);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.matches(line).count(), 7, "{printed}");
    let hidden = "/request-1.txt is missing: 42 lines, not shown\n";
    assert_eq!(printed.matches(hidden).count(), 3, "{printed}");
    assert!(printed.contains("- and 2 groups of changes between these\n"), "{printed}");
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

/// A CI system reads `::error::` at the start of a line as its command, and `##vso[…]` anywhere.
#[test]
fn a_name_is_no_command_for_a_ci_system() {
    let team = Team::new();
    let name = "::error title=a::b ##vso[task]";
    team.write(&format!(".aside/scenarios/{name}/scenario.yaml"), "turn: []\n");
    let output = team.run(&[], Some("true"));
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let escaped = r"\u{3a}:error title=a::b \u{23}#vso[task]: ";
    assert!(printed.lines().any(|line| line.starts_with(escaped)), "{printed}");
    let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##vso[");
    assert!(!printed.lines().any(is_command), "{printed}");
}

/// Someone else's link may have the name of the report.
#[cfg(unix)]
#[test]
fn a_report_does_not_follow_a_link_out_of_the_repository() {
    let (team, outside) = (Team::new(), tempfile::tempdir().unwrap());
    let file = outside.path().join("precious");
    fs::write(&file, "precious").unwrap();
    std::os::unix::fs::symlink(&file, team.path().join("aside.xml")).unwrap();
    let output = team.run(&["--junit", "aside.xml"], None);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("is a link out of the project"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    team.bless();
    team.check(&["--junit", outside.path().join("a.xml").to_str().unwrap()], 0, &[]);
    assert!(outside.path().join("a.xml").exists());
}

/// The printed command is for a shell.
#[test]
fn the_suggested_command_names_the_folder_as_a_shell_does() {
    for (given, named) in [
        ("a b", "'a b'"),
        ("it's/-c", r"'it'\''s/-c'"),
        ("-d", "./-d"),
        ("-e f", "'./-e f'"),
        ("plain", "plain"),
    ] {
        let team = Team::new();
        team.write(&format!("{given}/first/scenario.yaml"), "turns:\n  - - user: Hi\n");
        let output = team.run(&["--", given], None);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(&format!(": aside verify {named} --review, or --bless")), "{error}");
    }
}
