aside_diagnostic::kinds! {
    /// An instruction file is empty after its front matter and comments are
    /// removed.
    EMPTY = note "instruction-file-empty";
    /// An exclude of the settings matches the instruction file.
    EXCLUDED = note "instruction-file-excluded";
    /// The instruction file belongs to the checkout around this worktree.
    OUTER_CHECKOUT = note "instruction-file-of-outer-checkout";
    /// A rule loads only if the model asks for it.
    ON_REQUEST = note "rule-on-request";
    /// A rule loads only if the user names it.
    MANUAL = note "rule-manual";
    /// The instruction file was already loaded under another path.
    ALREADY_LOADED = note "instruction-file-already-loaded";
    /// An import or a link leads out of the project, and the user has not approved it.
    EXTERNAL = warning "import-not-approved";
    /// An import leads into a `.git` directory.
    GIT_DIRECTORY = warning "import-in-git-directory";
    /// An import is more than four files away from a file that was found.
    TOO_MANY_HOPS = warning "import-too-deep";
    /// An import names no file.
    NOT_FOUND = warning "import-not-found";
    /// An import names a file with an ending that the agent does not take for text.
    NOT_TEXT_ENDING = warning "import-not-text";
    /// Only the first imports of a file are followed.
    TOO_MANY_IMPORTS = warning "too-many-imports";
    /// An instruction file has more than 4 MiB.
    TOO_LARGE = error "instruction-file-too-large";
    /// An instruction file has a NUL in its first 8 KB.
    BINARY = error "instruction-file-binary";
    /// An instruction file is not UTF-8.
    NOT_UTF8 = error "instruction-file-not-utf8";
    /// The agent sends an instruction file that is not UTF-8 with replaced bytes.
    REPLACED_BYTES = warning "instruction-file-bytes-replaced";
    /// The path is a directory, a device, a FIFO or a socket.
    NOT_A_FILE = error "instruction-file-not-a-file";
    /// The system refuses to read an instruction file or a directory of rules.
    UNREADABLE = error "instruction-file-unreadable";
    /// A limit against hostile trees was reached before the instruction file.
    OVER_LIMIT = error "instruction-files-over-limit";
    /// An instruction file is long, and is sent with every request.
    LONG = warning "instruction-file-long";
    /// A text between two thematic breaks is not read as front matter.
    NOT_A_HEADER = note "front-matter-absent";
    /// The front matter of an instruction file is never closed, and its text is sent.
    UNCLOSED_HEADER = warning "front-matter-not-closed";
    /// The front matter of an instruction file cannot be read, and is ignored.
    BAD_HEADER = warning "front-matter-invalid";
    /// A key in the front matter of a rule is probably another one, misspelled.
    MISSPELLED_KEY = warning "front-matter-key-misspelled";
    /// A key in the front matter of a rule is unknown.
    UNKNOWN_KEY = note "front-matter-key-unknown";
    /// A comment is never closed, and its text is sent.
    UNCLOSED_COMMENT = warning "comment-not-closed";
    /// Quotes or lists are nested too deep to look for imports.
    TOO_NESTED = warning "markdown-too-nested";
    /// A pattern in the front matter of a rule or a skill is not a glob, and matches nothing.
    BAD_PATTERN = warning "rule-pattern-invalid";
    /// An exclude of the settings names nothing or is not a glob, and excludes at most the path with this name; or it excludes nothing in Claude Code, which matches absolute paths.
    BAD_EXCLUDE = warning "exclude-invalid";
    /// A skill is not valid, and is left out.
    SKILL_INVALID = error "skill-invalid";
    /// The file of a skill cannot be read, and the skill is left out.
    SKILL_UNREADABLE = error "skill-unreadable";
    /// A key of a skill is unknown.
    SKILL_KEY = note "skill-key-unknown";
    /// Another skill of the same name has precedence.
    SKILL_SHADOWED = note "skill-shadowed";
    /// A directory of skills cannot be listed.
    SKILLS_UNREADABLE = error "skills-unreadable";
    /// A directory of skills or agents has too many entries, and only some are read.
    TOO_MANY_SKILLS = warning "too-many-skills";
    /// The file of an agent cannot be read or is not valid, and the agent is left out.
    AGENT_INVALID = error "agent-invalid";
    /// Another agent of the same name has precedence.
    AGENT_SHADOWED = note "agent-shadowed";
    /// Two agents of one directory have the same name, and the first is used.
    AGENT_DUPLICATE = warning "agent-duplicate";
    /// A directory of agents cannot be listed.
    AGENTS_UNREADABLE = error "agents-unreadable";
    /// A file is so deep that only some of the directories above it are
    /// searched.
    DEEP_DIRECTORY = warning "directory-too-deep";
}
