//! The arguments of `aside run`.

use std::path::PathBuf;

use clap::Args;
use uuid::Uuid;

#[cfg(feature = "network")]
use super::McpArguments;
use super::{RequestArguments, SessionArguments};

/// Run a model in a directory until it ends its turn.
///
/// Prints the response as it arrives, and reports tool calls and the session id
/// (for --resume) on stderr. The model can read and search files, and keep a
/// task list; to let it change files, add --allow-edits.
///
/// To choose a provider, pass --provider or set its variables; its key comes
/// from your environment. If you choose none and set neither ANTHROPIC_API_KEY
/// nor ANTHROPIC_AUTH_TOKEN, nothing is sent: a recording responds.
///
/// A conversation that exceeds the context window is replaced by a summary; to
/// do so earlier, prompt /compact, with or without instructions, or /clear. The
/// last line on stderr is the usage: requests, tokens, prompt cache resets.
///
/// With --steer, each line of stdin is a message to the model during the run.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside run \"Where is the lexer?\"
  aside run \"And its tests?\" --resume 67e55044-10b1-426f-9247-bb680e5fe0c8
  aside run \"Write a summary of src\" --steer
  aside run hello --replay cassette.json
  aside run \"Which issues are open?\" --mcp
  aside run \"Where is the lexer?\" --json | jq -r .type

Exit codes: 0 the model is done, 1 the run ended for another reason, 2 usage
error.")]
pub(crate) struct Run {
    /// The message of the user. Optional with --resume, which then continues
    /// the interrupted turn.
    #[arg(required_unless_present = "resume", value_parser = super::user_prompt)]
    pub(crate) prompt: Option<String>,

    /// Respond from a recording: a JSON file with responses in order, in the
    /// form of script.schema.json of aside-providers; - is stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,

    /// Resume a session of this project.
    #[arg(long, value_name = "ID", value_parser = super::session_id)]
    pub(crate) resume: Option<Uuid>,

    /// The id of the new session, by default one that no other session has.
    #[arg(long, value_name = "UUID", value_parser = super::session_id,
          conflicts_with = "resume")]
    pub(crate) session_id: Option<Uuid>,

    /// Send every line of stdin to the model while it works. A line is
    /// delivered with the next request, after the results of its tools, with
    /// the files that the line mentions with an @. A line that arrives during
    /// the last response gets a response as well.
    ///
    /// Lines of white space are ignored; a line that is not UTF-8 or longer
    /// than 1 MiB is left out, with a warning. The command ends when the model
    /// is done, whether stdin has ended or not. Lines that were read too late
    /// because the run ended for another reason are kept in the session, and
    /// --resume delivers them.
    #[arg(long)]
    pub(crate) steer: bool,

    /// Print the events of the run as JSON Lines: the length of each request in
    /// bytes, each event of a response in the form of the Messages API
    /// (compaction_event for a summary), each tool call and its result, and at
    /// the end the outcome with the usage. For the body of a request, see aside
    /// render.
    #[arg(long)]
    pub(crate) json: bool,

    /// The maximum number of requests.
    #[arg(long, value_name = "N", value_parser = super::positive)]
    pub(crate) max_turns: Option<u64>,

    #[command(flatten)]
    pub(crate) request: RequestArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,

    #[cfg(feature = "network")]
    #[command(flatten)]
    pub(crate) servers: McpArguments,
}
