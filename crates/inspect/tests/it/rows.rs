//! Rows for sessions without bodies: causes against labels, and sums against the bill.

use std::fmt::Write as _;

use aside_cache_model::{Body, Cost};
use aside_inspect::rows::{
    GroupBy, LogItem, RequestOptions, RequestReader, Row, RowBuilder, Sums, rules_for,
};
use aside_models::Usage;
use aside_request_logs::read;

pub(crate) fn rows(log: &str) -> Vec<Row> {
    let mut reader = RequestReader::new(RequestOptions::default());
    let mut builder = RowBuilder::default();
    let items = read(log.as_bytes(), None).map(|it| reader.read(it.unwrap()).unwrap());
    items.flatten().filter_map(|it| builder.row(it)).collect()
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

/// A Claude Code session with events whose effects on the cache are known.
struct Session<'a> {
    log: &'a mut String,
    labels: &'a mut Vec<&'static str>,
    name: String,
    at: u64,
    model: &'static str,
    /// The conversation's tokens, and those in the cache.
    tokens: u64,
    cached: u64,
    hour: bool,
}

impl Session<'_> {
    /// Sends a request that reads some tokens of the prefix and writes the rest.
    fn send(&mut self, read: u64, label: &'static str, extra: &str) {
        let written = self.tokens - read;
        let (five, hour) = if self.hour { (0, written) } else { (written, 0) };
        let (seconds, number) = (self.at % 60, self.labels.len());
        let (hours, minutes) = (self.at / 3_600 % 24, self.at / 60 % 60);
        let day = 1 + self.at / 86_400;
        writeln!(
            self.log,
            r#"{{"type":"assistant","sessionId":"{}","timestamp":"2026-10-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z","message":{{"id":"m{number}","model":"{}"{extra},"usage":{{"input_tokens":3,"cache_read_input_tokens":{read},"cache_creation_input_tokens":{written},"cache_creation":{{"ephemeral_5m_input_tokens":{five},"ephemeral_1h_input_tokens":{hour}}},"output_tokens":50}}}}}}"#,
            self.name, self.model
        )
        .unwrap();
        self.labels.push(label);
        self.cached = self.tokens;
    }
}

/// Returns sessions, and each request's cause.
fn labelled(sessions: u64) -> (String, Vec<&'static str>) {
    let (mut log, mut labels) = (String::new(), Vec::new());
    let mut numbers = Numbers(47);
    for index in 0..sessions {
        let mut session = Session {
            log: &mut log,
            labels: &mut labels,
            name: format!("s{index}"),
            at: index * 7_000,
            model: "claude-opus-5-5",
            tokens: 12_000 + numbers.below(9_000),
            cached: 0,
            hour: numbers.below(3) == 0,
        };
        session.send(0, "cold start", "");
        for _ in 0..12 {
            session.at += 5 + numbers.below(200);
            session.tokens += 300 + numbers.below(4_000);
            let cached = session.cached;
            match numbers.below(10) {
                0 => {
                    session.at += if session.hour { 3_601 } else { 301 };
                    session.send(0, "expired", "");
                }
                1 => {
                    let is_opus = session.model == "claude-opus-5-5";
                    session.model = if is_opus { "claude-haiku-4-5" } else { "claude-opus-5-5" };
                    session.send(0, "model switch", "");
                }
                2 => {
                    let boundary = r#"{"type":"system","subtype":"compact_boundary"}"#;
                    writeln!(session.log, "{boundary}").unwrap();
                    session.tokens = 9_000 + numbers.below(6_000);
                    session.send(numbers.below(2) * 8_000, "compaction", "");
                }
                3 => {
                    let reason = r#","diagnostics":{"cache_miss_reason":{"type":"tools_changed"}}"#;
                    session.send(0, "tools_changed", reason);
                }
                // A part of the history was edited: the prefix before it is read.
                4 => session.send(cached / 3, "unknown: the log has no bodies", ""),
                // The marker moved by a few tokens.
                5 => session.send(cached - numbers.below(200), "", ""),
                _ => session.send(cached, "", ""),
            }
        }
    }
    (log, labels)
}

#[test]
fn causes_without_bodies_are_those_of_the_labels() {
    let (log, labels) = labelled(120);
    let rows = rows(&log);
    assert_eq!(rows.len(), labels.len());
    let pairs = rows.iter().zip(&labels);
    let name = |row: &Row| row.cause.as_ref().map_or(String::new(), |it| it.name.to_string());
    let wrong: Vec<_> = pairs.filter(|(row, label)| name(row) != **label).collect();
    let right = 1.0 - wrong.len() as f64 / labels.len() as f64;
    assert!(right >= 0.95, "{right}: {:?}", &wrong[..5.min(wrong.len())]);
}

#[test]
fn lost_and_unavoidable_money_are_the_bill() {
    let (log, _) = labelled(40);
    let rows = rows(&log);
    let mut sums = Sums::default();
    for row in &rows {
        assert!(row.lost_cost.unwrap() <= row.cost.unwrap(), "{row:?}");
        assert!((row.lost_tokens > 0) == (row.lost_cost.unwrap() > Cost::ZERO), "{row:?}");
        sums.add(row);
    }
    let bill: Cost = rows.iter().map(|it| it.cost.unwrap()).sum();
    let causes = sums.groups(GroupBy::Cause);
    let lost: Cost = causes.iter().map(|it| it.1.lost_cost).sum();
    assert_eq!(lost + sums.all.unavoidable(), bill);
    for by in GroupBy::ALL.into_iter().filter(|it| *it != GroupBy::Cause) {
        let groups = sums.groups(by);
        assert_eq!(groups.iter().map(|it| it.1.cost).sum::<Cost>(), bill, "{by}");
        let usage: Usage = groups.iter().map(|it| it.1.usage).sum();
        assert_eq!(usage, sums.all.usage, "{by}");
    }
}

#[test]
fn a_loss_costs_what_reading_would_have_saved() {
    let log = concat!(
        r#"{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:00:00Z","message":{"id":"1","model":"claude-haiku-4-5","usage":{"input_tokens":0,"cache_creation_input_tokens":10000}}}"#,
        "\n",
        r#"{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:10:00Z","message":{"id":"2","model":"claude-haiku-4-5","usage":{"input_tokens":0,"cache_creation_input_tokens":12000}}}"#,
    );
    let rows = rows(log);
    let facts = aside_models::find("claude-haiku-4-5").facts;
    let cost = |read, written| Usage::from_input(read, written, 0, 0).cost(facts).unwrap();
    let expected = cost(0, 12_000).saturating_sub(cost(10_000, 2_000));
    assert_eq!(rows[1].lost_tokens, 10_000);
    assert_eq!(rows[1].lost_cost, Some(expected));
}

#[test]
fn entries_expire_by_their_own_lifetimes() {
    // Minutes, tokens that are read, and those that are written for five minutes and an hour.
    let check = |requests: &[[u64; 4]], between: &str, cause: &str, lost: u64| {
        let lines = requests.iter().enumerate().map(|(id, [minute, read, five, hour])| {
            let written = five + hour;
            format!(
                r#"{{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T{:02}:{:02}:00Z","message":{{"id":"{id}","model":"claude-opus-5-5","usage":{{"input_tokens":1,"cache_read_input_tokens":{read},"cache_creation_input_tokens":{written},"cache_creation":{{"ephemeral_5m_input_tokens":{five},"ephemeral_1h_input_tokens":{hour}}}}}}}}}"#,
                minute / 60, minute % 60
            )
        });
        let lines: Vec<_> = lines.collect();
        let rows = rows(&lines.join(between));
        let last = rows.last().unwrap();
        let name = last.cause.as_ref().map(|it| it.name.as_ref());
        assert_eq!((name, last.lost_tokens), (Some(cause), lost));
    };
    let unknown = "unknown: the log has no bodies";
    let both = [0, 0, 10_000, 10_000];
    check(&[both, [10, 10_000, 11_000, 0]], "\n", "expired", 10_000);
    check(&[both, [4, 10_000, 11_000, 0]], "\n", unknown, 10_000);
    let hour = [0, 0, 0, 20_000];
    check(&[hour, [30, 20_000, 1_000, 0], [50, 20_000, 1_000, 0]], "\n", "expired", 1_000);
    check(&[hour, [30, 20_000, 1_000, 0], [50, 0, 21_000, 0]], "\n", unknown, 21_000);
    // Nothing was left to compact.
    let boundary = "\n{\"type\":\"system\",\"subtype\":\"compact_boundary\"}\n";
    let read = [[0, 0, 20_000, 0], [1, 20_000, 1_000, 0]];
    check(&[read[0], read[1], [120, 0, 20_500, 0]], boundary, "expired", 20_000);
    check(&[read[0], read[1], [2, 0, 20_500, 0]], boundary, "compaction", 20_000);
    // What every request reads was read; the summary is new.
    check(&[read[0], read[1], [2, 18_000, 6_000, 0]], boundary, "compaction", 0);
}

#[test]
fn a_model_is_switched_while_its_cache_lives() {
    // What a request with this model loses, some minutes after one with Opus.
    let lost = |minute: u64, model: &str, expected: Option<&str>| {
        let line = |minute: u64, model: &str| {
            format!(
                r#"{{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T{:02}:{:02}:00Z","message":{{"id":"{minute}","model":"{model}","usage":{{"input_tokens":1,"cache_creation_input_tokens":20000}}}}}}"#,
                minute / 60,
                minute % 60
            )
        };
        let rows = rows(&format!("{}\n{}", line(0, "claude-opus-5-5"), line(minute, model)));
        let name = rows[1].cause.as_ref().map(|it| it.name.as_ref());
        assert_eq!(name, expected, "{model} after {minute} minutes");
    };
    lost(2, "claude-sonnet-5-5", Some("model switch"));
    lost(6, "claude-sonnet-5-5", Some("expired"));
    lost(6, "claude-opus-5-5[1m]", Some("expired"));
}

#[test]
fn a_stored_conversation_is_the_prefix_of_the_next_request() {
    let instructions = "Read before you write. ".repeat(400);
    let line = |number: u64, instructions: &str, previous: &str, has_output: bool| {
        let output = if has_output {
            r#""output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes?"}]}],"#
        } else {
            ""
        };
        format!(
            r#"{{"t":{},"body":{{"model":"gpt-5.5",{previous}"instructions":"{instructions}","input":"Step {number}"}},"response":{{"object":"response","id":"resp_{number}","model":"gpt-5.5",{output}"usage":{{"input_tokens":2100,"input_tokens_details":{{"cached_tokens":0}},"output_tokens":4}}}}}}"#,
            number * 20
        )
    };
    let second = r#""previous_response_id":"resp_0","#;
    let third = r#""previous_response_id":"resp_1","#;
    let edited = instructions.replacen("Read", "Look", 1);
    let reads = |has_output: bool| {
        let log = [
            line(0, &instructions, "", has_output),
            line(1, &instructions, second, has_output),
            line(2, &edited, third, has_output),
        ];
        let mut reader = RequestReader::new(RequestOptions::default());
        let items = read(log.join("\n").as_bytes(), None)
            .map(|it| reader.read(it.unwrap()).unwrap().unwrap())
            .collect::<Vec<_>>();
        (items, reader.notes.kept)
    };
    let (items, kept) = reads(true);
    assert_eq!(kept, 0);
    let mut cache = aside_cache_model::CacheModel::new(aside_cache_model::CacheRules::openai());
    let verdicts: Vec<_> = items
        .iter()
        .map(|item| {
            let LogItem::Request(logged) = item else { panic!("{item:?}") };
            (logged.timed.request.message_count(), cache.send_timed(&logged.timed))
        })
        .collect();
    let counts: Vec<usize> = verdicts.iter().map(|it| it.0).collect();
    assert_eq!(counts, [1, 3, 5]);
    assert!(verdicts[1].1.usage.read > 1_024, "{:?}", verdicts[1].1);
    assert_eq!(verdicts[1].1.miss, None);
    let miss = verdicts[2].1.miss.as_ref().unwrap();
    let path = miss.difference.as_ref().map(|it| it.path.as_str());
    assert_eq!(path, Some("instructions"));
    // Without the output, the conversation is not known.
    assert_eq!(reads(false).1, 2);
}

/// What the provider keeps is not in the body, but it is billed, and a changed prompt loses it.
#[test]
fn a_conversation_that_only_the_provider_knows_is_lost_too() {
    let line = |number: u64, instructions: &str, more: &str, read: u64| {
        format!(
            r#"{{"t":{},"body":{{"model":"gpt-5.5",{more},"instructions":"{instructions}"}},"response":{{"object":"response","id":"resp_{number}","model":"gpt-5.5","usage":{{"input_tokens":{},"input_tokens_details":{{"cached_tokens":{read}}},"output_tokens":4}}}}}}"#,
            number * 20,
            2_000 + 100 * number
        )
    };
    let next = |number: u64| format!(r#""input":"Go on","previous_response_id":"resp_{number}""#);
    let first = format!(r#""input":"{}""#, "word ".repeat(1_980));
    let log = [
        line(0, "Be brief.", &first, 0),
        line(1, "Be brief.", &next(0), 1_920),
        line(2, "Be long.", &next(1), 0),
    ];
    let rows = rows(&log.join("\n"));
    let cause = |it: &Row| it.cause.as_ref().map(|it| it.name.to_string());
    let causes: Vec<_> = rows.iter().map(cause).collect();
    assert_eq!(causes[1..], [None, Some("text edited".to_owned())]);
    assert_eq!(rows[2].lost_tokens, 2_048);
}

#[test]
fn cache_rules_are_those_of_wire_cloud_and_vendor() {
    let check = |body: &str, provider: &str, expected: &str| {
        let body = Body::parse(body.as_bytes()).unwrap();
        assert_eq!(rules_for(&body, Some(provider)).name, expected, "{provider}");
    };
    let gemini = r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#;
    for provider in ["vertex_ai", "gcp.vertex_ai", "google-cloud", "gemini"] {
        check(gemini, provider, "gemini");
    }
    let messages = r#"{"model":"claude-opus-5-5","max_tokens":9,"system":"Be brief.","messages":[{"role":"user","content":"Hi"}]}"#;
    check(messages, "vertex_ai", "bedrock");
    check(messages, "bedrock", "bedrock");
    check(messages, "anthropic", "anthropic");
    let chat = |model: &str| {
        format!(
            r#"{{"model":"{model}","messages":[{{"role":"system","content":"Be brief."}},{{"role":"user","content":"Hi"}}],"max_completion_tokens":9}}"#
        )
    };
    check(&chat("gemini-2.5-pro"), "vertex_ai", "gemini");
    check(&chat("gemini-2.5-pro"), "openrouter", "gemini");
    check(&chat("claude-opus-5-5"), "vertex_ai", "bedrock");
    check(&chat("gpt-4.1"), "azure", "openai");
    check(&chat("llama-5"), "openai", "openai");
}

/// Claude Code's own logs say for how long, other logs only how much.
#[test]
fn markers_say_for_how_long_a_write_is() {
    let cost = |ttl: &str| {
        let body = format!(
            r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":[{{"type":"text","text":"{}","cache_control":{{"type":"ephemeral"{ttl}}}}}]}}]}}"#,
            "word ".repeat(2_000)
        );
        let usage = r#"{"input_tokens":0,"cache_creation_input_tokens":2000,"cache_read_input_tokens":0,"output_tokens":0}"#;
        rows(&format!(r#"{{"t":0,"body":{body},"usage":{usage}}}"#))[0].cost
    };
    let facts = aside_models::find("claude-opus-5-5").facts;
    assert_eq!(cost(r#","ttl":"1h""#), Usage::from_input(0, 0, 2_000, 0).cost(facts));
    assert_eq!(cost(""), Usage::from_input(0, 2_000, 0, 0).cost(facts));

    // LiteLLM's form, with the lifetimes and without.
    let cost = |ttl: &str, details: &str| {
        let body = format!(
            r#""messages":[{{"role":"user","content":[{{"type":"text","text":"{}","cache_control":{{"type":"ephemeral"{ttl}}}}}]}}]"#,
            "word ".repeat(2_000)
        );
        let usage = format!(
            r#"{{"prompt_tokens":2000,"completion_tokens":0,"prompt_tokens_details":{{"cached_tokens":0,"cache_creation_tokens":2000{details}}},"cache_creation_input_tokens":2000,"cache_read_input_tokens":0}}"#
        );
        rows(&format!(
            r#"{{"id":"1","trace_id":"t","call_type":"acompletion","custom_llm_provider":"anthropic","model":"claude-opus-5-5",{body},"response":{{"usage":{usage}}},"prompt_tokens":2000,"completion_tokens":0,"startTime":1795305600}}"#
        ))[0]
        .cost
    };
    let details = |five: u64, hour: u64| {
        format!(
            r#","cache_creation_token_details":{{"ephemeral_5m_input_tokens":{five},"ephemeral_1h_input_tokens":{hour}}}"#
        )
    };
    let hour = r#","ttl":"1h""#;
    assert_eq!(cost(hour, ""), Usage::from_input(0, 0, 2_000, 0).cost(facts));
    assert_eq!(cost(hour, &details(0, 2_000)), Usage::from_input(0, 0, 2_000, 0).cost(facts));
    assert_eq!(cost("", &details(500, 1_500)), Usage::from_input(0, 500, 1_500, 0).cost(facts));
    assert_eq!(cost("", ""), Usage::from_input(0, 2_000, 0, 0).cost(facts));
}

#[test]
fn the_keys_of_a_row_are_stable() {
    let (log, _) = labelled(1);
    let json = serde_json::to_string(&rows(&log)[0]).unwrap();
    let expected = r#"{"time":"2026-10-01T00:00:00.000Z","at":1790812800.0,"agent":"claude-code","project":null,"session":"s0","subagent":null,"id":"m0","line":1,"model":"claude-opus-5-5","status":null,"error":null,"read":0,"#;
    assert!(json.starts_with(expected), "{json}");
    let keys: Vec<&str> = json.split(",\"").filter_map(|it| it.split('"').next()).collect();
    let rest = [
        "write_5m",
        "write_1h",
        "write_other",
        "uncached",
        "output",
        "is_predicted",
        "cost",
        "prices_as_of",
        "cause",
        "lost_tokens",
        "lost_cost",
        "path",
        "byte",
        "unknown_write",
    ];
    assert_eq!(keys[12..], rest);
}

#[test]
fn totals_have_all_keys() {
    let keys = |sums: &Sums| {
        let value = serde_json::to_value(&sums.all).unwrap();
        let of = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        [of(&value), of(&value["usage"])]
    };
    let mut sums = Sums::default();
    let empty = keys(&sums);
    let log = r#"{"t":0,"body":{"model":"gpt-5.6","messages":[],"n":1},"usage":{"prompt_tokens":9,"completion_tokens":3}}"#;
    sums.add(&rows(log)[0]);
    sums.all.usage.write_12h = 1;
    sums.all.usage.is_fast = true;
    assert_eq!(keys(&sums), empty);
    assert!(empty[0].iter().any(|it| it == "fix") && empty[1].len() == 8, "{empty:?}");
}

/// A line of another kind needs no time, and moves none.
#[test]
fn only_a_request_has_an_assumed_time() {
    const REQUEST: &str =
        r#"{"model":"claude-sonnet-5-5","messages":[{"role":"user","content":"Hi"}]}"#;
    const TIMED: &str = r#"{"type":"assistant","sessionId":"s","timestamp":"2026-10-01T00:00:00Z","message":{"id":"m","model":"claude-sonnet-5-5","usage":{"input_tokens":3,"output_tokens":5}}}"#;
    const OTHER: &str = r#"{"a":1}"#;
    let read_all = |logs: &[&str]| {
        let mut reader = RequestReader::new(RequestOptions::default());
        let mut items = Vec::new();
        for log in logs {
            items.extend(
                read(log.as_bytes(), None).filter_map(|it| reader.read(it.unwrap()).ok().flatten()),
            );
        }
        let seconds = items.iter().map(|item| match item {
            LogItem::Request(request) => request.timed.at.as_secs(),
            LogItem::Unbodied(request) => request.at.as_secs(),
            _ => 0,
        });
        (seconds.collect::<Vec<_>>(), reader.notes.assumed_times.map(|it| it.as_secs()))
    };
    let begun = 1_790_812_800;
    assert_eq!(read_all(&[TIMED, OTHER]), (vec![begun], None));
    assert_eq!(read_all(&[OTHER]), (vec![], None));
    assert_eq!(read_all(&[REQUEST, OTHER, REQUEST]), (vec![0, 30], Some(30)));
    assert_eq!(read_all(&[TIMED, REQUEST]), (vec![begun, begun + 30], Some(30)));
}

/// An assumed time is no date that somebody could look up.
#[test]
fn a_row_has_only_times_of_the_log() {
    let log = r#"{"t":"2026-11-20T08:00:00Z","body":{"model":"claude-sonnet-5-5","messages":[]}}
{"body":{"model":"claude-sonnet-5-5","messages":[]}}
{"t":null,"body":{"model":"claude-sonnet-5-5","messages":[]}}"#;
    let times: Vec<_> = rows(log).iter().map(Row::time).collect();
    assert_eq!(times, [Some("2026-11-20T08:00:00.000Z".to_owned()), None, None]);
    let mut reader = RequestReader::new(RequestOptions::default());
    read(log.as_bytes(), None).for_each(|it| drop(reader.read(it.unwrap()).unwrap()));
    let note = "2 requests have no time: 30 s after the one before are assumed";
    assert_eq!(reader.notes.assumed().as_deref(), Some(note));
}

/// A fallback, or the model behind a deployment's name, is billed at its own prices; another spelling
/// of the requested model changes nothing, and neither does a name that the catalogue lacks.
#[test]
fn the_model_that_answered_is_billed() {
    let billed = |requested: &str, answered: &str| {
        let row = &rows(&format!(
            r#"{{"t":1,"body":{{"model":"{requested}","messages":[{{"role":"user","content":"Hi"}}]}},"provider":"openai","model":"{answered}","status":200,"usage":{{"prompt_tokens":100000,"completion_tokens":1000}}}}"#
        ))[0];
        (row.model.clone().unwrap(), row.cost.map(|it| it.to_string()))
    };
    let cost = |model: &str| {
        let usage = Usage { output: 1_000, ..Usage::from_input(0, 0, 0, 100_000) };
        usage.cost(aside_models::find(model).facts).map(|it| it.to_string())
    };
    for (requested, answered, model) in [
        ("claude-sonnet-5-5", "claude-opus-5", "claude-opus-5"),
        ("my-deploy", "gpt-4.1-2025-04-14", "gpt-4.1-2025-04-14"),
        ("gpt-4.1", "gpt-4.1-2025-04-14", "gpt-4.1"),
        ("gpt-4.1", "my-model", "gpt-4.1"),
    ] {
        assert!(cost(model).is_some(), "{model}");
        assert_eq!(billed(requested, answered), (model.to_owned(), cost(model)), "{answered}");
    }
}

#[test]
fn a_whole_response_names_the_model_that_is_billed() {
    let log = r#"{"body":{"model":"my-deploy","messages":[{"role":"user","content":"Hi"}]},"response":{"object":"chat.completion","model":"gpt-4.1","usage":{"prompt_tokens":100000,"completion_tokens":1000}}}"#;
    assert_eq!(rows(log)[0].model.as_deref(), Some("gpt-4.1"));
}

/// Responses needs no input next to what the provider keeps.
#[test]
fn a_request_without_input_is_billed() {
    for body in [
        r#"{"model":"gpt-5.5","prompt":{"id":"pmpt_1","version":"2"}}"#,
        r#"{"model":"gpt-5.5","previous_response_id":"resp_1","instructions":"Be brief."}"#,
        r#"{"model":"gpt-5.5","conversation":"conv_1"}"#,
        r#"{"model":"gpt-5.5","input":"Hi"}"#,
    ] {
        let found = rows(&format!(
            r#"{{"t":1,"body":{body},"provider":"openai","status":200,"usage":{{"input_tokens":5000,"input_tokens_details":{{"cached_tokens":0}},"output_tokens":100}}}}"#
        ));
        let [row] = &found[..] else { panic!("{body}") };
        assert_eq!((row.usage.input(), row.usage.output), (5_000, 100), "{body}");
        assert!(row.cost.is_some() && !row.is_predicted, "{body}");
        assert_eq!(rows(body).len(), 1, "{body}");
    }
}

#[test]
fn requests_without_usage_are_counted() {
    let body = r#""body":{"model":"gpt-4.1","messages":[{"role":"user","content":"Hi"}]}"#;
    let usage = r#""usage":{"prompt_tokens":9,"completion_tokens":1}"#;
    let mut sums = Sums::default();
    let log = format!("{{{body}}}\n{{{body},{usage}}}\n{{{body},\"status\":500}}\n");
    rows(&log).iter().for_each(|row| sums.add(row));
    assert_eq!((sums.all.requests, sums.all.predicted), (3, 1));
}
