use std::fmt;
use std::sync::Arc;

use crate::expression::Expression;
use crate::state::ConversationState;

/// What has to hold for a reminder to fire.
#[derive(Clone)]
pub enum Condition {
    /// An expression, as files have it.
    Expression(Expression),
    /// Code.
    Code(Predicate),
}

/// A condition in code. It may call the [`Manager`](crate::Manager) that asks
/// it; where it panics, that is reported and counts as false.
#[derive(Clone)]
pub struct Predicate(Arc<dyn Fn(&ConversationState<'_>) -> bool + Send + Sync>);

impl Condition {
    /// A condition in code.
    pub fn code(holds: impl Fn(&ConversationState<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self::Code(Predicate(Arc::new(holds)))
    }
}

impl From<Expression> for Condition {
    fn from(expression: Expression) -> Self {
        Self::Expression(expression)
    }
}

impl Predicate {
    pub(crate) fn holds(&self, state: &ConversationState<'_>) -> bool {
        (self.0)(state)
    }
}

/// Equal is code that is the same value, or a clone of it.
impl PartialEq for Predicate {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Expression(a), Self::Expression(b)) => a == b,
            (Self::Code(a), Self::Code(b)) => a == b,
            (Self::Expression(_), Self::Code(_)) | (Self::Code(_), Self::Expression(_)) => false,
        }
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Predicate")
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expression(expression) => expression.fmt(f),
            Self::Code(predicate) => predicate.fmt(f),
        }
    }
}
