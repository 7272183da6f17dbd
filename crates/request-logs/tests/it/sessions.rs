//! The sessions that coding agents keep: usage and times, and no bodies.

use aside_request_logs::{Agent, Exchange, Format, RecordedBody, read};

use crate::formats::all;

#[test]
fn transcripts_have_usage_and_no_bodies() {
    let log = r#"{"type":"user","sessionId":"s","timestamp":"2026-11-22T00:00:00Z","message":{"role":"user","content":"Hi"}}
{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:00:05Z","message":{"id":"msg_1","model":"claude-opus-5-5","usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":900,"output_tokens":1}}}
{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:00:06Z","message":{"id":"msg_1","model":"claude-opus-5-5","usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":900,"output_tokens":50}}}
{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:09:06Z","message":{"id":"msg_2","model":"claude-opus-5-5","diagnostics":{"cache_miss_reason":{"type":"system_changed"}},"usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":990,"output_tokens":2}}}"#;
    let found = all(log, Format::Transcript);
    let outputs: Vec<_> = found.iter().map(|it| it.usage.unwrap().output).collect();
    assert_eq!(outputs, [50, 2]);
    assert_eq!((found[0].line, found[0].at.unwrap().as_secs()), (2, 1_795_305_605));
    assert_eq!(found[1].diagnostics.as_deref(), Some("system_changed"));
    assert_eq!(found[0].request, RecordedBody::Missing);
    assert_eq!(found[0].agent, Some(Agent::ClaudeCode));
}

fn session(log: &str, agent: Agent) -> Vec<(Option<String>, u64, u64, u64, bool)> {
    let found = all(log, Format::Transcript);
    assert!(found.iter().all(|it| it.agent == Some(agent) && it.session.as_deref() == Some("s")));
    assert!(found.iter().all(|it| it.project.as_deref() == Some("/src/app")));
    let row = |it: &Exchange| {
        let usage = it.usage.unwrap();
        let input = usage.written() + usage.uncached;
        (it.model.clone(), usage.read, input, usage.output, it.is_compacted)
    };
    found.iter().map(row).collect()
}

#[test]
fn codex_writes_a_counter_twice() {
    let log = r#"{"timestamp":"2026-11-22T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/src/app","source":"cli"}}
{"timestamp":"2026-11-22T00:00:01Z","type":"turn_context","payload":{"model":"gpt-5.5","cwd":"/src/app"}}
{"timestamp":"2026-11-22T00:00:05Z","type":"event_msg","payload":{"type":"token_count","info":null}}
{"timestamp":"2026-11-22T00:00:06Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":103},"last_token_usage":{"input_tokens":100,"cached_input_tokens":64,"output_tokens":3}}}}
{"timestamp":"2026-11-22T00:00:07Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":103},"last_token_usage":{"input_tokens":100,"cached_input_tokens":64,"output_tokens":3}}}}
{"timestamp":"2026-11-22T00:00:08Z","type":"compacted","payload":{"message":""}}
{"timestamp":"2026-11-22T00:00:09Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":206},"last_token_usage":{"input_tokens":100,"cached_input_tokens":0,"output_tokens":3}}}}"#;
    let model = || Some("gpt-5.5".to_owned());
    assert_eq!(
        session(log, Agent::Codex),
        [(model(), 64, 36, 3, false), (model(), 0, 100, 3, true)]
    );
}

#[test]
fn sessions_of_other_agents() {
    let gemini = r#"{"sessionId":"s","projectHash":"/src/app","startTime":"2026-11-22T00:00:00Z","kind":"main"}
{"id":"1","timestamp":"2026-11-22T00:00:01Z","type":"user","content":"Hi"}
{"id":"2","timestamp":"2026-11-22T00:00:05Z","type":"gemini","content":"","tokens":null,"model":"gemini-3-pro"}
{"id":"2","timestamp":"2026-11-22T00:00:06Z","type":"gemini","content":"Hi","tokens":{"input":100,"output":5,"cached":60,"thoughts":2,"tool":0,"total":107},"model":"gemini-3-pro"}
{"$set":{"lastUpdated":"2026-11-22T00:00:06Z"}}"#;
    let expected = |model: &str, output| [(Some(model.to_owned()), 60, 40, output, false)];
    assert_eq!(session(gemini, Agent::GeminiCli), expected("gemini-3-pro", 7));

    let document = r#"{
 "sessionId":"s","projectHash":"/src/app","messages":[{"id":"1","type":"user","content":"Hi"},
 {"id":"2","type":"gemini","content":"Hi","tokens":{"input":100,"output":5,"cached":60},"model":"m"}]}"#;
    assert_eq!(session(document, Agent::GeminiCli), expected("m", 5));

    let qwen = r#"{"uuid":"1","sessionId":"s","type":"user","cwd":"/src/app","message":{"role":"user","parts":[]}}
{"uuid":"2","sessionId":"s","timestamp":"2026-11-22T00:00:05Z","type":"assistant","cwd":"/src/app","model":"qwen3-coder-plus","usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":5}}"#;
    assert_eq!(session(qwen, Agent::QwenCode), expected("qwen3-coder-plus", 5));

    let opencode = r#"{
 "id":"msg_1","sessionID":"s","role":"assistant","modelID":"m","providerID":"anthropic",
 "time":{"created":1795305600000},"path":{"cwd":"/src/app","root":"/"},
 "tokens":{"input":30,"output":5,"reasoning":2,"cache":{"read":60,"write":10}}}"#;
    assert_eq!(session(opencode, Agent::OpenCode), expected("m", 7));
}

/// It has the figure from Anthropic's models only.
#[test]
fn a_zero_of_opencode_says_nothing_of_writes() {
    for (model, written, is_missing) in
        [("gpt-6.1-sol", 0, true), ("gpt-6.1-sol", 10, false), ("claude-opus-5-5", 0, false)]
    {
        let message = format!(
            r#"{{"id":"msg_1","sessionID":"s","role":"assistant","modelID":"{model}",
                "time":{{"created":1795305600000}},"tokens":{{"input":30,"output":5,"reasoning":2,
                "cache":{{"read":60,"write":{written}}}}}}}"#
        );
        let exchange = read(message.as_bytes(), None).next().unwrap().unwrap();
        assert_eq!(exchange.is_write_missing, is_missing, "{model} {written}");
    }
}

/// A command may change the directory.
#[test]
fn a_session_is_of_the_project_that_it_began_in() {
    let response = |id: u64, cwd: &str| {
        format!(
            r#"{{"type":"assistant","sessionId":"s","cwd":"{cwd}","message":{{"id":"m{id}","usage":{{"input_tokens":40}}}}}}"#
        )
    };
    let other = response(3, "/other").replace(r#""s""#, r#""t""#);
    let log = [response(1, "/src/app"), response(2, "/tmp/build"), other].join("\n");
    let projects: Vec<_> =
        read(log.as_bytes(), None).filter_map(|it| it.unwrap().project).collect();
    assert_eq!(projects, ["/src/app", "/src/app", "/other"]);
}

#[test]
fn half_a_surrogate_pair_hides_no_format() {
    let log = r#"{"type":"user","sessionId":"s","message":{"content":"cut \ud83d"}}
{"type":"assistant","sessionId":"s","cwd":"/src/app","message":{"id":"m","model":"x","content":"\ud83d","usage":{"input_tokens":40,"cache_read_input_tokens":60,"output_tokens":1}}}"#;
    let expected = [(Some("x".to_owned()), 60, 40, 1, false)];
    assert_eq!(session(log, Agent::ClaudeCode), expected);
}

#[test]
fn lines_before_the_first_response_hide_no_format() {
    let log = r#"{"type":"summary","summary":"A title"}
{"type":"permission-mode","permissionMode":"default"}
{"type":"assistant","sessionId":"s","cwd":"/src/app","message":{"id":"m","model":"x","usage":{"input_tokens":40,"cache_read_input_tokens":60,"output_tokens":1}}}"#;
    let expected = [(Some("x".to_owned()), 60, 40, 1, false)];
    assert_eq!(session(log, Agent::ClaudeCode), expected);
}

#[test]
fn failures_have_a_status_and_a_message() {
    let log = r#"{"type":"system","subtype":"api_error","sessionId":"s","uuid":"1","error":{"status":529,"message":"overloaded"}}
{"type":"assistant","sessionId":"s","uuid":"2","isApiErrorMessage":true,"message":{"id":"2","model":"<synthetic>","usage":{"input_tokens":0},"content":[{"type":"text","text":"API Error: 500 broken"}]}}"#;
    let found = all(log, Format::Transcript);
    let failures: Vec<_> = found.iter().map(|it| (it.status, it.error.as_deref())).collect();
    assert_eq!(
        failures,
        [(Some(529), Some("overloaded")), (Some(500), Some("API Error: 500 broken"))]
    );
    assert!(found.iter().all(Exchange::is_failed));

    let claude = |keys: &str, shown: &str| {
        let log = format!(
            r#"{{"type":"assistant","sessionId":"s","uuid":"2","isApiErrorMessage":true{keys},"message":{{"id":"2","model":"<synthetic>","usage":{{"input_tokens":0}},"content":[{{"type":"text","text":"{shown}"}}]}}}}"#
        );
        let found = all(&log, Format::Transcript);
        (found[0].status, found[0].error.clone().unwrap())
    };
    let keys = r#","apiErrorStatus":429,"error":"rate_limit""#;
    let limited = (Some(429), "rate_limit: API Error: Request rejected".to_owned());
    assert_eq!(claude(keys, "API Error: Request rejected"), limited);
    let keys = r#","apiErrorStatus":400,"error":"invalid_request","errorDetails":"400 {\"type\":\"error\",\"error\":{\"message\":\"prompt is too long: 215000 tokens\"}}""#;
    let long = (Some(400), "invalid_request: prompt is too long: 215000 tokens".to_owned());
    assert_eq!(claude(keys, "Prompt is too long"), long);
    let keys = r#","apiErrorStatus":null,"error":"unknown","errorDetails":"Connection error.""#;
    assert_eq!(claude(keys, "No network"), (None, "unknown: Connection error.".to_owned()));
    let log = r#"{"type":"system","subtype":"api_error","sessionId":"s","uuid":"1","error":{"status":529,"headers":{},"error":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}},"apiMessage":"Overloaded","type":"overloaded_error"}}"#;
    let found = all(log, Format::Transcript);
    assert_eq!((found[0].status, found[0].error.as_deref()), (Some(529), Some("Overloaded")));

    let opencode = |error: &str| {
        let log = format!(
            r#"{{"id":"m","sessionID":"s","role":"assistant","modelID":"m","tokens":{{"input":0}},"error":{error}}}"#
        );
        let found = all(&log, Format::Transcript);
        let [failure] = &found[..] else { panic!("{found:?}") };
        (failure.status, failure.error.clone().unwrap())
    };
    let overloaded = r#"{"name":"APIError","data":{"message":"Overloaded","statusCode":529}}"#;
    assert_eq!(opencode(overloaded), (Some(529), "Overloaded".to_owned()));
    let aborted = r#"{"name":"MessageAbortedError","data":{}}"#;
    assert_eq!(opencode(aborted), (None, "MessageAbortedError".to_owned()));
}

/// Claude Code before 2.0.3x wrote sub-agents into the session's file, without their names.
#[test]
fn a_line_of_a_sub_agent_follows_its_parent() {
    let line = |kind: &str, uuid: &str, parent: &str, keys: &str| {
        format!(
            r#"{{"type":"{kind}","sessionId":"s","uuid":"{uuid}","parentUuid":{parent},"isSidechain":true{keys}}}"#
        )
    };
    let response = |uuid: &str, parent: &str, output: u64| {
        let id = &uuid[..2];
        let keys = format!(
            r#","message":{{"id":"{id}","model":"m","usage":{{"input_tokens":9,"output_tokens":{output}}}}}"#
        );
        line("assistant", uuid, parent, &keys)
    };
    let mut lines = Vec::new();
    for task in 0..10 {
        lines.push(line("user", &format!("u{task}"), "null", ""));
        lines.push(response(&format!("a{task}"), &format!(r#""u{task}""#), 1));
    }
    // Ten responses are written at the same time.
    for task in 0..10 {
        lines.push(response(&format!("a{task}-2"), &format!(r#""a{task}""#), 50));
    }
    // A tool result, and the response to it.
    lines.push(line("user", "u0-2", r#""a0-2""#, ""));
    lines.push(response("b0", r#""u0-2""#, 7));
    // The log begins after its parent.
    lines.push(response("c0", r#""x""#, 7));
    lines.push(r#"{"type":"assistant","sessionId":"s","uuid":"m","parentUuid":null,"isSidechain":false,"message":{"id":"m","model":"m","usage":{"input_tokens":9,"output_tokens":8}}}"#.to_owned());
    let found = all(&lines.join("\n"), Format::Transcript);
    let found: Vec<_> =
        found.iter().map(|it| (it.subagent.as_deref(), it.usage.unwrap().output)).collect();
    let names: Vec<String> = (0..10).map(|task| format!("u{task}")).collect();
    let mut expected: Vec<_> = names.iter().map(|it| (Some(it.as_str()), 50)).collect();
    expected.extend([(Some("u0"), 7), (Some("x"), 7), (None, 8)]);
    assert_eq!(found, expected);
}
