use std::borrow::Cow;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::body::body;
use super::*;

/// Members of a request, some with secrets, some that are not JSON.
const MEMBERS: &[&str] = &[
    r#""model":"claude-opus-5""#,
    r#""model":"gpt-5.5""#,
    r#""system":"Be brief.""#,
    r#""system":[{"type":"text","text":"Be brief."}]"#,
    r#""system":"Bearer abc""#,
    r#""systemInstruction":{"parts":[{"text":"Be brief."}]}"#,
    r#""metadata":{"user_id":"Bearer abc"}"#,
    r#""mcp_servers":[{"type":"url","url":"https://a.b/a-long-secret-of-a-path"}]"#,
    r#""api_key":"abc""#,
    r#""tools":[{"name":"a","input_schema":{"type":"object"}},{"type":"mcp","headers":{"a":"b"}}]"#,
    r#""tools":[{"name":"a","input_schema":{"type":"object"}}]"#,
    r#""input":"Bearer abc""#,
    r#""messages":[{"role":"user","content":"Bearer abc"}]"#,
    r#""messages": 7"#,
    r#""temperature":0.5.5"#,
];

/// Messages, some with secrets, some that are not JSON.
const MESSAGES: &[&str] = &[
    r#"{"role":"user","content":"Hi"}"#,
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"a","input":{"token":"b"}}]}"#,
    r#"{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://a.b/c?d=e"}}]}"#,
    r#"{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://a.b/c"}}]}"#,
    r#"{"role":"user","content":"Hi","token":"abc"}"#,
    r#"{"role":"user","content":"Hi","token":{"a":[1]}}"#,
    r#"{"role":"user","content":"\x"}"#,
    r#"{"role":"user","content":tru}"#,
    r#"{"role":"user" "content":"Hi"}"#,
    r#""Hi""#,
    "7",
    "01",
];

/// A request of a session: members, messages, and which list they are in.
fn request() -> impl Strategy<Value = (Vec<&'static str>, usize, &'static str)> {
    let key = select(&["messages", "input", "contents"][..]);
    (vec(select(MEMBERS), 0..4), 0..MESSAGES.len(), key)
}

proptest! {
    /// What earlier requests have in common changes the work, and not the answer.
    #[test]
    fn a_body_is_clean_if_all_of_it_is_searched_and_nothing_found(
        session in vec(select(MESSAGES), 0..8),
        requests in vec(request(), 1..6),
        is_spaced: bool,
    ) {
        let mut clean = CleanBodies::default();
        let mut earlier: Option<Body> = None;
        for (members, length, key) in requests {
            let messages = session.iter().take(length).copied().collect::<Vec<_>>();
            let separator = if is_spaced { " ,\n" } else { "," };
            let messages = format!(r#""{key}":[{}]"#, messages.join(separator));
            let members = members.into_iter().chain([&*messages]).collect::<Vec<_>>();
            let text = format!("{{{}}}", members.join(separator));
            let read = Body::parse_after(text.clone().into(), earlier.as_ref());
            let Ok(read) = read else { continue };
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            let expected = is_json && matches!(body(text.as_bytes()), Cow::Borrowed(_));
            prop_assert_eq!(clean.check(&read), expected, "{}", text);
            earlier = Some(read);
        }
    }
}

/// A request that repeats an earlier one is not searched again.
#[test]
fn only_what_is_new_is_searched() {
    let body = |more: &str| format!(r#"{{"messages":[{{"role":"user","content":"Hi"}}{more}]}}"#);
    let first = Body::parse(body("").as_bytes()).unwrap();
    let mut clean = CleanBodies::default();
    assert!(clean.check(&first));
    let more = r#",{"role":"user","content":"Hi","token":"a"}"#;
    let second = Body::parse_after(body(more).into(), Some(&first)).unwrap();
    assert!(!clean.check(&second));
    // What is kept is not searched, even if it should have been.
    clean.0.push(second.clone());
    let third = Body::parse_after(body(&more.repeat(2)).into(), Some(&second)).unwrap();
    assert!(!clean.check(&third), "the third message is new");
    let again = Body::parse_after(body(more).into(), Some(&second)).unwrap();
    assert!(clean.check(&again), "no message is new");
}
