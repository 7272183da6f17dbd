use std::fmt;
use std::sync::Arc;

use crate::expression::Expression;
use crate::state::ConversationState;

/// When a reminder fires.
///
/// ```
/// use aside_reminder::{Condition, Expression};
///
/// let in_file = Condition::from(Expression::parse("turn_gt:20"));
/// let in_code = Condition::code(|state| state.turn > 20);
/// assert_ne!(in_file, in_code);
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Condition {
    /// An expression, as in a file.
    Expression(Expression),
    /// A function.
    Code(Predicate),
}

/// A condition in code. It may call the [`Manager`](crate::Manager) that
/// evaluates it. A panic counts as false and is reported.
#[derive(Clone)]
pub struct Predicate(Arc<dyn Fn(&ConversationState<'_>) -> bool + Send + Sync>);

impl Condition {
    /// Creates a condition from a function.
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

/// Two predicates are equal if one is a clone of the other.
impl PartialEq for Predicate {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
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
