//! What a session pays without a cache miss, in every command that reports it.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::support::{clean, stdin};

/// Returns a log with 12 requests, each after one call to the tool `used`.
fn log() -> String {
    let control = json!({"type": "ephemeral"});
    let tool = |name: &str| json!({"name": name, "description": "value ".repeat(300), "input_schema": {"type": "object"}});
    let tools = [tool("used"), tool("unused")];
    let system = json!([{"type": "text", "text": "rule ".repeat(3_000), "cache_control": control}]);
    let mut messages = vec![json!({"role": "user", "content": [{"type": "text", "text": "Go"}]})];
    let mut log = String::new();
    for number in 0..12 {
        let mut marked = messages.clone();
        marked.last_mut().unwrap()["content"][0]["cache_control"] = control.clone();
        let body = json!({"model": "claude-opus-5", "max_tokens": 8, "tools": tools, "system": system, "messages": marked});
        log += &json!({"t": 20 * number, "body": body}).to_string();
        log.push('\n');
        let id = format!("c{number}");
        let call = json!({"type": "tool_use", "id": id, "name": "used", "input": {}});
        let result =
            json!({"type": "tool_result", "tool_use_id": id, "content": "value ".repeat(2_000)});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    log
}

fn aside(arguments: &[&str], input: &str) -> Output {
    let cwd = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = clean::aside(cwd, cwd);
    stdin::run(command.args(arguments), input.as_bytes())
}

const RULES: [&str; 3] = ["single-calls", "long-results", "unused-tools"];

#[test]
fn every_command_has_the_same_findings() {
    let log = log();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("log.jsonl");
    std::fs::write(&file, &log).unwrap();
    let file = file.to_str().unwrap();
    let print = |arguments: &[&str]| String::from_utf8(aside(arguments, "").stdout).unwrap();
    let lint: Value = serde_json::from_str(&print(&["cache", "lint", file, "--json"])).unwrap();
    let report: Value = serde_json::from_str(&print(&["report", file, "--json"])).unwrap();
    let findings = lint["findings"].as_array().unwrap();
    assert_eq!(Some(findings), report["spending"].as_array());
    let mut rules: Vec<&str> = findings.iter().filter_map(|it| it["rule"].as_str()).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["long-results", "single-calls", "unused-tools"]);
    // Both break long lines.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (context, screen) =
        (words(&print(&["context", "--file", file])), words(&print(&["report", file])));
    for finding in findings {
        let (rule, fix) = (finding["rule"].as_str().unwrap(), finding["fix"].as_str().unwrap());
        assert!(context.contains(&format!(" {rule}: ")), "{context}");
        assert!(context.contains(fix), "{context}");
        assert!(screen.contains(&format!(" {rule}: ")), "{screen}");
    }
    // When only some sessions are read, there are no figures.
    let part = print(&["report", file, "--json", "--since", "9999d"]);
    let part: Value = serde_json::from_str(&part).unwrap();
    assert_eq!(part["spending"], json!([]));
}

/// Without markers, and with the usage that the provider reported.
#[test]
fn missing_markers_cost_the_same_in_every_command() {
    let mut log = String::new();
    for line in self::log().lines() {
        let line = line.replace(r#""cache_control":{"type":"ephemeral"},"#, "");
        let mut line: Value =
            serde_json::from_str(&line.replace(r#","cache_control":{"type":"ephemeral"}"#, ""))
                .unwrap();
        let estimate = line["body"].to_string().len() / 3;
        line["usage"] = json!({"input_tokens": estimate, "output_tokens": 9});
        log += &format!("{line}\n");
    }
    let print = |arguments: &[&str]| -> Value {
        serde_json::from_slice(&aside(&[arguments, &["--json"]].concat(), &log).stdout).unwrap()
    };
    let lint = print(&["cache", "lint", "-"]);
    let report = print(&["report", "-"]);
    let is_unmarked = |it: &&Value| it["rule"] == "cacheable-but-unmarked";
    let unmarked = lint["findings"].as_array().unwrap().iter().find(is_unmarked).unwrap();
    assert_eq!(report["spending"].as_array().unwrap().iter().find(is_unmarked), Some(unmarked));
    // What the automatic marker reads are the tokens that the finding names.
    let rows = print(&["cache", "simulate", "-", "--place", "automatic", "--cache-ttl", "5m"]);
    let read = rows[1]["usage"]["read"].as_u64().unwrap();
    let found = unmarked["lost_tokens"].as_u64().unwrap();
    assert!(read.abs_diff(found) < read / 100, "{read} {found}");
    // The first request is predicted before any usage is known.
    let (as_is, billed) = (rows[0]["cost"].as_f64().unwrap(), lint["cost"].as_f64().unwrap());
    assert!((as_is - billed).abs() < as_is / 20.0, "{as_is} {billed}");
}

#[test]
fn lint_denies_them_by_name_only() {
    let log = log();
    let code = |arguments: &[&str]| {
        aside(&[&["cache", "lint", "-"], arguments].concat(), &log).status.code()
    };
    assert_eq!(code(&[]), Some(0));
    for rule in RULES {
        assert_eq!(code(&["--deny", rule]), Some(1), "{rule}");
    }
}
