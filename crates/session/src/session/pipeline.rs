//! From a conversation to a request's bytes.
//!
//! ```text
//! conversation ─ compare ─ lower ─ plan ─ encode ─ Prepared
//!                (edited?)          (markers)
//! ```
//!
//! The comparison runs only after the conversation was replaced by another
//! value. The session keeps one [`Lowerer`], so that earlier requests' messages
//! are not lowered again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use aside_cache_split::{
    BreakpointPlan, LifetimeRule, PlanInput, PlanOptions, Reason, Rejected, plan,
};
use aside_diagnostic::Diagnostic;
use aside_messages::Repair;
use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::encode::{BlockRef, Body, BodyParts};
use aside_messages::lower::{LowerOptions, Lowered, Lowerer, PrefixReset};
use aside_messages::wire::Request;
use aside_models::find_on;

use super::context::Context;
use crate::config::SessionConfig;
use crate::kinds;
use crate::prefix::Prefix;
use crate::prepare_error::PrepareError;
use crate::prepared::{Prepared, Sent};
use crate::sent_messages::SentMessages;
use crate::sent_prefixes::{Difference, SentPrefixes};
use crate::tools::SessionTool;

/// Turns a conversation into a request's bytes: lowering, cache markers, prefix
/// resets.
#[derive(Debug)]
pub(super) struct Pipeline {
    /// Keeps earlier requests' messages; a closed message is not lowered again.
    lowerer: Lowerer,
    /// The lowerer's options, for the second one that a summary uses.
    options: LowerOptions,
    /// Prefix changes to record with the next request, and how many requests
    /// had been sent when they occurred.
    changed: Option<(u64, Vec<EntryDraft>)>,
    /// The requests that were sent, if the model binds its thinking.
    prefixes: SentPrefixes,
    /// The caller's markers that were reported as not sent.
    dropped_markers: BTreeSet<BlockRef>,
    /// Purposes of markers that were reported as given up.
    given_up_markers: BTreeSet<Reason>,
    /// How many requests had been sent when one was last prepared, and when, if
    /// known.
    prepared: Option<(u64, Option<Duration>)>,
    /// When the previous request was prepared, maybe by an earlier process, if known, since the
    /// Unix epoch.
    pub(super) sent: Option<Duration>,
}

/// A replaced conversation's first lowering.
#[derive(Debug, Default)]
struct Compared {
    /// The reset that the comparison found, if any.
    reset: Option<PrefixReset>,
    /// This lowering's repairs, to report with the next one's.
    repairs: Vec<Repair>,
}

impl Pipeline {
    pub(super) fn new(options: LowerOptions, tools: &[SessionTool]) -> Self {
        let options = with_tools(options, tools);
        Self {
            lowerer: Lowerer::new(options.clone()),
            options,
            changed: None,
            prefixes: SentPrefixes::default(),
            dropped_markers: BTreeSet::new(),
            given_up_markers: BTreeSet::new(),
            prepared: None,
            sent: None,
        }
    }

    /// Returns how long ago the previous request was sent, when one is prepared
    /// after `turn` requests. `None` if unknown, or if the session's time was
    /// not set since.
    pub(super) fn since_previous(&mut self, turn: u64, now: Option<Duration>) -> Option<Duration> {
        let before = self.prepared.replace((turn, now));
        // A request that was not sent does not count.
        if let Some((_, at)) = before.filter(|(before, _)| *before < turn) {
            self.sent = at;
        }
        let since = now?.checked_sub(self.sent?)?;
        Some(since).filter(|since| !since.is_zero())
    }

    /// Replaces the tools that a `tool_reference` may refer to.
    pub(super) fn set_tools(&mut self, tools: &[SessionTool]) {
        self.options = with_tools(self.options.clone(), tools);
        self.lowerer.set_options(self.options.clone());
    }

    /// Records an entry with the next request after `turn` requests.
    ///
    /// Entries from an earlier number of requests are dropped: a request with
    /// them was sent.
    pub(super) fn record(&mut self, turn: u64, entry: EntryDraft) {
        let changes = match &mut self.changed {
            Some((at, changes)) if *at == turn => changes,
            changed => &mut changed.insert((turn, Vec::new())).1,
        };
        // Repeated changes are recorded once.
        if !changes.contains(&entry) {
            changes.push(entry);
        }
    }

    /// Replaces the options that follow from the model.
    ///
    /// The tools stay, since they do not follow from the model.
    pub(super) fn set_options(&mut self, options: LowerOptions) {
        self.options = LowerOptions { tools: self.options.tools.take(), ..options };
        self.lowerer.set_options(self.options.clone());
    }

    /// Returns the changes to record with this request.
    ///
    /// The list is empty once a request has been sent since.
    pub(super) fn changes(&self, turn: u64) -> Vec<EntryDraft> {
        match &self.changed {
            Some((at, changes)) if *at == turn => changes.clone(),
            _ => Vec::new(),
        }
    }

    /// Prepares the request that summarizes a part of a conversation. It is
    /// lowered as a whole, so the bytes continue the earlier requests'.
    ///
    /// `part` is the range to summarize with the instructions at its end. It
    /// gets a prefix change if the conversation was edited, so that lost
    /// thinking is left out. The session's lowerer does not change.
    ///
    /// # Errors
    ///
    /// The entries cannot be lowered, or the caller's markers break the API's
    /// rules.
    pub(super) fn prepare_summary(
        &mut self,
        conversation: &Conversation,
        part: &mut Conversation,
        config: &SessionConfig,
        context: &Context,
        parameters: Arc<Request>,
    ) -> Result<Body, PrepareError> {
        let prefix = &context.composed.prefix;
        let mut lowerer = Lowerer::new(self.options.clone());
        if self.prefixes.follow(conversation, self.lowerer.history()) {
            let lowered = lowerer.lower_to_summarize(part)?;
            let messages = SentMessages::new(prefix, &lowered);
            if let Difference::Edited(change) = self.prefixes.compare(&messages, &lowered) {
                part.push(EntryDraft::prefix_change(change));
            }
        }
        let lowered = lowerer.lower_to_summarize(part)?;
        // After the compaction no request reads the cache entries that this one
        // writes.
        let plan = Self::plan(config, context, &lowered, true, None)?;
        body(&parameters, prefix, &lowered, &plan)
    }

    /// Plans a request's cache markers. `is_reset` is true if no request before
    /// it has the same prefix, or if none after it will.
    fn plan(
        config: &SessionConfig,
        context: &Context,
        lowered: &Lowered<'_>,
        is_reset: bool,
        since_previous: Option<Duration>,
    ) -> Result<BreakpointPlan, PrepareError> {
        let (gathered, prefix) = (context.gathered(), &context.composed.prefix);
        let facts = find_on(config.service, &config.model).facts;
        Ok(plan(PlanInput {
            layout: gathered.layout,
            split: &prefix.split,
            tools: &prefix.tools,
            messages: lowered,
            options: PlanOptions {
                ttl: gathered.ttl.policy,
                prefix: gathered.ttl.prefix,
                is_reset,
                since_previous,
                thinking: facts.thinking_kept,
                caching: config.cache.caching,
                continuation: config.cache.continuation,
                automatic: prefix.parameters.cache_control.as_ref(),
            },
        })?)
    }

    /// Starts with a resumed session's conversation.
    pub(super) fn start(&mut self, conversation: &Conversation, context: &Context) {
        if self.options.binds_thinking {
            let history = self.lowerer.lower_closed(conversation);
            let messages = SentMessages::closed(&context.composed.prefix, history);
            self.prefixes.start(conversation, messages);
        }
    }

    /// Compares a conversation that replaces another one with the requests that
    /// were sent. If it was edited, adds the prefix change to `sent`.
    ///
    /// The result is empty if the conversation was only appended to.
    fn compare(
        &mut self,
        conversation: &Conversation,
        context: &Context,
        sent: &mut Sent,
    ) -> Result<Compared, PrepareError> {
        let history = self.lowerer.history();
        if !self.prefixes.follow(conversation, history) {
            return Ok(Compared::default());
        }
        let lowered = self.lowerer.lower(conversation, sent.tail())?;
        let messages = SentMessages::new(&context.composed.prefix, &lowered);
        let reset = match self.prefixes.compare(&messages, &lowered) {
            Difference::Continued => lowered.reset.filter(|it| *it != PrefixReset::Forked),
            Difference::Replaced => lowered.reset.or(Some(PrefixReset::Forked)),
            Difference::Edited(change) => {
                sent.pending.push(EntryDraft::prefix_change(change));
                Some(PrefixReset::Edited)
            }
        };
        Ok(Compared { reset, repairs: lowered.diagnostics })
    }

    /// Prepares a conversation's request, with the entries in `sent` at its
    /// end.
    ///
    /// A marker is reported only once. A reset has the first of these causes: a
    /// cache breaker or another form of delivery, the comparison, the lowering,
    /// other changes.
    ///
    /// # Errors
    ///
    /// The conversation cannot be lowered, or the caller's markers break the
    /// API's rules.
    pub(super) fn prepare(
        &mut self,
        conversation: &Conversation,
        config: &SessionConfig,
        context: &Context,
        mut sent: Sent,
        since_previous: Option<Duration>,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Result<Prepared, PrepareError> {
        let compared = self.compare(conversation, context, &mut sent)?;
        let lowered = self.lowerer.lower(conversation, sent.tail())?;
        let (gathered, prefix) = (context.gathered(), &context.composed.prefix);
        let is_reset = compared.reset.or(lowered.reset).or(sent.reset()).is_some();
        let plan = Self::plan(config, context, &lowered, is_reset, since_previous)?;
        let body = body(&prefix.parameters, prefix, &lowered, &plan)?;
        let repairs = compared.repairs.iter().chain(&lowered.diagnostics);
        diagnostics.extend(repairs.map(Diagnostic::from));
        for Rejected { at, why, .. } in plan.dropped() {
            if self.dropped_markers.insert(*at) {
                let message = format!("the caller's marker at {at} is not sent: {why}");
                diagnostics.push(kinds::MARKER_DROPPED.diagnostic(message));
            }
        }
        for Rejected { reason, .. } in plan.given_up() {
            if self.given_up_markers.insert(*reason) {
                let message = format!(
                    "no cache marker for the {reason}: the caller's markers leave no place"
                );
                diagnostics.push(kinds::MARKER_GIVEN_UP.diagnostic(message));
            }
        }
        if plan.lifetime == LifetimeRule::CallerMarker
            && self.given_up_markers.insert(Reason::Checkpoint)
        {
            let message = "no cache entry of one hour: a marker of the caller lives for five minutes, and the API accepts no longer one after it";
            diagnostics.push(kinds::MARKER_GIVEN_UP.diagnostic(message));
        }
        let (reset, lost_thinking) = (compared.reset.or(lowered.reset), lowered.lost_thinking);
        if self.options.binds_thinking {
            let messages = SentMessages::new(prefix, &lowered);
            sent.messages = Some((self.prefixes.log.clone(), messages));
        }
        sent.add_changes(lowered.prefix_changes, lost_thinking);
        // A boundary and other options follow from these.
        let causes = [PrefixReset::CacheBreaker, PrefixReset::Delivery];
        let cause = sent.reset().filter(|it| causes.contains(it));
        let reset = cause.or(reset).or(sent.reset());
        let first = conversation.entries().len();
        let next = first..first + sent.pending.len();
        let next_ids = next.map(|index| conversation.entry_id(index)).collect();
        if let Some(reset) = reset.filter(|_| lost_thinking > 0) {
            let message = format!("{reset}: {lost_thinking} thinking blocks are not sent any more");
            diagnostics.push(kinds::PREFIX_CHANGED.diagnostic(message));
        }
        Ok(Prepared {
            body,
            plan,
            ttl: gathered.ttl,
            reset,
            lost_thinking,
            delivery: context.form.clone(),
            diagnostics,
            next_ids,
            sent,
        })
    }
}

/// Returns the options for these tools: a `tool_reference` to any other tool
/// becomes text.
fn with_tools(options: LowerOptions, tools: &[SessionTool]) -> LowerOptions {
    let names = tools.iter().map(|tool| tool.tool.name.clone());
    LowerOptions { tools: Some(Arc::new(names.collect())), ..options }
}

fn body(
    parameters: &Arc<Request>,
    prefix: &Prefix,
    lowered: &Lowered<'_>,
    plan: &BreakpointPlan,
) -> Result<Body, PrepareError> {
    Ok(Body::new(BodyParts {
        parameters,
        tools: &prefix.tools,
        system: &prefix.system,
        history: lowered.history(),
        tail: lowered.tail(),
        markers: &plan.markers(),
    })?)
}
