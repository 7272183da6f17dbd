aside_diagnostic::kinds! {
    /// A settings file, or a file of MCP servers, cannot be read and is left out.
    SETTINGS_UNREADABLE = error "settings-unreadable";
    /// A settings file is not valid JSON, or a key has a value of another type; the file is left
    /// out.
    SETTINGS_INVALID = error "settings-invalid";
    /// A configured MCP server cannot be started as it is written, or does not exist.
    MCP_SERVER_INVALID = error "mcp-server-invalid";
    /// The project has an MCP server that the user has not approved; it is not started.
    MCP_SERVER_NOT_APPROVED = warning "mcp-server-not-approved";
    /// The approval of an MCP server cannot be stored; the server is started this time only.
    MCP_APPROVAL_NOT_STORED = warning "mcp-approval-not-stored";
    /// An unknown key of a settings file resembles a known one, and changes nothing.
    KEY_MISSPELLED = warning "settings-key-misspelled";
    /// A key does not count in this settings file.
    KEY_OUT_OF_PLACE = warning "settings-key-out-of-place";
    /// The value of a key cannot be used, and is left out.
    VALUE_INVALID = warning "settings-value-invalid";
    /// The settings of a project keep what its sessions share in the cache for an hour, which
    /// costs more to write.
    PREFIX_OF_PROJECT = note "settings-prefix-of-project";
    /// A variable of `env` decides where settings are, and is left out.
    VARIABLE_OUT_OF_PLACE = warning "settings-variable-out-of-place";
    /// A variable of the environment has to be an absolute path, and is left out.
    RELATIVE_PATH = warning "environment-path-relative";
    /// There is no home directory: the user's own files are left out.
    HOME_ABSENT = warning "home-absent";
    /// The value of a variable of the environment cannot be used, and is left out.
    VARIABLE_INVALID = warning "environment-value-invalid";
    /// The settings have a hook, which Aside lists and never runs.
    HOOK_NOT_RUN = note "hook-not-run";
    /// A file or a directory of output styles cannot be read and is left out.
    STYLE_UNREADABLE = error "output-style-unreadable";
}
