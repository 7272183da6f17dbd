//! `aside diff`: compares two bodies, or two requests in a log, as a prompt
//! cache does.
//!
//! This parses both with `aside_cache_model::Body`, compares them under the
//! later body's cache rules, and prints how they relate, with the first
//! difference and its source:
//!
//! ```text
//! broken
//! system[0].text at byte 848 (byte 34 of the value): date or clock
//! before: …are a coding agent. It is 10:53. Read before you write. Keep…
//! after : …are a coding agent. It is 10:56. Read before you write. Keep…
//!                                        ^
//! lost: about 2,726 cached tokens, $0.013 a request
//! ```
//!
//! Exit code 0: the bodies are identical, the later one continues the earlier
//! one, or `--allow` names how they relate. Exit code 1: any other relation.
//! Exit code 2: a file cannot be read, or is not a request body.

mod pair;
mod source;

use anyhow::anyhow;
use aside_cache_model::{
    Comparison, Cost, Difference, MissDetail, Relation, ThinkingLoss, ThinkingOutcome, compare,
};
use aside_inspect::{changed_lines, difference_lines, prices_of, thousands};
use aside_text::one_line;
use serde::Serialize;

use self::pair::Pair;
use self::source::{ByteSource, SourceMap};
use crate::Failure;
use crate::arguments::{Allowed, Diff};
use crate::count::count;
use crate::highlight;
use crate::output;
use crate::paint::{Paint, Tone};

/// Prints how two bodies relate, and fails when this is not allowed.
///
/// The result is always printed, even before a failure. With `--no-text` the
/// output has no excerpts, and no source either, since a section's name is text
/// from the body.
pub(crate) fn run(arguments: &Diff) -> Result<(), Failure> {
    let Pair { names, before, after, rules, miss } = Pair::read(arguments)?;
    let map =
        arguments.source_map.as_deref().map(SourceMap::read).transpose().map_err(Failure::usage)?;
    let mut comparison = compare(&before, &after, &rules);
    let detail = miss.as_ref().and_then(|it| it.as_ref()?.detail.clone());
    if let Some(miss) = miss {
        (comparison.lost_tokens, comparison.lost_cost) =
            miss.map_or((0, Some(Cost::ZERO)), |it| (it.lost_tokens, it.lost_cost));
    }
    let difference = comparison.difference.as_ref();
    let source = difference
        .and_then(|it| ByteSource::of(it, &after, map.as_ref()))
        .filter(|_| !arguments.no_text);
    if arguments.no_text {
        comparison.difference = comparison.difference.map(Difference::without_text);
        comparison.thinking_lost = comparison.thinking_lost.map(ThinkingLoss::without_text);
    }
    if arguments.json {
        output::json(&Printed {
            comparison: &comparison,
            detail: detail.as_ref(),
            source: source.as_ref(),
        })?;
    } else {
        let paint = Paint::of_stdout();
        let relation = comparison.relation.as_str();
        let relation = match comparison.relation {
            Relation::Identical | Relation::Continues => relation.to_owned(),
            _ => paint.text(Tone::Fault, relation),
        };
        let lines = highlight::miss(&lines(&comparison, detail.as_ref(), source.as_ref()), paint);
        output::text(&format!("{relation}\n{lines}"))?;
    }
    let [before, after] = names;
    let is_allowed = |it| arguments.allow.contains(&it);
    let why = match comparison.relation {
        Relation::Identical | Relation::Continues => return Ok(()),
        Relation::LevelLost if is_allowed(Allowed::Level) => return Ok(()),
        Relation::AfterMarker if is_allowed(Allowed::AfterMarker) => return Ok(()),
        Relation::LevelLost => format!("loses cached tokens of {before}: --allow accepts it"),
        Relation::AfterMarker => {
            format!("changes what {before} does not cache: --allow accepts it")
        }
        _ => format!("does not extend {before}"),
    };
    Err(anyhow!("{after} {why}").into())
}

/// The object that `--json` prints.
///
/// ```json
/// {"relation": "broken", "difference": {"path": "system[0].text", "byte_offset": 848},
///  "parameter": null, "lost_level": "system", "lost_tokens": 2726, "lost_cost": 0.0130848, "thinking_lost": null,
///  "source": {"kind": "section", "name": "Environment", "line": 3}}
/// ```
#[derive(Serialize)]
struct Printed<'a> {
    /// The comparison. Its keys are in the same object.
    #[serde(flatten)]
    comparison: &'a Comparison,
    /// Why the later request of a log lost tokens, apart from what changed; absent when nothing
    /// else is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a MissDetail>,
    /// Where the first changed byte comes from; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a ByteSource>,
}

/// Returns the lines to print below: the changed parameter, the difference, its
/// source, why and what cache was lost, and the lost thinking, when there is one. Control
/// characters are escaped.
fn lines(
    comparison: &Comparison,
    detail: Option<&MissDetail>,
    source: Option<&ByteSource>,
) -> String {
    let mut lines = Vec::new();
    if let Some(name) = comparison.parameter {
        lines.push(format!("the parameter {name} changed"));
    }
    if let Some(difference) = &comparison.difference {
        // What costs nothing needs no fix.
        let is_free = comparison.relation == Relation::Continues && comparison.lost_tokens == 0;
        lines.extend(if is_free {
            changed_lines(difference, true)
        } else {
            difference_lines(difference, true)
        });
    }
    lines.extend(source.map(ByteSource::line));
    lines.extend(
        detail
            .filter(|it| !matches!(it, MissDetail::Parameter { .. }))
            .map(|it| format!("why   : {it}")),
    );
    if comparison.lost_tokens > 0 {
        let cost = comparison.lost_cost.map_or_else(String::new, |it| {
            format!(", {it} a request{}", prices_of(comparison.prices_as_of))
        });
        let tokens = thousands(comparison.lost_tokens);
        lines.push(if comparison.is_unmarked {
            format!("lost: nothing, since no marker caches it; else about {tokens} tokens{cost}")
        } else {
            format!("lost: about {tokens} cached tokens{cost}")
        });
    }
    lines.extend(comparison.thinking_lost.as_ref().map(thinking_line));
    lines.iter().map(|it| one_line(it).into_owned() + "\n").collect()
}

/// Returns the line about thinking that the model no longer reads.
pub(crate) fn thinking_line(lost: &ThinkingLoss) -> String {
    let blocks = count(lost.blocks as u64, "block", "blocks");
    let outcome = match lost.outcome {
        ThinkingOutcome::Dropped => "dropped in silence",
        _ => "the API refuses the request",
    };
    format!("thinking lost: {blocks} from {} on ({outcome})", lost.first)
}
