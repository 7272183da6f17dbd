//! The arguments of the next request, for `aside render` and `aside context`.

use std::convert::Infallible;
use std::path::PathBuf;

use clap::Args;
use uuid::Uuid;

use super::{RequestArguments, SessionArguments};

/// The next request of a session.
#[derive(Debug, Args)]
pub(crate) struct NextRequest {
    /// The user's prompt, to add after the conversation so far. Without it, the
    /// request ends with that conversation, or with the session context.
    #[arg(value_parser = super::user_prompt)]
    pub(crate) prompt: Option<String>,

    /// The conversation so far: JSON Lines with one entry each; - is stdin.
    ///
    /// The form of an entry is that of entry.schema.json of aside-messages; only
    /// its "kind", and the keys of that kind, are required. If no entry after
    /// the last boundary is the context of a session, that of this session is
    /// added there.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["messages", "resume"])]
    pub(crate) conversation: Option<PathBuf>,

    /// The conversation so far: a JSON array of messages of the Messages API, or
    /// an object with such "messages", whose other keys are ignored; - is stdin.
    /// Messages of Chat Completions are converted first.
    ///
    /// Cache markers in it are kept. A reminder tag in it is text, because its
    /// author may not be the agent. --conversation accepts reminders of an agent
    /// as separate parts.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) messages: Option<PathBuf>,

    /// The tools: own, those that aside run offers; none; or a file with a JSON
    /// array of the Messages API. By default own, and none with --messages or
    /// --conversation, because the caller runs the tools.
    ///
    /// In a file, tools whose names begin with mcp__ are those of MCP servers,
    /// and their descriptions are text from outside. A file with the name none
    /// is ./none.
    #[arg(long, value_name = "FILE|none|own", conflicts_with = "resume", value_parser = tool_choice,
          value_hint = clap::ValueHint::FilePath)]
    pub(crate) tools: Option<ToolChoice>,

    /// Print the next request of a session of this project, as aside run
    /// --resume would send it. The session is not changed; tool calls without a
    /// result are run if they only read files.
    #[arg(long, value_name = "ID", value_parser = super::session_id)]
    pub(crate) resume: Option<Uuid>,

    /// The id of the new session, as for aside run; by default zeros. Message ids
    /// and the cache keys of some providers follow from it.
    #[arg(long, value_name = "UUID", value_parser = super::session_id,
          conflicts_with_all = ["messages", "conversation", "resume"])]
    pub(crate) session_id: Option<Uuid>,

    #[command(flatten)]
    pub(crate) request: RequestArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

/// The value of `--tools`.
#[derive(Clone, Debug)]
pub(crate) enum ToolChoice {
    /// The tools of `aside run`.
    Own,
    None,
    /// The tools of a JSON file.
    File(PathBuf),
}

/// Reads the value of `--tools`.
fn tool_choice(value: &str) -> Result<ToolChoice, Infallible> {
    Ok(match value {
        "own" => ToolChoice::Own,
        "none" => ToolChoice::None,
        file => ToolChoice::File(file.into()),
    })
}

impl NextRequest {
    /// Returns true if another program runs the session, and passes its conversation.
    pub(crate) fn is_of_caller(&self) -> bool {
        self.messages.is_some() || self.conversation.is_some()
    }

    /// Returns the tools of `--tools`, or the default.
    pub(crate) fn tools(&self) -> ToolChoice {
        let default = if self.is_of_caller() { ToolChoice::None } else { ToolChoice::Own };
        self.tools.clone().unwrap_or(default)
    }

    /// Returns the id of the session of `aside run`, which is zeros in a new one
    /// without `--session-id`; `None` for the session of another program.
    pub(crate) fn id(&self) -> Option<Uuid> {
        let id = self.resume.or(self.session_id).unwrap_or_default();
        (!self.is_of_caller()).then_some(id)
    }
}
