use std::path::PathBuf;

use clap::Args;
use uuid::Uuid;

use super::{RequestArguments, SessionArguments};

/// Prints the exact body of the next request for a directory.
///
/// The body is what would be sent to POST /v1/messages: the system prompt, the
/// instruction files, the state of git, the prompt, and the cache markers.
/// Nothing is sent; aside run adds that the answer is to come as a stream. What
/// could not be read is told on stderr, and the body is printed all the same.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside render \"Explain the build\"
  aside render \"Explain the build\" --pretty | less
  aside render --provider gemini \"Explain the build\"
  aside render --messages messages.json --tools tools.json
  aside render \"And its tests?\" --resume 67e55044-10b1-426f-9247-bb680e5fe0c8
  aside render --layout classic --date 2026-01-31 | sha256sum

Exit codes: 0 done, 1 there is no such request, 2 used wrongly.")]
pub(crate) struct Render {
    /// What the user says, behind what was said before. Without it, the request
    /// ends with that, or with what the model is told before the user's first
    /// word.
    pub(crate) prompt: Option<String>,

    /// What was said before: JSON Lines, an entry of a conversation each;
    /// - is stdin.
    ///
    /// Of an entry, entry.schema.json of aside-messages says the form; only its
    /// "kind", and what that kind needs, has to be there. Where no entry behind the last boundary is what the model is told first,
    /// this session's own come there.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["messages", "resume"])]
    pub(crate) conversation: Option<PathBuf>,

    /// What was said before: a JSON array of messages, as the Messages API has
    /// them, or an object with such "messages", of which nothing else counts; -
    /// is stdin.
    ///
    /// Cache markers in it are kept. A reminder tag in it is text: whoever
    /// wrote that into a file need not be the agent. Reminders of an agent are
    /// parts of their own in --conversation.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) messages: Option<PathBuf>,

    /// The tools: a JSON array, as the Messages API has them. Those whose names
    /// begin with mcp__ are those of MCP servers, and what they say of
    /// themselves is text from outside.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) tools: Option<PathBuf>,

    /// The next request of a session of this project, as aside run --resume
    /// would send it. The session stays as it is; calls of tools that have no
    /// result yet are made, which only read.
    #[arg(long, value_name = "ID")]
    pub(crate) resume: Option<Uuid>,

    /// Print the request indented, to be read by people, in the form of the
    /// Messages API. These are not the bytes that would be sent.
    #[arg(long, conflicts_with = "provider")]
    pub(crate) pretty: bool,

    /// Print an object: the "headers" without credentials, the "body", the
    /// entries to "append" to the conversation once the request was sent, and
    /// the "plan": cache markers, form of delivery, resets.
    #[arg(long, conflicts_with = "pretty")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) request: RequestArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}
