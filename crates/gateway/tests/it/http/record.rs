//! Records.

use std::path::Path;

use aside_gateway::proxy::{Markers, Texts};
use aside_gateway::serve::Script;
use aside_models::{Usage, find};
use serde_json::Value;

use super::*;

pub(crate) fn lines(folder: &Path) -> Vec<Value> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(file).unwrap());
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn recorded(
    change: impl FnOnce(&mut ProxyOptions),
    bodies: &[String],
) -> (Vec<Value>, String) {
    let server = serve(|_| {}).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records");
    let proxy = proxy(server.address, |options| {
        options.record = Some(path.clone());
        change(options);
    })
    .await;
    for body in bodies {
        let response = message(&proxy, body)
            .header("authorization", "Bearer canary-token")
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
        response.bytes().await.unwrap();
    }
    proxy.stop().await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        for file in std::fs::read_dir(&path).unwrap() {
            assert_eq!(mode(&file.unwrap().path()), 0o600);
        }
    }
    let found = lines(&path);
    let mut text = String::new();
    for file in std::fs::read_dir(&path).unwrap() {
        text += &std::fs::read_to_string(file.unwrap().path()).unwrap();
    }
    server.stop().await;
    (found, text)
}

#[tokio::test]
async fn a_record_has_the_body_and_the_usage_and_no_secret() {
    let pretty = HI.replacen('{', "{\n  ", 1);
    let streamed = HI.replacen('{', r#"{"stream":true,"#, 1);
    let (lines, text) = recorded(|_| {}, &[pretty.clone(), streamed]).await;
    assert_eq!(lines.len(), 2);
    assert!(!text.contains("canary"), "{text}");
    assert!(text.contains(&pretty.replace('\n', " ")), "{text}");
    for line in &lines {
        assert_eq!(line["provider"], "anthropic");
        assert_eq!(line["status"], 200);
        assert_eq!(line["complete"], true);
        assert_eq!(line["headers"]["anthropic-version"], "2023-06-01");
        assert!(line["usage"]["input_tokens"].as_u64().unwrap() > 0);
        assert!(line["usage"]["output_tokens"].as_u64().unwrap() > 1);
        assert!(line["id"].as_str().unwrap().starts_with("msg_"));
        assert_eq!(line["response"]["stop_reason"], "end_turn");
        assert_eq!(line["response"]["content"][1]["type"], "text");
    }
    // The records of a stream and of a complete response are equal.
    let content = |line: &Value| line["response"]["content"][1].clone();
    assert_eq!(content(&lines[0]), content(&lines[1]));
}

#[tokio::test]
async fn a_redacted_record_has_no_text_and_the_same_lengths() {
    let body = HI.replace("Hi", "canary canary");
    let (lines, text) =
        recorded(|options| options.texts = Texts::Redacted, std::slice::from_ref(&body)).await;
    assert!(!text.contains("canary") && !text.contains("no model was asked"), "{text}");
    let found = lines[0]["body"]["messages"][0]["content"][0]["text"].as_str().unwrap();
    assert_eq!(found.len(), "canary canary".len());
    assert_eq!(lines[0]["body"]["model"], "claude-opus-5");
}

#[tokio::test]
async fn each_session_has_a_file() {
    let turn = |text: &str, n: usize| {
        let mut messages = vec![format!(r#"{{"role":"user","content":"{text}"}}"#)];
        for turn in 0..n {
            messages.push(r#"{"role":"assistant","content":"Yes."}"#.to_owned());
            messages.push(format!(r#"{{"role":"user","content":"{turn}"}}"#));
        }
        let messages = messages.join(",");
        format!(r#"{{"model":"claude-opus-5","max_tokens":64,"messages":[{messages}]}}"#)
    };
    let bodies = [turn("a", 0), turn("b", 0), turn("a", 1), turn("b", 1), turn("a", 2)];
    let (lines, _) = recorded(|_| {}, &bodies).await;
    let mut sessions: Vec<_> =
        lines.iter().map(|it| it["session"].as_str().unwrap().to_owned()).collect();
    sessions.dedup();
    assert_eq!(sessions.len(), 2, "{sessions:?}");
}

#[tokio::test]
async fn a_record_is_replayed() {
    let (_, text) = recorded(|_| {}, &[HI.to_owned()]).await;
    let script = aside_gateway::serve::replay("record", &text).unwrap();
    let server = serve(|options| options.script = Some(script)).await;
    let first = message(&server, HI).send().await.unwrap();
    assert!(first.text().await.unwrap().contains("no model was asked"));
    let second = message(&server, HI).send().await.unwrap();
    assert_eq!(second.status(), 500);
    server.stop().await;
}

#[tokio::test]
async fn a_tool_input_over_several_lines_is_one_line_of_the_record() {
    let script = r#"{"version":1,"answers":[{"content":[
        {"type":"tool_use","name":"Read","input":{
            "path": "a.txt"
        }}]}],"repeat":true}"#;
    let server =
        serve(|options| options.script = Some(Script::parse("script", script).unwrap())).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records");
    let proxy = proxy(server.address, |options| {
        options.record = Some(path.clone());
    })
    .await;
    let tools = r#"{"tools":[{"name":"Read","input_schema":{"type":"object"}}],"#;
    let stream = HI.replacen('{', &format!("{tools}\"stream\":true,"), 1);
    for body in [HI.replacen('{', tools, 1), stream] {
        let response = message(&proxy, &body).send().await.unwrap();
        response.bytes().await.unwrap();
    }
    proxy.stop().await;
    server.stop().await;
    let found = lines(&path);
    assert_eq!(found.len(), 2);
    for line in found {
        let input = &line["response"]["content"][0]["input"];
        assert_eq!(*input, serde_json::json!({"path": "a.txt"}));
    }
}

#[tokio::test]
async fn a_token_count_is_not_a_miss() {
    let server = serve(|_| {}).await;
    let proxy = proxy(server.address, |_| {}).await;
    let text = "word ".repeat(1_000);
    let marked =
        HI.replace(r#""Hi""#, &format!(r#""{text}","cache_control":{{"type":"ephemeral"}}"#));
    answered(&proxy, &marked).await;
    let counted = marked.replace(r#""max_tokens":64,"#, "").replace("word ", "ward ");
    let request = client()
        .post(proxy.url("/v1/messages/count_tokens"))
        .body(counted)
        .header("anthropic-version", "2023-06-01");
    assert_eq!(request.send().await.unwrap().status(), 200);
    let summary = proxy.stop().await;
    assert_eq!((summary.requests, summary.sessions, summary.misses), (2, 1, 0));
    server.stop().await;
}

#[tokio::test]
async fn placed_markers_are_sent_and_recorded() {
    let body = HI.replace(
        "{\"role\"",
        r#"{"role":"user","content":"First."},{"role":"assistant","content":"Yes."},{"role""#,
    );
    let (lines, _) = recorded(|options| options.markers = Markers::Aside, &[body]).await;
    let last = &lines[0]["body"]["messages"][2]["content"][0];
    assert_eq!(last["cache_control"]["type"], "ephemeral");
}

/// An agent with markers as good as planned ones has the same cost.
#[tokio::test]
async fn equally_good_markers_have_equal_cost() {
    let server = serve(|_| {}).await;
    let proxy = proxy(server.address, |options| options.markers = Markers::Aside).await;
    let marker = r#","cache_control":{"type":"ephemeral"}"#;
    let text = |text: &str, marker: &str| {
        format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"{marker}}}]}}"#)
    };
    let assistant = r#"{"role":"assistant","content":[{"type":"text","text":"Yes."}]}"#;
    let first = "word ".repeat(1_000);
    for messages in
        [text(&first, marker), [&text(&first, ""), assistant, &text("more", marker)].join(",")]
    {
        let body =
            format!(r#"{{"model":"claude-opus-5","max_tokens":64,"messages":[{messages}]}}"#);
        answered(&proxy, &body).await;
    }
    let predicted = proxy.stop().await.predicted.unwrap();
    assert!(predicted.as_sent > 0.0);
    assert!((predicted.as_sent - predicted.as_forwarded).abs() < 1e-9, "{predicted:?}");
    server.stop().await;
}

#[tokio::test]
async fn nothing_is_predicted_for_the_markers_of_the_agent() {
    let server = serve(|_| {}).await;
    for (markers, is_predicted) in [(Markers::AsSent, false), (Markers::Aside, true)] {
        let proxy = proxy(server.address, |options| options.markers = markers).await;
        answered(&proxy, HI).await;
        let summary = serde_json::to_value(proxy.stop().await).unwrap();
        assert!(summary["totals"]["cost"].as_f64() > Some(0.0), "{summary}");
        assert_eq!(summary["predicted"].is_object(), is_predicted, "{summary}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_denied_rule_is_found_at_the_end() {
    let server = serve(|_| {}).await;
    let text = "A long text of a user. ".repeat(400);
    let turn = |role: &str, text: &str| format!(r#"{{"role":"{role}","content":"{text}"}}"#);
    let body = |turns: &[String]| {
        let turns = turns.join(",");
        format!(r#"{{"model":"claude-opus-5","max_tokens":64,"messages":[{turns}]}}"#)
    };
    let mut turns = vec![turn("user", &text)];
    let first = body(&turns);
    turns.extend([turn("assistant", "Yes."), turn("user", "And now?")]);
    let second = body(&turns);
    for (denied, expected) in
        [(&["cacheable-but-unmarked", "below-minimum"][..], 1), (&["tools-reordered", "miss"], 0)]
    {
        let proxy = proxy(server.address, |options| {
            options.deny = denied.iter().map(|it| it.parse().unwrap()).collect();
        })
        .await;
        for body in [&first, &second] {
            answered(&proxy, body).await;
        }
        let summary = proxy.stop().await;
        let found: Vec<_> = summary.findings.iter().map(|it| it.rule).collect();
        assert_eq!(found, &denied[..expected], "{summary}");
        assert_eq!(summary.denied, expected as u64);
    }
    server.stop().await;
}

/// A request on each wire, in one piece and streamed.
const ON_WIRES: [(&str, &str); 8] = [
    ("/v1/messages", HI),
    (
        "/v1/responses",
        r#"{"model":"gpt-6-sol","input":"Hi","include":["reasoning.encrypted_content"]}"#,
    ),
    (
        "/v1/responses",
        r#"{"model":"gpt-6-sol","input":"Hi","stream":true,"include":["reasoning.encrypted_content"]}"#,
    ),
    ("/v1/chat/completions", r#"{"model":"gpt-5.5","messages":[{"role":"user","content":"Hi"}]}"#),
    (
        "/v1/chat/completions",
        r#"{"model":"gpt-5.5","messages":[{"role":"user","content":"Hi"}],"stream":true}"#,
    ),
    (
        "/v1/chat/completions",
        r#"{"model":"gpt-4.1","messages":[{"role":"user","content":"Hi"}],"functions":[{"name":"Read"}]}"#,
    ),
    (
        "/v1beta/models/gemini-3.6-flash:generateContent",
        r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#,
    ),
    (
        "/v1beta/models/gemini-3.6-flash:streamGenerateContent?alt=sse",
        r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#,
    ),
];

/// A later request continues a stored response by its id.
#[tokio::test]
async fn the_output_of_a_stored_response_is_recorded() {
    let script = r#"{"version":1,"repeat":true,"answers":[{"content":[{"type":"text","text":"canary canary"}]}]}"#;
    let server =
        serve(|options| options.script = Some(Script::parse("script", script).unwrap())).await;
    for texts in [Texts::Kept, Texts::Redacted] {
        let folder = tempfile::tempdir().unwrap();
        let proxy = proxy(server.address, |options| {
            options.record = Some(folder.path().to_owned());
            options.texts = texts;
        })
        .await;
        for more in ["", r#","stream":true"#, r#","store":false"#] {
            let body = format!(r#"{{"model":"gpt-5.5","input":"Hi"{more}}}"#);
            let request = client().post(proxy.url("/v1/responses")).body(body);
            request.send().await.unwrap().text().await.unwrap();
        }
        proxy.stop().await;
        let mut found = lines(folder.path());
        found.sort_by(|a, b| a["t"].as_f64().unwrap().total_cmp(&b["t"].as_f64().unwrap()));
        let text = |line: &Value| {
            let output = &line["response"]["output"];
            output[0]["content"][0]["text"].as_str().map(str::to_owned)
        };
        let kept = Some("canary canary".to_owned());
        assert_eq!(found[0]["response"]["output"][0]["type"], "message", "{}", found[0]);
        assert_eq!(text(&found[0]) == kept, texts == Texts::Kept, "{}", found[0]);
        assert_eq!(text(&found[0]), text(&found[1]));
        assert_eq!(text(&found[2]), None, "{}", found[2]);
    }
    server.stop().await;
}

#[tokio::test]
async fn responses_of_every_wire_are_recorded_and_played_back() {
    let script = r#"{"version":1,"repeat":true,"answers":[{"content":[
        {"type":"text","text":"I look."},
        {"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"/a","limit":1.50}}]}]}"#;
    let server =
        serve(|options| options.script = Some(Script::parse("script", script).unwrap())).await;
    for (path, body) in ON_WIRES {
        let folder = tempfile::tempdir().unwrap();
        let proxy = proxy(server.address, |options| {
            options.record = Some(folder.path().to_owned());
        })
        .await;
        let post = async |url: String| {
            let request = client().post(url).header("anthropic-version", "2023-06-01");
            let response = request.body(body).send().await.unwrap();
            let status = response.status();
            (status.as_u16(), response.text().await.unwrap())
        };
        let (status, first) = post(proxy.url(path)).await;
        assert_eq!(status, 200, "{first}");
        proxy.stop().await;
        let record = lines(folder.path()).remove(0);
        let response = &record["response"];
        assert_eq!(response["stop_reason"], "tool_use", "{path} {record}");
        assert_eq!(response["content"][0]["text"], "I look.", "{path}");
        // A thought signature is a block of its own on Gemini.
        let call = response["content"].as_array().unwrap().last().unwrap();
        let input = serde_json::json!({"file_path": "/a", "limit": 1.5});
        assert_eq!((&call["name"], &call["input"]), (&"Read".into(), &input), "{path} {record}");

        let played = aside_gateway::serve::replay("record", &record.to_string()).unwrap();
        let again = serve(|options| options.script = Some(played)).await;
        let (status, second) = post(again.url(path)).await;
        assert_eq!(status, 200, "{second}");
        for part in ["I look.", "Read", "file_path"] {
            assert!(second.contains(part), "{path} {second}");
        }
        again.stop().await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_fast_request_costs_the_same_behind_the_proxy() {
    for (member, is_dear) in [("", false), (r#""speed":"fast","#, true)] {
        let server = serve(|_| {}).await;
        let proxy = proxy(server.address, |_| {}).await;
        let body = HI.replacen('{', &format!("{{{member}"), 1);
        let request = message(&proxy, &body).header("anthropic-beta", "fast-mode-2026-02-01");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        response.bytes().await.unwrap();
        let (summary, report) = (proxy.stop().await.totals, server.stop().await.totals);
        assert_eq!(summary.cost, report.cost);
        let standard = Usage::from_input(0, 0, 0, report.input_tokens);
        let standard = Usage { output: report.output_tokens, ..standard };
        let standard = standard.cost(find("claude-opus-5").facts).unwrap().dollars();
        assert_eq!(report.cost > 1.5 * standard, is_dear, "{member}");
    }
}
