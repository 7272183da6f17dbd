//! The form of a line in a conversation. `tests/entry_schema.rs` checks that
//! the reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::block::Block;

/// An entry in a conversation. A conversation is a JSON Lines file with one
/// entry per line. Unknown keys, kinds and origins are kept unchanged.
#[derive(JsonSchema)]
#[schemars(title = "An entry of a conversation")]
pub(super) struct Entry {
    /// Unique in the conversation; by default derived from the position.
    id: Option<EntryId>,
    #[schemars(flatten)]
    kind: Kind,
    /// Who sees it; by default `shown`.
    visibility: Option<Visibility>,
    /// Who wrote it; by default the human.
    origin: Option<Origin>,
    /// Its contents.
    parts: Option<Vec<Part>>,
    /// The text for the user, if it differs from the model's.
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
    /// A message, or a part of one: consecutive entries in one role become one
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
    /// The tools that the model may call change from here on.
    ToolChange {
        /// The changes, in order of arrival.
        changes: Vec<ToolChange>,
    },
    /// The session delivers text in another form from here on.
    Delivery {
        /// The form.
        delivery: Delivery,
    },
    /// The requests' prefix changed: earlier thinking is no longer sent.
    PrefixChange {
        /// Why, such as `tools`, `prompt` or `model`.
        reason: String,
        /// The first entry whose thinking is lost: `start`, or an id.
        from: ChangeStart,
        /// How many images and documents are replaced by text from here on.
        replaced_media: Option<u64>,
        /// How many thinking blocks are lost.
        lost_thinking: Option<u64>,
    },
    /// The conversation is cleared: no earlier entry is sent.
    Clear,
    /// The conversation is compacted: a summary is sent in place of the earlier
    /// entries.
    Compact {
        /// The summary for the model; the user does not see it.
        summary: String,
    },
    /// These entries are no longer sent.
    Snip {
        /// The entries' ids.
        ids: Vec<EntryId>,
    },
    /// The user's last message got no response. The user's next message is a
    /// separate one.
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

/// `start`, or an entry's id.
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

/// How a session delivers its own text.
#[derive(JsonSchema)]
struct Delivery {
    /// The model.
    model: String,
    /// The platform that runs it, such as `first-party`.
    platform: String,
    /// Whether the model binds its thinking to the prefix.
    bound: bool,
    /// How reminders for one request are sent.
    ephemeral: EphemeralForm,
    /// How the harness's own text is sent.
    voice: Voice,
    /// How tool changes are sent.
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
        /// The attachment's kind, such as `plan_mode`.
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
    /// Context for the model before the user's first message.
    Context {
        /// Which requests share it.
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
    /// Every request by a product.
    Static,
    /// Every session in a project.
    Project,
    /// Every session by one user in a project.
    User,
    /// Every request in a session.
    Session,
    /// Every request in one conversation.
    Conversation,
}

/// Part of an entry: a reminder, or a content block.
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
    /// A message from the harness to the model. The text of another part cannot
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
