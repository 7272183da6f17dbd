//! The arguments of `aside models`.

use clap::Args;

/// List models with their limits, prices and dates
///
/// Without ID, one line per model: context window, largest response, price of
/// input and output in dollars per million tokens, shortest cached prefix,
/// retirement. With ID, every known fact, with the date and the source of the
/// row; an id is accepted in the spelling of any platform.
///
/// Prices change. With --models FILE, or the setting models, every command uses
/// the prices and limits of a file where it has some. The file is LiteLLM's
/// model_prices_and_context_window.json as it is, or has a row for each model
/// after the line of its source:
///
///   source contract 2026-11 2026-11-20
///   claude-opus-5-5 anthropic input=3.2 output=16 read=0.16 write=4
///   our-model other context_window=128000 input=1 output=2
///
/// A row is an id, a vendor (anthropic, openai, google, xai or other) and
/// figures: context_window, max_output, retires (a date), and in dollars per
/// million tokens input, output, read, write, write_1h, write_12h. Prices after
/// above=200000 are those of prompts with more tokens.
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:
  aside models
  aside models claude-opus-5-5 us.anthropic.claude-haiku-4-5-20251001-v1:0
  aside models --models prices.txt gpt-5.5
  aside models --json | jq '.models[] | select(.bound_to_prefix) | .id'

Exit codes: 0 success, 1 a model is not in the catalogue, 2 usage error."
)]
pub(crate) struct Models {
    /// The model ids.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,

    /// Print one JSON object: {"as_of","models":[…]}, with the facts of each
    /// model under the names of the library; an unknown fact is null or empty.
    #[arg(long)]
    pub(crate) json: bool,
}
