//! `aside verify` in a team's repository.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SCENARIOS: &str = ".aside/scenarios";

const SCENARIO: &str = "\
description: What a session in this repository begins with.
repository: ../../..
model: claude-sonnet-4-5
turns:
  - - user: Explain the build
";

/// A repository with instructions, a reminder, settings and one scenario.
struct Team(tempfile::TempDir);

impl Team {
    fn new() -> Self {
        let team = Self(tempfile::tempdir().unwrap());
        team.git(&["init", "--quiet"]);
        team.write("CLAUDE.md", "# Team\n\nUse tabs.\n@docs/style.md\n");
        team.write("docs/style.md", "Short functions.\n");
        team.remind("Run the tests.");
        team.write(".claude/settings.json", r#"{"language":"French"}"#);
        team.write(".aside/scenarios/first/scenario.yaml", SCENARIO);
        team
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remind(&self, text: &str) {
        let file = format!("---\nschedule: {{kind: always}}\n---\n{text}\n");
        self.write(".aside/reminders/tests.md", &file);
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(self.path());
        assert!(git.status().unwrap().success());
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str], ci: Option<&str>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
        command.current_dir(self.path()).env_remove("CI");
        command.envs(ci.map(|ci| ("CI", ci)));
        command.arg("verify").args(arguments).output().unwrap()
    }

    /// Runs the command, and checks the exit code and parts of stdout.
    fn check(&self, arguments: &[&str], code: i32, expected: &[&str]) {
        let output = self.run(arguments, None);
        let reported = String::from_utf8(output.stdout).unwrap();
        let faults = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{reported}{faults}");
        for expected in expected {
            assert!(
                reported.contains(expected),
                "{expected:?} is not in: {reported}"
            );
        }
    }

    fn bless(&self) {
        self.check(&[SCENARIOS, "--bless"], 0, &["1 scenario, 0 failed"]);
    }
}

#[test]
fn changed_parts_are_named() {
    let team = Team::new();
    team.check(&[SCENARIOS], 1, &["request-1.json is missing"]);
    team.bless();
    team.check(&[SCENARIOS], 0, &["1 scenario, 0 failed"]);
    let written = team.path().join(".aside/scenarios/first/request-1.json");
    let written = fs::read_to_string(written).unwrap();
    for part in [
        "Use tabs.",
        "Short functions.",
        "Run the tests.",
        "French",
        "Contents of CLAUDE.md",
    ] {
        assert!(written.contains(part), "{part:?} is not in {written}");
    }
    assert!(!written.contains(team.path().to_str().unwrap()));

    team.write("CLAUDE.md", "# Team\n\nUse spaces.\n@docs/style.md\n");
    let file = "from CLAUDE.md";
    team.check(&[SCENARIOS], 1, &["messages[0]", file, "tabs.", "spaces."]);
    let diff = ["-Use tabs.", "+Use spaces."];
    team.check(&[SCENARIOS, "--bless"], 0, &diff);
    let one = ".aside/scenarios/first";
    team.check(&[one], 0, &["1 scenario, 0 failed"]);

    team.write("docs/style.md", "Long functions.\n");
    let file = "from docs/style.md";
    team.check(&[SCENARIOS], 1, &[file]);
    team.bless();

    team.remind("Run all tests.");
    team.check(&[SCENARIOS], 1, &["from reminder tests"]);
    team.bless();

    team.write(".claude/settings.json", r#"{"language":"Greek"}"#);
    team.check(&[SCENARIOS], 1, &["from section language", "Greek"]);
}

#[test]
fn files_of_the_user_are_ignored() {
    let team = Team::new();
    team.bless();
    team.write("CLAUDE.local.md", "Mine.");
    team.write(".claude/settings.local.json", r#"{"language":"Latin"}"#);
    team.check(&[SCENARIOS], 0, &[]);
    // Nor does the state of git, which differs from checkout to checkout.
    team.git(&["checkout", "--quiet", "-b", "other"]);
    team.git(&["add", "--all"]);
    team.check(&[SCENARIOS], 0, &[]);
}

#[test]
fn blessing_is_refused_in_ci() {
    let team = Team::new();
    let output = team.run(&[SCENARIOS, "--bless"], Some("1"));
    assert_eq!(output.status.code(), Some(2));
    let reported = String::from_utf8(output.stderr).unwrap();
    assert!(reported.contains("CI is set"), "{reported}");
    let written = team.path().join(".aside/scenarios/first/request-1.json");
    assert!(!written.exists());
}

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
        "scenario.yaml:1: unknown field `turn`",
    ] {
        assert!(
            report.contains(expected),
            "{expected:?} is not in: {report}"
        );
    }
    assert!(!report.contains(['\u{1b}', '\u{202e}']), "{report}");
}

#[test]
fn used_wrongly() {
    let team = Team::new();
    for arguments in [&["nowhere"][..], &["docs"], &["--bles"], &["CLAUDE.md"]] {
        let code = team.run(arguments, None).status.code();
        assert_eq!(code, Some(2), "{arguments:?}");
    }
}

#[test]
fn paths_of_a_scenario_stay_in_its_folder() {
    let check = |scenario: &str, expected: &str| {
        let team = Team::new();
        team.write(".aside/scenarios/first/scenario.yaml", scenario);
        team.check(&[SCENARIOS], 1, &[expected]);
        assert!(!team.path().join("escaped").exists());
    };
    check("cwd: ../escaped\nturns: []", "without `.` and `..`");
    check("cwd: /tmp\nturns: []", "without `.` and `..`");
    check("repository: nowhere\nturns: []", "failed to find");
    let elsewhere = "repository: ../../..\ncwd: project/a\nturns: []";
    check(elsewhere, "not in the repository");
    let made = "repository: ../../..\ngit: {}\nturns: []";
    check(made, "`git` and `symlinks` do not go");
    let outside = "git: {write: {../../x: a}}\nturns: []";
    check(outside, "without `.` and `..`");
    if cfg!(unix) {
        let elsewhere = tempfile::tempdir().unwrap();
        let linked = format!("symlinks: {{project/a: {}}}", elsewhere.path().display());
        for git in [
            "write: {a/x: a}",
            "write: {a/b/x: a}",
            "directory: project/a",
        ] {
            let scenario = format!("{linked}\ngit: {{{git}}}\nturns: []");
            check(&scenario, "leads out of the scenario");
        }
        let made = fs::read_dir(elsewhere.path()).unwrap().count();
        assert_eq!(made, 0);
    }
}

#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    use std::os::unix::fs::symlink;

    let victim = "not a request";
    let folder = ".aside/scenarios/first";
    let check = |link: &str, target: &str, expected: &str| {
        let team = Team::new();
        team.write("victim/request-1.json", victim);
        team.write("victim/scenario.yaml", SCENARIO);
        let link = team.path().join(link);
        let _ = fs::remove_file(&link).or_else(|_| fs::remove_dir_all(&link));
        symlink(team.path().join(target), &link).unwrap();
        team.check(&[SCENARIOS, "--bless"], 1, &[expected]);
        team.check(&[SCENARIOS], 1, &[expected]);
        let reported = String::from_utf8(team.run(&[SCENARIOS], None).stderr).unwrap();
        assert!(!reported.contains("--bless"), "{reported}");
        let now = fs::read_to_string(team.path().join("victim/request-1.json")).unwrap();
        assert_eq!(now, victim);
        assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    };
    let file = "request-1.json: expected a file, found a link";
    let request = format!("{folder}/request-1.json");
    check(&request, "victim/request-1.json", file);
    check(&request, "victim/absent.json", file);
    check(folder, "victim", "first: expected a folder, found a link");
    let scenario = "scenario.yaml: expected a file, found a link";
    check(
        &format!("{folder}/scenario.yaml"),
        "victim/scenario.yaml",
        scenario,
    );
    let tree = "tree: expected a folder, found a link";
    check(&format!("{folder}/tree"), "docs", tree);
}

#[cfg(unix)]
#[test]
fn blessing_writes_no_other_name_of_a_file() {
    let team = Team::new();
    team.write("elsewhere.json", "{}");
    let written = team.path().join(".aside/scenarios/first/request-1.json");
    fs::hard_link(team.path().join("elsewhere.json"), &written).unwrap();
    team.bless();
    let elsewhere = fs::read_to_string(team.path().join("elsewhere.json")).unwrap();
    assert_eq!(elsewhere, "{}");
    assert!(fs::metadata(written).unwrap().len() > 2);
}

#[cfg(unix)]
#[test]
fn a_link_that_no_turn_makes_is_left_alone() {
    let team = Team::new();
    team.bless();
    let surplus = team.path().join(".aside/scenarios/first/request-2.json");
    std::os::unix::fs::symlink(team.path().join("CLAUDE.md"), &surplus).unwrap();
    team.check(&[SCENARIOS], 1, &["no turn makes"]);
    team.check(&[SCENARIOS, "--bless"], 1, &["found a link"]);
    assert!(team.path().join("CLAUDE.md").is_file());
}

#[test]
fn blessing_is_suggested_if_it_helps() {
    let check = |scenario: &str, helps: bool, expected: &str| {
        let team = Team::new();
        team.write(".aside/scenarios/first/scenario.yaml", scenario);
        team.check(&[SCENARIOS], 1, &["1 scenario, 1 failed", expected]);
        let reported = String::from_utf8(team.run(&[SCENARIOS], None).stderr).unwrap();
        assert_eq!(reported.contains("--bless"), helps, "{reported}");
    };
    check(SCENARIO, true, "request-1.json is missing");
    check("turns: [", false, "scenario.yaml:1: ");
    check("turns: []\n", false, "the scenario has no turns");
    check(
        "extends: ../first\n",
        false,
        "expected the name of a scenario",
    );
    check("extends: nowhere\n", false, "failed to read");
    let both = format!("{SCENARIO}resets: {{1: tools}}\n");
    check(
        &both,
        false,
        "resets the prefix for no reason, expected tools",
    );
    let deep = format!("turns: {}", "[".repeat(50_000));
    check(
        &deep,
        false,
        "scenario.yaml:1: expected at most 128 brackets",
    );
}

#[test]
fn trailing_white_space_is_reported_as_text() {
    let team = Team::new();
    team.bless();
    let written = team.path().join(".aside/scenarios/first/request-1.json");
    let json = fs::read_to_string(&written).unwrap();
    let end = format!("byte {}, where the request ends: ", json.len());
    fs::write(&written, format!("{json}\n")).unwrap();
    team.check(
        &[SCENARIOS],
        1,
        &[&end, "a line break or other white space"],
    );
    fs::write(&written, format!("{json}{json}")).unwrap();
    team.check(&[SCENARIOS], 1, &[&end, "more is expected"]);
    fs::write(&written, json.replacen('{', "[", 1)).unwrap();
    team.check(
        &[SCENARIOS],
        1,
        &["byte 0, at the top level, from the envelope"],
    );
}

/// A scenario comes with a repository, and must not render another one.
#[test]
fn a_repository_outside_the_folder_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = directory.path().join("project/scenarios/a");
    fs::create_dir_all(&scenario).unwrap();
    fs::create_dir_all(directory.path().join("project/.git")).unwrap();
    fs::create_dir_all(directory.path().join("outside")).unwrap();
    let text = |repository: &str| {
        format!("description: x\nrepository: {repository}\nturns:\n  - - user: x\n")
    };
    for (repository, is_refused) in [("../../../outside", true), ("../..", false), ("/", true)] {
        fs::write(scenario.join("scenario.yaml"), text(repository)).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_aside"))
            .args(["verify", "scenarios", "--bless"])
            .current_dir(directory.path().join("project"))
            .env_remove("CI")
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let refused = printed.contains("is outside the repository of the scenario");
        assert_eq!(refused, is_refused, "{repository}: {printed}");
    }
}

#[test]
fn the_usual_folder_is_the_default_and_has_a_form_for_machines() {
    let team = Team::new();
    let output = team.run(&[], None);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("if this is right: aside verify --bless"),
        "{error}"
    );
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
    assert!(
        failure.contains(" .aside/scenarios/first/request-1.json differs"),
        "{failure}"
    );
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    let output = command
        .arg("verify")
        .current_dir(empty.path())
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("aside init writes a first scenario"),
        "{error}"
    );
}

#[test]
fn a_readable_form_is_written_and_compared() {
    let team = Team::new();
    team.bless();
    let text = team.path().join(".aside/scenarios/first/request-1.txt");
    let written = fs::read_to_string(&text).unwrap();
    let line = |margin: &str, line: &str| format!("{margin:<28}| {line}\n");
    for expected in [
        line("CLAUDE.md", "# Team"),
        line("docs/style.md", "Short functions."),
        line("reminder tests", "<system-reminder>"),
        line("", "Run the tests."),
        "== system[0]".to_owned(),
        "  <- cache marker, 5m\n".to_owned(),
    ] {
        assert!(
            written.contains(&expected),
            "{expected:?} is not in: {written}"
        );
    }
    assert!(!written.contains(team.path().to_str().unwrap()));
    fs::write(&text, written.replace("Use tabs.", "Use spaces.")).unwrap();
    team.check(
        &[],
        1,
        &[
            "request-1.txt differs: line ",
            "| Use spaces.",
            "| Use tabs.",
        ],
    );
    fs::remove_file(&text).unwrap();
    team.check(&[], 1, &["request-1.txt is missing"]);
}

#[test]
fn pinned_parts_alone_are_compared() {
    let team = Team::new();
    let pins = "pin: [instruction_files, reminders, settings, skills]";
    let scenario = SCENARIO.replace("turns:", &format!("{pins}\nturns:"));
    team.write(".aside/scenarios/first/scenario.yaml", &scenario);
    let skill = "---\nname: release\ndescription: Cuts a release.\n---\nx\n";
    team.write(".claude/skills/release/SKILL.md", skill);
    team.bless();
    let folder = team.path().join(".aside/scenarios/first");
    assert!(!folder.join("request-1.json").exists());
    let written = fs::read_to_string(folder.join("request-1.txt")).unwrap();
    for expected in [
        "release: Cuts a release.",
        "Use tabs.",
        "Run the tests.",
        "French",
    ] {
        assert!(
            written.contains(expected),
            "{expected:?} is not in: {written}"
        );
    }
    // Nothing of ours: neither the identity nor the prompt nor the user's text.
    for other in ["Explain the build", "== ", "/scenario"] {
        assert!(!written.contains(other), "{other:?} is in: {written}");
    }
    assert!(written.lines().count() < 20, "{written}");
    team.remind("Run all tests.");
    team.check(&[], 1, &["request-1.txt differs: line ", "Run all tests."]);
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
    assert_eq!(output.matches("  expected: ").count(), 1, "{output}");
    let same = "the same change in 3 scenarios: first, second, third\n3 scenarios, 3 failed\n";
    assert!(output.ends_with(same), "{output}");
}

#[test]
fn a_missing_repository_is_a_warning() {
    let team = Team::new();
    let wrong = SCENARIO.replace("../../..", "../..");
    team.write(".aside/scenarios/first/scenario.yaml", &wrong);
    for arguments in [&["--bless"][..], &[]] {
        let output = team.run(arguments, None);
        let reported = String::from_utf8(output.stderr).unwrap();
        for expected in [
            "warning: first: repository: ",
            ".aside is not the root of a repository",
            ".aside has no instruction file",
        ] {
            assert!(
                reported.contains(expected),
                "{expected:?} is not in: {reported}"
            );
        }
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn init_writes_missing_files() {
    let team = tempfile::tempdir().unwrap();
    let root = team.path().canonicalize().unwrap();
    for directory in [".git", ".github", "src"] {
        fs::create_dir(root.join(directory)).unwrap();
    }
    fs::write(root.join("CLAUDE.md"), "Use tabs.\n").unwrap();
    let run = |directory: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
        command.args(arguments).current_dir(root.join(directory));
        let command = command.env_clear().env("HOME", &root);
        let output = command.output().unwrap();
        assert!(output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let printed = run("src", &["init"]);
    assert_eq!(
        printed,
        format!(
            "{}\n  found  git repository\n  found  CLAUDE.md\n  found  CI: GitHub Actions\n  \
             wrote  .aside/scenarios/first/scenario.yaml\n  \
             wrote  .aside/reminders/run-tests.md\n  \
             wrote  .github/workflows/aside-verify.yml\n  \
             next   aside verify --bless\n  next   aside verify\n",
            root.display()
        )
    );
    fs::write(root.join(".aside/reminders/run-tests.md"), "mine").unwrap();
    let again: serde_json::Value = serde_json::from_str(&run("", &["init", "--json"])).unwrap();
    assert_eq!(again["written"], serde_json::json!([]));
    assert_eq!(again["kept"].as_array().unwrap().len(), 3);
    let kept = fs::read_to_string(root.join(".aside/reminders/run-tests.md")).unwrap();
    assert_eq!(kept, "mine");
    fs::remove_file(root.join(".aside/reminders/run-tests.md")).unwrap();
    run("", &["verify", "--bless"]);
    assert!(run("", &["verify"]).ends_with("1 scenario, 0 failed\n"));
    let workflow = include_str!("../../../docs/aside-verify.yml");
    let written = fs::read_to_string(root.join(".github/workflows/aside-verify.yml")).unwrap();
    assert_eq!(written, workflow);
}

/// A repository has a link to another directory in the place of one that init
/// writes to.
#[cfg(unix)]
#[test]
fn init_writes_nothing_outside_of_the_repository() {
    for link in [
        ".aside",
        ".aside/scenarios",
        ".aside/scenarios/first",
        ".aside/reminders",
        ".github",
        ".github/workflows",
    ] {
        let (team, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(team.path().join(".git")).unwrap();
        let link = team.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(outside.path(), &link).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
        command.arg("init").current_dir(team.path());
        let output = command
            .env_clear()
            .env("HOME", team.path())
            .output()
            .unwrap();
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{reported}");
        let expected = format!("is outside of the repository: {}", outside.path().display());
        assert!(reported.contains(&expected), "{reported}");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
    // A link that stays inside is followed.
    let team = tempfile::tempdir().unwrap();
    for directory in [".git", "agents"] {
        fs::create_dir(team.path().join(directory)).unwrap();
    }
    std::os::unix::fs::symlink("agents", team.path().join(".aside")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    command.arg("init").current_dir(team.path());
    let output = command
        .env_clear()
        .env("HOME", team.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(team.path().join("agents/reminders/run-tests.md").is_file());
}
