//! The arguments of `aside models`.

use clap::Args;

/// List models with their limits, prices and dates.
///
/// Without ID, one line per model: context window, largest response, price of
/// input and output in dollars per million tokens, shortest cached prefix,
/// retirement. With ID, every known fact, with the date and the source of the
/// row; an id is accepted in the spelling of any platform.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside models
  aside models claude-opus-5-5 us.anthropic.claude-haiku-4-5-20251001-v1:0
  aside models --json | jq '.models[] | select(.bound_to_prefix) | .id'

Exit codes: 0 success, 1 a model is not in the catalogue, 2 usage error.")]
pub(crate) struct Models {
    /// The ids of models.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,

    /// Print one JSON object: {"as_of","models":[…]}, with the facts of each
    /// model under the names of the library; an unknown fact is null or empty.
    #[arg(long)]
    pub(crate) json: bool,
}
