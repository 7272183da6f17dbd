//! The Messages API in a box.

use aside_gateway::serve::Script;
use aside_gateway::strict::Enforcement;
use serde_json::Value;

use super::*;

async fn json(response: reqwest::Response) -> Value {
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

fn script(text: &str) -> impl FnOnce(&mut ServeOptions) {
    let script = Script::parse("script", text).unwrap();
    move |options| options.script = Some(script)
}

#[tokio::test]
async fn every_endpoint_responds() {
    let server = serve(|_| {}).await;
    let response = message(&server, HI).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers().contains_key("request-id"));
    let whole = json(response).await;
    assert_eq!(whole["stop_reason"], "end_turn");
    let streamed = HI.replacen('{', r#"{"stream":true,"#, 1);
    let response = message(&server, &streamed).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
    let events = response.text().await.unwrap();
    assert!(
        events.starts_with("event: message_start\n") && events.ends_with("\"message_stop\"}\n\n")
    );
    let count = |body: String| async {
        let url = server.url("/v1/messages/count_tokens");
        let request = client().post(url).header("anthropic-version", "2023-06-01").body(body);
        json(request.send().await.unwrap()).await
    };
    let refused = count(HI.to_owned()).await;
    assert_eq!(refused["error"]["message"], "max_tokens: Extra inputs are not permitted");
    let counted = count(HI.replace(r#""max_tokens":64,"#, "")).await;
    assert_eq!(counted["input_tokens"], whole["usage"]["input_tokens"]);
    let get = |path: &'static str| async {
        json(client().get(server.url(path)).send().await.unwrap()).await
    };
    assert_eq!(get("/v1/models").await["data"][0]["type"], "model");
    assert_eq!(get("/v1/models/claude-opus-5-5").await["max_input_tokens"], 1_000_000);
    assert_eq!(get("/v1/models/nothing").await["error"]["type"], "not_found_error");
    let other = get("/v2/other").await;
    assert_eq!(other["error"]["type"], "not_found_error");
    let again = get("/v1/models/nothing").await;
    assert_ne!(other["request_id"], again["request_id"]);
    // The end of a path decides, but not of one that is read as another address.
    for path in ["//evil.example/v1/models", "/a%2f/v1/models"] {
        assert_eq!(get(path).await["error"]["type"], "not_found_error", "{path}");
    }
    let method = get("/v1beta/models/gemini-3.8-flash:cachedContents").await;
    assert_eq!(method["error"]["status"], "NOT_FOUND");
    let report = server.stop().await;
    assert_eq!((report.requests, report.answered, report.refused), (4, 3, 1));
    let not_found = [
        "GET /v2/other",
        "GET //evil.example/v1/models",
        "GET /a%2f/v1/models",
        "GET /v1beta/models/gemini-3.8-flash:cachedContents",
    ];
    assert_eq!(report.not_found, not_found);
}

#[tokio::test]
async fn a_client_that_asks_for_other_paths_only_is_reported() {
    let server = serve(|_| {}).await;
    for (path, code) in [
        ("/v1/mesages", "type"),
        ("/v1/responses/compact", "code"),
        ("/v1beta/models:nothing", "status"),
    ] {
        let response = client().post(server.url(path)).body("{}").send().await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
        let error = &json(response).await["error"];
        assert!(error.get(code).is_some(), "{path} {error}");
    }
    let report = server.stop().await;
    assert_eq!((report.requests, report.not_found.len()), (0, 3));
    assert!(!report.is_clean());
}

#[tokio::test]
async fn refused_requests_are_reported_if_enforcement_is_on() {
    let bad = HI.replace("Hi", " ");
    let server = serve(|_| {}).await;
    let response = message(&server, &bad).send().await.unwrap();
    assert_eq!(response.status(), 400);
    let report = json(client().get(server.url("/report")).send().await.unwrap()).await;
    assert_eq!(report["refusals"][0]["request"], 1);
    assert!(!server.stop().await.is_clean());
    let server = serve(|options| options.enforcement = Enforcement::Off).await;
    assert_eq!(message(&server, &bad).send().await.unwrap().status(), 200);
    assert!(server.stop().await.is_clean());
}

#[tokio::test]
async fn a_script_answers_in_order_and_by_matchers() {
    let server = serve(script(
        r#"{"version":1,"answers":[
            {"when":{"last":["later"]},"content":"Found."},
            {"content":[{"type":"thinking","thinking":"Hm."},{"type":"tool_use","name":"Read"}]},
            {"error":{"status":400,"type":"invalid_request_error","message":"scripted"}},
            {"expect":{"messages":7},"content":"Never."}],"repeat":false}"#,
    ))
    .await;
    let tools = HI.replacen(
        '{',
        r#"{"tools":[{"name":"Read","input_schema":{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}}],"#,
        1,
    );
    let ask = async |body: String| json(message(&server, &body).send().await.unwrap()).await;
    let called = ask(tools.clone()).await;
    assert_eq!(called["stop_reason"], "tool_use");
    assert_eq!(called["content"][1]["input"]["file_path"], "text");
    assert_eq!(ask(HI.replace("Hi", "see later")).await["content"][0]["text"], "Found.");
    assert_eq!(ask(tools).await["error"]["message"], "scripted");
    let unexpected = message(&server, HI).send().await.unwrap();
    assert_eq!(unexpected.headers()["x-should-retry"], "false");
    let unexpected = json(unexpected).await;
    let text = unexpected["error"]["message"].as_str().unwrap();
    assert!(text.contains("the number of messages: expected 7, found 1"), "{text}");
    server.stop().await;
}

#[tokio::test]
async fn an_entry_can_be_read_once_its_response_begins() {
    let slow = r#"{"version":1,"answers":[{"delay_ms":50,"content":"Done."}],"repeat":true}"#;
    let rules = "rule ".repeat(4_000);
    let messages = format!(
        r#"{{"model":"claude-opus-5","max_tokens":9,"cache_control":{{"type":"ephemeral"}},"messages":[{{"role":"user","content":"{rules}"}}]}}"#
    );
    let responses = format!(r#"{{"model":"gpt-5.5","input":"{rules}"}}"#);
    let server = serve(script(slow)).await;
    let read = async |path: &str, body: &str, now: &str| {
        let post = client().post(server.url(path)).header("x-aside-now", now);
        let post = post.header("anthropic-version", "2023-06-01");
        let answer = json(post.body(body.to_owned()).send().await.unwrap()).await;
        let details = &answer["usage"]["input_tokens_details"]["cached_tokens"];
        let read = answer["usage"]["cache_read_input_tokens"].as_u64().or(details.as_u64());
        read.unwrap() > 0
    };
    for (path, body) in [("/v1/messages", messages), ("/v1/responses", responses)] {
        let reads = [
            read(path, &body, "1000").await,
            read(path, &body, "1000.04").await,
            read(path, &body, "1000.2").await,
        ];
        assert_eq!(reads, [false, false, true], "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_scripted_text_keeps_its_citations() {
    let cited = r#"{"type":"text","text":"Wet.","citations":[{"type":"char_location","cited_text":"Rain."}]}"#;
    let answers = format!(r#"{{"version":1,"answers":[{{"content":[{cited}]}}],"repeat":true}}"#);
    let server = serve(script(&answers)).await;
    let send =
        async |body: &str| message(&server, body).send().await.unwrap().text().await.unwrap();
    assert!(send(HI).await.contains(cited));
    let events = send(&HI.replacen('{', r#"{"stream":true,"#, 1)).await;
    for part in [
        r#""content_block":{"type":"text","text":"","citations":[]}"#,
        r#""delta":{"type":"text_delta","text":"Wet."}"#,
        r#""delta":{"type":"citations_delta","citation":{"type":"char_location","#,
    ] {
        assert!(events.contains(part), "{events}");
    }
    server.stop().await;
}

#[tokio::test]
async fn faults_precede_responses_and_streams_can_break_off() {
    let server = serve(|options| {
        options.faults = "500:1,529:1,429:1".parse().unwrap();
        options.script = Some(Script::parse(
            "script", r#"{"version":1,"answers":[{"content":"A long answer that never ends.","breaks_off":true}]}"#,
        )
        .unwrap());
    })
    .await;
    let streamed = HI.replacen('{', r#"{"stream":true,"#, 1);
    let response = message(&server, &streamed).send().await.unwrap();
    assert_eq!(response.status(), 500);
    assert!(!response.headers().contains_key("x-should-retry"));
    for status in [529, 429] {
        let response = message(&server, &streamed).send().await.unwrap();
        assert_eq!(response.status(), status);
        assert_eq!(response.headers()["retry-after-ms"], "10");
    }
    let response = message(&server, &streamed).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.text().await.is_err());
    let report = server.stop().await;
    assert_eq!((report.failed_on_demand, report.answered, report.refused), (3, 1, 0));
}

#[tokio::test]
async fn the_clock_can_be_advanced() {
    let server = serve(|_| {}).await;
    let text = "word ".repeat(1_000);
    let marked =
        HI.replace(r#""Hi""#, &format!(r#""{text}","cache_control":{{"type":"ephemeral"}}"#));
    let mut read = Vec::new();
    for now in ["1000", "1200.5", "5000"] {
        let request = message(&server, &marked).header("x-aside-now", now);
        let answer = json(request.send().await.unwrap()).await;
        read.push(answer["usage"]["cache_read_input_tokens"].as_u64().unwrap() > 0);
    }
    assert_eq!(read, [false, true, false]);
    let request = message(&server, &marked).header("x-aside-now", "tomorrow");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 400);
    let text = response.text().await.unwrap();
    assert!(text.contains("x-aside-now: expected seconds"), "{text}");
    server.stop().await;
}

#[tokio::test]
async fn an_error_of_the_script_is_no_refusal() {
    let server = serve(script(
        r#"{"version":1,"answers":[
            {"error":{"status":529,"type":"overloaded_error","message":"Overloaded"}},
            {"content":"Done."}]}"#,
    ))
    .await;
    let status = async || message(&server, HI).send().await.unwrap().status();
    assert_eq!((status().await.as_u16(), status().await.as_u16()), (529, 200));
    let report = server.stop().await;
    assert_eq!((report.failed_on_demand, report.answered, report.refused), (1, 1, 0));
    assert!(report.is_clean());
}

/// Four minutes pass before the second response, however often the request for
/// it is refused.
#[tokio::test]
async fn a_refused_request_does_not_move_the_clock_again() {
    let server = serve(script(
        r#"{"version":1,"answers":[
            {"content":"One."},{"content":"Two.","advance_ms":240000},{"content":"Three."}]}"#,
    ))
    .await;
    let marked = HI.replace(
        r#""Hi""#,
        &format!(r#""{}","cache_control":{{"type":"ephemeral"}}"#, "word ".repeat(1_000)),
    );
    let read = async |body: &str| {
        let response = message(&server, body).send().await.unwrap();
        let usage = json(response).await["usage"]["cache_read_input_tokens"].as_u64();
        usage.map(|it| it > 0)
    };
    assert_eq!(read(&marked).await, Some(false));
    for _ in 0..3 {
        assert_eq!(read(&HI.replace("Hi", " ")).await, None);
    }
    // After sixteen minutes, the entry of five minutes would not be there.
    assert_eq!(read(&marked).await, Some(true));
    server.stop().await;
}

#[tokio::test]
async fn models_are_listed_page_by_page_and_back() {
    let server = serve(|_| {}).await;
    let get = async |path: &str| json(client().get(server.url(path)).send().await.unwrap()).await;
    let whole = get("/v1/models?limit=1000").await;
    let ids: Vec<&Value> = whole["data"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
    assert_eq!((&whole["has_more"], &whole["first_id"]), (&Value::from(false), ids[0]));
    for (query, range, has_more) in [
        ("".to_owned(), 0..20, true),
        (format!("?limit=2&after_id={}", ids[1].as_str().unwrap()), 2..4, true),
        (
            format!("?after_id={}", ids[ids.len() - 3].as_str().unwrap()),
            ids.len() - 2..ids.len(),
            false,
        ),
        (format!("?limit=2&before_id={}", ids[4].as_str().unwrap()), 2..4, true),
        (format!("?before_id={}", ids[2].as_str().unwrap()), 0..2, false),
    ] {
        let page = get(&format!("/v1/models{query}")).await;
        let found: Vec<&Value> =
            page["data"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
        assert_eq!(
            (&found[..], &page["has_more"]),
            (&ids[range], &Value::from(has_more)),
            "{query}"
        );
        assert_eq!((&page["first_id"], Some(&&page["last_id"])), (found[0], found.last()));
    }
    server.stop().await;
}

/// The dates are those of the catalogue, which is read as of its own day.
#[tokio::test]
async fn a_model_says_what_its_vendor_does() {
    let server = serve(|_| {}).await;
    let get = async |path: &str| json(client().get(server.url(path)).send().await.unwrap()).await;
    let members = ["lifecycle", "deprecated_at", "retires_at", "line"];
    for (id, expected) in [
        (
            "claude-sonnet-4-5",
            [Some("deprecated"), None, Some("2026-11-30T00:00:00Z"), Some("sonnet")],
        ),
        ("claude-opus-5-5", [Some("active"), None, None, Some("opus")]),
    ] {
        let model = get(&format!("/v1/models/{id}")).await;
        assert_eq!(members.map(|it| model.get(it).unwrap().as_str()), expected, "{id}");
    }

    let whole = get("/v1beta/models").await;
    let models = whole["models"].as_array().unwrap();
    assert!(models.len() > 4 && whole.get("nextPageToken").is_none());
    assert!(models[0]["inputTokenLimit"].as_u64() > models[0]["outputTokenLimit"].as_u64());
    let (mut token, mut paged) = (String::new(), Vec::new());
    loop {
        let page = get(&format!("/v1beta/models?pageSize=2{token}")).await;
        paged.extend(page["models"].as_array().unwrap().clone());
        let Some(next) = page["nextPageToken"].as_str() else {
            break;
        };
        token = format!("&pageToken={next}");
    }
    assert_eq!(&paged, models);
    server.stop().await;
}

/// The deprecated key has the schema itself; `output_config.format` comes first.
#[tokio::test]
async fn a_schema_for_the_response_has_two_keys() {
    let server = serve(|_| {}).await;
    let format = |value: &str| {
        format!(r#"{{"type":"json_schema","schema":{{"type":"string","const":"{value}"}}}}"#)
    };
    let new = format!(r#""output_config":{{"format":{}}}"#, format("new"));
    let old = format!(r#""output_format":{}"#, format("old"));
    for (members, text) in [
        (old.clone(), r#""old""#),
        (new.clone(), r#""new""#),
        (format!("{old},{new}"), r#""new""#),
        (r#""stream":false"#.to_owned(), "This answer is fixed: no model was asked."),
    ] {
        let body = HI.replacen('{', &format!("{{{members},"), 1);
        let answer = json(message(&server, &body).send().await.unwrap()).await;
        let last = answer["content"].as_array().and_then(|it| it.last());
        assert_eq!(last.unwrap()["text"], text, "{members}");
    }
    server.stop().await;
}
