//! Settings and variables for every git command, against hostile repositories.
//!
//! Settings on the command line come after those in every file, and so win. The
//! README lists the programs that each setting prevents from running.

/// Settings for `-c`, which every version of git applies.
pub(crate) const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    // Empty would mean the root directory.
    "core.hooksPath=/dev/null",
    "credential.helper=",
    "protocol.allow=never",
    "log.showSignature=false",
    // Would run `git submodule` for each submodule.
    "status.submoduleSummary=false",
    // Would walk the whole history.
    "status.aheadBehind=false",
    "color.ui=false",
    "color.status=false",
    "column.ui=never",
    "core.abbrev=auto",
    // Names come in ASCII, with every other byte as an escape.
    "core.quotePath=true",
    "status.relativePaths=true",
    "status.renames=true",
];

/// A setting in the environment. If git lists it with the scope of the command,
/// this git applies settings from the environment.
pub(crate) const SENTINEL: &str = "filter.aside-sentinel.required";

/// Variables in git's environment. No others begin with `GIT_`, except those of
/// [`FiltersOff`](crate::filters_off::FiltersOff).
pub(crate) const VARIABLES: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    // An empty list of allowed protocols: not even `file` is allowed.
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_NO_LAZY_FETCH", "1"),
];

/// More variables, to ignore the configuration of user and system.
pub(crate) const WITHOUT_USER_CONFIG: &[(&str, &str)] = &[
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    // Not a directory: nothing is found there, and `~` can still be expanded.
    ("HOME", "/dev/null"),
];

/// Variables that git inherits when they hold an absolute path. A relative one
/// would lead into the repository.
pub(crate) const INHERITED: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "TMPDIR",
    "TMP",
    "TEMP",
    "SystemRoot",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
];
