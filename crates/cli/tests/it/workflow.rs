//! Runs the CI workflows step by step as written, on a clean machine: an empty
//! home, a fresh clone, no `aside`.
//!
//! A script replaces `cargo`: it checks what it would install, and installs the
//! program under test.

#![cfg(unix)]
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;

use crate::support::{executable, git};

const GITHUB: &str = include_str!("../../../../docs/aside-verify.yml");
const GITLAB: &str = include_str!("../../src/init/gitlab.yml");

/// Installs as `cargo install --path DIRECTORY` does, without compiling.
const CARGO: &str = r#"#!/bin/sh
set -eu
[ "$1" = install ] && [ "$2" = --path ]
grep -q '^name = "aside"$' "$3/Cargo.toml"
[ "$4 $5 $6" = "--no-default-features --features verify" ] && grep -q '^verify = ' "$3/Cargo.toml"
[ "$7" = --locked ] && [ -f "$3/../../Cargo.lock" ]
[ "$8" = --debug ]
[ $# = 8 ]
mkdir -p "$HOME/.cargo/bin"
ln -s "$ASIDE_UNDER_TEST" "$HOME/.cargo/bin/aside"
"#;

/// Keeps one comment, as the GitHub API does, and each change's method.
const GH: &str = r#"#!/bin/sh
set -eu
[ "$1" = api ] && [ "$GH_TOKEN" = token ]
case "$*" in
  "api --paginate repos/team/app/issues/12/comments --jq "*) [ ! -f "$HOME/comment.md" ] || echo 7 ;;
  "api --silent --method POST repos/team/app/issues/12/comments -F body=@review.md") ;;
  "api --silent --method PATCH repos/team/app/issues/comments/7 -F body=@review.md") ;;
  *) exit 9 ;;
esac
if [ "$2" = --silent ]; then
  cp review.md "$HOME/comment.md"
  echo "$4" >> "$HOME/methods"
fi
"#;

#[derive(Deserialize)]
struct Workflow {
    env: BTreeMap<String, String>,
    jobs: BTreeMap<String, Job>,
}

#[derive(Deserialize)]
struct Job {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    uses: Option<String>,
    run: Option<String>,
    #[serde(rename = "if")]
    condition: Option<String>,
    #[serde(default)]
    with: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// What started a run.
#[derive(Clone, Copy, PartialEq)]
enum Event {
    Push,
    PullRequest,
    Fork,
}

impl Step {
    fn runs(&self, is_green: bool, event: Event) -> bool {
        match self.condition.as_deref() {
            None => is_green,
            Some("always()") => true,
            Some("always() && github.event_name == 'pull_request'") => event != Event::Push,
            Some(
                "always() && github.event.pull_request.head.repo.full_name == github.repository",
            ) => event == Event::PullRequest,
            Some(other) => panic!("a condition that this test does not know: {other}"),
        }
    }

    fn variables(&self, workflow: &Workflow) -> BTreeMap<String, String> {
        let value = |text: &String| match text.as_str() {
            "${{ github.token }}" => "token".to_owned(),
            "${{ github.event.pull_request.number }}" => "12".to_owned(),
            text => text.to_owned(),
        };
        let all = workflow.env.iter().chain(&self.env);
        let given = [("GITHUB_REPOSITORY", "team/app"), ("GITHUB_STEP_SUMMARY", "../summary.md")];
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned()));
        all.map(|(name, text)| (name.clone(), value(text))).chain(given).collect()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Pipeline {
    aside_verify: PipelineJob,
}

#[derive(Deserialize)]
struct PipelineJob {
    variables: BTreeMap<String, String>,
    script: Vec<String>,
    artifacts: Artifacts,
}

#[derive(Deserialize)]
struct Artifacts {
    reports: Reports,
}

#[derive(Deserialize)]
struct Reports {
    junit: String,
}

/// A team's repository, after `aside init` and a commit.
struct Team {
    directory: tempfile::TempDir,
}

impl Team {
    fn new(ci: &str) -> Self {
        let team = Self { directory: tempfile::tempdir().unwrap() };
        let origin = team.origin();
        fs::create_dir_all(origin.join(".github")).unwrap();
        fs::write(origin.join(".github/CODEOWNERS"), "* @team\n").unwrap();
        if ci == "gitlab" {
            fs::remove_dir_all(origin.join(".github")).unwrap();
            fs::write(origin.join(".gitlab-ci.yml"), "include: .gitlab/aside-verify.yml\n")
                .unwrap();
        }
        fs::write(origin.join("CLAUDE.md"), "Use tabs.\n").unwrap();
        team.git(&["init", "--quiet", "."]);
        for arguments in [&["init"][..], &["verify", "--bless"]] {
            let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
            let aside = aside.args(arguments).current_dir(&origin);
            let aside = aside.env_remove("CI").env("HOME", team.directory.path());
            let output = aside.output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
        team.commit();
        team
    }

    fn origin(&self) -> PathBuf {
        self.directory.path().join("origin")
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "change"]);
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.origin(), arguments);
    }
}

/// A clean CI machine.
struct Machine {
    directory: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["home", "bin"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        for (name, script) in [("cargo", CARGO), ("gh", GH)] {
            executable::write_executable(&directory.path().join("bin").join(name), script);
        }
        Self { directory }
    }

    fn workspace(&self) -> PathBuf {
        self.directory.path().join("workspace")
    }

    /// Clones the repository, with aside's source as a submodule.
    fn checkout(&self, team: &Team, sources: &str) {
        let mut git = Command::new("git");
        git.args(["clone", "--quiet"]).arg(team.origin()).arg(self.workspace());
        assert!(git.status().unwrap().success());
        let sources = self.workspace().join(sources);
        fs::create_dir_all(sources.parent().unwrap()).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        symlink(root, sources).unwrap();
    }

    /// Runs a step as the runner does.
    fn run(&self, line: &str, variables: &BTreeMap<String, String>) -> Output {
        let home = self.directory.path().join("home");
        let path = format!(
            "{}:{}:/usr/bin:/bin",
            self.directory.path().join("bin").display(),
            home.join(".cargo/bin").display()
        );
        let mut bash = Command::new("bash");
        bash.args(["-e", "-c", line]).current_dir(self.workspace());
        bash.env_clear().envs(variables).env("CI", "true");
        bash.env("ASIDE_UNDER_TEST", env!("CARGO_BIN_EXE_aside"));
        bash.env("HOME", home).env("PATH", path);
        bash.output().unwrap()
    }
}

/// Runs the workflow on a machine. Returns true when its job is green, and the
/// report.
fn github_on(machine: &Machine, team: &Team, event: Event) -> (bool, String) {
    let workflow: Workflow = aside_user_files::yaml(GITHUB).unwrap();
    let (mut is_green, mut report) = (true, None);
    for step in workflow.jobs.values().flat_map(|job| &job.steps) {
        if !step.runs(is_green, event) {
            continue;
        }
        match (step.uses.as_deref(), &step.run) {
            (Some("actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683"), None) => {
                assert_eq!(
                    (&step.with["submodules"], &step.with["fetch-depth"]),
                    (&true.into(), &2.into())
                );
                machine.checkout(team, &workflow.env["ASIDE_SOURCES"]);
            }
            (Some("actions/cache@v4"), None) => {
                let key = step.with["key"].as_str().unwrap();
                for files in ["Cargo.lock", "crates/**"] {
                    let files = format!("format('{{0}}/{files}', env.ASIDE_SOURCES)");
                    assert!(key.contains(&files), "{key}");
                }
            }
            (Some("actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02"), None) => {
                let path = step.with["path"].as_str().unwrap();
                report = Some(fs::read_to_string(machine.workspace().join(path)).unwrap());
            }
            (None, Some(line)) => {
                let output = machine.run(line, &step.variables(&workflow));
                let may_fail = line.starts_with("aside verify --junit");
                assert!(output.status.success() || may_fail, "{line}: {output:?}");
                is_green &= output.status.success();
            }
            (uses, _) => panic!("a step that this test does not know: {uses:?}"),
        }
    }
    (is_green, report.unwrap())
}

fn github(team: &Team) -> (bool, String) {
    github_on(&Machine::new(), team, Event::Push)
}

fn gitlab(team: &Team) -> (bool, String) {
    let pipeline: Pipeline = aside_user_files::yaml(GITLAB).unwrap();
    let job = pipeline.aside_verify;
    let machine = Machine::new();
    machine.checkout(team, &job.variables["ASIDE_SOURCES"]);
    let mut lines = job.script.iter();
    let is_green = lines.all(|line| machine.run(line, &job.variables).status.success());
    let report = machine.workspace().join(job.artifacts.reports.junit);
    (is_green, fs::read_to_string(report).unwrap())
}

fn check(ci: &str, run: impl Fn(&Team) -> (bool, String)) {
    let team = Team::new(ci);
    let (is_green, report) = run(&team);
    assert!(is_green && report.contains("failures=\"0\""), "{report}");

    fs::write(team.origin().join("CLAUDE.md"), "Use spaces.\n").unwrap();
    team.commit();
    let (is_green, report) = run(&team);
    assert!(!is_green && report.contains("| Use spaces."), "{report}");
}

#[test]
fn the_workflow_for_github_is_green_until_an_instruction_file_changes() {
    check("github", github);
}

#[test]
fn the_job_for_gitlab_is_green_until_an_instruction_file_changes() {
    check("gitlab", gitlab);
}

/// The review is one comment, to be updated by the second run; a fork has it
/// only in the summary.
#[test]
fn a_pull_request_gets_its_review_as_one_comment() {
    let team = Team::new("github");
    fs::write(team.origin().join("CLAUDE.md"), "Use spaces.\n").unwrap();
    team.commit();
    for (event, methods) in [(Event::PullRequest, "POST\nPATCH\n"), (Event::Fork, "")] {
        let machine = Machine::new();
        let read = |path: &str| {
            fs::read_to_string(machine.directory.path().join(path)).unwrap_or_default()
        };
        for _ in 0..2 {
            github_on(&machine, &team, event);
            fs::remove_dir_all(machine.workspace()).unwrap();
        }
        assert_eq!(read("home/methods"), methods);
        let (comment, summary) = (read("home/comment.md"), read("summary.md"));
        assert_eq!(comment.contains("\n+ Use spaces.\n"), event == Event::PullRequest, "{comment}");
        assert!(summary.contains("\n- Use tabs.\n+ Use spaces.\n"), "{summary}");
        assert!(summary.contains("    <testsuites"), "{summary}");
    }
}
