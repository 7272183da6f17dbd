//! `aside rules`: the rule table.
//!
//! ```text
//! json (refused): one JSON object [Messages API] (anthropic (Python) 2.12.0, types)
//! json (refused): one JSON object [Chat Completions] (RFC 8259)
//! ```

use aside_models::{Platform, Platforms, Wire};
use aside_rules::{OnWire, RULES, Rule, find};
use serde::Serialize;

use crate::Failure;
use crate::arguments::{RuleId, Rules};
use crate::kinds;
use crate::output;

/// The object that `--json` prints.
#[derive(Serialize)]
struct Table {
    /// This form's version.
    version: u32,
    rules: Vec<&'static Rule>,
    /// Rules that only `aside convert` applies on a wire: id and wire.
    of_conversions: Vec<(&'static str, &'static str)>,
}

/// Prints every rule in table order, or one.
pub(crate) fn run(arguments: &Rules) -> Result<(), Failure> {
    let rules = match &arguments.rule {
        Some(id) => rule_of(id).into_iter().collect(),
        None => RULES.to_vec(),
    };
    if arguments.json {
        let wires = |rule: &&'static Rule| {
            let rule = *rule;
            let own = rule.wires().map(|it| it.wire);
            own.filter(|it| rule.is_of_conversions(*it)).map(|it| (rule.id, it.as_str()))
        };
        let of_conversions = rules.iter().flat_map(wires).collect();
        return Ok(output::json(&Table { version: 2, rules, of_conversions })?);
    }
    let lines = rules.iter().flat_map(|rule| {
        let fix = rule.fix.map(|fix| format!("  fix: {fix}\n"));
        rule.wires().map(|on| line(rule, on)).chain(fix)
    });
    Ok(output::lines(&lines.collect::<String>())?)
}

/// Finds the rule that an argument names, and notes the current id when the
/// argument has an earlier one.
pub(crate) fn rule_of(RuleId(id): &RuleId) -> Option<&'static Rule> {
    let rule = find(id)?;
    if rule.id != *id {
        let note = format!("the rule {id} is called {} now", rule.id);
        output::report(&kinds::RULE_ID.diagnostic(note));
    }
    Some(rule)
}

/// Returns the rule on one wire, with its level, the expected value, its
/// conditions, and its source.
fn line(rule: &Rule, on: &OnWire) -> String {
    let mut conditions = vec![on.wire.to_string()];
    if let Some(fact) = on.model {
        conditions.push(format!("model: {fact}"));
    }
    if on.wire == Wire::Messages {
        if let Some(version) = rule.since {
            conditions.push(format!("API version {} on", version.as_str()));
        }
        if !rule.betas.is_empty() {
            conditions.push(format!("without {}", rule.betas.join(" or ")));
        }
        if rule.platforms != Platforms::ALL {
            let platforms: Vec<_> = rule.platforms.iter().map(Platform::as_str).collect();
            conditions.push(format!("on {}", platforms.join(", ")));
        }
    }
    let (id, conditions) = (rule.id, conditions.join("; "));
    let OnWire { level, expected, source, .. } = on;
    let level = if rule.is_of_conversions(on.wire) {
        format!("{level} by convert only")
    } else {
        level.to_string()
    };
    format!("{id} ({level}): {expected} [{conditions}] ({source})\n")
}
