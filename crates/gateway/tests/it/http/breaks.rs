//! Streams that the script breaks off.

use serde_json::{Value, json};

use super::wires::{CHAT, GEMINI, RESPONSES, scripted};
use super::*;

#[tokio::test]
async fn a_stream_can_break_off_on_every_wire() {
    let server = serve(scripted(
        &json!([{"content": "A long answer that never ends.", "breaks_off": true}]),
    ))
    .await;
    let chat = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}], "stream": true});
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]});
    let responses = json!({"model": "gpt-4.1", "input": "Hi", "stream": true});
    let whole = json!({"model": "gpt-4.1", "input": "Hi"});
    let stream = GEMINI.replace(":generateContent", ":streamGenerateContent?alt=sse");
    for (path, body) in
        [(RESPONSES, responses), (RESPONSES, whole), (CHAT, chat), (&*stream, contents)]
    {
        let request = client().post(server.url(path)).body(body.to_string());
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(response.text().await.is_err(), "{path}");
    }
    server.stop().await;
}

/// Returns what arrives of a stream that breaks off.
async fn broken<T>(server: &Running<T>, path: &str, body: &Value) -> String {
    let request = client().post(server.url(path)).body(body.to_string());
    let mut response = request.send().await.unwrap();
    let mut seen = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        seen.extend_from_slice(&chunk);
    }
    String::from_utf8(seen).unwrap()
}

#[tokio::test]
async fn a_stream_that_breaks_off_has_begun_and_no_choice_has_ended() {
    let thought = json!([{"type": "thinking", "thinking": "Hm."}]);
    let search = json!([{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "a"}}]);
    let break_off = |content: Value| json!({"content": content, "breaks_off": true});
    let answers = [json!("A text."), thought, search, json!([])].map(break_off);
    let server = serve(scripted(&json!(answers))).await;
    let chat = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}], "stream": true, "n": 2});
    let seen = broken(&server, CHAT, &chat).await;
    assert!(seen.contains("A text.") && !seen.contains(r#""finish_reason":""#), "{seen}");
    let body = json!({"model": "gpt-6.2-sol", "input": "Hi", "stream": true});
    for last in ["output_item.added", "web_search_call.in_progress", "in_progress"] {
        let seen = broken(&server, RESPONSES, &body).await;
        assert!(seen.starts_with("event: response.created\n"), "{last} {seen}");
        let (_, end) = seen.rsplit_once("event: response.").unwrap();
        assert!(end.starts_with(last), "{last} {end}");
    }
    server.stop().await;
}
