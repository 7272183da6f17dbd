//! The arguments of `aside verify`.

use std::path::PathBuf;

use clap::Args;

/// Compare what the model gets with the texts you accepted.
///
/// DIR is a scenario (a folder with a scenario.yaml), or a folder of scenarios.
/// You see each distinct change once, the rarest first, with its id, requests,
/// place, source (section, instruction file, tool) and cost; then how many
/// scenarios failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside verify
  aside verify --bless && git diff
  aside verify --review
  aside verify --review main --max-tokens-added 500
  aside verify --accept 4f2a91,07c3de
  aside verify .aside/scenarios --junit report.xml

Exit codes: 0 success, 1 a scenario failed, 2 usage error.")]
pub(crate) struct Verify {
    /// The folder with your scenarios. Without .aside/scenarios here, that of
    /// your repository is the default.
    #[arg(value_name = "DIR", default_value = ".aside/scenarios")]
    pub(crate) directory: PathBuf,

    /// Print one JSON object: {"scenarios":[{"name","failures","warnings"}],
    /// "changes":[{"id","requests","tokens",
    /// "lost":{"tokens","cost"},"place","path","source",
    /// "layer","before","after","is_whole","note"}],
    /// "blessed":["wrote file"],"failed":0}. A failure of a request has all its
    /// differences; texts that are out of date are those of a scenario named
    /// texts. With --review BASE also
    /// "review":{"requests":[{"request","agent",
    /// "directory","before","after","ends","lost",
    /// "changes"}],"unchanged","removed",
    /// "findings","notes","without_scenario"}.
    #[arg(long)]
    pub(crate) json: bool,

    /// Accept all changes: write the current bytes as the expected ones, and
    /// print the changes with a paragraph for your commit. Refused if the
    /// variable CI is set, since you have to review them.
    #[arg(long, conflicts_with = "accept")]
    pub(crate) bless: bool,

    /// Accept changes one by one, on a terminal. With a git revision, print as
    /// Markdown what the model sees differently since then, for each agent and
    /// directory, with tokens, prices, cached prefixes that end, and new
    /// findings; reads and writes no expected files.
    #[arg(long, value_name = "BASE", num_args = 0..=1, conflicts_with = "bless")]
    pub(crate) review: Option<Option<String>>,

    /// Accept the changes with these ids, separated by commas, or all. A
    /// request is written once you accepted all its changes; until then, its
    /// bytes are in request-N.new.
    #[arg(long, value_name = "ID,…|all")]
    pub(crate) accept: Option<String>,

    /// With --review BASE: fail if a request grows by more than N tokens.
    #[arg(long, value_name = "N", requires = "review", conflicts_with = "bless")]
    pub(crate) max_tokens_added: Option<u64>,

    /// Also write a report in the JUnit format.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

impl Verify {
    /// Returns the ids of `--accept`, or `all`.
    pub(crate) fn accepted(&self) -> Option<&str> {
        if self.bless { Some("all") } else { self.accept.as_deref() }
    }

    /// Returns the revision to compare with.
    pub(crate) fn base(&self) -> Option<&str> {
        self.review.as_ref()?.as_deref()
    }
}
