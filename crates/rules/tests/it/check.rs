//! Every API rule as a file: a body that breaks it, and a neighbour that does
//! not.
//!
//! A case is `cases/RULE/NAME.json` with `body` (or `raw`, its text), and
//! optionally `wire`, `model`, `betas`, `version`, `platform` and `endpoint`.
//! `expected` lists all findings: `rule path`, with `level` if it is not
//! `refused`. Its neighbour is `NAME.valid.json`, which has none. `not_checked`
//! lists the parts that a body does not decide.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use aside_models::Platform;
use aside_rules::{
    ApiEndpoint, Checked, Context, RULES, RuleLevel, SEEN_FROM_CLIENTS, Wire, check, find,
};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    #[serde(default)]
    pub(crate) expected: Vec<String>,
    not_checked: Option<Vec<String>>,
    body: Option<Box<RawValue>>,
    raw: Option<String>,
    model: Option<String>,
    betas: Option<Vec<String>>,
    version: Option<String>,
    platform: Option<String>,
    endpoint: Option<String>,
    /// The Messages API by default.
    wire: Option<String>,
}

impl Case {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let case = serde_json::from_str(&text);
        case.map_err(|error| format!("{}: {error}", path.display())).unwrap()
    }

    fn check(&self) -> Checked {
        let version = self.version.as_deref();
        let platform = self.platform.as_deref();
        let context = Context {
            version: version.map(|it| it.parse().unwrap()),
            betas: self.betas.clone(),
            model: self.model.clone(),
            platform: platform.map(|it| it.parse().unwrap()),
            endpoint: match self.endpoint.as_deref() {
                Some("count_tokens") => ApiEndpoint::CountTokens,
                Some("batches") => ApiEndpoint::Batches,
                _ => ApiEndpoint::Messages,
            },
        };
        check(self.body().as_bytes(), self.wire(), &context)
    }

    pub(crate) fn body(&self) -> &str {
        let body = self.body.as_ref().map(|body| body.get());
        body.or(self.raw.as_deref()).unwrap()
    }

    pub(crate) fn wire(&self) -> Wire {
        let name = self.wire.as_deref().unwrap_or("messages");
        let mut all = Wire::ALL.into_iter();
        all.find(|it| it.as_str() == name).unwrap()
    }
}

fn found(checked: &Checked) -> Vec<String> {
    let found = checked.findings.iter().map(|it| {
        let level = match it.level {
            RuleLevel::Refused => String::new(),
            level => format!(" {level}"),
        };
        format!("{} {}{level}", it.rule, it.path)
    });
    found.collect()
}

/// The cases for all wires but the Messages API, even the valid ones.
pub(crate) fn cases_of_other_wires() -> Vec<Case> {
    let all = cases().into_values().flatten();
    let all = all.map(|path| Case::read(&path));
    all.filter(|case| case.wire() != Wire::Messages).collect()
}

/// Every case by its rule's folder.
fn cases() -> BTreeMap<String, Vec<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/check/cases");
    let mut cases = BTreeMap::new();
    for folder in fs::read_dir(root).unwrap() {
        let folder = folder.unwrap();
        let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
        cases.insert(folder.file_name().into_string().unwrap(), files);
    }
    cases
}

#[test]
fn every_case_has_its_findings() {
    let mut failures = Vec::new();
    for path in cases().into_values().flatten() {
        let case = Case::read(&path);
        let checked = case.check();
        let found = found(&checked);
        if found != case.expected {
            failures.push(format!("{}: found {found:?}", path.display()));
        }
        let topics: Vec<_> = checked.not_checked.iter().map(|it| it.topic.to_owned()).collect();
        if case.not_checked.as_ref().is_some_and(|it| *it != topics) {
            failures.push(format!("{}: not checked {topics:?}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A false alarm is as bad as a miss.
#[test]
fn every_violation_has_a_valid_neighbor() {
    for path in cases().into_values().flatten() {
        let case = Case::read(&path);
        let name = path.file_name().unwrap().to_str().unwrap();
        match name.strip_suffix(".valid.json") {
            Some(_) => assert!(case.expected.is_empty(), "{}", path.display()),
            None => {
                assert!(!case.expected.is_empty(), "{}", path.display());
                let neighbor = name.replace(".json", ".valid.json");
                assert!(path.with_file_name(neighbor).is_file(), "{}", path.display());
            }
        }
    }
}

/// Rules without a file: bodies of many megabytes, several bodies, and a fact about an encoder.
const WITHOUT_FILE: [&str; 7] = [
    "available-tools",
    "body-size",
    "doubled-custom-id",
    "image-size",
    "marker-volatile",
    "message-count",
    "prompt-length",
];

#[test]
fn every_rule_has_a_case_on_each_of_its_wires() {
    let mut shown = BTreeSet::new();
    for (folder, paths) in cases() {
        for path in paths {
            let case = Case::read(&path);
            let ids = case.expected.iter().filter_map(|it| it.split(' ').next());
            let ids: Vec<_> = ids.map(str::to_owned).collect();
            if !ids.is_empty() {
                assert!(ids.contains(&folder), "{}", path.display());
            }
            let wire = case.wire().as_str();
            shown.extend(ids.into_iter().map(|id| (id, wire)));
        }
    }
    let mut all = BTreeSet::new();
    for rule in RULES {
        for on in rule.wires() {
            // Others at this level need a log.
            let is_of_logs = on.level == RuleLevel::Cost && rule.id != "instructions-uncached";
            let is_checked = !is_of_logs && !rule.is_of_conversions(on.wire);
            if is_checked && !WITHOUT_FILE.contains(&rule.id) {
                all.insert((rule.id.to_owned(), on.wire.as_str()));
            }
        }
    }
    let missing: Vec<_> = all.difference(&shown).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let unknown: Vec<_> = shown.difference(&all).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn every_id_names_one_rule() {
    let mut seen = BTreeSet::new();
    for rule in RULES {
        for id in rule.aliases.iter().chain([&rule.id]) {
            assert!(seen.insert(*id), "{id} is used twice");
            assert_eq!(find(id).map(|it| it.id), Some(rule.id));
        }
    }
}

#[test]
fn what_clients_send_is_accepted() {
    let of_messages = SEEN_FROM_CLIENTS.iter().filter(|seen| seen.wire == Wire::Messages);
    for seen in of_messages {
        let context = Context {
            betas: Some(seen.betas.iter().map(|&beta| beta.to_owned()).collect()),
            ..Context::default()
        };
        let checked = check(seen.sample.as_bytes(), Wire::Messages, &context);
        assert_eq!(found(&checked), Vec::<String>::new(), "{}", seen.sends);
    }
}

#[test]
fn large_bodies_are_refused() {
    let rules = |body: &str| found(&check(body.as_bytes(), Wire::Messages, &Context::default()));
    let text = "a".repeat(33 * 1024 * 1024);
    let body = |text: &str, messages: usize| {
        let message = format!(r#"{{"role":"user","content":"{text}"}}"#);
        let messages = vec![message; messages].join(",");
        format!(r#"{{"model":"m","max_tokens":1,"messages":[{messages}]}}"#)
    };
    assert_eq!(rules(&body(&text, 1)), ["body-size "]);
    assert_eq!(rules(&body("a", 100_001)), ["message-count messages"]);
    assert_eq!(rules(&body("a", 100_000)), Vec::<String>::new());
}

#[test]
fn prompts_beyond_the_window_are_refused() {
    let checked = |model: &str, numbers: usize, rest: &str| {
        let text: String = (0..numbers).map(|it| format!("{it} ")).collect();
        let message = format!(r#"{{"role":"user","content":"{text}"}}"#);
        let body = format!(r#"{{"model":"{model}","max_tokens":1,"messages":[{message}]{rest}}}"#);
        check(body.as_bytes(), Wire::Messages, &Context::default())
    };
    // A 200,000-token window, one with a million, and an unknown one.
    let (near, beyond) = (80_000, 350_000);
    let small = "claude-haiku-4-5";
    assert_eq!(found(&checked(small, beyond, "")), ["prompt-length messages"]);
    for (model, numbers) in [(small, near), ("claude-opus-5-5", beyond)] {
        let checked = checked(model, numbers, "");
        assert_eq!(found(&checked), Vec::<String>::new(), "{model}");
        assert_eq!(checked.not_checked[0].topic, "prompt-length", "{model}");
    }
    let unknown = checked("claude-opus-9", beyond, "");
    assert_eq!(found(&unknown), Vec::<String>::new());
    // The API clears a part of it.
    let edits = r#","context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}"#;
    let cleared = found(&checked(small, beyond, edits));
    assert_eq!(cleared, ["context-editing-beta context_management.edits[0] needs"]);
}

#[test]
fn many_available_tools_are_refused() {
    let context =
        Context { betas: Some(vec!["inline-tools-2026-09-15".to_owned()]), ..Context::default() };
    let check = |tools: usize, definitions: usize, description: usize| {
        let deferred = (0..tools).map(|it| {
            format!(r#"{{"name":"t{it}","input_schema":{{"type":"object"}},"defer_loading":true}}"#)
        });
        let first = r#"{"name":"now","input_schema":{"type":"object"}}"#.to_owned();
        let tools: Vec<_> = [first].into_iter().chain(deferred).collect();
        let text = "a".repeat(description);
        let blocks = (0..definitions).map(|it| {
            format!(
                r#"{{"type":"tool_addition","tool":{{"type":"tool_definition","definition":{{"name":"d{it}","description":"{text}","input_schema":{{"type":"object"}}}}}}}}"#
            )
        });
        let blocks: Vec<_> = blocks.collect();
        let body = format!(
            r#"{{"model":"m","max_tokens":1,"tools":[{}],"messages":[{{"role":"user","content":"a"}},{{"role":"system","content":[{}]}}]}}"#,
            tools.join(","),
            blocks.join(",")
        );
        found(&check(body.as_bytes(), Wire::Messages, &context))
    };
    assert_eq!(check(10_000, 1, 1), Vec::<String>::new());
    assert_eq!(check(10_001, 1, 1), ["available-tools tools"]);
    assert_eq!(check(0, 10_000, 1), Vec::<String>::new());
    assert_eq!(check(0, 10_001, 1), ["available-tools messages"]);
    const HALF: usize = 2 << 20;
    assert_eq!(check(0, 2, HALF - 1_000), Vec::<String>::new());
    assert_eq!(check(0, 2, HALF), ["available-tools messages"]);
}

#[test]
fn large_images_are_refused() {
    let found_on = |platform, length: usize| {
        let data = "A".repeat(length);
        let source = format!(r#"{{"type":"base64","media_type":"image/png","data":"{data}"}}"#);
        let content = format!(r#"[{{"type":"image","source":{source}}}]"#);
        let messages = format!(r#"[{{"role":"user","content":{content}}}]"#);
        let body = format!(r#"{{"model":"m","max_tokens":1,"messages":{messages}}}"#);
        let context = Context { platform, ..Context::default() };
        found(&check(body.as_bytes(), Wire::Messages, &context))
    };
    let refused = ["image-size messages[0].content[0].source.data"];
    const MIB: usize = 1024 * 1024;
    assert_eq!(found_on(None, 10 * MIB + 4), refused);
    assert_eq!(found_on(None, 10 * MIB), Vec::<String>::new());
    let bedrock = Some(Platform::BedrockMessages);
    assert_eq!(found_on(bedrock, 5 * MIB + 4), refused);
    assert_eq!(found_on(bedrock, 5 * MIB), Vec::<String>::new());
}

#[test]
fn findings_of_one_body_are_bounded() {
    let message = r#"{"role":"user","content":" "}"#;
    let messages = vec![message; 5_000].join(",");
    let body = format!(r#"{{"model":"m","max_tokens":1,"messages":[{messages}]}}"#);
    let checked = check(body.as_bytes(), Wire::Messages, &Context::default());
    assert_eq!(checked.findings.len(), 1_000);
    let further = checked.not_checked.iter();
    let further: Vec<_> = further.filter(|it| it.topic == "further-findings").collect();
    assert_eq!(further[0].count, 4_000);
}

/// Each schema fault has a path, whose cost grows with the schema.
#[test]
fn findings_of_one_schema_are_bounded() {
    let properties = (0..20_000).map(|it| format!(r#""p {it}":{{"type":"string"}}"#));
    let properties: Vec<_> = properties.collect();
    let body = format!(
        r#"{{"model":"m","max_tokens":1,"messages":[{{"role":"user","content":"a"}}],"tools":[{{"name":"a","input_schema":{{"type":"object","properties":{{{}}}}}}}]}}"#,
        properties.join(",")
    );
    let checked = check(body.as_bytes(), Wire::Messages, &Context::default());
    assert_eq!(checked.findings.len(), 1_000);
    let mut further = checked.not_checked.iter();
    let further = further.find(|it| it.topic == "further-findings");
    assert_eq!(further.map(|it| it.count), Some(19_000));
}

/// The path of a doubled key costs as much.
#[test]
fn doubled_keys_of_one_body_are_bounded() {
    let members = vec![r#"\"a\":1"#; 20_000].join(",");
    let call = format!(
        r#"{{"type":"function_call","call_id":"c","name":"f","arguments":"{{{members}}}"}}"#
    );
    let body = format!(r#"{{"model":"gpt-5.5","previous_response_id":"r","input":[{call}]}}"#);
    let checked = check(body.as_bytes(), Wire::Responses, &Context::default());
    assert_eq!(checked.findings.len(), 1_000);
    let mut further = checked.not_checked.iter();
    let further = further.find(|it| it.topic == "further-findings");
    // One is for the call without an output.
    assert_eq!(further.map(|it| it.count), Some(19_000));
}

/// A body may have any number of system messages in a row.
#[test]
fn the_cost_of_system_messages_is_linear() {
    let change = r#"{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"a"}}]}"#;
    let time = |count: usize| {
        let messages = vec![change; count].join(",");
        let body =
            format!(r#"{{"model":"claude-opus-5-5","max_tokens":1,"messages":[{messages}]}}"#);
        let times = (0..3).map(|_| {
            let start = Instant::now();
            std::hint::black_box(check(body.as_bytes(), Wire::Messages, &Context::default()));
            start.elapsed()
        });
        times.min().unwrap()
    };
    let (few, many) = (time(4_000), time(32_000));
    // If the cost is quadratic, eight times the messages take 64 times as long.
    assert!(many < few * 30, "{few:?}, {many:?}");
}
