use clap::Args;

/// Prints the catalogue of models, or everything known about some of them.
///
/// Without ID a line for each model: context window, largest answer, price of
/// input and output in dollars per million tokens, cache minimum, retirement.
/// With ID every known fact, with the date and the source of the row; an id is
/// accepted as any platform writes it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside models
  aside models claude-opus-5-5 us.anthropic.claude-haiku-4-5-20251001-v1:0
  aside models --json | jq '.models[] | select(.bound_to_prefix) | .id'

Exit codes: 0 done, 1 a model is not in the catalogue, 2 used wrongly.")]
pub(crate) struct Models {
    /// The ids of models.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,

    /// Print one JSON object: {"as_of","models":[…]}, with a model's facts
    /// under the names of the library; a fact that is not known is null or
    /// empty.
    #[arg(long)]
    pub(crate) json: bool,
}
