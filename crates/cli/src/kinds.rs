//! The command's own kinds of diagnostics.

pub(crate) use aside_session::caller::INPUT_FORM;

aside_diagnostic::kinds! {
    /// The command failed; its exit code is 1.
    FAILED = error "failed";
    /// A usage error; the exit code is 2.
    USAGE = error "usage";
    /// The inputs of a command, with `--verbose`.
    DETAIL = note "detail";
    /// A step of `aside run`, such as a tool call.
    PROGRESS = note "progress";
    /// The API accepts a rendered request with this beta header only.
    BETA_NEEDED = note "beta-needed";
    /// No key is set, so a recording answers and nothing is sent.
    RECORDING = note "recording-answers";
    /// A session is resumed from another directory than the one where it began.
    CWD_RECORDED = warning "working-directory-recorded";
    /// A call in a resumed session is not run, since the command only prints.
    CALL_NOT_RUN = warning "call-not-run";
    /// The prompt of coordinator mode names a tool that the request does not have.
    WORKER_TOOL = warning "worker-tool-missing";
    /// The file of --agent has keys that restrict an agent and are not applied.
    AGENT_KEYS_UNUSED = warning "agent-keys-unused";
    /// Global scope is switched on and not sent: the provider does not take it, or beta features are off.
    GLOBAL_SCOPE_OFF = warning "global-scope-off";
    /// The model cannot do all that --profile documents asks for.
    PROFILE_BOUND = note "profile-bound";
    /// The catalogue has no row for the model.
    MODEL_UNKNOWN = warning "model-unknown";
    /// The model was retired.
    MODEL_RETIRED = warning "model-retired";
    /// The model retires soon.
    MODEL_RETIRES_SOON = warning "model-retires-soon";
    /// The model is guaranteed only until a day that is near or past.
    MODEL_UNGUARANTEED = warning "model-unguaranteed";
    /// The transcript of a session ends in an incomplete line.
    TORN_LINE = warning "transcript-line-incomplete";
    /// A message of `--steer` was not sent and is not stored.
    MESSAGE_LOST = warning "message-not-sent";
    /// A message of `--steer` could not be stored for the next run.
    MESSAGE_NOT_STORED = error "message-not-stored";
    /// Git cannot list a directory's files, so `aside init` finds none that its rules match.
    FILES_NOT_LISTED = warning "files-not-listed";
    /// A path of `--touch` is a directory, which is not read, so nothing loads for it.
    TOUCHED_DIRECTORY = note "directory-not-read";
    /// Stdin cannot be read; the run continues without it.
    STDIN_UNREADABLE = warning "stdin-unreadable";
    /// A line of stdin is not a message and is left out.
    STDIN_LINE = warning "stdin-line-invalid";
    /// A request without a context has instruction files, which the next call reads again.
    CONTEXT_NOT_KEPT = note "context-not-kept";
    /// A rule was named by its id of an earlier version.
    RULE_ID = note "rule-id-changed";
    /// The `repository` of a scenario is not the root of a repository, or gives the agent no instruction file.
    SCENARIO_REPOSITORY = warning "scenario-repository-suspicious";
    /// Sessions load an instruction file that no scenario has.
    SCENARIO_ABSENT = warning "scenario-absent";
    /// A checkout changed the line ends of an expected file; they are compared without.
    SCENARIO_LINE_ENDS = warning "scenario-line-ends";
    /// Requests of a log have no body, and no finding can be about them.
    NOT_LINTED = note "requests-not-linted";
    /// No reminder file was found.
    NO_REMINDER_FILES = note "reminder-files-absent";
    /// A key of a simulation has no meaning and is ignored.
    SIMULATION_KEY = warning "simulation-key-ignored";
    /// A condition of a simulation is none of the known forms, and never holds.
    SIMULATION_CONDITION = warning "simulation-condition-unknown";
    /// A simulation removes a reminder that does not exist.
    SIMULATION_REMOVE = warning "simulation-reminder-unknown";
    /// The reminders of a simulation have no message that they could be appended to.
    NOTHING_DELIVERED = warning "simulation-nothing-delivered";
    /// A part of a request log could not be read; the rest is.
    LOG_ENTRY = warning "log-entry-unreadable";
    /// Requests of a log have no time, and one is assumed.
    LOG_TIMES = note "log-times-assumed";
    /// A request of a log is not of the Messages API and keeps its markers.
    LOG_MARKERS = warning "log-markers-kept";
    /// The reason for the position of a cache marker.
    MARKER = note "cache-marker";
    /// The form in which a request delivers reminders, text of the harness and tools.
    DELIVERY = note "delivery";
    /// The reason why a request does not continue the one before it.
    RESET = note "prefix-reset";
}

#[cfg(test)]
mod tests;
