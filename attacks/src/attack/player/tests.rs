//! Every check finds its fault, and every combination is played.

use serde_json::{Value, json};

use super::*;

/// Plays a case that runs a shell script.
fn play(script: &str, expect: &Value) -> Outcome {
    let class = json!({"about": "", "values": {"secret": "s3cret"}, "cases": [{
        "name": "a script",
        "steps": [
            {"write": ["outside/secret", "${secret}"]},
            {"program": ["sh", "-c", script]}
        ],
        "with": {"seconds": 0.5},
        "expect": [[expect]]
    }]});
    let class = serde_json::from_value(class).unwrap();
    super::play("none", &class, &class.cases, Extent::Short).unwrap()
}

#[test]
fn a_fault_is_found_by_each_check() {
    for (check, good, faulty) in [
        (json!("ends"), "exit 2", "exit 101"),
        (json!("ends"), "sleep 0.01", "sleep 0.6"),
        (json!("ends"), "echo panic", "echo thread panicked at >&2"),
        (json!("ends"), "true", "kill -9 $$"),
        (json!("succeeds"), "true", "exit 1"),
        (json!("fails"), "exit 1", "true"),
        (json!({"without": {"text": "${secret}"}}), "echo", "cat ../outside/secret"),
        (json!({"without": {"text": "${secret}"}}), "echo", "cat ../outside/secret >&2"),
        (
            json!({"without": {"text": "${secret}", "files": ["home"]}}),
            "cp ../outside/secret .",
            "mkdir ../home/a && cp ../outside/secret ../home/a",
        ),
        (
            json!({"without": {"text": "${secret}", "except": "/${secret}/"}}),
            "echo /s3cret/",
            "echo /s3cret/s3cret",
        ),
        (json!({"no-controls": "stdout"}), "printf '\\033' >&2", "printf '\\033'"),
        (json!({"no-controls": "stderr"}), "printf '\\033'", "printf '\\033' >&2"),
        (json!({"missing": "outside/mark"}), "true", "touch ../outside/mark"),
        (json!({"not": "succeeds"}), "exit 1", "true"),
    ] {
        assert_eq!(play(good, &check).to_string(), "1 tried, 1 held, 0 broken", "{good}");
        assert_eq!(play(faulty, &check).to_string(), "1 tried, 0 held, 1 broken", "{faulty}");
    }
}

#[test]
fn combinations_are_tried_in_both_extents() {
    let class = json!({"about": "", "values": {"all": ["${...few}", 3, 4], "few": [1, 2]}, "cases": [{
        "name": "${number} of ${letter}",
        "each": {"number": {"long": "${all}", "short": "${few}"}, "letter, code": [["a", 0], ["b", 1]]},
        "steps": [{"for": ["n", 2, [{"program": ["sh", "-c", "exit ${code}"]}]]}],
        "expect": [["ends"], ["succeeds"]]
    }]});
    let class: Class = serde_json::from_value(class).unwrap();
    for (extent, figures) in [
        (Extent::Short, "8 tried, 6 held, 2 broken"),
        (Extent::Long, "32 tried, 24 held, 8 broken"),
    ] {
        let outcome = super::play("none", &class, &class.cases, extent).unwrap();
        assert_eq!(outcome.to_string(), figures);
        assert!(outcome.findings[0].contains(" of b, \"-c exit 1\": exit code Some(1)"));
    }
}
