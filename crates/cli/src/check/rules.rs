//! `aside check --rules`: the table of rules.

use aside_messages::{RULES, Rule};
use aside_models::{Platform, Platforms};
use serde::Serialize;

use crate::output;

/// The form for machines.
#[derive(Serialize)]
struct Table {
    rules: &'static [Rule],
}

pub(super) fn print(is_json: bool) -> anyhow::Result<()> {
    let text = match is_json {
        true => serde_json::to_string_pretty(&Table { rules: RULES })? + "\n",
        false => RULES.iter().map(line).collect(),
    };
    output::print([text.as_bytes()])
}

/// Returns the rule, its level, the expected value, its dependencies, and its
/// source.
fn line(rule: &Rule) -> String {
    let mut conditions = Vec::new();
    if let Some(fact) = rule.model {
        conditions.push(format!("model: {fact}"));
    }
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
    let conditions = match conditions.is_empty() {
        true => String::new(),
        false => format!(" [{}]", conditions.join("; ")),
    };
    let Rule {
        name,
        level,
        expected,
        source,
        ..
    } = rule;
    format!("{name} ({level}): {expected}{conditions} ({source})\n")
}
