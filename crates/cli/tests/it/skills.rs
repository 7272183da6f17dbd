//! `aside skills` the way you would use it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn aside(cwd: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    let command = command.args(arguments).current_dir(cwd).env_clear();
    command.env("HOME", cwd.join("home")).output().unwrap()
}

#[test]
fn skills_are_listed_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for (name, text) in [
        ("good", "---\nname: good\ndescription: Does good.\n---\nBody\n"),
        ("bad", "---\nname: other\ndescription: d\n---\n"),
    ] {
        let skill = root.join(".claude/skills").join(name);
        fs::create_dir_all(&skill).unwrap();
        fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    fs::create_dir(root.join("home")).unwrap();
    let output = aside(&root, &["skills"]);
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), output.stderr);
    let path = root.join(".claude/skills/good/SKILL.md");
    assert_eq!(out, format!("good  Does good.  {}\n", path.display()));
    let err = String::from_utf8(err).unwrap();
    assert!(err.contains("bad/SKILL.md:2: name other is not that of its directory, bad"), "{err}");
    let output = aside(&root, &["skills", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["skills"][0]["name"], "good");
    assert_eq!(json["diagnostics"][0]["line"], 2);
    let code = |name: &str| {
        let path = format!(".claude/skills/{name}");
        aside(&root, &["skills", "check", &path]).status.code()
    };
    assert_eq!((code("good"), code("bad")), (Some(0), Some(1)));
}

/// Dropped settings and a missing home change what a session has.
#[test]
fn faults_of_the_settings_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let reported = |arguments: &[&str]| {
        let output = aside(&root, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let codes = json["diagnostics"].as_array().into_iter().flatten();
        let codes: Vec<_> = codes.map(|it| it["code"].as_str().unwrap().to_owned()).collect();
        (codes, String::from_utf8(output.stderr).unwrap())
    };
    let commands: [&[&str]; 2] = [&["skills"], &["reminders", "list"]];
    for command in commands {
        let json = [command, &["--json"]].concat();
        assert_eq!(reported(&json).0, ["home-absent"], "{command:?}");
        assert!(reported(command).1.contains("HOME is no directory"), "{command:?}");
    }
    fs::create_dir_all(root.join("home/.claude")).unwrap();
    for command in commands {
        assert_eq!(reported(&[command, &["--json"]].concat()).0, [""; 0], "{command:?}");
    }
    let settings = root.join("home/.claude/settings.json");
    fs::write(settings, r#"{"enabledPlugins":{"a@b":true},}"#).unwrap();
    for command in commands {
        let json = [command, &["--json"]].concat();
        assert_eq!(reported(&json).0.len(), 1, "{command:?}");
        assert!(reported(command).1.contains("home/.claude/settings.json:1:"), "{command:?}");
    }
}
