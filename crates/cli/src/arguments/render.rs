//! The arguments of `aside render`.

use std::path::PathBuf;

use clap::Args;

use super::NextRequest;

/// Print the request that `run` would send next.
///
/// You get the body that aside run would send first with the same arguments
/// (pass both the same --session-id), without the stream parameters: tools,
/// system prompt, instruction files, git state, prompt, cache markers. Sends
/// nothing. Reports files that cannot be read on stderr, and prints the body
/// nevertheless.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside render \"Explain the build\"
  aside render \"Explain the build\" --pretty | less
  aside render \"Explain the build\" --explain > body.json
  aside render \"Explain the build\" --source-map map.json > body.json
  aside render --provider gemini \"Explain the build\"
  aside render --tools none \"Explain the build\"
  aside render --messages messages.json --tools tools.json
  aside render --messages messages.json --context context.json --json
  aside render --conversation session.jsonl --append \"Explain the build\"
  aside render \"And its tests?\" --resume 67e55044-10b1-426f-9247-bb680e5fe0c8
  aside render --layout classic --date 2026-01-31 | sha256sum

Exit codes: 0 success, 1 the request cannot be made, 2 usage error.")]
pub(crate) struct Render {
    /// With --messages: the file that keeps the head of the requests (git
    /// status, date, instruction files, sections of the system prompt), so that
    /// it is the same in every call.
    ///
    /// The first call writes the file, later ones read it. With --json, requests
    /// also have reminders and attachments, and each call updates the file.
    /// Without it, requests have no git status, no date and no attachment, and
    /// reminders only if the model does not bind its thinking to the prefix.
    #[arg(long, value_name = "FILE", requires = "messages",
          conflicts_with_all = ["append", "conversation", "resume", "session_id"])]
    pub(crate) context: Option<PathBuf>,

    /// With --conversation: store the conversation in the file, and create it
    /// if it is absent. The prompt and what the request adds are appended; you
    /// append the response and the tool results.
    #[arg(long, requires = "conversation",
          conflicts_with_all = ["messages", "resume", "session_id"])]
    pub(crate) append: bool,

    /// Indent the request to read it, in the form of the Messages API. These
    /// are not the bytes that would be sent.
    #[arg(long, conflicts_with = "provider")]
    pub(crate) pretty: bool,

    /// Print one JSON object: the "headers" without credentials; the "body"; what
    /// to "append" before the response once the request was sent, as entries of
    /// --conversation, or as messages of --messages with --context; and the
    /// "plan": cache markers, form of delivery, resets.
    #[arg(long, conflicts_with = "pretty")]
    pub(crate) json: bool,

    /// Explain the request on stderr: why each cache marker is there, with the
    /// tokens up to it, why other places have none, how reminders and tools are
    /// delivered, and why a prefix does not continue the last one, with the
    /// thinking that is lost.
    #[arg(long)]
    pub(crate) explain: bool,

    /// Also write the source of each byte of the body: a JSON array of
    /// {"start","end","kind","path","name","layer",
    /// "state","source","origin"}, whose ranges cover the body.
    #[arg(long, value_name = "PATH")]
    pub(crate) source_map: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) next: NextRequest,
}
