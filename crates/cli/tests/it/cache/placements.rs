//! `aside cache plan` and `aside cache simulate`.

use super::*;

/// Every `--cache` policy has a row, and none costs less than the bound.
#[test]
fn the_policies_of_the_product_are_simulated() {
    let printed = text(&aside(&["cache", "simulate", "-"], LOG));
    for row in ["5m", "1h", "prefix", "auto", "auto, 1h prefix"] {
        assert!(printed.contains(&format!("\naside {row}  ")), "{printed}");
    }
    let rows = text(&aside(&["cache", "simulate", "-", "--json"], LOG));
    let rows: serde_json::Value = serde_json::from_str(&rows).unwrap();
    let costs = rows.as_array().unwrap().iter();
    let least = costs.map(|it| it["cost"].as_f64().unwrap()).fold(f64::MAX, f64::min);
    let bound = printed.split("bound: $").nth(1).unwrap();
    let bound: f64 = bound.split(',').next().unwrap().parse().unwrap();
    assert!(least >= bound - 0.0005, "{least} {printed}");
}

/// Warm requests are no placement: they can keep a prefix alive for less than its writes.
#[test]
fn warm_requests_may_cost_less_than_the_bound() {
    let long = "A long rule. ".repeat(3_000);
    let request = |turn: usize, pause: usize| {
        let more = r#",{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
        let (at, more) = (turn * pause, more.repeat(turn));
        format!(
            r#"{{"t":{at},"body":{{"model":"claude-opus-5-5","max_tokens":9,"system":[{{"type":"text","text":"{long}","cache_control":{{"type":"ephemeral"}}}}],"messages":[{{"role":"user","content":"Hi"}}{more}]}}}}"#
        )
    };
    let bound = |pause: usize| {
        let log: Vec<String> = (0..3).map(|turn| request(turn, pause)).collect();
        let printed = text(&aside(&["cache", "simulate", "-"], &log.join("\n")));
        printed.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(bound(60).contains(" costs less prices of "), "{}", bound(60));
    let warm = " costs less; to also send warm requests does prices of ";
    assert!(bound(400).contains(warm), "{}", bound(400));
}

/// A second turn that follows in time is a checkpoint, and the pause after it loses nothing.
#[test]
fn a_plan_knows_how_long_ago_the_previous_request_was_sent() {
    let long = "A long rule. ".repeat(3_000);
    let turn = r#",{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
    let line = |index: usize, at: u32| {
        let more = turn.repeat(index);
        format!(
            r#"{{"t":{at},"body":{{"model":"claude-opus-5-5","max_tokens":9,"system":"{long}","messages":[{{"role":"user","content":"Hi"}}{more}]}}}}"#
        )
    };
    let written = |times: [u32; 3]| {
        let log: Vec<_> = times.into_iter().enumerate().map(|(i, at)| line(i, at)).collect();
        let rows = text(&aside(&["cache", "simulate", "-", "--json"], &log.join("\n")));
        let rows: serde_json::Value = serde_json::from_str(&rows).unwrap();
        let row = rows.as_array().unwrap().iter().find(|it| it["placement"] == "aside auto");
        let usage = &row.unwrap()["usage"];
        usage["write_5m"].as_u64().unwrap() + usage["write_1h"].as_u64().unwrap()
    };
    let prefix = written([0, 60, 120]);
    assert!(prefix < 12_000, "{prefix}");
    assert!(written([0, 60, 660]) < prefix + 100, "the pause loses nothing");
    assert!(written([0, 400, 460]) > 2 * prefix - 100, "the first pause loses all");
}

/// No policy knows of a pause: results right before it are written again. The shorter the prefix,
/// the more they are of the cost (`docs/cache-policy.md`).
#[test]
fn results_right_before_a_pause_are_paid_again() {
    let play = |width: usize| {
        let rules = "A long rule. ".repeat(1_700);
        let calls = |index: usize| {
            let ids = || (0..width).map(move |it| format!("t{index}_{it}"));
            let used = ids().map(|id| {
                format!(r#"{{"type":"tool_use","id":"{id}","name":"read","input":{{}}}}"#)
            });
            let text = "A line of a file. ".repeat(120);
            let results = ids().map(|id| {
                format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{id} {text}"}}"#)
            });
            let join = |blocks: Vec<String>| blocks.join(",");
            format!(
                r#",{{"role":"assistant","content":[{}]}},{{"role":"user","content":[{}]}}"#,
                join(used.collect()),
                join(results.collect())
            )
        };
        let (mut messages, mut log) = (String::new(), String::new());
        for (turn, start) in [(0, 1_000), (1, 2_220)] {
            messages += r#",{"role":"user","content":"Go on with the next part"}"#;
            for call in 0..3 {
                let at = start + call * 10;
                log += &format!(
                    r#"{{"t":{at},"body":{{"model":"claude-sonnet-5-5","max_tokens":9,"tools":[{{"name":"read","input_schema":{{"type":"object"}}}}],"system":"{rules}","messages":[{}]}}}}"#,
                    &messages[1..]
                );
                log.push('\n');
                messages += &match call {
                    2 => r#",{"role":"assistant","content":"Done"}"#.to_owned(),
                    _ => calls(turn * 2 + call),
                };
            }
        }
        let json = |command| {
            let printed = text(&aside(&["cache", command, "-", "--json"], &log));
            serde_json::from_str::<serde_json::Value>(&printed).unwrap()
        };
        let rows = json("simulate");
        let row = |name: &str| rows.as_array().unwrap().iter().find(|it| it["placement"] == name);
        let cost = |name: &str| row(name).unwrap()["cost"].as_f64().unwrap();
        let plain = row("none").unwrap()["usage"]["uncached"].as_f64().unwrap();
        let bound = json("explain")["summary"]["bound"].as_f64().unwrap();
        (cost("aside auto"), bound, plain, cost("none") / plain)
    };
    let played = [1, 2, 4].map(play);
    // Twelve calls in all requests, each with three more results.
    let result = (played[2].2 - played[0].2) / 36.0;
    for (width, (cost, bound, _, price)) in [1.0, 2.0, 4.0].into_iter().zip(played) {
        assert!(cost <= 1.10 * bound + 1.15 * width * result * price, "{width}");
    }
    let [one, _, four] = played.map(|it| it.0 / it.1);
    assert!(one < 1.08 && four < 1.16, "{one} {four}");
}

#[test]
fn a_log_without_bodies_has_nothing_to_simulate() {
    let line = r#"{"type":"assistant","timestamp":"2026-11-20T10:00:00Z","sessionId":"s","requestId":"r","message":{"id":"m","model":"claude-opus-5","usage":{"input_tokens":9,"output_tokens":1}}}"#;
    let output = aside(&["cache", "simulate", "-"], line);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("the log has no bodies"), "{errors}");
}

#[test]
fn plan_prints_the_body_with_markers() {
    let body = r#"{"model":"m","max_tokens":1,"system":"Be kind.","messages":[{"role":"user","content":"Hi"}]}"#;
    let output = aside(&["cache", "plan", "-"], body);
    assert_eq!(text(&output).matches("cache_control").count(), 2);
    let json = aside(&["cache", "plan", "-", "--json"], body);
    let json: serde_json::Value = serde_json::from_str(&text(&json)).unwrap();
    assert_eq!(json["markers"][0]["path"], "system[0]");
}

#[test]
fn plan_and_simulate_add_breakpoints_for_openai() {
    let body = |model: &str, task: &str| {
        let rules = "rule ".repeat(4_000);
        format!(
            r#"{{"model":"{model}","store":false,"input":[{{"role":"developer","content":[{{"type":"input_text","text":"{rules}"}}]}},{{"role":"user","content":"{task}"}}]}}"#
        )
    };
    let line = |(at, task)| format!("{{\"t\":{at},\"body\":{}}}\n", body("gpt-6-sol", task));
    let log = [(1, "one"), (31, "two"), (61, "three")].map(line);
    let (one, log) = (body("gpt-6-sol", "one"), log.concat());
    let planned = text(&aside(&["cache", "plan", "-"], &one));
    let mark = r#","prompt_cache_breakpoint":{"mode":"explicit"}"#;
    let (before, key) = planned.rsplit_once(r#","prompt_cache_key":""#).unwrap();
    assert_eq!(before.replacen(mark, "", 1) + "}", one);
    assert_eq!(key.len(), 18, "{key}");
    let json = text(&aside(&["cache", "plan", "-", "--json"], &one));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["markers"][0]["path"], "input[0].content[0]");
    assert_eq!(json["markers"][1]["prompt_cache_key"], key[..16]);
    // A model without breakpoints, an API without markers, an option without a meaning.
    let older = body("gpt-5.5", "one");
    assert_eq!(text(&aside(&["cache", "plan", "-"], &older)), older);
    let reason = |body: &str| text(&aside(&["cache", "plan", "-", "--explain"], body));
    assert_eq!(reason(&older), "nothing to add: its model has no breakpoints\n");
    assert_eq!(reason(&planned), "nothing to add: it has breakpoints\n");
    let stored = one.replace("\"store\":false,", "").replace("developer", "user");
    assert!(reason(&stored).contains("\n  needs \"store\": false\n"));
    let gemini = r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#;
    let failed = aside(&["cache", "plan", "-"], gemini);
    assert_eq!((failed.status.code(), text(&failed)), (Some(1), String::new()));
    let failed = aside(&["cache", "plan", "-", "--after", "other.json"], &one);
    assert_eq!(failed.status.code(), Some(2));

    let output = aside(&["cache", "simulate", "-", "--place", "aside", "--json"], &log);
    let rows: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!(rows[0]["usage"]["read"], 0);
    assert!(rows[1]["usage"]["read"].as_u64().unwrap() > 8_000, "{rows}");
    assert!(output.stderr.is_empty(), "{output:?}");
    // A log's own breakpoint is removed, but Aside's plan keeps it.
    let part = r#""}]},{"role":"user""#;
    let marked = log.replace(part, &format!(r#""{mark}{}"#, &part[1..]));
    let output = aside(&["cache", "simulate", "-", "--place", "none", "--json"], &marked);
    let removed: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
    assert!(removed[0]["usage"]["read"].as_u64().unwrap() > 8_000, "{removed}");
    assert_eq!(removed[1]["usage"], rows[0]["usage"]);
    assert!(output.stderr.is_empty(), "{output:?}");
    let output = aside(&["cache", "simulate", "-", "--place", "aside", "--json"], &marked);
    let kept: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!(kept[1]["usage"], kept[0]["usage"], "{kept}");
    // So it is with one in the first message of the user: no other end is written.
    let user = r#""role":"user","content":""#;
    let own = log.replace(user, r#""role":"user","content":[{"type":"input_text","prompt_cache_breakpoint":{"mode":"explicit"},"text":""#);
    let own = own.replace(r#""}]}}"#, r#""}]}]}}"#);
    let output = aside(&["cache", "simulate", "-", "--place", "aside", "--json"], &own);
    let kept: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!(kept[1]["usage"], kept[0]["usage"], "{kept}");
    assert_eq!(kept[1]["usage"]["read"], 0, "{kept}");
    let output = aside(&["cache", "simulate", "-"], &older);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("1 of the requests are sent as they are"), "{stderr}");
}

/// With `auto`, the position in the conversation leads to a one-hour
/// checkpoint; when a conversation starts again, it is not worth one.
#[test]
fn plan_after_a_request_that_is_not_continued_writes_for_five_minutes() {
    let directory = tempfile::tempdir().unwrap();
    let body = |first: &str, turns: usize| {
        let turn = r#",{"role":"assistant","content":"Yes"},{"role":"user","content":"Go on"}"#;
        format!(
            r#"{{"model":"claude-opus-5-5","max_tokens":1,"system":"Be kind.","messages":[{{"role":"user","content":"{first}"}}{}]}}"#,
            turn.repeat(turns)
        )
    };
    let before = directory.path().join("before.json");
    fs::write(&before, body("Hi", 2)).unwrap();
    let plan = |arguments: &[&str], body: &str| {
        let always = ["cache", "plan", "-", "--cache-ttl", "auto", "--json"];
        let output = aside(&[&always[..], arguments].concat(), body);
        assert!(output.status.success());
        let json: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
        let markers = json["markers"].as_array().unwrap().iter();
        let hours = markers.filter(|it| it["cache_control"]["ttl"] == "1h");
        let paths = hours.map(|it| it["path"].as_str().unwrap().to_owned());
        paths.collect::<Vec<_>>()
    };
    let after = ["--after", before.to_str().unwrap()];
    let hours = ["system[0]", "messages[3].content[0]", "messages[5].content[0]"];
    let (same, other) = (body("Hi", 3), body("Ho", 3));
    assert_eq!(plan(&[], &same), hours);
    assert_eq!(plan(&after, &same), hours);
    assert_eq!(plan(&after, &other), [""; 0]);
    let output = aside(&["cache", "plan", "-", "--after", "missing.json"], &same);
    assert_eq!(output.status.code(), Some(2));
}
