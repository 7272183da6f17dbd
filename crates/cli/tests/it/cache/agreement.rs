//! What several commands say about one log: the same loss, cause, bound and ratio.

use super::{aside, text};
use serde_json::{Value, json};

fn words() -> String {
    "The quick brown fox jumps over the lazy dog near the old river bank. ".repeat(200)
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn answer(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn marker() -> Value {
    json!({"type": "ephemeral"})
}

/// A Messages body with a marked system prompt.
fn body(messages: &[Value]) -> Value {
    let system = json!([{"type": "text", "text": words(), "cache_control": marker()}]);
    json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": system, "messages": messages})
}

/// A log of bodies, each with its second.
fn log(bodies: &[(u64, Value)]) -> String {
    let lines = bodies.iter().map(|(at, body)| json!({"t": at, "body": body}).to_string() + "\n");
    lines.collect()
}

fn run(command: &str, log: &str) -> String {
    let arguments: Vec<&str> = command.split(' ').collect();
    let output = aside(&arguments, log);
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(output.status.code() != Some(2), "{command}: {error}");
    text(&output).split_whitespace().collect::<Vec<_>>().join(" ") + &error
}

/// Each request continues a response that the provider keeps, and reads all that the one before it
/// left.
fn kept(read: fn(u64) -> u64) -> String {
    let mut lines = String::new();
    let (mut input, mut left) = (3_300, 0);
    for turn in 0..5 {
        let mut body = json!({"model": "gpt-5.5", "instructions": words(),
            "input": format!("question {turn}")});
        if turn > 0 {
            body["previous_response_id"] = json!(format!("resp_{}", turn - 1));
        }
        let usage = json!({"input_tokens": input, "output_tokens": 3_000,
            "input_tokens_details": {"cached_tokens": read(left)}});
        let line = json!({"t": 30 * turn, "id": format!("resp_{turn}"), "body": body,
            "usage": usage});
        lines += &(line.to_string() + "\n");
        left = input;
        input += 3_000;
    }
    lines
}

#[test]
fn what_the_provider_keeps_of_a_conversation_is_read_once_it_was_sent() {
    let perfect = kept(|left| left / 128 * 128);
    let explained = run("cache explain -", &perfect);
    assert!(!explained.contains("lost to"), "{explained}");
    assert!(explained.contains("the log costs 1.0"), "{explained}");
    run("cache lint - --max-cost-over-bound 1.05", &perfect);
    let difference = run("diff -", &perfect);
    assert!(difference.starts_with("continues") && !difference.contains("lost"), "{difference}");
    // Only the instructions are read.
    let poor = kept(|left| left.min(3_200) / 128 * 128);
    let explained = run("cache explain -", &poor);
    assert!(explained.contains("lost to unknown: its entry was alive"), "{explained}");
}

#[test]
fn a_cache_that_the_request_names_is_read_before_the_body() {
    let log = |read: u64| -> String {
        let line = |turn: u64| {
            let question = format!("question {turn}");
            let body = json!({"cachedContent": "cachedContents/abc",
                "contents": [{"role": "user", "parts": [{"text": question}]}]});
            let usage = json!({"promptTokenCount": 8_003, "cachedContentTokenCount": read,
                "candidatesTokenCount": 5});
            json!({"t": 30 * turn, "provider": "gemini", "model": "gemini-3.8-flash",
                "body": body, "usage": usage})
            .to_string()
                + "\n"
        };
        (0..3).map(line).collect()
    };
    let explained = run("cache explain -", &log(8_000));
    assert!(explained.contains("the log costs 1.00 times"), "{explained}");
    assert!(explained.contains("3 requests begin with what the provider keeps"), "{explained}");
    run("cache lint - --max-cost-over-bound 1.1", &log(8_000));
    let wasted = run("cache lint - --max-cost-over-bound 1.1", &log(0));
    assert!(wasted.contains("more than 1.1"), "{wasted}");
}

/// OpenAI bills cache writes from GPT-5.6 on; some logs do not say how many.
#[test]
fn a_bill_without_its_cache_writes_is_unknown() {
    let log = |written: &str| -> String {
        let mut messages = vec![user("a")];
        let mut lines = String::new();
        for turn in 0..3_u64 {
            let mut input = vec![json!({"role": "developer", "content": words()})];
            input.extend(messages.clone());
            let (all, read) =
                (3_210 + 1_000 * turn, if turn == 0 { 0 } else { 2_210 + 1_000 * turn });
            let usage = format!(
                r#"{{"input_tokens":{all},"output_tokens":1,"input_tokens_details":{{"cached_tokens":{read}{written}}}}}"#
            );
            let body = json!({"model": "gpt-6.1-sol", "store": false, "input": input});
            lines += &format!("{{\"t\":{},\"body\":{body},\"usage\":{usage}}}\n", 30 * turn);
            messages.extend([answer("b"), user(&"c".repeat(4_000))]);
        }
        lines
    };
    let unknown = log("");
    let explained = run("cache explain -", &unknown);
    assert!(explained.contains("tokens may be cache writes"), "{explained}");
    assert!(!explained.contains("times that"), "{explained}");
    let checked = run("cache lint - --max-cost-over-bound 9", &unknown);
    assert!(checked.contains("cost or its lower bound is unknown"), "{checked}");
    let known = log(r#","cache_write_tokens":1000"#);
    assert!(run("cache explain -", &known).contains("times that"));
    run("cache lint - --max-cost-over-bound 9", &known);
}

#[test]
fn diff_says_why_an_unchanged_request_lost_its_entry() {
    let pair = |gap| log(&[(0, body(&[user("a")])), (gap, body(&[user("a")]))]);
    let late = run("diff -", &pair(400));
    assert!(late.contains("identical why : expired after 6m40s"), "{late}");
    assert!(run("diff - --json", &pair(400)).contains(r#""detail": { "expired":"#));
    let soon = run("diff -", &pair(40));
    assert!(soon.starts_with("identical") && !soon.contains("why"), "{soon}");
}

/// After the pause nothing was alive that the change could lose.
#[test]
fn a_change_after_a_pause_is_not_the_cause() {
    let request = |messages: &[Value]| {
        let mut body = body(messages);
        body["cache_control"] = marker();
        body
    };
    let mut changed = request(&[user("a"), answer("b"), user("c")]);
    changed["tool_choice"] = json!({"type": "none"});
    let pair = |gap| log(&[(0, request(&[user("a")])), (gap, changed.clone())]);
    for (command, expired, parameter) in [
        ("cache explain -", "lost to expired", "lost to parameter tool_choice"),
        ("report -", "expired: 1 request", "parameter tool_choice: 1 request"),
        ("diff -", "why : expired after 10m00s, 1h would do", "the parameter tool_choice changed"),
    ] {
        let (late, soon) = (run(command, &pair(600)), run(command, &pair(60)));
        assert!(late.contains(expired), "{command}: {late}");
        assert!(soon.contains(parameter) && !soon.contains("expired"), "{command}: {soon}");
    }
}

#[test]
fn report_counts_a_shared_prompt_that_expires() {
    let apart = |gap| {
        let requests = (0..4_u64).map(|at| (gap * at, body(&[user(&format!("question {at}"))])));
        log(&requests.collect::<Vec<_>>())
    };
    for (gap, is_found) in [(400, true), (40, false)] {
        for command in ["cache lint -", "report - --json"] {
            let found = run(command, &apart(gap)).contains("expired-often");
            assert_eq!(found, is_found, "{command}, {gap} s apart");
        }
    }
}

/// Before the first response, the size of the input is known from its own usage.
#[test]
fn the_bound_is_one() {
    let usage = json!({"input_tokens": 3, "cache_creation_input_tokens": 3_600,
        "cache_read_input_tokens": 0, "output_tokens": 5});
    let line = json!({"t": 0, "body": body(&[user("a")]), "usage": usage}).to_string();
    assert!(run("cache explain -", &line).contains("least possible cost: $0.014;"));
    assert!(run("cache simulate -", &line).contains("bound: $0.014,"));
}

#[test]
fn citations_are_a_parameter_for_all() {
    let document = |is_cited: bool| {
        let source = json!({"type": "text", "media_type": "text/plain", "data": words()});
        json!({"role": "user", "content": [
            {"type": "document", "source": source, "citations": {"enabled": is_cited}},
            {"type": "text", "text": "q", "cache_control": marker()}]})
    };
    let before = [user("a"), answer("b"), document(false)];
    let mut after = vec![user("a"), answer("b"), document(true)];
    after.extend([answer("k"), user("z")]);
    let log = log(&[(0, body(&before)), (30, body(&after))]);
    for (command, cause) in [
        ("cache explain -", "lost to parameter citations"),
        ("cache lint -", "prefix-changed (parameter)"),
        ("diff -", "(byte 0 of the value): parameter"),
        ("report -", "parameter citations: 1 request"),
    ] {
        let said = run(command, &log);
        assert!(said.contains(cause) && !said.contains("append a correction"), "{said}");
    }
}

/// Web search belongs to the system prompt, wherever it stands among the tools.
#[test]
fn web_search_leaves_the_tools_in_the_cache() {
    let tool = json!({"name": "read", "description": words(), "input_schema": {"type": "object"},
        "cache_control": marker()});
    let search = json!({"type": "web_search_20250305", "name": "web_search"});
    let request = |tools: Vec<&Value>, messages: &[Value]| {
        let mut body = body(messages);
        body["tools"] = json!(tools);
        body
    };
    let next = [user("a"), answer("b"), user("c")];
    for tools in [vec![&tool, &search], vec![&search, &tool]] {
        let first = request(vec![&tool], &[user("a")]);
        let log = log(&[(0, first), (30, request(tools, &next))]);
        assert!(run("diff - --json", &log).contains(r#""lost_level": "system""#));
        let explained = run("cache explain -", &log);
        assert!(explained.contains("miss: system_changed"), "{explained}");
        assert!(explained.contains("25.0 % of the input read"), "{explained}");
    }
}

/// The bodies do not show what the API clears.
#[test]
fn tool_results_that_the_api_clears_have_a_cause() {
    let mut messages = vec![user("a")];
    let mut requests = Vec::new();
    for turn in 0..4_u64 {
        let id = format!("t{turn}");
        messages.push(json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "read", "input": {}}]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": words()}]}));
        let mut body = body(&messages);
        body["cache_control"] = marker();
        requests.push((20 * turn, body));
    }
    let kept = log(&requests);
    for (_, body) in &mut requests {
        body["context_management"] = json!({"edits": [{"type": "clear_tool_uses_20250919",
            "trigger": {"type": "tool_uses", "value": 3}}]});
    }
    for command in ["cache explain -", "report -"] {
        let cause = "tool results cleared by the API";
        let (cleared, kept) = (run(command, &log(&requests)), run(command, &kept));
        assert!(cleared.contains(cause) && !kept.contains(cause), "{command}: {cleared}");
    }
}

/// The linter names what `check` refuses.
#[test]
fn markers_that_the_api_refuses() {
    let lint = |change: fn(&mut Value)| {
        let mut body = body(&[user("q")]);
        change(&mut body);
        run("cache lint -", &log(&[(0, body)]))
    };
    let on_deferred = lint(|body| {
        body["tools"] = json!([{"name": "a", "input_schema": {"type": "object"}},
            {"name": "d", "input_schema": {"type": "object"}, "defer_loading": true,
                "cache_control": {"type": "ephemeral"}}]);
    });
    assert!(on_deferred.contains("marker-place"), "{on_deferred}");
    let late = lint(|body| body["cache_control"] = json!({"type": "ephemeral", "ttl": "1h"}));
    assert!(late.contains("marker-ttl"), "{late}");
    let short = lint(|body| body["cache_control"] = json!({"type": "ephemeral"}));
    assert!(short.contains("no findings"), "{short}");
}

#[test]
fn a_developer_message_grows_the_system_prompt() {
    let request = |start: &str, messages: &[Value]| {
        let mut input =
            vec![json!({"role": "developer", "content": format!("{start}{}", words())})];
        input.extend(messages.to_vec());
        json!({"model": "gpt-5.5", "store": false, "input": input})
    };
    let next = [user("a"), answer("b"), user("c")];
    let longer = format!("It is 10:53. {}", "and more words ".repeat(20));
    let log = log(&[(0, request("It is 10:50. ", &[user("a")])), (30, request(&longer, &next))]);
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(path.path(), log).unwrap();
    let file = path.path().to_str().unwrap();
    let shown = text(&aside(&["context", "--file", file, "--json", "--depth", "0"], ""));
    assert!(shown.contains(r#""tokens":{"tools":0,"system":32"#), "{shown}");
}

#[test]
fn a_breakpoint_has_the_key_of_its_wire() {
    let request = |block: Value, messages: &[Value]| {
        let mut input = vec![json!({"role": "developer", "content": [block]})];
        input.extend(messages.to_vec());
        json!({"model": "gpt-6.1-sol", "store": false, "input": input})
    };
    let text = json!({"type": "input_text", "text": words()});
    let mut marked = text.clone();
    marked["prompt_cache_breakpoint"] = json!({"mode": "explicit"});
    let next = [user("a"), answer("b"), user("c")];
    let log = log(&[(0, request(marked, &[user("a")])), (30, request(text, &next))]);
    let said = run("diff -", &log);
    assert!(said.contains("input[0].content[0].prompt_cache_breakpoint at"), "{said}");
}
