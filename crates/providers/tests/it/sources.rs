//! Losses and refusals have the paths of your own body, wherever its messages and tools went.

use aside_providers::{Options, Provider, convert_body};

#[track_caller]
fn check(to: Provider, model: &str, body: &str, expected: &[&str]) {
    let converted = convert_body(body.as_bytes(), None, to, Options::for_model(model)).unwrap();
    let mut losses = converted.losses;
    let refused = match converted.outgoing {
        Ok(outgoing) => {
            losses.extend(outgoing.losses);
            Vec::new()
        }
        Err(refused) => refused.findings().iter().map(|it| it.path.clone()).collect(),
    };
    let paths: Vec<_> = losses.into_iter().map(|it| it.path).chain(refused).collect();
    // The exchange of the model is not in the body.
    let paths: Vec<_> = paths.iter().filter(|it| *it != "model").collect();
    assert_eq!(paths, expected, "{model}");
}

const OWN: Provider = Provider::FirstParty;
const CLAUDE: &str = "claude-opus-5";

#[test]
fn of_chat_completions() {
    let body = |address: &str| {
        format!(
            r#"{{"model":"gpt-5.5","max_completion_tokens":9,"messages":[
        {{"role":"system","content":"s"}},
        {{"role":"user","content":"a"}},
        {{"role":"user","content":[{{"type":"text","text":"b"}},{{"type":"image_url","image_url":{{"url":"{address}"}}}}]}},
        {{"role":"assistant","reasoning_content":"t","content":"c","tool_calls":[
            {{"id":"f:0","type":"function","function":{{"name":"l.s","arguments":"{{}}"}}}}]}},
        {{"role":"tool","tool_call_id":"f:0","content":"d"}},
        {{"role":"system","content":"e"}},
        {{"role":"user","content":"f"}}],
        "tools":[{{"type":"web_search"}},{{"type":"function","function":{{"name":"l.s"}}}}]}}"#
        )
    };
    let inline = body("data:image/png;base64,iVBORw0KGgo=");
    let lost = [
        "tools[0]",
        "messages[3].reasoning_content",
        "tools[1].function.name",
        "messages[5]",
        "messages[3].tool_calls[0]",
    ];
    check(OWN, CLAUDE, &inline, &lost);
    let gemini = "gemini-4-argon";
    let lost = ["tools[0]", "messages[5]", "messages[3].reasoning_content"];
    check(Provider::Gemini, gemini, &inline, &lost);
    let url = body("https://x/a.png");
    check(Provider::Gemini, gemini, &url, &lost);
    let lost = [
        "tools[0]",
        "messages[3].reasoning_content",
        "tools[1].function.name",
        "messages[2].content[1]",
        "messages[5]",
        "messages[3].tool_calls[0]",
    ];
    check(Provider::Vertex, CLAUDE, &url, &lost);
}

#[test]
fn of_responses() {
    let body = r#"{"model":"gpt-6-sol","max_output_tokens":99,"input":[
        {"role":"user","content":[{"type":"input_text","text":"a"}]},
        {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"},
        {"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
        {"role":"developer","content":"b"},
        {"type":"function_call_output","call_id":"c","output":[
            {"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="}]},
        {"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"e"},
        {"role":"assistant","content":[{"type":"output_text","text":"c"}]},
        {"role":"developer","content":"d"},
        {"role":"user","content":"e"}],
        "tools":[{"type":"function","name":"f","parameters":{"type":"object"},"strict":true}]}"#;
    let moved = "input[4].output";
    let lost = [moved, "input[1]", "input[5]", "input[7]", "tools[0].parameters"];
    check(OWN, CLAUDE, body, &lost);
    let title = "input[4].output[0]";
    let lost = [moved, "input[3]", "input[7]", "tools[0].strict", "input[1]", title, "input[5]"];
    check(Provider::Gemini, "gemini-4-argon", body, &lost);
}

#[test]
fn of_gemini() {
    let body = r#"{"contents":[
        {"role":"model","parts":[{"text":"t","thought":true},{"text":"a"}]},
        {"role":"user","parts":[{"text":"b"},{"inlineData":{"mimeType":"audio/wav","data":"UklG"}}]}],
        "tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"a.b"},{"name":"c.d"}]}],
        "toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["c.d"]}},
        "generationConfig":{"maxOutputTokens":9}}"#;
    let lost = [
        "tools[0].googleSearch",
        "contents[0].parts[0]",
        "tools[1].functionDeclarations[0].name",
        "tools[1].functionDeclarations[1].name",
        "contents[1].parts[1]",
    ];
    check(OWN, CLAUDE, body, &lost);
}

#[test]
fn of_the_system_prompt() {
    let image = r#""data:image/png;base64,iVBORw0KGgo=""#;
    let body = format!(
        r#"{{"model":"gpt-5.5","max_completion_tokens":99,"messages":[{{"role":"system","content":"a"}},
        {{"role":"developer","content":[{{"type":"text","text":"b"}},{{"type":"image_url","image_url":{{"url":{image}}}}}]}},
        {{"role":"user","content":"c"}}]}}"#
    );
    let lost = ["messages[1].content[1]"];
    check(Provider::OpenAi, "gpt-6-sol", &body, &lost);
    check(OWN, CLAUDE, &body, &lost);
}

/// A schema keeps its own keys, also one that is called like the schema in the inner form.
#[test]
fn of_schemas() {
    let array = r#"{"type":"array"}"#;
    let schema =
        format!(r#"{{"type":"object","properties":{{"x":{array},"input_schema":{array}}}}}"#);
    let chat = format!(
        r#"{{"model":"gpt-5.5","max_completion_tokens":99,"messages":[{{"role":"user","content":"a"}}],
        "tools":[{{"type":"web_search"}},{{"type":"function","function":{{"name":"f","parameters":{schema}}}}}]}}"#
    );
    let at = "tools[1].function.parameters.properties";
    let lost = [&format!("{at}.x.items"), &format!("{at}.input_schema.items")];
    check(Provider::OpenAi, "gpt-6-sol", &chat, &["tools[0]", lost[0], lost[1]]);
    for (tools, at) in [
        (
            format!(r#"[{{"functionDeclarations":[{{"name":"f","parameters":{schema}}}]}}]"#),
            "tools[0].functionDeclarations[0].parameters.properties",
        ),
        (
            format!(
                r#"[{{"function_declarations":[{{"name":"f","parameters_json_schema":{schema}}}]}}]"#
            ),
            "tools[0].function_declarations[0].parameters_json_schema.properties",
        ),
    ] {
        let body = format!(
            r#"{{"contents":[{{"role":"user","parts":[{{"text":"a"}}]}}],"tools":{tools},
            "generationConfig":{{"maxOutputTokens":99}}}}"#
        );
        let lost = [&*format!("{at}.x.items"), &format!("{at}.input_schema.items")];
        check(Provider::OpenAi, "gpt-6-sol", &body, &lost);
    }
}

#[test]
fn of_parameters() {
    let format = r#"{"name":"answer","strict":true,"schema":{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"],"additionalProperties":false}}"#;
    let chat = format!(
        r#"{{"model":"gpt-5.5","max_completion_tokens":9,"messages":[{{"role":"user","content":"a"}}],
        "user":"u","verbosity":"low","reasoning_effort":"strange","stop":["x"],"temperature":0.5,
        "response_format":{{"type":"json_schema","json_schema":{format}}}}}"#
    );
    let lost = ["reasoning_effort", "user", "verbosity"];
    check(Provider::Gemini, "gemini-4-argon", &chat, &lost);
    let chat = chat.replace("strange", "high");
    let lost =
        ["temperature", "verbosity", "response_format.json_schema.schema.properties.n.minimum"];
    check(OWN, CLAUDE, &chat, &lost);
    let tools = r#","tools":[{"type":"function","function":{"name":"f"}}]}"#;
    let chat = chat.replace(r#","temperature":0.5"#, "");
    let chat = chat.strip_suffix('}').unwrap().to_owned() + tools;
    let lost = ["max_completion_tokens", "stop"];
    check(Provider::OpenAi, "gpt-6-sol", &chat, &lost);
    let gemini = r#"{"contents":[{"role":"user","parts":[{"text":"a"}]}],"generation_config":{
        "max_output_tokens":9,"thinkingConfig":{"thinkingBudget":100},"stopSequences":["x"]},
        "tools":[{"functionDeclarations":[{"name":"f"}]}]}"#;
    let lost = [
        "generation_config.max_output_tokens",
        "generation_config.thinkingConfig.thinkingBudget",
        "generation_config.stopSequences",
    ];
    check(Provider::OpenAi, "gpt-6-sol", gemini, &lost);
}

#[test]
fn the_key_of_a_session() {
    let body = r#"{"model":"gpt-6-sol","max_output_tokens":99,"prompt_cache_key":"k","input":"a"}"#;
    check(Provider::OpenAi, "gpt-6-sol", body, &[]);
    check(Provider::OpenAi, "gpt-4.1", body, &[]);
    check(Provider::Grok, "grok-4.5", body, &[]);
    check(Provider::Gemini, "gemini-4-argon", body, &["prompt_cache_key"]);
    check(OWN, CLAUDE, body, &["prompt_cache_key"]);
}

/// Text is sent as text where the wire takes no such file; others are left out with their reason.
#[test]
fn files_that_are_no_pdf() {
    let check = |body: &str, to: Provider, model: &str, sent: &str, lost: &str| {
        let converted = convert_body(body.as_bytes(), None, to, Options::for_model(model)).unwrap();
        let outgoing = converted.outgoing.unwrap();
        let losses = converted.losses.iter().chain(&outgoing.losses);
        let losses: Vec<_> =
            losses.filter(|it| it.path != "model").map(ToString::to_string).collect();
        assert_eq!(losses.join("; "), lost, "{model}");
        let body = String::from_utf8(outgoing.body()).unwrap();
        assert!(body.contains(sent), "{model}: {body}");
    };
    let file = |kind: &str| {
        format!(
            r#"{{"type":"input_file","filename":"a","file_data":"data:{kind};base64,aGVsbG8="}}"#
        )
    };
    let user = |parts: &str| {
        format!(
            r#"{{"model":"gpt-5.5","max_output_tokens":99,"input":[{{"role":"user","content":[{parts}]}}]}}"#
        )
    };
    let openai = Provider::OpenAi;
    let is_text =
        r#""source":{"type":"text","media_type":"text/plain","data":"hello"},"title":"a""#;
    for kind in ["text/plain", "text/csv;charset=utf-8"] {
        let text = user(&file(kind));
        check(&text, OWN, CLAUDE, is_text, "");
        check(&text, openai, "gpt-5.5", &file(kind), "");
        check(&text, openai, "gpt-4.1", r#""content":"a\n\nhello""#, "");
    }
    let what = "left out: the wire takes no file of this type here";
    let other = user(&format!(r#"{{"type":"input_text","text":"b"}},{}"#, file("application/zip")));
    let lost = format!("input[0].content[1]: {what}");
    check(&other, OWN, CLAUDE, r#"[{"type":"text","text":"b"}]"#, &lost);
    check(&other, openai, "gpt-5.5", &file("application/zip"), "");
    check(&other, openai, "gpt-4.1", r#""content":"b""#, &lost);
    let turns = r#"]},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}"#;
    let alone = user(&file("application/zip")).replace("]}]}", turns);
    let lost = format!("input[0].content[0]: {what}");
    check(&alone, OWN, CLAUDE, r#"[{"type":"text","text":"(no content)"}]"#, &lost);
    let called = |kind: &str| {
        let call = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#;
        let user = r#"{"role":"user","content":"b"}"#;
        let output = format!(
            r#"{{"type":"function_call_output","call_id":"c","output":[{{"type":"input_text","text":"d"}},{}]}}"#,
            file(kind)
        );
        format!(r#"{{"model":"gpt-5.5","max_output_tokens":99,"input":[{user},{call},{output}]}}"#)
    };
    check(&called("text/plain"), OWN, CLAUDE, is_text, "");
    check(&called("application/zip"), openai, "gpt-5.5", &file("application/zip"), "");
    let lost = format!("input[2].output[1]: {what}");
    check(&called("application/zip"), OWN, CLAUDE, r#"[{"type":"text","text":"d"}]"#, &lost);
    let sound = r#"{"contents":[{"parts":[{"text":"b"},{"inlineData":{"mimeType":"audio/wav","data":"UklG"}}]}],"generationConfig":{"maxOutputTokens":99}}"#;
    let lost = format!("contents[0].parts[1]: {what}");
    check(sound, OWN, CLAUDE, r#"[{"type":"text","text":"b"}]"#, &lost);
    check(sound, openai, "gpt-4.1", r#""content":"b""#, &lost);
    check(sound, Provider::Gemini, "gemini-4-argon", "UklG", "");
}

/// An object stays one at Gemini; elsewhere it is text.
#[test]
fn responses_of_functions() {
    for (response, text) in [
        (r#"{"temperature":21,"unit":"C"}"#, r#"{\"temperature\":21,\"unit\":\"C\"}"#),
        (r#"{"output":{"a":1}}"#, r#"{\"a\":1}"#),
        (r#"{"output":"{\"a\":1}"}"#, r#"{\"a\":1}"#),
        (r#"{"error":"no"}"#, "Error: no"),
        (
            r#"{"output":"half","error":"exit 1"}"#,
            r#"Error: {\"output\":\"half\",\"error\":\"exit 1\"}"#,
        ),
        (r#"{"error":"no","exit":3}"#, r#"Error: {\"error\":\"no\",\"exit\":3}"#),
        (r#"{"output":"all","error":""}"#, r#"{\"output\":\"all\",\"error\":\"\"}"#),
    ] {
        let contents = format!(
            r#"[{{"role":"user","parts":[{{"text":"Hi"}}]}},{{"role":"model","parts":[{{"functionCall":{{"name":"f","args":{{}}}}}}]}},{{"role":"user","parts":[{{"functionResponse":{{"name":"f","response":{response}}}}}]}}]"#
        );
        let body = format!(r#"{{"contents":{contents}}}"#);
        let sent = |to: Provider, model: &str| {
            let options = Options::for_model(model);
            let converted = convert_body(body.as_bytes(), None, to, options).unwrap();
            let outgoing = converted.outgoing.unwrap();
            assert_eq!(outgoing.losses.len(), 1, "{:?}", outgoing.losses);
            String::from_utf8(outgoing.body()).unwrap()
        };
        let gemini = sent(Provider::Gemini, "gemini-2.5-flash");
        assert!(gemini.contains(&contents), "{gemini}");
        let chat = sent(Provider::OpenAi, "gpt-4.1");
        assert!(chat.contains(&format!(r#""content":"{text}""#)), "{chat}");
    }
}

/// A reported id is in the body, and reported once.
#[test]
fn a_repeated_id() {
    let call = r#"{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}"#;
    let turn = format!(
        r#"{{"role":"assistant","tool_calls":[{call}]}},{{"role":"tool","tool_call_id":"c1","content":"r"}}"#
    );
    let chat = format!(
        r#"{{"model":"gpt-4.1","max_tokens":99,"messages":[{{"role":"user","content":"a"}},{turn},{turn}]}}"#
    );
    let own = r#"{"model":"claude-opus-5","max_tokens":99,"messages":[{"role":"user","content":"a"},
        {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]},
        {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}]}"#;
    for (body, path) in [(&*chat, "messages[3].tool_calls[0]"), (own, "messages[3].content[0]")] {
        for (to, model) in [
            (OWN, CLAUDE),
            (Provider::OpenAi, "gpt-4.1"),
            (Provider::OpenAi, "gpt-5.5"),
            (Provider::Gemini, "gemini-2.5-flash"),
        ] {
            let options = Options::for_model(model);
            let converted = convert_body(body.as_bytes(), None, to, options).unwrap();
            let losses = converted.losses.iter().map(ToString::to_string);
            let ids: Vec<_> = losses.filter(|it| it.contains("sent as")).collect();
            assert_eq!(ids, [format!("{path}: an earlier call has this id: sent as c1_2")]);
            let sent = String::from_utf8(converted.outgoing.unwrap().body()).unwrap();
            assert_eq!(sent.matches(r#""c1_2""#).count(), 2, "{sent}");
        }
    }
}

/// The history is repaired first, then messages are moved.
#[test]
fn of_the_messages_api() {
    let body = r#"{"model":"claude-opus-5","max_tokens":9,"messages":[
        {"role":"user","content":"a"},
        {"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":""},
            {"type":"tool_use","id":"c","name":"f","input":{}}]},
        {"role":"system","content":"b"},
        {"role":"user","content":"d"},
        {"role":"assistant","content":"e"},
        {"role":"user","content":[{"type":"text","text":"g"},{"type":"tool_result","tool_use_id":"c","content":[
            {"type":"document","title":"T","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}}]},
            {"type":"search_result","source":"s","title":"t","content":[]},{"type":"strange"}]}],
        "tools":[{"name":"f","input_schema":{"type":"object"}}]}"#;
    let lost = [
        "messages[5].content[1]",
        "messages[2].content[0]",
        "messages[1].content[0]",
        "messages[5].content[1].content[0].title",
        "messages[5].content[3]",
    ];
    check(Provider::Gemini, "gemini-4-argon", body, &lost);
}
