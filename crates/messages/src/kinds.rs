//! The codes of the diagnostics of this crate. A code is stable: it is never
//! used for another meaning.

aside_diagnostic::kinds! {
    /// A string held half of a surrogate pair, which became U+FFFD.
    LONE_SURROGATE = warning "lone-surrogate";
    /// A key of the input of a tool call was written twice; the last one is kept.
    DOUBLED_KEY = warning "doubled-key";
    /// An entry of a conversation is of an unknown kind and is not sent, or has an unknown `clear_at`.
    UNKNOWN_VALUE = warning "entry-value-unknown";
    /// A cache marker of a conversation was removed: markers are placed for each request.
    MARKER = warning "marker-removed";
    /// The input of a tool call is not a JSON object and was sent as `{}`.
    TOOL_INPUT = warning "tool-input-invalid";
    /// Thinking was left out: another model wrote it, or it ends a response.
    THINKING = warning "thinking-left-out";
    /// A result names a tool that is not offered; the reference became text.
    TOOL_REFERENCE = warning "tool-reference-unknown";
    /// The model takes documents in plain text only; a note replaced another one.
    DOCUMENT = warning "document-left-out";
    /// The model takes no compaction block: the summary in it is sent as text, or left out if it cannot be read.
    COMPACTION_BLOCK = warning "compaction-block-replaced";
    /// A tool call had no result, and got one that reports this.
    MISSING_RESULT = warning "tool-result-missing";
    /// A tool result without its call, or a second one, was left out.
    STRAY_RESULT = warning "tool-result-stray";
    /// A tool call with a used id, or one that is not the model's, was left out.
    STRAY_CALL = warning "tool-call-stray";
    /// The result of a failed tool held more than text, which was left out.
    ERROR_CONTENT = warning "tool-error-content";
}
