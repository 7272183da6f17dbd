//! Checks that the output of a command on a terminal cannot control it: no
//! control characters except line ends and tabs, and none that change the
//! direction of text.
//!
//! The attacker is the author of a file name, a file, a response or an argument
//! that a command prints, for example in an error. An escape in it could clear
//! the screen, set the title, hide a line or forge one. The promise is number 6
//! of `docs/security.md`.
//!
//! A case runs one command on a pseudo terminal with one escape at one kind of
//! place: names of files, their contents, arguments, the response of a model,
//! or a line of a transcript. Both streams are judged, and the command must not
//! panic or hang. Both extents try all cases. As a control, `cat` prints each
//! escape on the same terminal, where it has to be found.

use std::fs;
use std::process::Command;

use anyhow::Result;
use serde_json::json;

use super::Extent;
use super::command::{Aside, Place, Ran};
use super::judge::terminal_controls;
use super::outcome::Outcome;

/// Sequences that clear the screen, set the title, forge a line, hide text.
const ESCAPES: &[&str] = &[
    "\u{1b}[2J",
    "\u{1b}]0;title\u{7}",
    "\u{1b}]8;;http://example.org\u{1b}\\link",
    "\u{9b}31m",
    "\u{90}payload\u{9c}",
    "safe\roverwritten",
    "back\u{8}\u{8}\u{8}",
    "\u{202e}txt.exe",
    "\u{2066}isolated",
    "bell\u{7}",
    "null\0byte",
];

/// Tries every escape at every kind of place.
pub(super) fn run(aside: &Aside, _: Extent) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for escape in ESCAPES {
        let seen = seen(escape)?;
        outcome.check((!seen).then(|| format!("{escape:?} on a terminal is not seen")));
        names(aside, escape, &mut outcome)?;
        contents(aside, escape, &mut outcome)?;
        arguments(aside, escape, &mut outcome)?;
        run_and_resume(aside, escape, &mut outcome)?;
    }
    Ok(outcome)
}

/// Returns true if the terminal of this attack shows a raw escape.
fn seen(escape: &str) -> Result<bool> {
    let mut cat = Command::new("cat");
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), escape)?;
    cat.arg(file.path());
    let ran = Ran::on_terminal(cat)?;
    Ok(!terminal_controls(&ran.stdout).is_empty())
}

/// Runs a command on a terminal and checks its output.
fn check(mut command: Command, name: &str, escape: &str, outcome: &mut Outcome) -> Result<()> {
    // Colors are escapes of the command's own.
    command.env("NO_COLOR", "1");
    let ran = Ran::on_terminal(command)?;
    for (stream, bytes) in [("stderr", &ran.stderr), ("stdout", &ran.stdout)] {
        let controls = terminal_controls(bytes);
        let finding = (!controls.is_empty()).then(|| {
            let text = String::from_utf8_lossy(bytes);
            let is_bad = |line: &&str| !terminal_controls(line.as_bytes()).is_empty();
            let line = text.lines().find(is_bad).unwrap_or_default();
            format!("{name}, {escape:?}, {stream}: {line:?}")
        });
        outcome.check(finding);
    }
    if let Some(fault) = ran.fault() {
        outcome.breaks(format!("{name}, {escape:?}: {fault}"));
    }
    Ok(())
}

/// Names of files and directories.
///
/// The files also have faults (a missing import, broken front matter, a link to
/// the outside), since most names are printed in diagnostics. Escapes with NUL
/// or a slash cannot be names and are left out.
fn names(aside: &Aside, escape: &str, outcome: &mut Outcome) -> Result<()> {
    if escape.contains(['/', '\0']) {
        return Ok(());
    }
    let place = aside.place()?;
    place.init()?;
    let cwd = format!("project/{escape}");
    place.write(
        format!("{cwd}/CLAUDE.md"),
        format!("@{escape}.md @missing-{escape}.md"),
    )?;
    place.write(format!("{cwd}/{escape}.md"), "@../../outside/x.md")?;
    place.write(
        format!("{cwd}/.claude/rules/{escape}.md"),
        "---\npaths: [\n---\n",
    )?;
    place.write(
        format!("{cwd}/.aside/reminders/{escape}.md"),
        "---\nschedule: {kind: 1}\n---\n",
    )?;
    place.write(format!("{cwd}/.aside/reminders/{escape}.yaml"), "id: [")?;
    place.link("/etc/passwd", format!("{cwd}/AGENTS.md"))?;
    place.link("/etc/passwd", format!("{cwd}/link{escape}"))?;
    place.link("/nowhere", format!("{cwd}/.claude/rules/{escape}-link.md"))?;
    let scenario = "description: x\nturns:\n  - - user: [\n";
    place.write(format!("{cwd}/scenarios/{escape}/scenario.yaml"), scenario)?;
    let body = r#"{"model":"x","max_tokens":0,"messages":[]}"#;
    place.write(format!("{cwd}/{escape}.json"), body)?;
    let (file, link) = (
        format!("{escape}.md"),
        format!("see @link{escape} @{escape}.md"),
    );
    let broken = format!("{escape}.json");
    let commands: &[&[&str]] = &[
        &["render", &link],
        &["memory"],
        &["memory", "--touch", &file],
        &["memory", "imports", &file],
        &["prompt"],
        &["reminders", "list"],
        &["reminders", "check"],
        &["reminders", "check", &file],
        &["verify", "scenarios"],
        &["verify", "scenarios", "--bless"],
        &["check", &broken],
        &["render", "--state", &broken],
        &["render", "--messages", &file],
        &["render", "--agent", &broken],
        &["run", "go", "--replay", &broken],
        &["convert", "--to", "gemini", &broken],
    ];
    for arguments in commands {
        let mut command = place.command(*arguments);
        command.current_dir(place.path(&cwd));
        let name = format!(
            "the name of a file, {}",
            arguments[..arguments.len().min(2)].join(" ")
        );
        check(command, &name, escape, outcome)?;
    }
    Ok(())
}

/// Contents of files and bodies.
///
/// The same escape is a value, a key and an unknown key of each format, because
/// errors quote all three.
fn contents(aside: &Aside, escape: &str, outcome: &mut Outcome) -> Result<()> {
    let place = aside.place()?;
    place.init()?;
    let quoted = json!(escape).to_string();
    place.write("project/CLAUDE.md", format!("@{escape}.md @~/{escape}\n"))?;
    place.write(
        "project/.claude/rules/a.md",
        format!("---\npaths: {quoted}\n---\nRule."),
    )?;
    place.write(
        "project/.claude/rules/b.md",
        format!("---\n{quoted}: [\n---\nRule."),
    )?;
    let id = format!("---\nid: {quoted}\nschedule: {{kind: {quoted}}}\n---\nText {{{{{escape}}}}}");
    place.write("project/.aside/reminders/a.md", id)?;
    let id = format!(
        "---\nid: {quoted}\n{quoted}: 1\nschedule: {{kind: turn, turn_interval: 1}}\n---\nText"
    );
    place.write("project/.aside/reminders/b.md", id)?;
    let settings =
        json!({"outputStyle": escape, "language": escape, escape: 1, "env": {escape: {}}});
    place.write("project/.claude/settings.json", settings.to_string())?;
    let text = json!({"type": escape, "text": escape, "cache_control": {"type": escape}});
    let body = json!({
        "model": escape, "max_tokens": 1, escape: escape, "tool_choice": {"type": escape},
        "tools": [{"name": escape, "input_schema": {"type": escape}}],
        "messages": [
            {"role": escape, "content": [text, {"type": "tool_use", "id": escape, "name": escape, "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": escape, "content": [text]}]},
        ],
    });
    place.write("project/body.json", body.to_string())?;
    place.write("project/messages.json", body["messages"].to_string())?;
    place.write("project/tools.json", body["tools"].to_string())?;
    place.write("project/state.json", json!({escape: 1}).to_string())?;
    place.write(
        "project/entries.jsonl",
        json!({"kind": escape, "role": escape}).to_string(),
    )?;
    place.write(
        "project/agent.md",
        format!("---\nname: {quoted}\n---\nYou {escape}."),
    )?;
    let steps = json!({"reminders": [{"id": escape, "content": "x", "schedule": {"kind": escape}}], "steps": []});
    place.write("project/steps.json", steps.to_string())?;
    place.write(
        "project/stream.sse",
        format!("event: {escape}\ndata: {{\"error\":{{\"message\":{quoted}}}}}\n\n"),
    )?;
    let scenario = format!("description: x\nturns:\n  - - user: x\n{quoted}: 1\n");
    place.write("project/scenarios/a/scenario.yaml", scenario)?;
    if !escape.contains('\0') {
        place.git(["config", "user.name", escape])?;
        place.git(["commit", "-q", "--allow-empty", "-m", escape])?;
        place.git(["config", "core.bare", escape])?;
    }
    let commands: &[&[&str]] = &[
        &["render", "go"],
        &["memory", "--touch", "a"],
        &["memory", "imports", "CLAUDE.md"],
        &["prompt"],
        &["prompt", "--agent", "agent.md"],
        &["reminders", "list"],
        &["reminders", "check"],
        &["reminders", "simulate", "steps.json"],
        &["check", "body.json"],
        &["verify", "scenarios"],
        &["render", "--messages", "messages.json"],
        &[
            "render",
            "--messages",
            "messages.json",
            "--provider",
            "gemini",
        ],
        &["render", "--tools", "tools.json"],
        &["render", "--state", "state.json"],
        &["render", "--conversation", "entries.jsonl"],
        &["convert", "--to", "openai", "body.json"],
        &["convert", "--to", "gemini", "body.json"],
        &["convert-stream", "--from", "openai", "stream.sse"],
        &["run", "go", "--replay", "body.json"],
    ];
    for arguments in commands {
        let name = format!("contents, {}", arguments.join(" "));
        check(place.command(*arguments), &name, escape, outcome)?;
    }
    Ok(())
}

/// Arguments, which a script may take from elsewhere.
///
/// An argument cannot contain NUL.
fn arguments(aside: &Aside, escape: &str, outcome: &mut Outcome) -> Result<()> {
    if escape.contains('\0') {
        return Ok(());
    }
    let place = aside.place()?;
    let commands: &[&[&str]] = &[
        &["models", escape],
        &["check", escape],
        &["verify", escape],
        &["memory", "--touch", escape],
        &["memory", "--cwd", escape],
        &["reminders", "check", escape],
        &["render", "--provider", escape],
        &["render", "--resume", escape],
        &["render", "--date", escape],
        &["render", "--settings", escape],
        &["render", "--model", escape],
        &["prompt", "--model", escape],
        &["prompt", "--query-source", escape],
        &[escape],
    ];
    for arguments in commands {
        let name = format!(
            "the argument of {}",
            arguments[..arguments.len() - 1].join(" ")
        );
        check(place.command(*arguments), &name, escape, outcome)?;
    }
    Ok(())
}

/// Plants escapes in the response of a model and in its tool calls.
fn run_and_resume(aside: &Aside, escape: &str, outcome: &mut Outcome) -> Result<()> {
    let place = aside.place()?;
    let call = |id: &str, name: &str, input| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let content = json!([
        {"type": "text", "text": escape},
        call("a", "Read", json!({"file_path": escape})),
        call("b", "Grep", json!({"pattern": escape, escape: 1})),
        call("c", escape, json!({})),
        call("d", "TodoWrite", json!({"todos": [{"content": escape, "activeForm": escape, "status": escape}]})),
    ]);
    let cassette = json!({"version": 1, "answers": [
        {"content": content, "stop_reason": "tool_use"},
        {"content": escape, "stop_reason": escape},
    ]});
    let failing = json!({"version": 1, "answers": [
        {"error": {"status": 400, "type": escape, "message": escape}},
    ]});
    for (name, cassette) in [("answers", cassette), ("an error", failing)] {
        let file = place.write("cassette.json", cassette.to_string())?;
        let command = place.command([
            "run".as_ref(),
            "go".as_ref(),
            "--replay".as_ref(),
            file.as_os_str(),
        ]);
        let name = format!("{name} of a model");
        check(command, &name, escape, outcome)?;
        resume(&place, escape, outcome)?;
    }
    Ok(())
}

/// A transcript that others wrote.
///
/// A line with the escape in its fields is inserted after the first line of
/// each transcript, and `render` resumes the session.
fn resume(place: &Place, escape: &str, outcome: &mut Outcome) -> Result<()> {
    let files = walkdir::WalkDir::new(place.path("home/.aside/sessions"));
    for file in files
        .into_iter()
        .flatten()
        .filter(|it| it.file_type().is_file())
    {
        let id = file
            .path()
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(file.path())?;
        let line = json!({"type": escape, "kind": escape, escape: escape}).to_string();
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        fs::write(file.path(), format!("{first}\n{line}\n{rest}"))?;
        let command = place.command(["render", "more", "--resume", &id]);
        check(command, "a line of a transcript", escape, outcome)?;
        fs::remove_file(file.path())?;
    }
    Ok(())
}
