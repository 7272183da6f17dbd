//! `aside verify` in a team's repository.

mod bless;
mod changes;
mod checkout;
mod ignored;
mod init;
mod page;
mod partial_clone;
mod readable;
mod report;
mod reports;
mod review;
mod rules;
mod scenario;
mod shapes;
mod sources;

use crate::support::git;

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
        git(self.path(), arguments);
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "x"]);
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
        let printed = String::from_utf8(output.stdout).unwrap();
        let faults = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{printed}{faults}");
        for expected in expected {
            assert!(printed.contains(expected), "{expected:?} is not in: {printed}");
        }
    }

    fn bless(&self) {
        self.check(&[SCENARIOS, "--bless"], 0, &["1 scenario, 0 failed"]);
    }
}

/// Runs `aside` with a limit for the size of the files that it writes, in KiB.
#[cfg(unix)]
fn limited(directory: &Path, limit: usize, arguments: &str) -> Output {
    let script = format!("ulimit -f {limit}; trap '' XFSZ; exec \"$0\" {arguments}");
    let mut shell = Command::new("bash");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_aside")]).current_dir(directory);
    shell.env_remove("CI").output().unwrap()
}

#[test]
fn changed_parts_are_named() {
    let team = Team::new();
    team.check(&[SCENARIOS], 1, &["request-1.json is missing"]);
    team.bless();
    team.check(&[SCENARIOS], 0, &["1 scenario, 0 failed"]);
    let written = team.path().join(".aside/scenarios/first/request-1.json");
    let written = fs::read_to_string(written).unwrap();
    for part in
        ["Use tabs.", "Short functions.", "Run the tests.", "French", "Contents of CLAUDE.md"]
    {
        assert!(written.contains(part), "{part:?} is not in {written}");
    }
    assert!(!written.contains(team.path().to_str().unwrap()));

    team.write("CLAUDE.md", "# Team\n\nUse spaces.\n@docs/style.md\n");
    let file = "from CLAUDE.md";
    team.check(&[SCENARIOS], 1, &["messages[0]", file, "tabs.", "spaces."]);
    let diff = ["- | Use tabs.", "+ | Use spaces."];
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

/// A marker on a prompt below the model's minimum is lost in silence, and the API accepts it.
#[test]
fn what_the_api_accepts_is_no_failure() {
    let team = Team::new();
    let scenario = "model: claude-opus-4-6\nturns:\n  - - user: Hi\n";
    team.write(".aside/scenarios/first/scenario.yaml", scenario);
    team.check(&["--bless"], 0, &[]);
    team.check(&[], 0, &["0 failed"]);
}

#[test]
fn files_of_the_user_are_ignored() {
    let team = Team::new();
    team.bless();
    team.write("CLAUDE.local.md", "Mine.");
    team.write(".claude/settings.local.json", r#"{"language":"Latin"}"#);
    team.check(&[SCENARIOS], 0, &[]);
    // Nor does git's state, which differs between checkouts.
    team.git(&["checkout", "--quiet", "-b", "other"]);
    team.git(&["add", "--all"]);
    team.check(&[SCENARIOS], 0, &[]);
}

#[test]
fn usage_errors_have_their_exit_code() {
    let team = Team::new();
    for arguments in [&["nowhere"][..], &["docs"], &["--bles"], &["CLAUDE.md"]] {
        let code = team.run(arguments, None).status.code();
        assert_eq!(code, Some(2), "{arguments:?}");
    }
}
