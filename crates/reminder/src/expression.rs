use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::state::ConversationState;

/// A condition as written in a file, such as `after_tool:Edit,Write`.
///
/// ```
/// use aside_reminder::{ConversationState, Expression};
///
/// let state = ConversationState { turn: 21, ..ConversationState::default() };
/// assert!(Expression::parse("turn_gt:20").holds(&state));
///
/// let unknown = Expression::parse("sometimes");
/// assert!(!unknown.holds(&state));
/// assert!(unknown.fault().unwrap().starts_with("condition \"sometimes\" never fires"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expression {
    /// `always`, or an empty text.
    Always,
    /// `after_tool:Edit,Write`: the model's last message calls one of these
    /// tools. Names are compared exactly.
    AfterTool(Vec<String>),
    /// `turn_gt:20`: the turn is greater than this.
    TurnGt(u64),
    /// `messages_gt:80`: the conversation has more messages than this.
    MessagesGt(u64),
    /// `repeated_tool:3`: the same tool was called with the same input this
    /// many times in a row; 0 is treated as 1.
    RepeatedTool(u64),
    /// Any other text, which never holds.
    Unknown(UnknownExpression),
}

/// A text that is not an expression; see [`Expression::fault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownExpression {
    text: String,
    expected: &'static str,
}

const FORMS: &str =
    "expected always, after_tool:NAMES, turn_gt:N, messages_gt:N or repeated_tool:N";

impl Expression {
    /// Parses an expression. An unknown one never holds; for the reason, see
    /// [`Expression::fault`].
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let unknown =
            |expected| Self::Unknown(UnknownExpression { text: text.to_owned(), expected });
        if text.is_empty() || text == "always" {
            return Self::Always;
        }
        let Some((name, argument)) = text.split_once(':') else {
            return unknown(FORMS);
        };
        let argument = argument.trim();
        let number = |make: fn(u64) -> Self| match decimal(argument) {
            Some(number) => make(number),
            None => unknown("expected a number from 0 after the colon"),
        };
        match name {
            "after_tool" => {
                let names: Vec<_> =
                    argument.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
                if names.is_empty() {
                    return unknown("expected the name of a tool after the colon");
                }
                Self::AfterTool(names.into_iter().map(str::to_owned).collect())
            }
            "turn_gt" => number(Self::TurnGt),
            "messages_gt" => number(Self::MessagesGt),
            "repeated_tool" => match decimal(argument) {
                Some(0) | None => unknown("expected a number from 1 after the colon"),
                Some(times) => Self::RepeatedTool(times),
            },
            _ => unknown(FORMS),
        }
    }

    /// Returns why an expression is unknown: the text found and the forms
    /// expected.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        match self {
            Self::Unknown(UnknownExpression { text, expected }) => {
                Some(format!("condition {text:?} never fires: {expected}"))
            }
            _ => None,
        }
    }

    /// Returns true if the condition holds.
    #[must_use]
    pub fn holds(&self, state: &ConversationState<'_>) -> bool {
        match self {
            Self::Always => true,
            Self::AfterTool(names) => {
                let is_named = |name: &str| names.iter().any(|wanted| wanted == name);
                state.last_tool_calls.iter().any(|call| is_named(&call.name))
            }
            Self::TurnGt(turn) => state.turn > *turn,
            Self::MessagesGt(count) => state.message_count > *count,
            Self::RepeatedTool(times) => {
                state.repeated.is_some_and(|it| it.times >= (*times).max(1))
            }
            Self::Unknown(_) => false,
        }
    }
}

/// Digits only: Rust's own parser also accepts a plus sign.
fn decimal(text: &str) -> Option<u64> {
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_decimal.then(|| text.parse().ok()).flatten()
}

impl FromStr for Expression {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::parse(text))
    }
}

/// Writes the expression as in a file.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("always"),
            Self::AfterTool(names) => write!(f, "after_tool:{}", names.join(",")),
            Self::TurnGt(turn) => write!(f, "turn_gt:{turn}"),
            Self::MessagesGt(count) => write!(f, "messages_gt:{count}"),
            Self::RepeatedTool(times) => write!(f, "repeated_tool:{}", times.max(&1)),
            Self::Unknown(UnknownExpression { text, .. }) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{RecentCall, RepeatedCall};

    fn check(text: &str, state: &ConversationState<'_>, expected: bool) {
        let expression = Expression::parse(text);
        assert_eq!(expression.holds(state), expected, "{text}");
        assert_eq!(expression.fault(), None, "{text}");
        assert_eq!(Expression::parse(&expression.to_string()), expression);
    }

    #[test]
    fn always() {
        for text in ["", " ", "always", " always\n"] {
            check(text, &ConversationState::default(), true);
        }
    }

    #[test]
    fn after_tool_compares_names_exactly() {
        let calls = [RecentCall::new("Read", "{}"), RecentCall::new("Edit", "{}")];
        let state = ConversationState { last_tool_calls: &calls, ..ConversationState::default() };
        check("after_tool:Edit", &state, true);
        check("after_tool: Write , Edit ", &state, true);
        check("after_tool:edit", &state, false);
        check("after_tool:Edi", &state, false);
        check("after_tool:Write", &state, false);
        check("after_tool:Edit", &ConversationState::default(), false);
    }

    #[test]
    fn gt_means_greater() {
        let state =
            ConversationState { turn: 20, message_count: 80, ..ConversationState::default() };
        check("turn_gt:20", &state, false);
        check("turn_gt: 19", &state, true);
        check("messages_gt:80", &state, false);
        check("messages_gt:79", &state, true);
    }

    #[test]
    fn repeated() {
        let times = |times| ConversationState {
            repeated: Some(RepeatedCall { tool: "Bash", times }),
            ..ConversationState::default()
        };
        check("repeated_tool:3", &times(2), false);
        check("repeated_tool:3", &times(3), true);
        check("repeated_tool:3", &times(4), true);
        check("repeated_tool:1", &ConversationState::default(), false);
    }

    #[test]
    fn an_unknown_expression_never_holds_and_has_a_fault() {
        let busy = ConversationState {
            turn: u64::MAX,
            message_count: u64::MAX,
            ..ConversationState::default()
        };
        for (text, expected) in [
            ("sometimes", FORMS),
            ("Always", FORMS),
            ("after:Edit", FORMS),
            ("turn_gt", FORMS),
            ("after_tool :Edit", FORMS),
            ("turn_ gt:1", FORMS),
            ("after_tool:", "expected the name of a tool after the colon"),
            ("after_tool: , ", "expected the name of a tool after the colon"),
            ("turn_gt:", "expected a number from 0 after the colon"),
            ("turn_gt:many", "expected a number from 0 after the colon"),
            ("turn_gt:-1", "expected a number from 0 after the colon"),
            ("turn_gt:+1", "expected a number from 0 after the colon"),
            ("turn_gt:1.5", "expected a number from 0 after the colon"),
            ("messages_gt:99999999999999999999", "expected a number from 0 after the colon"),
            ("repeated_tool:0", "expected a number from 1 after the colon"),
        ] {
            let expression = Expression::parse(text);
            assert!(!expression.holds(&busy), "{text}");
            let fault = format!("condition {:?} never fires: {expected}", text.trim());
            assert_eq!(expression.fault(), Some(fault));
        }
    }
}
