//! One row per agent, as of November 2026. The sources are the agents' own code and documentation.
//!
//! A row describes what the agent reads with its default configuration. A file that the user has to
//! name in a configuration is listed under `unknown`.

use super::facts::{
    Bytes, ExcludeForm, Facts, GlobForm, Header, HeaderStart, ImportForm, Pick, Place, Step,
    TouchedDirs,
};
use super::macros::{profiles, steps};

/// Agents that send the files as the first user message.
const FIRST_USER_MESSAGE: Option<&str> = Some("first user message");

profiles! {
    /// Claude Code, with `AGENTS.md` in each directory that has no `CLAUDE.md`.
    #[default]
    Claude "claude" "Claude Code, AGENTS.md per directory" {
        touched: TouchedDirs::BelowWorkingDirectory,
        imports: ImportForm::Lenient,
        excludes: ExcludeForm::Paths,
        destination: FIRST_USER_MESSAGE,
    }

    /// Claude Code up to 2.1.276, which does not read `AGENTS.md`.
    Claude276 "claude:2.1.276" "Claude Code up to 2.1.276" {
        touched: TouchedDirs::BelowWorkingDirectory,
        imports: ImportForm::Claude,
        header_start: HeaderStart::FirstLine,
        bytes: Bytes::Replaced,
        globs: GlobForm::Gitignore,
        excludes: ExcludeForm::AbsoluteGlobs,
        destination: FIRST_USER_MESSAGE,
    }

    /// Claude Code from 2.1.277: `AGENTS.md` and `.claude/AGENTS.md`, only if no `CLAUDE.md`,
    /// `.claude/CLAUDE.md` or `CLAUDE.local.md` with a text is in its directory, in the working
    /// directory or above.
    Claude277 "claude:2.1.277" "Claude Code from 2.1.277" {
        traces: &["CLAUDE.md", ".claude"],
        touched: TouchedDirs::BelowWorkingDirectory,
        imports: ImportForm::Claude,
        header_start: HeaderStart::FirstLine,
        bytes: Bytes::Replaced,
        globs: GlobForm::Gitignore,
        excludes: ExcludeForm::AbsoluteGlobs,
        destination: FIRST_USER_MESSAGE,
    }

    /// The AGENTS.md convention: of all `AGENTS.md` from the root down, the one nearest to the
    /// working directory, or to a touched path, is read.
    AgentsMd "agents-md" "AGENTS.md convention" {
        steps: steps! { RootDown Nearest ["AGENTS.md"]; },
        touched: TouchedDirs::FromRoot,
        nested: steps! { RootDown Nearest ["AGENTS.md"]; },
        destination: None,
        unknown: &["the convention names no part of the request, no imports and no limits"],
    }

    /// Codex: one file of the user that has a text, then one file of each directory from the root of the repository
    /// down. `AGENTS.override.md` replaces `AGENTS.md` in its directory and not in others.
    Codex "codex" "Codex" {
        bytes: Bytes::Replaced,
        traces: &[".codex", "AGENTS.override.md"],
        steps: steps! {
            Home FirstWithText [".codex/AGENTS.override.md", ".codex/AGENTS.md"];
            RootDown First ["AGENTS.override.md", "AGENTS.md"];
        },
        destination: FIRST_USER_MESSAGE,
        unknown: &[
            "names that the user configures",
            "other root markers than .git",
            "where it cuts files above its limit, 32 KiB in all by default",
        ],
    }

    /// GitHub Copilot in the terminal: one file of the user, then those of the repository's root and
    /// of the working directory with those of other agents, all that exist, then the directories
    /// between. Rules follow: those for every path whole, and of those that name paths with
    /// `applyTo` the patterns and the file's path, for the model to read it before it edits such a
    /// path.
    Copilot "copilot" "GitHub Copilot" {
        bytes: Bytes::Replaced,
        traces: &[".github/copilot-instructions.md", ".github/instructions"],
        steps: steps! {
            Home All [".copilot/copilot-instructions.md"];
            Root All [".github/copilot-instructions.md"];
            WorkingDirectory All [".github/copilot-instructions.md"];
            Root All ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
            WorkingDirectory All ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
            Between All [
                ".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md",
                "GEMINI.md"
            ];
            Home All [".copilot/instructions/**/*.instructions.md"] with ApplyTo;
            Root All [".github/instructions/**/*.instructions.md"] with ApplyTo;
            WorkingDirectory All [".github/instructions/**/*.instructions.md"] with ApplyTo;
        },
        touched: TouchedDirs::FromRoot,
        nested: steps! { RootDown All ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]; },
        unknown: &[
            "whether the model reads a rule that names paths",
            "which of several files with the same text it sends",
        ],
    }

    /// Cursor: `.cursorrules` (its older form) at the root, and in each directory the rules
    /// (`.mdc`) and `AGENTS.md`. The front matter of a rule decides when it loads.
    Cursor "cursor" "Cursor" {
        traces: &[".cursor", ".cursorrules"],
        steps: steps! {
            Root All [".cursorrules"];
            RootDown All [".cursor/rules/**/*.mdc"] with Cursor;
            RootDown All ["AGENTS.md"];
        },
        touched: TouchedDirs::BelowWorkingDirectory,
        nested: steps! {
            RootDown All [".cursor/rules/**/*.mdc"] with Cursor;
            RootDown All ["AGENTS.md"];
        },
        destination: None,
        unknown: &["the part of the request", "rules that the user keeps in the application"],
    }

    /// gemini-cli: `GEMINI.md` of the user, then of each directory from the root down; the only
    /// agent of the table besides Claude Code that follows imports.
    Gemini "gemini" "gemini-cli" {
        bytes: Bytes::Replaced,
        traces: &["GEMINI.md", ".gemini"],
        steps: steps! {
            Home All [".gemini/GEMINI.md"];
            RootDown All ["GEMINI.md"];
        },
        touched: TouchedDirs::FromRoot,
        nested: steps! { RootDown All ["GEMINI.md"]; },
        imports: ImportForm::Gemini,
        destination: Some("system instruction (the user's), first user message (the project's)"),
        unknown: &[
            "names that the user configures",
            "files of extensions",
            "whether the folder is trusted; an untrusted one has none",
        ],
    }

    /// opencode: one file of the user, then the files of one name, the nearest first. The first name
    /// that exists in any directory from the working directory up is read in all of them; the
    /// other names are not read. A touched path adds one file per directory.
    Opencode "opencode" "opencode" {
        bytes: Bytes::Replaced,
        traces: &["opencode.json", ".opencode"],
        steps: steps! {
            Home First [".config/opencode/AGENTS.md", ".claude/CLAUDE.md"];
            UpToRoot FirstName ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];
        },
        touched: TouchedDirs::UpToWorkingDirectory,
        nested: steps! {
            UpToRoot First ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];
        },
        unknown: &["the configured directory", "instructions of its configuration"],
    }

    /// Cline: `.clinerules`, which may be a file or a directory, and the files of other agents, all
    /// at the root of the repository.
    Cline "cline" "Cline" {
        traces: &[".clinerules"],
        steps: steps! {
            Root All [".clinerules", ".clinerules/**/*"] with Ignored;
            Root All ["AGENTS.md", ".cursorrules"];
            Root All [".cursor/rules/**/*.mdc"] with Ignored;
            Root All [".windsurfrules"];
        },
        unknown: &[
            "the directory of global rules",
            "the files of .cline/",
            "the order of the files",
            "the keys of the front matter",
        ],
    }

    /// Roo Code: the rules of the user, then of the working directory: its own rules, or the first
    /// older form that exists, and `AGENTS.md` or `AGENT.md`.
    Roo "roo" "Roo Code" {
        traces: &[".roo", ".roorules"],
        steps: steps! {
            Home All [".roo/rules/**/*"];
            WorkingDirectory First [".roo/rules/**/*", ".roorules", ".clinerules"];
            WorkingDirectory First ["AGENTS.md", "AGENT.md"];
            WorkingDirectory All ["AGENTS.local.md"];
        },
        destination: Some("end of the system prompt"),
        unknown: &["rules of single modes", "rules in subfolders, which are an option"],
    }

    /// Crush: the files of the user, then every name that exists in the working directory, those of
    /// other agents included.
    Crush "crush" "Crush" {
        traces: &["CRUSH.md"],
        steps: steps! {
            Home All [".config/crush/CRUSH.md", ".config/AGENTS.md"];
            WorkingDirectory All [
                ".github/copilot-instructions.md", ".cursorrules", ".cursor/rules/**/*",
                "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "crush.md", "CRUSH.md", "AGENTS.md",
                "agents.md"
            ];
        },
        unknown: &["the order of the files, which is not stable"],
    }

    /// Zed: one file at the root, the first of nine names that exists.
    Zed "zed" "Zed" {
        traces: &[".rules"],
        steps: steps! {
            Root First [
                ".rules", ".cursorrules", ".windsurfrules", ".clinerules",
                ".github/copilot-instructions.md", "CLAUDE.md", "AGENT.md", "AGENTS.md",
                "GEMINI.md"
            ];
        },
    }

    /// aider, which discovers no files: it reads those that the user names.
    Aider "aider" "aider" {
        destination: Some("messages of their own"),
        unknown: &["files that the user names with --read, commonly CONVENTIONS.md"],
    }
}
