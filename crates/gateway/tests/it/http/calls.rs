//! Calls that are not of functions in `tools`: custom tools, and what a vendor runs.

use aside_gateway::strict::Enforcement;
use serde_json::{Value, json};

use super::wires::{CHAT, GEMINI, RESPONSES, parameters, post, scripted, text};
use super::*;

/// A script has the text under `input`, or alone; a forced tool gets an example.
#[tokio::test]
async fn a_custom_tool_gets_its_text() {
    let call = |input: Value| json!({"type": "tool_use", "name": "apply", "input": input});
    let answers = json!([
        {"when": {"last": ["Try"]}, "content": [call(json!("a\n"))]},
        {"when": {"last": ["Edit"]}, "times": 4, "content": [
            {"type": "thinking", "thinking": "Hm."}, call(json!({"input": "a\n\"b\""}))]},
        {"content": "Done."},
    ]);
    let server = serve(scripted(&answers)).await;
    let tool = json!({"type": "custom", "name": "apply", "format": {"type": "text"}});
    let mut body = json!({"model": "gpt-6.2-sol", "input": "Edit it.", "tools": [tool]});
    let (_, first) = post(&server, RESPONSES, &body).await;
    let call = &first["output"][1];
    let id = call["id"].as_str().unwrap();
    assert!(id.starts_with("ctc_"), "{first}");
    let expected = json!({"type": "custom_tool_call", "id": id, "call_id": call["call_id"],
        "name": "apply", "input": "a\n\"b\"", "status": "completed"});
    assert_eq!(*call, expected);
    body["stream"] = json!(true);
    let (_, events) = text(&server, RESPONSES, &body).await;
    for part in [
        r#""type":"custom_tool_call","id":"ctc_"#,
        r#""delta":"a\n\"b\""}"#,
        "event: response.custom_tool_call_input.done\n",
        r#""input":"a\n\"b\""}"#,
    ] {
        assert!(events.contains(part), "{events}");
    }
    // The server knows the call when it is continued.
    let mut next = json!({"model": "gpt-6.2-sol", "tools": [tool], "previous_response_id": first["id"], "input": "Go on."});
    assert_eq!(post(&server, RESPONSES, &next).await.0, 400);
    next["input"] =
        json!([{"type": "custom_tool_call_output", "call_id": call["call_id"], "output": "ok"}]);
    let (status, second) = post(&server, RESPONSES, &next).await;
    assert_eq!((status, &second["output"][0]["content"][0]["text"]), (200, &json!("Done.")));
    assert!(second["input_transformations"].is_null(), "{second}");
    let added = json!([{"role": "user", "content": "Try it."},
        {"type": "additional_tools", "role": "developer", "tools": [tool]}]);
    let (_, alone) =
        post(&server, RESPONSES, &json!({"model": "gpt-6.2-sol", "input": added})).await;
    assert_eq!(alone["output"][0]["input"], "a\n", "{alone}");
    let mut body = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Edit it."}],
        "tools": [{"type": "custom", "custom": {"name": "apply"}}]});
    let (_, whole) = post(&server, CHAT, &body).await;
    let choice = &whole["choices"][0];
    let call = &choice["message"]["tool_calls"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(call["custom"], json!({"name": "apply", "input": "a\n\"b\""}));
    assert_eq!((&call["type"], &call["function"]), (&json!("custom"), &Value::Null));
    body["stream"] = json!(true);
    let (_, chunks) = text(&server, CHAT, &body).await;
    for part in [
        r#""type":"custom","custom":{"name":"apply","input":""}"#,
        r#"{"index":0,"custom":{"input":"a\n\"b\""}}"#,
    ] {
        assert!(chunks.contains(part), "{chunks}");
    }
    assert_eq!(server.stop().await.refused, 1);
}

#[tokio::test]
async fn a_forced_custom_tool_is_called() {
    let server = serve(|_| {}).await;
    let body = json!({"model": "gpt-4.1", "input": "Hi",
        "tools": [{"type": "custom", "name": "apply"}],
        "tool_choice": {"type": "custom", "name": "apply"}});
    let (_, called) = post(&server, RESPONSES, &body).await;
    assert_eq!(called["output"][0]["input"], "text", "{called}");
    let body = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"type": "custom", "custom": {"name": "apply"}}],
        "tool_choice": {"type": "custom", "custom": {"name": "apply"}}});
    let (_, called) = post(&server, CHAT, &body).await;
    let call = &called["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["custom"], json!({"name": "apply", "input": "text"}), "{called}");
    assert!(server.stop().await.is_clean());
}

#[tokio::test]
async fn a_call_names_the_namespace_of_its_tool() {
    let server = serve(|_| {}).await;
    let read = json!({"type": "function", "name": "read", "strict": false});
    let space = |tool: &Value| json!({"type": "namespace", "name": "mcp__fs", "description": "Files.", "tools": [tool]});
    let hi = json!({"role": "user", "content": "Hi"});
    let mut body = json!({"model": "gpt-6.2-sol", "input": [hi], "tools": [space(&read)],
        "tool_choice": "required"});
    let (_, called) = post(&server, RESPONSES, &body).await;
    let call = &called["output"][0];
    let named = (&call["type"], &call["name"], &call["namespace"]);
    assert_eq!(named, (&json!("function_call"), &json!("read"), &json!("mcp__fs")), "{called}");
    let output = json!({"type": "function_call_output", "call_id": call["call_id"], "output": ""});
    (body["input"], body["tool_choice"]) = (json!([hi, call, output]), json!("auto"));
    assert_eq!(post(&server, RESPONSES, &body).await.0, 200);
    let patch = space(&json!({"type": "custom", "name": "patch"}));
    let body = json!({"model": "gpt-6.2-sol", "input": "Hi", "tools": [patch],
        "tool_choice": "required"});
    let (_, called) = post(&server, RESPONSES, &body).await;
    let call = &called["output"][0];
    assert_eq!((&call["input"], &call["namespace"]), (&json!("text"), &json!("mcp__fs")));
    assert!(server.stop().await.is_clean());
}

#[tokio::test]
async fn a_forced_call_is_of_an_allowed_tool() {
    let server = serve(|_| {}).await;
    let functions = [json!({"name": "look"}), json!({"name": "read"})];
    let flat = ["look", "read"].map(|it| json!({"type": "function", "name": it, "strict": false}));
    let body = json!({"model": "gpt-6.2-sol", "input": "Hi", "tools": flat,
        "tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [flat[1]]}});
    let (_, called) = post(&server, RESPONSES, &body).await;
    assert_eq!(called["output"][0]["name"], "read", "{called}");
    let nested = functions.clone().map(|it| json!({"type": "function", "function": it}));
    let body = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}],
        "tools": nested, "tool_choice": {"type": "allowed_tools",
            "allowed_tools": {"mode": "required", "tools": [nested[1]]}}});
    let (_, called) = post(&server, CHAT, &body).await;
    let call = &called["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["function"]["name"], "read", "{called}");
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "tools": [{"functionDeclarations": functions}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read"]}}});
    let (_, called) = post(&server, GEMINI, &body).await;
    let call = &called["candidates"][0]["content"]["parts"][0]["functionCall"];
    assert_eq!(call["name"], "read", "{called}");
    assert!(server.stop().await.is_clean());
}

#[tokio::test]
async fn the_calls_of_server_tools_are_counted() {
    let call = |name: &str| json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": name, "input": {}});
    let content = ["web_search", "web_search", "bash_code_execution"].map(call);
    let server = serve(scripted(&json!([{"content": content}, {"content": "Hi."}]))).await;
    for (stream, expected) in [
        ("", r#""server_tool_use":{"web_fetch_requests":0,"web_search_requests":2}"#),
        (r#""stream":true,"#, ""),
    ] {
        let body = HI.replacen('{', &format!("{{{stream}"), 1);
        let text = message(&server, &body).send().await.unwrap().text().await.unwrap();
        assert_eq!(text.contains(r#""server_tool_use":"#), !expected.is_empty(), "{text}");
        assert!(text.contains(expected), "{text}");
    }
    server.stop().await;
}

#[tokio::test]
async fn searches_are_calls_of_the_server() {
    let call = |name: &str, input: Value| json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": name, "input": input});
    let content = json!([
        call("web_search", json!({"query": "rain"})),
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        call("web_fetch", json!({"url": "https://a.example"})),
        call("bash_code_execution", json!({})),
        {"type": "text", "text": "Wet."},
    ]);
    let server =
        serve(scripted(&json!([{"content": content, "times": 3}, {"content": "Hi."}]))).await;
    let mut body =
        json!({"model": "gpt-6.2-sol", "input": "Hi", "tools": [{"type": "web_search"}]});
    let (_, whole) = post(&server, RESPONSES, &body).await;
    let output = whole["output"].as_array().unwrap();
    let kinds: Vec<_> = output.iter().map(|it| &it["type"]).collect();
    assert_eq!(kinds, ["web_search_call", "web_search_call", "message"]);
    assert!(output[0]["id"].as_str().unwrap().starts_with("ws_"));
    let action = json!({"type": "search", "query": "rain", "queries": ["rain"]});
    assert_eq!((&output[0]["status"], &output[0]["action"]), (&json!("completed"), &action));
    assert_eq!(output[1]["action"], json!({"type": "open_page", "url": "https://a.example"}));
    body["stream"] = json!(true);
    let (_, events) = text(&server, RESPONSES, &body).await;
    assert_eq!(events.matches("event: response.web_search_call.searching\n").count(), 2);
    let hi = json!({"role": "user", "content": "Hi"});
    let chat = json!({"model": "gpt-4.1", "messages": [hi]});
    let (_, chat) = post(&server, CHAT, &chat).await;
    assert_eq!(chat["choices"][0]["message"]["content"], "Wet.");
    // They come back.
    let mut input = vec![hi];
    input.extend(output.iter().cloned());
    input.push(json!({"role": "user", "content": "Go on."}));
    body = json!({"model": "gpt-6.2-sol", "input": input, "tools": body["tools"]});
    let (status, again) = post(&server, RESPONSES, &body).await;
    assert_eq!(status, 200, "{again}");
    server.stop().await;
}

/// The older form of `tools`, which some clients still send.
#[tokio::test]
async fn functions_are_called_in_their_older_form() {
    let server = serve(|_| {}).await;
    let hi = json!({"role": "user", "content": "Hi"});
    let mut body = json!({"model": "gpt-4.1", "messages": [hi], "functions":
        [{"name": "look"}, {"name": "read", "parameters": parameters()}]});
    let (_, auto) = post(&server, CHAT, &body).await;
    assert_eq!(auto["choices"][0]["finish_reason"], "stop");
    body["function_call"] = json!({"name": "read"});
    let (_, called) = post(&server, CHAT, &body).await;
    let choice = &called["choices"][0];
    let call = json!({"name": "read", "arguments": r#"{"path":"text"}"#});
    assert_eq!(choice["finish_reason"], "function_call");
    assert_eq!(
        (&choice["message"]["function_call"], &choice["message"]["tool_calls"]),
        (&call, &Value::Null)
    );
    body["stream"] = json!(true);
    let (_, chunks) = text(&server, CHAT, &body).await;
    for part in [
        r#""delta":{"function_call":{"name":"read","arguments":""}}"#,
        r#""delta":{"function_call":{"arguments":"{\"path\":\"text\"}"}}"#,
        r#""finish_reason":"function_call""#,
    ] {
        assert!(chunks.contains(part), "{chunks}");
    }
    let next = json!([hi, choice["message"], {"role": "function", "name": "read", "content": "x"}]);
    let next = json!({"model": "gpt-4.1", "messages": next, "functions": body["functions"]});
    assert_eq!(post(&server, CHAT, &next).await.0, 200);
    assert!(server.stop().await.is_clean());
}

#[tokio::test]
async fn the_older_form_has_one_call() {
    let call = |name: &str| json!({"type": "tool_use", "name": name, "input": {"name": name}});
    let answer = json!({"times": 3, "content": [call("look"), call("read")]});
    let server = serve(scripted(&json!([answer]))).await;
    let functions = json!([{"name": "look"}, {"name": "read"}]);
    let mut body = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}],
        "functions": functions});
    let (_, whole) = post(&server, CHAT, &body).await;
    let call = &whole["choices"][0]["message"]["function_call"];
    assert_eq!(*call, json!({"name": "look", "arguments": r#"{"name":"look"}"#}));
    body["stream"] = json!(true);
    let (_, chunks) = text(&server, CHAT, &body).await;
    assert!(chunks.contains("look") && !chunks.contains("read"), "{chunks}");
    // Without functions, the calls have the newer form.
    body["tools"] = functions
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!({"type": "function", "function": it}))
        .collect();
    (body["stream"], body["functions"]) = (json!(false), json!(null));
    let (_, whole) = post(&server, CHAT, &body).await;
    let calls = whole["choices"][0]["message"]["tool_calls"].as_array();
    assert_eq!(calls.map(Vec::len), Some(2), "{whole}");
    server.stop().await;
}

/// A client writes the placeholder as text, or in base64.
#[tokio::test]
async fn the_placeholder_of_gemini_passes_for_a_signature() {
    let server = serve(|options| options.enforcement = Enforcement::Strict).await;
    let function = json!({"name": "read", "parameters": parameters()});
    for (signature, status) in [
        ("skip_thought_signature_validator", 200),
        ("c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=", 200),
        ("Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv", 200),
        ("c2tpcF9hbm90aGVyX3ZhbGlkYXRvcg==", 400),
    ] {
        let call = json!({"name": "read", "args": {"path": "a"}});
        let result = json!({"name": "read", "response": {"output": "1"}});
        let body = json!({"tools": [{"functionDeclarations": [function]}], "contents": [
            {"role": "user", "parts": [{"text": "Read it."}]},
            {"role": "model", "parts": [{"functionCall": call, "thoughtSignature": signature}]},
            {"role": "user", "parts": [{"functionResponse": result}]},
        ]});
        assert_eq!(post(&server, GEMINI, &body).await.0, status, "{signature}");
    }
}

#[tokio::test]
async fn a_forced_call_is_of_a_tool_in_the_thread() {
    let server = serve(|_| {}).await;
    let send = async |thread: Value, more: Value| {
        let mut body = json!({"model": "claude-opus-5", "max_tokens": 64, "thread": thread,
            "messages": [{"role": "user", "content": "Hi"}]});
        let more = more.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(more);
        let request = message(&server, &body.to_string());
        let request = request.header("anthropic-beta", "message-threads-2026-08-12");
        let text = request.send().await.unwrap().text().await.unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let tools = json!({"tools": [{"name": "look", "input_schema": {"type": "object"}}]});
    let first = send(json!({"type": "create"}), tools).await;
    let thread = json!({"type": "continue", "previous_message_id": first["id"]});
    let called = send(thread, json!({"tool_choice": {"type": "any"}})).await;
    assert_eq!(called["content"][0]["name"], "look", "{called}");
}

/// An agent whose last tool ends its loop gets there.
#[tokio::test]
async fn forced_calls_take_turns() {
    let server = serve(|_| {}).await;
    let tools = ["look", "end"].map(|it| json!({"type": "function", "function": {"name": it}}));
    let mut messages = vec![json!({"role": "user", "content": "Hi"})];
    for expected in ["look", "end", "look", "end"] {
        let body = json!({"model": "gpt-4.1", "messages": messages, "tools": tools,
            "tool_choice": "required"});
        let (_, called) = post(&server, CHAT, &body).await;
        let message = &called["choices"][0]["message"];
        let call = &message["tool_calls"][0];
        assert_eq!(call["function"]["name"], expected, "{called}");
        messages.push(message.clone());
        messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "ok"}));
        if expected == "end" {
            messages.push(json!({"role": "user", "content": "Again"}));
        }
    }
    assert!(server.stop().await.is_clean());
}
