use aside_gateway::strict::Draft;

use super::*;
use crate::support::cases::all_or;

const BLOCK: &str = r#"{"role":"assistant","content":[{"type":"compaction","#;
const TOO_LONG: &str = "prompt is too long: 210000 tokens > 200000 maximum";

/// A session whose window holds a few results from this file, and a response to
/// read it.
fn small(answers: Vec<Answer>) -> Play {
    let mut play = Play::of(answers);
    play.write("long.md", "A line of a long file, which says nothing.\n".repeat(150));
    play.write("CLAUDE.md", "Use tabs.");
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.state(r#"{"context_window":20000}"#);
    play
}

fn reads(count: usize) -> Vec<Answer> {
    (0..count).map(|number| call(number, &["long.md"])).collect()
}

/// Returns the bodies of requests to summarize.
fn summaries(play: &Play) -> Vec<String> {
    let seen = play.judge.seen();
    seen.bodies.iter().filter(|it| is_summary(it)).cloned().collect()
}

#[test]
fn the_threshold_is_exceeded_during_a_turn() {
    let mut play = small(reads(8));
    play.say(&["Read it eight times", "And now?", "Still?"]);
    play.judge.refuses_nothing();
    let summaries = summaries(&play);
    assert!(!summaries.is_empty());
    assert!(summaries.iter().all(|it| it.contains(r#""compaction":{"type":"summarize"}"#)));
    let last = play.last();
    assert!(last.contains(BLOCK) && last.contains("Continue with the task."), "{last}");
    assert!(last.contains("Use tabs.") && !last.contains("eight times"), "{last}");
    let seen = play.judge.seen();
    assert!(seen.betas.last().unwrap().contains("compact-2026-09-04"));
}

/// The provider counts more tokens than an estimate finds in the short texts.
#[test]
fn the_recorded_usage_counts_after_a_resume() {
    let check = |more: &[&str], tokens: u64, is_compacted: bool| {
        let mut play = small(Vec::new());
        let answer = format!(r#"{{"content":"One.","usage":{{"input_tokens":{tokens}}}}}"#);
        play.write("one.json", format!(r#"{{"version":1,"answers":[{answer}]}}"#));
        play.run(&["one", "--replay", "one.json"]);
        play.run(&[&["two"], more].concat());
        play.judge.refuses_nothing();
        assert_eq!(summaries(&play).len(), usize::from(is_compacted), "{more:?}, {tokens}");
    };
    check(&[], 11_000, true);
    check(&[], 9_000, false);
    check(&["--model", "claude-opus-5"], 11_000, false);
}

#[test]
fn without_betas_a_request_asks_for_the_summary() {
    let mut play = small(reads(8));
    play.variables.push(("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS", "1".to_owned()));
    play.say(&["Read it eight times", "And now?"]);
    play.judge.refuses_nothing();
    let first = summaries(&play).remove(0);
    assert!(!first.contains(r#""compaction""#), "{first}");
    let last = play.last();
    assert!(last.contains("The summary.") && !last.contains("eight times"), "{last}");
    // The summary request continues the previous bytes.
    let seen = play.judge.seen();
    let at = seen.bodies.iter().position(|it| is_summary(it)).unwrap();
    let prefix = |body: &str| {
        let marker = regex::Regex::new(r#","cache_control":\{[^}]*\}"#).unwrap();
        marker.replace_all(body, "").into_owned()
    };
    let (before, now) = (prefix(&seen.bodies[at - 1]), prefix(&seen.bodies[at]));
    let same = before.bytes().zip(now.bytes()).take_while(|(a, b)| a == b).count();
    assert!(same * 10 > before.len() * 9, "{same} of {}:\n{before}\n{now}", before.len());
}

#[test]
fn the_last_message_of_the_user_is_kept() {
    let mut play = small(reads(3));
    play.say(&["Read it three times", "And now?", "Well?"]);
    play.judge.script(reads(3));
    play.say(&["Again", "The newest words, see @a.md"]);
    play.judge.refuses_nothing();
    let summaries = summaries(&play);
    assert!(!summaries.is_empty());
    assert!(summaries.iter().all(|it| !it.contains("newest words")));
    assert!(play.last().contains("newest words"));
}

#[test]
fn the_api_finds_the_prompt_too_long() {
    // Before a response, and during a turn.
    for before in [0, 2] {
        let mut play = small(Vec::new());
        play.state("{}");
        play.say(&["one"]);
        let mut answers = reads(before);
        answers.push(Answer::Refused(TOO_LONG));
        play.judge.script(answers);
        play.say(&["two", "three"]);
        play.judge.refuses_nothing();
        assert_eq!(summaries(&play).len(), 1);
        let last = play.last();
        assert!(last.contains(BLOCK), "{last}");
        let is_kept = last.contains(r#""text":"two""#);
        assert_eq!(is_kept, before == 0, "{last}");
        assert_eq!(last.contains("toolu_1_0"), before == 2, "{last}");
    }
}

#[test]
fn a_prompt_that_stays_too_long_ends_the_run() {
    let mut play = small(Vec::new());
    play.say(&["one"]);
    play.judge.script(vec![Answer::Refused(TOO_LONG), Answer::Refused(TOO_LONG)]);
    let ran = play.ends(&["two"], 1);
    assert!(ran.stderr.contains("too long"), "{ran:?}");
    play.say(&["three"]);
    play.judge.refuses_nothing();
}

#[test]
fn the_first_prompt_is_too_long() {
    let mut play = small(vec![Answer::Refused(TOO_LONG)]);
    let ran = play.ends(&["one"], 1);
    assert!(ran.stderr.contains("too long"), "{ran:?}");
    play.say(&["two"]);
    play.accepted(2, "two");
}

#[test]
fn the_user_compacts_and_clears() {
    let mut play = small(reads(1));
    play.say(&["one", "/compact Keep the names.", "two"]);
    play.accepted(4, BLOCK);
    assert!(summaries(&play)[0].contains(r#""instructions":"Keep the names.""#));
    assert!(!play.last().contains(r#""text":"one""#));
    play.say(&["/clear", "three", "/compact", "four"]);
    play.accepted(7, "four");
    play.say(&["/clear", "/clear", "/compact", "five"]);
    play.accepted(8, "five");
    assert!(!play.last().contains(BLOCK));
}

#[test]
fn a_persistent_reminder_that_fires_once_is_there_after_a_compaction() {
    for schedule in [
        "{kind: oneshot}",
        "{kind: always, max_fires: 1}",
        "{kind: turn, turn_interval: 1, max_fires: 1}",
    ] {
        let once = |play: &Play| play.last().matches("Remember once.").count();
        let mut play = small(reads(1));
        let persistent = format!("schedule: {schedule}\ndelivery: persistent");
        reminder(&play.place, "home", "once", &persistent);
        reminder(&play.place, "home", "gone", &format!("schedule: {schedule}"));
        play.say(&["one", "two"]);
        assert_eq!(once(&play), 1, "{schedule}");
        play.say(&["/compact", "three", "four"]);
        assert_eq!(once(&play), 1, "{schedule} {}", play.last());
        assert!(!play.last().contains("Remember gone."));
        play.accepted(6, "four");
    }
}

#[test]
fn the_tokens_of_a_compaction_are_reported() {
    let mut play = small(reads(1));
    play.say(&["one"]);
    let ran = play.run(&["/compact"]);
    let usage = ran.stderr.lines().find(|it| it.contains("usage:")).unwrap();
    assert!(usage.contains("1 request, "), "{usage}");
    assert!(!usage.contains(" 0 input tokens"), "{usage}");
    assert!(usage.contains('$'), "{usage}");
}

#[test]
fn the_events_of_a_compaction_are_json_lines() {
    let mut play = small(reads(1));
    play.say(&["one"]);
    let ran = play.run(&["/compact", "--json"]);
    let types = ran.stdout.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["type"].as_str().unwrap().to_owned()
    });
    let mut types: Vec<_> = types.collect();
    types.dedup();
    assert_eq!(types, ["request", "compaction_event", "end"]);
}

#[test]
fn the_user_compacts_during_a_turn() {
    let mut play = small(Vec::new());
    play.say(&["one"]);
    let (open, gate) = gate();
    play.judge.script(vec![Answer::Held(reading(1, &["a.md"]), gate)]);
    let mut run = play.start(&["two"]);
    play.judge.await_requests(2);
    run.say("/compact");
    run.say("And the rest?");
    open.send(()).unwrap();
    play.ended(run, Some(0));
    play.say(&["three"]);
    play.judge.refuses_nothing();
    let last = play.last();
    assert!(last.contains(BLOCK) && last.contains("And the rest?"), "{last}");
    assert!(!last.contains("toolu_1_0"), "{last}");
}

#[test]
fn a_failed_compaction_falls_back_to_another_form() {
    let unavailable = Answer::Refused("compaction: not available (compaction_incomplete_turn)");
    let empty = || Answer::Draft(Draft::new());
    for (summaries, left) in [
        (vec![unavailable], "The summary."),
        (vec![Answer::Refused("a"), empty()], "The summary."),
        (vec![Answer::Refused("a"), reading_answer()], "The summary."),
    ] {
        let mut play = small(reads(1));
        play.say(&["one"]);
        play.judge.summaries(summaries);
        let ran = play.run(&["/compact"]);
        assert!(ran.stderr.contains("could not be summarized"), "{ran:?}");
        play.say(&["two"]);
        play.judge.refuses_nothing();
        assert!(play.last().contains(left));
    }
}

fn reading_answer() -> Answer {
    call(9, &["a.md"])
}

#[test]
fn a_compaction_that_fails_in_every_form_loses_nothing() {
    let mut play = small(reads(1));
    play.say(&["one"]);
    let refused = || Answer::Refused("no");
    play.judge.summaries(vec![refused(), refused(), refused()]);
    play.ends(&["/compact"], 1);
    play.say(&["two"]);
    play.judge.refuses_nothing();
    assert!(play.last().contains("toolu_0_0"));
}

#[test]
fn a_run_is_killed_while_the_summary_is_made() {
    for signal in ["-KILL", "-INT"] {
        let mut play = small(reads(1));
        play.say(&["one"]);
        let (open, held) = gate();
        play.judge.summaries(vec![Answer::Held(Draft::new().text("x"), held)]);
        play.judge.script(vec![Answer::Refused(TOO_LONG)]);
        let run = play.start(&["two"]);
        play.judge.await_requests(4);
        run.signal(signal);
        let id = play.id.clone();
        run.end();
        drop(open);
        play.id = id;
        play.run(&[]);
        play.say(&["three"]);
        play.judge.refuses_nothing();
        assert!(play.last().contains("toolu_0_0"), "nothing was lost");
    }
}

#[test]
fn a_transcript_that_ends_at_any_line_is_resumed() {
    let mut play = small(reads(8));
    play.say(&["Read it eight times"]);
    let path = play.place.transcript(play.id.as_ref().unwrap());
    let whole = fs::read_to_string(&path).unwrap();
    let boundary = whole.lines().position(|it| it.contains(r#""kind":"compact""#));
    let lines = whole.lines().count();
    for kept in (boundary.unwrap() - 3..lines).step_by(all_or(4, 1)) {
        let text: String = whole.split_inclusive('\n').take(kept).collect();
        fs::write(&path, text).unwrap();
        play.judge.script(Vec::new());
        play.say(&["Go on", "And now?"]);
        play.judge.refuses_nothing();
    }
}

/// Before compaction, thinking has another prefix.
#[test]
fn the_user_compacts_with_another_prompt() {
    for method in ["api", "request"] {
        let mut play = small(reads(1));
        play.say(&["one"]);
        let prompt = ["/compact", "--append-system-prompt", "Be brief."];
        play.run(&[&prompt[..], &["--compact-method", method]].concat());
        play.say(&["two"]);
        play.accepted(4, "Be brief.");
        assert_eq!(thoughts(&summaries(&play)[0]), 0);
    }
}
