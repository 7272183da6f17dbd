use super::*;
use crate::support::git;

/// The smallest PNG that every reader accepts.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0a, 0x49, 0x44, 0x41, 0x54,
    0x78, 0x9c, 0x63, 0, 1, 0, 0, 5, 0, 1, 0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

#[test]
fn nested_memory_and_rules_load() {
    let mut play = Play::of(vec![call(1, &["sub/b.md", "a.md", "gone.md"])]);
    play.write("sub/CLAUDE.md", "Sub rule.");
    play.write("sub/b.md", "b\n");
    play.write(".claude/rules/md.md", "---\npaths: \"**/*.md\"\n---\nMarkdown rule.\n");
    play.say(&["one", "two"]);
    play.kept(3, "Sub rule.");
    assert!(play.last().contains("Markdown rule."));
}

#[test]
fn a_file_is_edited_by_another_program() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.say(&["one"]);
    play.write("a.md", "one\nthree\n");
    play.say(&["two"]);
    play.write("a.md", "one\nfour\n");
    play.say(&["three"]);
    play.kept(4, "four");
}

#[test]
fn a_file_that_was_read_is_deleted() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.say(&["one"]);
    fs::remove_file(play.place.path("project/a.md")).unwrap();
    play.say(&["two", "three"]);
    play.kept(4, "three");
}

#[test]
fn files_and_directories_are_mentioned() {
    let mut play = Play::new();
    play.write("sub/b.md", "deep\n");
    play.say(&["see @a.md", "and @sub", "and @sub/b.md and @gone.md", "and @a.md"]);
    play.kept(4, "deep");
}

#[test]
fn an_image_is_mentioned() {
    let mut play = Play::new();
    play.write("a.png", PNG);
    play.say(&["see @a.png", "again", "and @a.png"]);
    play.kept(3, r#""type":"image""#);
}

#[test]
fn instruction_files_and_settings_change_between_runs() {
    let mut play = Play::new();
    play.write("CLAUDE.md", "Use tabs.");
    play.say(&["one"]);
    play.write("CLAUDE.md", "Use spaces.");
    play.write(".claude/settings.json", r#"{"language":"French","includeGitInstructions":false}"#);
    play.say(&["two", "three"]);
    play.kept(3, "Use tabs.");
    let last = play.last();
    for announced in
        ["Contents of CLAUDE.md (changed since the session began):\\n\\nUse spaces.", "French"]
    {
        assert_eq!(last.matches(announced).count(), 1, "{announced}: {last}");
    }
}

#[test]
fn an_instruction_file_changes_during_a_run() {
    let mut play = Play::new();
    let (open, gate) = gate();
    let held = Answer::Held(reading(2, &["a.md"]), gate);
    play.judge.script(vec![call(1, &["CLAUDE.md"]), held]);
    play.write("CLAUDE.md", "Use tabs.\n");
    let run = play.start(&["one"]);
    play.judge.await_requests(2);
    play.write("CLAUDE.md", "Use spaces.\n");
    open.send(()).unwrap();
    play.ended(run, Some(0));
    play.say(&["two"]);
    let last = play.last();
    // The model has read the file, so the edit is not announced as well.
    assert_eq!(last.matches("(changed since the session began)").count(), 1);
    assert!(!last.contains("CLAUDE.md was modified"), "{last}");
    play.kept(4, "Use spaces.");
}

#[test]
fn a_new_import_that_no_file_names_any_more_is_not_called_gone() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.write("CLAUDE.md", "Use tabs.\n");
    play.say(&["one"]);
    play.write("new.md", "New rule.\n");
    play.write("CLAUDE.md", "Use tabs.\n@new.md\n");
    play.say(&["two"]);
    assert!(play.last().contains("New rule."), "{}", play.last());
    play.write("CLAUDE.md", "Use tabs.\n");
    play.say(&["three"]);
    let expected = "new.md (changed since the session began): it is not loaded any more";
    assert!(play.last().contains(expected), "{}", play.last());
}

#[test]
fn nested_files_change_between_runs() {
    let mut play = Play::of(vec![call(1, &["sub/b.md"])]);
    play.write("sub/CLAUDE.md", "Sub rule.");
    play.write("sub/b.md", "b\n");
    play.write(".claude/rules/md.md", "---\npaths: \"**/*.md\"\n---\nMarkdown rule.\n");
    play.say(&["one"]);
    play.write("sub/CLAUDE.md", "Another.");
    fs::remove_file(play.place.path("project/.claude/rules/md.md")).unwrap();
    play.say(&["two", "three"]);
    let changes = [
        ("sub/CLAUDE.md (changed since the session began):\\n\\nAnother.", 1),
        ("rules/md.md (changed since the session began): it is empty or gone", 1),
        ("Markdown rule.", 1),
    ];
    for (text, count) in changes {
        assert_eq!(play.last().matches(text).count(), count, "{text}: {}", play.last());
    }
    play.write("sub/CLAUDE.md", "Sub rule.");
    play.say(&["four", "five"]);
    let again = "sub/CLAUDE.md (changed since the session began), again as it was then:";
    assert_eq!(play.last().matches(again).count(), 1, "{}", play.last());
    play.kept(6, "five");
}

#[test]
fn settings_and_a_style_change_during_a_run() {
    let mut play = Play::new();
    let (open, first) = gate();
    let (open_again, second) = gate();
    play.judge.script(vec![
        Answer::Held(reading(1, &["a.md"]), first),
        Answer::Held(reading(2, &["a.md"]), second),
    ]);
    let settings = |language: &str| format!(r#"{{"language":"{language}","outputStyle":"terse"}}"#);
    play.write(".claude/settings.json", settings("French"));
    play.write(".claude/output-styles/terse.md", "Answer in one sentence.");
    let run = play.start(&["one"]);
    play.judge.await_requests(1);
    play.write(".claude/settings.json", settings("Italian"));
    play.write(".claude/output-styles/terse.md", "Answer in two words.");
    open.send(()).unwrap();
    play.judge.await_requests(2);
    // A faulty file is left out, and reported once.
    play.write(".claude/settings.json", "{");
    open_again.send(()).unwrap();
    let ran = play.ended(run, Some(0));
    let fault = "settings.json:1:1: EOF while parsing";
    assert_eq!(ran.stderr.matches(fault).count(), 1, "{}", ran.stderr);
    play.say(&["two"]);
    let last = play.last();
    for announced in [
        "this language: French.",
        "this language: Italian.",
        "Answer in one sentence.",
        "Answer in two words.",
        "These parts of the session's context no longer apply:",
    ] {
        assert_eq!(last.matches(announced).count(), 1, "{announced}: {last}");
    }
    play.kept(4, "no longer");
}

#[test]
fn skills_and_agents_are_announced_once() {
    let mut play = Play::of(vec![call(1, &["sub/b.md"])]);
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Does {name}.\n---\nBody\n");
    play.write(".claude/skills/release/SKILL.md", skill("release"));
    play.write(
        ".claude/agents/reviewer.md",
        "---\ndescription: Use it when: a change is ready.\n---\nYou review.\n",
    );
    play.write("sub/b.md", "b\n");
    play.write("sub/.claude/skills/nested/SKILL.md", skill("nested"));
    play.say(&["one", "two"]);
    play.write(".claude/skills/later/SKILL.md", skill("later"));
    play.say(&["three", "@agent-reviewer @agent-other four"]);
    let last = play.last();
    assert_eq!(last.matches("desire to invoke the agent").count(), 1, "{last}");
    for name in ["release", "nested", "later"] {
        assert_eq!(last.matches(&format!("Does {name}.")).count(), 1, "{last}");
    }
    let agent = "- reviewer: Use it when: a change is ready.";
    assert_eq!(last.matches(agent).count(), 1, "{last}");
    play.kept(5, "release/SKILL.md): Does release.");
}

#[test]
fn the_repository_changes_between_runs() {
    let mut play = Play::new();
    let project = play.place.path("project");
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["checkout", "-q", "-b", "other"]);
    play.say(&["one"]);
    git(&project, &["checkout", "-q", "-b", "third"]);
    play.say(&["two", "three"]);
    play.kept(3, "three");
}

#[test]
fn five_images_per_response() {
    let images = ["a.png"; 5];
    let mut play = Play::of((0..24).map(|number| call(number, &images)).collect());
    play.write("a.png", PNG);
    play.say(&["look", "and now?"]);
    play.kept(26, r#""type":"image""#);
    assert_eq!(play.last().matches(r#""type":"image""#).count(), 120);
}

#[test]
fn more_media_than_the_model_takes() {
    let images = ["a.png"; 10];
    let mut play = Play::of((0..61).map(|number| call(number, &images)).collect());
    play.write("a.png", PNG);
    play.say(&["look", "and now?"]);
    play.accepted(63, r#""type":"image""#);
    assert!(play.last().matches(r#""type":"image""#).count() <= 600);
    let lost = play.produced() - thoughts(&play.last());
    assert!(lost > 0);
}

fn editing(file: &str) -> Answer {
    let edit = format!(r#"{{"file_path":"{file}","old_string":"one","new_string":"two"}}"#);
    let write = r#"{"file_path":"new/b.md","content":"b\n"}"#;
    let draft = reading(1, &[]).tool_use_with_id("e1", "Edit", &edit);
    Answer::Draft(draft.unwrap().tool_use_with_id("w1", "Write", write).unwrap())
}

#[test]
fn files_are_edited_only_if_edits_are_allowed() {
    let mut play = Play::of(vec![editing("a.md")]);
    play.write("a.md", "one\n");
    reminder(
        &play.place,
        "project",
        "format",
        "schedule: {kind: condition, condition: 'after_tool:Edit,Write'}",
    );
    play.arguments.push("--allow-edits".to_owned());
    play.say(&["one"]);
    let project = play.place.path("project");
    assert_eq!(fs::read_to_string(project.join("a.md")).unwrap(), "two\n");
    assert_eq!(fs::read_to_string(project.join("new/b.md")).unwrap(), "b\n");
    assert!(play.last().contains("Remember format."), "{}", play.last());
    play.say(&["two"]);
    assert!(!play.last().contains("was modified"), "{}", play.last());

    // Without the flag nothing is offered; in plan mode, calls are refused.
    let mut play = Play::of(vec![editing("a.md")]);
    play.write("a.md", "one\n");
    play.say(&["one"]);
    assert!(!play.last().contains(r#""name":"Edit","description""#));
    let mut play = Play::of(vec![editing("a.md")]);
    play.write("a.md", "one\n");
    play.arguments.push("--allow-edits".to_owned());
    play.state(r#"{"plan":{"is_on":true,"file":"/plan.md"}}"#);
    play.say(&["one"]);
    assert!(play.last().contains("plan mode is on: change nothing"));
    // A resumed session stays in plan mode until a state ends it.
    play.arguments.truncate(1);
    play.judge.script(vec![editing("a.md")]);
    play.say(&["two"]);
    let refused = "plan mode is on: change nothing";
    assert_eq!(play.last().matches(refused).count(), 4, "{}", play.last());
    let project = play.place.path("project");
    assert_eq!(fs::read_to_string(project.join("a.md")).unwrap(), "one\n");
    assert!(!project.join("new").exists());
    play.state(r#"{"plan":{"is_on":false,"file":"/plan.md"}}"#);
    play.judge.script(vec![editing("a.md")]);
    play.say(&["three"]);
    assert_eq!(fs::read_to_string(project.join("a.md")).unwrap(), "two\n");
    assert!(play.last().contains("## Exited Plan Mode"), "{}", play.last());
}

/// A run is killed after a response with calls that change something.
#[test]
fn a_preview_changes_no_file() {
    let mut play = Play::of(vec![call(1, &["a.md"]), editing("a.md")]);
    play.write("a.md", "one\n");
    play.arguments.extend(["--allow-edits", "--date", "2026-01-31"].map(str::to_owned));
    play.say(&["one"]);
    // The results are known without the calls.
    let sent = play.last();
    let id = play.id.clone().unwrap();
    let transcript = play.place.transcript(&id);
    let text = fs::read_to_string(&transcript).unwrap();
    let calls = text.find(r#""name":"Write","input""#).unwrap();
    let end = calls + text[calls..].find('\n').unwrap() + 1;
    fs::write(&transcript, &text[..end]).unwrap();
    play.write("a.md", "one\n");
    let project = play.place.path("project");
    fs::remove_dir_all(project.join("new")).unwrap();
    let arguments = ["render", "--resume", &id, "--allow-edits", "--date", "2026-01-31"];
    let output = play.place.aside(&arguments).output().unwrap();
    let ran = Ran::of(output);
    assert_eq!(fs::read_to_string(project.join("a.md")).unwrap(), "one\n");
    assert!(!project.join("new").exists());
    assert_eq!(fs::read_to_string(&transcript).unwrap(), text[..end]);
    for name in ["Edit", "Write"] {
        assert!(ran.stderr.contains(&format!("the call of {name} is not carried out")), "{ran:?}");
    }
    assert_eq!(ran.stdout, sent.replacen(r#""stream":true,"#, "", 1));
}
