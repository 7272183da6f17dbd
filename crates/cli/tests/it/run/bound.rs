//! Sessions against a strict API that binds its thinking to the prefix: it must
//! refuse nothing that a session sends.

use super::*;
use judge::{Answer, Judge, call, reminder, turns};

#[test]
fn reminders_of_every_schedule_and_delivery_are_append_only() {
    let schedules = [
        ("always", "schedule:\n  kind: always"),
        ("turn", "schedule:\n  kind: turn\n  turn_interval: 2"),
        ("timer", "schedule:\n  kind: timer\n  interval: 1ms"),
        ("oneshot", "schedule:\n  kind: oneshot"),
        ("condition", "schedule:\n  kind: condition\n  condition: after_tool:Read"),
    ];
    for delivery in ["ephemeral", "persistent"] {
        let (place, judge) = (Place::new(), Judge::new());
        for (name, schedule) in schedules {
            let header = format!("{schedule}\ndelivery: {delivery}");
            reminder(&place, "home", &format!("own-{name}"), &header);
            reminder(&place, "project", &format!("file-{name}"), &header);
        }
        judge.script(vec![call(1, &["a.md"]), call(2, &["a.md", "gone.md"])]);
        turns(&judge, &place, &[&["one"], &["two"], &["three"], &["four"]]);
        judge.refuses_nothing();
        let seen = judge.seen();
        let last = seen.bodies.last().unwrap();
        assert!(last.contains("Remember own-always."), "{delivery}: {last}");
        if delivery == "ephemeral" {
            let beta = "mid-conversation-system-clear-at-2026-08-21";
            assert!(seen.betas.iter().all(|it| it.contains(beta)), "{:?}", seen.betas);
            assert!(last.contains(r#""clear_at":"next_user_message""#));
        }
    }
}

#[test]
fn a_session_of_more_than_eighty_messages_continues() {
    let (place, judge) = (Place::new(), Judge::new());
    judge.script((0..50).map(|number| call(number, &["a.md"])).collect());
    turns(&judge, &place, &[&["go"], &["on"]]);
    judge.refuses_nothing();
    let seen = judge.seen();
    assert_eq!(seen.bodies.len(), 52);
    assert!(seen.bodies.last().unwrap().contains("more than 80 messages"));
}

#[test]
fn mentions_edits_nested_memory_and_parallel_calls_are_appended() {
    let (place, judge) = (Place::new(), Judge::new());
    fs::create_dir(place.path("project/sub")).unwrap();
    fs::write(place.path("project/sub/CLAUDE.md"), "Sub rule.").unwrap();
    fs::write(place.path("project/sub/b.md"), "b\n").unwrap();
    judge.script(vec![call(1, &["sub/b.md", "a.md", "gone.md"]), call(2, &["a.md"])]);
    let id = turns(&judge, &place, &[&["see @a.md"]]);
    fs::write(place.path("project/a.md"), "one\nthree\n").unwrap();
    for prompt in ["what changed?", "and @sub/b.md?"] {
        let ran = judge.run(&place, &[prompt, "--resume", &id]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    judge.refuses_nothing();
}

#[test]
fn an_interrupted_response_continues_without_a_prompt() {
    let (place, judge) = (Place::new(), Judge::new());
    reminder(&place, "home", "own", "schedule:\n  kind: always");
    let id = turns(&judge, &place, &[&["one"]]);
    for events in [0, 1, 2, 3, 4, 5, 6] {
        judge.script(vec![Answer::Broken(events)]);
        let ran = judge.run(&place, &["more", "--resume", &id]);
        assert_eq!(ran.code, Some(1), "{events}: {ran:?}");
        let ran = judge.run(&place, &["--resume", &id]);
        assert_eq!(ran.code, Some(0), "{events}: {ran:?}");
    }
    judge.refuses_nothing();
    let ran = judge.run(&place, &["--resume", &id]);
    assert!(ran.stderr.contains("no message needs a response"), "{ran:?}");
}

#[test]
fn a_resume_may_change_model_date_and_betas() {
    let (place, judge) = (Place::new(), Judge::new());
    reminder(&place, "home", "own", "schedule:\n  kind: always");
    turns(
        &judge,
        &place,
        &[
            &["one"],
            &["two", "--date", "2027-01-01"],
            &["three", "--model", "claude-opus-5-5"],
            &["four", "--model", "claude-opus-5-5"],
            &["five", "--model", "claude-opus-5"],
            &["six"],
        ],
    );
    judge.refuses_nothing();
    let seen = judge.seen();
    assert!(seen.bodies[1].contains("Today's date is now 2027-01-01."));
}

#[test]
fn a_refusal_of_thinking_is_retried_once() {
    const BOUND: &str = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
    let (place, judge) = (Place::new(), Judge::new());
    let id = turns(&judge, &place, &[&["one"]]);
    judge.script(vec![Answer::Refused(BOUND)]);
    let ran = judge.run(&place, &["two", "--resume", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("messages.1.content.0"), "{ran:?}");
    {
        let seen = judge.seen();
        assert_eq!(seen.bodies.len(), 3);
        assert!(seen.bodies[1].contains(r#""type":"thinking""#));
        assert!(!seen.bodies[2].contains(r#""type":"thinking""#));
    }
    judge.script(vec![Answer::Refused(BOUND), Answer::Refused(BOUND)]);
    let ran = judge.run(&place, &["three", "--resume", &id]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("error: the provider refuses the earlier thinking"), "{ran:?}");
    assert!(ran.stderr.contains("begin a new session"), "{ran:?}");
    let ran = judge.run(&place, &["four", "--resume", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    judge.refuses_nothing();
}

#[test]
fn a_refused_beta_is_given_up() {
    let (place, judge) = (Place::new(), Judge::new());
    reminder(&place, "home", "own", "schedule:\n  kind: always");
    let id = turns(&judge, &place, &[&["one"]]);
    let refused = "messages.1.clear_at: Extra inputs are not permitted";
    judge.script(vec![Answer::Refused(refused)]);
    let ran = judge.run(&place, &["two", "--resume", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS"), "{ran:?}");
    let seen = judge.seen();
    assert!(!seen.bodies[2].contains("clear_at"), "{}", seen.bodies[2]);
    assert!(!seen.betas[2].contains("clear-at"));
    drop(seen);
    // Nor does a later run ask for it, so its thinking stays.
    let ran = judge.run(&place, &["three", "--resume", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let seen = judge.seen();
    assert_eq!(seen.bodies.len(), 4);
    assert!(!seen.bodies[3].contains("clear_at"), "{}", seen.bodies[3]);
    assert!(seen.bodies[3].contains(r#""type":"thinking""#));
    drop(seen);
    judge.refuses_nothing();
}
