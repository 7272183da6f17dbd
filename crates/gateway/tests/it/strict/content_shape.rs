//! A string content and a list of one text block are the same content.

use aside_gateway::strict::Draft;

use super::*;

/// A text block, with further members after its text.
fn block(text: &str, members: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"{members}}}"#)
}

fn message(role: &str, content: &str) -> String {
    format!(r#"{{"role":"{role}","content":{content}}}"#)
}

/// Sends thinking behind a message with one content, then the same request with
/// the other content. Returns the path of the first difference if the thinking
/// is refused.
fn resend(role: &str, first: &str, then: &str) -> Option<String> {
    let mut talk = Talk::new(BOUND);
    talk.members = r#""system":"Be kind.","#.to_owned();
    let index = match role {
        "user" => 0,
        "system" => {
            talk.messages.push(user("Hi"));
            1
        }
        // An assistant message without thinking, which the client wrote.
        _ => {
            talk.messages.push(user("Hi"));
            talk.messages.push(message(role, first));
            talk.messages.push(user("Go on"));
            1
        }
    };
    if role != "assistant" {
        talk.messages.push(message(role, first));
    }
    talk.send(&Draft::polite()).unwrap();
    talk.messages[index] = message(role, then);
    talk.messages.push(user("next"));
    let refused = talk.send(&Draft::polite()).err()?;
    let text = refused.message();
    assert!(text.contains("bound to a different conversation"), "{text}");
    Some(text.rsplit('`').nth(1).unwrap_or_default().to_owned())
}

#[test]
fn thinking_stays_valid_when_a_string_becomes_a_list_of_one_text() {
    let marked = r#","cache_control":{"type":"ephemeral"}"#;
    for role in ["user", "assistant", "system"] {
        let string = r#""Read \"a.md\".""#;
        let list = |members| format!("[{}]", block(r#"Read \"a.md\"."#, members));
        for list in [list(""), list(marked)] {
            assert_eq!(resend(role, string, &list), None, "{role}");
            assert_eq!(resend(role, &list, string), None, "{role}");
        }
    }
}

#[test]
fn other_content_with_the_same_text_is_a_difference() {
    let two = format!("[{},{}]", block("Read ", ""), block("a.md", ""));
    let cited = format!("[{}]", block("Read a.md", r#","citations":[]"#));
    let image = format!(
        r#"[{},{{"type":"image","source":{{"type":"url","url":"https://a.b/c.png"}}}}]"#,
        block("Read a.md", "")
    );
    for (role, other) in [
        ("user", &two),
        ("user", &image),
        ("assistant", &two),
        ("assistant", &cited),
        ("system", &two),
    ] {
        let path = resend(role, r#""Read a.md""#, other);
        let path = path.unwrap_or_else(|| panic!("{role} {other}"));
        assert!(
            path.starts_with(if role == "user" { "messages.0" } else { "messages.1" }),
            "{path}"
        );
    }
}

/// The API's answer is not certain here, so nothing is refused.
#[test]
fn the_shape_of_the_system_prompt_refuses_nothing() {
    let mut talk = Talk::new(BOUND);
    talk.members = r#""system":"Be kind.","#.to_owned();
    talk.say("one").unwrap();
    talk.members = format!(r#""system":[{}],"#, block("Be kind.", ""));
    talk.say("two").unwrap();
    talk.members = format!(r#""system":[{}],"#, block("Be brief.", ""));
    assert_eq!(talk.first_difference(), "system.0");
}

/// A client that moves its marker to another message turns the list of a tool result back into a
/// string.
#[test]
fn the_shape_of_a_tool_result_is_no_difference() {
    let marked = block("done", r#","cache_control":{"type":"ephemeral"}"#);
    let string = r#""done""#.to_owned();
    let image = r#"{"type":"image","source":{"type":"url","url":"https://a.b/c.png"}}"#;
    let two = format!("[{},{}]", block("done", ""), block("too", ""));
    let list = |block: &str| format!("[{block}]");
    for (first, then, is_same) in [
        (&string, list(&block("done", "")), true),
        (&string, list(&marked), true),
        (&list(&marked), string.clone(), true),
        (&string, list(&block("do", "")), false),
        (&string, list(&block("done", r#","citations":[]"#)), false),
        (&string, two, false),
        (&string, list(image), false),
        (&list(image), string.clone(), false),
    ] {
        let mut talk = Talk::new(BOUND);
        talk.members = r#""tools":[{"name":"Read","input_schema":{"type":"object"}}],"#.to_owned();
        talk.messages.push(user("Read it."));
        let call = Draft::new().thinking("").tool_use("Read", "{}").unwrap();
        let answer = talk.send(&call).unwrap();
        let json = answer.content_json();
        let id = json.split("toolu_").nth(1).unwrap()[..24].to_owned();
        let result = |content: &str| {
            let id = format!(r#""tool_use_id":"toolu_{id}""#);
            message("user", &format!(r#"[{{"type":"tool_result",{id},"content":{content}}}]"#))
        };
        talk.messages.push(result(first));
        talk.send(&Draft::polite()).unwrap();
        talk.messages[2] = result(&then);
        talk.messages.push(user("next"));
        let refused = talk.send(&Draft::polite()).err();
        let text = refused.map(|it| it.message().to_owned());
        let names = text.as_ref().is_some_and(|it| it.contains("`messages.2.content.0`"));
        assert_eq!((text.is_none(), names), (is_same, !is_same), "{first} {then}: {text:?}");
    }
}

#[test]
fn diagnostics_compare_content_and_not_its_shape() {
    let mut talk = Talk::new(UNBOUND);
    talk.messages.push(message("user", r#""Hi""#));
    talk.members = r#""diagnostics":{"previous_message_id":null},"#.to_owned();
    let id = talk.send(&Draft::polite()).unwrap().id;
    talk.messages[0] = message("user", &format!("[{}]", block("Hi", "")));
    talk.messages.push(user("next"));
    talk.members = format!(r#""diagnostics":{{"previous_message_id":"{id}"}},"#);
    assert_eq!(talk.send(&Draft::polite()).unwrap().diagnostics, Some(None));
}
