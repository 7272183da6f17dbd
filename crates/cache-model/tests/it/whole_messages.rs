//! A message that only one conversation has is reported as a whole, and the system prompt apart from
//! the conversation, wherever the wire has it.

use aside_cache_model::{Body, Cause, Difference, Level, first_difference};

const SYSTEM: &str = r#"{"role":"system","content":"Be brief."}"#;
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
        assert_eq!([found.byte_offset_before, found.byte_offset], offsets);
    }
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
