use aside_gateway::strict::Draft;

use super::*;

#[test]
fn messages_arrive_during_tools_and_the_last_response() {
    let mut play = Play::new();
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.say(&["one"]);
    let (first, first_gate) = gate();
    let (second, second_gate) = gate();
    let done = Draft::new().thinking("T.").text("Done.");
    play.judge.script(vec![
        Answer::Held(reading(1, &["a.md"]), first_gate),
        Answer::Held(done, second_gate),
    ]);
    let mut run = play.start(&["two"]);
    play.judge.await_requests(2);
    run.say("Turn left, see @a.md.");
    first.send(()).unwrap();
    play.judge.await_requests(3);
    run.say("And where are we?");
    run.say("Twice?");
    second.send(()).unwrap();
    play.ended(run, Some(0));
    play.say(&["three"]);
    play.kept(5, "Twice?");
}

/// Ends a run with a signal after this many events in its second response, then
/// continues it, with a new message or without.
fn ended_by(signal: &str, code: Option<i32>, events: usize, next: &[&str]) {
    let mut play = Play::new();
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    reminder(&play.place, "project", "file", "schedule: {kind: always}");
    play.say(&["one"]);
    let (open, gate) = gate();
    play.judge.script(vec![call(1, &["a.md"]), Answer::Midway(events, gate)]);
    let mut run = play.start(&["two"]);
    play.judge.await_requests(3);
    if events > 4 {
        run.see("Answer 3.");
    }
    run.signal(signal);
    let id = play.id.clone();
    let ran = run.end();
    assert_eq!(ran.code, code, "{ran:?}");
    let _ = open.send(());
    play.id = id;
    play.run(next);
    play.say(&["three"]);
    play.accepted(5, "three");
}

#[test]
fn a_run_is_cancelled_before_the_response() {
    ended_by("-INT", Some(130), 0, &["something else"]);
    ended_by("-INT", Some(130), 0, &[]);
}

#[test]
fn a_run_is_cancelled_during_the_response() {
    ended_by("-INT", Some(130), 8, &["something else"]);
    ended_by("-INT", Some(130), 8, &[]);
}

#[test]
fn a_run_is_terminated_in_the_midst_of_the_answer() {
    ended_by("-TERM", Some(143), 8, &[]);
}

#[test]
fn a_run_is_killed_before_the_response() {
    ended_by("-KILL", None, 0, &["something else"]);
    ended_by("-KILL", None, 0, &[]);
}

#[test]
fn a_run_is_killed_during_the_response() {
    ended_by("-KILL", None, 8, &["something else"]);
    ended_by("-KILL", None, 8, &[]);
}
