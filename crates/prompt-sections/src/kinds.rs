aside_diagnostic::kinds! {
    /// A section could not be computed and is left out.
    SECTION_FAILED = error "section-failed";
    /// The computation of a section panicked; the section is left out.
    SECTION_PANICKED = error "section-panicked";
    /// A prompt was given, and a rule of higher priority left it unused.
    INPUT_UNUSED = warning "prompt-unused";
    /// The prompt does not explain `<system-reminder>`, so the model may take reminders for the
    /// user's words.
    REMINDER_TAG_UNEXPLAINED = warning "reminder-tag-unexplained";
    /// A diagnostic of a stored prompt, of a kind that this version does not know.
    UNKNOWN = warning "prompt-diagnostic-unknown";
}
