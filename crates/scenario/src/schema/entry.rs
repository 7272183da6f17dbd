//! The form of a line of a conversation. `tests/entry_schema.rs` checks that
//! the reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::block::Block;

/// An entry of a conversation. A conversation is a file of JSON Lines with one
/// entry a line. Unknown keys, kinds and origins are kept unchanged.
#[derive(JsonSchema)]
#[schemars(title = "An entry of a conversation")]
pub(super) struct Entry {
    /// Unique in the conversation; by default derived from the position.
    id: Option<EntryId>,
    #[schemars(flatten)]
    kind: Kind,
    /// Its audience; by default `shown`.
    visibility: Option<Visibility>,
    /// Its author; by default the human.
    origin: Option<Origin>,
    /// Its contents.
    parts: Option<Vec<Part>>,
    /// The text for the user, if it differs from the text for the model.
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
    /// A message, or a part of one: successive entries of one role become one
    /// message on the wire.
    Message {
        /// The role: `user` (also for tools), `assistant` or `system`. Any
        /// other value is kept, and sent unchanged.
        #[schemars(extend("examples" = ["user", "assistant", "system"]))]
        role: String,
        /// For a system message: `next_user_message` if the next user message
        /// clears it from the model's view. Its bytes stay in every request.
        clear_at: Option<String>,
    },
    /// A change of the tools that the model may call from here on.
    ToolChange {
        /// The changes, in order of arrival.
        changes: Vec<ToolChange>,
    },
    /// The form of delivery from here on.
    Delivery {
        /// The form.
        delivery: Delivery,
    },
    /// The prefix of the requests changed: earlier thinking is no longer sent.
    PrefixChange {
        /// The reason, such as `tools`, `prompt` or `model`.
        reason: String,
        /// The first entry whose thinking is lost: `start`, or an id.
        from: ChangeStart,
        /// The number of images and documents that are replaced by text from
        /// here on.
        replaced_media: Option<u64>,
        /// The number of lost thinking blocks.
        lost_thinking: Option<u64>,
    },
    /// The conversation is cleared: no entry before it is sent.
    Clear,
    /// The conversation is compacted: a summary is sent in place of the entries
    /// before it.
    Compact {
        /// The summary for the model; the user does not see it.
        summary: String,
    },
    /// These entries are no longer sent.
    Snip {
        /// The ids of the entries.
        ids: Vec<EntryId>,
    },
    /// The last message of the user got no response. The next message of the
    /// user is a message of its own.
    Aborted,
    /// An unknown kind; never sent.
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
    /// The model may no longer call it.
    Removed {
        /// Its name.
        removed: String,
    },
}

/// The form in which a session delivers its own text.
#[derive(JsonSchema)]
struct Delivery {
    /// The model.
    model: String,
    /// The platform that runs it, such as `first-party`.
    platform: String,
    /// Whether the model binds its thinking to the prefix.
    bound: bool,
    /// The form of reminders for one request.
    ephemeral: EphemeralForm,
    /// The form of the harness's own text.
    voice: Voice,
    /// The form of tool changes.
    tools: ToolForm,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum EphemeralForm {
    /// System messages that the next user message clears.
    TurnScoped,
    /// Entries that stay.
    Persistent,
    /// Text at the end of one request.
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
    /// New tools are appended, and a system message adds them.
    Appended,
    /// The list of tools is replaced.
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
        /// The server that sent it.
        server: String,
    },
    /// A hook.
    Hook {
        /// Its name.
        name: String,
    },
    /// The harness.
    Attachment {
        /// The kind of attachment, such as `plan_mode`.
        kind: String,
        /// Data that the harness needs later, such as the announced names.
        /// Never sent.
        detail: Option<Value>,
    },
    /// A persistent reminder.
    Reminder {
        /// Its id.
        id: String,
    },
    /// Context for the model before the first message of the user.
    Context {
        /// The requests that share it.
        layer: Layer,
    },
    /// The model.
    Model {
        /// The service that ran it. Its thinking is sent to no other service.
        provider: String,
        /// Its name at that service.
        name: String,
    },
    /// An unknown origin.
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
    /// Every session of one user in a project.
    User,
    /// Every request of a session.
    Session,
    /// The requests of one conversation.
    Conversation,
}

/// A part of an entry: a reminder, or a content block.
#[derive(JsonSchema)]
#[schemars(
    untagged,
    // A part with a reminder is a reminder, whatever its other keys are.
    extend("properties" = json!({"reminder": {
        "description": "The text of a reminder, which the part then is.",
        "type": ["string", "null"],
    }})),
)]
enum Part {
    /// A message of the harness to the model. The text of another part cannot
    /// become a reminder.
    Reminder {
        /// The text between the tags `<system-reminder>`, which are added
        /// around it.
        reminder: String,
    },
    Block(Block),
    /// A content block as a string that contains its JSON, for a block with
    /// newlines between its tokens.
    Quoted(
        #[schemars(
            regex(pattern = r"^[ \t\r\n]*\{[\s\S]*\}[ \t\r\n]*$"),
            extend("contentMediaType" = "application/json"),
        )]
        String,
    ),
}
