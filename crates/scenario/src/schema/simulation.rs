//! The form of a session for `aside reminders simulate`. That command's tests
//! check that the reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::block::Block;
use super::reminder::{Id, Manner};

/// A session for `aside reminders simulate FILE`, which prints the reminders
/// that fire in it. `messages` and `inject` go together.
#[derive(JsonSchema)]
#[schemars(
    deny_unknown_fields,
    title = "A simulated session",
    extend("anyOf" = json!([
        {"properties": {"messages": {"type": "null"}, "inject": {"type": "null"}}},
        {
            "required": ["messages", "inject"],
            "properties": {"messages": {"type": "array"}, "inject": {"type": "array"}},
        },
    ])),
)]
pub(super) struct Simulation {
    /// The reminders at the start.
    #[schemars(default)]
    reminders: Vec<Reminder>,
    /// The steps, in order.
    #[schemars(default)]
    steps: Vec<Step>,
    /// Messages in the Messages API's form, which are printed with the
    /// reminders in `inject`.
    messages: Option<Vec<Message>>,
    /// The reminders to inject into the messages, by id, in order, due or not.
    inject: Option<Vec<String>>,
}

/// A reminder as its file has it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Reminder {
    /// Unique.
    id: Id,
    /// The text for the model.
    content: String,
    #[schemars(flatten)]
    manner: Manner,
}

/// A request, for which due reminders are collected; or, with `register` or
/// `remove`, a change to the reminders. Missing values are those of the step
/// before.
#[derive(JsonSchema)]
#[schemars(
    deny_unknown_fields,
    // At most one of them.
    extend("anyOf" = json!([
        {"properties": {"register": {"type": "null"}}},
        {"properties": {"remove": {"type": "null"}}},
    ])),
)]
struct Step {
    /// A reminder to add, or to replace the one with its id. Such a step has no
    /// request.
    register: Option<Reminder>,
    /// A reminder to remove, by id. Such a step has no request.
    remove: Option<String>,
    /// The turn, from 0; by default the next one.
    turn: Option<u64>,
    /// The tools called since the step before; by default none.
    last_tool_calls: Option<Vec<Call>>,
    /// How many messages there are.
    message_count: Option<u64>,
    /// The time since the session began, in milliseconds.
    elapsed_ms: Option<u64>,
    /// The repeated call; by default derived from the steps.
    repeated: Option<Repeated>,
}

/// A tool call: its name, or name and input.
#[derive(JsonSchema)]
#[schemars(untagged, deny_unknown_fields)]
enum Call {
    /// The tool's name.
    Name(String),
    /// Name and input: two calls are the same if both are equal.
    WithInput {
        /// The tool's name.
        name: String,
        /// What the call passes.
        input: Option<Value>,
    },
}

/// A tool called repeatedly with the same input.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Repeated {
    /// Its name.
    tool: String,
    /// How many calls.
    times: u64,
}

/// A message in the Messages API's form.
#[derive(JsonSchema)]
struct Message {
    /// The role: `user` or `assistant`.
    #[schemars(extend("examples" = ["user", "assistant"]))]
    role: String,
    /// The content: a text, or content blocks.
    content: MessageContent,
}

/// A text, or content blocks; null for none.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum MessageContent {
    Some(Content),
    None(()),
}

/// What the message says.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Content {
    /// A text.
    Text(String),
    /// Content blocks.
    Blocks(Vec<Block>),
}
