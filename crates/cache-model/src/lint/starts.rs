//! Reports what a session's first request pays for again, although another session had sent it.

use std::time::Duration;

use aside_body::path::Level;
use aside_rules::{Rule, table};

use super::{Linter, saved};
use crate::cache_rules::Mechanism;
use crate::difference::Difference;
use crate::miss::beyond_reads;
use crate::model::Trace;
use crate::timed::Timed;
use crate::usage::{Cost, Usage};
use crate::verdict::Verdict;

impl Linter {
    /// Compares a request that continues none with the first ones of recent sessions.
    pub(super) fn start(&mut self, trace: &Trace, entry: &Timed, verdict: &Verdict) {
        let shared = self.starts.add(trace, &entry.request);
        if let Some((path, tokens)) = shared.after {
            let (rule, cost) = (&table::SHARED_AFTER_SESSION, saved(trace, tokens));
            self.report(rule, trace.index, Some(path), tokens, cost);
        }
        if verdict.miss.is_some() {
            return;
        }
        let usage = entry.usage.unwrap_or(verdict.usage);
        if let Some(difference) = shared.volatile {
            self.volatile(trace, entry, usage, difference);
        }
        if let Some(prefix) = shared.prefix {
            self.shared_prefix(trace, entry, usage, prefix);
        }
    }

    /// Reports a system prompt that is paid for again because of a clock or an id in it.
    fn volatile(&mut self, trace: &Trace, entry: &Timed, usage: Usage, difference: Difference) {
        let leading = (Level::Messages, entry.request.leading_system());
        let last = trace.chain.positions.iter().rfind(|it| (it.level, it.item) < leading);
        let until = last.map_or(0, |it| trace.up_to(it));
        if let Some((tokens, cost)) = paid_again(trace, usage, until) {
            let (path, cause) = (Some(difference.path), Some(difference.cause));
            self.report_cause(&table::PREFIX_CHANGED, cause, trace.index, path, tokens, cost);
        }
    }

    /// Reports a prefix, up to the position `end`, that another conversation has `sent` shortly
    /// before and this one pays for again: without a marker there, or after its entry has expired.
    fn shared_prefix(
        &mut self,
        trace: &Trace,
        entry: &Timed,
        usage: Usage,
        (end, sent): (usize, Duration),
    ) {
        let positions = &trace.chain.positions;
        let is_dropped = positions.iter().all(|it| it.mark.is_none()) && usage.cached() > 0;
        if is_dropped && trace.plan.mechanism == Mechanism::Markers
            || !trace.plan.mechanism.bills_writes()
        {
            return;
        }
        let until = trace.up_to(&positions[end]);
        let Some((tokens, cost)) = paid_again(trace, usage, until) else {
            return;
        };
        // Of many breakpoints, only the newest write.
        let written = trace.plan.above().find(|it| it.0 == end).map(|it| it.1.duration());
        let rule: &'static Rule = match written {
            _ if positions[end].mark.is_none() => &table::CACHEABLE_BUT_UNMARKED,
            Some(lifetime) if trace.at.saturating_sub(sent) >= lifetime => {
                self.expired += 1;
                &table::EXPIRED_OFTEN
            }
            _ => return,
        };
        let path = positions[end].path(&entry.request).to_string();
        self.report(rule, trace.index, Some(path), tokens, cost);
    }
}

/// Returns how many tokens up to `until` were not read, and what they cost beyond reads; `None` if
/// they are too few to be cached.
fn paid_again(trace: &Trace, usage: Usage, until: u64) -> Option<(u64, Option<Cost>)> {
    let tokens = until.saturating_sub(usage.read);
    let cost = || trace.prices().map(|prices| beyond_reads(usage, prices, until));
    (tokens >= trace.plan.minimum).then(|| (tokens, cost()))
}
