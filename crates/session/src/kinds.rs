aside_diagnostic::kinds! {
    /// The instruction files could not be loaded.
    INSTRUCTION_FILES = error "instruction-files-not-loaded";
    /// The state of the repository could not be read.
    GIT = error "git-snapshot-failed";
    /// There is a repository, and git is not installed: the model does not get its state.
    NO_GIT = note "git-not-found";
    /// A section of the program is left out: its name is not valid, or taken.
    SECTION = error "section-not-registered";
    /// A resumed session has a section that this program does not have; its text stays as it was.
    UNKNOWN_SECTION = warning "section-unknown";
    /// The path of the working directory is not UTF-8; the model is given replacement characters.
    CWD_NOT_UTF8 = warning "working-directory-not-utf8";
    /// Prompt caching is off.
    CACHING_OFF = warning "caching-off";
    /// The clearing of tool results is not requested: the model or its provider does not accept it, beta features are off, or it would cost more than it saves.
    CLEARING_OFF = warning "clearing-off";
    /// A cache marker of the caller is not sent.
    MARKER_DROPPED = warning "marker-not-sent";
    /// A cache marker is not planned, because the caller's markers leave
    /// too few places, or live for five minutes before one of an hour.
    MARKER_GIVEN_UP = note "marker-given-up";
    /// A tool is left out: its name or schema is not valid, its name is taken, or the provider takes no more tools.
    TOOL = error "tool-invalid";
    /// A reminder of the program has a placeholder without a value, which stays as written.
    PLACEHOLDER = warning "placeholder-unknown";
    /// The condition of a reminder panicked, and does not hold.
    CONDITION_PANICKED = error "reminder-condition-panicked";
    /// A reminder that is meant for one request stays in the conversation, because the model binds its thinking to what was sent before.
    REMINDER_KEPT = note "reminder-kept";
    /// An argument changes the system prompt of a resumed session.
    PROMPT_CHANGED = warning "prompt-changed";
    /// A resumed session sends its system prompt or its messages in another form than before.
    FORM_CHANGED = warning "form-changed";
    /// A resumed session keeps the lifetime of cache entries that it began with; the configured one is ignored.
    LIFETIME_RECORDED = note "cache-lifetime-recorded";
    /// The prefix of the requests changed, and earlier thinking is not sent any more.
    PREFIX_CHANGED = warning "prefix-changed";
    /// A prompt has more mentions than are looked up; the rest stays text.
    TOO_MANY_MENTIONS = warning "too-many-mentions";
    /// A mention of a prompt stays text: the file cannot be read or shown.
    MENTION = warning "mention-not-resolved";
    /// A prompt mentions an agent that no tool starts: the model is given its file.
    AGENT_WITHOUT_TOOL = warning "agent-without-tool";
    /// The files that the model has read could not be examined.
    FILES = error "files-not-examined";
    /// A body or a history of another wire was read into the form of the Messages API.
    INPUT_FORM = note "input-form";
    /// A key of a message in an input file is ignored.
    INPUT_KEY = warning "input-key-ignored";
    /// A message of an input file has the tag of a reminder, which is sent as text.
    INPUT_TAG = warning "input-reminder-tag";
}
