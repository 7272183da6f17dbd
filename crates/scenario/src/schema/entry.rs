//! The form of a line of a conversation. `tests/entry_schema.rs` holds it and
//! the reader together.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::block::Block;

/// A conversation is a file of JSON Lines, an entry a line: what was said, by
/// whom and why. Keys, kinds and origins that are not known are kept as they
/// are.
#[derive(JsonSchema)]
#[schemars(title = "An entry of a conversation")]
pub(super) struct Entry {
    /// Unique in the conversation; by default the one that its place gives.
    id: Option<EntryId>,
    #[schemars(flatten)]
    kind: Kind,
    /// Who gets to see it; by default `shown`.
    visibility: Option<Visibility>,
    /// Who caused it; by default the human.
    origin: Option<Origin>,
    /// What it says, piece by piece.
    parts: Option<Vec<Part>>,
    /// What the user sees, where it differs from what the model sees.
    display: Option<String>,
}

/// A UUID, such as `67e55044-10b1-426f-9247-bb680e5fe0c8`.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct EntryId(
    #[schemars(regex(
        pattern = r"^([0-9a-fA-F]{32}|\{[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}|([uU][rR][nN]:[uU][uU][iI][dD]:)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$"
    ))]
    String,
);

#[derive(JsonSchema)]
#[schemars(tag = "kind", rename_all = "snake_case")]
enum Kind {
    /// A message, or a part of one: entries of one role in a row become one
    /// message on the wire.
    Message {
        /// Who speaks: `user`, for every tool too, `assistant`, or `system`.
        /// Another word is kept, and sent as it is.
        #[schemars(extend("examples" = ["user", "assistant", "system"]))]
        role: String,
        /// On a system message: `next_user_message` if the next user message
        /// clears it from the model's view. Its bytes stay in every request.
        clear_at: Option<String>,
    },
    /// Tools that the model may call from here on, or no more.
    ToolChange {
        /// The changes, in order of arrival.
        changes: Vec<ToolChange>,
    },
    /// The form in which the session delivers from here on.
    Delivery {
        /// The form.
        delivery: Delivery,
    },
    /// The prefix of the requests changed: earlier thinking is not sent any
    /// more.
    PrefixChange {
        /// The reason, such as `tools`, `prompt` or `model`.
        reason: String,
        /// The first entry whose thinking is lost: `start`, or an id.
        from: ChangeStart,
        /// How many images and documents are replaced by text from here on.
        replaced_media: Option<u64>,
        /// How many thinking blocks are lost.
        lost_thinking: Option<u64>,
    },
    /// The conversation begins anew: nothing before it is sent.
    Clear,
    /// The conversation begins anew, with a summary of what was said before.
    Compact {
        /// What the model is told instead; the user does not see it.
        summary: String,
    },
    /// These entries are no longer sent.
    Snip {
        /// What is left out.
        ids: Vec<EntryId>,
    },
    /// The answer to the last message of the user never came. What the user
    /// says next is a message of its own.
    Aborted,
    /// A kind that is not known here; never sent.
    #[schemars(untagged)]
    Other {
        /// Its name.
        #[schemars(extend("not" = json!({"enum": [
            "message", "clear", "compact", "snip", "aborted", "tool_change", "delivery",
            "prefix_change",
        ]})))]
        kind: String,
    },
}

/// `start`, or the id of an entry.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ChangeStart {
    /// The start of the conversation.
    Start(StartWord),
    /// An entry.
    Entry(EntryId),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum StartWord {
    /// The start of the conversation.
    Start,
}

/// A tool that was added or removed, by name.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ToolChange {
    /// The model may call it from here on.
    Added {
        /// Its name.
        added: String,
    },
    /// The model may not call it any more.
    Removed {
        /// Its name.
        removed: String,
    },
}

/// The form in which a session delivers what it adds.
#[derive(JsonSchema)]
struct Delivery {
    /// The model.
    model: String,
    /// The platform that serves it, such as `first-party`.
    platform: String,
    /// Whether the model binds its thinking to the prefix.
    bound: bool,
    /// The form of reminders that are meant for one request.
    ephemeral: EphemeralForm,
    /// The form of the harness's own text.
    voice: Voice,
    /// The form of tools that come and go.
    tools: ToolForm,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum EphemeralForm {
    /// System messages that the next user message clears.
    TurnScoped,
    /// Entries that stay.
    Persistent,
    /// The end of one request.
    Tail,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Voice {
    /// System messages.
    System,
    /// Reminder tags.
    Tags,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum ToolForm {
    /// Appended, and added by a system message.
    Appended,
    /// The list is written again.
    Replaced,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Visibility {
    /// User and model.
    Shown,
    /// The model only.
    Meta,
    /// The user only: never sent.
    DisplayOnly,
}

#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
enum Origin {
    /// The user.
    Human,
    /// A background task that ended.
    TaskNotification,
    /// The agent that coordinates this one.
    Coordinator,
    /// A message from outside.
    Channel {
        /// The server that brought it.
        server: String,
    },
    /// A hook.
    Hook {
        /// Its name.
        name: String,
    },
    /// The harness, on its own account.
    Attachment {
        /// The kind of attachment, such as `plan_mode`.
        kind: String,
        /// What the harness has to know of it later, such as the names that it
        /// announced. Never sent.
        detail: Option<Value>,
    },
    /// A persistent reminder.
    Reminder {
        /// Its id.
        id: String,
    },
    /// What the model is told before the human's first word.
    Context {
        /// How many requests share it.
        layer: Layer,
    },
    /// The model.
    Model {
        /// Who served it. Thinking is sent to nobody else.
        provider: String,
        /// Its name there.
        name: String,
    },
    /// An origin that is not known here.
    #[schemars(untagged)]
    Other {
        /// Its name.
        #[schemars(extend("not" = json!({"enum": [
            "human", "task_notification", "coordinator", "channel", "hook", "attachment",
            "reminder", "context", "model",
        ]})))]
        r#type: String,
    },
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Layer {
    /// Every request of a product.
    Static,
    /// Every session of a project.
    Project,
    /// Every request of a session.
    Session,
    /// What is said.
    Conversation,
}

/// A piece of an entry: a reminder, or a content block.
#[derive(JsonSchema)]
#[schemars(
    untagged,
    // Whatever else a part is, its reminder is a text.
    extend("properties" = json!({"reminder": {
        "description": "The text of a reminder, which the part then is.",
        "type": ["string", "null"],
    }})),
)]
enum Part {
    /// What the harness says to the model. No text of another part can become
    /// one.
    Reminder {
        /// The text between the tags `<system-reminder>`, which are put around
        /// it.
        reminder: String,
    },
    Block(Block),
    /// A content block as a string that holds its JSON, for a block that has
    /// newlines between its tokens.
    Quoted(
        #[schemars(
            regex(pattern = r"^[ \t\r\n]*\{[\s\S]*\}[ \t\r\n]*$"),
            extend("contentMediaType" = "application/json"),
        )]
        String,
    ),
}
