//! Skills, agents, output styles and hooks on disk, which no `--state` names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::clean;

const SETTINGS: &str = r#"{"outputStyle": "Terse", "hooks": {
    "PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "touch canary"}]}],
    "SessionStart": [{"hooks": [{"type": "command", "command": "touch canary"}, {"type": 3}, 4]}],
    "Odd": "form"}}"#;

fn project() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (path, text) in [
        (
            "project/.claude/skills/release/SKILL.md",
            "---\nname: release\ndescription: Cuts a release.\n---\nTest.\n",
        ),
        (".claude/skills/mine/SKILL.md", "---\nname: mine\ndescription: My own.\n---\nTest.\n"),
        (
            "project/.claude/agents/reviewer.md",
            "---\ndescription: Reviews.\n---\nYou review changes.\n",
        ),
        (
            "project/.claude/output-styles/terse.md",
            "---\nname: Terse\n---\nAnswer in one sentence.\n",
        ),
        ("project/.claude/settings.json", SETTINGS),
    ] {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    place
}

fn aside(place: &Path, arguments: &[&str]) -> Output {
    let mut command = clean::aside(place, &place.join("project"));
    command.env("HOME", place).args(arguments).output().unwrap()
}

#[track_caller]
fn text(output: Output) -> (String, String) {
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    (String::from_utf8(output.stdout).unwrap(), errors)
}

#[test]
fn skills_agents_style_and_hooks_are_listed() {
    let place = project();
    let (json, errors) = text(aside(place.path(), &["context", "--json", "Hi"]));
    let json: Value = serde_json::from_str(&json).unwrap();
    let of = |it: &Value| {
        let file = it["file"].as_str().unwrap().rsplit('/').next().unwrap();
        let command = it["command"].as_str().unwrap_or_default();
        assert_eq!(it["tokens"].is_null(), !command.is_empty(), "{it}");
        let (kind, name) = (it["kind"].as_str().unwrap(), it["name"].as_str().unwrap());
        format!("{kind} {name} {file} {command}")
    };
    let listed: Vec<_> = json["on_disk"].as_array().unwrap().iter().map(of).collect();
    assert_eq!(
        listed,
        [
            "skill release SKILL.md ",
            "skill mine SKILL.md ",
            "agent reviewer reviewer.md ",
            "output style Terse terse.md ",
            "hook PreToolUse (Edit|Write) settings.json touch canary",
            "hook SessionStart settings.json touch canary",
        ]
    );
    let note = "settings.json: the hook of SessionStart is not run: touch canary";
    assert!(errors.contains(note), "{errors}");
    let (table, _) = text(aside(place.path(), &["context", "Hi"]));
    let hook = "–  hook SessionStart, not run: touch canary";
    assert!(table.contains(hook), "{table}");
}

#[test]
fn what_is_on_disk_is_in_the_request_and_no_hook_is_run() {
    let place = project();
    let (body, _) = text(aside(place.path(), &["render", "Hi"]));
    for sent in [
        "release/SKILL.md): Cuts a release.",
        "mine/SKILL.md): My own.",
        "- reviewer: Reviews.",
        "Answer in one sentence.",
        "Terse output style is active.",
    ] {
        assert_eq!(body.matches(sent).count(), 1, "{sent}: {body}");
    }
    let (_, errors) = text(aside(place.path(), &["run", "Hi"]));
    assert!(errors.contains("is not run: touch canary"), "{errors}");
    assert!(!place.path().join("project/canary").exists());
}

#[test]
fn a_session_of_a_caller_announces_once() {
    let place = project();
    let file = place.path().join("c.jsonl");
    let file = file.to_str().unwrap();
    fs::write(file, "").unwrap();
    let arguments = ["render", "Hi", "--conversation", file, "--append"];
    let (first, _) = text(aside(place.path(), &arguments));
    assert!(first.contains("Cuts a release."), "{first}");
    let answer =
        r#"{"kind":"message","role":"assistant","parts":[{"type":"text","text":"Hello."}]}"#;
    let lines = fs::read_to_string(file).unwrap();
    fs::write(file, format!("{lines}{answer}\n")).unwrap();
    let claude_md = place.path().join("project/CLAUDE.md");
    fs::write(claude_md, "Use spaces.\n").unwrap();
    let (second, _) = text(aside(place.path(), &arguments));
    assert_eq!(second.matches("Cuts a release.").count(), 1, "{second}");
    let changed = "Contents of CLAUDE.md (changed since the session began)";
    assert_eq!(second.matches(changed).count(), 1, "{second}");
}

/// The user learns of it, and the model does not get to know anything false.
#[test]
fn a_file_that_became_invalid_is_reported() {
    let place = project();
    let file = place.path().join("c.jsonl");
    fs::write(&file, "").unwrap();
    let arguments = ["render", "Hi", "--conversation", file.to_str().unwrap(), "--append"];
    text(aside(place.path(), &arguments));
    let answer =
        r#"{"kind":"message","role":"assistant","parts":[{"type":"text","text":"Hello."}]}"#;
    let lines = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{lines}{answer}\n")).unwrap();
    fs::write(place.path().join("project/CLAUDE.md"), b"caf\xe9 v2\n").unwrap();
    let (body, errors) = text(aside(place.path(), &arguments));
    assert!(!body.contains("its instructions no longer apply"), "{body}");
    assert!(errors.contains("CLAUDE.md: not UTF-8 on line 1"), "{errors}");
}

/// A file that is announced can change again, back to what it was or to nothing.
#[test]
fn what_was_announced_is_followed() {
    for layout in ["layered", "classic"] {
        let place = project();
        let root = place.path().join("project");
        let file = place.path().join("c.jsonl");
        fs::write(&file, "").unwrap();
        let turn = |changes: &[(&str, Option<&str>)]| {
            for (path, content) in changes {
                let path = root.join(path);
                match content {
                    Some(content) => fs::write(path, content).unwrap(),
                    None => fs::remove_file(path).unwrap(),
                }
            }
            let name = file.to_str().unwrap();
            let arguments = ["render", "Hi", "--layout", layout];
            let stored = ["--append", "--conversation", name];
            let (body, _) = text(aside(place.path(), &[&arguments[..], &stored].concat()));
            let answer = r#"{"kind":"message","role":"assistant","parts":[{"type":"text","text":"Hello."}]}"#;
            let lines = fs::read_to_string(&file).unwrap();
            fs::write(&file, format!("{lines}{answer}\n")).unwrap();
            let body: Value = serde_json::from_str(&body).unwrap();
            body["messages"].as_array().unwrap().last().unwrap().to_string()
        };
        fs::create_dir_all(root.join(".claude/rules")).unwrap();
        turn(&[("CLAUDE.md", Some("Use tabs.\n"))]);
        let rule = ".claude/rules/new.md";
        let changed = turn(&[("CLAUDE.md", Some("Use spaces.\n")), (rule, Some("Test first.\n"))]);
        assert!(changed.contains("Use spaces.") && changed.contains("Test first."), "{changed}");
        let back = turn(&[("CLAUDE.md", Some("Use tabs.\n")), (rule, None)]);
        assert!(
            back.contains(
                "(changed since the session began), again as it was then:\\n\\nUse tabs."
            ),
            "{back}"
        );
        assert!(
            back.contains("new.md (changed since the session began): it is not loaded any more"),
            "{back}"
        );
        let same = turn(&[]);
        assert!(!same.contains("CLAUDE.md") && !same.contains("new.md"), "{same}");
        let gone = turn(&[("CLAUDE.md", None), (rule, Some("Test first.\n"))]);
        assert!(
            gone.contains("CLAUDE.md (changed since the session began): it is empty or gone"),
            "{gone}"
        );
        assert!(gone.contains("Test first."), "{gone}");
        let restored = turn(&[("CLAUDE.md", Some("Use tabs.\n"))]);
        assert!(restored.contains("again as it was then:"), "{restored}");
        turn(&[("CLAUDE.md", Some("Use spaces.\n"))]);
        // A file that cannot be read for now is neither gone nor back.
        fs::remove_file(root.join("CLAUDE.md")).unwrap();
        std::os::unix::fs::symlink("CLAUDE.md", root.join("CLAUDE.md")).unwrap();
        let refused = turn(&[]);
        assert!(!refused.contains("Contents of"), "{refused}");
    }
}

#[test]
fn plugins_that_are_on_have_skills_agents_and_hooks() {
    let place = project();
    let root = place.path();
    let plugin = |name: &str| root.join("plugins").join(name);
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for name in ["tools", "off", "other"] {
        let dir = plugin(name);
        let skill = format!("---\nname: deploy\ndescription: Deploys by {name}.\n---\nGo.\n");
        write(dir.join("skills/deploy/SKILL.md"), &skill);
        let agent = format!("---\ndescription: Tests by {name}.\n---\nYou test.\n");
        write(dir.join("agents/tester.md"), &agent);
        let hooks =
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch canary"}]}]}}"#;
        write(dir.join("hooks/hooks.json"), hooks);
    }
    // A plugin's link may not lead outside.
    let link = plugin("tools").join("skills/outside");
    std::os::unix::fs::symlink(root.join(".claude/skills/mine"), link).unwrap();
    let path = |name: &str| plugin(name).display().to_string();
    let installed = format!(
        r#"{{"version":2,"plugins":{{"tools@team":[{{"scope":"user","installPath":"{}"}}],
        "off@team":[{{"installPath":"{}"}}],
        "other@team":[{{"scope":"project","projectPath":"/elsewhere","installPath":"{}"}}]}}}}"#,
        path("tools"),
        path("off"),
        path("other")
    );
    write(root.join(".claude/plugins/installed_plugins.json"), &installed);
    let (body, _) = text(aside(root, &["render", "Hi"]));
    assert!(!body.contains("Deploys by"), "{body}");
    let on = r#"{"enabledPlugins":{"tools@team":true,"off@team":false,"other@team":true,"gone@team":true}}"#;
    write(root.join(".claude/settings.json"), on);
    let (body, errors) = text(aside(root, &["render", "Hi"]));
    for sent in ["tools:deploy", "Deploys by tools.", "tools:tester: Tests by tools."] {
        assert_eq!(body.matches(sent).count(), 1, "{sent}: {body}");
    }
    for left_out in ["Deploys by off", "by other.", "tools:mine"] {
        assert!(!body.contains(left_out), "{left_out}: {body}");
    }
    assert!(errors.contains("hooks.json: the hook of Stop is not run"), "{errors}");
    let (skills, _) = text(aside(root, &["skills"]));
    assert!(skills.contains("tools:deploy"), "{skills}");
    let (table, _) = text(aside(root, &["context", "Hi"]));
    for listed in ["skill tools:deploy", "agent tools:tester", "hook Stop"] {
        assert!(table.contains(listed), "{listed}: {table}");
    }
    let agent = ["render", "--agent", "tools:tester", "Hi"];
    assert!(text(aside(root, &agent)).0.contains("You test."));
    let without = ["render", "--setting-sources", "project,local", "Hi"];
    assert!(!text(aside(root, &without)).0.contains("Deploys by"));
    assert!(!root.join("project/canary").exists());
}

#[test]
fn an_agent_is_chosen_by_its_name() {
    let place = project();
    let (body, _) = text(aside(place.path(), &["render", "--agent", "reviewer", "Hi"]));
    assert!(body.contains("You review changes."), "{body}");
    // Its restrictions are not applied, and the user learns it.
    let restricted =
        "---\nname: lim\ndescription: d\ntools: Read, Grep\nmodel: haiku\n---\nLook.\n";
    let file = place.path().join("project/.claude/agents/lim.md");
    fs::write(&file, restricted).unwrap();
    for agent in ["lim", file.to_str().unwrap()] {
        let (body, errors) = text(aside(place.path(), &["render", "--agent", agent, "Hi"]));
        assert!(body.contains("Look."), "{body}");
        let warning = "lim.md: --agent uses the prompt only, not tools, model";
        assert!(errors.contains(warning), "{errors}");
    }
    fs::remove_file(&file).unwrap();
    let unknown = aside(place.path(), &["render", "--agent", "gone", "Hi"]);
    assert_eq!(unknown.status.code(), Some(2));
    let errors = String::from_utf8(unknown.stderr).unwrap();
    let message =
        "failed to read gone: no such file, and no agent has this name: expected one of reviewer";
    assert!(errors.contains(message), "{errors}");
}

#[test]
fn the_documented_system_is_one_switch() {
    let place = project();
    fs::write(place.path().join("notes.md"), "Imported.\n").unwrap();
    fs::write(place.path().join("project/AGENTS.md"), "Not read.\n").unwrap();
    let local = place.path().join("project/CLAUDE.local.md");
    fs::write(local, "@../notes.md\n").unwrap();
    let documents = ["render", "--profile", "documents", "Hi"];
    let (body, _) = text(aside(place.path(), &documents));
    let body: Value = serde_json::from_str(&body).unwrap();
    let blocks = body["system"].as_array().unwrap().iter();
    let scopes = blocks.map(|block| block["cache_control"]["scope"].as_str());
    assert_eq!(scopes.collect::<Vec<_>>(), [None, None, Some("global"), None]);
    let first = body["system"][0]["text"].as_str().unwrap();
    assert!(first.ends_with("entrypoint=cli"), "{first}");
    let messages = body["messages"].to_string();
    assert!(messages.contains("Imported."), "{messages}");
    assert!(!messages.contains("Not read."), "{messages}");
    // The switch has global scope only for the provider that takes it; the flag and the setting say
    // that it is not sent.
    let warned = |arguments: &[&str]| {
        let bedrock = ["--provider", "bedrock"];
        let (body, stderr) = text(aside(place.path(), &[arguments, &bedrock].concat()));
        assert!(!body.contains(r#""scope""#), "{body}");
        stderr.contains("warning: global scope is not sent: bedrock does not take it")
    };
    assert!(!warned(&documents));
    for switch in [&documents[..], &["render", "Hi"]] {
        let setting = ["--settings", r#"{"cache":{"globalScope":true}}"#];
        assert!(warned(&[switch, &["--global-scope"]].concat()), "{switch:?}");
        assert!(warned(&[switch, &setting].concat()), "{switch:?}");
    }
    // Other flags take precedence.
    let layered = [&documents[..], &["--layout", "layered", "--instructions", "claude"]].concat();
    let (body, _) = text(aside(place.path(), &layered));
    assert!(body.contains("Not read."), "{body}");
}

/// What only the user may call is listed for the user, and no model hears of it.
#[test]
fn a_skill_for_the_user_only_is_not_offered() {
    let place = project();
    let skill = place.path().join("project/.claude/skills/release/SKILL.md");
    let header = "name: release\ndescription: Cuts a release.\ndisable-model-invocation: true";
    fs::write(skill, format!("---\n{header}\n---\nTest.\n")).unwrap();
    let (body, _) = text(aside(place.path(), &["render", "Hi"]));
    assert!(body.contains("My own.") && !body.contains("Cuts a release."), "{body}");
    let (listed, errors) = text(aside(place.path(), &["skills"]));
    let line = listed.lines().find(|it| it.starts_with("release  ")).unwrap();
    assert!(line.ends_with("  (only for the user)") && errors.is_empty(), "{line}{errors}");
}

/// The listing shows what a skill waits for.
#[test]
fn a_skill_that_waits_for_a_path_is_listed() {
    let place = project();
    let skill = place.path().join("project/.claude/skills/release/SKILL.md");
    let header = "name: release\ndescription: Cuts a release.\npaths: [ci/**, '*.toml']";
    fs::write(skill, format!("---\n{header}\n---\nTest.\n")).unwrap();
    let (listed, errors) = text(aside(place.path(), &["skills"]));
    let line = listed.lines().find(|it| it.starts_with("release  ")).unwrap();
    assert!(
        line.ends_with("  (waits for a path: ci/** *.toml)") && errors.is_empty(),
        "{line}{errors}"
    );
}
