//! One table per agent, as of November 2026. The sources are the agents' own
//! code and documentation.
//!
//! A row describes what the agent reads with its default configuration. A file
//! that the user has to name in a configuration is an item of `unknown`.

use super::facts::Pick::{First, FirstName, Nearest};
use super::facts::Place::{Home, Root, RootDown, WorkingDirectory};
use super::facts::{Facts, Header, ImportForm, Step, TouchedDirs};

/// The destination of agents that send the files as the first user message.
const FIRST_USER_MESSAGE: Option<&str> = Some("first user message");
/// The destination of agents that append the files to their system prompt.
const SYSTEM_PROMPT: Option<&str> = Some("system prompt");

/// Facts of an agent whose rules have code of their own, such as Claude Code.
const fn claude(name: &'static str, agent: &'static str) -> Facts {
    Facts {
        name,
        agent,
        steps: &[],
        nested: &[],
        touched: TouchedDirs::BelowWorkingDirectory,
        imports: ImportForm::Claude,
        destination: FIRST_USER_MESSAGE,
        unknown: &[],
    }
}

/// Facts of an agent that reads all files when a session starts, and each file
/// whole.
const fn at_start(name: &'static str, agent: &'static str, steps: &'static [Step]) -> Facts {
    Facts {
        name,
        agent,
        steps,
        nested: &[],
        touched: TouchedDirs::None,
        imports: ImportForm::None,
        destination: SYSTEM_PROMPT,
        unknown: &[],
    }
}

/// The default. The versions of Claude Code differ in `AGENTS.md` only, which
/// is an option of the loader and not a step.
pub(super) const CLAUDE: Facts = claude("claude", "Claude Code, AGENTS.md per directory");
pub(super) const CLAUDE_276: Facts = claude("claude:2.1.276", "Claude Code up to 2.1.276");
pub(super) const CLAUDE_277: Facts = claude("claude:2.1.277", "Claude Code from 2.1.277");

/// The convention has one rule: of all `AGENTS.md` from the root down, the one
/// nearest to the working directory, or to a touched path, is read.
pub(super) const AGENTS_MD: Facts = Facts {
    nested: &[Step::new(RootDown, &["AGENTS.md"], Nearest)],
    touched: TouchedDirs::FromRoot,
    destination: None,
    unknown: &["the convention names no part of the request, no imports and no limits"],
    ..at_start(
        "agents-md",
        "AGENTS.md convention",
        &[Step::new(RootDown, &["AGENTS.md"], Nearest)],
    )
};

/// Codex: one file of the user, then one file of each directory from the root
/// of the repository down. `AGENTS.override.md` replaces `AGENTS.md` in its
/// directory and not in others.
pub(super) const CODEX: Facts = Facts {
    destination: FIRST_USER_MESSAGE,
    unknown: &[
        "names that the user configures",
        "other root markers than .git",
    ],
    ..at_start(
        "codex",
        "Codex",
        &[
            Step::new(
                Home,
                &[".codex/AGENTS.override.md", ".codex/AGENTS.md"],
                First,
            ),
            Step::new(RootDown, &["AGENTS.override.md", "AGENTS.md"], First),
        ],
    )
};

/// The names that Copilot reads in every directory, all that exist.
const COPILOT_FILES: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// GitHub Copilot: one file and a directory of rules of the user, the same of
/// the repository, then the files of other agents in each directory. A rule
/// names its paths with `applyTo`.
pub(super) const COPILOT: Facts = Facts {
    nested: &[Step::all(RootDown, COPILOT_FILES)],
    touched: TouchedDirs::FromRoot,
    destination: None,
    unknown: &["the part of the request", "the order of the files"],
    ..at_start(
        "copilot",
        "GitHub Copilot",
        &[
            Step::all(Home, &[".copilot/copilot-instructions.md"]),
            Step::all(Home, &[".copilot/instructions/**/*.instructions.md"])
                .with_header(Header::ApplyTo),
            Step::all(Root, &[".github/copilot-instructions.md"]),
            Step::all(Root, &[".github/instructions/**/*.instructions.md"])
                .with_header(Header::ApplyTo),
            Step::all(RootDown, COPILOT_FILES),
        ],
    )
};

/// Cursor: `.cursorrules` (its older form) at the root, and in each directory
/// the rules (`.mdc`) and `AGENTS.md`. The front matter of a rule decides when
/// it loads.
pub(super) const CURSOR: Facts = Facts {
    nested: &[
        Step::all(RootDown, &[".cursor/rules/**/*.mdc"]).with_header(Header::Cursor),
        Step::all(RootDown, &["AGENTS.md"]),
    ],
    touched: TouchedDirs::BelowWorkingDirectory,
    destination: None,
    unknown: &[
        "the part of the request",
        "rules that the user keeps in the application",
    ],
    ..at_start(
        "cursor",
        "Cursor",
        &[
            Step::all(Root, &[".cursorrules"]),
            Step::all(RootDown, &[".cursor/rules/**/*.mdc"]).with_header(Header::Cursor),
            Step::all(RootDown, &["AGENTS.md"]),
        ],
    )
};

/// gemini-cli: `GEMINI.md` of the user, then of each directory from the root
/// down; the only agent of the table besides Claude Code that follows imports.
pub(super) const GEMINI: Facts = Facts {
    nested: &[Step::all(RootDown, &["GEMINI.md"])],
    touched: TouchedDirs::FromRoot,
    imports: ImportForm::Gemini,
    destination: Some("system instruction (the user's), first user message (the project's)"),
    unknown: &[
        "names that the user configures",
        "files of extensions",
        "whether the folder is trusted; an untrusted one has none",
    ],
    ..at_start(
        "gemini",
        "gemini-cli",
        &[
            Step::all(Home, &[".gemini/GEMINI.md"]),
            Step::all(RootDown, &["GEMINI.md"]),
        ],
    )
};

/// The names of opencode, the preferred one first.
const OPENCODE_NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

/// opencode: one file of the user, then the files of one name. The first name
/// that exists in any directory from the root down is read in all of them; the
/// other names are not read. A touched path adds one file per directory.
pub(super) const OPENCODE: Facts = Facts {
    nested: &[Step::new(RootDown, OPENCODE_NAMES, First)],
    touched: TouchedDirs::BelowWorkingDirectory,
    unknown: &[
        "the configured directory",
        "instructions of its configuration",
    ],
    ..at_start(
        "opencode",
        "opencode",
        &[
            Step::new(
                Home,
                &[".config/opencode/AGENTS.md", ".claude/CLAUDE.md"],
                First,
            ),
            Step::new(RootDown, OPENCODE_NAMES, FirstName),
        ],
    )
};

/// Cline: `.clinerules`, which may be a file or a directory, and the files of
/// other agents, all at the root of the repository.
pub(super) const CLINE: Facts = Facts {
    unknown: &[
        "the directory of global rules",
        "the files of .cline/",
        "the order of the files",
        "the keys of the front matter",
    ],
    ..at_start(
        "cline",
        "Cline",
        &[
            Step::all(Root, &[".clinerules", ".clinerules/**/*"]).with_header(Header::Ignored),
            Step::all(Root, &["AGENTS.md", ".cursorrules"]),
            Step::all(Root, &[".cursor/rules/**/*.mdc"]).with_header(Header::Ignored),
            Step::all(Root, &[".windsurfrules"]),
        ],
    )
};

/// Roo Code: the rules of the user, then of the working directory: its own
/// rules, or the first older form that exists, and `AGENTS.md` or `AGENT.md`.
pub(super) const ROO: Facts = Facts {
    destination: Some("end of the system prompt"),
    unknown: &[
        "rules of single modes",
        "rules in subfolders, which are an option",
    ],
    ..at_start(
        "roo",
        "Roo Code",
        &[
            Step::all(Home, &[".roo/rules/**/*"]),
            Step::new(
                WorkingDirectory,
                &[".roo/rules/**/*", ".roorules", ".clinerules"],
                First,
            ),
            Step::new(WorkingDirectory, &["AGENTS.md", "AGENT.md"], First),
            Step::all(WorkingDirectory, &["AGENTS.local.md"]),
        ],
    )
};

/// Crush: the files of the user, then every name that exists in the working
/// directory, those of other agents included.
pub(super) const CRUSH: Facts = Facts {
    unknown: &["the order of the files, which is not stable"],
    ..at_start(
        "crush",
        "Crush",
        &[
            Step::all(Home, &[".config/crush/CRUSH.md", ".config/AGENTS.md"]),
            Step::all(
                WorkingDirectory,
                &[
                    ".github/copilot-instructions.md",
                    ".cursorrules",
                    ".cursor/rules/**/*",
                    "CLAUDE.md",
                    "CLAUDE.local.md",
                    "GEMINI.md",
                    "crush.md",
                    "CRUSH.md",
                    "AGENTS.md",
                    "agents.md",
                ],
            ),
        ],
    )
};

/// Zed: one file at the root, the first of nine names that exists.
pub(super) const ZED: Facts = at_start(
    "zed",
    "Zed",
    &[Step::new(
        Root,
        &[
            ".rules",
            ".cursorrules",
            ".windsurfrules",
            ".clinerules",
            ".github/copilot-instructions.md",
            "CLAUDE.md",
            "AGENT.md",
            "AGENTS.md",
            "GEMINI.md",
        ],
        First,
    )],
);

/// aider reads only files that the user names, so no step finds any.
pub(super) const AIDER: Facts = Facts {
    destination: Some("messages of their own"),
    unknown: &["files that the user names with --read, commonly CONVENTIONS.md"],
    ..at_start("aider", "aider", &[])
};
