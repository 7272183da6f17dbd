//! Messages of which nothing can be read, or nothing stays.

use aside_messages::wire::{ContentBlock, Request};
use aside_models::Wire;
use aside_providers::{Options, Provider, convert_body};

const CLAUDE: (Provider, &str) = (Provider::FirstParty, "claude-opus-5");
const CHAT: (Provider, &str) = (Provider::OpenAi, "gpt-4.1");

const GEMINI: (Provider, &str) = (Provider::Gemini, "gemini-3.6-flash");

/// Checks the error of a conversion, or what its body contains.
fn check(to: (Provider, &str), body: &str, expected: Result<&str, &[&str]>) {
    check_from(None, to, body, expected);
}

/// Checks the same for a body in the form of the Messages API.
fn check_own(to: (Provider, &str), body: &str, expected: Result<&str, &[&str]>) {
    check_from(Some(Wire::Messages), to, body, expected);
}

fn check_from(
    from: Option<Wire>,
    (to, model): (Provider, &str),
    body: &str,
    expected: Result<&str, &[&str]>,
) {
    let own = if body.contains("contents") { "gemini-4-argon" } else { "gpt-4.1" };
    let body = format!(r#"{{"model":"{own}",{body}}}"#);
    let options = Options::for_model(model);
    let converted = convert_body(body.as_bytes(), from, to, options).unwrap();
    let body = converted.outgoing.map(|it| String::from_utf8(it.body()).unwrap());
    let found = body.map_err(|error| {
        let found = error.findings().iter().map(ToString::to_string);
        found.collect::<Vec<_>>()
    });
    match expected {
        Ok(expected) => assert!(found.as_ref().is_ok_and(|it| it.contains(expected)), "{found:?}"),
        Err(expected) => assert_eq!(found.unwrap_err(), expected),
    }
}

const FILE: &str = r#"{"type":"file","file":{"file_id":"file-1"}}"#;

#[test]
fn an_error_names_what_was_left_out() {
    let only = format!(r#""messages":[{{"role":"user","content":[{FILE}]}}]"#);
    let lost = "no-message: messages[0].content[0]: left out: the Messages API, through which it is converted, has no counterpart";
    check(CHAT, &only, Err(&[lost]));
    let lost = "no-message: messages[0].content[0]: left out: the Messages API has no counterpart";
    check(CLAUDE, &only, Err(&[lost]));
    let stored = r#""previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"c","output":"x"}]"#;
    let lost = [
        "no-message: input[0].output: left out: no call before it waits for this output",
        "no-message: previous_response_id: left out: it is kept by the server, and not in the body",
    ];
    check(CLAUDE, stored, Err(&lost));
    let video = r#""contents":[{"parts":[{"fileData":{"fileUri":"https://x/a.mp4"}}]}]"#;
    let lost =
        "no-message: contents[0].parts[0].fileData: left out: the Messages API has no counterpart";
    check(CLAUDE, video, Err(&[lost]));
    // The target takes nothing of it.
    let stored =
        r#""contents":[{"parts":[{"fileData":{"mimeType":"image/png","fileUri":"gs://b/a"}}]}]"#;
    let lost =
        "no-message: contents[0].parts[0]: left out: only Google's servers can read this address";
    check(CLAUDE, stored, Err(&[lost]));
    check(GEMINI, stored, Ok("gs://b/a"));
    let answered = stored
        .replace("]}]", r#"]},{"role":"model","parts":[{"text":"a"}]},{"parts":[{"text":"b"}]}]"#);
    check(CLAUDE, &answered, Ok("(no content)"));
    let own = |content: &str| {
        format!(r#""max_tokens":9,"messages":[{{"role":"user","content":[{content}]}}]"#)
    };
    let image = own(r#"{"type":"image","source":{"type":"url","url":"gs://b/a"}}"#);
    let lost =
        "no-message: messages[0].content[0]: left out: only Google's servers can read this address";
    check_own(CHAT, &image, Err(&[lost]));
    // You left these empty.
    check_own(CHAT, &own(""), Ok("(no content)"));
    check(CHAT, &own(r#"{"type":"text","text":"(no content)"}"#), Ok("(no content)"));
    // Nothing was left out.
    let none = "no-message: messages: none, expected at least one message";
    check(CHAT, r#""messages":[]"#, Err(&[none]));
    // Another part is left.
    let text = format!(
        r#""messages":[{{"role":"user","content":[{FILE},{{"type":"text","text":"Hi"}}]}}]"#
    );
    check(CLAUDE, &text, Ok(r#"[{"role":"user","content":[{"type":"text","text":"Hi"}]}]"#));
}

#[test]
fn a_message_of_the_user_keeps_its_place() {
    let [file, text] = [FILE, r#"{"type":"text","text":"Hi"}"#]
        .map(|part| format!(r#"{{"role":"user","content":[{part}]}}"#));
    let reply = r#"{"role":"assistant","content":"a"}"#;
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
    let result = r#"{"role":"tool","tool_call_id":"c","content":"x"}"#;
    let check = |messages: &[&str], roles: &str| {
        let messages = messages.join(",");
        let body = format!(r#"{{"model":"gpt-4.1","messages":[{messages}]}}"#);
        let request = aside_providers::from_openai(body.as_bytes()).unwrap().request;
        let roles_of = request.messages.iter().map(|it| it.role.as_str().to_owned());
        let filled = serde_json::to_string(&request.messages).unwrap();
        let filled = filled.matches("(no content)").count();
        assert_eq!(format!("{} {filled}", roles_of.collect::<Vec<_>>().join(" ")), roles);
    };
    check(&[&file, reply, &text], "user assistant user 1");
    check(&[&file, call, result, reply, &text], "user assistant user assistant user 1");
    check(&[&text, reply, &file, reply, &text], "user assistant user assistant user 1");
    check(&[&text, reply, &file], "user assistant user 1");
    check(&[&text, &file, reply, &text], "user assistant user 0");
    check(&[&file, &text, reply, &text], "user assistant user 0");
    check(&[&text, call, result, &file, reply, &text], "user assistant user assistant user 0");
    check(&[&file], " 0");
    let orphan = r#"{"role":"tool","tool_call_id":"x","content":"x"}"#;
    check(&[&text, reply, orphan], "user assistant user 1");
    check(&[&text, reply, orphan, &text], "user assistant user 0");
    check(&[orphan], " 0");
    // Behind its call, it stays in the same turn.
    let system = r#"{"role":"system","content":"s"}"#;
    check(&[&text, call, system, result, reply], "user assistant user system assistant 0");
}

/// The same history on the four wires. A message is a role with its text, the id of a call (`+a`)
/// or that of a result (`-a`).
fn on_each_wire(messages: &[(&str, &str)]) -> [(Wire, String); 4] {
    let of = |write: &dyn Fn(&str, &str) -> String| {
        let written = messages.iter().map(|(role, text)| write(role, text));
        written.collect::<Vec<_>>().join(",")
    };
    let own = of(&|role, text| {
        let block = match (text.get(..1), text.get(1..)) {
            (Some("+"), Some(id)) => {
                format!(r#"[{{"type":"tool_use","id":"{id}","name":"f","input":{{}}}}]"#)
            }
            (Some("-"), Some(id)) => {
                format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"r"}}]"#)
            }
            _ => format!(r#""{text}""#),
        };
        format!(r#"{{"role":"{role}","content":{block}}}"#)
    });
    let chat = of(&|role, text| match (text.get(..1), text.get(1..)) {
        (Some("+"), Some(id)) => format!(
            r#"{{"role":"assistant","content":"","tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#
        ),
        (Some("-"), Some(id)) => {
            format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"r"}}"#)
        }
        _ => format!(r#"{{"role":"{role}","content":"{text}"}}"#),
    });
    let responses = of(&|role, text| match (text.get(..1), text.get(1..)) {
        (Some("+"), Some(id)) => {
            format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#)
        }
        (Some("-"), Some(id)) => {
            format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"r"}}"#)
        }
        _ => format!(r#"{{"role":"{role}","content":"{text}"}}"#),
    });
    let gemini = of(&|role, text| {
        let part = match (text.get(..1), text.get(1..)) {
            (Some("+"), Some(id)) => {
                format!(r#"{{"functionCall":{{"id":"{id}","name":"f","args":{{}}}}}}"#)
            }
            (Some("-"), Some(id)) => format!(
                r#"{{"functionResponse":{{"id":"{id}","name":"f","response":{{"output":"r"}}}}}}"#
            ),
            _ => format!(r#"{{"text":"{text}"}}"#),
        };
        let role = if role == "assistant" { "model" } else { role };
        format!(r#"{{"role":"{role}","parts":[{part}]}}"#)
    });
    [
        (Wire::Messages, format!(r#""max_tokens":9,"messages":[{own}]"#)),
        (Wire::ChatCompletions, format!(r#""messages":[{chat}]"#)),
        (Wire::Responses, format!(r#""input":[{responses}]"#)),
        (Wire::GenerateContent, format!(r#""contents":[{gemini}]"#)),
    ]
}

/// Checks the messages that a history becomes, and the reports of empty ones.
fn check_each(messages: &[(&str, &str)], expected: &str, filled: &[usize]) {
    for (wire, body) in on_each_wire(messages) {
        let body = format!(r#"{{"model":"m",{body}}}"#);
        let options = Options::for_model(CLAUDE.1);
        let converted = convert_body(body.as_bytes(), Some(wire), CLAUDE.0, options).unwrap();
        let outgoing = converted.outgoing.map_err(|it| format!("{wire:?}: {it}")).unwrap();
        let sent = Request::parse(&outgoing.body()).unwrap().value;
        let found: Vec<_> = sent
            .messages
            .iter()
            .map(|message| {
                let blocks = message.content.iter().map(|block| match block {
                    ContentBlock::Text(text) => text.text.to_string(),
                    ContentBlock::ToolUse(call) => format!("+{}", call.id),
                    ContentBlock::ToolResult(result) => format!("-{}", result.tool_use_id),
                    other => format!("{other:?}"),
                });
                format!("{} {}", message.role.as_str(), blocks.collect::<Vec<_>>().join(", "))
            })
            .collect();
        assert_eq!(found.join(" | "), expected, "{wire:?}");
        let key = aside_body::wire::messages_key(wire);
        let reported = converted.losses.iter().filter(|it| it.what.starts_with("no content"));
        let reported: Vec<_> = reported.map(|it| it.path.split('.').next().unwrap()).collect();
        let paths: Vec<_> = filled.iter().map(|it| format!("{key}[{it}]")).collect();
        assert_eq!(reported, paths, "{wire:?}");
    }
}

#[test]
fn an_empty_response_keeps_its_place_on_each_wire() {
    check_each(
        &[("user", "one"), ("assistant", ""), ("user", "two")],
        "user one | assistant (no content) | user two",
        &[1],
    );
    check_each(
        &[("user", "one"), ("assistant", "a"), ("user", ""), ("assistant", "b"), ("user", "two")],
        "user one | assistant a | user (no content) | assistant b | user two",
        &[2],
    );
    // A response without text calls tools as well.
    check_each(
        &[("user", "one"), ("assistant", "+a"), ("user", "-a")],
        "user one | assistant +a | user -a",
        &[],
    );
}

#[test]
fn a_result_that_is_not_where_its_call_is_keeps_its_place_on_each_wire() {
    check_each(
        &[("user", "one"), ("assistant", "a"), ("user", "-x")],
        "user one | assistant a | user (no content)",
        &[2],
    );
    check_each(
        &[("user", "one"), ("assistant", "a"), ("user", "-x"), ("assistant", "b"), ("user", "two")],
        "user one | assistant a | user (no content) | assistant b | user two",
        &[2],
    );
    check_each(
        &[
            ("user", "one"),
            ("assistant", "+a"),
            ("user", "wait"),
            ("assistant", "b"),
            ("user", "-a"),
        ],
        "user one | assistant +a | user -a, wait | assistant b | user (no content)",
        &[4],
    );
}
