//! The test server on Responses, Chat Completions and `generateContent`.

use aside_gateway::serve::Script;
use aside_gateway::strict::Enforcement;
use serde_json::{Value, json};

use super::*;

/// Sends a body and returns the status and the response.
pub(super) async fn post<T>(server: &Running<T>, path: &str, body: &Value) -> (u16, Value) {
    let (status, text) = text(server, path, body).await;
    (status, serde_json::from_str(&text).unwrap())
}

pub(super) async fn text<T>(server: &Running<T>, path: &str, body: &Value) -> (u16, String) {
    let request = client().post(server.url(path)).body(body.to_string());
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

pub(super) const RESPONSES: &str = "/v1/responses";
pub(super) const CHAT: &str = "/v1/chat/completions";
pub(super) const GEMINI: &str = "/v1beta/models/gemini-3.6-flash:generateContent";

pub(super) fn scripted(answers: &Value) -> impl FnOnce(&mut ServeOptions) {
    let script = json!({"version": 1, "answers": answers, "repeat": true}).to_string();
    let script = Script::parse("script", &script).unwrap();
    move |options| options.script = Some(script)
}

/// A call without input, then a text.
fn tool_then_text() -> Value {
    json!([
        {"when": {"last": ["Read"]}, "content": [
            {"type": "thinking", "thinking": "It has to be read."},
            {"type": "tool_use", "name": "read"}]},
        {"content": [{"type": "thinking", "thinking": "Done."}, {"type": "text", "text": "It is empty, and nothing else."}]},
    ])
}

pub(super) fn parameters() -> Value {
    json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]})
}

#[tokio::test]
async fn a_script_answers_on_every_wire() {
    let server = serve(scripted(&json!([
        {"when": {"last": ["Read"]}, "content": [{"type": "tool_use", "name": "read"}], "times": 3},
        {"content": "Fine."},
    ])))
    .await;
    let tool =
        json!({"type": "function", "name": "read", "parameters": parameters(), "strict": false});
    let body = json!({"model": "gpt-6.2-sol", "input": "Read it.", "tools": [tool]});
    let (_, called) = post(&server, RESPONSES, &body).await;
    assert_eq!(called["output"][0]["arguments"], r#"{"path":"text"}"#);
    let function = json!({"name": "read", "parameters": parameters()});
    let body = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Read it."}],
        "tools": [{"type": "function", "function": function}]});
    let (_, called) = post(&server, CHAT, &body).await;
    let choice = &called["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(choice["message"]["tool_calls"][0]["function"]["arguments"], r#"{"path":"text"}"#);
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "Read it."}]}],
        "tools": [{"functionDeclarations": [function]}]});
    let (_, called) = post(&server, GEMINI, &body).await;
    let part = &called["candidates"][0]["content"]["parts"][0];
    assert_eq!(part["functionCall"]["args"], json!({"path": "text"}));
    assert!(part["thoughtSignature"].is_string());
    let report = server.stop().await;
    assert_eq!((report.answered, report.refused), (3, 0));
}

/// A script has the error types of the Messages API.
#[tokio::test]
async fn errors_of_a_script_have_the_type_of_the_wire() {
    let error = r#"{"error":{"status":529,"type":"overloaded_error","message":"Overloaded"}}"#;
    let server = serve(|options| {
        let script = format!(r#"{{"version":1,"answers":[{error},{error}]}}"#);
        options.script = Some(Script::parse("test", &script).unwrap());
    })
    .await;
    let hi = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]});
    let (status, overloaded) = post(&server, GEMINI, &hi).await;
    assert_eq!((status, &overloaded["error"]["status"]), (529, &json!("INTERNAL")));
    let hi = json!({"model": "gpt-6.2-sol", "input": "Hi"});
    let (status, overloaded) = post(&server, RESPONSES, &hi).await;
    assert_eq!((status, &overloaded["error"]["type"]), (529, &json!("server_error")));
    server.stop().await;
}

#[tokio::test]
async fn refusals_have_the_form_and_the_words_of_the_wire() {
    let server = serve(|options| options.faults = "429:1".parse().unwrap()).await;
    let hi = json!({"model": "gpt-6.2-sol", "input": "Hi"});
    let (status, limited) = post(&server, RESPONSES, &hi).await;
    assert_eq!((status, &limited["error"]["code"]), (429, &json!("rate_limit_exceeded")));
    let call =
        json!({"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"});
    for (path, body, status, message) in [
        (
            RESPONSES,
            json!({"model": "gpt-6.2-sol", "input": [call]}),
            400,
            "No tool output found for function call call_1.",
        ),
        (
            CHAT,
            json!({"messages": [{"role": "user", "content": "Hi"}]}),
            400,
            "you must provide a model parameter",
        ),
        (RESPONSES, json!({"input": "Hi"}), 400, "Missing required parameter: 'model'."),
        (RESPONSES, json!([]), 400, "is not a JSON object"),
        (
            RESPONSES,
            json!({"model": "gpt-nothing", "input": "Hi"}),
            404,
            "The model `gpt-nothing` does not exist or you do not have access to it.",
        ),
        (
            RESPONSES,
            json!({"model": "gpt-6.2-sol", "input": "Hi", "previous_response_id": "resp_0"}),
            400,
            "Previous response with id 'resp_0' not found.",
        ),
        (
            RESPONSES,
            json!({"model": "gpt-6.2-sol", "input": "Hi", "conversation": "conv_1"}),
            404,
            "Conversation with id 'conv_1' not found.",
        ),
        (
            RESPONSES,
            json!({"model": "gpt-6.2-sol", "input": [{"type": "reasoning", "id": "rs_1", "summary": [],
            "encrypted_content": "forged"}, {"role": "user", "content": "Hi"}]}),
            400,
            "The encrypted content for item rs_1 could not be verified.",
        ),
        (
            CHAT,
            json!({"model": "gpt-4.1", "messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]}),
            400,
            "must be a response to a preceding message",
        ),
        (GEMINI, json!({"contents": []}), 400, "contents is not specified"),
        (
            "/v1beta/models/gemini-nothing:generateContent",
            json!({"contents": [{"parts": [{"text": "Hi"}]}]}),
            404,
            "models/gemini-nothing is not found",
        ),
    ] {
        let (found, refused) = post(&server, path, &body).await;
        let text = refused["error"]["message"].as_str().unwrap();
        assert!(found == status && text.contains(message), "{path} {found} {refused}");
    }
    let google = post(&server, GEMINI, &json!({})).await.1;
    assert_eq!(google["error"]["status"], "INVALID_ARGUMENT");
    assert_eq!(server.stop().await.refused, 12);
    let server = serve(|options| options.enforcement = Enforcement::Off).await;
    let unknown = json!({"model": "m", "input": "Hi", "previous_response_id": "resp_0"});
    assert_eq!(post(&server, RESPONSES, &unknown).await.0, 200);
    server.stop().await;
}

#[tokio::test]
async fn the_answer_without_a_script_has_the_form_of_the_request() {
    let server = serve(|_| {}).await;
    let tool =
        json!({"type": "function", "function": {"name": "read", "parameters": parameters()}});
    for (more, content, stop) in [
        (json!({}), "This answer is fixed: no model was asked.", "stop"),
        (json!({"max_completion_tokens": 3}), "This answer i", "length"),
        (json!({"response_format": {"type": "json_object"}}), "{}", "stop"),
        (
            json!({"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": parameters()}}}),
            r#"{"path":"text"}"#,
            "stop",
        ),
        (json!({"tools": [tool]}), "This answer is fixed: no model was asked.", "stop"),
        (json!({"tools": [tool], "tool_choice": "required"}), r#"{"path":"text"}"#, "tool_calls"),
    ] {
        let mut body =
            json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Give me JSON."}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (_, answer) = post(&server, CHAT, &body).await;
        let message = &answer["choices"][0]["message"];
        let arguments = &message["tool_calls"][0]["function"]["arguments"];
        assert_eq!(message["content"].as_str().or(arguments.as_str()), Some(content), "{more}");
        assert_eq!(answer["choices"][0]["finish_reason"], stop, "{more}");
    }
    let json =
        json!({"model": "gpt-4.1", "input": "JSON", "text": {"format": {"type": "json_object"}}});
    let (_, answer) = post(&server, RESPONSES, &json).await;
    assert_eq!(answer["output"][0]["content"][0]["text"], "{}");
    let mut body =
        json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}], "n": 2});
    let (_, two) = post(&server, CHAT, &body).await;
    assert_eq!(two["choices"][1]["message"], two["choices"][0]["message"]);
    assert_eq!(two["usage"]["completion_tokens"], 20);
    body["stream"] = json!(true);
    let (_, chunks) = text(&server, CHAT, &body).await;
    let count = |index: u64| chunks.matches(&format!(r#"[{{"index":{index},"delta""#)).count();
    assert!(count(1) > 0 && count(0) == count(1), "{chunks}");
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generationConfig": {"candidateCount": 2}});
    let (_, two) = post(&server, GEMINI, &body).await;
    assert_eq!(two["candidates"][1]["index"], 1);
    let json = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generationConfig": {"responseMimeType": "application/json"}});
    let (_, answer) = post(&server, GEMINI, &json).await;
    assert_eq!(answer["candidates"][0]["content"]["parts"][0]["text"], "{}");
    for (kind, text) in [("text/x.enum", "a"), ("application/json", r#""a""#)] {
        let config = json!({"responseMimeType": kind,
            "responseSchema": {"type": "STRING", "enum": ["a", "b"]}});
        let body = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "generationConfig": config});
        let (_, answer) = post(&server, GEMINI, &body).await;
        assert_eq!(answer["candidates"][0]["content"]["parts"][0]["text"], text, "{kind}");
    }
    server.stop().await;
}

/// Google counts a tool's result without its call, and does not answer it.
#[tokio::test]
async fn contents_that_are_counted_may_be_in_any_order() {
    let server = serve(|options| options.enforcement = Enforcement::Strict).await;
    let count = GEMINI.replace(":generateContent", ":countTokens");
    let part = json!({"functionResponse": {"name": "read", "response": {"output": "Empty."}}});
    let body = json!({"contents": [{"role": "user", "parts": [part]}]});
    let (status, counted) = post(&server, &count, &body).await;
    assert_eq!(status, 200, "{counted}");
    assert!(counted["totalTokens"].as_u64() > Some(0), "{counted}");
    let mut whole = body.clone();
    whole["model"] = json!("models/gemini-4-argon");
    whole["systemInstruction"] = json!({"parts": [{"text": "Be brief and kind."}]});
    let whole = json!({"generateContentRequest": whole});
    let (status, more) = post(&server, &count, &whole).await;
    assert_eq!(status, 200, "{more}");
    assert!(more["totalTokens"].as_u64() > counted["totalTokens"].as_u64(), "{more}");
    assert_eq!(post(&server, GEMINI, &body).await.0, 400);
    let unknown = json!({"contents": [{"role": "user", "parts": [{"other": 1}]}]});
    assert_eq!(post(&server, &count, &unknown).await.0, 400);
}

#[tokio::test]
async fn a_stored_response_is_continued_and_read() {
    let server = serve(scripted(&tool_then_text())).await;
    let tool =
        json!({"type": "function", "name": "read", "parameters": parameters(), "strict": false});
    let first = json!({"model": "gpt-6.2-sol", "input": "Read it.", "tools": [tool]});
    let (_, first) = post(&server, RESPONSES, &first).await;
    let id = first["id"].as_str().unwrap();
    let continued = |input: Value| json!({"model": "gpt-6.2-sol", "tools": [tool], "previous_response_id": id, "input": input});
    let (status, refused) = post(&server, RESPONSES, &continued(json!("Go on."))).await;
    assert_eq!(status, 400, "{refused}");
    let call = first["output"].as_array().unwrap().last().unwrap();
    let output =
        json!([{"type": "function_call_output", "call_id": call["call_id"], "output": "x"}]);
    let (_, second) = post(&server, RESPONSES, &continued(output.clone())).await;
    assert_eq!(second["previous_response_id"], id);
    assert_eq!(second["output"][1]["content"][0]["text"], "It is empty, and nothing else.");
    assert!(second["input_transformations"].is_null(), "{second}");
    // The same items by reference, with a type or without, have the same tokens.
    for kind in [json!("item_reference"), Value::Null] {
        let mut items = vec![json!({"role": "user", "content": "Read it."})];
        let ids = first["output"].as_array().unwrap().iter();
        items.extend(ids.map(|it| json!({"type": kind, "id": it["id"]})));
        items.extend(output.as_array().unwrap().clone());
        let referred = json!({"model": "gpt-6.2-sol", "tools": [tool], "input": items});
        let (_, referred) = post(&server, RESPONSES, &referred).await;
        assert_eq!(referred["usage"]["input_tokens"], second["usage"]["input_tokens"]);
    }
    let stored = server.url(&format!("/v1/responses/{id}"));
    let get = async || client().get(&stored).send().await.unwrap();
    let read: Value = serde_json::from_str(&get().await.text().await.unwrap()).unwrap();
    assert_eq!(read["output"], first["output"]);
    let get_at = async |path: &str| client().get(format!("{stored}{path}")).send().await.unwrap();
    let events = get_at("?stream=true&starting_after=1").await.text().await.unwrap();
    assert!(events.starts_with("event: response.output_item.added\n"), "{events}");
    let second = second["id"].as_str().unwrap();
    let items = format!("/../{second}/input_items?limit=2&order=asc");
    let items = get_at(&items).await.text().await.unwrap();
    let items: Value = serde_json::from_str(&items).unwrap();
    assert_eq!(items["data"][0]["content"][0]["text"], "Read it.");
    assert_eq!((items["data"].as_array().unwrap().len(), &items["has_more"]), (2, &json!(true)));
    let own = items["data"][0]["id"].as_str().unwrap();
    assert!(own.starts_with("msg_"), "{own}");
    let referred = json!({"model": "gpt-6.2-sol", "input":
        [{"type": "item_reference", "id": own}, {"role": "user", "content": "Go on."}]});
    assert_eq!(post(&server, RESPONSES, &referred).await.0, 200);
    let list = async |after: &str| {
        let path = format!("/../{second}/input_items?order=asc&after={after}");
        let items = get_at(&path).await.text().await.unwrap();
        serde_json::from_str::<Value>(&items).unwrap()["data"].as_array().unwrap().clone()
    };
    let after = list(own).await;
    assert_eq!(after.last().unwrap()["type"], "function_call_output");
    assert!(after.last().unwrap()["id"].as_str().unwrap().starts_with("fco_"), "{after:?}");
    assert_eq!(list("msg_unknown").await.len(), 0);
    client().delete(&stored).send().await.unwrap();
    assert_eq!(get().await.status(), 404);
    server.stop().await;
}

#[tokio::test]
async fn reasoning_after_a_changed_prefix_is_removed() {
    let server = serve(scripted(&tool_then_text())).await;
    let send = async |model: &str, first: &str, output: &[Value], more: &Value| {
        let mut input = vec![json!({"role": "user", "content": first})];
        input.extend(output.iter().cloned());
        if !output.is_empty() {
            input.push(json!({"role": "user", "content": "Go on."}));
        }
        let mut body = json!({"model": model, "store": false, "input": input});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        post(&server, RESPONSES, &body).await.1
    };
    for (model, expected) in [("gpt-6.2-sol", "prefix_mismatch"), ("gpt-6.1-sol", "")] {
        let none = json!({"include": ["reasoning.encrypted_content"]});
        let answer = send(model, "Hi.", &[], &none).await;
        let output = answer["output"].as_array().unwrap();
        assert_eq!(output[0]["type"], "reasoning");
        let same = send(model, "Hi.", output, &none).await;
        assert!(same["input_transformations"].is_null(), "{same}");
        let changed = send(model, "Hello.", output, &none).await;
        let removed = &changed["input_transformations"][0];
        assert_eq!(removed["reason"].as_str().unwrap_or_default(), expected);
        let turn = json!({"reasoning": {"context": "current_turn"}});
        let turn = send(model, "Hi.", output, &turn).await;
        assert_eq!(turn["input_transformations"][0]["reason"], "turn_boundary");
        assert_eq!(turn["input_transformations"][0]["id"], output[0]["id"]);
    }
    assert_eq!(server.stop().await.thinking_dropped, 3);
}

#[tokio::test]
async fn an_item_with_its_id_needs_its_reasoning() {
    let server = serve(scripted(&tool_then_text())).await;
    let send = async |output: &[Value]| {
        let mut input = vec![json!({"role": "user", "content": "Hi."})];
        input.extend(output.iter().cloned());
        let include = json!(["reasoning.encrypted_content"]);
        let body =
            json!({"model": "gpt-6.1-sol", "store": false, "include": include, "input": input});
        post(&server, RESPONSES, &body).await
    };
    let answer = send(&[]).await.1;
    let [reasoning, message] = &answer["output"].as_array().unwrap()[..] else {
        panic!("{answer}");
    };
    let mut anonymous = message.clone();
    anonymous.as_object_mut().unwrap().remove("id");
    for (output, expected) in [
        (vec![reasoning.clone(), message.clone()], 200),
        (vec![message.clone()], 400),
        (vec![message.clone(), reasoning.clone()], 400),
        (vec![anonymous], 200),
    ] {
        let (status, answer) = send(&output).await;
        assert_eq!(status, expected, "{answer}");
        let text = answer["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(text.contains("without its required 'reasoning' item: 'rs_"), status == 400);
    }
    server.stop().await;
}

#[tokio::test]
async fn diagnostics_name_the_first_change() {
    let server = serve(|_| {}).await;
    let send = async |input: &str, more: Value| {
        let mut body = json!({"model": "gpt-6.2-sol", "input": input});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        post(&server, RESPONSES, &body).await.1
    };
    let first = send("Hi.", json!({})).await;
    assert!(first["prompt_cache_diagnostics"].is_null());
    let options = |id: &Value| json!({"comparison_response_id": id});
    let id = &first["id"];
    for (more, expected) in [
        (json!({}), json!("cache_hit")),
        (json!({"prompt_cache_key": "k"}), json!("prompt_cache_key_changed")),
        (json!({"text": {"verbosity": "low"}}), json!("verbosity_changed")),
    ] {
        let mut more = more;
        more["prompt_cache_options"] = options(id);
        let compared = send("Hi.", more).await;
        let found = &compared["prompt_cache_diagnostics"];
        let found = found.get("reason").unwrap_or(&found["type"]);
        assert_eq!(*found, expected);
    }
    let other = send("Ho.", json!({"prompt_cache_options": options(id)})).await;
    assert_eq!(other["prompt_cache_diagnostics"]["reason"], "input_changed");
    let unknown = json!({"prompt_cache_options": options(&json!("resp_x"))});
    let unknown = send("Hi.", unknown).await;
    assert_eq!(unknown["prompt_cache_diagnostics"]["type"], "comparison_response_not_found");
    server.stop().await;
}

/// The joined stream has the content of the whole response.
#[tokio::test]
async fn a_prewarm_request_fills_the_cache_without_output() {
    let server = serve(|_| {}).await;
    let mut body = json!({"model": "gpt-6-sol", "input": "word ".repeat(3_000),
        "prompt_cache_options": {"prewarm": true}});
    let (status, warm) = post(&server, RESPONSES, &body).await;
    assert_eq!((status, &warm["status"], &warm["output"]), (200, &json!("completed"), &json!([])));
    assert_eq!(warm["usage"]["output_tokens"], 0);
    let written = &warm["usage"]["input_tokens_details"]["cache_write_tokens"];
    body["prompt_cache_options"]["prewarm"] = json!(false);
    let (_, answer) = post(&server, RESPONSES, &body).await;
    assert!(answer["usage"]["output_tokens"].as_u64() > Some(0), "{answer}");
    assert_eq!(&answer["usage"]["input_tokens_details"]["cached_tokens"], written);
}

#[tokio::test]
async fn streams_have_the_events_of_their_wire() {
    let server = serve(scripted(&json!([
        {"content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "A text that is longer than one delta."}]},
    ])))
    .await;
    let body = json!({"model": "gpt-6.2-sol", "input": "Hi", "stream": true, "reasoning": {"summary": "auto"}});
    let (_, events) = text(&server, RESPONSES, &body).await;
    let names: Vec<&str> = events.lines().filter_map(|it| it.strip_prefix("event: ")).collect();
    let mut kinds = names.clone();
    kinds.dedup();
    let expected = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(kinds, expected);
    let numbers = events.matches("\"sequence_number\":").count();
    assert_eq!(numbers, names.len());
    let body = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}], "stream": true,
        "stream_options": {"include_usage": true}});
    let (_, chunks) = text(&server, CHAT, &body).await;
    let chunks: Vec<&str> = chunks.lines().filter_map(|it| it.strip_prefix("data: ")).collect();
    assert_eq!(chunks.last(), Some(&"[DONE]"));
    let chunks: Vec<Value> =
        chunks[..chunks.len() - 1].iter().map(|it| serde_json::from_str(it).unwrap()).collect();
    let deltas = chunks.iter().filter_map(|it| it["choices"][0]["delta"]["content"].as_str());
    assert_eq!(deltas.collect::<String>(), "A text that is longer than one delta.");
    assert!(chunks.last().unwrap()["usage"]["prompt_tokens"].as_u64().unwrap() > 0);
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]});
    let path = GEMINI.replace(":generate", ":streamGenerate");
    let (_, array) = text(&server, &path, &body).await;
    let array: Vec<Value> = serde_json::from_str(&array).unwrap();
    let (_, stream) = text(&server, &format!("{path}?alt=sse"), &body).await;
    assert_eq!(stream.matches("data: ").count(), array.len());
    assert_eq!(array.last().unwrap()["candidates"][0]["finishReason"], "STOP");
    server.stop().await;
}

/// As in a record of Gemini, whose signatures have no text.
#[tokio::test]
async fn thinking_without_a_text_is_no_thought() {
    let content =
        json!([{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "Hi."}]);
    let server = serve(scripted(&json!([{"content": content}]))).await;
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generationConfig": {"thinkingConfig": {"includeThoughts": true}}});
    let (_, answer) = post(&server, GEMINI, &body).await;
    assert_eq!(answer["candidates"][0]["content"]["parts"], json!([{"text": "Hi."}]));
    server.stop().await;
}

#[tokio::test]
async fn the_catalogue_has_the_form_of_the_client() {
    let server = serve(|_| {}).await;
    let get = async |path: &str, header: &str| -> Value {
        let request = client().get(server.url(path)).header(header, "x");
        serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap()
    };
    assert_eq!(get("/v1/models", "anthropic-version").await["data"][0]["type"], "model");
    assert_eq!(get("/v1/models", "authorization").await["data"][0]["object"], "model");
    let unknown = get("/v1/models/gpt-nothing", "authorization").await;
    assert_eq!(unknown["error"]["code"], "model_not_found");
    let not_found = get("/v1/conversations", "authorization").await;
    assert_eq!(not_found["error"]["type"], "invalid_request_error");
    for path in ["/v1beta/models", "/v1/models"] {
        let name = &get(path, "x-goog-api-key").await["models"][0]["name"];
        assert!(name.as_str().unwrap().starts_with("models/gemini"));
    }
    server.stop().await;
}
