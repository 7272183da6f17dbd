//! Why a request reads less than the one before it left in the cache.
//!
//! There are two kinds of loss. If the prefix is the same, its entry has expired, was never
//! written, or is out of the markers' reach. If the prefix changed, the first difference names the
//! byte.
//!
//! ```text
//! nothing was alive that the request did not read    PreviousMessageNotFound, Expired
//! … and the provider states no lifetime               PreviousMessageNotFound, LifetimeUnknown
//! same prefix, response of its writer not begun       PreviousMessageNotFound, NotYetReadable
//! … and it is another conversation                     the same
//! same prefix, no marker at or after it               PreviousMessageNotFound, NoMarker
//! same prefix, too many units before the marker       PreviousMessageNotFound, OutsideLookBack
//! another model, parameter or text                    …Changed, with the first difference
//! none of these, but the provider read less           PreviousMessageNotFound, Unexplained
//! ```
//!
//! A change after a pause is the reason only if it kept the request from an entry that was still
//! alive. What had expired by then would have been lost without the change, too.

use std::time::Duration;

use aside_models::Wire;

use crate::cache_rules::{CacheRules, Mechanism};
use crate::chain::{Chain, chain};
use crate::difference::{Difference, first_difference, parameter_difference};
use crate::entries::Entries;
use crate::model::Plan;
use crate::parent::{Found, Left};
use crate::timed::Timed;
use crate::tokens::Tokens;
use crate::usage::{Cost, Prices, Usage};
use crate::verdict::{Miss, MissDetail, MissReason, Unreached};
use aside_body::body::Body;
use aside_body::lifetime::CacheLifetime;

/// A request, and the tokens that it read.
pub(crate) struct Loss<'a> {
    /// The request as the log has it.
    pub(crate) entry: &'a Timed,
    pub(crate) chain: &'a Chain,
    pub(crate) plan: &'a Plan,
    /// What is in the cache before the request.
    pub(crate) entries: &'a Entries,
    /// The billed tokens.
    pub(crate) usage: Usage,
    /// The prefixes' tokens.
    pub(crate) tokens: &'a Tokens,
    /// The model's prices; `None` if unknown.
    pub(crate) prices: Option<Prices>,
    pub(crate) rules: &'a CacheRules,
    /// When the request was sent.
    pub(crate) at: Duration,
}

/// Explains the loss; `None` if nothing was lost.
///
/// `found` is the request that this one continues. Nothing was lost if this one reads at least as
/// many tokens as that one left.
pub(crate) fn explain(loss: &Loss<'_>, found: &Found) -> Option<Miss> {
    let left = found.left?;
    let hit = loss.plan.hit.map_or(0, |it| loss.chain.positions[it].tokens);
    // Estimates decide first whether there is a loss, so that the result does not depend on what
    // the provider counts.
    if hit + loss.plan.beginning >= left.tokens {
        return None;
    }
    let counted = loss.entries.get(left.hash).and_then(|it| it.counted);
    let until = match counted.filter(|_| left.tokens <= loss.chain.tokens) {
        Some(counted) => counted,
        None => loss.tokens.of_estimate(left.tokens.min(loss.chain.tokens)),
    };
    let until = loss.plan.mechanism.readable(until);
    let (reason, detail, difference) = loss.why(found, left)?;
    // What is read is rounded down: a short loss may be none.
    let miss = Some(loss.miss(reason, detail, until)).filter(|it| it.lost_tokens > 0)?;
    Some(Miss { difference, ..miss })
}

/// Explains what a request lost that was sent before the response to another with the same prefix
/// had begun; `None` if there is no such prefix. Neither needs to continue the other.
pub(crate) fn explain_fan_out(loss: &Loss<'_>) -> Option<Miss> {
    let index = loss.plan.above().rev().map(|it| it.0).find(|&it| {
        let entry = loss.entries.get(loss.chain.positions[it].hash);
        entry.is_some_and(|it| it.is_live(loss.at) && !it.is_readable(loss.at))
    })?;
    let (reason, detail) = (MissReason::PreviousMessageNotFound, MissDetail::NotYetReadable);
    let until = loss.tokens.of_estimate(loss.chain.positions[index].tokens);
    Some(loss.miss(reason, Some(detail), loss.plan.mechanism.readable(until)))
}

/// The reason, its detail and the difference, if there is one.
type Why = (MissReason, Option<MissDetail>, Option<Difference>);

impl Loss<'_> {
    /// Returns the miss of the tokens from what was read up to `until`.
    fn miss(&self, reason: MissReason, detail: Option<MissDetail>, until: u64) -> Miss {
        Miss {
            reason,
            detail,
            difference: None,
            lost_tokens: until.saturating_sub(self.usage.read),
            lost_cost: self.prices.map(|prices| beyond_reads(self.usage, prices, until)),
            unreached: self.unreached(),
        }
    }

    /// Decides between the two kinds of loss.
    ///
    /// The prefix is the same if this request has the position that the earlier one left. The
    /// earlier body may be forgotten; the difference is then unknown. `None` if the provider keeps
    /// messages of one of them, and the levels that the bodies show are the same.
    fn why(&self, found: &Found, left: Left) -> Option<Why> {
        let positions = &self.chain.positions;
        if let Some(index) = positions.iter().rposition(|it| it.hash == left.hash) {
            let detail = self.not_found(index, left);
            return Some((MissReason::PreviousMessageNotFound, detail, None));
        }
        let before = found.request.as_ref().map(|it| (it, self.earlier(it, found)));
        let is_live = |hash: u64| self.entries.get(hash).is_some_and(|it| it.is_live(self.at));
        // Without its body, only the end of the earlier request is known.
        let live = match &before {
            _ if is_live(left.hash) => Some(left.hash),
            Some((_, chain)) => chain.positions.iter().map(|it| it.hash).rfind(|it| is_live(*it)),
            None => None,
        };
        if live.is_none_or(|live| positions.iter().any(|it| it.hash == live)) {
            let detail = Some(self.expired(left));
            return Some((MissReason::PreviousMessageNotFound, detail, None));
        }
        let earlier_body = found.request.iter();
        let is_shown = !earlier_body.chain([&self.entry.request]).any(Body::is_kept_by_provider);
        let Some((before, earlier)) = before else {
            let [tools, system] = self.entry.request.head();
            let reason = match found.head {
                [before, _] if before != tools => MissReason::ToolsChanged,
                // Leading messages of the developer may be among those that it keeps.
                _ if !is_shown => return None,
                [_, before] if before != system => MissReason::SystemChanged,
                _ => MissReason::MessagesChanged,
            };
            return Some((reason, None, None));
        };
        let why = self.changed(before, &earlier);
        (is_shown || why.0 != MissReason::MessagesChanged).then_some(why)
    }

    /// Explains why the same prefix was not read.
    ///
    /// `None` if no rule explains why the entry at `index` was not read.
    fn not_found(&self, index: usize, left: Left) -> Option<MissDetail> {
        let position = &self.chain.positions[index];
        let entry = self.entries.get(left.hash).filter(|it| it.is_live(self.at));
        let Some(entry) = entry else {
            return Some(self.expired(left));
        };
        if !entry.is_readable(self.at) {
            return Some(MissDetail::NotYetReadable);
        }
        if self.tokens.of_estimate(position.tokens) < self.plan.minimum {
            return Some(MissDetail::BelowMinimum);
        }
        let behind = self.plan.markers.iter().find(|it| it.0 >= index);
        let Some((marker, _)) = behind else {
            return Some(MissDetail::NoMarker);
        };
        let distance = self.chain.positions[*marker].unit - position.unit + 1;
        (distance > self.rules.look_back).then_some(MissDetail::OutsideLookBack { distance })
    }

    /// Describes an entry that is too old. Entries are forgotten long after they expire.
    fn expired(&self, left: Left) -> MissDetail {
        let used = self.entries.get(left.hash).map_or(left.at, |it| it.used);
        let age = self.at.saturating_sub(used);
        if let Mechanism::Implicit { lifetime, .. } = self.plan.mechanism
            && lifetime != CacheLifetime::TwentyFourHours
        {
            return MissDetail::LifetimeUnknown { age, assumed: lifetime };
        }
        // A longer lifetime helps only as far as the request still has the same prefix.
        let positions = &self.chain.positions;
        let hit = self.plan.hit.map_or(0, |it| positions[it].tokens);
        let known = positions.iter().rfind(|it| self.entries.get(it.hash).is_some());
        let shared = known.map_or(0, |it| it.tokens).saturating_sub(hit);
        let is_most = self.entry.request.is_kept_by_provider()
            || shared >= left.tokens.saturating_sub(hit).div_ceil(2);
        let mut needed = self.lifetimes().iter().filter(|it| is_most && age < it.duration());
        MissDetail::Expired { age, needed: needed.next().copied() }
    }

    /// Returns the lifetimes to choose from, in order: breakpoints on Chat Completions have one.
    fn lifetimes(&self) -> &'static [CacheLifetime] {
        let all = self.plan.mechanism.lifetimes();
        let is_chat = self.entry.request.wire() == Wire::ChatCompletions;
        if is_chat && self.plan.mechanism == Mechanism::Breakpoints { &all[..1] } else { all }
    }

    /// Finds the longest live entry above the hit that no marker reached.
    fn unreached(&self) -> Option<Unreached> {
        let positions = &self.chain.positions;
        let live = |it: &usize| self.entries.is_readable(positions[*it].hash, self.at);
        let index = (self.plan.next()..positions.len()).rev().find(live)?;
        let (position, entry) = (&positions[index], self.entries.get(positions[index].hash)?);
        let tokens = self.tokens.of_estimate(position.tokens);
        let window = match self.plan.mechanism {
            Mechanism::Markers => Some(self.rules.look_back),
            Mechanism::Implicit { .. } | Mechanism::Breakpoints => None,
        };
        let next = self.plan.markers.iter().find(|it| it.0 >= index);
        let distance = next.map(|it| positions[it.0].unit - position.unit + 1);
        (tokens >= self.plan.minimum).then(|| Unreached {
            path: position.path(&self.entry.request),
            tokens,
            lifetime: entry.lifetime,
            distance: distance.filter(|_| window.is_some()),
            window,
        })
    }

    /// Returns the positions of the request that this one continues, as it was sent.
    fn earlier(&self, before: &Body, found: &Found) -> Chain {
        chain(before, self.rules, found.workspace.as_deref())
    }

    /// Explains a prefix that changed.
    ///
    /// A different workspace or parameter comes before a difference in a later level's blocks. If
    /// the bodies do not differ, tool results or thinking left the model's view.
    fn changed(&self, before: &Body, earlier: &Chain) -> Why {
        let after = &self.entry.request;
        let difference = first_difference(before, after);
        let level = difference.as_ref().and_then(|it| it.level);
        if before.model() != after.model() {
            return (MissReason::ModelChanged, None, difference);
        }
        let own = self.entry.workspace.as_deref();
        let elsewhere = chain(before, self.rules, own);
        let starts = |it: &Chain| it.positions.first().map(|it| it.hash);
        if starts(&elsewhere) != starts(earlier) {
            let detail = Some(MissDetail::DifferentWorkspace);
            return (MissReason::PreviousMessageNotFound, detail, None);
        }
        let mut pairs = earlier.parameters.iter().zip(&self.chain.parameters);
        let changed = pairs.find(|(a, b)| a.value != b.value).map(|(_, b)| b);
        if let Some(parameter) = changed
            && level.is_none_or(|level| parameter.level <= level)
        {
            let block = difference.filter(|it| it.level.is_some());
            let difference = parameter_difference(before, after, parameter.name, block);
            let detail = Some(MissDetail::Parameter { name: parameter.name });
            return (parameter.reason(), detail, difference);
        }
        let Some(level) = level else {
            let is_cleared = earlier.cleared != self.chain.cleared;
            let detail = if is_cleared {
                MissDetail::ToolResultsCleared
            } else {
                MissDetail::ThinkingRemoved
            };
            return (MissReason::MessagesChanged, Some(detail), None);
        };
        (level.into(), None, difference)
    }
}

/// Returns the miss that a request was billed for, given the one that was predicted. The recorded
/// usage decides what was lost: nothing if about as much was read as the request before had left.
/// If also tokens that were alive were not read, the larger part gives the reason for all.
/// `is_caching` says that this provider was seen to cache.
pub(crate) fn as_billed(
    predicted: Option<Miss>,
    read: u64,
    billed: Usage,
    prices: Option<Prices>,
    is_caching: bool,
) -> Option<Miss> {
    let expected = read.min(billed.input());
    let unread = expected.saturating_sub(billed.read);
    let is_unread = is_caching && unread > tolerated(expected);
    let predicted_tokens = predicted.as_ref().map_or(0, |it| it.lost_tokens);
    // No more can be lost than the request has; a usage without input does not say how much.
    let most = Some(billed.input()).filter(|it| *it > 0).unwrap_or(u64::MAX);
    let left = expected.saturating_add(predicted_tokens).min(most);
    let lost_tokens = left.saturating_sub(billed.read);
    let lost_cost = prices.map(|prices| beyond_reads(billed, prices, left));
    match predicted {
        Some(miss) if billed.read <= read && !is_unread => {
            let is_more = predicted_tokens > most - billed.read;
            Some(if is_more { Miss { lost_tokens, lost_cost, ..miss } } else { miss })
        }
        Some(miss) if unread <= predicted_tokens => {
            let near = tolerated(left).min(predicted_tokens.div_ceil(2));
            (lost_tokens > near).then_some(Miss { lost_tokens, lost_cost, ..miss })
        }
        _ => is_unread.then_some(Miss {
            reason: MissReason::PreviousMessageNotFound,
            detail: Some(MissDetail::Unexplained),
            difference: None,
            lost_tokens,
            lost_cost,
            unreached: None,
        }),
    }
}

/// By how many tokens a read may be another than predicted without a reason: counts are partly
/// estimated.
pub(crate) fn tolerated(read: u64) -> u64 {
    (read / 10).max(256)
}

/// Returns what the tokens between those that were read and `until` cost beyond cache reads.
///
/// These tokens were written or sent uncached, in prefix order; to read them would have been
/// cheaper by this amount.
pub(crate) fn beyond_reads(usage: Usage, prices: Prices, until: u64) -> Cost {
    let mut from = usage.read;
    let mut paid = Cost::ZERO;
    let parts = [
        (CacheLifetime::OneHour, usage.write_1h),
        (CacheLifetime::FiveMinutes, usage.write_5m),
        (CacheLifetime::TwelveHours, usage.write_12h),
        (CacheLifetime::ThirtyMinutes, usage.write_30m()),
    ];
    for (lifetime, tokens) in parts {
        let end = from.saturating_add(tokens).min(until.max(from));
        paid += prices.write(lifetime, end - from);
        from = from.saturating_add(tokens);
    }
    paid += prices.plain(until.saturating_sub(from));
    paid.saturating_sub(prices.read(until.saturating_sub(usage.read)))
}
