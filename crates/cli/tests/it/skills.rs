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
