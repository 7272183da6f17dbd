//! Another checkout lacks the files that git ignores.

use std::fs;
use std::path::Path;

use super::init::aside;
use crate::support::git;

/// Runs `init` in a new repository with these files; returns what `--json` prints.
fn init(root: &Path, files: &[(&str, &str)]) -> serde_json::Value {
    git(root, &["init", "--quiet"]);
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let output = aside(root, "", &["init", "--json"]);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn an_ignored_file_has_no_scenario() {
    for (files, pinned, expected) in [
        (&["CLAUDE.md"][..], &[][..], "CLAUDE.md: git ignores it, another checkout lacks it"),
        (&["AGENTS.md"], &[], "AGENTS.md: git ignores it, another checkout lacks it"),
        (
            &["CLAUDE.md", "GEMINI.md"],
            &["GEMINI.md"],
            "CLAUDE.md: git ignores it, another checkout lacks it",
        ),
    ] {
        let team = tempfile::tempdir().unwrap();
        let ignores = [(".gitignore", "CLAUDE.md\nAGENTS.md\n")].into_iter();
        let files: Vec<_> = ignores.chain(files.iter().map(|it| (*it, "Mine.\n"))).collect();
        let printed = init(team.path(), &files);
        assert_eq!(printed["pinned"], serde_json::json!(pinned), "{printed}");
        let omitted = printed["not_pinned"].as_array().unwrap();
        assert_eq!(omitted.iter().filter(|it| *it == expected).count(), 1, "{printed}");
        assert_eq!(printed["next"].as_array().unwrap().is_empty(), pinned.is_empty());
        let scenarios = team.path().join(".aside/scenarios");
        assert_eq!(scenarios.exists(), !pinned.is_empty(), "{printed}");
    }
}

/// A scenario starts with all files that are there.
#[test]
fn an_ignored_file_next_to_others_is_named() {
    let team = tempfile::tempdir().unwrap();
    let rule = "---\npaths: '**/*.ts'\n---\nMine.\n";
    let printed = init(
        team.path(),
        &[
            (".gitignore", "mine.md\nweb/.claude\n"),
            ("CLAUDE.md", "Use tabs. @mine.md\n"),
            ("mine.md", "Mine.\n"),
            ("web/a.ts", "a\n"),
            ("web/.claude/rules/a.md", rule),
        ],
    );
    let found = "mine.md: git ignores it, so scenarios that load it fail in another checkout";
    assert!(printed["found"].as_array().unwrap().iter().any(|it| it == found), "{printed}");
    assert_eq!(printed["pinned"], serde_json::json!(["CLAUDE.md", "mine.md"]));
    assert!(!team.path().join(".aside/scenarios/web").exists());
}

/// Git lists the link, and not the files that are found through it.
#[cfg(unix)]
#[test]
fn a_file_in_a_linked_directory_is_not_ignored() {
    let team = tempfile::tempdir().unwrap();
    fs::create_dir(team.path().join(".claude")).unwrap();
    std::os::unix::fs::symlink("../guides", team.path().join(".claude/rules")).unwrap();
    let printed = init(team.path(), &[("guides/a.md", "Short lines.\n")]);
    assert_eq!(printed["pinned"], serde_json::json!([".claude/rules/a.md"]), "{printed}");
}

#[test]
fn a_directory_that_git_ignores_has_no_scenario() {
    let team = tempfile::tempdir().unwrap();
    let files = ["CLAUDE.md", "build/CLAUDE.md", "web/CLAUDE.md"].map(|it| (it, "Use tabs.\n"));
    let ignores = [(".gitignore", "build/\n")];
    let printed = init(team.path(), &[&ignores[..], &files].concat());
    let written = printed["written"].to_string();
    for (name, is_written) in [("root", true), ("web", true), ("build", false)] {
        let path = format!(".aside/scenarios/{name}/scenario.yaml");
        assert_eq!(written.contains(&path), is_written, "{written}");
    }
}
