//! The arguments of `aside rules`, and the ids that other commands take.

use aside_rules::{Rule, find};
use clap::Args;

/// List the rules that requests are checked by, or show one.
///
/// The commands check, convert, cache lint, context and serve apply them. A
/// rule has one id on all wires and in all commands. Prints one line per rule
/// and wire: the id, the level, the value that is expected, the conditions, and
/// the source.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside rules
  aside rules orphaned-result
  aside rules --json

Exit codes: 0 printed, 2 usage error.")]
pub(crate) struct Rules {
    /// The rule to show, by its id, or by its id in an earlier version.
    #[arg(value_parser = rule, value_name = "ID")]
    pub(crate) rule: Option<&'static Rule>,

    /// Print one JSON object: {"version":2,"rules":[{"id","since","betas",
    /// "platforms","fix","aliases","wires":[{"wire","level","expected",
    /// "source","model"}]}]}.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Finds a rule by the id in an argument. Notes the new id of an old one.
pub(crate) fn rule(id: &str) -> Result<&'static Rule, String> {
    let rule = find(id).ok_or("expected the id of a rule, of those that `aside rules` lists")?;
    if rule.id != id {
        let note = format!("the rule {id} is called {} now", rule.id);
        crate::output::report(&crate::kinds::RULE_ID.diagnostic(note));
    }
    Ok(rule)
}
