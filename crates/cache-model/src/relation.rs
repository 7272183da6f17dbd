//! How two requests relate.
//!
//! The comparison needs no times: the later request follows at once. The earlier one counts as
//! cached up to its last marker, or as a whole if it has none.

use aside_models::Date;
use std::time::Duration;

use serde::Serialize;

use crate::cache_rules::{CacheRules, Mechanism};
use crate::chain::{Chain, chain};
use crate::difference::{Difference, first_difference, parameter_difference};
use crate::model::{CacheModel, Trace};
use crate::thinking::{ThinkingLoss, thinking_lost};
use crate::timed::Timed;
use crate::usage::{Cost, Prices};
use aside_body::body::Body;
use aside_body::path::Level;
use aside_body::wire::messages_key;

/// How a request relates to an earlier one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The relation.
    pub relation: Relation,
    /// The first difference; `None` if the later one only continues.
    pub difference: Option<Difference>,
    /// The parameter that loses a cache level.
    pub parameter: Option<&'static str>,
    /// The first cache level that is lost; `None` if none is.
    pub lost_level: Option<Level>,
    /// How many tokens in the earlier request's cached prefix the later one does not share (an
    /// estimate).
    pub lost_tokens: u64,
    /// True if no marker of the earlier request caches anything: the tokens are those that a marker
    /// at its end would have cached.
    pub is_unmarked: bool,
    /// What they cost beyond cache reads, as billed in the later request.
    pub lost_cost: Option<Cost>,
    /// From which day these prices are.
    pub prices_as_of: Option<Date>,
    /// Thinking that is lost in addition to the cache.
    pub thinking_lost: Option<ThinkingLoss>,
}

aside_text::names! {
    /// How a request relates to an earlier one.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Relation {
        /// It is the same request.
        #[default]
        Identical = "identical",
        /// Every byte and level that was cached is in the later request.
        Continues = "continues",
        /// The bytes continue, but a parameter or the way the model handles thinking invalidates a
        /// level.
        LevelLost = "continues, level lost",
        /// A change after the last marker; nothing that was cached is lost.
        AfterMarker = "changed after the last marker",
        /// The cached prefix changed.
        Broken = "broken",
        /// The bodies are for two APIs, which share no cache: there is nothing to compare.
        OtherApi = "for two APIs",
    }
}

/// Compares a request with an earlier one, which counts as cached up to its last marker, or as a
/// whole if it has none.
///
/// ```
/// use aside_cache_model::{CacheRules, Relation, Body, compare};
///
/// let body = |tools: &str, end: &str| {
///     let json = format!(
///         r#"{{"model":"claude-opus-5-5","tools":[{tools}],"messages":[{{"role":"user","content":"Hi"}}{end}]}}"#
///     );
///     Body::parse(json.as_bytes())
/// };
/// let read = r#"{"name":"Read","input_schema":{"type":"object"}}"#;
/// let more = r#",{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
/// let rules = CacheRules::anthropic();
/// let first = body(read, "")?;
/// assert_eq!(compare(&first, &body(read, more)?, &rules).relation, Relation::Continues);
/// assert_eq!(compare(&first, &body("", more)?, &rules).relation, Relation::Broken);
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[must_use]
pub fn compare(before: &Body, after: &Body, rules: &CacheRules) -> Comparison {
    if is_other_api(before, after, rules) {
        return Comparison { relation: Relation::OtherApi, ..Comparison::default() };
    }
    let difference = first_difference(before, after);
    let facts = [before, after].map(|it| rules.facts(it));
    let earlier = chain(before, rules, None);
    let later = chain(after, rules, None);
    let cached = cached(before, &earlier, rules);
    let is_in_body = cached.is_none_or(|hash| later.positions.iter().any(|it| it.hash == hash));
    let has_level = difference.as_ref().is_some_and(|it| it.level.is_some());
    let is_kept_by_provider = [before, after].iter().any(|it| it.is_kept_by_provider());
    let is_kept = is_in_body || (is_kept_by_provider && !has_level);
    let level = difference.as_ref().and_then(|it| it.level);
    let mut pairs = earlier.parameters.iter().zip(&later.parameters);
    let changed = pairs.find(|(a, b)| a.value != b.value).map(|(_, b)| b);
    // A parameter that loses a later level than the difference does not matter.
    let parameter = changed.filter(|it| level.is_none_or(|level| it.level <= level));
    let is_whole = later.positions.len() == earlier.positions.len();
    let is_same = before.message_count() == after.message_count() && is_whole;
    let relation = match (&difference, is_kept) {
        (None, true) if is_same => Relation::Identical,
        (Some(_), true) if has_level => Relation::AfterMarker,
        (Some(_), false) if has_level => Relation::Broken,
        _ if parameter.is_some() || !is_kept => Relation::LevelLost,
        _ => Relation::Continues,
    };
    let is_fast = after.is_fast() && facts[1].may_run_fast();
    let prices = Prices::of(facts[1], is_fast, later.tokens);
    let lost =
        if is_kept { Some((0, prices.map(|_| Cost::ZERO))) } else { lost(before, after, rules) };
    let is_unmarked = lost.is_none();
    let (lost_tokens, lost_cost) = lost.unwrap_or_else(|| {
        let is_long = earlier.tokens >= rules.minimum_for(facts[0]);
        let tokens = if is_long { unmarked_loss(&earlier, &later) } else { 0 };
        let cost = |it: Prices| it.plain(tokens).saturating_sub(it.read(tokens));
        (tokens, prices.map(cost))
    });
    let lost_level = parameter.map(|it| it.level).or(level);
    let difference = match parameter {
        Some(it) if !is_kept => parameter_difference(before, after, it.name, difference),
        _ => difference,
    };
    Comparison {
        relation,
        difference,
        parameter: parameter.map(|it| it.name),
        lost_level: lost_level.filter(|_| !is_kept),
        lost_tokens,
        is_unmarked,
        lost_cost,
        prices_as_of: facts[1].prices_as_of,
        thinking_lost: thinking_lost(before, after),
    }
}

/// Returns true if the bodies are for two APIs. The shape of a body alone may not show whether it is
/// for Messages or Chat Completions.
fn is_other_api(before: &Body, after: &Body, rules: &CacheRules) -> bool {
    let wires = [before, after].map(Body::wire);
    let vendors = [before, after].map(|it| rules.facts(it).vendor);
    wires[0] != wires[1]
        && (messages_key(wires[0]) != messages_key(wires[1]) || vendors[0] != vendors[1])
}

/// Returns what is lost, by the cache model, when a request follows an earlier one at once; `None`
/// if the earlier request leaves no entry for lack of a marker.
fn lost(before: &Body, after: &Body, rules: &CacheRules) -> Option<(u64, Option<Cost>)> {
    let mut model = CacheModel::new(rules.clone());
    let mut first = Timed::new(before.clone(), Duration::ZERO);
    first.id = Some(String::new());
    model.send_timed(&first);
    let is_marked = |it: &Trace| it.chain.positions.iter().any(|it| it.mark.is_some());
    if rules.mechanism_of(before) == Mechanism::Markers && !model.trace().is_some_and(is_marked) {
        return None;
    }
    let mut next = Timed::new(after.clone(), rules.latency.saturating_mul(2));
    next.previous.clone_from(&first.id);
    let miss = model.send_timed(&next).miss;
    Some(miss.map_or((0, Some(Cost::ZERO)), |it| (it.lost_tokens, it.lost_cost)))
}

/// Returns what a request without any marker loses, taken as cached as a whole.
fn unmarked_loss(earlier: &Chain, later: &Chain) -> u64 {
    let pairs = earlier.positions.iter().zip(&later.positions);
    let shared = pairs.take_while(|(a, b)| a.hash == b.hash).last();
    earlier.tokens - shared.map_or(0, |(it, _)| it.tokens)
}

/// Returns the longest prefix that is assumed to be cached.
fn cached(request: &Body, chain: &Chain, rules: &CacheRules) -> Option<u64> {
    let positions = &chain.positions;
    let marked = positions.iter().rposition(|it| it.mark.is_some());
    let last = match rules.mechanism_of(request) {
        Mechanism::Markers => marked,
        Mechanism::Breakpoints => marked.max(chain.inputs(request).last().copied()),
        Mechanism::Implicit { .. } => None,
    };
    let last = last.map_or(positions.last(), |index| positions.get(index));
    last.map(|it| it.hash)
}
