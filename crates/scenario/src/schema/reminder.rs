//! The format of a reminder file. `tests/reminder_schema.rs` checks that the
//! reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

/// A YAML file in a directory `reminders`, or the front matter of a Markdown
/// file there, whose body is then the content.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "A reminder")]
pub(super) struct ReminderFile {
    /// Unique; by default the name of the file without its ending.
    id: Option<Id>,
    /// The text for the model. Required in YAML, unless `enabled` is false; in
    /// Markdown the body is the content.
    content: Option<String>,
    #[schemars(flatten)]
    manner: Manner,
}

/// The schedule and the delivery of a reminder.
#[derive(JsonSchema)]
pub(super) struct Manner {
    /// The schedule.
    schedule: Option<Schedule>,
    /// Reminders with higher priority come later, closer to the end, to which
    /// the model attends most; by default 0.
    #[schemars(range(min = -2_147_483_648i64, max = 2_147_483_647i64))]
    priority: Option<i64>,
    /// `false` also switches off an earlier file, or a built-in reminder, of
    /// this id; by default `true`.
    enabled: Option<bool>,
    /// The delivery; by default `ephemeral`.
    delivery: Option<Delivery>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Id {
    Text(#[schemars(regex(pattern = r"\S"))] String),
    Number(f64),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("anyOf" = keys_by_kind()))]
struct Schedule {
    /// The rule; by default `oneshot`, if no other key is given.
    kind: Option<Kind>,
    /// For `turn`: fires when the turn, counted from 0, is a multiple of this;
    /// by default 1.
    #[schemars(range(min = 1))]
    turn_interval: Option<u64>,
    /// For `timer`: a duration as in Go, such as `30s` or `1h30m`; by default
    /// `5m`.
    #[schemars(regex(
        pattern = r"^([-+]?0|-((0+([.]0*)?|[.]0+)(ns|us|µs|μs|ms|s|m|h))+|[+]?(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"
    ))]
    interval: Option<String>,
    /// The maximum number of times that it fires; 0, the default, means no
    /// limit.
    #[schemars(range(max = 4_294_967_295u64))]
    max_fires: Option<u64>,
    /// For `condition`: `always`, `after_tool:Edit,Write`, `turn_gt:20`,
    /// `messages_gt:80` or `repeated_tool:3`; by default `always`.
    condition: Option<String>,
    /// The fewest turns between two fires; by default 0.
    cooldown_turns: Option<u64>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Kind {
    /// Every turn.
    Always,
    /// On turn 0, and every `turn_interval` turns from there.
    Turn,
    /// At the first check, and then every `interval`.
    Timer,
    /// Once.
    Oneshot,
    /// When the condition holds.
    Condition,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Delivery {
    /// In one request only.
    Ephemeral,
    /// In every request from now on.
    Persistent,
}

/// Returns the keys that a kind does not have: they are left out, or null.
fn keys_by_kind() -> Value {
    let without = |kind: Value, keys: &[&str]| {
        let null = json!({"type": "null"});
        let mut properties: Map<String, Value> = keys
            .iter()
            .map(|key| ((*key).to_owned(), null.clone()))
            .collect();
        let required = match kind {
            Value::Null => {
                properties.insert("kind".to_owned(), null);
                json!([])
            }
            kinds => {
                properties.insert("kind".to_owned(), json!({"enum": kinds}));
                json!(["kind"])
            }
        };
        json!({"required": required, "properties": properties})
    };
    json!([
        without(json!(["turn"]), &["interval", "condition"]),
        without(json!(["timer"]), &["turn_interval", "condition"]),
        without(json!(["condition"]), &["turn_interval", "interval"]),
        without(
            json!(["always", "oneshot"]),
            &["turn_interval", "interval", "condition"]
        ),
        without(
            Value::Null,
            &[
                "turn_interval",
                "interval",
                "max_fires",
                "condition",
                "cooldown_turns"
            ]
        ),
    ])
}
