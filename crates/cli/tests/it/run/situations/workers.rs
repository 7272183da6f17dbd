//! Workers that do not finish, and what the coordinator gets to read.

use aside_gateway::strict::Draft;
use uuid::Uuid;

use super::*;

fn coordinator() -> Play {
    let mut play = Play::new();
    play.arguments = vec!["--coordinator".to_owned(), "--worker-tool=Dispatch".to_owned()];
    play
}

/// Returns a response that gives a worker a task.
fn gives(task: &str) -> Answer {
    let input = format!(r#"{{"prompt":"{task}"}}"#);
    let draft = Draft::new().tool_use_with_id("toolu_x", "Dispatch", &input);
    Answer::Draft(draft.unwrap())
}

#[track_caller]
fn check(play: &mut Play, answers: Vec<Answer>, expected: &str) {
    play.judge.script(answers);
    play.run(&["Go"]);
    let last = play.last();
    assert!(last.contains(expected), "{last}");
}

/// With `--allow-edits` only, as in the coordinator's own session.
#[test]
fn workers_have_the_tools_of_the_run() {
    for is_allowed in [true, false] {
        let mut play = coordinator();
        play.arguments.extend(is_allowed.then(|| "--allow-edits".to_owned()));
        let input = r#"{"file_path":"new.md","content":"Done."}"#;
        let write = Draft::new().tool_use_with_id("toolu_y", "Write", input);
        play.judge.script(vec![gives("Write it."), Answer::Draft(write.unwrap())]);
        play.run(&["Go"]);
        let written = fs::read_to_string(play.place.path("project/new.md")).ok();
        assert_eq!(written.as_deref(), is_allowed.then_some("Done."));
    }
}

#[test]
fn a_task_is_required() {
    check(&mut coordinator(), vec![gives(" ")], "prompt: the task of the worker is missing");
}

#[test]
fn a_worker_ends_without_a_message() {
    let silent = Answer::Draft(Draft::new().thinking("Hm."));
    check(&mut coordinator(), vec![gives("Look."), silent], "The worker ended without a message.");
}

#[test]
fn the_last_message_of_a_worker_that_failed() {
    let begun = Draft::new().text("I begin.");
    let begun = begun.tool_use_with_id("toolu_y", "Read", r#"{"file_path":"a.md"}"#);
    let refused = Answer::Refused("tools: not this time");
    check(
        &mut coordinator(),
        vec![gives("Look."), Answer::Draft(begun.unwrap()), refused],
        r" Its last message:\nI begin.",
    );
}

#[cfg(unix)]
#[test]
fn the_transcript_of_a_worker_cannot_be_created() {
    let mut play = coordinator();
    play.say(&["Go"]);
    let session = Uuid::parse_str(play.id.as_deref().unwrap()).unwrap();
    let worker = Uuid::new_v5(&session, b"worker 0");
    let transcript = play.place.transcript(&worker.to_string());
    std::os::unix::fs::symlink("/nowhere/at/all", transcript).unwrap();
    check(
        &mut play,
        vec![gives("Look.")],
        "The worker did not finish: failed to create its transcript: ",
    );
}

#[test]
fn a_worker_that_does_not_end() {
    let answers = [gives("Look.")].into_iter().chain((0..201).map(|at| call(at, &["a.md"])));
    let expected = "The worker did not finish: it sent the 200 requests that it may send.";
    check(&mut coordinator(), answers.collect(), expected);
}

#[test]
fn a_preview_starts_no_worker() {
    let mut play = coordinator();
    play.judge.script(vec![gives("Look.")]);
    play.run(&["Go"]);
    let id = play.id.clone().unwrap();
    let transcript = play.place.transcript(&id);
    let text = fs::read_to_string(&transcript).unwrap();
    let result = text.lines().position(|line| line.contains(r#""type":"tool_result""#)).unwrap();
    let before: Vec<&str> = text.lines().take(result).collect();
    fs::write(&transcript, before.join("\n") + "\n").unwrap();
    let files = || fs::read_dir(transcript.parent().unwrap()).unwrap().count();
    let known = files();
    let arguments = ["render", "--resume", &id, "--coordinator", "--worker-tool=Dispatch"];
    let ran = Ran::of(play.place.aside(&arguments).output().unwrap());
    assert!(ran.stdout.contains("workers are not started here"), "{ran:?}");
    assert!(ran.stderr.contains("the call of Dispatch is not carried out"), "{ran:?}");
    assert_eq!(files(), known);
}
