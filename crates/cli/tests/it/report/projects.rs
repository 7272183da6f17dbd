//! Requests of one project.

use std::fs;

use super::{ONE, json_of};

/// Gemini CLI writes a project as the hash of its directory, and the directory into another file.
#[test]
fn a_project_of_gemini_cli_is_found_by_its_directory() {
    // The SHA-256 hash of `/src/app`.
    let hash = "c0167fc91cc666ffa066a8e6f954029ddf79ae00d2714a2202cc374ed5e4c31c";
    let home = tempfile::tempdir().unwrap();
    let chats = home.path().join(".gemini/tmp/app/chats");
    fs::create_dir_all(&chats).unwrap();
    let session = format!(
        r#"{{"sessionId":"s","projectHash":"{hash}","kind":"main"}}
{{"id":"1","timestamp":"2026-11-20T12:00:00Z","type":"gemini","model":"gemini-2.5-pro","tokens":{{"input":9,"output":1}}}}
"#
    );
    fs::write(chats.join("session-1.jsonl"), session).unwrap();
    let check = |project: &str, expected: Option<&str>| {
        let all = json_of(home.path(), &["--project", project, "--json"]);
        assert_eq!(all["project"][0]["name"].as_str(), expected, "{project}");
    };
    check("/src/app", Some(hash));
    check("/src/app/", Some(hash));
    check("/src", None);
    fs::write(chats.with_file_name(".project_root"), "/src/app").unwrap();
    check("/src/app", Some("/src/app"));
    check("/src", Some("/src/app"));
    check("/src/other", None);
}

#[test]
fn a_project_is_found_by_any_part_of_its_directory() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("app");
    let session = ONE.replace("/src", project.to_str().unwrap());
    fs::write(home.path().join("log.jsonl"), session).unwrap();
    let name = home.path().file_name().unwrap().to_str().unwrap();
    let count = |text: &str| {
        json_of(home.path(), &["log.jsonl", "--project", text, "--json"])["all"]["requests"].clone()
    };
    for text in ["app", "~/app", &format!("{name}/app/"), name, project.to_str().unwrap()] {
        assert_eq!(count(text), 1, "{text}");
    }
    assert_eq!(count("other"), 0);
}
