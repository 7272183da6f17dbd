//! The arguments of the next request, for `aside render` and `aside context`.

use std::path::PathBuf;

use clap::Args;
use uuid::Uuid;

use super::{RequestArguments, SessionArguments};

/// The next request of a session.
#[derive(Debug, Args)]
pub(crate) struct NextRequest {
    /// The prompt of the user, after the conversation so far. Without it, the
    /// request ends with that conversation, or with the context of the session.
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
    ///
    /// Cache markers in it are kept. A reminder tag in it is text, because its
    /// author may not be the agent. --conversation accepts reminders of an agent
    /// as separate parts.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) messages: Option<PathBuf>,

    /// The tools: a JSON array of the Messages API. Tools whose names begin with
    /// mcp__ are those of MCP servers, and their descriptions are text from
    /// outside.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) tools: Option<PathBuf>,

    /// Print the next request of a session of this project, as aside run
    /// --resume would send it. The session is not changed; tool calls without a
    /// result are run, which only read files.
    #[arg(long, value_name = "ID", value_parser = super::session_id)]
    pub(crate) resume: Option<Uuid>,

    #[command(flatten)]
    pub(crate) request: RequestArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}
