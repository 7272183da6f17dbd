//! What a session pays apart from the cache: each figure is what the same session costs less
//! without it.

use std::time::Duration;

use aside_cache_model::{
    Body, CacheModel, CacheRules, Cost, CostFinding, SPENDING_RULES, Spending, Timed,
};
use serde_json::{Value, json};

/// A session of 14 requests, whose tools are called in turns.
#[derive(Clone, Copy)]
struct Session {
    /// The calls of each response.
    calls: usize,
    /// The words of a result.
    words: usize,
    /// The tools, of which two are called.
    tools: usize,
}

const REQUESTS: usize = 14;

const THRIFTY: Session = Session { calls: 2, words: 100, tools: 2 };

fn text(words: usize) -> String {
    "value ".repeat(words)
}

impl Session {
    fn log(self) -> Vec<Timed> {
        let control = json!({"type": "ephemeral"});
        let tools: Vec<Value> = (0..self.tools)
            .map(|it| json!({"name": format!("t{it}"), "description": text(400), "input_schema": {"type": "object"}}))
            .collect();
        let mut messages =
            vec![json!({"role": "user", "content": [{"type": "text", "text": "Go"}]})];
        let mut log = Vec::new();
        for number in 0..REQUESTS {
            let mut marked = messages.clone();
            let blocks = marked.last_mut().unwrap()["content"].as_array_mut().unwrap();
            blocks.last_mut().unwrap()["cache_control"] = control.clone();
            let body = json!({"model": "claude-opus-5", "max_tokens": 8, "tools": tools,
                "system": [{"type": "text", "text": text(3_000), "cache_control": control}], "messages": marked});
            let request = Body::parse(body.to_string().as_bytes()).unwrap();
            log.push(Timed::new(request, Duration::from_secs(20 * number as u64)));
            let id = |call: usize| format!("c{number}x{call}");
            let uses: Vec<Value> = (0..self.calls)
                .map(|it| json!({"type": "tool_use", "id": id(it), "name": format!("t{}", (number + it) % 2), "input": {}}))
                .collect();
            let results: Vec<Value> = (0..self.calls)
                .map(|it| json!({"type": "tool_result", "tool_use_id": id(it), "content": text(self.words)}))
                .collect();
            messages.push(json!({"role": "assistant", "content": uses}));
            messages.push(json!({"role": "user", "content": results}));
        }
        log
    }

    fn measure(self) -> (Cost, Vec<CostFinding>) {
        let mut model = CacheModel::new(CacheRules::anthropic());
        let mut spending = Spending::default();
        let mut cost = Cost::ZERO;
        for entry in self.log() {
            let verdict = model.send_timed(&entry);
            cost += verdict.cost.unwrap();
            spending.add(&model, &entry, &verdict);
        }
        (cost, spending.finish())
    }
}

/// Checks that the only finding is of this rule, and costs what the other session saves,
/// within five percent.
fn check(wasteful: Session, rule: &str, place: (usize, &str), without: Session) {
    let (cost, found) = wasteful.measure();
    assert_eq!(found.len(), 1, "{rule}: {found:?}");
    let found = &found[0];
    assert_eq!((found.rule, found.path.as_deref()), (rule, Some(place.1)));
    assert_eq!(found.first, place.0);
    let (less, none) = without.measure();
    assert_eq!(none, []);
    let saved = cost.saturating_sub(less).dollars();
    let ratio = found.lost_cost.unwrap().dollars() / saved;
    assert!((0.95..1.05).contains(&ratio), "{ratio} of {saved}");
}

#[test]
fn unused_tools_cost_what_a_session_without_them_saves() {
    let wasteful = Session { tools: 5, ..THRIFTY };
    check(wasteful, "unused-tools", (1, "tools[4]"), THRIFTY);
}

#[test]
fn long_results_cost_what_short_ones_save() {
    // The most words that are not long, and three times as many.
    let words = |words| Session { words, ..THRIFTY };
    let (mut short, mut long) = (400, 1_600);
    while short + 1 < long {
        let middle = (short + long) / 2;
        if words(middle).measure().1.is_empty() {
            short = middle;
        } else {
            long = middle;
        }
    }
    check(words(3 * short), "long-results", (2, "messages[2].content[0]"), words(short));
}

#[test]
fn single_calls_count_half_of_what_is_read() {
    let (_, found) = Session { calls: 1, ..THRIFTY }.measure();
    let [single] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((single.rule, single.requests), ("single-calls", REQUESTS - 1));
    assert_eq!((single.first, &single.path), (2, &None));
    let rules: Vec<&str> = SPENDING_RULES.iter().map(|rule| rule.id).collect();
    assert!(rules.contains(&single.rule));
}

#[test]
fn a_short_session_has_no_finding() {
    let mut model = CacheModel::new(CacheRules::anthropic());
    let mut spending = Spending::default();
    let wasteful = Session { calls: 1, words: 5_000, tools: 9 };
    for entry in wasteful.log().iter().take(9) {
        let verdict = model.send_timed(entry);
        spending.add(&model, entry, &verdict);
    }
    assert_eq!(spending.finish(), []);
}

/// Neither is the caller's: no call can be joined with another, and no result cut.
#[test]
fn what_the_provider_runs_is_no_call_and_no_result() {
    let found = |items: [Value; 2]| {
        let (mut model, mut spending) =
            (CacheModel::new(CacheRules::openai()), Spending::default());
        let mut input = vec![json!({"role": "user", "content": text(3_000)})];
        for number in 0..REQUESTS {
            let body = json!({"model": "gpt-5.5", "input": input});
            let request = Body::parse(body.to_string().as_bytes()).unwrap();
            let entry = Timed::new(request, Duration::from_secs(20 * number as u64));
            let verdict = model.send_timed(&entry);
            spending.add(&model, &entry, &verdict);
            input.extend(items.clone());
            input.push(json!({"role": "user", "content": "Go on."}));
        }
        let found = spending.finish();
        found.into_iter().map(|it| it.rule).collect::<Vec<_>>()
    };
    let message = || json!({"role": "assistant", "content": "Done."});
    let call = |kind: &str| json!({"type": kind, "id": "c", "status": "completed"});
    for kind in ["web_search_call", "file_search_call", "code_interpreter_call", "mcp_call"] {
        assert_eq!(found([call(kind), message()]), [""; 0], "{kind}");
    }
    assert_eq!(found([call("shell_call"), message()]), ["single-calls"]);
    let tools = json!([{"type": "function", "name": "f", "description": text(3_000)}]);
    let search = json!({"type": "tool_search_output", "call_id": "c", "tools": tools});
    assert_eq!(found([search, message()]), [""; 0]);
    let result = json!({"type": "function_call_output", "call_id": "c", "output": text(3_000)});
    assert_eq!(found([result, message()]), ["long-results"]);
}

/// A wire's body that calls one of its tools, or two, in a session of as many requests.
fn body_of(wire: &str, number: usize, used: usize) -> Value {
    let called = |at: usize| format!("t{}", at % used);
    let tools = ["t0", "t1", "t2"].map(|name| json!({"name": name, "description": text(400)}));
    let mut messages = Vec::new();
    for at in 0..number {
        let (id, name) = (format!("c{at}"), called(at));
        messages.extend(match wire {
            "chat" => [
                json!({"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}]}),
                json!({"role": "tool", "tool_call_id": id, "content": "Done."}),
            ],
            _ => [
                json!({"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}}]}),
                json!({"role": "user", "parts": [{"functionResponse": {"name": name, "response": {}}}]}),
            ],
        });
    }
    match wire {
        "chat" => {
            messages.insert(0, json!({"role": "user", "content": "Go"}));
            let tools = tools.map(|it| json!({"type": "function", "function": it}));
            json!({"model": "gpt-5.5", "messages": messages, "tools": tools})
        }
        key => {
            messages.insert(0, json!({"role": "user", "parts": [{"text": "Go"}]}));
            json!({"model": "gemini-3-pro", "contents": messages, "tools": [{key: tools}]})
        }
    }
}

#[test]
fn unused_tools_are_found_on_every_wire() {
    let unused = |wire: &str, used: usize| {
        let rules = if wire == "chat" { CacheRules::openai() } else { CacheRules::gemini() };
        let (mut model, mut spending) = (CacheModel::new(rules), Spending::default());
        for number in 0..REQUESTS {
            let request = Body::parse(body_of(wire, number, used).to_string().as_bytes()).unwrap();
            let entry = Timed::new(request, Duration::from_secs(20 * number as u64));
            let verdict = model.send_timed(&entry);
            spending.add(&model, &entry, &verdict);
        }
        let found = spending.finish();
        let unused = found.into_iter().find(|it| it.rule == "unused-tools");
        unused.map(|it| (it.path.unwrap(), it.lost_tokens))
    };
    for (wire, path) in [
        ("chat", "tools[2]"),
        ("functionDeclarations", "tools[0].functionDeclarations[2]"),
        ("function_declarations", "tools[0].function_declarations[2]"),
    ] {
        let (found, tokens) = unused(wire, 2).unwrap();
        assert_eq!(found, path);
        // Each request has about 400 tokens of the tool that is not called.
        assert!((5_000..7_000).contains(&tokens), "{wire}: {tokens}");
        assert_eq!(unused(wire, 3), None, "{wire}");
    }
}
