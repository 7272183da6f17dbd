use std::time::Duration;

use aside_cache_model::{MissDetail, MissReason};
use bytes::Bytes;

use super::{Finished, Ledger};
use crate::proxy::deny::Deny;
use crate::proxy::observe::Observer;
use crate::proxy::record::Recorder;
use crate::proxy::{Line, Texts, Wire};

/// Adds an exchange at a time in seconds.
fn add(ledger: &mut Ledger, wire: Wire, path: &str, at: u64, body: &str, response: &str) -> Line {
    ledger.add(finished(wire, path, at, body, response))
}

fn finished(wire: Wire, path: &str, at: u64, body: &str, response: &str) -> Finished {
    let mut observer = Observer::new(wire, &axum::http::HeaderMap::new());
    observer.push(response.as_bytes(), None);
    Finished {
        wire,
        at: Duration::from_secs(at),
        path: path.to_owned(),
        body: Bytes::copy_from_slice(body.as_bytes()),
        placed: Vec::new(),
        original: None,
        is_clean: false,
        agent: None,
        headers: Vec::new(),
        status: Some(200),
        latency: None,
        observed: observer.end(None),
        is_complete: true,
        note: None,
        secrets: Vec::new(),
    }
}

fn ledger() -> Ledger {
    let deny = vec!["miss".parse::<Deny>().unwrap()];
    Ledger::new(Recorder::new(None, Texts::Kept).unwrap(), deny, None)
}

const ANSWER: &str = r#",{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;

#[test]
fn a_request_after_the_lifetime_is_a_denied_miss() {
    let text = "Be careful. ".repeat(2_000);
    let body = |more: &str| {
        format!(
            r#"{{"model":"claude-opus-5-5","system":"{text}","cache_control":{{"type":"ephemeral"}},"messages":[{{"role":"user","content":"Hi"}}{more}]}}"#
        )
    };
    let send = |ledger: &mut Ledger, at, more| {
        add(ledger, Wire::Messages, "/v1/messages", at, &body(more), "{}")
    };
    let mut ledger = ledger();
    assert_eq!(send(&mut ledger, 0, "").miss, None);
    assert_eq!(send(&mut ledger, 299, ANSWER).miss, None);
    let line = send(&mut ledger, 600, ANSWER);
    let miss = line.miss.as_ref().expect("the entry expired");
    assert_eq!(miss.reason, MissReason::PreviousMessageNotFound);
    assert!(matches!(miss.detail, Some(MissDetail::Expired { .. })));
    let text = line.to_string();
    assert!(text.contains("expired after 5m01s, 1h would do"), "{text}");
    assert_eq!(ledger.summary().denied, 1);
}

/// What a session pays apart from its markers is denied like the markers.
#[test]
fn calls_one_by_one_are_denied_at_the_end() {
    let denied = |rule: &str| {
        let recorder = Recorder::new(None, Texts::Kept).unwrap();
        let mut ledger = Ledger::new(recorder, vec![rule.parse().unwrap()], None);
        let text = "value ".repeat(3_000);
        let mut messages = r#"{"role":"user","content":"Go"}"#.to_owned();
        for number in 0..14 {
            let body = format!(
                r#"{{"model":"claude-opus-5","cache_control":{{"type":"ephemeral"}},"tools":[{{"name":"Read","input_schema":{{"type":"object"}}}}],"system":"{text}","messages":[{messages}]}}"#
            );
            add(&mut ledger, Wire::Messages, "/v1/messages", 20 * number, &body, "{}");
            messages += &format!(
                r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"c{number}","name":"Read","input":{{}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{number}","content":"ok"}}]}}"#
            );
        }
        let findings = ledger.summary().findings;
        findings.iter().map(|it| it.rule).collect::<Vec<_>>()
    };
    assert_eq!(denied("single-calls"), ["single-calls"]);
    assert_eq!(denied("unused-tools"), [""; 0]);
}

/// A response's text links the next request, even after tools, system prompt and first message
/// changed.
#[test]
fn responses_link_requests_on_every_wire() {
    let chat = |system: &str, more: &str| {
        format!(
            r#"{{"model":"gpt-5.5","n":1,"messages":[{{"role":"system","content":"{system}"}},{{"role":"user","content":"{system}"}}{more}],"tools":[{{"type":"function","function":{{"name":"{system}"}}}}]}}"#
        )
    };
    let response =
        r#"{"object":"chat.completion","id":"c1","choices":[{"message":{"content":"Yes?"}}]}"#;
    let path = "/v1/chat/completions";
    let mut ledger = ledger();
    let mut send = |system, more| {
        let body = chat(system, more);
        add(&mut ledger, Wire::ChatCompletions, path, 0, &body, response).session
    };
    let (first, second) = (send("one", ""), send("two", ANSWER));
    assert_eq!(first, second);
    assert_ne!(first, send("three", ""));
}

/// Two proxies that begin in the same second do not share a file.
#[test]
fn sessions_of_two_proxies_have_different_names() {
    let body =
        r#"{"model":"claude-opus-5","max_tokens":1,"messages":[{"role":"user","content":"Hi"}]}"#;
    let session =
        |ledger: &mut Ledger| add(ledger, Wire::Messages, "/v1/messages", 0, body, "{}").session;
    let (mut one, mut other) = (ledger(), ledger());
    let first = session(&mut one);
    assert_ne!(first, session(&mut other));
    let (of_first, again) = (first.rsplit_once('-'), session(&mut one));
    assert_eq!(of_first.map(|it| it.0), again.rsplit_once('-').map(|it| it.0));
}

#[test]
fn a_stored_conversation_costs_as_much_as_one_that_is_sent() {
    let text = "Read before you write. ".repeat(600);
    let output =
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes?"}]}"#;
    let (first, next) = (
        format!(r#"{{"role":"user","content":"{text}"}}"#),
        r#"{"role":"user","content":"Go on"}"#,
    );
    let miss = |second: &str| {
        let mut ledger = ledger();
        let mut send = |number: u64, instructions: &str, rest: &str| {
            let body = format!(r#"{{"model":"gpt-5.5","instructions":"{instructions}",{rest}}}"#);
            let response = format!(
                r#"{{"object":"response","id":"resp_{number}","model":"gpt-5.5","output":[{output}]}}"#
            );
            let path = "/v1/responses";
            add(&mut ledger, Wire::Responses, path, 9 * number, &body, &response).miss
        };
        assert_eq!(send(1, "Be careful.", &format!(r#""input":[{first}]"#)), None);
        let miss = send(2, "Be kind.", second).expect("the instructions changed");
        (miss.reason, miss.lost_tokens, miss.lost_cost)
    };
    let sent = miss(&format!(r#""input":[{first},{output},{next}]"#));
    let stored = miss(&format!(r#""previous_response_id":"resp_1","input":[{next}]"#));
    assert_eq!(stored, sent);
}

/// A deployment's name has no price; the model that answered has one.
#[test]
fn the_model_that_answered_is_billed() {
    let cost = |requested: &str, answered: &str| {
        let body =
            format!(r#"{{"model":"{requested}","messages":[{{"role":"user","content":"Hi"}}]}}"#);
        let response = format!(
            r#"{{"object":"chat.completion","id":"c1","model":"{answered}","choices":[{{"message":{{"content":"Yes?"}}}}],"usage":{{"prompt_tokens":1000,"completion_tokens":9}}}}"#
        );
        let (mut ledger, path) = (ledger(), "/openai/deployments/d/chat/completions");
        add(&mut ledger, Wire::ChatCompletions, path, 0, &body, &response).cost
    };
    let own = cost("gpt-4.1", "gpt-4.1");
    assert!(own.is_some());
    assert_eq!(cost("my-deploy", "gpt-4.1"), own);
    assert_eq!(cost("gpt-5.5", "gpt-4.1"), own);
    assert_eq!(cost("gpt-4.1", "my-model"), own);
    assert_eq!(cost("my-deploy", "my-model"), None);
}

/// A stream of Chat Completions has no usage unless the client asks for it.
#[test]
fn a_response_without_usage_is_counted() {
    let body = r#"{"model":"gpt-4.1","stream":true,"messages":[{"role":"user","content":"Hi"}]}"#;
    let response = |usage: &str| {
        format!(
            r#"{{"object":"chat.completion","id":"c1","model":"gpt-4.1","choices":[{{"message":{{"content":"Yes?"}}}}]{usage}}}"#
        )
    };
    let mut ledger = ledger();
    let mut send = |usage: &str| {
        let path = "/v1/chat/completions";
        add(&mut ledger, Wire::ChatCompletions, path, 0, body, &response(usage)).to_string()
    };
    let with = send(r#","usage":{"prompt_tokens":1000,"completion_tokens":9}"#);
    assert!(with.contains(" plain 1000 ") && !with.contains("usage"), "{with}");
    let without = send("");
    assert!(without.ends_with(" 200 no usage"), "{without}");
    let summary = ledger.summary();
    assert_eq!((summary.requests, summary.without_usage), (2, 1));
    let text = summary.to_string();
    assert!(text.ends_with("; 1 request without usage: tokens and price unknown"), "{text}");
}

/// Requests that failed belong to no session, and cost nothing.
#[test]
fn a_failed_request_has_no_session() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = Recorder::new(Some(directory.path().to_owned()), Texts::Kept).unwrap();
    let mut ledger = Ledger::new(recorder, Vec::new(), None);
    let body = r#"{"model":"gpt-4.1","messages":[{"role":"user","content":"Hi"}]}"#;
    let mut send = |status: u16| {
        let mut finished = finished(Wire::ChatCompletions, "/v1/chat/completions", 0, body, "{}");
        finished.status = Some(status);
        let line = ledger.add(finished);
        let file = directory.path().join(format!("{}.jsonl", line.session));
        std::fs::read_to_string(file).unwrap()
    };
    assert!(!send(500).contains(r#""session""#));
    assert!(send(200).contains(r#""session""#));
    let summary = ledger.summary();
    assert_eq!((summary.requests, summary.sessions, summary.failed), (2, 1, 1));
}

#[test]
fn a_run_that_only_fails_has_no_unknown_price() {
    let mut ledger = ledger();
    let mut finished = finished(Wire::Messages, "/v1/messages", 0, "{}", "{}");
    finished.status = Some(529);
    ledger.add(finished);
    let text = ledger.summary().to_string();
    assert_eq!(text, "1 request in 0 sessions, 1 failed, 0 broke off, 0 missed the cache");
}

/// Failed requests and those to another provider have numbers, too.
#[test]
fn a_finding_has_the_number_of_its_line() {
    let recorder = Recorder::new(None, Texts::Kept).unwrap();
    let deny = vec!["prefix-changed".parse().unwrap()];
    let mut ledger = Ledger::new(recorder, deny, None);
    let text = "Be careful. ".repeat(2_000);
    let body = |model: &str, rules: &str, more: &str| {
        format!(
            r#"{{"model":"{model}","system":"{rules} {text}","cache_control":{{"type":"ephemeral"}},"messages":[{{"role":"user","content":"Hi"}}{more}]}}"#
        )
    };
    let path = "/v1/messages";
    let first = body("claude-opus-5", "One.", "");
    let failed = finished(Wire::Messages, path, 0, &first, "{}");
    ledger.add(Finished { status: Some(429), ..failed });
    let chat = r#"{"model":"gpt-5.5","messages":[{"role":"user","content":"Hi"}]}"#;
    add(&mut ledger, Wire::ChatCompletions, "/v1/chat/completions", 1, chat, "{}");
    let session = add(&mut ledger, Wire::Messages, path, 2, &first, "{}").session;
    let changed = body("claude-opus-5", "Two.", ANSWER);
    let line = add(&mut ledger, Wire::Messages, path, 3, &changed, "{}");
    assert!(line.miss.is_some());
    assert_eq!(line.session, session);
    let found: Vec<_> = ledger.summary().findings.iter().map(|it| it.first as u64).collect();
    assert_eq!(found, [line.number]);
}
