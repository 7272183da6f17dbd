//! Which sessions continue others, and what groups have in common.

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, Cause};
use aside_inspect::Step;
use aside_inspect::rows::{GroupBy, RequestOptions, RequestReader, Row, RowBuilder, Sums};
use aside_request_logs::read;

use crate::rows::rows;

/// Reads logs one after the other.
fn of_logs(logs: &[String]) -> Vec<Row> {
    let mut reader = RequestReader::new(RequestOptions::default());
    let mut builder = RowBuilder::default();
    let exchanges = logs.iter().flat_map(|log| read(log.as_bytes(), None));
    let items = exchanges.map(|it| reader.read(it.unwrap()).unwrap().unwrap());
    items.filter_map(|it| builder.row(it)).collect()
}

fn causes(rows: &[Row]) -> Vec<(&str, u64)> {
    let causes =
        rows.iter().map(|it| (it.cause.as_ref().map_or("", |it| &*it.name), it.lost_tokens));
    causes.collect()
}

/// Copies have their message's id, usage, model and time, or its request id; ids alone can repeat.
#[test]
fn a_response_that_a_fork_repeats_is_billed_once() {
    let line = |session: &str, at: u64, input: u64, keys: &str| {
        format!(
            r#"{{"type":"assistant","sessionId":"{session}","timestamp":"2026-11-20T10:0{at}:00.000Z"{keys},"message":{{"id":"msg_1","model":"m","usage":{{"input_tokens":{input},"output_tokens":1}}}}}}"#
        )
    };
    let count = |logs: &[String]| {
        let mut reader = RequestReader::new(RequestOptions::default());
        let mut builder = RowBuilder::default();
        let exchanges = logs.iter().flat_map(|log| read(log.as_bytes(), None));
        let items = exchanges.map(|it| reader.read(it.unwrap()).unwrap().unwrap());
        items.filter_map(|it| builder.row(it)).count()
    };
    let first = line("a", 1, 9, "");
    assert_eq!(count(&[first.clone(), line("b", 1, 9, "")]), 1);
    assert_eq!(count(&[first.clone(), line("b", 2, 9, ""), line("c", 1, 8, "")]), 3);
    let [one, two] = ["req_1", "req_2"].map(|it| format!(r#","requestId":"{it}""#));
    let first = line("a", 1, 9, &one);
    assert_eq!(count(&[first.clone(), line("b", 2, 9, &one)]), 1);
    assert_eq!(count(&[first.clone(), line("b", 1, 9, &two)]), 2);
    // A copy of the first line of a response.
    let whole = |line: &str| line.replace(r#""output_tokens":1}"#, r#""output_tokens":200}"#);
    let session = format!("{first}\n{}", whole(&first));
    assert_eq!(count(&[session, line("b", 2, 9, &one)]), 1);
    let first = line("a", 1, 9, "");
    assert_eq!(count(&[whole(&first), first]), 1);
}

#[test]
fn a_fork_of_codex_repeats_the_session_that_it_continues() {
    let count = |total: u64| {
        format!(
            r#"{{"timestamp":"2026-11-20T10:00:00.000Z","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{total}}},"last_token_usage":{{"input_tokens":2000,"output_tokens":9}}}}}}}}"#
        )
    };
    let meta = |keys: &str| format!(r#"{{"type":"session_meta","payload":{{{keys}}}}}"#);
    let first = [meta(r#""id":"a""#), count(2_009), count(4_018)].join("\n");
    // Codex writes copied lines with the time of the fork.
    let copied = first.replace("T10:", "T11:");
    let fork = meta(r#""id":"b","forked_from_id":"a""#) + "\n" + &copied + "\n" + &count(6_027);
    let of_fork = meta(r#""id":"c","forked_from_id":"b""#) + "\n" + &fork + "\n" + &count(8_036);
    let other = meta(r#""id":"d""#) + "\n" + &count(2_009);
    let mut reader = RequestReader::new(RequestOptions::default());
    let mut builder = RowBuilder::default();
    let mut sessions = String::new();
    for log in [first, fork, of_fork + "\n" + &other] {
        for exchange in read(log.as_bytes(), None) {
            let row = builder.row(reader.read(exchange.unwrap()).unwrap().unwrap());
            sessions.extend(row.and_then(|it| it.session));
        }
    }
    assert_eq!(sessions, "aabcd");
}

/// Returns a response of Claude Code: what was read, what was written, and more keys of the usage.
fn response(session: &str, id: u64, at: &str, figures: [u64; 2], more: &str) -> String {
    let [read, written] = figures;
    format!(
        r#"{{"type":"assistant","sessionId":"{session}","requestId":"r{id}","timestamp":"2026-11-20T{at}:00.000Z","message":{{"id":"m{id}","model":"claude-opus-5-5","usage":{{"input_tokens":3,"cache_read_input_tokens":{read},"cache_creation_input_tokens":{written},"output_tokens":20{more}}}}}}}"#
    )
}

/// The history of a forked session is in its copies, whichever file is read first.
#[test]
fn a_fork_continues_the_session_that_it_copies() {
    let history = |session: &str| {
        let first = response(session, 1, "10:00", [0, 50_000], "");
        first + "\n" + &response(session, 2, "10:01", [50_000, 2_000], "")
    };
    let original = history("a") + "\n" + &response("a", 3, "10:40", [0, 53_000], "");
    let fork = history("b") + "\n" + &response("b", 4, "12:00", [0, 52_500], "");
    let lost = ("expired", 52_000);
    for logs in [[original.clone(), fork.clone()], [fork.clone(), original.clone()]] {
        let rows = of_logs(&logs);
        assert_eq!(causes(&rows), [("cold start", 0), ("", 0), lost, lost]);
    }
    let other = response("b", 4, "12:00", [0, 52_500], "");
    assert_eq!(causes(&of_logs(&[original, other]))[3], ("cold start", 0));
}

/// A line of Claude Code from a second of the tenth hour, with more keys.
fn line(kind: &str, second: u64, more: &str) -> String {
    let (minute, second) = (second / 60, second % 60);
    format!(
        r#"{{"type":"{kind}","sessionId":"s","timestamp":"2026-11-20T10:{minute:02}:{second:02}.000Z",{more}}}"#
    )
}

fn usage(id: u64, [read, written]: [u64; 2]) -> String {
    format!(
        r#""requestId":"r{id}","message":{{"id":"m{id}","model":"claude-opus-5-5","usage":{{"input_tokens":3,"cache_read_input_tokens":{read},"cache_creation_input_tokens":{written},"output_tokens":20}}}}"#
    )
}

/// A lifetime begins with the request, which the prompt or result before the response shows.
#[test]
fn a_request_began_with_the_line_before_its_response() {
    let causes_of = |[first, answer, second, late]: [u64; 4], is_named: bool| {
        let parent = |id: &str| match Some(id).filter(|_| is_named) {
            Some(id) => format!(r#""parentUuid":"{id}","#),
            None => r#""parentUuid":null,"#.to_owned(),
        };
        let log = [
            line("user", first, r#""uuid":"1""#),
            line("assistant", answer, &(parent("1") + &usage(1, [0, 20_000]))),
            line("user", second, r#""uuid":"2""#),
            line("assistant", late, &(parent("2") + &usage(2, [0, 20_500]))),
            line("assistant", late + 9, &usage(2, [0, 20_500])),
        ];
        let rows = of_logs(&[log.join("\n")]);
        assert_eq!(rows.len(), 2);
        rows[1].cause.as_ref().unwrap().name.to_string()
    };
    for is_named in [true, false] {
        assert_eq!(causes_of([0, 240, 330, 335], is_named), "expired");
        assert_eq!(causes_of([0, 5, 100, 340], is_named), "unknown: the log has no bodies");
    }
}

/// What is new in the other branch was in no cache.
#[test]
fn a_rewound_session_continues_an_earlier_request() {
    let prompt = |id: u64, parent: u64| format!(r#""uuid":"u{id}","parentUuid":"a{parent}""#);
    let answer =
        |id: u64, figures| format!(r#""uuid":"a{id}","parentUuid":"u{id}",{}"#, usage(id, figures));
    let lost = |read: u64| {
        let log = [
            line("user", 0, r#""uuid":"u1","parentUuid":null"#),
            line("assistant", 1, &answer(1, [15_000, 85_000])),
            line("user", 100, &prompt(2, 1)),
            line("assistant", 101, &answer(2, [100_000, 20_000])),
            line("user", 350, &prompt(3, 1)),
            line("assistant", 351, &answer(3, [read, 115_000 - read])),
        ];
        let rows = of_logs(&[log.join("\n")]);
        let (cause, tokens) = causes(&rows)[2];
        (cause.to_owned(), tokens)
    };
    assert_eq!(lost(100_000), (String::new(), 0));
    assert_eq!(lost(15_000), ("unknown: the log has no bodies".to_owned(), 85_000));
}

/// Also if a sub-agent in the same file answers first.
#[test]
fn a_compaction_is_of_the_thread_that_states_it() {
    let agent = |keys: String| format!(r#""isSidechain":true,"agentId":"x",{keys}"#);
    let log = [
        line("assistant", 0, &usage(1, [15_000, 105_000])),
        line("assistant", 5, &agent(usage(2, [0, 9_000]))),
        line("system", 10, r#""subtype":"compact_boundary""#),
        line("assistant", 12, &agent(usage(3, [9_000, 100]))),
        line("assistant", 20, &usage(4, [0, 70_000])),
    ];
    let rows = of_logs(&[log.join("\n")]);
    let expected = [("", 0), ("sub-agent start", 0), ("", 0), ("compaction", 15_000)];
    assert_eq!(causes(&rows), expected);
}

#[test]
fn a_sub_agent_of_codex_belongs_to_the_session_that_started_it() {
    let rollout = |meta: &str| {
        format!(
            r#"{{"type":"session_meta","payload":{{{meta}}}}}
{{"timestamp":"2026-11-20T10:00:00.000Z","type":"event_msg","payload":{{"type":"token_count","info":{{"last_token_usage":{{"input_tokens":2000,"output_tokens":9}}}}}}}}"#
        )
    };
    let source = r#"{"subagent":{"thread_spawn":{"parent_thread_id":"a","depth":1}}}"#;
    let spawned = rollout(&format!(r#""id":"b","source":{source}"#));
    let rows = of_logs(&[rollout(r#""id":"a","source":"cli""#), spawned]);
    let names = |row: &Row| (row.session.clone().unwrap(), row.subagent.clone());
    let expected = [("a".to_owned(), None), ("a".to_owned(), Some("b".to_owned()))];
    assert_eq!(rows.iter().map(names).collect::<Vec<_>>(), expected);
}

/// A fork of Codex names the session that it continues; its own lines leave out the history, or
/// have it with the time of the fork.
#[test]
fn a_fork_of_codex_continues_the_session_that_it_names() {
    let count = |at: &str, total: u64, read: u64, written: u64| {
        format!(
            r#"{{"timestamp":"2026-11-20T{at}:00.000Z","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{total}}},"last_token_usage":{{"input_tokens":{},"cached_input_tokens":{read},"cache_write_input_tokens":{written},"output_tokens":9}}}}}}}}"#,
            read + written
        )
    };
    let meta = |keys: &str| {
        format!(r#"{{"type":"session_meta","payload":{{{keys},"model":"gpt-5.6"}}}}"#) + "\n"
    };
    let first = meta(r#""id":"a""#) + &count("10:00", 30_009, 0, 30_000);
    let late = count("12:00", 62_018, 0, 32_000);
    let named = meta(r#""id":"b","forked_from_id":"a""#);
    let copied = first.replace("T10:00", "T12:00") + "\n";
    let other = meta(r#""id":"b""#) + &late;
    let last = |next: String| of_logs(&[first.clone(), next]).remove(1);
    for fork in [named.clone() + &late, named + &copied + &late] {
        assert_eq!(causes(&[last(fork)]), [("expired", 30_000)]);
    }
    assert_eq!(causes(&[last(other)]), [("cold start", 0)]);
    // The original goes on; the fork reads what it copied. A fork of the fork reads what that left.
    let original = first.clone() + "\n" + &count("10:01", 90_018, 30_000, 30_000);
    let fork = |at: &str, read: u64, id: &str, from: &str| {
        let meta = meta(&format!(r#""id":"{id}","forked_from_id":"{from}""#));
        meta + &first.replace("T10:00", &format!("T{at}")) + "\n" + &count(at, 61_018, read, 1_000)
    };
    let rows =
        of_logs(&[original, fork("10:02", 30_000, "b", "a"), fork("10:03", 29_000, "c", "b")]);
    assert_eq!(causes(&rows)[2..], [("", 0), ("unknown: the log has no bodies", 1_000)]);
}

/// The usage of a response with several samplings is the sum of several prompts.
#[test]
fn the_last_sampling_is_the_prompt_that_continues() {
    let sampling = |read: u64| {
        format!(
            r#"{{"type":"message","input_tokens":3,"cache_read_input_tokens":{read},"cache_creation_input_tokens":500,"output_tokens":9}}"#
        )
    };
    let all = [39_000, 39_500, 40_000].map(sampling).join(",");
    let several = format!(r#","iterations":[{all}]"#);
    let one = format!(r#","iterations":[{}]"#, sampling(40_000));
    let first = response("s", 1, "10:00", [9_000, 30_000], "");
    let causes_of = |second: String, third: [u64; 2], at: &str| {
        let log = [first.clone(), second, response("s", 3, at, third, "")].join("\n");
        let rows = rows(&log);
        assert_eq!(causes(&rows[..2]), [("", 0), ("", 0)]);
        let (cause, lost) = causes(&rows)[2];
        (cause.to_owned(), lost)
    };
    for second in [
        response("s", 2, "10:01", [118_500, 1_500], &several),
        response("s", 2, "10:01", [40_000, 500], &one),
    ] {
        let next = |third, at| causes_of(second.clone(), third, at);
        assert_eq!(next([0, 40_800], "10:12"), ("expired".to_owned(), 40_500));
        assert_eq!(next([40_500, 300], "10:02"), (String::new(), 0));
        assert_eq!(next([9_000, 1_000], "10:02").0, "compaction");
    }
}

/// The body is the prompt of the first sampling; the bill has all of them.
#[test]
fn the_first_sampling_is_compared_with_the_body() {
    let system = format!(
        r#"[{{"type":"text","text":"{}","cache_control":{{"type":"ephemeral"}}}}]"#,
        "word ".repeat(6_000)
    );
    let line = |t: u64, more: &str, usage: &str| {
        format!(
            r#"{{"t":{t},"body":{{"model":"claude-opus-5","max_tokens":9,"system":{system},"messages":[{{"role":"user","content":"Hi"}}{more}]}},"usage":{{{usage}}}}}"#
        )
    };
    let figures = |read: u64, written: u64| {
        format!(
            r#""input_tokens":3,"cache_read_input_tokens":{read},"cache_creation_input_tokens":{written},"output_tokens":9"#
        )
    };
    let second = |all: [[u64; 2]; 2]| {
        let [sum_read, sum_written] = [0, 1].map(|it| all[0][it] + all[1][it]);
        let samplings = all
            .map(|[read, written]| format!(r#"{{"type":"message",{}}}"#, figures(read, written)));
        let iterations = samplings.join(",");
        let usage = format!(r#"{},"iterations":[{iterations}]"#, figures(sum_read, sum_written));
        let more = r#",{"role":"assistant","content":"Yes"},{"role":"user","content":"Go on"}"#;
        let log = [line(0, "", &figures(0, 6_000)), line(10, more, &usage)].join("\n");
        let row = rows(&log).pop().unwrap();
        assert_eq!((row.usage.read, row.usage.write_5m), (sum_read, sum_written));
        row.lost_tokens
    };
    assert_eq!(second([[6_000, 0], [6_000, 50]]), 0);
    assert_eq!(second([[0, 6_000], [6_000, 50]]), 6_000);
}

/// What differs between the requests of a group is unknown; a session is where it began.
#[test]
fn a_group_has_an_agent_and_a_project_if_all_its_requests_do() {
    let line = |session: &str, project: &str| {
        let line = response(session, 1, "10:00", [0, 5_000], "");
        line.replacen('{', &format!(r#"{{"cwd":"{project}","#), 1)
    };
    let rows = |lines: &[String]| -> Vec<Row> { lines.iter().flat_map(|it| rows(it)).collect() };
    let sums = |rows: &[Row]| {
        let mut sums = Sums::default();
        rows.iter().for_each(|it| sums.add(it));
        sums
    };
    let same = rows(&[line("s", "/a"), line("t", "/a")]);
    let all = sums(&same).all;
    assert_eq!((all.agent, all.project.as_deref()), (Some("claude-code"), Some("/a")));
    let mut other = rows(&[line("s", "/a"), line("s", "/b"), line("s", "/a")]);
    other[1].agent = None;
    let sums = sums(&other);
    for by in [GroupBy::Model, GroupBy::Day] {
        let (_, totals) = sums.groups(by)[0];
        assert_eq!((totals.agent, &totals.project), (None, &None));
    }
    assert_eq!((sums.all.agent, &sums.all.project), (None, &None));
    let (_, session) = sums.groups(GroupBy::Session)[0];
    assert_eq!(session.project.as_deref(), Some("/a"));
}

/// An agent asks for a title between the requests of a conversation.
#[test]
fn a_step_is_compared_with_the_request_that_it_continues() {
    let body = |system: &str, messages: &str| {
        let long = "word ".repeat(2_000);
        let json = format!(
            r#"{{"model":"claude-opus-5-5","system":"{system} {long}","messages":[{messages}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let user = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let first = format!(
        r#"{},{{"role":"assistant","content":"Yes."}},{}"#,
        user("Fix the test."),
        user("Commit it.")
    );
    let steps = |last: &str| {
        let mut cache = CacheModel::new(CacheRules::anthropic());
        let requests = [
            body("You are an agent.", &first),
            body("Write a title.", &user("A title for: fix the test")),
            body("You are an agent.", last),
        ];
        let requests = (1..).zip(&requests);
        let steps = requests.map(|(number, request)| {
            let at = Duration::from_secs(10 * number as u64);
            let verdict = cache.send(request, at);
            Step::new(number, at, request, &verdict, cache.continued())
        });
        steps.collect::<Vec<_>>()
    };
    let found = steps(&format!("{first},{}", user("Push it.")));
    let continued: Vec<_> = found.iter().map(|it| (it.continues, it.is_other_thread)).collect();
    assert_eq!(continued, [(None, true), (None, true), (Some(1), false)]);
    assert!(found.iter().all(|it| it.difference.is_none()));
    // A message was edited; nothing was cached, so it is no miss.
    let found = steps(&first.replace("Commit it.", "Commit."));
    let difference = found[2].difference.as_ref().map(|it| (it.path.as_str(), it.cause));
    assert_eq!(found[2].continues, Some(1));
    assert_eq!(difference, Some(("messages[2].content", Cause::TextEdited)));
}
