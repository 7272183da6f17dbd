aside_diagnostic::kinds! {
    /// A reminder file cannot be opened, or is too large.
    UNREADABLE = error "reminder-file-unreadable";
    /// A reminder file is not valid: its syntax, a key, a value, or no content.
    INVALID = error "reminder-file-invalid";
    /// Two files of one directory have one id; the second is left out.
    DUPLICATE_ID = error "reminder-id-duplicate";
    /// A directory of reminders has too many files, or its files are too long together.
    TOO_MANY = error "reminder-files-over-limit";
    /// A key of a file has no meaning and is ignored.
    IGNORED_KEY = warning "reminder-key-ignored";
    /// A condition is none of the known forms, and never holds.
    CONDITION = warning "reminder-condition-unknown";
    /// A placeholder has no value and stays as written.
    PLACEHOLDER = warning "reminder-placeholder-unknown";
    /// A file of the project replaces or switches off a reminder of the user.
    OVERRIDDEN = note "reminder-overridden";
    /// A reminder is valid, but perhaps not what its author meant.
    ADVICE = note "reminder-advice";
}
