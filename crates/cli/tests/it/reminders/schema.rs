//! The simulation schema has to match what `simulate` reads.

use aside_scenario::generated_files;
use serde_json::{Value, json};

use crate::reminders::keywords::is_valid;
use crate::reminders::spoiled::spoiled;
use crate::reminders::{run, world};
use crate::support::cases::all_or;

fn schema() -> Value {
    let files = generated_files();
    let file = files.iter().find(|file| file.path.ends_with("/simulation.schema.json"));
    serde_json::from_str(&file.unwrap().text).unwrap()
}

fn is_read(value: &Value) -> bool {
    let world = world(&[]);
    let (code, _, stderr) = run(world.path(), &["simulate", "-"], &value.to_string());
    assert!(code == 0 || code == 1, "{code}: {stderr}");
    code == 0
}

fn check(value: &Value, expected: bool) {
    assert_eq!(is_valid(&schema(), value), expected, "the schema: {value}");
    assert_eq!(is_read(value), expected, "the reader: {value}");
}

/// A session with every key.
fn whole() -> Value {
    let reminder = |id: &str, mut schedule: Value| {
        schedule["max_fires"] = json!(1);
        schedule["cooldown_turns"] = json!(1);
        json!({
            "id": id, "content": "A", "priority": 1, "enabled": true, "delivery": "ephemeral",
            "schedule": schedule,
        })
    };
    let registered = reminder("a", json!({"kind": "turn", "turn_interval": 1}));
    json!({
        "reminders": [
            registered,
            reminder("b", json!({"kind": "timer", "interval": "5m"})),
            reminder("c", json!({"kind": "condition", "condition": "always"})),
        ],
        "steps": [
            {
                "turn": 1, "message_count": 1, "elapsed_ms": 1,
                "last_tool_calls": ["Read", {"name": "Bash", "input": {"command": "ls"}}],
                "repeated": {"tool": "Bash", "times": 3},
            },
            {"register": registered},
            {"remove": "a"},
        ],
        "messages": [
            {"role": "user", "content": "x", "more": 1},
            {"role": "assistant", "content": [{"type": "text", "text": "y"}]},
        ],
        "inject": [],
    })
}

#[test]
fn they_agree_on_every_key_and_every_fault() {
    check(&whole(), true);
    let schema = schema();
    let mut stdout = Vec::new();
    let faults = spoiled(&whole());
    assert!(faults.len() > 200, "only {}", faults.len());
    // Each of them starts the command.
    for fault in faults.into_iter().step_by(all_or(5, 1)) {
        let (what, pointer) = (fault.what, fault.pointer);
        // The one in a step is like the one before the steps.
        if pointer.starts_with("/steps/1/register/") {
            continue;
        }
        // An unknown reminder key is ignored, as in a file; an editor shows it
        // as a fault.
        let of_reminder =
            ["/reminders/0", "/reminders/1", "/reminders/2", "/schedule", "/register"];
        let is_of_reminder = !pointer.starts_with("/steps/0")
            && !pointer.starts_with("/messages")
            && of_reminder.iter().any(|it| pointer.ends_with(it));
        let expected = match what {
            "a key more" if is_of_reminder => {
                assert!(is_read(&fault.value), "{what} at {pointer}");
                false
            }
            _ => is_read(&fault.value),
        };
        if is_valid(&schema, &fault.value) != expected {
            stdout.push(format!("{what} at {pointer}: expected {expected}"));
        }
    }
    assert_eq!(stdout, [""; 0]);
}

#[test]
fn both_accept_valid_values() {
    let step = |step: Value| json!({"steps": [step]});
    for session in [
        json!({}),
        json!({"messages": null, "inject": null}),
        json!({"messages": [], "inject": []}),
        json!({"reminders": [{"id": 7, "content": "x", "schedule": null}], "steps": []}),
        step(json!({})),
        step(json!({"register": null, "remove": null})),
        step(json!({"register": null, "remove": "a", "turn": 1})),
        step(json!({"register": {"id": "a", "content": "x"}, "remove": null})),
        step(json!({"turn": null, "last_tool_calls": null, "repeated": null})),
        step(json!({"last_tool_calls": [{"name": "a"}, {"name": "a", "input": null}]})),
    ] {
        check(&session, true);
    }
}

#[test]
fn both_refuse_invalid_values() {
    let step = |step: Value| json!({"steps": [step]});
    let reminder = |reminder: Value| json!({"reminders": [reminder]});
    for session in [
        json!([]),
        json!([[], []]),
        json!({"steps": null}),
        json!({"messages": []}),
        json!({"inject": []}),
        json!({"messages": null, "inject": []}),
        json!({"messages": [{"role": 5, "content": "x"}], "inject": []}),
        reminder(json!(["a", "x"])),
        reminder(json!({"content": "x"})),
        reminder(json!({"id": "a"})),
        reminder(json!({"id": "a", "content": null})),
        reminder(json!({"id": "a", "content": "x", "schedule": []})),
        step(json!([1])),
        step(json!({"turns": 1})),
        step(json!({"turn": -1})),
        step(json!({"register": {"id": "a", "content": "x"}, "remove": "a"})),
        step(json!({"register": ["a", "x"]})),
        step(json!({"last_tool_calls": [1]})),
        step(json!({"last_tool_calls": [["Bash"]]})),
        step(json!({"last_tool_calls": [{"name": "a", "times": 1}]})),
        step(json!({"repeated": ["Bash", 3]})),
        step(json!({"repeated": {"tool": "Bash"}})),
    ] {
        check(&session, false);
    }
}
