//! What a recorded usage says: token counts, and whether there was a miss.

use super::CacheModel;
use crate::cache_rules::Mechanism;
use crate::miss::as_billed;
use crate::timed::Timed;
use crate::tokens::is_of_body;
use crate::usage::{Prices, Usage};
use crate::verdict::Verdict;

impl CacheModel {
    /// Sends a request as [`CacheModel::send_timed`] does, and learns from its recorded usage. This
    /// decides whether there is a miss: a predicted one counts unless the provider read about all that
    /// was left, and what it read less without a reason is [`MissDetail::Unexplained`]. The other
    /// figures of the verdict are predicted.
    ///
    /// [`MissDetail::Unexplained`]: crate::MissDetail::Unexplained
    pub fn replay(&mut self, entry: &Timed) -> Verdict {
        let mut verdict = self.send_timed(entry);
        if let Some(usage) = entry.usage {
            let billed = self.rules.facts_of(entry.billed_model());
            let prices = Prices::of(billed, usage.is_fast, usage.input());
            let (predicted, read) = (verdict.miss.take(), verdict.usage.read);
            verdict.miss = as_billed(predicted, read, usage, prices, self.is_caching);
            self.observe(usage);
            if let Some(trace) = &mut self.trace {
                // What is found in the request is counted as it was billed.
                trace.tokens = trace.tokens.counted(Some(usage.input()));
            }
        }
        verdict
    }

    /// Sends a request that was recorded with other markers. They change what is read and written,
    /// but not the number of input tokens, which the model learns from the recorded usage.
    pub fn send_remarked(&mut self, entry: &Timed) -> Verdict {
        let verdict = self.send_counted(entry, entry.usage.map(|it| it.input()));
        if let Some(usage) = entry.usage {
            self.observe(Usage::from_input(0, 0, 0, usage.input()));
        }
        verdict
    }

    /// Learns token counts from the usage that the provider reported for the
    /// last request: its prefixes' counts, and its text's average, unless the body only names
    /// some of its items. These do not affect which prefixes are found.
    pub fn observe(&mut self, usage: Usage) {
        let Some(sent) = self.last.take() else {
            return;
        };
        self.is_caching |= usage.cached() > 0;
        if !sent.has_references && is_of_body(usage.input(), sent.estimated) {
            let seen = self.seen.entry(sent.model).or_default();
            seen.counted += usage.input();
            seen.estimated += sent.estimated;
        }
        if let Mechanism::Implicit { .. } = sent.mechanism {
            // The whole request is cached. What is read is rounded down, so it
            // is no prefix's length.
            if let Some(hash) = sent.end.filter(|_| usage.input() > 0) {
                self.entries.count(hash, usage.input());
            }
            return;
        }
        let cached = usage.cached();
        if cached == 0 {
            return;
        }
        if let Some(hash) = sent.read
            && usage.read > 0
        {
            self.entries.count(hash, usage.read);
        }
        if let Some(hash) = sent.hour
            && sent.hour != sent.end
        {
            self.entries.count(hash, usage.read.saturating_add(usage.write_1h));
        }
        // Without the figure it is unknown what OpenAI's models wrote.
        let is_unknown = sent.mechanism == Mechanism::Breakpoints && usage.written() == 0;
        if let Some(hash) = sent.end
            && sent.end != sent.read
            && !is_unknown
        {
            self.entries.count(hash, cached);
        }
    }
}
