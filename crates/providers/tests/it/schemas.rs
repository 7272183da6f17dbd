//! Schemas of tools that a server refuses.

use aside_messages::encode::{Body, BodyParts};
use aside_messages::wire::{ContentBlock, Request};
use aside_providers::{
    ConversionLoss, Converter, Event, Options, Outgoing, Provider, RefusedError, Stream, answer,
    convert,
};
use aside_rules::{Context, RuleLevel, Wire};

fn converted(tools: &str, to: Provider, rest: &str) -> Result<Outgoing, RefusedError> {
    let messages = match rest {
        "" => r#""messages":[{"role":"user","content":"Hi"}]"#,
        rest => rest,
    };
    let json =
        format!(r#"{{"model":"claude-sonnet-5-5","max_tokens":99,"tools":{tools},{messages}}}"#);
    let request = Request::parse(json.as_bytes()).expect("the request can be read");
    convert(&request.value, to, &Options::default())
}

/// Converts tools, checks that our own check refuses nothing, and returns body and losses.
fn check(tools: &str, to: Provider) -> (String, Vec<ConversionLoss>) {
    let outgoing = converted(tools, to, "").expect("it is accepted");
    let body = String::from_utf8(outgoing.body()).expect("a body is UTF-8");
    let wire = outgoing.wire.wire();
    let checked = aside_rules::check(body.as_bytes(), wire, &Context::default());
    let refused: Vec<_> = checked
        .findings
        .iter()
        .filter(|it| it.level == RuleLevel::Refused && wire != Wire::GenerateContent)
        .collect();
    assert!(refused.is_empty(), "{refused:?} in {body}");
    (body, outgoing.losses)
}

const FAULTY: &str = r#"[{"name":"mcp__docs__search","input_schema":{"type":"object"}},
    {"name":"b","input_schema":{"type":"object","anyOf":[{"properties":{"x":{"type":"array"}}}]}},
    {"name":"c","strict":true,"input_schema":{"type":"object","properties":{"p":{"type":"string"}},"additionalProperties":false}}]"#;

#[test]
fn faulty_schemas_are_repaired_on_every_wire() {
    for to in Provider::ALL {
        check(FAULTY, to);
    }
    let (body, losses) = check(FAULTY, Provider::OpenAi);
    assert!(body.contains(r#""properties":{"x":{"type":"array","items":{}}}"#), "{body}");
    let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
    let moved = "tools[1].input_schema.properties: set to those of the moved keyword: ";
    assert!(losses.iter().any(|it| it.starts_with(moved)), "{losses:#?}");
    assert!(
        losses.contains(
            &"tools[0].input_schema.properties: set to {}: the server accepts properties of the \
              object, such as {} (tool \"search\" of the MCP server \"docs\")"
                .to_owned()
        ),
        "{losses:#?}"
    );
}

/// A schema that `parameters` has no words for is JSON Schema at Gemini; what is repaired is
/// reported.
#[test]
fn gemini_takes_json_schema() {
    let schemas = |schema: &str| {
        let tools = format!(r#"[{{"name":"f","input_schema":{schema}}}]"#);
        let (body, losses) = check(&tools, Provider::Gemini);
        let losses = losses.iter().filter(|it| it.path.starts_with("tools"));
        (body, losses.map(ToString::to_string).collect::<Vec<_>>())
    };
    let object = |property: &str, rest: &str| {
        format!(r#"{{"type":"object","properties":{{"p":{property}}}{rest}}}"#)
    };
    for schema in [
        object(r#"{"type":"number","exclusiveMinimum":0}"#, ""),
        object(r#"{"const":5}"#, ""),
        object(r#"{"type":"string","examples":["a"]}"#, ""),
        object(r#"{"oneOf":[{"type":"string"},{"type":"integer"}]}"#, ""),
        object(r#"{"type":"string"}"#, r#","required":["q"]"#),
        object(r#"{"type":"string"}"#, r#","additionalProperties":false"#),
    ] {
        let (body, losses) = schemas(&schema);
        assert!(body.contains(&format!(r#""parametersJsonSchema":{schema}}}"#)), "{body}");
        assert_eq!(losses, [""; 0], "{schema}");
    }
    // The meaning is the same in `parameters`.
    for schema in [
        object(r#"{"const":"a"}"#, ""),
        object(r#"{"oneOf":[{"type":"string"},{"type":"null"}]}"#, ""),
        object(r##"{"$ref":"#/$defs/a"}"##, r#","$defs":{"a":{"type":"string"}}"#),
    ] {
        let (body, losses) = schemas(&schema);
        assert!(body.contains(r#""parameters":"#), "{body}");
        assert_eq!(losses, [""; 0], "{schema}");
    }
    let (body, losses) = schemas(&object(r#"{"type":"array"}"#, ""));
    assert!(body.contains(r#"{"type":"array","items":{}}"#), "{body}");
    let items = "tools[0].input_schema: items set to {}: Gemini takes no array without them";
    assert_eq!(losses, [items]);
    // What is no JSON Schema of 2020-12, or refers to nothing, is still rewritten.
    for property in
        [r##"{"$ref":"#/nowhere"}"##, r#"{"type":"number","minimum":0,"exclusiveMinimum":true}"#]
    {
        let (body, losses) = schemas(&object(property, ""));
        assert!(body.contains(r#""parameters":"#), "{body}");
        assert_eq!(losses, ["tools[0]: the schema is wider: Gemini lacks some of its words"]);
    }
}

#[test]
fn a_tool_of_an_mcp_server_that_cannot_be_repaired_is_left_out() {
    let tools = |name: &str| {
        format!(
            r#"[{{"name":"{name}","input_schema":{{"type":"string"}}}},{{"name":"ok","input_schema":{{"type":"object","properties":{{}}}}}}]"#
        )
    };
    for to in [Provider::FirstParty, Provider::OpenAi] {
        let (body, losses) = check(&tools("mcp__docs__search"), to);
        assert!(!body.contains("mcp__docs__search"));
        let loss = losses.iter().find(|it| it.path == "tools[0]").expect("the loss");
        assert!(loss.what.ends_with("(tool \"search\" of the MCP server \"docs\")"));
        let error = converted(&tools("own"), to, "").unwrap_err();
        assert_eq!(error.findings()[0].path, "tools[0].input_schema.type");
    }
}

#[test]
fn a_forced_call_of_a_tool_that_is_left_out_is_refused_in_every_request() {
    let body = |choice: &str| {
        let json = format!(
            r#"{{"model":"claude-opus-5","max_tokens":99,{choice}"tools":[{{"name":"mcp__docs__get","input_schema":[]}},
            {{"name":"ok","input_schema":{{"type":"object","properties":{{}}}}}}],
            "messages":[{{"role":"user","content":"Hi"}}]}}"#
        );
        let request = Request::parse(json.as_bytes()).expect("it can be read");
        Body::verbatim(&request.value)
    };
    let forcing = |name: &str| format!(r#""tool_choice":{{"type":"tool","name":"{name}"}},"#);
    let first = body("");
    // The tools of a session are shared by its requests.
    let after = |body: &Body| {
        let parts = BodyParts { tools: first.parts().tools, ..body.parts() };
        Body::new(parts).expect("it has no markers")
    };
    for to in [Provider::FirstParty, Provider::OpenAi, Provider::Gemini] {
        let mut converter = Converter::new(to, Options::default());
        converter.outgoing(&first).expect("the tool is left out");
        let forced = after(&body(&forcing("mcp__docs__get")));
        let error = converter.outgoing(&forced).unwrap_err();
        assert_eq!(error.findings()[0].path, "tools[0].input_schema", "{to}");
        let other = after(&body(&forcing("ok")));
        converter.outgoing(&other).expect("the tool is sent");
    }
}

#[test]
fn keys_are_replaced_in_the_history_and_restored_in_the_response() {
    let tools =
        r#"[{"name":"q","input_schema":{"type":"object","properties":{"a b":{"type":"string"}}}}]"#;
    let history = r#""messages":[{"role":"user","content":"Hi"},
        {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"q","input":{"a b":"1"}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}]"#;
    let outgoing = converted(tools, Provider::FirstParty, history).expect("it is accepted");
    let body = String::from_utf8(outgoing.body()).expect("a body is UTF-8");
    assert!(body.contains(r#""input":{"a_b":"1"}"#), "{body}");
    assert!(!body.contains("a b\":"), "{body}");

    let whole = br#"{"id":"m","type":"message","role":"assistant","model":"c","content":[{"type":"tool_use","id":"t2","name":"q","input":{"a_b":"2"}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}"#;
    let whole = answer(outgoing.wire, whole, &outgoing.names).expect("it can be read");
    let [ContentBlock::ToolUse(call)] = &whole.content[..] else {
        panic!("{whole:?}");
    };
    assert_eq!(call.input.get(), r#"{"a b":"2"}"#);

    let mut stream = Stream::on(outgoing.wire, outgoing.names.clone());
    let mut events = Vec::new();
    for data in [
        r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t2","name":"q","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a_"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"b\":\"2\"}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
    ] {
        stream.push_event(data, &mut events).expect("it can be read");
    }
    let inputs: Vec<_> = events
        .iter()
        .filter(|it| matches!(it, Event::BlockDelta { .. }))
        .map(|it| serde_json::to_string(it).expect("an event is JSON"))
        .collect();
    assert_eq!(
        inputs,
        [
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a b\":\"2\"}"}}"#
        ]
    );
}

#[test]
fn the_schema_of_an_output_is_closed_or_not_strict() {
    let format = |schema: &str| {
        format!(
            r#""output_config":{{"format":{{"type":"json_schema","schema":{schema}}}}},"messages":[{{"role":"user","content":"Hi"}}]"#
        )
    };
    let open = format(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#);
    let body = |to| {
        let outgoing = converted("[]", to, &open).expect("it is accepted");
        assert_eq!(outgoing.losses.iter().filter(|it| it.path.contains("format")).count(), 1);
        String::from_utf8(outgoing.body()).expect("a body is UTF-8")
    };
    let closed =
        r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}"#;
    assert!(body(Provider::FirstParty).contains(closed));
    assert!(body(Provider::OpenAi).contains(r#""strict":false"#));
}

/// Every expected conversion is one that the check of its wire accepts. What no rule covers is left
/// to the types of the SDKs (`cargo xtask conformance`).
#[test]
fn expected_conversions_are_accepted() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/everything");
    let mut checked = 0;
    for entry in std::fs::read_dir(directory).expect("the directory is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let wire = match name.split(['.', '-']).next().unwrap_or_default() {
            _ if !name.ends_with(".json") || name.contains(".count.") => continue,
            "bedrock" | "first" | "foundry" | "vertex" => Wire::Messages,
            "openai" => Wire::ChatCompletions,
            "grok" if name.contains("chat") => Wire::ChatCompletions,
            "grok" | "responses" => Wire::Responses,
            "gemini" => Wire::GenerateContent,
            _ => continue,
        };
        let body = std::fs::read(&path).expect("it can be read");
        let found = aside_rules::check(&body, wire, &Context::default());
        let refused = found.findings.into_iter();
        let refused: Vec<_> = refused.filter(|it| it.level == RuleLevel::Refused).collect();
        assert!(refused.is_empty(), "{name}: {refused:#?}");
        checked += 1;
    }
    assert!(checked >= 12, "{checked}");
}

/// The Messages API limits strict tools over a whole request; OpenAI does not.
#[test]
fn strict_tools_over_the_limits_are_sent_as_not_strict() {
    let tool = |name: &str, properties: &str, required: &str| {
        format!(
            r#"{{"name":"{name}","strict":true,"input_schema":{{"type":"object","properties":{{{properties}}},"required":[{required}],"additionalProperties":false}}}}"#
        )
    };
    let list = |count: usize, each: &dyn Fn(usize) -> String| {
        (0..count).map(each).collect::<Vec<_>>().join(",")
    };
    let unions = |count: usize| {
        let union = |it: usize| format!(r#""p{it}":{{"type":["string","null"]}}"#);
        tool("u", &list(count, &union), &list(count, &|it| format!(r#""p{it}""#)))
    };
    let optional =
        |count: usize| tool("o", &list(count, &|it| format!(r#""p{it}":{{"type":"string"}}"#)), "");
    let plain = |it: usize| tool(&format!("t{it}"), "", "");
    let cases = [
        (unions(16), None),
        (format!("{},{}", unions(17), plain(1)), Some((0, "17 union types in strict schemas"))),
        (optional(24), None),
        (optional(25), Some((0, "25 optional parameters in strict schemas"))),
        (list(20, &plain), None),
        (list(21, &plain), Some((20, "21 strict tools"))),
    ];
    for (tools, over) in cases {
        let tools = format!("[{tools}]");
        let (sent, losses) = check(&tools, Provider::FirstParty);
        let strict = r#""strict":true"#;
        let lost = usize::from(over.is_some());
        assert_eq!(sent.matches(strict).count() + lost, tools.matches(strict).count(), "{sent}");
        let paths: Vec<_> = losses.iter().map(ToString::to_string).collect();
        let expected = over.map(|(index, found)| {
            format!("tools[{index}].strict: sent as not strict: {found}, at most ")
        });
        assert_eq!(paths.len(), lost, "{paths:?}");
        assert!(paths.iter().zip(&expected).all(|(path, it)| path.starts_with(it)), "{paths:?}");
        let (sent, _) = check(&tools, Provider::OpenAi);
        let optional = tools.contains(r#""name":"o""#);
        assert_eq!(sent.contains(r#""strict":false"#), optional, "{sent}");
    }
}

/// A schema that gets its type from a repair is open, so it is checked again.
#[test]
fn a_repaired_strict_schema_is_checked_again() {
    for (schema, strict) in [
        (r#"{"k":{}}"#, r#""strict":false"#),
        (r#"{"properties":{},"additionalProperties":false}"#, r#""strict":true"#),
    ] {
        let tools = format!(r#"[{{"name":"x","strict":true,"input_schema":{schema}}}]"#);
        let (body, _) = check(&tools, Provider::OpenAi);
        assert!(body.contains(strict), "{body}");
    }
}

/// A strict tool without parameters takes no key, as on its own wire.
#[test]
fn a_strict_tool_without_parameters_gets_a_closed_schema() {
    for (strict, is_closed) in [(r#","strict":true"#, true), ("", false)] {
        let body = format!(
            r#"{{"model":"gpt-4.1","messages":[{{"role":"user","content":"Hi"}}],"tools":[{{"type":"function","function":{{"name":"now"{strict}}}}}]}}"#
        );
        let imported = aside_providers::from_openai(body.as_bytes()).expect("a body");
        let options = Options::for_model("claude-opus-5-5");
        let sent = convert(&imported.request, Provider::FirstParty, &options).expect("accepted");
        let sent = String::from_utf8(sent.body()).expect("a body is UTF-8");
        assert_eq!(sent.contains(r#""additionalProperties":false"#), is_closed, "{sent}");
    }
}
