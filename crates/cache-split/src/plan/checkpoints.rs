//! The lifetimes of one request under [`TtlPolicy::Checkpoints`].

use std::fmt;

use aside_messages::wire::Ttl;
use serde::Serialize;

use super::PlanOptions;
use super::messages::{MessageView, Messages};
use crate::ttl::TtlPolicy;

/// The number of requests of a tool loop after which the conversation is written
/// for an hour again.
const LOOP_STEP: usize = 10;

/// The position of a request in its session. It follows from the messages alone,
/// so that a resumed session, a caller without one and a proxy agree.
pub(super) struct Position<'a> {
    /// True if the request has no answer of the model.
    pub(super) is_first: bool,
    /// True for the first and the second request.
    is_early: bool,
    /// The number of the request since the last words of the user, from 1.
    in_turn: usize,
    /// The last message of the user that began the turn before.
    pub(super) previous_turn: Option<MessageView<'a>>,
}

impl<'a> Position<'a> {
    /// Finds the position. The closed messages of a session are counted already.
    pub(super) fn of(messages: Messages<'a>) -> Self {
        let turns = messages.turns();
        let in_turn = turns.answers_in_turn() + 1;
        let previous_turn = turns.last_answered_start().filter(|_| in_turn == 1);
        Self {
            is_first: turns.answers() == 0,
            is_early: turns.answers() < 2,
            in_turn,
            previous_turn: previous_turn.and_then(|index| messages.get(index)),
        }
    }

    /// Returns the rule by which the request gets its lifetimes.
    pub(super) fn rule(&self, options: &PlanOptions<'_>) -> LifetimeRule {
        if options.ttl != TtlPolicy::Checkpoints {
            LifetimeRule::Policy
        } else if options.is_reset {
            LifetimeRule::Reset
        } else if self.is_early {
            LifetimeRule::SessionStart
        } else if self.in_turn == 1 {
            LifetimeRule::TurnStart
        } else if self.in_turn.is_multiple_of(LOOP_STEP) {
            LifetimeRule::LongLoop
        } else {
            LifetimeRule::BetweenCheckpoints
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
    /// Checkpoints: the first two requests of a session are no checkpoints.
    SessionStart,
    /// Checkpoints: the first request after a message of the user is one.
    TurnStart,
    /// Checkpoints: every tenth request of a tool loop is one.
    LongLoop,
    /// Checkpoints: any other request is no checkpoint.
    BetweenCheckpoints,
    /// Checkpoints: a request whose prefix was reset is no checkpoint, since it
    /// writes the whole conversation again.
    Reset,
}

impl LifetimeRule {
    /// Returns true if the request writes the whole conversation for an hour.
    #[must_use]
    pub fn is_checkpoint(self) -> bool {
        matches!(self, Self::TurnStart | Self::LongLoop)
    }
}

impl fmt::Display for LifetimeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Policy => "the same in each request",
            Self::SessionStart => "5m, one of the first two requests of a session",
            Self::TurnStart => "1h, the first request of a turn",
            Self::LongLoop => "1h, every tenth request of a tool loop",
            Self::BetweenCheckpoints => "5m, between two checkpoints",
            Self::Reset => "5m, the prefix was reset",
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
}

impl Lifetimes {
    pub(super) fn of(rule: LifetimeRule, options: &PlanOptions<'_>) -> Self {
        if rule.is_checkpoint() {
            return Self {
                prefix: Ttl::OneHour,
                conversation: Ttl::OneHour,
            };
        }
        let decided = match options.ttl {
            TtlPolicy::Checkpoints => options.prefix.ttl(),
            _ => Ttl::FiveMinutes,
        };
        Self {
            prefix: options.ttl.prefix().max(decided),
            conversation: options.ttl.conversation(),
        }
    }
}
