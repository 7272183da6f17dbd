//! Why a response ended, on all wires.

use serde::{Serialize, Serializer};

/// Why a response ended.
///
/// Every wire maps its own names to these; `From<String>` reads Anthropic's. When you serialize it,
/// you get the name as a string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// `end_turn`: the model ended its turn.
    EndTurn,
    /// `max_tokens`: the response reached its limit.
    MaxTokens,
    /// `stop_sequence`: the model wrote a stop sequence.
    StopSequence,
    /// `tool_use`: the model waits for its calls' results.
    ToolUse,
    /// `pause_turn`: send the response back unchanged to continue it. You can get this when
    /// Anthropic's servers run tools.
    PauseTurn,
    /// `refusal`: the model, or a filter, refuses.
    Refusal,
    /// An unknown reason, by the provider's name, such as `model_context_window_exceeded`.
    Other(String),
}

impl StopReason {
    /// Returns the name in the Anthropic form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::MaxTokens => "max_tokens",
            Self::StopSequence => "stop_sequence",
            Self::ToolUse => "tool_use",
            Self::PauseTurn => "pause_turn",
            Self::Refusal => "refusal",
            Self::Other(reason) => reason,
        }
    }
}

impl From<String> for StopReason {
    fn from(reason: String) -> Self {
        match reason.as_str() {
            "end_turn" => Self::EndTurn,
            "max_tokens" => Self::MaxTokens,
            "stop_sequence" => Self::StopSequence,
            "tool_use" => Self::ToolUse,
            "pause_turn" => Self::PauseTurn,
            "refusal" => Self::Refusal,
            _ => Self::Other(reason),
        }
    }
}

impl Serialize for StopReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
