//! Why a response ended, on all wires.

aside_messages::open_names! {
    /// Why a response ended.
    ///
    /// Every wire maps its own names to these; `From<String>` reads Anthropic's. When you serialize it,
    /// you get the name as a string.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub enum StopReason {
        /// `end_turn`: the model ended its turn.
        EndTurn = "end_turn",
        /// `max_tokens`: the response reached its limit.
        MaxTokens = "max_tokens",
        /// `stop_sequence`: the model wrote a stop sequence.
        StopSequence = "stop_sequence",
        /// `tool_use`: the model waits for its calls' results.
        ToolUse = "tool_use",
        /// `pause_turn`: send the response back unchanged to continue it. You can get this when
        /// Anthropic's servers run tools.
        PauseTurn = "pause_turn",
        /// `refusal`: the model, or a filter, refuses.
        Refusal = "refusal",
        ..
        /// An unknown reason, by the provider's name, such as `model_context_window_exceeded`.
        Other,
    }
}
