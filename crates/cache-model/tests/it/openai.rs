//! OpenAI's cache by model generation.

use std::time::Duration;

use aside_cache_model::{
    Body, CacheModel, CacheRules, MissDetail, MissReason, Usage, Verdict, compare,
};
use serde_json::{Value, json};

const BEFORE: &str = "gpt-5.5";
const SINCE: &str = "gpt-6-sol";
const TURN_SCOPED: &str = "gpt-6.2-sol";

/// Text with at least `words` tokens.
fn text(name: &str, words: usize) -> String {
    format!("{name} {}", "word ".repeat(3 * words))
}

fn developer() -> Value {
    json!({"role": "developer", "content": [{"type": "input_text", "text": text("Rules:", 2_000)}]})
}

fn marked(mut message: Value) -> Value {
    message["content"][0]["prompt_cache_breakpoint"] = json!({"mode": "explicit"});
    message
}

fn user(words: &str) -> Value {
    json!({"role": "user", "content": [{"type": "input_text", "text": text(words, 400)}]})
}

fn answer() -> Value {
    json!({"role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]})
}

fn body(model: &str, input: &[Value]) -> Value {
    json!({"model": model, "input": input})
}

/// Sends bodies at these seconds.
fn play(requests: &[(u64, Value)]) -> Vec<Verdict> {
    let mut model = CacheModel::new(CacheRules::openai());
    let send = |(at, body): &(u64, Value)| {
        let request = Body::parse(body.to_string().as_bytes()).unwrap();
        model.send(&request, Duration::from_secs(*at))
    };
    requests.iter().map(send).collect()
}

fn usages(requests: &[(u64, Value)]) -> Vec<Usage> {
    play(requests).into_iter().map(|it| it.usage).collect()
}

#[test]
fn a_conversation_reads_what_the_last_request_wrote() {
    for model in [BEFORE, SINCE] {
        let first = [developer(), user("One.")];
        let next = [developer(), user("One."), answer(), user("Two.")];
        let [one, two] = usages(&[(0, body(model, &first)), (60, body(model, &next))])[..] else {
            unreachable!()
        };
        let left = one.input();
        assert!(left - two.read < 128, "{model}: {one:?} {two:?}");
    }
}

/// Breakpoints move with the conversation, and make no prefix longer.
#[test]
fn a_breakpoint_counts_no_token() {
    let request = |marks: [fn(Value) -> Value; 3]| {
        let [one, two, three] = marks;
        let input = [
            developer(),
            one(user("One.")),
            answer(),
            two(user("Two.")),
            answer(),
            three(user("Three.")),
        ];
        body(SINCE, &input)
    };
    let plain: fn(Value) -> Value = |it| it;
    let requests = [(0, request([marked, marked, plain])), (60, request([plain, marked, marked]))];
    let [first, second] = &play(&requests)[..] else { unreachable!() };
    assert_eq!(first.usage.input(), second.usage.input());
    assert!(second.miss.is_none(), "{:?}", second.miss);
}

/// A changed message after a stable prefix: earlier generations read the
/// longest common prefix, later ones do not.
#[test]
fn a_changed_suffix_reads_nothing_without_a_breakpoint() {
    let fresh = |model, prefix: &dyn Fn() -> Value| {
        play(&[
            (0, body(model, &[prefix(), user("One.")])),
            (60, body(model, &[prefix(), user("Two.")])),
        ])
    };
    let read = |model, prefix| fresh(model, prefix)[1].usage.read;
    assert!(read(BEFORE, &developer) > 2_000);
    assert_eq!(read(SINCE, &developer), 0);
    let with_breakpoint = fresh(SINCE, &|| marked(developer()));
    let usage = with_breakpoint[1].usage;
    assert!(usage.read > 2_000 && usage.write_other > 300, "{usage:?}");
}

/// Writes are billed, and nothing is rounded.
#[test]
fn writes_are_billed_up_to_the_latest_message() {
    let input = [developer(), user("One."), answer()];
    let [one] = usages(&[(0, body(SINCE, &input))])[..] else { unreachable!() };
    assert!(one.uncached > 0 && one.uncached < 20, "{one:?}");
    assert!(one.write_other > 2_400, "{one:?}");
    let [before] = usages(&[(0, body(BEFORE, &input))])[..] else { unreachable!() };
    assert_eq!(before.write_other, 0);
}

/// The implicit breakpoint follows the result of any tool.
#[test]
fn a_result_of_any_tool_is_written() {
    let output = text("Output:", 600);
    let listed = json!([{"type": "input_text", "text": output}]);
    let results = [
        ("function_call_output", json!(output)),
        ("custom_tool_call_output", listed.clone()),
        ("local_shell_call_output", json!(output)),
        ("shell_call_output", json!([{"stdout": output, "stderr": ""}])),
        ("computer_call_output", json!({"type": "computer_screenshot", "file_id": output})),
        ("tool_search_output", json!(null)),
        ("program_output", json!(output)),
    ];
    for (kind, output) in results {
        let call = json!({"type": kind.replace("_output", ""), "call_id": "c"});
        let tools = json!([{"type": "function", "name": "f", "description": text("f", 600)}]);
        let result = json!({"type": kind, "call_id": "c", "output": output, "tools": tools});
        let input = [developer(), user("One."), call, result];
        let next = [&input[..], &[answer(), user("Two.")]].concat();
        let [one, two] = usages(&[(0, body(SINCE, &input)), (60, body(SINCE, &next))])[..] else {
            unreachable!()
        };
        assert_eq!((one.uncached, two.read), (0, one.write_other), "{kind}");
    }
    // An item that is no result is not written.
    let input = [developer(), user("One."), json!({"type": "item", "output": listed})];
    assert!(usages(&[(0, body(SINCE, &input))])[0].uncached > 600);
}

/// A client may make the key from its prompt. The key is the first cause, as for the provider.
#[test]
fn a_key_that_changes_with_the_tools_is_a_miss() {
    for model in [BEFORE, SINCE] {
        let request = |key: &str, tools: &[&str], input: &[Value]| {
            let tool = |name: &&str| json!({"type": "function", "name": name});
            let tools: Vec<Value> = tools.iter().map(tool).collect();
            json!({"model": model, "prompt_cache_key": key, "tools": tools, "input": input})
        };
        let first = [developer(), user("One.")];
        // As Codex and gpt-oss write it.
        let sealed = json!({"type": "reasoning", "id": "rs_1", "summary": [], "content": null,
            "encrypted_content": "gAAA"});
        let open = json!({"type": "reasoning", "summary": [],
            "content": [{"type": "reasoning_text", "text": "Hm."}]});
        for thought in [None, Some(sealed), Some(open)] {
            let said = [vec![developer(), user("One.")], Vec::from_iter(thought)].concat();
            let next = [said, vec![answer(), user("Two.")]].concat();
            let bodies = [request("a", &["a"], &first), request("b", &["a", "b"], &next)];
            let verdicts = play(&[(0, bodies[0].clone()), (60, bodies[1].clone())]);
            let miss = verdicts[1].miss.as_ref().unwrap();
            assert_eq!(miss.reason, MissReason::PromptCacheKeyChanged);
            assert!(miss.lost_tokens > 2_000, "{miss:?}");
            let [before, after] = bodies.map(|it| Body::parse(it.to_string().as_bytes()).unwrap());
            let compared = compare(&before, &after, &CacheRules::openai());
            assert_eq!(compared.parameter, Some("prompt_cache_key"));
            assert_eq!(compared.difference, miss.difference);
        }
    }
}

/// What the provider keeps is in no body: nothing shows that it changed.
#[test]
fn a_whole_conversation_after_a_kept_one_is_no_miss() {
    let [first, next] = ["One.", "Two."].map(|it| {
        let mut request = body(SINCE, &[user(it)]);
        request["conversation"] = json!("conv_1");
        request["instructions"] = json!(text("Rules:", 2_000));
        request
    });
    let input = [user("One."), answer(), user("Two.")];
    let whole = |instructions: &Value| {
        let mut request = body(SINCE, &[&[developer()], &input[..]].concat());
        request["instructions"] = instructions.clone();
        play(&[(0, first.clone()), (60, next.clone()), (120, request)]).pop().unwrap().miss
    };
    assert_eq!(whole(&first["instructions"]), None);
    let miss = whole(&json!("None.")).unwrap();
    assert_eq!(miss.reason, MissReason::SystemChanged);
}

/// A call of a tool that a search has found adds no definition to the one in its output.
#[test]
fn a_found_tool_is_defined_once() {
    let tool = |name: &str, words: usize| json!({"type": "function", "name": name, "description": text(name, words)});
    let mut deferred = tool("found", 600);
    deferred["defer_loading"] = json!(true);
    let request = |found: &[Value], next: &[Value]| {
        let search = json!({"type": "tool_search_call", "call_id": "s", "execution": "client"});
        let output = json!({"type": "tool_search_output", "call_id": "s", "tools": found});
        let input = [&[developer(), user("One."), search, output], next].concat();
        let mut request = body(SINCE, &input);
        request["tools"] = json!([{"type": "tool_search"}, deferred]);
        usages(&[(0, request)])[0].input()
    };
    let call =
        [json!({"type": "function_call", "call_id": "c", "name": "found", "arguments": "{}"})];
    let found = [tool("found", 600)];
    let (before, after) = (request(&found, &[]), request(&found, &call));
    assert!(after - before < 50, "{before} {after}");
    // Where the output lacks it, it follows the call.
    assert!(request(&[], &call) - request(&[], &[]) > 600);
}

/// A breakpoint in a result is one of the newest three.
#[test]
fn a_breakpoint_in_a_result_is_written() {
    let read = |mark: fn(Value) -> Value| {
        let content = mark(json!({"content": [{"type": "input_text", "text": text("a", 600)}]}));
        let output = &content["content"];
        let result = json!({"type": "function_call_output", "call_id": "c", "output": output});
        let first = [developer(), user("One."), result.clone(), user("Two.")];
        let other = [developer(), user("One."), result, user("Other.")];
        usages(&[(0, body(SINCE, &first)), (60, body(SINCE, &other))])[1].read
    };
    assert_eq!(read(|it| it), 0);
    assert!(read(marked) > 3_000);
}

#[test]
fn the_explicit_mode_has_its_own_breakpoints_only() {
    let request = |input: &[Value]| {
        let mut body = body(SINCE, input);
        body["prompt_cache_options"] = json!({"mode": "explicit"});
        body
    };
    let first = [marked(developer()), user("One.")];
    let next = [marked(developer()), user("One."), answer(), user("Two.")];
    let [one, two] = usages(&[(0, request(&first)), (60, request(&next))])[..] else {
        unreachable!()
    };
    assert_eq!(two.read, one.write_other);
    let unmarked = [developer(), user("One."), answer(), user("Two.")];
    let verdicts = play(&[(0, request(&first)), (60, request(&unmarked))]);
    assert_eq!(verdicts[1].usage.read, 0);
    let miss = verdicts[1].miss.as_ref().unwrap();
    assert_eq!(miss.detail, Some(MissDetail::NoMarker));
}

#[test]
fn at_most_three_explicit_breakpoints_are_written_besides_the_implicit_one() {
    let input = || -> Vec<Value> {
        let more = (0..5).map(|it| marked(user(&format!("Part {it}."))));
        [developer()].into_iter().chain(more).collect()
    };
    let mut changed = input();
    changed.truncate(3);
    changed.push(user("Other."));
    let mut read = Vec::new();
    for kept in 1..=5 {
        let mut changed = input();
        changed.truncate(1 + kept);
        changed.push(user("Other."));
        let usage = usages(&[(0, body(SINCE, &input())), (60, body(SINCE, &changed))]);
        read.push(usage[1].read > 0);
    }
    // The last user message has the implicit breakpoint and is explicit too.
    assert_eq!(read, [false, true, true, true, true]);
}

#[test]
fn entries_live_for_half_an_hour_or_twelve() {
    let request = |ttl: Option<&str>, input: &[Value]| {
        let mut body = body(SINCE, input);
        if let Some(ttl) = ttl {
            body["prompt_cache_options"] = json!({"ttl": ttl});
        }
        body
    };
    let first = [developer(), user("One.")];
    let next = [developer(), user("One."), answer(), user("Two.")];
    let read = |ttl, gap| {
        let requests = [(0, request(ttl, &first)), (gap, request(ttl, &next))];
        usages(&requests)[1].read > 0
    };
    assert!(read(None, 29 * 60));
    assert!(!read(None, 31 * 60));
    assert!(read(Some("12h"), 11 * 3600));
    assert!(!read(Some("12h"), 13 * 3600));
    let late = play(&[(0, request(None, &first)), (3600, request(None, &next))]);
    let miss = late[1].miss.as_ref().unwrap();
    assert!(
        matches!(&miss.detail, Some(MissDetail::Expired { needed: Some(it), .. }) if it.as_str() == "12h")
    );
    // Twelve hours have a price of their own.
    let cost = |ttl| play(&[(0, request(ttl, &first))])[0].clone();
    let [short, long] = [cost(None), cost(Some("12h"))];
    assert_eq!(short.usage.write_other, long.usage.write_12h);
    assert!(long.cost.unwrap().dollars() > 1.9 * short.cost.unwrap().dollars());
    // Chat Completions has no lifetime but 30 minutes.
    let chat = |messages: Value| json!({"model": SINCE, "messages": messages});
    let (question, more) = (chat(json!(first)), chat(json!(next)));
    let late = play(&[(0, question), (3600, more)]);
    let detail = late[1].miss.as_ref().unwrap().detail.clone();
    assert!(matches!(detail, Some(MissDetail::Expired { needed: None, .. })), "{detail:?}");
}

#[test]
fn a_request_before_breakpoints_can_keep_entries_for_a_day() {
    let request = |input: &[Value]| {
        let mut body = body(BEFORE, input);
        body["prompt_cache_retention"] = json!("24h");
        body
    };
    let first = request(&[developer(), user("One.")]);
    let next = request(&[developer(), user("One."), answer(), user("Two.")]);
    let late = |hours: u64| play(&[(0, first.clone()), (hours * 3600, next.clone())])[1].clone();
    assert!(late(23).usage.read > 0 && late(23).miss.is_none());
    let detail = late(25).miss.unwrap().detail;
    assert!(matches!(detail, Some(MissDetail::Expired { needed: None, .. })), "{detail:?}");
}

/// From GPT-6.2 on, `instructions` follow the input: each request pays for them
/// in full, and to change them loses nothing.
#[test]
fn instructions_are_never_cached_since_they_are_turn_scoped() {
    let request = |model, clock: &str, input: &[Value]| {
        let mut body = body(model, input);
        body["instructions"] = json!(text(clock, 1_500));
        body
    };
    let first = [developer(), user("One.")];
    let next = [developer(), user("One."), answer(), user("Two.")];
    let second = |model, clock| {
        let requests = [(0, request(model, "10:00", &first)), (60, request(model, clock, &next))];
        play(&requests)[1].clone()
    };
    let stable = second(TURN_SCOPED, "10:00");
    assert!(stable.usage.uncached > 1_400, "{:?}", stable.usage);
    let changed = second(TURN_SCOPED, "10:01");
    assert_eq!(changed.usage, stable.usage);
    assert_eq!(changed.miss, None);
    assert!(second(SINCE, "10:00").usage.uncached < 20);
    assert_eq!(second(SINCE, "10:01").usage.read, 0);
    assert_eq!(second(SINCE, "10:01").miss.unwrap().reason, MissReason::SystemChanged);
}

/// The key routes requests to a cache.
#[test]
fn another_prompt_cache_key_reads_nothing() {
    let request = |key: &str, input: &[Value]| {
        let mut body = body(SINCE, input);
        body["prompt_cache_key"] = json!(key);
        body
    };
    let first = [developer(), user("One.")];
    let next = [developer(), user("One."), answer(), user("Two.")];
    let second = |key| play(&[(0, request("a", &first)), (60, request(key, &next))]).remove(1);
    assert!(second("a").usage.read > 2_000);
    let other = second("b");
    assert_eq!(other.usage.read, 0);
    assert_eq!(other.miss.unwrap().reason, MissReason::PromptCacheKeyChanged);
}

/// Reported reads are rounded down, and the provider reports no writes: a
/// prefix is as long as the whole input of the request that left it.
#[test]
fn reported_usage_does_not_change_the_next_prediction_if_it_agrees() {
    let inputs = [
        vec![developer(), user("One.")],
        vec![developer(), user("One."), answer(), user("Two.")],
        vec![developer(), user("One."), answer(), user("Two."), answer(), user("Three.")],
    ];
    let requests: Vec<_> =
        (0u64..).map(|it| it * 60).zip(inputs.map(|it| body(BEFORE, &it))).collect();
    let expected = usages(&requests);
    let mut model = CacheModel::new(CacheRules::openai());
    for ((at, body), expected) in requests.iter().zip(expected) {
        let request = Body::parse(body.to_string().as_bytes()).unwrap();
        let found = model.send(&request, Duration::from_secs(*at)).usage;
        assert_eq!(found, expected);
        model.observe(found);
    }
}

/// Gateways leave out `cache_write_tokens`: that is no request that writes nothing.
#[test]
fn a_usage_without_writes_says_nothing_about_them() {
    let mut input = vec![developer(), user("0")];
    let mut model = CacheModel::new(CacheRules::openai());
    for turn in 1..5_u64 {
        let request = Body::parse(body(SINCE, &input).to_string().as_bytes()).unwrap();
        let expected = model.cleared().send(&request, Duration::ZERO).usage.input();
        let found = model.send(&request, Duration::from_secs(60 * turn)).usage;
        assert_eq!(found.input(), expected);
        model.observe(Usage::from_input(found.read, 0, 0, found.written() + found.uncached));
        input.extend([answer(), user(&turn.to_string())]);
    }
}

#[test]
fn a_block_is_read_up_to_the_byte_that_changed() {
    let reads = |model: &str, prompt: &dyn Fn(u64) -> String, pause: u64| {
        let request = |minute: u64| {
            let question = format!("Question {minute}");
            json!({"model": model, "input": [
                {"role": "developer", "content": prompt(minute)},
                {"role": "user", "content": question},
            ]})
        };
        let [one, two] = play(&[(0, request(1)), (pause, request(2))]).try_into().unwrap();
        (one.usage.uncached, two.usage.read)
    };
    let clock_last = |minute: u64| format!("{} It is 10:0{minute}.", text("Rules:", 2_000));
    let clock_first = |minute: u64| format!("It is 10:0{minute}. {}", text("Rules:", 2_000));
    let (all, read) = reads(BEFORE, &clock_last, 60);
    assert!(read % 128 == 0 && all - read < 256, "{read} of {all}");
    assert_eq!(reads(BEFORE, &clock_first, 60).1, 0);
    // Too short, too late, and no part of a breakpoint's prefix.
    assert_eq!(reads(BEFORE, &|minute| format!("Be brief. It is 10:0{minute}."), 60).1, 0);
    assert_eq!(reads(BEFORE, &clock_last, 24 * 60 * 60).1, 0);
    assert_eq!(reads(SINCE, &clock_last, 60).1, 0);
}

/// Reads are rounded down to steps: what is behind the last one was never to be read.
#[test]
fn a_change_within_the_last_step_is_no_miss() {
    let end = |text: &str| json!({"role": "user", "content": text});
    let request = |text: &str| body(BEFORE, &[developer(), user("One."), answer(), end(text)]);
    let played = play(&[(0, request("Go on")), (60, request("Stop"))]);
    assert_eq!(played[1].miss, None);
    let long = |text: &str| request(&text.repeat(200));
    let played = play(&[(0, long("Go on. ")), (60, long("Stop. "))]);
    assert!(played[1].miss.as_ref().is_some_and(|it| it.lost_tokens > 0), "{:?}", played[1].miss);
}

#[test]
fn a_loss_is_of_whole_steps() {
    let first = [developer(), user("One."), answer(), user("Two."), answer(), user("Three.")];
    let next = [developer(), user("One."), answer(), user("Edited."), answer(), user("Three.")];
    let played = play(&[(0, body(BEFORE, &first)), (60, body(BEFORE, &next))]);
    let miss = played[1].miss.as_ref().unwrap();
    assert!(miss.lost_tokens > 0 && miss.lost_tokens.is_multiple_of(128), "{miss:?}");
}
