//! Reads other wires' bodies with values that have no counterpart in the Messages API: each is
//! reported, once, with its reason.

use aside_body::wire::of_shape;
use aside_models::Wire;
use aside_providers::import;

/// Checks what is read from a JSON body, and the losses.
#[track_caller]
fn check(form: Wire, body: &str, read: &str, lost: &[&str]) {
    assert_eq!(of_shape(body.as_bytes()), Some(form));
    let imported = import(body.as_bytes()).unwrap();
    let losses: Vec<_> = imported.losses.iter().map(ToString::to_string).collect();
    assert_eq!(losses, lost, "{body}");
    let request = serde_json::to_string(&imported.request).unwrap();
    assert!(request.contains(read), "{request}");
}

/// Checks Chat Completions parameters.
#[track_caller]
fn chat(keys: &str, read: &str, lost: &[&str]) {
    let body = format!(
        r#"{{"model":"gpt-4.1","max_completion_tokens":9,"messages":[{{"role":"user","content":"Hi"}}]{keys}}}"#
    );
    check(Wire::ChatCompletions, &body, read, lost);
}

/// Checks Responses parameters.
#[track_caller]
fn responses(keys: &str, read: &str, lost: &[&str]) {
    let body = format!(r#"{{"model":"gpt-6.2-sol","max_output_tokens":99,"input":"Hi"{keys}}}"#);
    check(Wire::Responses, &body, read, lost);
}

/// Checks Responses items.
#[track_caller]
fn items(items: &str, read: &str, lost: &[&str]) {
    let body = format!(r#"{{"max_output_tokens":99,"input":[{items}]}}"#);
    check(Wire::Responses, &body, read, lost);
}

/// Checks Gemini parameters.
#[track_caller]
fn gemini(keys: &str, read: &str, lost: &[&str]) {
    let body = format!(r#"{{"contents":[{{"role":"user","parts":[{{"text":"Hi"}}]}}]{keys}}}"#);
    check(Wire::GenerateContent, &body, read, lost);
}

const LIMIT: &str = "max_tokens: set to 8192: the Messages API needs a limit";

/// Tools in a namespace are named with it, each or all at once.
#[test]
fn allowed_tools_in_a_namespace() {
    let check = |allowed: &str, removed: &[&str], lost: &[&str]| {
        let tools = r#"[{"type":"function","name":"b"},{"type":"namespace","name":"n","tools":[
            {"type":"function","name":"b"},{"type":"function","name":"c"}]}]"#;
        let choice = format!(r#"{{"type":"allowed_tools","mode":"auto","tools":[{allowed}]}}"#);
        let removed = removed.iter().map(|name| {
            format!(
                r#"{{"type":"tool_removal","tool":{{"type":"tool_reference","name":"{name}"}}}}"#
            )
        });
        let removed = removed.collect::<Vec<_>>().join(",");
        let read = format!(r#"{{"role":"system","content":[{removed}]}}"#);
        let named = "tools[1]: left out: its tools have it in their names";
        let keys = format!(r#","tools":{tools},"tool_choice":{choice}"#);
        responses(&keys, &read, &[&[named], lost].concat());
    };
    check(r#"{"type":"function","name":"b"}"#, &["n__b", "n__c"], &[]);
    check(r#"{"type":"function","namespace":"n","name":"b"}"#, &["b", "n__c"], &[]);
    check(r#"{"type":"namespace","name":"n"}"#, &["b"], &[]);
    let lost = "tool_choice.tools[1]: left out: no tool has this name";
    let unknown = r#"{"type":"function","name":"b"},{"type":"function","name":"x"}"#;
    check(unknown, &["n__b", "n__c"], &[lost]);
    let chosen = r#","tool_choice":{"type":"function","namespace":"n","name":"b"}"#;
    responses(chosen, r#""tool_choice":{"type":"tool","name":"n__b"}"#, &[]);
}

#[test]
fn formats_of_the_answer() {
    let read = r#""output_config":{"format":{"type":"json_schema","schema":{}}}"#;
    let schema =
        r#"{"type":"json_schema","json_schema":{"name":"answer","schema":{},"strict":true}}"#;
    chat(&format!(r#","response_format":{schema}"#), read, &[]);
    let other = schema.replace(r#""answer""#, r#""A","description":"d""#);
    let lost = [
        "response_format.json_schema.name: left out: a format of the Messages API has no name",
        "response_format.json_schema.description: left out: the Messages API has no counterpart",
    ];
    chat(&format!(r#","response_format":{other}"#), read, &lost);
    let loose = schema.replace(r#","strict":true"#, "");
    let lost = "response_format.json_schema.strict: set to true: an answer of the Messages API always has its format";
    chat(&format!(r#","response_format":{loose}"#), read, &[lost]);
    chat(r#","response_format":{"type":"text"}"#, "", &[]);
    let lost = "response_format: left out: a format of the Messages API has a schema";
    chat(r#","response_format":{"type":"json_object"}"#, "", &[lost]);
    let lost = "text.format: left out: a format of the Messages API has a schema";
    responses(r#","text":{"format":{"type":"json_object"}}"#, "", &[lost]);
    let schema =
        r#","text":{"format":{"type":"json_schema","name":"A","schema":{},"strict":true}}"#;
    let lost = "text.format.name: left out: a format of the Messages API has no name";
    responses(schema, read, &[lost]);
    let lost =
        "generationConfig.responseMimeType: left out: a format of the Messages API has a schema";
    gemini(
        r#","generationConfig":{"maxOutputTokens":9,"responseMimeType":"application/json"}"#,
        "",
        &[lost],
    );
    let read = r#""schema":{"type":"object"}"#;
    gemini(
        r#","generationConfig":{"maxOutputTokens":9,"responseMimeType":"application/json","responseSchema":{"type":"OBJECT"}}"#,
        read,
        &[],
    );
}

#[test]
fn choices_of_tools() {
    let auto = r#""tool_choice":{"type":"auto"}"#;
    let lost = "tool_choice: replaced by auto: the Messages API has no such choice";
    responses(r#","tool_choice":{"type":"web_search"}"#, auto, &[lost]);
    chat(r#","tool_choice":"sometimes""#, auto, &[lost]);
    let lost = "function_call: replaced by auto: the Messages API has no such choice";
    chat(r#","function_call":"sometimes""#, auto, &[lost]);
    let custom = r#","tool_choice":{"type":"custom","name":"a"}"#;
    responses(custom, r#""tool_choice":{"type":"tool","name":"a"}"#, &[]);
    chat(
        r#","tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"a"}}]}}"#,
        r#"{"role":"system","content":[{"type":"tool_removal","tool":{"type":"tool_reference","name":"b"}}]}"#,
        &[],
    );
    let config =
        |config: &str| format!(r#","toolConfig":{{"functionCallingConfig":{{{config}}}}}"#);
    gemini(
        &config(r#""mode":"ANY","allowedFunctionNames":["a"]"#),
        r#""tool_choice":{"type":"tool","name":"a"}"#,
        &[LIMIT],
    );
    let among = "toolConfig.functionCallingConfig.allowedFunctionNames: left out: the choice is among all tools, or of a single one";
    gemini(
        &config(r#""mode":"ANY","allowedFunctionNames":["a","b"]"#),
        r#""tool_choice":{"type":"any"}"#,
        &[among, LIMIT],
    );
    let tools = r#","tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"},{"name":"c"}]}]"#;
    gemini(
        &format!("{tools}{}", config(r#""mode":"ANY","allowedFunctionNames":["a","b"]"#)),
        r#"{"role":"system","content":[{"type":"tool_removal","tool":{"type":"tool_reference","name":"c"}}]}"#,
        &[LIMIT],
    );
    let mode = "toolConfig.functionCallingConfig.mode: replaced by AUTO: the Messages API has no such choice";
    gemini(&config(r#""mode":"VALIDATED""#), auto, &[mode, LIMIT]);
}

#[test]
fn the_older_name_of_the_limit() {
    let lost = "max_tokens: left out: max_completion_tokens is the limit";
    chat(r#","max_tokens":8"#, r#""max_tokens":9"#, &[lost]);
    chat(r#","max_tokens":9"#, r#""max_tokens":9"#, &[]);
}

#[test]
fn a_parameter_that_items_have_as_well() {
    let lost = "generationConfig.logprobs: left out: the Messages API has no counterpart";
    gemini(r#","generationConfig":{"maxOutputTokens":9,"logprobs":2}"#, "", &[lost]);
}

/// A call that was cut off, and an item that only the server has.
#[test]
fn what_a_response_broke_off_and_what_the_server_keeps() {
    let lost = "input[1].arguments: replaced by {}: they are no JSON";
    items(
        r#"{"role":"user","content":"Hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":","status":"incomplete"},{"type":"function_call_output","call_id":"c","output":"cut"}"#,
        r#"{"type":"tool_use","id":"c","name":"f","input":{}}"#,
        &[lost],
    );
    let lost = "input[1].arguments: replaced by {}: they are no object";
    items(
        r#"{"role":"user","content":"Hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"[1]"},{"type":"function_call_output","call_id":"c","output":"x"}"#,
        r#"{"type":"tool_use","id":"c","name":"f","input":{}}"#,
        &[lost],
    );
    let lost = "input[1]: left out: the Messages API has no counterpart";
    items(
        r#"{"role":"user","content":"Hi"},{"id":"msg_1"},{"role":"user","content":"Go on"}"#,
        "Go on",
        &[lost],
    );
}

#[test]
fn parameters_have_a_reason_of_their_own() {
    let tier = "service_tier: left out: the tiers of the Messages API are auto and standard_only";
    chat(r#","service_tier":"flex""#, "", &[tier]);
    responses(r#","service_tier":"priority""#, "", &[tier]);
    let user = r#""metadata":{"user_id":"u"}"#;
    chat(r#","user":"u""#, user, &[]);
    chat(r#","user":"u","safety_identifier":"u""#, user, &[]);
    let lost = "user: left out: safety_identifier is the id of the user";
    chat(r#","user":"v","safety_identifier":"u""#, user, &[lost]);
    let kept =
        |key: &str| format!("{key}: left out: it is kept by the server, and not in the body");
    responses(
        r#","previous_response_id":"resp_1","conversation":"c","store":false"#,
        "",
        &[&kept("previous_response_id"), &kept("conversation")],
    );
    let lost = "store: left out: the response is not stored";
    responses(r#","store":true"#, "", &[lost]);
    let lost = [
        "metadata: left out: the Messages API takes no metadata but the id of a user",
        "context_management: left out: the Messages API has other edits under this name",
    ];
    responses(r#","metadata":{"a":"b"},"context_management":[]"#, "", &lost);
    let lost = "prompt_cache_retention: left out: the Messages API has a lifetime for each cache marker only";
    responses(r#","prompt_cache_retention":"24h""#, "", &[lost]);
    let lost = "reasoning.summary: replaced by auto: the Messages API has one kind of summary";
    let adaptive = r#""thinking":{"type":"adaptive","display":"summarized"}"#;
    responses(r#","reasoning":{"summary":"detailed"}"#, adaptive, &[lost]);
    responses(r#","reasoning":{"summary":"auto"}"#, adaptive, &[]);
    let lost = "reasoning.mode: left out: the Messages API has no counterpart";
    responses(r#","reasoning":{"mode":"pro"}"#, "", &[lost]);
    let lost = "include: left out, but for reasoning.encrypted_content";
    responses(r#","include":["message.output_text.logprobs"]"#, "", &[lost]);
    responses(r#","include":["reasoning.encrypted_content"]"#, "", &[]);
}

#[test]
fn only_the_user_writes_the_users_text() {
    let other = r#"{"role":"user","content":"Hi"},{"role":"critic","content":"<b>"}"#;
    let body = format!(r#"{{"model":"gpt-4.1","max_tokens":9,"messages":[{other}]}}"#);
    let read = r#""messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]"#;
    let lost = "messages[1]: left out: the Messages API has no counterpart";
    check(Wire::ChatCompletions, &body, read, &[lost]);
    let tool = r#"{"role":"user","content":"Hi"},{"type":"message","role":"tool","content":"<b>"}"#;
    let lost = "input[1]: left out: the Messages API has no counterpart";
    items(tool, read, &[lost]);
    let body = r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"tool","parts":[{"text":"<b>"}]}]}"#;
    let lost = "contents[1]: left out: the Messages API has no counterpart";
    check(Wire::GenerateContent, body, read, &[lost, LIMIT]);
}

#[test]
fn parts_are_reported_once() {
    let lost = "input[0].content[0].detail: left out: an image of the Messages API has no detail";
    items(
        r#"{"role":"user","content":[{"type":"input_image","image_url":"https://a.example/b.png","detail":"low"}]}"#,
        r#""source":{"type":"url","url":"https://a.example/b.png"}"#,
        &[lost],
    );
    let chat = |detail: &str| {
        format!(
            r#"{{"model":"gpt-4.1","max_tokens":9,"messages":[{{"role":"user","name":"joe","content":[{{"type":"image_url","image_url":{{"url":"https://a.example/b.png","detail":"{detail}"}}}}]}}]}}"#
        )
    };
    let name = "messages[0].name: left out: the Messages API has no counterpart";
    let detail = "messages[0].content[0].image_url.detail: left out: an image of the Messages API has no detail";
    check(Wire::ChatCompletions, &chat("auto"), "", &[name]);
    check(Wire::ChatCompletions, &chat("high"), "", &[detail, name]);
    let body = r#"{"contents":[{"parts":[{"fileData":{"fileUri":"u"}},{"text":"Hi"}]}]}"#;
    let lost = "contents[0].parts[0].fileData: left out: the Messages API has no counterpart";
    check(Wire::GenerateContent, body, "Hi", &[lost, LIMIT]);
    let lost = "input[0]: left out: the Messages API has no counterpart";
    items(
        r#"{"type":"computer_call","id":"c","call_id":"c","action":{},"pending_safety_checks":[]}"#,
        r#""messages":[]"#,
        &[lost],
    );
}

/// A custom tool takes text, so it becomes a function, as in a stream.
#[test]
fn citations_are_reported() {
    let cited = |annotations: &str| {
        format!(
            r#"{{"role":"user","content":"Hi"}},{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"It is.","annotations":{annotations}}}]}}"#
        )
    };
    let text = r#"{"type":"text","text":"It is."}"#;
    let url = r#"[{"type":"url_citation","url":"https://example.com","title":"a","start_index":0,"end_index":2}]"#;
    let lost = "input[1].content[0].annotations: left out: the Messages API has no counterpart";
    items(&cited(url), text, &[lost]);
    items(&cited("[]"), text, &[]);
    let chat = |annotations: &str| {
        format!(
            r#"{{"max_completion_tokens":9,"messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":"It is.","annotations":{annotations}}}]}}"#
        )
    };
    let lost = "messages[1].annotations: left out: the Messages API has no counterpart";
    check(Wire::ChatCompletions, &chat(url), text, &[lost]);
    check(Wire::ChatCompletions, &chat("[]"), text, &[]);
}

#[test]
fn custom_tools_are_functions() {
    let changed = "replaced by a function whose member input holds the text: the Messages API has no other tools";
    let call = format!("input[0]: {changed}");
    items(
        r#"{"type":"custom_tool_call","call_id":"c","name":"Edit","input":"a\nb"},{"type":"custom_tool_call_output","call_id":"c","output":"ok"}"#,
        r#"[{"type":"tool_use","id":"c","name":"Edit","input":{"input":"a\nb"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"ok"}]"#,
        &[&call],
    );
    let body = r#"{"max_tokens":9,"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"custom","custom":{"name":"Edit","input":"a"}}]}],"tools":[{"type":"custom","custom":{"name":"Edit"}}]}"#;
    check(
        Wire::ChatCompletions,
        body,
        r#"{"type":"tool_use","id":"c","name":"Edit","input":{"input":"a"}}"#,
        &[
            &format!("messages[0].tool_calls[0].custom: {changed}"),
            &format!("tools[0].custom: {changed}"),
        ],
    );
    let added = format!("input[1].tools[0]: {changed}");
    items(
        r#"{"role":"user","content":"Hi"},{"type":"additional_tools","role":"developer","tools":[{"type":"custom","name":"Edit"}]}"#,
        r#""tool_addition","tool":{"type":"tool_reference","name":"Edit"}"#,
        &[&added],
    );
    let tool = format!("tools[0]: {changed}");
    let format = "tools[0].format: left out: the Messages API has no counterpart";
    responses(
        r#","tools":[{"type":"custom","name":"Edit","format":{"type":"text"}}]"#,
        r#"{"name":"Edit","input_schema":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}"#,
        &[&tool, format],
    );
}

/// A call has the namespace of its tool.
#[test]
fn tools_in_a_namespace_have_it_in_their_names() {
    let body = r#"{"max_output_tokens":99,"input":[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"c","name":"read","namespace":"mcp__fs","arguments":"{}"},{"type":"function_call_output","call_id":"c","name":"read","namespace":"mcp__fs","output":"ok"}],"tools":[{"type":"namespace","name":"mcp__fs","tools":[{"type":"function","name":"read"}]}]}"#;
    for read in [
        r#"{"type":"tool_use","id":"c","name":"mcp__fs__read","input":{}}"#,
        r#""tools":[{"name":"mcp__fs__read","input_schema":{"#,
    ] {
        let lost = "tools[0]: left out: its tools have it in their names";
        check(Wire::Responses, body, read, &[lost]);
    }
}

/// The older form of `tools` names a call by its function.
#[test]
fn functions_are_tools() {
    let call =
        r#"{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}"#;
    let result = r#"{"role":"function","name":"f","content":"ok"}"#;
    let body = format!(
        r#"{{"max_tokens":9,"messages":[{call},{result}],"functions":[{{"name":"f"}}],"function_call":{{"name":"f"}}}}"#
    );
    let messages = r#""messages":[{"role":"assistant","content":[{"type":"tool_use","id":"call_without_id_0","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_without_id_0","content":"ok"}]}]"#;
    for read in [
        messages,
        r#""tool_choice":{"type":"tool","name":"f"}"#,
        r#""tools":[{"name":"f","input_schema":{"#,
    ] {
        check(Wire::ChatCompletions, &body, read, &[]);
    }
}

#[test]
fn a_refusal_is_reported() {
    let lost = |path: &str| format!("{path}.refusal: sent as text: messages have no refusals");
    let part = r#"{"type":"refusal","refusal":"No."}"#;
    let body = format!(
        r#"{{"max_tokens":9,"messages":[{{"role":"assistant","content":[{part}],"refusal":"No."}}]}}"#
    );
    let found = [lost("messages[0].content[0]"), lost("messages[0]")];
    let form = Wire::ChatCompletions;
    check(form, &body, "No.", &[&found[0], &found[1]]);
    let item = format!(r#"{{"role":"assistant","content":[{part}]}}"#);
    items(&item, "No.", &[&lost("input[0].content[0]")]);
}

/// Google's form of a schema has another spelling of types, null and limits.
#[test]
fn schemas_of_gemini_are_json_schema() {
    for (given, read) in [
        (
            r#"{"type":"STRING","nullable":true,"maxLength":"9"}"#,
            r#"{"type":["string","null"],"maxLength":9}"#,
        ),
        (
            r#"{"type":"STRING","nullable":true,"enum":["a"]}"#,
            r#"{"type":["string","null"],"enum":["a",null]}"#,
        ),
        (
            r#"{"anyOf":[{"type":"STRING"}],"nullable":true}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        ),
        (r#"{"type":"STRING","nullable":false}"#, r#"{"type":"string"}"#),
        (
            r#"{"any_of":[{"type":"ARRAY","items":{"type":"STRING"},"max_items":"3"}]}"#,
            r#"{"anyOf":[{"type":"array","items":{"type":"string"},"maxItems":3}]}"#,
        ),
        (
            r#"{"type":"OBJECT","properties":{"any_of":{"type":"STRING"}},"property_ordering":["any_of"]}"#,
            r#"{"type":"object","properties":{"any_of":{"type":"string"}},"propertyOrdering":["any_of"]}"#,
        ),
        (
            r#"{"type":"OBJECT","additional_properties":{"type":"STRING"}}"#,
            r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
        ),
    ] {
        let schema =
            |member: &str| format!(r#"{{"type":"object","properties":{{"nullable":{member}}}}}"#);
        let format = format!(
            r#","generationConfig":{{"maxOutputTokens":9,"responseMimeType":"application/json","responseSchema":{}}}"#,
            schema(given)
        );
        gemini(&format, &schema(read), &[]);
    }
}

/// Google's servers take keys in camel case and in snake case.
#[test]
fn keys_of_gemini_have_two_spellings() {
    let snake = r#","system_instruction":{"parts":[{"text":"Be brief."}]},"generation_config":{"max_output_tokens":9,"stop_sequences":["."]},"tools":[{"function_declarations":[{"name":"snake_name","parameters":{"type":"OBJECT","properties":{"aB":{"type":"STRING"}}}}]}],"tool_config":{"function_calling_config":{"mode":"ANY","allowed_function_names":["snake_name"]}}"#;
    let read = r#""max_tokens":9,"stop_sequences":["."],"tool_choice":{"type":"tool","name":"snake_name"},"tools":[{"name":"snake_name","input_schema":{"type":"object","properties":{"aB":{"type":"string"}}}}],"system":[{"type":"text","text":"Be brief."}]"#;
    gemini(snake, read, &[]);
}

/// A function response is unwrapped only if there is nothing else in it.
#[test]
fn responses_of_functions_keep_all_members() {
    let body = |response: &str| {
        format!(
            r#"{{"generationConfig":{{"maxOutputTokens":9}},"contents":[{{"role":"model","parts":[{{"functionCall":{{"id":"c","name":"f","args":{{}}}}}}]}},{{"role":"user","parts":[{{"functionResponse":{{"id":"c","name":"f","response":{response}}}}}]}}]}}"#
        )
    };
    let form = Wire::GenerateContent;
    check(form, &body(r#"{"output":"o"}"#), r#""content":"o""#, &[]);
    let read = r#""content":"o","is_error":true"#;
    check(form, &body(r#"{"error":"o"}"#), read, &[]);
    let read = r#""content":"{\"output\":\"o\",\"code\":2}""#;
    check(form, &body(r#"{"output":"o","code":2}"#), read, &[]);
    let read = r#""content":"{\"error\":\"e\",\"output\":\"o\"}","is_error":true"#;
    check(form, &body(r#"{"error":"e","output":"o"}"#), read, &[]);
    check(form, &body(r#"{"output":"o","error":null}"#), r#""content":"o"}"#, &[]);
}

#[test]
fn the_id_of_a_session_is_kept() {
    let body = br#"{"model":"gpt-6.2-sol","input":"Hi","prompt_cache_key":"s"}"#;
    let imported = import(body).unwrap();
    assert_eq!(imported.session_id.as_deref(), Some("s"));
}

#[test]
fn choices_of_tools_and_changes_of_the_effort() {
    let choice = r#","tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function","function":{"name":"f","mode":"x"}}"#;
    let lost = "tool_choice.function.mode: left out: the Messages API has no counterpart";
    chat(choice, r#""tool_choice":{"type":"tool","name":"f"}"#, &[lost]);
    let lost = "input[1].reasoning.effort: left out: the Messages API has no counterpart";
    items(
        r#"{"role":"user","content":"Hi"},{"type":"configuration_update","reasoning":{"effort":"none"}}"#,
        "Hi",
        &[lost],
    );
}

/// A part may be both a thought and a call.
#[test]
fn a_call_in_a_thought_is_kept() {
    let body = r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"thought":true,"text":"Hm","functionCall":{"name":"f","args":{"a":1}}}]}],"generationConfig":{"maxOutputTokens":9}}"#;
    let read = r#""type":"tool_use","id":"call_without_id_0","name":"f","input":{"a":1}"#;
    check(Wire::GenerateContent, body, read, &[]);
}

/// A half-ported body keeps the keys of another wire.
#[test]
fn keys_of_the_messages_api_in_a_body_of_another_wire() {
    let taken = "max_tokens: taken as the limit, which this wire has under another name";
    let unknown = "left out: the wire that the body was read as has no such parameter";
    let read = r#""max_tokens":3"#;
    check(Wire::Responses, r#"{"input":"Hi","max_tokens":3}"#, read, &[taken]);
    gemini(r#","max_tokens":3"#, read, &[taken]);
    let both = format!("max_tokens: {unknown}");
    for limit in [r#""x""#, "3.5", "-3"] {
        gemini(&format!(r#","max_tokens":{limit}"#), "Hi", &[LIMIT, &both]);
    }
    responses(r#","max_tokens":3"#, r#""max_tokens":99"#, &[&both]);
    gemini(
        r#","max_tokens":3,"generationConfig":{"maxOutputTokens":99}"#,
        r#""max_tokens":99"#,
        &[&both],
    );
    responses(r#","system":"a""#, "Hi", &[&format!("system: {unknown}")]);
    let own = "seed: left out: the Messages API has no such parameter";
    chat(r#","seed":1"#, "Hi", &[own]);
    // A provider that needs no limit gets none, and each loss is kept but that of the limit.
    let body = br#"{"contents":[{"parts":[{"text":"Hi"}]}],"seed":1}"#;
    let imported = import(body).unwrap().written_for(aside_providers::Provider::Gemini);
    assert_eq!(imported.request.max_tokens, None);
    let losses: Vec<_> = imported.losses.iter().map(ToString::to_string).collect();
    assert_eq!(losses, [own]);
}
