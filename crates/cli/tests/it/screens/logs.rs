//! Commands that read requests and logs.

use super::{directory, screen, workspace, write};

/// Compares commands on the logs used in the documentation.
fn check(cases: &[(&str, &[&str])]) {
    let root = directory();
    for (name, arguments) in cases {
        screen(name, root.path(), &workspace(), arguments);
    }
}

const LOG: &str = "docs/cache/log.jsonl";
const BODY: &str = "docs/cache/turn-6.json";

#[test]
fn misses() {
    check(&[
        ("explain", &["cache", "explain", LOG]),
        ("explain-request", &["cache", "explain", LOG, "--request", "6"]),
        ("lint", &["cache", "lint", LOG]),
        ("simulate", &["cache", "simulate", LOG]),
        ("plan", &["cache", "plan", "--explain", BODY]),
    ]);
}

#[test]
fn differences() {
    check(&[
        ("diff", &["diff", "docs/pydantic-ai/turn-2.json", "docs/pydantic-ai/turn-3.json"]),
        ("diff-cut", &["diff", "docs/cache/turn-5.json", BODY]),
        ("diff-identical", &["diff", BODY, BODY]),
    ]);
}

#[test]
fn parts() {
    check(&[
        ("context", &["context", "--file", BODY]),
        ("context-depth", &["context", "--file", BODY, "--depth", "2"]),
        ("context-log", &["context", "--file", LOG]),
        ("context-at", &["context", "--file", BODY, "--at", "system[0].text"]),
    ]);
}

#[test]
fn bills() {
    check(&[
        ("report", &["report", LOG]),
        ("report-model", &["report", LOG, "--by", "model"]),
        ("report-transcripts", &["report", "docs/report/home/.codex/sessions"]),
        ("report-session", &["report", "docs/report/home", "--by", "session"]),
    ]);
}

#[test]
fn tables() {
    check(&[
        ("models-one", &["models", "claude-haiku-4-5"]),
        ("rules-one", &["rules", "missing-key"]),
    ]);
}

#[test]
fn requests() {
    let root = directory();
    let broken = r#"{"model":"claude-opus-5-5","tools":[{"name":"a tool","input_schema":{"type":"object"}}],
        "messages":[{"role":"user","content":[{"type":"text","text":""}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"東京"}]}]}"#;
    let wide = |city: &str| {
        let system =
            format!("{}今日は東京で{city}を見ました。{}", "都".repeat(40), "市".repeat(40));
        format!(
            r#"{{"model":"claude-opus-5-5","max_tokens":9,"system":"{system}","messages":[{{"role":"user","content":"Hi"}}]}}"#
        )
    };
    write(
        root.path(),
        &[
            ("broken.json", broken),
            ("before.json", &wide("桜")),
            ("after.json", &wide("梅")),
            ("one.jsonl", &(wide("桜") + "\n")),
            ("empty/.keep", ""),
        ],
    );
    for (name, arguments) in [
        ("check", &["check", "broken.json"][..]),
        ("check-clean", &["check", "before.json"]),
        ("diff-wide", &["diff", "before.json", "after.json"]),
        ("lint-clean", &["cache", "lint", "one.jsonl"]),
        ("report-nothing", &["report"]),
    ] {
        screen(name, root.path(), root.path(), arguments);
    }
}
