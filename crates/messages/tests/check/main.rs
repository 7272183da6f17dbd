//! Every rule of the API, broken once.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod conversation;
mod markers;
mod parameters;

use std::collections::BTreeSet;
use std::sync::Mutex;

use aside_messages::wire::Request;
use aside_messages::{ApiVersion, RULES, Rules};

/// The rules that some check below has seen broken.
static BROKEN: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

const NEW: Rules = Rules {
    version: ApiVersion::V2026_10_21,
    media_limit: 2,
    ..PUBLIC
};

const PUBLIC: Rules = Rules {
    version: ApiVersion::V2023_06_01,
    media_limit: 100,
    global_scope: false,
};

fn violations(rules: &Rules, json: &str) -> Vec<String> {
    let found = Request::parse(json.as_bytes()).unwrap().value.check(rules);
    BROKEN
        .lock()
        .unwrap()
        .extend(found.iter().map(|violation| violation.rule));
    found.iter().map(ToString::to_string).collect()
}

/// A request with these messages and further keys.
fn check(messages: &str, keys: &str, expected: &[&str]) {
    let json = format!(r#"{{"model":"m","max_tokens":8{keys},"messages":{messages}}}"#);
    assert_eq!(violations(&NEW, &json), expected, "{json}");
}

const HI: &str = r#"{"role":"user","content":"hi"}"#;
const MARK: &str = r#""cache_control":{"type":"ephemeral"}"#;

#[test]
fn the_rules() {
    conversation::clean();
    conversation::roles();
    conversation::content();
    conversation::calls_and_results();
    conversation::calls_of_others();
    parameters::tools();
    markers::markers();
    markers::markers_on_other_blocks();
    parameters::parameters_and_versions();
    parameters::schemas();
    markers::forms_of_markers();
    parameters::values_of_parameters();
    let all: BTreeSet<_> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(all.len(), RULES.len(), "names are unique");
    assert_eq!(*BROKEN.lock().unwrap(), all, "a rule has no example");
}
