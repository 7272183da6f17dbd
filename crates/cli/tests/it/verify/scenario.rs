//! Faults in a `scenario.yaml`, and paths that lead outside its repository.

use std::fs;
use std::process::Command;

use crate::verify::{SCENARIO, SCENARIOS, Team};

#[test]
fn every_fault_of_a_scenario_is_reported_with_its_line() {
    let team = Team::new();
    let scenario = "modle: x\nturns:\n  - - usr: x\nrepositry: ../../..\n";
    team.write(".aside/scenarios/first/scenario.yaml", scenario);
    let file = ".aside/scenarios/first/scenario.yaml";
    let expected = format!(
        "first: {file}:1: unknown key `modle`: did you mean `model`?\n\
         {file}:3: turns[0][0]: unknown value `usr`: did you mean `user`?\n\
         {file}:4: unknown key `repositry`: did you mean `repository`?\n\
         1 scenario, 1 failed\n"
    );
    team.check(&[], 1, &[&expected]);
}

#[test]
fn a_character_that_cannot_be_read_has_its_line() {
    let team = Team::new();
    let file = team.path().join(".aside/scenarios/first/scenario.yaml");
    for (text, fault) in [
        (&b"# 1\n\ndescription: \xff\n"[..], "3: found the byte 0xff, expected UTF-8"),
        (b"# 1\ndescription: \"\x1b\"\n", "2: control characters are not allowed: found U+001B"),
    ] {
        fs::write(&file, text).unwrap();
        let expected = format!("first: .aside/scenarios/first/scenario.yaml:{fault}\n");
        team.check(&[], 1, &[&expected]);
    }
}

#[test]
fn faults_name_the_scenario_once_and_their_key() {
    let team = Team::new();
    let first = ".aside/scenarios/first/scenario.yaml";
    let check = |keys: &str, event: &str, expected: &str| {
        let text = format!("{keys}\nturns:\n  - - {event}user: x\n");
        team.write(first, &text);
        team.check(&[], 1, &[&format!("first: {expected}")]);
    };
    let read = "turn 1: read: expected a text file";
    check("", "read: gone\n    - ", read);
    check("", "read: ../x\n    - ", read);
    let write = "turn 1: write: expected a path without";
    check("", "write: {../x: a}\n    - ", write);
    check("git: {write: {../x: a}}", "", "git: write: expected a path");
    let reset = "request 9 resets the prefix for no reason, expected tools";
    check("resets: {9: tools}", "", reset);
    let reported = "not reported: x (if this is expected, remove it from";
    check("diagnostics: [x]", "", reported);
    let refused = "the last turn is refused for no reason, expected x";
    check("refused: x", "", refused);
    let base = "extends: other\nturns: []\n";
    team.write(".aside/scenarios/base/scenario.yaml", base);
    let extends = ".aside/scenarios/first: extends: expected a scenario that extends no other, found \"base\"";
    check("extends: base", "", extends);
    team.write(".aside/scenarios/other/scenario.yaml", "turns: []\n");
    team.write(".aside/scenarios/first/tree/project/CLAUDE.md", "Use tabs.\n");
    let tree =
        ".aside/scenarios/first/tree: expected no tree of its own: extends uses that of \"other\"";
    check("extends: other", "", tree);
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
    check("cwd: /tmp\nturns: []", "cwd: expected a relative path, found \"/tmp\"");
    check("repository: ../../..\ncwd: ../x\nturns: []", "without `.` and `..`, found \"../x\"");
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
        for git in ["write: {a/x: a}", "write: {a/b/x: a}", "directory: project/a"] {
            let scenario = format!("{linked}\ngit: {{{git}}}\nturns: []");
            check(&scenario, "leads out of the scenario");
        }
        let made = fs::read_dir(elsewhere.path()).unwrap().count();
        assert_eq!(made, 0);
    }
}

/// A scenario comes with a repository: git runs none of its programs, and commits to no other one.
#[cfg(unix)]
#[test]
fn only_git_creates_the_repository_of_a_scenario() {
    use std::os::unix::fs::PermissionsExt;

    let (team, other) = (Team::new(), Team::new());
    other.commit();
    let folder = ".aside/scenarios/first";
    let tree = |path: &str, text: &str| team.write(&format!("{folder}/tree/{path}"), text);
    tree("project/CLAUDE.md", "Use tabs.\n");
    for file in ["project/sub/a", "g/objects/k", "g/refs/k"] {
        tree(file, "");
    }
    tree("g/HEAD", "ref: refs/heads/main\n");
    tree("g/config", "[core]\n\trepositoryformatversion = 0\n");
    let hook = "g/hooks/pre-commit";
    tree(hook, &format!("#!/bin/sh\n: > '{}/ran'\n", team.path().display()));
    let hook = team.path().join(folder).join("tree").join(hook);
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    let before = fs::read(other.path().join(".git/config")).unwrap();
    let outside = format!("{{project/.git: {}}}", other.path().join(".git").display());
    let check = |symlinks: &str, arguments: &[&str], code, expected: &str| {
        let scenario = format!(
            "symlinks: {symlinks}\ngit: {{commits: [{{message: one}}]}}\nturns: [[{{user: x}}]]\n"
        );
        team.write(&format!("{folder}/scenario.yaml"), &scenario);
        team.check(arguments, code, &[expected]);
        assert!(!team.path().join("ran").exists(), "{symlinks}");
    };
    for (symlinks, git) in [
        ("{project/.git: ../g}", "project/.git"),
        (&outside, "project/.git"),
        ("{project/sub/.git: ../../g}", "project/sub/.git"),
        ("{project/.git/hooks: ../../g/hooks}", "project/.git"),
        ("{a: project, project/.git: ../g}", "project/.git"),
    ] {
        check(symlinks, &["--bless"], 1, &format!("{git}: only git creates a `.git`"));
    }
    assert_eq!(fs::read(other.path().join(".git/config")).unwrap(), before);
    // Its own files are no place for one, either.
    tree("project/.git/config", "");
    check("{}", &["--bless"], 1, "project/.git: only git creates a `.git`");
    fs::remove_dir_all(team.path().join(folder).join("tree/project/.git")).unwrap();
    // Neither is one that is written later.
    for (symlinks, path) in [
        ("{}", ".git/commondir"),
        ("{}", "sub/.git"),
        ("{}", ".GIT/objects/info/alternates"),
        ("{project/g: .git}", "g/commondir"),
    ] {
        let written = format!(
            "symlinks: {symlinks}\ngit: {{write: {{{path}: x}}}}\nturns: [[{{user: x}}]]\n"
        );
        team.write(&format!("{folder}/scenario.yaml"), &written);
        team.check(&["--bless"], 1, &["git: write", path, "only git writes into `.git`"]);
    }
    check("{project/AGENTS.md: CLAUDE.md}", &["--bless"], 0, "1 scenario, 0 failed");
    let made = fs::read_to_string(team.path().join(folder).join("request-1.json")).unwrap();
    assert!(made.contains("one"), "{made}");
}

/// The scenario's files are copied elsewhere, so git is not started in their repository.
#[cfg(unix)]
#[test]
fn a_git_of_the_repository_does_not_run() {
    use std::os::unix::fs::PermissionsExt;

    let team = Team::new();
    team.write(".aside/scenarios/first/scenario.yaml", "git: {}\nturns: [[{user: x}]]\n");
    let script = format!("#!/bin/sh\n: > '{}/ran'\n", team.path().display());
    for file in [".aside/scenarios/first/tree/project/git", "node_modules/.bin/git"] {
        team.write(file, &script);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(team.path().join(file), mode).unwrap();
    }
    let bin = team.path().join("node_modules/.bin");
    let path = std::env::var("PATH").unwrap();
    team.commit();
    for arguments in [&["--bless"][..], &[], &["--review", "HEAD"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
        command.current_dir(team.path()).env_remove("CI").arg("verify").args(arguments);
        let output = command.env("PATH", format!(".:{}:{path}", bin.display())).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(!team.path().join("ran").exists(), "{arguments:?}");
    }
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
fn a_missing_repository_is_a_warning() {
    let team = Team::new();
    let wrong = SCENARIO.replace("../../..", "../..");
    team.write(".aside/scenarios/first/scenario.yaml", &wrong);
    for arguments in [&["--bless"][..], &[]] {
        let output = team.run(arguments, None);
        let printed = String::from_utf8(output.stderr).unwrap();
        for expected in [
            "warning: first: repository: ",
            ".aside is not the root of a repository",
            ".aside gives claude no instruction file",
        ] {
            assert!(printed.contains(expected), "{expected:?} is not in: {printed}");
        }
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_warning_about_instruction_files_names_the_agent() {
    let team = Team::new();
    team.write("AGENTS.md", "Use tabs.\n");
    for agent in ["gemini", "codex"] {
        let scenario = SCENARIO.replace("turns:", &format!("instructions: {agent}\nturns:"));
        team.write(".aside/scenarios/first/scenario.yaml", &scenario);
        let printed = String::from_utf8(team.run(&["--bless"], None).stderr).unwrap();
        let warns = printed.contains(" gives gemini no instruction file\n");
        assert_eq!(warns, agent == "gemini", "{printed}");
        assert_eq!(printed.contains("no instruction file"), warns, "{printed}");
    }
}

#[cfg(unix)]
#[test]
fn a_scenario_that_is_no_file_fails_and_hides_no_other() {
    use crate::support::fifo;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let team = Team::new();
    team.bless();
    let scenarios = team.path().join(SCENARIOS);
    let folder = scenarios.join("other");
    fs::create_dir(&folder).unwrap();
    // A folder of something else.
    team.check(&[], 0, &["1 scenario, 0 failed"]);
    let file = folder.join("scenario.yaml");
    let check = |found: &str| {
        let fault = "other: .aside/scenarios/other/scenario.yaml: expected a file, found ";
        let fault = format!("{fault}{found}\n");
        team.check(&[], 1, &[&fault, "2 scenarios, 1 failed"]);
        team.check(&[".aside/scenarios/other"], 1, &[&fault, "1 scenario, 1 failed"]);
    };
    for target in ["gone", "scenario.yaml", "../first/scenario.yaml"] {
        symlink(target, &file).unwrap();
        check("a link");
        fs::remove_file(&file).unwrap();
    }
    fifo::make(&file);
    check("a device, FIFO or socket");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    check("a folder");
    fs::remove_dir_all(&folder).unwrap();
    // macOS has no such names.
    if cfg!(target_os = "linux") {
        let folder = scenarios.join(OsStr::from_bytes(b"b\xff"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("scenario.yaml"), SCENARIO).unwrap();
        let fault = "b\u{fffd}: expected a folder with a name in UTF-8\n";
        team.check(&[], 1, &[fault, "2 scenarios, 1 failed"]);
    }
}
