//! Tools that come and go in the conversation, on the Responses wire.

use std::sync::Arc;

use aside_messages::encode::{Body, BodyParts, Encoded, History};
use aside_messages::wire::{Message, Request, Tool};
use aside_providers::{Converter, Options, Outgoing, Provider, convert, from_responses};
use serde_json::{Value, json};

const READ: &str = r#"{"name":"Read","input_schema":{"type":"object","properties":{}}}"#;
const GREP: &str =
    r#"{"name":"Grep","input_schema":{"type":"object","properties":{}},"defer_loading":true}"#;
const USER: &str = r#"{"role":"user","content":"Hi"}"#;
const ADDED: &str = r#"{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"Grep"}}]}"#;
const REMOVED: &str = r#"{"role":"system","content":[{"type":"tool_removal","tool":{"type":"tool_reference","name":"Read"}}]}"#;
const INLINE: &str = r#"{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"Glob","input_schema":{"type":"object","properties":{}}}}}]}"#;
const SAID: &str = r#"{"role":"assistant","content":"Well."}"#;

fn request(tools: &[&str], messages: &[&str], keys: &str) -> Request {
    let json = format!(
        r#"{{"model":"m","max_tokens":64{keys},"tools":[{}],"messages":[{}]}}"#,
        tools.join(","),
        messages.join(",")
    );
    Request::parse(json.as_bytes()).unwrap().value
}

fn written(request: &Request, provider: Provider, model: &str) -> (Value, Vec<String>) {
    let outgoing = convert(request, provider, &Options::for_model(model)).unwrap();
    let losses = outgoing
        .losses
        .iter()
        .filter(|loss| loss.path != "model")
        .map(ToString::to_string)
        .collect();
    (serde_json::from_slice(&outgoing.body()).unwrap(), losses)
}

/// The types of the items of a request, and the names of the tools in it.
fn shape(body: &Value) -> (Vec<String>, Vec<String>) {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let items =
        body["input"].as_array().unwrap().iter().map(|item| match text(item, "type").as_str() {
            "message" => text(item, "role"),
            "additional_tools" => {
                let tools = item["tools"].as_array().unwrap().iter();
                let names: Vec<_> = tools.map(|tool| text(tool, "name")).collect();
                format!("+{}", names.join("+"))
            }
            other => other.to_owned(),
        });
    let tools = body["tools"].as_array().into_iter().flatten();
    (items.collect(), tools.map(|tool| text(tool, "name")).collect())
}

#[track_caller]
fn check(request: &Request, items: &[&str], tools: &[&str], choice: Value) {
    let (body, losses) = written(request, Provider::OpenAi, "gpt-6.2-sol");
    let (found_items, found_tools) = shape(&body);
    assert_eq!(found_items, items);
    assert_eq!(found_tools, tools);
    assert_eq!(body["tool_choice"], choice);
    assert_eq!(losses, [""; 0]);
}

#[test]
fn a_tool_is_added_in_its_place() {
    let all = [READ, GREP];
    let messages = [USER, ADDED, SAID, USER];
    let request = request(&all, &messages, "");
    let expected = ["user", "+Grep", "assistant", "user"];
    check(&request, &expected, &["Read"], Value::Null);
    // Once is enough.
    let messages = [USER, ADDED, SAID, USER, ADDED];
    let twice = self::request(&all, &messages, "");
    check(&twice, &expected, &["Read"], Value::Null);
    // A definition in the message itself.
    let inline = self::request(&[READ], &[USER, INLINE], "");
    check(&inline, &["user", "+Glob"], &["Read"], Value::Null);
}

/// A tool from a message is repaired like one of the request.
#[test]
fn an_added_definition_is_repaired() {
    let faulty = INLINE.replace(r#"{"type":"object","properties":{}}"#, r#"{"type":"object"}"#);
    let request = request(&[READ], &[USER, &faulty, SAID, USER, INLINE], "");
    let (body, losses) = written(&request, Provider::OpenAi, "gpt-6.2-sol");
    // The second definition is equal.
    assert_eq!(shape(&body).0, ["user", "+Glob", "assistant", "user"]);
    let parameters = &body["input"][1]["tools"][0]["parameters"];
    assert_eq!(*parameters, json!({"type": "object", "properties": {}}));
    let path = "messages[1].content[0].tool.definition.input_schema.properties: ";
    assert!(losses.len() == 1 && losses[0].starts_with(path), "{losses:?}");
}

#[test]
fn a_tool_that_a_search_found_is_added_behind_the_result() {
    let call =
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Read","input":{}}]}"#;
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_reference","tool_name":"Grep"}]},{"type":"text","text":"Go."}]}"#;
    let request = request(&[READ, GREP], &[USER, call, result], "");
    let expected = ["user", "function_call", "function_call_output", "+Grep", "user"];
    check(&request, &expected, &["Read"], Value::Null);
}

#[test]
fn a_tool_is_removed_by_the_choice() {
    let named = |name: &str| json!({"type": "function", "name": name});
    let allowed = |mode: &str, names: &[&str]| {
        let tools: Vec<_> = names.iter().map(|name| named(name)).collect();
        json!({"type": "allowed_tools", "mode": mode, "tools": tools})
    };
    let items = ["user", "+Grep", "assistant", "user"];
    let removed = [USER, ADDED, SAID, USER, REMOVED];
    let of = |keys: &str| request(&[READ, GREP], &removed, keys);
    check(&of(""), &items, &["Read"], allowed("auto", &["Grep"]));
    let any = of(r#","tool_choice":{"type":"any"}"#);
    check(&any, &items, &["Read"], allowed("required", &["Grep"]));
    let none = of(r#","tool_choice":{"type":"none"}"#);
    check(&none, &items, &["Read"], json!("none"));
    let forced = of(r#","tool_choice":{"type":"tool","name":"Grep"}"#);
    check(&forced, &items, &["Read"], named("Grep"));
    // Nothing is left.
    let all = request(&[READ], &[USER, REMOVED], "");
    check(&all, &["user"], &["Read"], json!("none"));
    // It comes back.
    let back = REMOVED.replace("removal", "addition");
    let messages = [USER, REMOVED, SAID, USER, &back];
    let request = request(&[READ], &messages, "");
    check(&request, &["user", "assistant", "user"], &["Read"], Value::Null);
}

#[test]
fn unsupported_features_of_a_model_are_reported() {
    let messages = [USER, ADDED, SAID, USER, INLINE, SAID, USER, REMOVED];
    let request = request(&[READ, GREP], &messages, "");
    let (body, losses) = written(&request, Provider::OpenAi, "gpt-5.5");
    assert_eq!(shape(&body).1, ["Read", "Grep"]);
    assert_eq!(body["tool_choice"]["type"], "allowed_tools");
    let at_once = "tools[1].defer_loading: given at once: deferred tools are not converted";
    let later = "messages[4].content[0]: left out: the model takes tools in the parameter only";
    assert_eq!(losses, [at_once, later]);
    let (body, losses) = written(&request, Provider::Grok, "grok-4.5");
    assert_eq!(body["tool_choice"], Value::Null);
    let removal = "messages[7].content[0]: left out: the wire cannot take a tool away";
    assert_eq!(losses, [at_once, later, removal]);
    let unknown = ADDED.replace("Grep", "Nothing");
    let request = self::request(&[READ], &[USER, &unknown], "");
    let (_, losses) = written(&request, Provider::OpenAi, "gpt-6.2-sol");
    let expected = "messages[1].content[0]: left out: there is no such tool";
    assert_eq!(losses, [expected]);
}

/// The requests of a session to which a tool is added.
fn session(tools: [&[&str]; 2]) -> [Outgoing; 2] {
    let mut converter = Converter::new(Provider::OpenAi, Options::for_model("gpt-6.2-sol"));
    let parameters = Arc::new(request(&[], &[], ""));
    let system = Arc::new(Encoded::system(Vec::new(), Vec::new()));
    let mut history = History::default();
    let turns: [&[&str]; 2] = [&[USER], &[USER, ADDED]];
    let mut written = Vec::new();
    for (tools, turn) in tools.into_iter().zip(turns) {
        let json = format!("[{}]", tools.join(","));
        let tools = Arc::new(Encoded::tools(Tool::parse_list(json.as_bytes()).unwrap().value));
        let message = |json: &&str| {
            let message = Message::parse(json.as_bytes()).unwrap().value;
            Arc::new(Encoded::message(message, Vec::new()))
        };
        let tail: Vec<_> = turn.iter().map(message).collect();
        let body = Body::new(BodyParts {
            parameters: &parameters,
            tools: &tools,
            system: &system,
            history: &history,
            tail: &tail,
            markers: &[],
        });
        written.push(converter.outgoing(&body.unwrap()).unwrap());
        tail.into_iter().for_each(|message| history.push(message));
        history.push(message(&SAID));
    }
    written.try_into().unwrap()
}

/// Adding a tool does not change the preceding bytes, so that a model can keep
/// its reasoning.
#[test]
fn an_addition_keeps_the_prefix() {
    let [before, after] = session([&[READ], &[READ, GREP]]).map(|it| it.body());
    let open = before.strip_suffix(b"]}").unwrap();
    assert!(after.starts_with(open), "{}", String::from_utf8_lossy(&after));
    // Given at once, it would not.
    let whole = GREP.replace(r#","defer_loading":true"#, "");
    let [before, after] = session([&[READ], &[READ, &whole]]).map(|it| it.body());
    assert!(!after.starts_with(before.strip_suffix(b"]}").unwrap()));
}

#[test]
fn a_session_and_a_whole_request_are_written_alike() {
    let [_, after] = session([&[READ], &[READ, GREP]]);
    let whole = request(&[READ, GREP], &[USER, SAID, USER, ADDED], "");
    let whole = convert(&whole, Provider::OpenAi, &Options::for_model("gpt-6.2-sol")).unwrap();
    assert_eq!(String::from_utf8(after.body()).unwrap(), String::from_utf8(whole.body()).unwrap());
    // A tool with a new definition is written again.
    let mut converter = Converter::new(Provider::OpenAi, Options::for_model("gpt-6.2-sol"));
    let other = GREP.replace("{}", r#"{"a":{}}"#);
    for grep in [GREP, &other] {
        let whole = request(&[READ, grep], &[USER, ADDED, SAID, USER], "");
        let body = Body::verbatim(&whole);
        let expected =
            convert(&whole, Provider::OpenAi, &Options::for_model("gpt-6.2-sol")).unwrap();
        assert_eq!(converter.outgoing(&body).unwrap().body(), expected.body());
    }
}

#[test]
fn changes_come_back_from_the_wire() {
    for messages in [&[USER, ADDED, SAID, USER][..], &[USER, ADDED, SAID, USER, REMOVED]] {
        for keys in ["", r#","tool_choice":{"type":"any"}"#] {
            let request = request(&[READ, GREP], messages, keys);
            let options = Options::for_model("gpt-6.2-sol");
            let body = convert(&request, Provider::OpenAi, &options).unwrap().body();
            let imported = from_responses(&body).unwrap();
            assert_eq!(imported.losses, []);
            let again = convert(&imported.request, Provider::OpenAi, &options).unwrap();
            assert_eq!(String::from_utf8(again.body()).unwrap(), String::from_utf8(body).unwrap());
        }
    }
}
