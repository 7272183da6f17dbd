//! `aside cache explain`.

use std::collections::HashMap;
use std::time::Duration;

use aside_cache_model::{
    Bound, CacheRules, InputTokens, RequestBytes, Sensitivity, SensitivityRun, ThinkingLoss,
    Verdict, thinking_lost,
};
use aside_inspect::{money, thousands};
use aside_text::one_line;
use serde::Serialize;

use super::log::{Caches, Item, Logged, Unbodied, each};
use super::summary::Sums;
use super::text::{detail, difference_lines, since};
use crate::Failure;
use crate::arguments::Explain;
use crate::output;

/// One request, as `--json` has it.
#[derive(Serialize)]
struct Row<'a> {
    request: usize,
    line: usize,
    at: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<&'a str>,
    is_exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted: Option<&'a Verdict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<InputTokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_lost: Option<ThinkingLoss>,
}

struct Explainer<'a> {
    arguments: &'a Explain,
    caches: Caches,
    bounds: HashMap<&'static str, Bound>,
    sensitivity: HashMap<&'static str, SensitivityRun>,
    sums: Sums,
    start: Option<Duration>,
    /// The latest bodies, by the index in their cache.
    recent: HashMap<(&'static str, usize), RequestBytes>,
    counts: HashMap<&'static str, usize>,
    out: String,
    is_first: bool,
}

/// The number of bodies that are kept for the verdict on thinking.
const RECENT: usize = 64;

/// The size of a write to stdout, in bytes.
const PIECE: usize = 64 * 1024;

pub(super) fn run(arguments: &Explain) -> Result<(), Failure> {
    let mut explainer = Explainer {
        arguments,
        caches: Caches::default(),
        bounds: HashMap::new(),
        sensitivity: HashMap::new(),
        sums: Sums::default(),
        start: None,
        recent: HashMap::new(),
        counts: HashMap::new(),
        out: String::new(),
        is_first: true,
    };
    if arguments.log.json {
        explainer.out.push_str("{\n\"requests\": [");
    } else {
        explainer.heading();
    }
    let notes = each(&arguments.log, &mut |item| match item {
        Item::Request(logged) => explainer.request(&logged),
        Item::Unbodied(entry) => explainer.unbodied(&entry),
    })?;
    let Explainer {
        bounds,
        sensitivity,
        sums,
        mut out,
        is_first,
        ..
    } = explainer;
    let mut names: Vec<_> = bounds.keys().copied().collect();
    names.sort_unstable();
    let bounds: Vec<&Bound> = names.iter().map(|it| &bounds[it]).collect();
    let sensitivity: Vec<Sensitivity> = sensitivity
        .into_values()
        .flat_map(SensitivityRun::finish)
        .collect();
    let summary = sums.finish(&bounds, sensitivity, &notes);
    if arguments.log.json {
        out.push_str(if is_first { "],\n" } else { "\n],\n" });
        out.push_str(&format!(
            "\"summary\": {}\n}}\n",
            serde_json::to_string_pretty(&summary)?
        ));
    } else if arguments.request.is_none() {
        out.push('\n');
        for line in summary.lines() {
            out.push_str(&one_line(&line));
            out.push('\n');
        }
    }
    output::print([out.as_bytes()])?;
    Ok(())
}

impl Explainer<'_> {
    fn heading(&mut self) {
        let columns = ["read", "5m", "1h", "plain", "cost"];
        self.out.push_str("   #        time");
        for column in columns {
            self.out.push_str(&format!("{column:>12}"));
        }
        self.out.push('\n');
    }

    fn request(&mut self, logged: &Logged) -> Result<(), Failure> {
        self.start.get_or_insert(logged.timed.at);
        let name = logged.rules.name;
        let rules: &CacheRules = &logged.rules;
        let model = self.caches.of(rules);
        let mut verdict = model.send_timed(&logged.timed);
        let bound = self.bounds.entry(name).or_default();
        bound.add(model, &logged.timed);
        if self.arguments.sensitivity {
            let run = self.sensitivity.entry(name);
            run.or_insert_with(|| SensitivityRun::new(rules))
                .add(&logged.timed, &verdict);
        }
        if let Some(usage) = logged.timed.usage {
            let id = logged.timed.request.model().unwrap_or_default();
            self.sums
                .add_recorded(logged.number, usage, id, Some(&verdict));
            model.observe(usage);
        }
        self.sums.add(&verdict);
        let thinking = self.thinking(logged, &verdict);
        if self.arguments.log.no_text
            && let Some(miss) = &mut verdict.miss
        {
            miss.difference = miss
                .difference
                .take()
                .map(aside_cache_model::Difference::without_text);
        }
        if self.is_shown(logged.number) {
            match self.arguments.log.json {
                true => self.json(&Row {
                    request: logged.number,
                    line: logged.line,
                    at: logged.timed.at.as_secs_f64(),
                    session: logged.timed.session.as_deref(),
                    rules: Some(name),
                    is_exact: logged.is_exact,
                    predicted: Some(&verdict),
                    recorded: logged.timed.usage,
                    diagnostics: logged.diagnostics.as_deref(),
                    thinking_lost: thinking,
                })?,
                false => self.text(logged, &verdict, thinking.as_ref()),
            }
        }
        self.print_if_long()
    }

    /// Finds lost thinking. In a log without thinking, none can be found.
    fn thinking(&mut self, logged: &Logged, verdict: &Verdict) -> Option<ThinkingLoss> {
        let name = logged.rules.name;
        let count = self.counts.entry(name).or_default();
        let index = *count;
        *count += 1;
        let request = &logged.timed.request;
        let before = verdict
            .parent
            .and_then(|it| self.recent.remove(&(name, it.index)));
        self.recent.insert((name, index), request.clone());
        self.recent.remove(&(name, index.wrapping_sub(RECENT)));
        let mut lost = before
            .filter(|_| logged.is_exact)
            .and_then(|it| thinking_lost(&it, request))?;
        self.sums.add_thinking_lost();
        if self.arguments.log.no_text {
            lost.difference = lost
                .difference
                .map(aside_cache_model::Difference::without_text);
        }
        Some(lost)
    }

    fn unbodied(&mut self, entry: &Unbodied) -> Result<(), Failure> {
        let model = entry.model.as_deref().unwrap_or_default();
        self.sums
            .add_recorded(entry.number, entry.usage, model, None);
        if self.is_shown(entry.number) {
            match self.arguments.log.json {
                true => self.json(&Row {
                    request: entry.number,
                    line: entry.number,
                    at: entry.at.as_secs_f64(),
                    session: entry.session.as_deref(),
                    rules: None,
                    is_exact: false,
                    predicted: None,
                    recorded: Some(entry.usage),
                    diagnostics: entry.diagnostics.as_deref(),
                    thinking_lost: None,
                })?,
                false => {
                    let cost = entry.usage.cost(aside_models::find(model).facts);
                    self.line(entry.number, entry.at, entry.usage, &money(cost));
                    if let Some(reason) = &entry.diagnostics {
                        self.note(&format!("the provider reports {reason}"));
                    }
                }
            }
        }
        self.print_if_long()
    }

    fn is_shown(&self, number: usize) -> bool {
        self.arguments.request.is_none_or(|it| it == number)
    }

    fn json(&mut self, row: &Row<'_>) -> Result<(), Failure> {
        self.out.push_str(if self.is_first { "\n" } else { ",\n" });
        self.is_first = false;
        self.out.push_str(&serde_json::to_string(row)?);
        Ok(())
    }

    fn text(&mut self, logged: &Logged, verdict: &Verdict, thinking: Option<&ThinkingLoss>) {
        self.line(
            logged.number,
            logged.timed.at,
            verdict.usage,
            &money(verdict.cost),
        );
        if let Some(recorded) = logged.timed.usage
            && recorded != verdict.usage
        {
            let cost = recorded
                .cost(aside_models::find(logged.timed.request.model().unwrap_or_default()).facts);
            self.figures("    recorded", recorded, &money(cost));
        }
        if let Some(miss) = &verdict.miss {
            let detail = detail(miss);
            let detail = if detail.is_empty() {
                detail
            } else {
                format!(", {detail}")
            };
            self.note(&format!(
                "miss: {}{detail}: {} tokens, {} lost",
                miss.reason.as_str(),
                thousands(miss.lost_tokens),
                money(miss.lost_cost)
            ));
            if let Some(difference) = &miss.difference {
                let is_exact = logged.is_exact && !logged.is_sections;
                for line in difference_lines(difference, is_exact) {
                    self.note(&format!("  {line}"));
                }
            }
        }
        if let Some(lost) = thinking {
            self.note(&format!(
                "thinking lost: {} blocks from {} on ({})",
                lost.blocks,
                lost.first,
                match lost.outcome {
                    aside_cache_model::ThinkingOutcome::Dropped => "dropped in silence",
                    _ => "the API refuses the request",
                }
            ));
        }
        if let Some(reason) = &logged.diagnostics {
            self.note(&format!("the provider reports {reason}"));
        }
        if self.arguments.request.is_some() {
            if let Some(parent) = verdict.parent {
                let rule = serde_json::to_string(&parent.rule).unwrap_or_default();
                self.note(&format!(
                    "continues request {} by {}",
                    parent.index + 1,
                    rule.trim_matches('"')
                ));
            }
            for marker in &verdict.markers {
                let effect = serde_json::to_string(&marker.effect).unwrap_or_default();
                self.note(&format!(
                    "marker {} {}: {}",
                    marker.path,
                    marker.ttl,
                    effect.trim_matches('"')
                ));
            }
        }
    }

    fn line(&mut self, number: usize, at: Duration, usage: InputTokens, cost: &str) {
        let start = *self.start.get_or_insert(at);
        let name = format!("{number:>4}{:>12}", since(start, at));
        self.figures(&name, usage, cost);
    }

    fn figures(&mut self, name: &str, usage: InputTokens, cost: &str) {
        self.out.push_str(&format!("{name:<16}"));
        for tokens in [
            usage.read,
            usage.write_5m.saturating_add(usage.write_other),
            usage.write_1h,
            usage.uncached,
        ] {
            self.out.push_str(&format!("{:>12}", thousands(tokens)));
        }
        self.out.push_str(&format!("{cost:>12}\n"));
    }

    fn note(&mut self, note: &str) {
        self.out.push_str("      ");
        self.out.push_str(&one_line(note));
        self.out.push('\n');
    }

    fn print_if_long(&mut self) -> Result<(), Failure> {
        if self.out.len() > PIECE {
            output::print([self.out.as_bytes()])?;
            self.out.clear();
        }
        Ok(())
    }
}
