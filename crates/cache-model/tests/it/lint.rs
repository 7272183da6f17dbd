//! Each lint rule: a log that breaks it, and one that nearly does.

use std::time::Duration;

use aside_cache_model::{Body, CacheRules, Cause, Timed, Usage, lint};
use serde_json::{Value, json};

/// A text with about 700 tokens, more than the shortest prefix to cache.
fn long(label: &str) -> Value {
    json!({"type": "text", "text": format!("{label} ").repeat(2_000)})
}

fn short(label: &str) -> Value {
    json!({"type": "text", "text": label})
}

fn marked(mut block: Value, ttl: &str) -> Value {
    block["cache_control"] = json!({"type": "ephemeral", "ttl": ttl});
    block
}

fn tail(block: Value) -> Value {
    marked(block, "5m")
}

fn user(content: Vec<Value>) -> Value {
    json!({"role": "user", "content": content})
}

fn answer(text: &str) -> Value {
    json!({"role": "assistant", "content": [short(text)]})
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("{name} ").repeat(2_000),
        "input_schema": {"type": "object"}})
}

/// A body with this system prompt.
fn body(system: &[Value], messages: &[Value]) -> Value {
    json!({"model": "claude-opus-5-5", "max_tokens": 8, "system": system, "messages": messages})
}

/// A log's requests, each with its second.
fn log(requests: Vec<(u64, Value)>) -> Vec<Timed> {
    let timed = |(at, body): (u64, Value)| {
        let request = Body::parse(body.to_string().as_bytes()).unwrap();
        Timed::new(request, Duration::from_secs(at))
    };
    requests.into_iter().map(timed).collect()
}

fn rules_of(requests: Vec<(u64, Value)>) -> Vec<&'static str> {
    let findings = lint(&log(requests), &CacheRules::anthropic());
    findings.iter().map(|it| it.rule).collect()
}

/// The first log breaks the rule, the second does not.
fn check(rule: &str, fires: Vec<(u64, Value)>, quiet: Vec<(u64, Value)>) {
    let found = rules_of(fires);
    assert!(found.contains(&rule), "{rule} does not fire: {found:?}");
    let found = rules_of(quiet);
    assert!(!found.contains(&rule), "{rule} fires: {found:?}");
}

/// Two requests in a conversation.
fn pair(first: Value, second: Value) -> Vec<(u64, Value)> {
    vec![(0, first), (30, second)]
}

#[test]
fn a_marker_at_the_end() {
    let head = [tail(long("rules"))];
    let grown = |mark: fn(Value) -> Value| {
        let messages = [user(vec![long("one")]), answer("a"), user(vec![mark(long("two"))])];
        body(&head, &messages)
    };
    let first = || body(&head, &[user(vec![long("one")])]);
    let keep: fn(Value) -> Value = |block| block;
    check("no-tail-marker", pair(first(), grown(keep)), pair(first(), grown(tail)));
    // Requests to other providers lie between.
    let other = body(&[tail(long("others"))], &[user(vec![tail(long("other"))])]);
    let mut mixed = log(vec![(0, first()), (10, other), (30, grown(keep))]);
    for (entry, index) in mixed.iter_mut().zip([0, 80, 81]) {
        entry.index = Some(index);
    }
    let found = lint(&mixed, &CacheRules::anthropic());
    assert!(found.iter().any(|it| it.rule == "no-tail-marker"), "{found:?}");
}

#[test]
fn a_marker_on_a_changing_block() {
    let requests = |first: Value, stays: Value, second: Value| {
        let head = [tail(long("rules"))];
        let one = [user(vec![short("Hi")]), answer("a"), user(vec![stays.clone(), first])];
        let mut two = one.to_vec();
        two[2] = user(vec![stays, second]);
        two.extend([answer("b"), user(vec![tail(long("three"))])]);
        pair(body(&head, &one), body(&head, &two))
    };
    check(
        "marker-volatile",
        requests(tail(long("10:59")), long("stays"), long("11:00")),
        requests(long("10:59"), tail(long("stays")), long("11:00")),
    );
}

#[test]
fn markers_that_the_api_refuses() {
    let marks = |ttls: &[&str]| {
        let content = ttls.iter().map(|ttl| marked(short("x"), ttl)).collect();
        vec![(0, body(&[], &[user(content)]))]
    };
    check("marker-limit", marks(&["5m"; 5]), marks(&["5m"; 4]));
    check("marker-ttl", marks(&["5m", "1h"]), marks(&["1h", "5m"]));
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let with = |block: Value| {
        let thought = json!({"role": "assistant", "content": [block, short("a")]});
        let messages = [user(vec![short("Hi")]), thought, user(vec![short("and?")])];
        vec![(0, body(&[], &messages))]
    };
    check("marker-place", with(tail(thinking.clone())), with(thinking));
}

#[test]
fn an_entry_that_is_too_far_back() {
    let requests = |blocks: usize| {
        let first = [user(vec![tail(long("one"))])];
        let many: Vec<Value> = (0..blocks).map(|at| short(&format!("part {at}"))).collect();
        let mut last = many;
        last.push(tail(short("end")));
        let second = [user(vec![long("one")]), answer("a"), user(last)];
        pair(body(&[], &first), body(&[], &second))
    };
    check("look-back-gap", requests(25), requests(10));
}

#[test]
fn the_length_of_the_prefix() {
    let two = |system: &[Value], message: &Value| {
        let first = [user(vec![message.clone()])];
        let second = [user(vec![message.clone()]), answer("a"), user(vec![short("b")])];
        pair(body(system, &first), body(system, &second))
    };
    let marked = |block: Value| two(&[tail(short("s"))], &block);
    check("marker-minimum", marked(long("Hi")), marked(short("Hi")));
    // What the requests share counts, not the new message.
    let unmarked = |first: Value, second: Value| {
        let first = [user(vec![first])];
        let next = [first[0].clone(), answer("a"), user(vec![second])];
        pair(body(&[], &first), body(&[], &next))
    };
    check(
        "cacheable-but-unmarked",
        unmarked(long("one"), short("two")),
        unmarked(short("one"), long("two")),
    );
    // Two models share no prefix.
    let mut switched = unmarked(long("one"), short("two"));
    switched[1].1["model"] = "claude-sonnet-5-5".into();
    check("cacheable-but-unmarked", unmarked(long("one"), short("two")), switched);
}

#[test]
fn shared_layers_come_first() {
    let session = |day: &str, shared_first: bool| {
        let mut system = vec![short(day), tail(long("rules"))];
        if shared_first {
            system = vec![tail(long("rules")), short(day)];
        }
        body(&system, &[user(vec![short(&format!("Hi on {day}"))])])
    };
    check(
        "shared-after-session",
        pair(session("Monday", false), session("Tuesday", false)),
        pair(session("Monday", true), session("Tuesday", true)),
    );
}

/// A conversation whose second request has other tools or another prompt.
fn changed(tools: [&str; 2], rules: &str) -> Vec<(u64, Value)> {
    let with = |tools: [&str; 2], rules: &str, messages: &[Value]| {
        let mut body = body(&[tail(long(rules))], messages);
        body["tools"] = tools.iter().map(|name| tool(name)).collect();
        body
    };
    let first = [user(vec![tail(long("one"))])];
    let second = [user(vec![long("one")]), answer("a"), user(vec![tail(long("two"))])];
    pair(with(["Glob", "Read"], "rules", &first), with(tools, rules, &second))
}

#[test]
fn a_prefix_that_stays() {
    check(
        "tools-reordered",
        changed(["Read", "Glob"], "rules"),
        changed(["Glob", "Read"], "rules"),
    );
    check(
        "prefix-changed",
        changed(["Glob", "Read"], "other rules"),
        changed(["Glob", "Read"], "rules"),
    );
}

/// Each cause is a finding with its own fix.
#[test]
fn causes_of_a_changed_prefix() {
    let with = |clock: &str, turns: &[&str]| {
        let system = [tail(long("rules")), tail(short(clock))];
        let said = turns.iter().flat_map(|it| [user(vec![long(it)]), answer("a")]);
        let messages: Vec<Value> = said.chain([user(vec![tail(long("go on"))])]).collect();
        body(&system, &messages)
    };
    let requests = [
        with("It is 10:00:01.", &["one"]),
        with("It is 10:00:31.", &["one", "two"]),
        with("It is 10:00:31.", &["one", "second", "three"]),
    ];
    let requests = (0..).step_by(30).zip(requests).collect();
    let mut found = lint(&log(requests), &CacheRules::anthropic());
    found.retain(|it| it.rule == "prefix-changed");
    found.sort_by_key(|it| it.first);
    let causes: Vec<_> = found.iter().map(|it| (it.cause, it.first, it.requests)).collect();
    assert_eq!(causes, [(Some(Cause::DateOrClock), 2, 1), (Some(Cause::TextEdited), 3, 1)]);
    assert!(found.iter().all(|it| Some(it.fix) == it.cause.and_then(Cause::fix)));
}

/// Each workspace has a cache of its own.
#[test]
fn a_session_in_two_workspaces() {
    let found = |workspaces: [&str; 2]| {
        let mut all = log(changed(["Glob", "Read"], "rules"));
        for (entry, workspace) in all.iter_mut().zip(workspaces) {
            entry.workspace = Some(workspace.to_owned());
        }
        let found = lint(&all, &CacheRules::anthropic());
        found.into_iter().map(|it| (it.rule, it.cause, it.fix)).collect::<Vec<_>>()
    };
    let cause = Cause::OtherWorkspace;
    assert_eq!(found(["a", "b"]), [("prefix-changed", Some(cause), cause.fix().unwrap())]);
    assert_eq!(found(["a", "a"]), []);
}

#[test]
fn a_request_that_nothing_continues() {
    let first = || body(&[], &[user(vec![tail(long("one"))])]);
    let messages = [user(vec![long("one")]), answer("a"), user(vec![tail(short("two"))])];
    let other = |at| vec![(0, first()), (at, body(&[], &[user(vec![short("other")])]))];
    let rule = "one-shot-writes-tail";
    check(rule, other(301), pair(first(), body(&[], &messages)));
    // A log can end before the session does.
    check(rule, other(301), other(299));
}

/// Two requests in a conversation, so many seconds apart, with markers that
/// last this long.
fn apart(seconds: u64, ttl: &str) -> Vec<(u64, Value)> {
    let first = body(&[], &[user(vec![marked(long("one"), ttl)])]);
    let messages = [user(vec![long("one")]), answer("a"), user(vec![marked(short("b"), "5m")])];
    vec![(10, first), (10 + seconds, body(&[], &messages))]
}

#[test]
fn requests_wait_for_the_first_response() {
    check("cold-fan-out", apart(0, "5m"), apart(10, "5m"));
}

/// Agents with one system prompt that start at the same time, or one after the other.
#[test]
fn a_fan_out_waits_for_the_first_response() {
    let agents = |apart: u64| -> Vec<(u64, Value)> {
        let task = |it: u64| user(vec![short(&format!("task {it}"))]);
        (0..3).map(|it| (it * apart, body(&[tail(long("agent"))], &[task(it)]))).collect()
    };
    check("cold-fan-out", agents(0), agents(20));
    let found = lint(&log(agents(0)), &CacheRules::anthropic());
    assert_eq!((found[0].requests, found[0].first), (2, 2));
}

/// A tool call loop in which every so many requests write for an hour.
fn loops(every: usize) -> Vec<(u64, Value)> {
    let requests = (0..40_usize).map(|at| {
        let is_hour = at > 0 && (at + 1).is_multiple_of(every);
        let ttl = if is_hour { "1h" } else { "5m" };
        let marked = |mut block: Value| {
            block["cache_control"] = json!({"type": "ephemeral", "ttl": ttl});
            block
        };
        let mut messages = vec![user(vec![long("one")])];
        for call in 0..at {
            let id = format!("toolu_{call}");
            let tool_use = json!({"type": "tool_use", "id": id, "name": "Read", "input": {}});
            let result = json!({"type": "tool_result", "tool_use_id": id,
                "content": format!("the text of file {call}")});
            messages.push(json!({"role": "assistant", "content": [tool_use]}));
            messages.push(user(vec![result]));
        }
        let last = messages.last_mut().unwrap();
        let block = last["content"][0].take();
        last["content"][0] = marked(block);
        (10 * at as u64, body(&[], &messages))
    });
    requests.collect()
}

#[test]
fn lifetimes() {
    check("hour-never-read", apart(60, "1h"), apart(600, "1h"));
    check("hour-never-read", loops(1), loops(10));
    // The log ends before anything could be read late.
    let alone = |end: u64| {
        let request = |at| body(&[marked(long("rules"), "1h")], &[user(vec![short(at)])]);
        let other = body(&[], &[user(vec![short("other")])]);
        vec![(0, request("a")), (end, other)]
    };
    check("hour-never-read", alone(3_600), alone(3_000));
    let often = |gaps: u64| {
        let requests = (0..=gaps).map(|at| {
            let mut messages = vec![user(vec![tail(long("one"))])];
            for turn in 0..at {
                messages.extend([answer("a"), user(vec![short(&format!("and {turn}?"))])]);
            }
            (400 * at, body(&[], &messages))
        });
        requests.collect()
    };
    check("expired-often", often(2), often(1));
}

#[test]
fn thinking_that_is_bound_to_the_prefix() {
    let requests = |rules: &str| {
        let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
        let thought = json!({"role": "assistant", "content": [thinking, short("a")]});
        let first = body(&[tail(long("rules"))], &[user(vec![long("one")])]);
        let messages = [user(vec![long("one")]), thought, user(vec![tail(short("two"))])];
        pair(first, body(&[tail(long(rules))], &messages))
    };
    check("thinking-bound-prefix-changed", requests("other rules"), requests("rules"));
}

/// A paused answer goes on in its own message, which is no other prefix.
#[test]
fn thinking_of_an_answer_that_was_paused() {
    let thinking = |text: &str| json!({"type": "thinking", "thinking": text, "signature": "s"});
    let one = || user(vec![long("one")]);
    let requests = |begins: &str| {
        let paused = json!({"role": "assistant", "content": [thinking("a"), short("so far")]});
        let content = [thinking("a"), short(begins), thinking("b"), short("done")];
        let whole = json!({"role": "assistant", "content": content});
        let first = body(&[tail(long("rules"))], &[one(), paused]);
        let messages = [one(), whole, user(vec![tail(short("two"))])];
        pair(first, body(&[tail(long("rules"))], &messages))
    };
    check("thinking-bound-prefix-changed", requests("another"), requests("so far"));
}

#[test]
fn a_long_prefix_without_a_marker() {
    let requests = |mark: fn(Value) -> Value| {
        let first = body(&[], &[user(vec![mark(long("one"))])]);
        let messages = [user(vec![long("one")]), answer("a"), user(vec![mark(long("two"))])];
        pair(first, body(&[], &messages))
    };
    check("cacheable-but-unmarked", requests(|block| block), requests(tail));

    // A log whose format has no markers still shows that the provider cached.
    let recorded = |read: u64| {
        let timed = |(at, body): (u64, Value)| {
            let request = Body::parse(body.to_string().as_bytes()).unwrap();
            let mut timed = Timed::new(request, Duration::from_secs(at));
            timed.usage = Some(Usage::from_input(read, 0, 0, 5_000 - read));
            timed
        };
        let log: Vec<_> = requests(|block| block).into_iter().map(timed).collect();
        lint(&log, &CacheRules::anthropic()).len()
    };
    assert_eq!((recorded(0), recorded(4_000)), (1, 0));
}

/// Requests with one system prompt, of which none continues another.
fn one_shots(every: u64, system: Value, question: fn(Value) -> Value) -> Vec<(u64, Value)> {
    let request = |number: u64| {
        let asked = question(short(&format!("question {number}")));
        (number * every, body(std::slice::from_ref(&system), &[user(vec![asked])]))
    };
    (0..4).map(request).collect()
}

#[test]
fn requests_with_one_prompt_share_its_prefix() {
    let (bare, five, hour) = (long("a"), tail(long("a")), marked(long("a"), "1h"));
    let unmarked = "cacheable-but-unmarked";
    check(unmarked, one_shots(60, bare.clone(), |it| it), one_shots(60, five.clone(), |it| it));
    let late = one_shots(3_600, bare.clone(), |it| it);
    check(unmarked, one_shots(60, bare.clone(), tail), late);
    check("expired-often", one_shots(600, five, |it| it), one_shots(600, hour, |it| it));
    let findings = lint(&log(one_shots(60, bare, |it| it)), &CacheRules::anthropic());
    assert_eq!((findings[0].requests, findings[0].path.as_deref()), (3, Some("system[0]")));
}

/// None continues another, since their system prompts differ.
#[test]
fn a_clock_in_the_prompt_of_one_shots() {
    let requests = |every: u64, prompt: fn(u64) -> String, openai: bool| {
        let request = |number: u64| {
            let text = format!("{}\n{}", prompt(number), "word ".repeat(2_000));
            let question = json!({"role": "user", "content": format!("question {number}")});
            let system = json!({"role": "system", "content": text});
            let body = if openai {
                json!({"model": "gpt-5.2", "messages": [system, question]})
            } else {
                body(&[tail(short(&text))], &[question])
            };
            (number * every, body)
        };
        log((0..4).map(request).collect())
    };
    let clock = |number: u64| format!("It is 2026-11-24T10:00:{number:02}Z.");
    for (openai, rules) in [(false, CacheRules::anthropic()), (true, CacheRules::openai())] {
        let found = lint(&requests(60, clock, openai), &rules);
        let found: Vec<_> = found.iter().map(|it| (it.rule, it.cause, it.requests)).collect();
        assert_eq!(found, [("prefix-changed", Some(Cause::DateOrClock), 3)]);
        assert_eq!(lint(&requests(60, |_| "It is noon.".into(), openai), &rules), []);
        assert_eq!(lint(&requests(60, |it| format!("Agent {it} is it."), openai), &rules), []);
        assert_eq!(lint(&requests(3_600, clock, openai), &rules), []);
    }
}

#[test]
fn a_developer_message_without_a_breakpoint() {
    let requests = |mark: fn(&mut Value)| {
        let request = |number: u64| {
            let mut text = json!({"type": "input_text", "text": "word ".repeat(2_000)});
            mark(&mut text);
            let question = json!({"role": "user", "content": format!("question {number}")});
            let developer = json!({"role": "developer", "content": [text]});
            (number * 60, json!({"model": "gpt-6-sol", "input": [developer, question]}))
        };
        let all = log((0..3).map(request).collect());
        let found = lint(&all, &CacheRules::openai());
        found.iter().map(|it| it.rule).collect::<Vec<_>>()
    };
    assert_eq!(requests(|_| ()), ["cacheable-but-unmarked"]);
    let breakpoint = |it: &mut Value| it["prompt_cache_breakpoint"] = json!({"mode": "explicit"});
    assert_eq!(requests(breakpoint), Vec::<&str>::new());
}

/// What continues a stored response, which the log may lack, begins with it.
#[test]
fn a_stored_conversation_is_no_first_request() {
    let findings = |key: &str, id: Value| {
        let request = |number: u64| {
            let input = json!([{"role": "user", "content": format!("question {number}")}]);
            let mut body = json!({"model": "gpt-6-sol", "tools": [tool("a")], "input": input});
            body[key] = id.clone();
            (number * 60, body)
        };
        lint(&log((0..4).map(request).collect()), &CacheRules::openai()).len()
    };
    assert_eq!(findings("store", json!(true)), 1);
    assert_eq!(findings("previous_response_id", json!("resp_1")), 0);
    assert_eq!(findings("conversation", json!("conv_1")), 0);
}

/// A request writes at its newest breakpoints only, so a shared one before them is not there.
#[test]
fn a_breakpoint_that_was_never_written_has_not_expired() {
    let request = |number: u64| {
        let part = |index: u64| {
            let text = format!(
                "{index} of {} {}",
                if index < 3 { 0 } else { number },
                "word ".repeat(1_000)
            );
            json!({"type": "input_text", "text": text, "prompt_cache_breakpoint": {"mode": "explicit"}})
        };
        let parts: Vec<Value> = (0..8).map(part).collect();
        (number * 60, json!({"model": "gpt-6-sol", "input": [{"role": "user", "content": parts}]}))
    };
    assert_eq!(lint(&log((0..4).map(request).collect()), &CacheRules::openai()), []);
}

/// OpenAI sets no breakpoint if a request asks for explicit ones only.
#[test]
fn a_conversation_in_explicit_mode_without_breakpoints() {
    let rules = |mode: &str, mark: &dyn Fn(&mut Value)| {
        let request = |turn: u64| {
            let mut end = json!({"type": "input_text", "text": format!("Question {turn}")});
            mark(&mut end);
            let text = format!("Rules: {}", "word ".repeat(4_000));
            let turns = (0..turn).flat_map(|turn| {
                let asked = json!({"role": "user", "content": format!("Question {turn}")});
                [asked, json!({"role": "assistant", "content": "Yes."})]
            });
            let mut input = vec![json!({"role": "developer", "content": text})];
            input.extend(turns);
            input.push(json!({"role": "user", "content": [end]}));
            let options = json!({"mode": mode});
            let body =
                json!({"model": "gpt-6-sol", "prompt_cache_options": options, "input": input});
            (turn * 60, body)
        };
        let found = lint(&log((0..3).map(request).collect()), &CacheRules::openai());
        found.iter().map(|it| (it.rule, it.requests)).collect::<Vec<_>>()
    };
    assert_eq!(rules("explicit", &|_| ()), [("cacheable-but-unmarked", 2)]);
    assert_eq!(rules("implicit", &|_| ()), []);
    let breakpoint = |it: &mut Value| it["prompt_cache_breakpoint"] = json!({"mode": "explicit"});
    assert_eq!(rules("explicit", &breakpoint), []);
}
