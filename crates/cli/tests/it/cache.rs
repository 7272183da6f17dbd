//! `aside diff` and `aside cache` the way you would use them.

mod agreement;
mod numbers;
mod placements;
mod raw_bodies;

use crate::support::clean;
use crate::support::stdin;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cache").join(name)
}

fn aside(arguments: &[&str], input: &str) -> Output {
    let cwd = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = clean::aside(cwd, cwd);
    stdin::run(command.args(arguments), input.as_bytes())
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

const LOG: &str = include_str!("../../../../docs/cache/log.jsonl");

/// The log's first turns, with usage that a provider might bill.
fn short_log() -> String {
    let usage = [
        r#""usage":{"input_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":1300},"#,
        r#""usage":{"input_tokens":0,"cache_read_input_tokens":1300,"cache_creation_input_tokens":400},"#,
        "",
    ];
    let lines = LOG.lines().zip(usage);
    lines
        .map(|(line, usage)| line.replacen("\"body\"", &format!("{usage}\"body\""), 1) + "\n")
        .collect()
}

#[test]
fn the_form_of_explain_for_machines_is_stable() {
    let output = aside(&["cache", "explain", "-", "--json"], &short_log());
    assert!(output.status.success());
    insta::assert_snapshot!(text(&output));
}

/// Telemetry leaves out tools and system prompt, which are most of a short session's input.
#[test]
fn the_bound_of_a_log_without_its_prefix_is_no_more_than_was_paid() {
    let text = "some words of the user here, for a change ".repeat(40);
    let (mut log, mut paid) = (String::new(), 0);
    for session in 0..3_u64 {
        let (mut messages, mut read) = (Vec::new(), if session == 0 { 0 } else { 20_000 });
        for turn in 0..8_u64 {
            let part = |content: &str| [serde_json::json!({"type": "text", "content": content})];
            let said = format!("{session} {turn} {text}");
            messages.push(serde_json::json!({"role": "user", "parts": part(&said)}));
            let input = 20_000 + 460 * (turn + 1);
            let attributes = serde_json::json!({
                "gen_ai.request.model": "claude-opus-5-5",
                "gen_ai.conversation.id": session.to_string(),
                "gen_ai.input.messages": messages,
                "gen_ai.usage.input_tokens": input,
                "gen_ai.usage.cache_read.input_tokens": read,
                "gen_ai.usage.cache_write.input_tokens": input - read,
            });
            let start = (1_795_306_140 + 60 * (8 * session + turn)) * 1_000_000_000;
            let id = format!("{session}-{turn}");
            let span = serde_json::json!({"spanId": id, "startTimeUnixNano": start.to_string(), "attributes": attributes});
            log += &format!("{span}\n");
            // Millionths of a dollar for a million tokens: $0.20 for a read, $5 for a write.
            paid += 200_000 * read + 5_000_000 * (input - read);
            read = input;
            messages.push(serde_json::json!({"role": "assistant", "parts": part("Yes.")}));
        }
    }
    let printed = self::text(&aside(&["cache", "simulate", "-"], &log));
    let bound = printed.split("bound: $").nth(1).unwrap_or_else(|| panic!("{printed}"));
    let bound: f64 = bound.split(',').next().unwrap().parse().unwrap();
    let paid = paid as f64 / 1e12;
    assert!(bound <= paid && bound > paid / 2.0, "{paid} {printed}");
}

/// When a body continues a stored response, it has only new messages: its
/// prediction is not compared, and the summary says so.
#[test]
fn a_conversation_that_the_provider_keeps_is_not_compared() {
    let rules = "rules ".repeat(3_000);
    let line = |id: &str, previous: &str, usage: &str| {
        let input = r#"[{"role":"user","content":"Go on."}]"#;
        format!(
            r#"{{"id":"{id}","usage":{{{usage}}},"body":{{"model":"gpt-5.6","instructions":"{rules}","input":{input}{previous}}}}}"#
        ) + "\n"
    };
    let usage = |read: u64, all: u64| {
        let written = all - read;
        format!(
            r#""input_tokens":{all},"output_tokens":9,"input_tokens_details":{{"cached_tokens":{read},"cache_write_tokens":{written}}}"#
        )
    };
    let log = line("resp_1", "", &usage(0, 3_010))
        + &line("resp_2", r#","previous_response_id":"resp_1""#, &usage(3_010, 3_040));
    let printed = text(&aside(&["cache", "explain", "-"], &log));
    for expected in [
        "agreement: 100.0 % of the reads\n",
        "   2        +30s       3,010          30           0           0    $0.00135",
        "note: 1 request begins with what the provider keeps and the log lacks: predicted\n  without it, and not compared\n",
    ] {
        assert!(printed.contains(expected), "{printed}");
    }
}

/// An agent sends reasoning back by its id; the record of the response has its size.
#[test]
fn reasoning_that_the_provider_keeps_is_counted() {
    let rules = "Read the code before you change it. ".repeat(400);
    let mut log = String::new();
    let (mut input, mut read) = (r#"{"role":"user","content":"Hi"}"#.to_owned(), 0);
    for turn in 0..4 {
        let all = 3_540 + turn * 3_030;
        let output = format!(
            r#"{{"type":"reasoning","id":"rs_{turn}","summary":[]}},{{"type":"function_call","id":"fc_{turn}","call_id":"call_{turn}","name":"f","arguments":"{{}}"}}"#
        );
        let written = all - read;
        log += &format!(
            r#"{{"t":{},"id":"resp_{turn}","usage":{{"input_tokens":{all},"output_tokens":3020,"input_tokens_details":{{"cached_tokens":{read},"cache_write_tokens":{written}}},"output_tokens_details":{{"reasoning_tokens":3000}}}},"body":{{"model":"gpt-5.6","instructions":"{rules}","input":[{input}]}},"response":{{"object":"response","output":[{output}]}}}}"#,
            turn * 5
        );
        log.push('\n');
        input += &format!(
            r#",{output},{{"type":"function_call_output","call_id":"call_{turn}","output":"ok"}}"#
        );
        read = all;
    }
    let explained = text(&aside(&["cache", "explain", "-", "--json"], &log));
    let explained: serde_json::Value = serde_json::from_str(&explained).unwrap();
    let summary = &explained["summary"];
    let sum = |kind: &str| summary[kind]["cost"].as_f64().unwrap();
    assert!((sum("predicted") / sum("recorded") - 1.0).abs() < 0.03, "{summary}");
    let over = summary["cost_over_bound"].as_f64().unwrap();
    assert!((0.95..1.06).contains(&over), "{summary}");
}

#[test]
fn the_form_of_diff_for_machines_is_stable() {
    let (before, after) = (docs("turn-5.json"), docs("turn-6.json"));
    let output = aside(&["diff", before.to_str().unwrap(), after.to_str().unwrap(), "--json"], "");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output));
}

#[test]
fn the_form_of_lint_and_simulate_for_machines_is_stable() {
    let lint = aside(&["cache", "lint", "-", "--json"], LOG);
    let simulate = aside(&["cache", "simulate", "-", "--json", "--place", "aside"], LOG);
    insta::assert_snapshot!(text(&lint) + &text(&simulate));
}

#[test]
fn the_flag_no_text_omits_the_texts_of_a_body() {
    // Every word in the bodies that is not a key or a path.
    let words = ["coding agent", "10:53", "Read before", "build", "machine", "settings"];
    let (before, after) = (docs("turn-5.json"), docs("turn-6.json"));
    let paths = [before.to_str().unwrap(), after.to_str().unwrap()];
    for json in [&["--json"][..], &[]] {
        // A simulation names no place in a body.
        for (command, shown) in [
            (["cache", "explain", "-"], "system[0].text"),
            (["cache", "lint", "-"], "system[0].text"),
            (["cache", "simulate", "-"], "aside 5m"),
            (["diff", paths[0], paths[1]], "system[0].text"),
        ] {
            let arguments = [&command[..], &["--no-text"], json].concat();
            let output = aside(&arguments, LOG);
            let all = text(&output) + &String::from_utf8(output.stderr).unwrap();
            assert!(all.contains(shown), "{all}");
            for word in words {
                assert!(!all.contains(word), "{arguments:?}: {word}");
            }
        }
    }
    // Without this option they are shown: the test can fail.
    assert!(text(&aside(&["cache", "explain", "-"], LOG)).contains("coding agent"));
}

/// A key in a tool's input is the user's, and it is a part of the path.
#[test]
fn the_flag_no_text_omits_the_keys_of_a_tool_input() {
    let directory = tempfile::tempdir().unwrap();
    let report = directory.path().join("report.xml");
    let body = |port: u32, more: &str| {
        let rules = "Keep functions small, and test them. ".repeat(300);
        format!(
            r#"{{"model":"claude-opus-5-5","max_tokens":9,"cache_control":{{"type":"ephemeral"}},"system":"{rules}","messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"run","input":{{"env":{{"ada@example.com":{port}}}}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"ok"}}]}}{more}]}}"#
        )
    };
    let more = r#",{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
    let log = format!("{}\n{}\n", body(80, ""), body(81, more));
    let lint = |more: &[&str]| {
        let arguments = ["cache", "lint", "-", "--junit", report.to_str().unwrap()];
        let output = aside(&[&arguments[..], more].concat(), &log);
        text(&output) + &fs::read_to_string(&report).unwrap()
    };
    for json in [&["--json"][..], &[]] {
        let printed = lint(&[&["--no-text"], json].concat());
        assert!(printed.contains("messages[1].content[0].input"), "{printed}");
        assert!(!printed.contains("ada@example.com"), "{printed}");
        // Without this option it is shown: the test can fail.
        assert!(lint(json).contains("messages[1].content[0].input.env.ada@example.com"));
    }
}

#[test]
fn diff_has_an_exit_code_for_each_relation() {
    let directory = tempfile::tempdir().unwrap();
    let body = |choice: &str, text: &str, more: &str| {
        format!(
            r#"{{"model":"claude-opus-5-5","tool_choice":{{"type":"{choice}"}},"messages":[{{"role":"user","content":[{{"type":"text","text":"Hi","cache_control":{{"type":"ephemeral"}}}},{{"type":"text","text":"{text}"}}]}}{more}]}}"#
        )
    };
    let before = directory.path().join("before.json");
    fs::write(&before, body("auto", "a", "")).unwrap();
    let check = |after: &str, allow: &[&str], code: i32, first: &str| {
        let arguments = [&["diff", before.to_str().unwrap(), "-"], allow].concat();
        let output = aside(&arguments, after);
        let found = text(&output);
        assert_eq!(
            (output.status.code(), found.lines().next()),
            (Some(code), Some(first)),
            "{found}"
        );
    };
    let more = r#",{"role":"assistant","content":"Yes"},{"role":"user","content":"Go"}"#;
    check(&body("auto", "a", ""), &[], 0, "identical");
    check(&body("auto", "a", more), &[], 0, "continues");
    check(&body("none", "a", more), &[], 1, "continues, level lost");
    check(&body("none", "a", more), &["--allow", "level"], 0, "continues, level lost");
    check(&body("auto", "b", more), &[], 1, "changed after the last marker");
    check(
        &body("auto", "b", ""),
        &["--allow", "level,after-marker"],
        0,
        "changed after the last marker",
    );
    let broken = body("auto", "a", "").replace("Hi", "Ho");
    check(&broken, &["--allow", "level,after-marker"], 1, "broken");
    let output = aside(&["diff", "-", "-"], "{}");
    assert_eq!(output.status.code(), Some(2));
    let output = aside(&["diff", before.to_str().unwrap(), "-"], "{\"model\":");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn thinking_after_a_changed_prefix_is_reported() {
    let body = |system: &str, more: &str| {
        format!(
            r#"{{"model":"claude-opus-5-5","system":"{system}","messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"","signature":"s"}},{{"type":"text","text":"Yes"}}]}}{more}]}}"#
        )
    };
    let directory = tempfile::tempdir().unwrap();
    let before = directory.path().join("before.json");
    fs::write(&before, body("a", "")).unwrap();
    let after = body("b", r#",{"role":"user","content":"Go"}"#);
    let output = aside(&["diff", before.to_str().unwrap(), "-"], &after);
    let expected =
        "thinking lost: 1 block from messages[1].content[0] on (the API refuses the\n  request)\n";
    assert!(text(&output).contains(expected), "{}", text(&output));
    let same = body("a", r#",{"role":"user","content":"Go"}"#);
    let output = aside(&["diff", before.to_str().unwrap(), "-"], &same);
    assert_eq!(text(&output), "continues\n");
}

#[test]
fn lint_denies_selected_rules_and_writes_junit() {
    let directory = tempfile::tempdir().unwrap();
    let report = directory.path().join("report.xml");
    let junit = report.to_str().unwrap();
    let code = |arguments: &[&str]| {
        let arguments = [&["cache", "lint", "-"], arguments].concat();
        aside(&arguments, LOG).status.code()
    };
    assert_eq!(code(&["--junit", junit]), Some(1));
    let xml = fs::read_to_string(&report).unwrap();
    assert!(xml.contains("failures=\"1\"") && xml.contains("prefix-changed"), "{xml}");
    assert_eq!(code(&["--deny", "prefix-changed"]), Some(1));
    assert_eq!(code(&["--deny", "over-four,ttl-order"]), Some(0));
    assert_eq!(code(&["--max-cost-over-bound", "1.01"]), Some(1));
    // With only a cost limit, findings are for information.
    let within = ["--max-cost-over-bound", "2", "--junit", junit];
    assert_eq!(code(&within), Some(0));
    let xml = fs::read_to_string(&report).unwrap();
    assert!(xml.contains("failures=\"0\""), "{xml}");
    assert_eq!(code(&["--deny", "no-such-rule"]), Some(2));
    assert_eq!(code(&["--max-cost-over-bound", "nan"]), Some(2));
    let over = ["--max-cost-over-bound", "1.01", "--junit", junit];
    assert_eq!(code(&over), Some(1));
    let xml = fs::read_to_string(&report).unwrap();
    assert!(xml.contains("failures=\"1\"") && xml.contains("more than 1.01"), "{xml}");
}

/// What was billed decides, and a cost that is unknown is not within a limit.
#[test]
fn the_limit_of_the_cost_counts_what_was_billed() {
    let lint = |log: &str| {
        let output = aside(&["cache", "lint", "-", "--max-cost-over-bound", "1.5"], log);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(lint(LOG).0, Some(0));
    let usage = r#""usage":{"input_tokens":0,"cache_creation_input_tokens":9000},"body""#;
    let (code, stderr) = lint(&LOG.replace("\"body\"", usage));
    assert_eq!(code, Some(1));
    assert!(stderr.contains("times the least possible, more than 1.5"), "{stderr}");
    let other = r#"{"t":900,"body":{"model":"mine","messages":[{"role":"user","content":"Hi"}]}}"#;
    let (code, stderr) = lint(&format!("{LOG}{other}\n"));
    assert_eq!(code, Some(1));
    assert!(stderr.contains("the log's cost or its lower bound is unknown"), "{stderr}");
}

/// An idle session is warmed for an hour, whatever other sessions do.
#[test]
fn a_session_is_warmed_for_an_hour() {
    let long = "Be kind. ".repeat(4_000);
    let line = |at: u64, session: &str, system: &str| {
        format!(
            r#"{{"t":{at},"session":"{session}","body":{{"model":"claude-opus-5-5","max_tokens":1,"system":"{system}","messages":[{{"role":"user","content":"Hi"}}]}}}}"#
        ) + "\n"
    };
    // The second session's requests are too short to cache.
    let warmed = |minutes: &[u64]| {
        let others = minutes.iter().map(|it| line(it * 60, "b", "Short."));
        let log = line(0, "a", &long) + &others.collect::<String>();
        let output = aside(&["cache", "simulate", "-", "--json"], &log);
        let rows: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
        let rows = rows.as_array().unwrap();
        let warm = rows.iter().find(|it| it["placement"] == "aside 5m, warm");
        let usage = &warm.unwrap()["usage"];
        let written = usage["write_5m"].as_u64().unwrap();
        usage["read"].as_u64().unwrap() as f64 / written as f64
    };
    let every_minute: Vec<u64> = (1..=360).collect();
    assert_eq!(warmed(&[360]), 12.0);
    assert_eq!(warmed(&every_minute), 12.0);
}

#[test]
fn a_broken_log_is_read_up_to_the_fault() {
    let first = LOG.lines().next().unwrap();
    let log = format!("{first}\nnonsense\n{first}\n{}", &first[..40]);
    let output = aside(&["cache", "explain", "-", "--json"], &log);
    let json: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!(
        (json["summary"]["requests"].as_u64(), json["summary"]["faults"].as_u64()),
        (Some(2), Some(2))
    );
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("line 2") && stderr.contains("line 4"), "{stderr}");
}

/// Without its times, a log has no pause in which an entry expires.
#[test]
fn requests_without_a_time_are_reported() {
    let log = |times: [&str; 2]| {
        let lines = LOG.lines().zip(times).map(|(line, time)| {
            let body = line.split_once("\"body\"").unwrap().1;
            format!("{{\"t\":{time},\"body\"{body}\n")
        });
        lines.collect::<String>()
    };
    let read = |arguments: &[&str], log: &str| {
        let output = aside(arguments, log);
        (text(&output), String::from_utf8(output.stderr).unwrap())
    };
    let unread = log(["1700000000", "\"20/11/2026 09:00\""]);
    let note = "1 request has no time: 30 s after the one before are assumed";
    let (explained, errors) = read(&["cache", "explain", "-"], &unread);
    assert!(explained.contains(note), "{explained}");
    let fault = "line 2: a time that cannot be read: \"20/11/2026 09:00\"";
    assert!(errors.contains(fault), "{errors}");
    for command in [&["cache", "lint"][..], &["cache", "simulate"], &["report"], &["context"]] {
        let file = if command == ["context"] { "--file=-" } else { "-" };
        let (_, errors) = read(&[command, &[file]].concat(), &unread);
        assert!(errors.contains(fault) && errors.contains(note), "{command:?} {errors}");
        let timed = log(["1700000000", "1700000600"]);
        let (_, errors) = read(&[command, &[file]].concat(), &timed);
        assert!(!errors.contains("time"), "{command:?} {errors}");
    }
    let (rows, _) = read(&["report", "-", "--rows"], &unread);
    let times: Vec<_> = rows.lines().map(|it| it.split(',').next().unwrap()).collect();
    assert_eq!(times, ["{\"time\":\"2023-11-14T22:13:20.000Z\"", "{\"time\":null"]);
}

/// Its cache points are not read, so nothing is said about them.
#[test]
fn only_the_usage_of_converse_is_read() {
    let body = r#"{"system":[{"text":"Be kind."},{"cachePoint":{"type":"default"}}],"messages":[{"role":"user","content":[{"text":"Hi"}]}],"inferenceConfig":{"maxTokens":9}}"#;
    let usage = r#"{"inputTokens":3,"cacheReadInputTokens":9000,"outputTokens":5}"#;
    let log = format!("{{\"t\":1,\"body\":{body},\"usage\":{usage}}}\n").repeat(2);
    let explained = text(&aside(&["cache", "explain", "-"], &log));
    assert!(explained.contains("18,000 read"), "{explained}");
    assert!(explained.contains("2 requests are in the form of Bedrock's Converse"));
    let linted = aside(&["cache", "lint", "-"], &log);
    assert_eq!(text(&linted), "no findings\n");
    let stderr = String::from_utf8(linted.stderr).unwrap();
    assert!(stderr.contains("2 requests have no body"), "{stderr}");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("body.json");
    fs::write(&file, body).unwrap();
    let file = file.to_str().unwrap();
    let output = aside(&["diff", file, file], "");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("Bedrock's Converse"), "{stderr}");
}

/// Two sessions take turns in a log without session ids.
#[test]
fn diff_compares_a_request_with_the_one_that_it_continues() {
    let edited = |line: &str| line.replace("Where is step 1", "Who made step 1");
    let other = LOG.lines().map(|line| {
        let line = line.replace("\"session\":", "\"ignored\":");
        (line.clone(), edited(&line))
    });
    let log: String = other.map(|(one, two)| format!("{one}\n{two}\n")).collect();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("log.jsonl");
    fs::write(&file, &log).unwrap();
    let file = file.to_str().unwrap();
    let explained = text(&aside(&["cache", "explain", file, "--json"], ""));
    let explained: serde_json::Value = serde_json::from_str(&explained).unwrap();
    let mut misses = 0;
    for request in explained["requests"].as_array().unwrap() {
        let number = request["request"].to_string();
        let output = aside(&["diff", file, "--only", &number, "--json"], "");
        let predicted = &request["predicted"];
        if predicted["parent"].is_null() {
            assert_eq!(output.status.code(), Some(2), "{number}");
            continue;
        }
        let compared: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
        let (lost, miss) = (&compared["lost_tokens"], &predicted["miss"]);
        assert_eq!(lost.as_u64(), miss["lost_tokens"].as_u64().or(Some(0)), "{number}");
        misses += usize::from(!miss.is_null());
    }
    assert!(misses > 0);
}

#[test]
fn a_log_without_the_request_is_an_error() {
    let code = |arguments: &[&str], log: &str| aside(arguments, log).status.code();
    for command in [&["cache", "lint", "-"][..], &["cache", "explain", "-"], &["report", "-"]] {
        assert_eq!(code(command, ""), Some(1), "{command:?}");
    }
    // The argument is wrong, not the log.
    for command in
        [&["cache", "explain", "-", "--request"][..], &["context", "--file", "-", "--only"]]
    {
        assert_eq!(code(&[command, &["99"]].concat(), LOG), Some(2), "{command:?}");
        assert_eq!(code(&[command, &["1"]].concat(), LOG), Some(0), "{command:?}");
    }
}
