//! One request's lifetimes under [`TtlPolicy::Checkpoints`].

use aside_messages::wire::Ttl;
use aside_models::ThinkingKept;
use serde::Serialize;

use super::PlanOptions;
use super::caller_markers::CallerMarkers;
use super::messages::{MessageView, Messages};
use crate::ttl::{SHORT, TtlPolicy};

/// Where a request is in its session. This follows from the messages, so that a
/// resumed session, a caller without one and a proxy agree; only the checkpoint
/// of a second turn also depends on the time since the first one.
pub(super) struct Position<'a> {
    /// Whether the model has answered nothing yet.
    pub(super) is_first: bool,
    /// True for the first and the second request.
    is_early: bool,
    /// True for a turn's first request.
    is_turn_start: bool,
    /// The answer to mark for an hour, when the request is a checkpoint.
    pub(super) checkpoint: Option<MessageView<'a>>,
    /// The message where a turn's first request finds a one-hour entry.
    pub(super) last_checkpoint: Option<MessageView<'a>>,
}

impl<'a> Position<'a> {
    /// A session's closed messages are counted already.
    pub(super) fn new(messages: Messages<'a>, options: &PlanOptions<'_>) -> Self {
        let turns = messages.turns();
        let is_turn_start = turns.answers_in_turn() == 0;
        let last_checkpoint = match options.thinking {
            // The prefix changes at the first thinking in the turn that ended.
            Some(ThinkingKept::LastTurn) => turns.last_answered_start(),
            _ => turns.last_checkpoint(),
        };
        let is_recent = options.since_previous.is_some_and(|since| since < SHORT);
        let only_answer = || turns.only_answer().filter(|_| is_recent);
        let view = |index: Option<usize>| index.and_then(|index| messages.get(index));
        Self {
            is_first: turns.answers() == 0,
            is_early: turns.answers() < 2,
            is_turn_start,
            checkpoint: view(turns.checkpoint().or_else(only_answer)),
            last_checkpoint: view(last_checkpoint.filter(|_| is_turn_start)),
        }
    }

    /// Returns which rule gives this request its lifetimes.
    pub(super) fn rule(&self, options: &PlanOptions<'_>, callers: &CallerMarkers) -> LifetimeRule {
        if options.ttl != TtlPolicy::Checkpoints {
            return LifetimeRule::Policy;
        }
        if options.is_reset {
            return LifetimeRule::Reset;
        }
        match &self.checkpoint {
            Some(answer) if callers.has_short_before(answer.block(0)) => LifetimeRule::CallerMarker,
            Some(_) if self.is_turn_start => LifetimeRule::TurnStart,
            Some(_) => LifetimeRule::LongLoop,
            None if self.is_early => LifetimeRule::SessionStart,
            None => LifetimeRule::BetweenCheckpoints,
        }
    }
}

aside_text::names! {
    /// The rule that gives a request its lifetimes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum LifetimeRule {
        /// The policy has the same lifetimes for each request.
        #[default]
        Policy = "the same in each request",
        /// Checkpoints: a session's first request is none, nor is the second one if
        /// it begins a turn and the first one may be longer ago than five minutes.
        SessionStart = "5m, the session begins",
        /// Checkpoints: the first request after a user message is one.
        TurnStart = "1h, the first request of a turn",
        /// Checkpoints: the first request after a tool call is one, and so is each
        /// that is far enough from the last.
        LongLoop = "1h, far enough from the last checkpoint",
        /// Checkpoints: no other request is one.
        BetweenCheckpoints = "5m, between two checkpoints",
        /// Checkpoints: a request whose prefix was reset is none, since it writes
        /// the whole conversation again.
        Reset = "5m, the prefix was reset",
        /// Checkpoints: one of your own markers lives for five minutes, so no later
        /// one can live for an hour.
        CallerMarker = "5m, a marker of the caller lives for five minutes",
    }
}

impl LifetimeRule {
    /// Returns true if this request keeps the conversation for an hour.
    #[must_use]
    pub fn is_checkpoint(self) -> bool {
        matches!(self, Self::TurnStart | Self::LongLoop)
    }
}

/// How long one request's markers live.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lifetimes {
    /// For the layers that sessions share.
    pub(super) prefix: Ttl,
    /// For the conversation.
    pub(super) conversation: Ttl,
    /// True if one marker keeps the conversation for an hour.
    pub(super) is_checkpoint: bool,
}

impl Lifetimes {
    pub(super) fn of(rule: LifetimeRule, options: &PlanOptions<'_>) -> Self {
        let decided = match options.ttl {
            // One-hour markers come before five-minute ones.
            TtlPolicy::Checkpoints if rule.is_checkpoint() => Ttl::OneHour,
            TtlPolicy::Checkpoints => options.prefix,
            _ => Ttl::FiveMinutes,
        };
        Self {
            prefix: options.ttl.prefix().max(decided),
            conversation: options.ttl.conversation(),
            is_checkpoint: rule.is_checkpoint(),
        }
    }
}
