//! For each harness text, do what triggers it, using the command.

use serde_json::Value;

use super::*;
use crate::support::git;

/// Counts how often the last request has this text.
fn count(play: &Play, text: &str) -> usize {
    play.last().matches(text).count()
}

#[test]
fn modes_end_and_begin_again() {
    let modes = |is_on: bool| {
        format!(
            r#"{{"plan":{{"is_on":{is_on},"file":"/plans/p.md","content":"1. Split."}},"auto_mode":{is_on}}}"#
        )
    };
    let mut play = Play::new();
    const TEXTS: [&str; 3] = ["## Exited Plan Mode", "## Exited Auto Mode", "## Back in Plan Mode"];
    for (is_on, counts) in [(true, [0, 0, 0]), (false, [1, 1, 0]), (true, [1, 1, 1])] {
        play.state(&modes(is_on));
        play.say(&["more"]);
        assert_eq!(TEXTS.map(|text| count(&play, text)), counts);
    }
}

#[test]
fn a_file_is_opened_in_the_editor() {
    let mut play = Play::new();
    play.say(&["one"]);
    let opened = "The user opened the file /p/a.md in the IDE.";
    assert_eq!(count(&play, opened), 0);
    play.state(r#"{"opened_file":{"path":"/p/a.md"}}"#);
    play.say(&["two", "three"]);
    assert_eq!(count(&play, opened), 1);
}

#[test]
fn a_todo_list_is_not_used_for_ten_responses() {
    let mut play = Play::of((0..10).map(|number| call(number, &["a.md"])).collect());
    play.say(&["go"]);
    let unused = "The TodoWrite tool has not been used for a while.";
    let seen = play.judge.seen();
    let has_reminder: Vec<_> = seen.bodies.iter().map(|it| it.contains(unused)).collect();
    assert_eq!(has_reminder, [[false; 10].as_slice(), &[true]].concat());
}

#[test]
fn task_tools_are_not_used_for_ten_responses() {
    let play = Play::new();
    let tools = r#"[{"name":"TaskCreate","description":"Adds.","input_schema":{"type":"object"}}]"#;
    fs::write(play.place.path("tools.json"), tools).unwrap();
    let tasks = r#"{"tasks":[{"id":"7","subject":"Split","status":"pending"}]}"#;
    fs::write(play.place.path("state.json"), tasks).unwrap();
    for (responses, count) in [(9, 0), (10, 1)] {
        let message = |role: &str| {
            format!(
                r#"{{"kind":"message","role":"{role}","parts":[{{"type":"text","text":"x"}}]}}"#
            )
        };
        let exchange = format!("{}\n{}\n", message("user"), message("assistant"));
        let lines = exchange.repeat(responses) + &message("user") + "\n";
        fs::write(play.place.path("c.jsonl"), lines).unwrap();
        let mut render = play.place.aside(&[
            "render",
            "--conversation",
            "../c.jsonl",
            "--tools",
            "../tools.json",
            "--state",
            "../state.json",
        ]);
        let ran = Ran::of(render.output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let unused = "The task tools have not been used for a while.";
        assert_eq!(ran.stdout.matches(unused).count(), count, "{ran:?}");
    }
}

#[test]
fn a_compaction_removes_skills_a_plan_and_tasks() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.state(
        r#"{"invoked_skills":[{"name":"release","path":"/s/release/SKILL.md","content":"Tag."}],
        "plan":{"is_on":false,"file":"/plans/p.md","content":"1. Split."},
        "background_tasks":[{"id":"t1","description":"Run the tests","status":{"state":"running","task_type":"agent"}}]}"#,
    );
    play.say(&["one"]);
    const TEXTS: [&str; 3] = [
        "### Skill release",
        "There is a plan from plan mode",
        r#"Task \"Run the tests\" (t1) of type agent is still running."#,
    ];
    assert_eq!(TEXTS.map(|text| count(&play, text)), [0; 3]);
    play.say(&["/compact", "two", "three"]);
    assert_eq!(TEXTS.map(|text| count(&play, text)), [1; 3], "{}", play.last());
}

#[test]
fn reminders_join_the_last_result_and_nothing_else() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    let header = "schedule: {kind: always}";
    reminder(&play.place, "project", "always", header);
    let header = "schedule: {kind: condition, condition: 'after_tool:Read'}";
    reminder(&play.place, "project", "reading", header);
    play.say(&["one"]);
    let seen = play.judge.seen();
    let last = |body: &String| {
        let body: Value = serde_json::from_str(body).unwrap();
        body["messages"].as_array().unwrap().last().unwrap()["content"].clone()
    };
    let (first, second) = (last(&seen.bodies[0]), last(&seen.bodies[1]));
    // Without a result, the reminder is a block in the message.
    let text = first.as_array().unwrap().last().unwrap()["text"].as_str();
    assert!(text.unwrap().contains("Remember always."), "{first}");
    assert!(!first.to_string().contains("Remember reading."), "{first}");
    let [result] = &second.as_array().unwrap()[..] else { panic!("{second}") };
    let text = result["content"].as_array().unwrap().last().unwrap()["text"].as_str();
    assert!(text.unwrap().contains("Remember reading."), "{second}");
}

#[test]
fn a_reminder_that_is_not_due_changes_nothing() {
    let play = Play::new();
    let render = || {
        let session = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
        let mut command = play.place.aside(&["render", "--session-id", session, "hi"]);
        Ran::of(command.output().unwrap()).stdout
    };
    let usual = render();
    let header = "schedule: {kind: condition, condition: 'turn_gt:3'}";
    reminder(&play.place, "home", "later", header);
    assert_eq!(render(), usual);
    reminder(&play.place, "home", "now", "schedule: {kind: always}");
    assert!(render().contains("Remember now."));
}

#[test]
fn git_has_a_user() {
    let play = Play::new();
    let project = play.place.path("project");
    let render = || Ran::of(play.place.aside(&["render", "hi"]).output().unwrap()).stdout;
    git(&project, &["init", "-q", "-b", "main"]);
    assert!(!render().contains("Git user:"), "{}", render());
    git(&project, &["config", "user.name", "Ada"]);
    assert!(render().contains("Git user: Ada"), "{}", render());
}
