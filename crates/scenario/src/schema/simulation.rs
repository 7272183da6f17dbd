//! The form of a session for `aside reminders simulate`, whose tests hold it
//! and the reader together.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::cassette::Content;
use super::reminder::{Id, Manner};

/// A session for `aside reminders simulate FILE`, which prints what reminders
/// fire in it. `messages` and `inject` go together.
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
    /// The reminders that are there from the start.
    #[schemars(default)]
    reminders: Vec<Reminder>,
    /// What happens, in order.
    #[schemars(default)]
    steps: Vec<Step>,
    /// Messages of the Messages API, which are printed with the reminders of
    /// `inject`.
    messages: Option<Vec<Message>>,
    /// The ids of the reminders to give to the messages, in order, whether
    /// they are due or not.
    inject: Option<Vec<String>>,
}

/// A reminder in the form of its file.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Reminder {
    /// Unique.
    id: Id,
    /// What the model reads.
    content: String,
    #[schemars(flatten)]
    manner: Manner,
}

/// A request, for which it is asked what is due; or, with `register` or
/// `remove`, a change of what reminders there are. What a step leaves out is as
/// it was before.
#[derive(JsonSchema)]
#[schemars(
    deny_unknown_fields,
    // One of them at most.
    extend("anyOf" = json!([
        {"properties": {"register": {"type": "null"}}},
        {"properties": {"remove": {"type": "null"}}},
    ])),
)]
struct Step {
    /// A reminder that comes, or takes the place of one with its id. Nothing is
    /// asked in such a step.
    register: Option<Reminder>,
    /// The id of a reminder that goes. Nothing is asked in such a step.
    remove: Option<String>,
    /// The turn, from 0; by default the next one.
    turn: Option<u64>,
    /// The tools that were called since the step before; by default none.
    last_tool_calls: Option<Vec<Call>>,
    /// How many messages there are.
    message_count: Option<u64>,
    /// How much time has gone by since the session began, in milliseconds.
    elapsed_ms: Option<u64>,
    /// The call that is made again and again; by default what the steps say.
    repeated: Option<Repeated>,
}

/// The call of a tool: its name, or name and input.
#[derive(JsonSchema)]
#[schemars(untagged, deny_unknown_fields)]
enum Call {
    /// The name of the tool.
    Name(String),
    /// Name and input: calls are the same where both are.
    WithInput {
        /// The name of the tool.
        name: String,
        /// What it is called with.
        input: Option<Value>,
    },
}

/// A tool that was called with the same input in a row.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Repeated {
    /// Its name.
    tool: String,
    /// How many times.
    times: u64,
}

/// A message of the Messages API.
#[derive(JsonSchema)]
struct Message {
    /// Who speaks: `user` or `assistant`.
    #[schemars(extend("examples" = ["user", "assistant"]))]
    role: String,
    /// What is said: a text, or content blocks.
    content: MessageContent,
}

/// A text, or content blocks; null for none.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum MessageContent {
    Some(Content),
    None(()),
}
