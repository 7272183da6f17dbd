//! The format of a reminder file. `tests/reminder_schema.rs` checks that the
//! reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use aside_reminder::Schedule;
use schemars::JsonSchema;

/// A YAML file in a directory `reminders`, or the front matter in a Markdown
/// file there, whose body is then the content.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "A reminder")]
pub(super) struct ReminderFile {
    /// Unique; by default the file name without its extension.
    id: Option<Id>,
    /// The text for the model. Required in YAML, unless `enabled` is false; in
    /// Markdown the body is the content.
    content: Option<String>,
    #[schemars(flatten)]
    manner: Manner,
}

/// When and how a reminder is sent.
#[derive(JsonSchema)]
pub(super) struct Manner {
    /// When it fires.
    schedule: Option<Schedule>,
    /// Reminders with higher priority come later, closer to the end, to which
    /// the model attends most; by default 0.
    #[schemars(range(min = -2_147_483_648i64, max = 2_147_483_647i64))]
    priority: Option<i64>,
    /// `false` also switches off an earlier file, or a built-in reminder, with
    /// this id; by default `true`.
    enabled: Option<bool>,
    /// How long it stays in requests; by default `ephemeral`.
    delivery: Option<Delivery>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Id {
    Text(#[schemars(regex(pattern = r"\S"))] String),
    Number(f64),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Delivery {
    /// In one request only.
    Ephemeral,
    /// In every request from now on.
    Persistent,
}
