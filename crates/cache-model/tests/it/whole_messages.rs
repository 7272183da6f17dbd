//! A message that only one conversation has is reported as a whole, and the system prompt apart from
//! the conversation, wherever the wire has it.

use aside_cache_model::{Body, Cause, Difference, Level, first_difference};

const SYSTEM: &str = r#"{"role":"system","content":"Be brief."}"#;
const CALL: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
const RESULT: &str = r#"{"role":"tool","tool_call_id":"c","content":"ok"}"#;
const REMINDER: &str =
    r#"{"role":"user","content":"<system-reminder>Use tabs.</system-reminder>"}"#;
const ANSWER: &str = r#"{"role":"assistant","content":"Done."}"#;
const USER: &str = r#"{"role":"user","content":"Go on."}"#;

/// A request on Chat Completions.
fn chat(messages: &[&str]) -> String {
    format!(r#"{{"model":"gpt-5.5","n":1,"messages":[{}]}}"#, messages.join(","))
}

fn difference(before: &str, after: &str) -> Difference {
    let [before, after] = [before, after].map(|it| Body::parse(it.as_bytes()).unwrap());
    first_difference(&before, &after).unwrap()
}

/// Checks both directions, with the place of the message in the body that has it and of the next
/// one in the other.
#[track_caller]
fn check(whole: &[&str], less: &[&str], path: &str, at: [&str; 2], level: Level, cause: Cause) {
    let (whole, less) = (chat(whole), chat(less));
    let at = [whole.find(at[0]).unwrap(), less.find(at[1]).unwrap()];
    for (found, offsets) in
        [(difference(&whole, &less), at), (difference(&less, &whole), [at[1], at[0]])]
    {
        assert_eq!((found.path.as_str(), found.level, found.cause), (path, Some(level), cause));
        assert_eq!([found.byte_offset_before, found.byte_offset], offsets.map(Some));
    }
}

#[test]
fn a_message_is_missing_as_a_whole() {
    let moved = Cause::ReminderMovedOrRemoved;
    check(
        &[USER, CALL, RESULT, REMINDER, ANSWER, USER],
        &[USER, CALL, RESULT, ANSWER, USER],
        "messages[3]",
        [REMINDER, ANSWER],
        Level::Messages,
        moved,
    );
    // Between two messages of the model.
    check(
        &[USER, CALL, RESULT, CALL, REMINDER, ANSWER, USER],
        &[USER, CALL, RESULT, CALL, ANSWER, USER],
        "messages[4]",
        [REMINDER, ANSWER],
        Level::Messages,
        moved,
    );
    let text = r#"{"role":"user","content":"Use tabs."}"#;
    check(
        &[USER, CALL, RESULT, text, ANSWER, USER],
        &[USER, CALL, RESULT, ANSWER, USER],
        "messages[3]",
        [text, ANSWER],
        Level::Messages,
        Cause::TextEdited,
    );
}

/// As a reminder in the tail of each request is.
#[test]
fn a_last_message_makes_room_for_the_answer() {
    let before = chat(&[USER, CALL, RESULT, REMINDER]);
    let after = chat(&[USER, CALL, RESULT, ANSWER, USER]);
    let found = difference(&before, &after);
    assert_eq!((found.path.as_str(), found.cause), ("messages[3]", Cause::ReminderMovedOrRemoved));
    assert_eq!(found.byte_offset_before, before.find(REMINDER));
    assert_eq!(found.byte_offset, after.find(ANSWER));
}

#[test]
fn a_result_that_reads_like_a_reminder_is_none() {
    let result = RESULT.replace("ok", "<reminder>x</reminder>");
    let before = chat(&[USER, CALL, RESULT, ANSWER, USER]);
    let twice = chat(&[USER, CALL, &result, RESULT, ANSWER, USER]);
    assert_eq!(difference(&twice, &before).cause, Cause::TextEdited);
}

#[test]
fn an_edited_role_is_no_missing_message() {
    let edited = ANSWER.replace("assistant", "user");
    let found = difference(&chat(&[USER, ANSWER, USER]), &chat(&[USER, &edited, USER]));
    assert_eq!((found.path.as_str(), found.cause), ("messages[1].role", Cause::TextEdited));
}

#[test]
fn a_message_of_the_system_prompt_is_missing_as_a_whole() {
    let second = SYSTEM.replace("brief", "kind");
    check(
        &[SYSTEM, &second, USER],
        &[SYSTEM, USER],
        "messages[1]",
        [&second, ",{\"role\":\"user\""],
        Level::System,
        Cause::TextEdited,
    );
    // The earlier request ends with its system prompt, so the later one continues it.
    let [less, whole] = [chat(&[SYSTEM]), chat(&[SYSTEM, &second])];
    let [less, whole] = [less, whole].map(|it| Body::parse(it.as_bytes()).unwrap());
    assert_eq!(first_difference(&less, &whole), None);
    // Without another one, it is missing before the first message.
    check(
        &[SYSTEM, USER],
        &[USER],
        "messages[0]",
        [SYSTEM, USER],
        Level::System,
        Cause::TextEdited,
    );
}
