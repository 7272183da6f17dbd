aside_diagnostic::kinds! {
    /// The system would not start git, or not give its output.
    NOT_RUN = warning "git-not-run";
    /// A git command took too long and was killed; its part of the snapshot is left out.
    TIMED_OUT = warning "git-timed-out";
    /// A git command wrote too much and was killed; its part of the snapshot is left out.
    FLOODED = warning "git-output-too-long";
    /// A git command failed; its part of the snapshot is left out.
    FAILED = warning "git-failed";
    /// The output of a git command has an unknown form; its part of the
    /// snapshot is left out.
    UNEXPECTED = warning "git-output-unexpected";
    /// Git is older than 2.31, which cannot have its filters switched off.
    TOO_OLD = warning "git-too-old";
    /// The filter drivers could not be listed, so the status is left out.
    FILTERS_UNKNOWN = warning "git-filters-unknown";
}
