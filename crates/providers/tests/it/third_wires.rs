//! What is lost between two wires, neither of them the Messages API: the reasons name it as the
//! form on the way, and what cancels out is not reported.

use aside_providers::{Destination, Options, convert_body};

/// Checks the losses of a body and a text of the result, but for the model's.
#[track_caller]
fn check(to: &str, model: &str, body: &str, sent: &str, lost: &[&str]) {
    let to: Destination = to.parse().unwrap();
    let options = Options { server: to.server, ..Options::for_model(model) };
    let converted = convert_body(body.as_bytes(), None, to.provider, options).unwrap();
    let outgoing = converted.outgoing.unwrap();
    let losses = converted.losses.iter().chain(&outgoing.losses);
    let losses: Vec<_> = losses.filter(|it| it.path != "model").map(ToString::to_string).collect();
    assert_eq!(losses, lost, "{to:?}");
    let body = String::from_utf8(outgoing.body()).unwrap();
    assert!(body.contains(sent), "{body}");
}

const OPEN: &str = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}"#;
const CLOSED: &str = r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#;

fn format(name: &str, schema: &str, strict: bool) -> String {
    format!(
        r#"{{"model":"gpt-5.5","input":"Hi","text":{{"format":{{"type":"json_schema","name":"{name}","schema":{schema},"strict":{strict}}}}}}}"#
    )
}

#[test]
fn a_format_that_stays_loose_is_no_loss() {
    let chat = ("chat-completions", "gpt-4.1");
    check(chat.0, chat.1, &format("answer", OPEN, false), r#""strict":false"#, &[]);
    let set = "text.format.strict: set to true: an answer of the Messages API, through which it is converted, always has its format";
    check(chat.0, chat.1, &format("answer", CLOSED, false), r#""strict":true"#, &[set]);
    check(chat.0, chat.1, &format("answer", CLOSED, true), r#""strict":true"#, &[]);
    let loose = "text.format.schema: sent as not strict: OpenAI wants closed objects with every property required";
    check(chat.0, chat.1, &format("answer", OPEN, true), r#""strict":false"#, &[loose]);
    let set =
        "text.format.strict: set to true: an answer of the Messages API always has its format";
    let body =
        format("answer", CLOSED, false).replace(r#""input""#, r#""max_output_tokens":99,"input""#);
    check("messages", "claude-sonnet-5-5", &body, "json_schema", &[set]);
}

#[test]
fn the_name_of_a_format_is_replaced_or_left_out() {
    let body = format("weather", CLOSED, true);
    let replaced = "text.format.name: replaced by answer: a format of the Messages API, through which it is converted, has no name";
    check("chat-completions", "gpt-4.1", &body, r#""name":"answer""#, &[replaced]);
    check("responses", "gpt-5.5", &body, r#""name":"answer""#, &[replaced]);
    let left_out = "text.format.name: left out: a format of the Messages API, through which it is converted, has no name";
    check("generate-content", "gemini-3.8-flash", &body, "responseJsonSchema", &[left_out]);
}

#[test]
fn a_parameter_that_the_target_has_too() {
    let body = r#"{"model":"gpt-4.1","messages":[{"role":"user","content":"JSON"}],"seed":7,"response_format":{"type":"json_object"}}"#;
    let lost = [
        "response_format: left out: a format of the Messages API, through which it is converted, has a schema",
        "seed: left out: the Messages API, through which it is converted, has no such parameter",
    ];
    check("responses", "gpt-5.5", body, "JSON", &lost);
    check("generate-content", "gemini-3.8-flash", body, "JSON", &lost);
}
