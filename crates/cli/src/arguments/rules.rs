//! The arguments of `aside rules`, and the ids that other commands take.

use aside_rules::find;
use clap::Args;

/// List the rules that requests are checked by, or show one.
///
/// check, convert, cache lint, context and serve apply them. A rule has one id
/// on all wires and in all commands. Prints one line per rule and wire: id,
/// level, expected value, conditions, source.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside rules
  aside rules orphaned-result
  aside rules --json

Exit codes: 0 printed, 2 usage error.")]
pub(crate) struct Rules {
    /// The rule to show, by its id today or in an earlier version.
    #[arg(value_parser = rule_id, value_name = "ID")]
    pub(crate) rule: Option<RuleId>,

    /// Print one JSON object: {"version":2,"rules":[{"id","since","betas",
    /// "platforms","fix","aliases","wires":[{"wire","level","expected",
    /// "source","model"}]}],"of_conversions"}.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The id of a rule, or its id in an earlier version; [`rule_of`](crate::rules::rule_of) finds it.
#[derive(Clone, Debug)]
pub(crate) struct RuleId(pub(crate) String);

pub(crate) fn rule_id(id: &str) -> Result<RuleId, String> {
    match find(id) {
        Some(_) => Ok(RuleId(id.to_owned())),
        None => Err("expected the id of a rule, of those that `aside rules` lists".to_owned()),
    }
}
