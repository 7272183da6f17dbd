//! The arguments of `aside render`.

use std::path::PathBuf;

use clap::Args;

use super::NextRequest;

/// Print the request that `run` would send next.
///
/// The body is the first that aside run with the same arguments, --session-id
/// among them, would send, without the parameters of a stream: the tools, the
/// system prompt, the instruction files, the state of git, the prompt, and the
/// cache markers. Nothing is sent. Files that cannot be read are reported on
/// stderr, and the body is printed nevertheless.
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
    #[arg(long, value_name = "FILE", requires = "messages")]
    pub(crate) context: Option<PathBuf>,

    /// With --conversation: store the conversation in the file, which is created
    /// if it is absent. The prompt and the additions of the request are
    /// appended; the caller appends the response and the results of tools.
    #[arg(long, requires = "conversation")]
    pub(crate) append: bool,

    /// Indent the request for reading, in the form of the Messages API. These
    /// are not the bytes that would be sent.
    #[arg(long, conflicts_with = "provider")]
    pub(crate) pretty: bool,

    /// Print one JSON object: the "headers" without credentials; the "body"; what
    /// to "append" before the response once the request was sent, as entries of
    /// --conversation, or as messages of --messages with --context; and the
    /// "plan": cache markers, form of delivery, resets.
    #[arg(long, conflicts_with = "pretty")]
    pub(crate) json: bool,

    /// Explain the request on stderr: each cache marker with its reason and the
    /// tokens up to it, each place without one and why, the form in which
    /// reminders and tools are delivered, and the reason for a prefix that does
    /// not continue the last one, with the thinking that is lost by it.
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
