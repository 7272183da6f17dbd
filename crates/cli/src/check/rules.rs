//! `aside check --rules`: the table of rules, without checking a file.
//!
//! ```text
//! json (refused): one JSON object (anthropic (Python) 2.12.0, types)
//! doubled-key (refused): every key once (anthropic (Python) 2.12.0, types)
//! ```

use std::fmt::Display;

use aside_messages::{RULES, Rule};
use aside_models::{Platform, Platforms};
use aside_providers::{WIRE_RULES, WireRule};
use serde::Serialize;

use crate::output;

/// The object that `--json` prints.
#[derive(Serialize)]
struct Table {
    /// The rules of the Messages API.
    rules: &'static [Rule],
    /// The rules of the other wires.
    wire_rules: &'static [WireRule],
}

/// Prints every rule in the order of the tables: those of the Messages API, then those of
/// the other wires.
pub(super) fn print(is_json: bool) -> anyhow::Result<()> {
    let text = match is_json {
        true => {
            let table = Table {
                rules: RULES,
                wire_rules: WIRE_RULES,
            };
            serde_json::to_string_pretty(&table)? + "\n"
        }
        false => {
            let of_wires = WIRE_RULES.iter().map(wire_line);
            RULES.iter().map(line).chain(of_wires).collect()
        }
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
    let head = format!("{} ({}): {}", rule.name, rule.level, rule.expected);
    head + &end(&conditions, rule.source)
}

/// Returns the rule of another wire in the same form.
fn wire_line(rule: &WireRule) -> String {
    let mut conditions = Vec::new();
    if let Some(wire) = rule.wire {
        conditions.push(wire.to_string());
    }
    if let Some(fact) = rule.model {
        conditions.push(format!("model: {fact}"));
    }
    let head = format!("{} ({}): {}", rule.name, rule.level, rule.expected);
    head + &end(&conditions, rule.source)
}

/// Returns the conditions and the source, which end a line.
fn end(conditions: &[String], source: impl Display) -> String {
    match conditions {
        [] => format!(" ({source})\n"),
        conditions => format!(" [{}] ({source})\n", conditions.join("; ")),
    }
}
