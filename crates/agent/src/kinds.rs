aside_diagnostic::kinds! {
    /// The API refused thinking as bound to another prefix; all earlier thinking is left out, and the request is sent again.
    THINKING_REFUSED = error "thinking-refused";
    /// The API refused a beta feature of the session; the request is sent again without beta features.
    BETA_REFUSED = warning "beta-refused";
    /// The conversation could not be replaced by a summary.
    NOT_COMPACTED = warning "not-compacted";
    /// The conversation exceeds the threshold for a compaction, which would cost more than it saves.
    COMPACTION_POSTPONED = warning "compaction-postponed";
    /// The session offers tools to the model that the loop has no implementation of.
    TOOL_NOT_CALLABLE = error "tool-not-callable";
    /// Results of tools were cut, because they do not fit into the context window.
    RESULT_CUT = warning "result-cut";
}
