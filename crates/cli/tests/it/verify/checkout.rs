//! Every checkout has the same bytes, wherever it is.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::init::aside;
use crate::support::git;

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Blesses a repository, and compares it after it moved.
#[track_caller]
fn check_moved(from: &Path, to: &Path) {
    git(from, &["init", "--quiet"]);
    let bless = aside(from, "", &["verify", "--bless"]);
    assert!(bless.status.success(), "{bless:?}");
    assert_eq!(String::from_utf8_lossy(&bless.stderr), "");
    fs::rename(from, to).unwrap();
    let verify = aside(to, "", &["verify"]);
    assert!(verify.status.success(), "{}", String::from_utf8_lossy(&verify.stdout));
}

#[test]
fn paths_in_texts_by_people_stay() {
    for (layout, provider) in [("layered", "first-party"), ("classic", "vertex")] {
        let machine = tempfile::tempdir().unwrap();
        let machine = fs::canonicalize(machine.path()).unwrap();
        let team = machine.join("team");
        let own = team.to_str().unwrap();
        let file = |key: &str, path: &str, more: &str| {
            write(&team, path, &format!("---\n{key}: Runs {own}/{more}\n---\nBody\n"));
        };
        write(&team, "CLAUDE.md", &format!("Run {own}/build.\r\n{own}\n# environment\n"));
        file("name: d\ndescription", ".claude/skills/d/SKILL.md", "(skill)");
        file("name: a\ndescription", ".claude/agents/a.md", "agent");
        write(&team, ".claude/settings.json", &format!(r#"{{"language": "that of {own}/x"}}"#));
        let reminder = format!("---\nschedule: {{kind: always}}\n---\nTest {own}/reminder.\n");
        write(&team, ".aside/reminders/tests.md", &reminder);
        write(&team, "notes.md", &format!("{own}/noted\n"));
        let scenario = format!(
            "repository: ../../..\nlayout: {layout}\nprovider: {provider}\nsections:\n  - {{name: \
             own, lifetime: session, text: See {own}/section}}\nturns:\n  - - prompt: Look at \
             {own}/user and @notes.md\n  - - assistant: [{{tool_use: {{id: t, name: Read, input: \
             '{{\"path\":\"{own}/input\"}}'}}}}]\n    - tool_result: {{id: t, text: {own}/result}}\n"
        );
        write(&team, ".aside/scenarios/b/scenario.yaml", &scenario);
        let clone = machine.join("clone");
        check_moved(&team, &clone);
        let body = fs::read_to_string(clone.join(".aside/scenarios/b/request-2.json")).unwrap();
        for text in [
            "build.",
            "(skill)",
            "agent",
            "x",
            "reminder.",
            "noted",
            "section",
            "user",
            "input",
            "result",
        ] {
            let text = format!("{own}/{text}");
            assert!(body.contains(&text), "{text} is not in: {body}");
        }
        for path in ["", "/.claude/skills/d/SKILL.md", "/notes.md"] {
            let text = format!("/scenario/project{path}");
            assert!(body.contains(&text), "{text} is not in: {body}");
        }
        assert_eq!(body.matches(own).count(), 11, "{body}");
    }
}

/// A path is written as it is, on one line, and in JSON.
#[cfg(unix)]
#[test]
fn every_spelling_of_the_path_is_replaced() {
    for name in ["x\"y", "b\\s", "zero\u{200b}width", "a\nb", "it's", "a b"] {
        let machine = tempfile::tempdir().unwrap();
        let machine = fs::canonicalize(machine.path()).unwrap();
        let team = machine.join(name);
        write(&team, "CLAUDE.md", "Use tabs. @docs/a.md\n");
        write(&team, "docs/a.md", "Use spaces.\n");
        write(&team, "docs/CLAUDE.md", "Short lines.\n");
        let skill = "---\nname: d\ndescription: Runs\n---\nBody\n";
        write(&team, ".claude/skills/d/SKILL.md", skill);
        let turns = "turns:\n  - - prompt: Read @docs/a.md and @docs\n";
        let scenario = format!("repository: ../../..\nlayout: classic\n{turns}");
        write(&team, ".aside/scenarios/b/scenario.yaml", &scenario);
        write(&team, ".aside/scenarios/c/scenario.yaml", &format!("repository: ../../..\n{turns}"));
        let clone = machine.join("clone");
        check_moved(&team, &clone);
        for scenario in ["b", "c"] {
            for request in ["request-1.json", "request-1.txt"] {
                let request = clone.join(".aside/scenarios").join(scenario).join(request);
                let text = fs::read_to_string(request).unwrap();
                assert!(!text.contains(machine.to_str().unwrap()), "{text}");
            }
        }
    }
}

/// Claude Code makes worktrees below `.claude`, and `~/.claude` may be a repository itself.
#[test]
fn a_repository_may_be_in_a_claude_directory_or_be_one() {
    for place in [".claude/worktrees/fix", ".claude"] {
        let machine = tempfile::tempdir().unwrap();
        let machine = fs::canonicalize(machine.path()).unwrap();
        let team = machine.join("team");
        write(&team, "CLAUDE.md", "Use tabs.\n");
        write(&team, ".claude/rules/a.md", "Short lines.\n");
        let scenario = "repository: ../../..\nturns: [[user: x]]\n";
        write(&team, ".aside/scenarios/b/scenario.yaml", scenario);
        let scenario = format!("instructions: claude:2.1.277\n{scenario}");
        write(&team, ".aside/scenarios/c/scenario.yaml", &scenario);
        let home = machine.join("home");
        write(&home, "CLAUDE.md", "Private.\n");
        write(&home, "CLAUDE.local.md", "Private.\n");
        let claude = home.join(".claude");
        if place == ".claude" {
            write(&team, "rules/b.md", "A rule in no other checkout.\n");
        } else {
            for path in ["CLAUDE.md", "AGENTS.md", "rules/private.md", "worktrees/CLAUDE.md"] {
                write(&claude, path, "Private.\n");
            }
        }
        let moved = home.join(place);
        check_moved(&team, &moved);
        git(&moved, &["add", "--all"]);
        git(&moved, &["commit", "--quiet", "--message", "x"]);
        let review = aside(&moved, "", &["verify", "--review", "HEAD"]);
        let review = String::from_utf8_lossy(&review.stdout);
        assert!(review.contains("No agent sees a change in 2 scenarios."), "{place}: {review}");
        let init = aside(&moved, "", &["init", "--json"]);
        let init: serde_json::Value = serde_json::from_slice(&init.stdout).unwrap();
        let own = serde_json::json!([".claude/rules/a.md", "CLAUDE.md"]);
        assert_eq!(init["pinned"], own, "{place}: {init}");
    }
}

/// `TMPDIR` may be in another repository.
#[test]
fn temporary_files_may_be_in_a_repository() {
    let machine = tempfile::tempdir().unwrap();
    let machine = fs::canonicalize(machine.path()).unwrap();
    let team = machine.join("team");
    write(&team, "CLAUDE.md", "Use tabs.\n");
    write(&team, ".aside/scenarios/b/scenario.yaml", "repository: ../../..\nturns: [[user: x]]\n");
    write(&team, ".aside/scenarios/c/scenario.yaml", "turns: [[user: x]]\n");
    let other = machine.join("other");
    write(&other, "CLAUDE.md", "Private.\n");
    for repository in [&team, &other] {
        git(repository, &["init", "--quiet"]);
    }
    let bless = aside(&team, "", &["verify", "--bless"]);
    assert!(bless.status.success(), "{bless:?}");
    for repository in [&team, &other] {
        git(repository, &["add", "--all"]);
        git(repository, &["commit", "--quiet", "--message", "x"]);
    }
    for directory in ["other/tmp", "other/.claude/tmp", ".claude/tmp"] {
        let directory = machine.join(directory);
        fs::create_dir_all(&directory).unwrap();
        let run = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
            command.args(arguments).current_dir(&team).env("TMPDIR", &directory);
            let output = command.output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(run(&["verify"]), "2 scenarios, 0 failed\n", "{directory:?}");
        let review = run(&["verify", "--review", "HEAD"]);
        assert!(review.contains("No agent sees a change in 2 scenarios."), "{review}");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0, "{directory:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_utf8_is_reviewed() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let machine = tempfile::tempdir().unwrap();
    let team = machine.path().join(OsStr::from_bytes(b"team\xff"));
    write(&team, "CLAUDE.md", "Use tabs.\n");
    git(&team, &["init", "--quiet"]);
    assert!(aside(&team, "", &["init"]).status.success());
    git(&team, &["add", "--all"]);
    git(&team, &["commit", "--quiet", "--message", "x"]);
    write(&team, "CLAUDE.md", "Use spaces.\n");
    let review = aside(&team, "", &["verify", "--review", "HEAD"]);
    assert!(review.status.success(), "{review:?}");
    let printed = String::from_utf8(review.stdout).unwrap();
    assert!(printed.contains("- Use tabs.\n+ Use spaces.\n"), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_working_directory_that_is_gone_is_named() {
    for arguments in ["verify", "verify --review HEAD"] {
        let machine = tempfile::tempdir().unwrap();
        let script = format!("rmdir \"$PWD\" && exec \"$0\" {arguments}");
        let mut shell = Command::new("bash");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_aside")]).current_dir(machine.path());
        let output = shell.env_remove("CI").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        let expected = "aside: error: failed to use . as the working directory: ";
        assert!(error.starts_with(expected), "{error}");
    }
}
