//! The lifetimes of one request under [`TtlPolicy::Checkpoints`].

use std::fmt;

use aside_messages::wire::Ttl;
use aside_models::ThinkingKept;
use serde::Serialize;

use super::PlanOptions;
use super::caller_markers::CallerMarkers;
use super::messages::{MessageView, Messages};
use crate::ttl::TtlPolicy;

/// The position of a request in its session. It follows from the messages alone,
/// so that a resumed session, a caller without one and a proxy agree.
pub(super) struct Position<'a> {
    /// True if the request has no answer of the model.
    pub(super) is_first: bool,
    /// True for the first and the second request.
    is_early: bool,
    /// True for the first request of a turn.
    is_turn_start: bool,
    /// The answer to mark for an hour, if the request is a checkpoint.
    pub(super) checkpoint: Option<MessageView<'a>>,
    /// The message at which the first request of a turn finds an entry of an
    /// hour.
    pub(super) last_checkpoint: Option<MessageView<'a>>,
}

impl<'a> Position<'a> {
    /// Finds the position. The closed messages of a session are counted already.
    pub(super) fn new(messages: Messages<'a>, thinking: ThinkingKept) -> Self {
        let turns = messages.turns();
        let is_turn_start = turns.answers_in_turn() == 0;
        let last_checkpoint = match thinking {
            // The prefix changes at the first thinking of the turn that ended.
            ThinkingKept::LastTurn => turns.last_answered_start(),
            _ => turns.last_checkpoint(),
        };
        let view = |index: Option<usize>| index.and_then(|index| messages.get(index));
        Self {
            is_first: turns.answers() == 0,
            is_early: turns.answers() < 2,
            is_turn_start,
            checkpoint: view(turns.checkpoint()),
            last_checkpoint: view(last_checkpoint.filter(|_| is_turn_start)),
        }
    }

    /// Returns the rule by which the request gets its lifetimes.
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

/// The rule by which a request gets its lifetimes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LifetimeRule {
    /// The policy has the same lifetimes in each request.
    #[default]
    Policy,
    /// Checkpoints: the first request of a session is none, and neither is the
    /// second one if it begins a turn.
    SessionStart,
    /// Checkpoints: the first request after a message of the user is one.
    TurnStart,
    /// Checkpoints: the first request after a tool call is one, and each that is
    /// far enough from the last one.
    LongLoop,
    /// Checkpoints: any other request is no checkpoint.
    BetweenCheckpoints,
    /// Checkpoints: a request whose prefix was reset is no checkpoint, since it
    /// writes the whole conversation again.
    Reset,
    /// Checkpoints: a marker of the caller lives for five minutes, so no later
    /// one can live for an hour.
    CallerMarker,
}

impl LifetimeRule {
    /// Returns true if the request keeps the conversation for an hour.
    #[must_use]
    pub fn is_checkpoint(self) -> bool {
        matches!(self, Self::TurnStart | Self::LongLoop)
    }
}

impl fmt::Display for LifetimeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Policy => "the same in each request",
            Self::SessionStart => "5m, the session begins",
            Self::TurnStart => "1h, the first request of a turn",
            Self::LongLoop => "1h, far enough from the last checkpoint",
            Self::BetweenCheckpoints => "5m, between two checkpoints",
            Self::Reset => "5m, the prefix was reset",
            Self::CallerMarker => "5m, a marker of the caller lives for five minutes",
        })
    }
}

/// The lifetimes of the markers of one request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lifetimes {
    /// The lifetime of the layers that sessions share.
    pub(super) prefix: Ttl,
    /// The lifetime of the conversation.
    pub(super) conversation: Ttl,
    /// True if the request has a marker that keeps the conversation for an hour.
    pub(super) is_checkpoint: bool,
}

impl Lifetimes {
    pub(super) fn of(rule: LifetimeRule, options: &PlanOptions<'_>) -> Self {
        let decided = match options.ttl {
            // Markers of an hour come before those of five minutes.
            TtlPolicy::Checkpoints if rule.is_checkpoint() => Ttl::OneHour,
            TtlPolicy::Checkpoints => options.prefix.ttl(),
            _ => Ttl::FiveMinutes,
        };
        Self {
            prefix: options.ttl.prefix().max(decided),
            conversation: options.ttl.conversation(),
            is_checkpoint: rule.is_checkpoint(),
        }
    }
}
