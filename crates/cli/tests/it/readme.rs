//! The README's commands work as written, from an empty home.

#![cfg(unix)]
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::executable;

const README: &str = include_str!("../../../../README.md");

fn commands(section: &str) -> Vec<&'static str> {
    let (_, rest) = README.split_once(section).unwrap();
    let rest = rest.split("\n## ").next().unwrap();
    let rest = rest.split("\n### ").next().unwrap();
    let lines: Vec<_> = rest.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(!lines.is_empty(), "{section} has no commands");
    lines
}

fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap()
}

/// A new user's machine: an empty home, `aside` and an agent.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for name in ["home", "bin", "work"] {
            fs::create_dir(machine.path(name)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_aside"), machine.path("bin/aside")).unwrap();
        let agent = machine.path("bin/my-agent");
        executable::write_executable(&agent, "#!/bin/sh\n[ -n \"$ANTHROPIC_BASE_URL\" ]\n");
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, line: &str) -> Output {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.path("work"));
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        shell.env_clear().env("HOME", self.path("home")).env("PATH", path);
        shell.output().unwrap()
    }
}

#[test]
fn the_readme_is_short() {
    let lines = README.lines().count();
    assert!(lines <= 90, "{lines} lines");
}

/// The first command prints a request; the second runs all tests, as CI does.
#[test]
fn the_first_two_commands_are_enough() {
    let commands = commands("## Start");
    assert_eq!(commands.len(), 2, "{commands:?}");
    let render = commands[0].replace("cargo run --no-default-features --", "aside");
    let output = Machine::new().run(&render);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let body: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(body["messages"].to_string().contains("Explain the build"));
    let (test, _) = commands[1].split_once('#').unwrap();
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert_eq!(test.trim(), "cargo test --workspace");
    assert!(ci.contains(test.trim()), "CI runs other tests");
}

#[test]
fn x_ray_runs_in_a_checkout() {
    let machine = Machine::new();
    symlink(root().join("docs"), machine.path("work/docs")).unwrap();
    for line in commands("### X-ray") {
        if cfg!(not(feature = "network")) && line.starts_with("aside proxy") {
            continue;
        }
        let output = machine.run(line);
        assert_eq!(output.status.code(), Some(0), "{line} {output:?}");
    }
    let left = fs::read_dir(machine.path("home")).unwrap().count();
    assert_eq!(left, 0, "the commands created files in the home directory");
}

#[test]
fn ci_runs_in_a_new_repository() {
    let machine = Machine::new();
    fs::write(machine.path("work/CLAUDE.md"), "Use tabs.\n").unwrap();
    fs::create_dir(machine.path("work/.github")).unwrap();
    let skill = machine.path("work/.claude/skills/lint/SKILL.md");
    fs::create_dir_all(skill.parent().unwrap()).unwrap();
    fs::write(&skill, "---\nname: lint\ndescription: Lints\n---\nRun it.\n").unwrap();
    assert!(machine.run("git init --quiet .").status.success());
    for line in commands("### CI") {
        let output = machine.run(line);
        assert_eq!(output.status.code(), Some(0), "{line} {output:?}");
        assert!(output.stderr.is_empty(), "{line} {output:?}");
    }
    let text = ".aside/scenarios/root/request-1.txt";
    let text = fs::read_to_string(machine.path("work").join(text)).unwrap();
    assert!(text.contains("Use tabs."), "{text}");
    for (path, before, after) in
        [(machine.path("work/CLAUDE.md"), "tabs", "spaces"), (skill, "Lints", "Checks")]
    {
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(before, after)).unwrap();
        let output = machine.run("aside verify");
        assert_eq!(output.status.code(), Some(1), "{before} {output:?}");
        fs::write(&path, text).unwrap();
    }
    assert_eq!(machine.run("aside verify").status.code(), Some(0));
}

/// `cargo xtask examples` runs the program whose lines the page shows.
#[test]
fn the_lines_of_rust_are_those_of_a_program() {
    let (_, lines) = README.split_once("```rust\n").unwrap();
    let (lines, _) = lines.split_once("\n```").unwrap();
    let program = fs::read_to_string(root().join("crates/reminder/README.md")).unwrap();
    for line in lines.lines() {
        let code = line.split(" //").next().unwrap();
        assert!(program.contains(code), "{code}");
    }
}

/// Returns the files that the text links to, without anchors.
fn linked(text: &str) -> Vec<&str> {
    // Code blocks contain no links.
    let prose = text.split("\n```").step_by(2);
    let links = prose.flat_map(|it| it.split("](").skip(1));
    let links = links.filter_map(|rest| rest.split_once(')'));
    let files = links.filter_map(|(link, _)| link.split('#').next());
    files.filter(|it| !it.is_empty() && !it.contains(':') && !it.contains(' ')).collect()
}

#[test]
fn links_lead_to_files() {
    let mut documents: Vec<PathBuf> = Vec::new();
    for directory in [root().to_owned(), root().join("docs"), root().join("crates")] {
        let entries = fs::read_dir(directory).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        documents.extend(paths.filter(|it| it.extension().is_some_and(|end| end == "md")));
    }
    let mut count = 0;
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for link in linked(&text) {
            let target = document.parent().unwrap().join(link);
            assert!(target.exists(), "{}: {link}", document.display());
            count += 1;
        }
    }
    assert!(count > 100, "only {count} links were found");
    assert_eq!(linked("[a](b.md#c) [d](https://e)\n```\n[f](g)\n```\n[h](#i)"), ["b.md"]);
}
