//! What continues what.

use std::time::Duration;

use aside_cache_model::{ParentRule, RequestBytes, ResponseParts, Timed, parent};

fn timed(at: u64, system: &str, messages: &[&str]) -> Timed {
    let roles = ["user", "assistant"].into_iter().cycle();
    let messages: Vec<String> = messages
        .iter()
        .zip(roles)
        .map(|(text, role)| format!(r#"{{"role":"{role}","content":"{text}"}}"#))
        .collect();
    let json = format!(
        r#"{{"model":"m","system":"{system}","messages":[{}]}}"#,
        messages.join(",")
    );
    let request = RequestBytes::parse(json.as_bytes()).unwrap();
    Timed::new(request, Duration::from_secs(at))
}

#[track_caller]
fn check(log: &[Timed], expected: Option<(usize, ParentRule)>) {
    let found = parent(log, log.len() - 1);
    assert_eq!(found.map(|it| (it.index, it.rule)), expected);
}

#[test]
fn the_rules_are_tried_in_their_order() {
    use ParentRule::{AnswerText, CommonPrefix, PreviousId, Session};
    let one = timed(0, "s", &["a"]);
    let two = timed(1, "s", &["b"]);
    let next = timed(2, "s", &["a", "x", "c"]);
    check(
        &[one.clone(), two.clone(), next.clone()],
        Some((0, CommonPrefix)),
    );

    // Another system prompt, and no tools to compare: a new session.
    let other = timed(2, "other", &["a", "x", "c"]);
    check(&[one.clone(), other.clone()], Some((0, CommonPrefix)));
    let session = |mut entry: Timed, name: &str| {
        entry.session = Some(name.to_owned());
        entry
    };
    let log = [
        session(one.clone(), "1"),
        session(two.clone(), "2"),
        session(other.clone(), "2"),
    ];
    check(&log, Some((1, Session)));

    let mut stated = next.clone();
    stated.previous = Some("two".to_owned());
    let mut named = two.clone();
    named.id = Some("two".to_owned());
    check(&[one.clone(), named, stated], Some((1, PreviousId)));

    let mut answered = two;
    answered.answer = Some(ResponseParts::new(Vec::new(), Some("x".to_owned())));
    check(&[one.clone(), answered, next], Some((1, AnswerText)));
    check(&[one, timed(3, "s", &["z"])], None);
}

#[test]
fn a_retry_from_an_earlier_request_is_no_break() {
    let log = [
        timed(0, "s", &["a"]),
        timed(1, "s", &["a", "x", "b"]),
        timed(2, "s", &["a", "y", "c"]),
    ];
    check(&log, Some((0, ParentRule::CommonPrefix)));
    // The conversation goes on after a change in the middle of it.
    let log = [
        timed(0, "s", &["a"]),
        timed(1, "s", &["a", "x", "b"]),
        timed(2, "s", &["a", "X", "b", "y", "c"]),
    ];
    check(&log, Some((1, ParentRule::CommonPrefix)));
}

/// Memory does not grow with the number of sessions.
#[test]
fn sessions_that_were_not_continued_for_long_are_forgotten() {
    let in_session = |number: u64| {
        let mut entry = timed(number, "s", &["Hi"]);
        entry.session = Some(number.to_string());
        entry
    };
    let mut log: Vec<Timed> = (0..300).map(in_session).collect();
    log.push(in_session(299));
    check(&log, Some((299, ParentRule::Session)));
    log.pop();
    log.push(in_session(0));
    check(&log, None);
}
