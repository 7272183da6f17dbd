use serde_json::{Value, from_str};

use super::*;

/// Returns the usage as `[uncached, read, write_5m, write_1h, write_other, output]`.
fn read(json: &str) -> Option<[u64; 6]> {
    let value: Value = from_str(json).unwrap();
    let it = Usage::from_any_vendor(&value)?;
    Some([it.uncached, it.read, it.write_5m, it.write_1h, it.write_other, it.output])
}

#[test]
fn writes_for_twelve_hours_are_counted_apart() {
    let details = r#"{"cache_write_tokens":9,"cache_write_tokens_details":{"ttl_30m_tokens":2,"ttl_12h_tokens":7}}"#;
    for usage in [
        format!(r#"{{"input_tokens":10,"input_tokens_details":{details}}}"#),
        format!(r#"{{"prompt_tokens":10,"prompt_tokens_details":{details}}}"#),
    ] {
        let value: Value = from_str(&usage).unwrap();
        let usage = Usage::from_any_vendor(&value).unwrap();
        assert_eq!((usage.write_other, usage.write_12h, usage.input()), (9, 7, 10));
        // In the form of the Messages API, only the name of the short time is another.
        let again = Usage::from(&Messages::from(usage));
        assert_eq!((again.write_5m, again.write_other, again.write_12h), (2, 7, 7));
    }
}

#[test]
fn usage_is_read_in_the_sense_of_its_vendor() {
    let check = |json: &str, expected: [u64; 6]| assert_eq!(read(json), Some(expected), "{json}");
    check(
        r#"{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,
        "cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4}}"#,
        [10, 5, 3, 4, 0, 0],
    );
    check(
        r#"{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,"output_tokens":2}"#,
        [10, 5, 7, 0, 0, 2],
    );
    check(
        r#"{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,"iterations":[
            {"type":"message","input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":7},
            {"type":"compaction","input_tokens":1,"cache_read_input_tokens":2,"cache_creation_input_tokens":3}]}"#,
        [11, 7, 10, 0, 0, 0],
    );
    check(
        r#"{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":10}}"#,
        [30, 60, 0, 0, 10, 0],
    );
    check(
        r#"{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens":3}"#,
        [40, 60, 0, 0, 0, 3],
    );
    check(
        r#"{"promptTokenCount":100,"cachedContentTokenCount":60,"toolUsePromptTokenCount":9,
        "candidatesTokenCount":5,"thoughtsTokenCount":2}"#,
        [49, 60, 0, 0, 0, 7],
    );
    // As Google's Python SDK prints it.
    check(
        r#"{"prompt_token_count":100,"cached_content_token_count":60,"tool_use_prompt_token_count":9,
        "candidates_token_count":5,"thoughts_token_count":2,"traffic_type":null}"#,
        [49, 60, 0, 0, 0, 7],
    );
    check(
        r#"{"inputTokens":10,"cacheReadInputTokens":5,"cacheWriteInputTokens":7,"outputTokens":1}"#,
        [10, 5, 7, 0, 0, 1],
    );
    check(
        r#"{"inputTokens":1,"cacheWriteInputTokens":7,"cacheDetails":[{"ttl":"5m","inputTokens":3},{"ttl":"1h","inputTokens":4}]}"#,
        [1, 0, 3, 4, 0, 0],
    );
    // DeepSeek.
    check(
        r#"{"prompt_tokens":100,"prompt_cache_hit_tokens":60,"prompt_cache_miss_tokens":40,"completion_tokens":3}"#,
        [40, 60, 0, 0, 0, 3],
    );
    // Codex, in its sessions.
    check(
        r#"{"input_tokens":100,"cached_input_tokens":60,"output_tokens":3}"#,
        [40, 60, 0, 0, 0, 3],
    );
    for none in ["null", "7", "[10, 5]", "{}", r#"{"input_tokens":"7"}"#] {
        assert_eq!(read(none), None, "{none}");
    }
}

#[test]
fn a_usage_of_the_messages_api_may_have_no_cache_figures() {
    let billed = |json: String| {
        let value: Value = from_str(&json).unwrap();
        Billed::from_any_vendor(&value).unwrap()
    };
    let iterations = r#""iterations":[{"type":"compaction","input_tokens":180,"output_tokens":35},
        {"type":"message","input_tokens":10,"output_tokens":20},
        {"type":"advisor_message","model":"claude-opus-5","input_tokens":5,"output_tokens":1}]"#;
    for cache in [
        "",
        r#""cache_creation_input_tokens":null,"cache_read_input_tokens":null,"cache_creation":null,"#,
        r#""cache_creation_input_tokens":0,"cache_read_input_tokens":0,"#,
    ] {
        let input = r#""input_tokens":10,"output_tokens":20"#;
        let it = billed(format!("{{{cache}{input},{iterations}}}"));
        assert_eq!((it.usage.uncached, it.usage.output), (190, 55), "{cache}");
        assert_eq!((it.samplings.is_some(), it.advisors.len()), (true, 1), "{cache}");
        assert!(billed(format!(r#"{{{cache}{input},"speed":"fast"}}"#)).usage.is_fast, "{cache}");
        let slow = billed(format!(r#"{{{cache}{input},"speed":"standard","iterations":[]}}"#));
        assert_eq!(slow, Usage { output: 20, ..Usage::from_input(0, 0, 0, 10) }.into(), "{cache}");
    }
    let unread = billed(r#"{"input_tokens":10,"cache_read_input_tokens":"7"}"#.to_owned());
    assert_eq!(unread.unread.as_deref(), Some("cache_read_input_tokens: \"7\""));
    assert_eq!(unread.known(), Some(Usage::from_input(0, 0, 0, 10)));
    // A figure of the Responses API makes the input a total.
    for member in [r#""speed":"fast""#, iterations, r#""cache_read_input_tokens":null"#] {
        let details = r#""input_tokens":100,"input_tokens_details":{"cached_tokens":60}"#;
        let it = billed(format!("{{{details},{member}}}"));
        assert_eq!(it.usage, Usage::from_input(60, 0, 0, 40), "{member}");
    }
    assert_eq!(read(r#"{"speed":"fast"}"#), None);
    assert_eq!(read(r#"{"input_tokens":"7","speed":"fast"}"#), None);
}

#[test]
fn a_whole_number_may_be_a_float() {
    for value in ["1000000", "1000000.0", "1e6"] {
        let json = format!(r#"{{"input_tokens":{value},"output_tokens":5}}"#);
        assert_eq!(read(&json), Some([1_000_000, 0, 0, 0, 0, 5]), "{json}");
    }
}

#[test]
fn a_figure_that_cannot_be_read_is_named() {
    let billed = |json: &str| {
        let value: Value = from_str(json).unwrap();
        Billed::from_any_vendor(&value).unwrap()
    };
    for value in ["-5", "1.5", "\"7\"", "18446744073709552000.0", "true"] {
        for json in [
            r#"{"input_tokens":N,"output_tokens":5}"#,
            r#"{"input_tokens":N,"cache_read_input_tokens":3}"#,
            r#"{"prompt_tokens":N}"#,
            r#"{"inputTokens":N}"#,
            r#"{"promptTokenCount":N,"cachedContentTokenCount":4}"#,
        ] {
            let unread = billed(&json.replace('N', value)).unread.unwrap();
            assert!(unread.ends_with(&format!(": {value}").replace(".0", "")), "{unread}");
        }
    }
    let below = billed(r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":"7"}}"#);
    assert_eq!(below.unread.as_deref(), Some("prompt_tokens_details.cached_tokens: \"7\""));
    assert_eq!((below.usage.uncached, below.known()), (9, Some(below.usage)));
    let below = billed(r#"{"cache_read_input_tokens":1,"iterations":[{"input_tokens":[]}]}"#);
    assert_eq!(below.unread.as_deref(), Some("iterations.input_tokens: a list"));
    assert_eq!(billed(r#"{"input_tokens":"7"}"#).known(), None);
    // Null and other members are not figures.
    for json in [r#"{"input_tokens":0}"#, r#"{"input_tokens":0,"output_tokens":null,"speed":7}"#] {
        assert_eq!((billed(json).unread, billed(json).known()), (None, Some(Usage::default())));
    }
}

#[test]
fn a_figure_that_is_no_whole_number_is_absent_and_the_rest_is_read() {
    for value in ["-1", "1.5", "null", "\"7\"", "true", "[1]", "{}"] {
        let json = format!(
            r#"{{"cache_creation":{value},"iterations":{value},"cache_read_input_tokens":{value},
            "cache_creation_input_tokens":7,"input_tokens":3}}"#
        );
        assert_eq!(read(&json), Some([3, 0, 7, 0, 0, 0]), "{json}");
    }
    // The last duplicate key counts.
    let usage: Chat = from_str(r#"{"prompt_tokens":1,"prompt_tokens":2}"#).unwrap();
    assert_eq!(usage.prompt, Some(2));
}

#[test]
fn figures_that_contradict_each_other_are_limited() {
    assert_eq!(
        read(
            r#"{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":8,"cache_write_tokens":8}}"#
        ),
        Some([0, 8, 0, 0, 2, 0])
    );
    assert_eq!(
        read(r#"{"promptTokenCount":10,"cachedContentTokenCount":11}"#),
        Some([0, 10, 0, 0, 0, 0])
    );
}

#[test]
fn telemetry_has_three_names_of_a_write() {
    for name in
        ["cache_write.input_tokens", "cache_creation.input_tokens", "cache_creation_input_tokens"]
    {
        let json = format!(r#"{{"gen_ai.usage.input_tokens":9,"gen_ai.usage.{name}":7}}"#);
        let usage = Usage::from(&from_str::<Telemetry>(&json).unwrap());
        assert_eq!((usage.write_5m, usage.uncached), (7, 2), "{name}");
    }
}

#[test]
fn telemetry_has_totals() {
    let usage: Telemetry = from_str(
        r#"{"gen_ai.usage.input_tokens":100,"gen_ai.usage.cache_read_input_tokens":60,
            "gen_ai.usage.cache_creation.input_tokens":10,"gen_ai.usage.output_tokens":7}"#,
    )
    .unwrap();
    let expected = Usage { output: 7, ..Usage::from_input(60, 10, 0, 30) };
    assert_eq!(Usage::from(&usage), expected);
}

#[test]
fn reasoning_is_the_rest_of_the_total() {
    let json = r#"{"prompt_tokens":100,"completion_tokens":7,"total_tokens":150}"#;
    let usage: Chat = from_str(json).unwrap();
    assert_eq!(Usage::from(&usage).output, 7);
    assert_eq!(usage.with_reasoning().output, 50);
    let logged: Value = from_str(json).unwrap();
    assert_eq!(Billed::from_any_vendor(&logged).unwrap().usage.output, 50);
}

#[test]
fn a_missing_figure_for_writes_is_not_zero() {
    for (usage, is_missing) in [
        (r#"{"input_tokens":9,"input_tokens_details":{"cached_tokens":4}}"#, true),
        (
            r#"{"input_tokens":9,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":0}}"#,
            false,
        ),
        (r#"{"input_tokens":9,"cached_input_tokens":4}"#, true),
        // Codex writes 0 whatever the API reports.
        (r#"{"input_tokens":9,"cached_input_tokens":4,"cache_write_input_tokens":0}"#, true),
        (r#"{"input_tokens":9,"cached_input_tokens":4,"cache_write_input_tokens":2}"#, false),
        (r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}"#, true),
        (
            r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":1}}"#,
            false,
        ),
        // No figure of a cache at all.
        (r#"{"prompt_tokens":9}"#, false),
        (r#"{"promptTokenCount":9,"cachedContentTokenCount":4}"#, false),
    ] {
        let value: Value = from_str(usage).unwrap();
        let billed = Billed::from_any_vendor(&value).unwrap();
        assert_eq!((billed.usage.input(), billed.is_write_missing), (9, is_missing), "{usage}");
    }
}

fn messages(iterations: &str) -> Messages {
    let json = format!(r#"{{"input_tokens":30,"output_tokens":3,"iterations":{iterations}}}"#);
    from_str(&json).unwrap()
}

#[test]
fn compactions_are_apart_from_the_samplings() {
    let usage = messages(
        r#"[{"type":"message","input_tokens":10,"output_tokens":1},
        {"type":"compaction","input_tokens":7,"cache_creation_input_tokens":5,"cache_read_input_tokens":4,
         "output_tokens":2,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":5}},
        {"type":"advisor_message","input_tokens":99,"output_tokens":9,"model":"a"},
        {"type":"message","input_tokens":20,"output_tokens":2}]"#,
    );
    let [compaction] = usage.compactions().collect::<Vec<_>>()[..] else {
        panic!("one compaction");
    };
    assert_eq!((compaction.total(), compaction.write_1h), (18, 5));
    assert_eq!(usage.context(), 22);
    let paid = Usage::from(&usage);
    assert_eq!((paid.uncached, paid.output), (37, 5));
    assert_eq!(paid.total(), 33 + 18);
    let advisors: Vec<_> = usage.advisors().map(|(model, it)| (model, it.total())).collect();
    assert_eq!(advisors, [("a", 108)]);
}

#[test]
fn fast_mode_has_its_own_prices() {
    let facts = crate::find("claude-opus-5").facts;
    let cost = |speed: &str| {
        let json = format!(r#"{{"input_tokens":1000,"output_tokens":100,"speed":"{speed}"}}"#);
        let usage: Messages = from_str(&json).unwrap();
        Usage::from(&usage).cost(facts).unwrap().to_string()
    };
    assert_eq!((cost("standard"), cost("fast")), ("$0.00750".into(), "$0.015".into()));
}

#[test]
fn without_readable_iterations_there_is_one_sampling() {
    for iterations in ["null", "[]", "{}", "[1]", r#"["message"]"#] {
        let usage = messages(iterations);
        assert_eq!(usage.compactions().count(), 0);
        assert_eq!(usage.context(), 33, "{iterations}");
    }
    let usage = messages(r#"[1,{"type":"compaction","input_tokens":7,"output_tokens":null}]"#);
    assert_eq!(usage.compactions().map(|it| it.total()).sum::<u64>(), 7);
}

#[test]
fn a_later_report_keeps_the_figures_that_it_leaves_out() {
    let mut usage: Messages =
        from_str(r#"{"input_tokens":3,"cache_read_input_tokens":5,"output_tokens":1}"#).unwrap();
    usage.update(from_str(r#"{"output_tokens":9,"input_tokens":null}"#).unwrap());
    assert_eq!((usage.input, usage.read, usage.output), (Some(3), Some(5), Some(9)));
}

/// A record or a provider may report any number.
#[test]
fn sums_end_at_the_largest_number() {
    let most = Usage {
        write_other: u64::MAX,
        output: u64::MAX,
        ..Usage::from_input(u64::MAX, u64::MAX, u64::MAX, u64::MAX)
    };
    assert_eq!([most, most].into_iter().sum::<Usage>(), most);
    assert_eq!((most.input(), most.total()), (u64::MAX, u64::MAX));
    let facts = crate::find("claude-opus-5-5").facts;
    let cost = most.cost(facts).map(crate::Cost::nanodollars);
    assert_eq!(cost, Some(u64::MAX));
}

#[test]
fn a_fallback_is_the_last_sampling() {
    let usage: Messages = from_str(
        r#"{"input_tokens":20,"output_tokens":5,"iterations":[
        {"type":"message","model":"claude-sonnet-5-5","input_tokens":9},
        {"type":"fallback_message","model":"claude-opus-5","input_tokens":11,"output_tokens":5}]}"#,
    )
    .unwrap();
    assert_eq!(usage.context(), 16);
}
