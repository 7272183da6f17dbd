use std::path::PathBuf;

use clap::Args;
use uuid::Uuid;

use super::{RequestArguments, SessionArguments};

/// Lets a model work in a directory until it has nothing more to say.
///
/// The answer is printed as it comes. What the tools do is told on stderr, and
/// so is the id of the session, by which it can be taken up again. The model
/// can read files, search them, and keep a list of what it is about to do; it
/// changes nothing.
///
/// Without --replay, requests go to the provider that --provider or the
/// environment chooses, with the key that is set there. Where nobody is chosen
/// and neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set, nothing is
/// sent: a recording answers.
///
/// A conversation that outgrows the context window continues from a summary.
/// The prompts /compact, with or without instructions, and /clear do so by
/// hand. The last line on stderr is the usage: requests, tokens, resets of the
/// prompt cache.
///
/// With --steer, whatever else there is to say is said while the model works:
/// each line of stdin is a message to it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside run \"Where is the lexer?\"
  aside run \"And its tests?\" --resume 67e55044-10b1-426f-9247-bb680e5fe0c8
  aside run \"Write a summary of src\" --steer
  aside run hello --replay cassette.json
  aside run \"Where is the lexer?\" --json | jq -r .type

Exit codes: 0 the model is done, 1 something ended it before, 2 used wrongly.")]
pub(crate) struct Run {
    /// What the user says. May be left out with --resume: whatever was going
    /// on goes on.
    #[arg(required_unless_present = "resume")]
    pub(crate) prompt: Option<String>,

    /// Answer from a recording: a JSON file with answers in order, of the form
    /// of cassette.schema.json of aside-agent; - is stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,

    /// Go on with a session of this project.
    #[arg(long, value_name = "ID")]
    pub(crate) resume: Option<Uuid>,

    /// While the model works, every line of stdin is a message to it. It is
    /// told before its next request, behind the results of its tools, with the
    /// files that the line mentions with an @; a line that comes while the
    /// last answer does is answered, too.
    ///
    /// Lines of white space are passed over; one that is not UTF-8 or longer
    /// than 1 MiB is left out, with a warning. The end of stdin ends nothing.
    /// When the model is done, the command ends, whether or not stdin has.
    /// What was read and came too late, because something else ended the run,
    /// is kept in the session: --resume takes it up.
    #[arg(long)]
    pub(crate) steer: bool,

    /// Print what happens as JSON Lines: each request, each event of an answer
    /// in the form of the Messages API, each call of a tool and its result, and
    /// at the end the outcome with the usage.
    #[arg(long)]
    pub(crate) json: bool,

    /// The most requests.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_turns: Option<u64>,

    #[command(flatten)]
    pub(crate) request: RequestArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}
