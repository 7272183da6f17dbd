//! Coding agents whose sessions Aside reads, and where they keep them.

aside_text::names! {
    /// A coding agent that keeps its sessions in files.
    ///
    /// ```
    /// use aside_request_logs::Agent;
    ///
    /// assert_eq!(Agent::Codex.places(), [".codex/sessions", ".codex/archived_sessions"]);
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Agent {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex.
        Codex = "codex",
        /// Gemini CLI.
        GeminiCli = "gemini-cli",
        /// Qwen Code.
        QwenCode = "qwen-code",
        /// opencode.
        OpenCode = "opencode",
    }
}

impl Agent {
    /// Returns where it keeps sessions, relative to the home directory.
    ///
    /// Sources: each agent's documentation; for Gemini CLI and Qwen Code the sources in their
    /// packages.
    #[must_use]
    pub const fn places(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[".claude/projects", ".config/claude/projects"],
            Self::Codex => &[".codex/sessions", ".codex/archived_sessions"],
            Self::GeminiCli => &[".gemini/tmp"],
            Self::QwenCode => &[".qwen/projects", ".qwen/tmp"],
            Self::OpenCode => &[".local/share/opencode/storage/message"],
        }
    }

    /// Returns where its session database is, relative to the home directory, if it has one. Aside
    /// reads none.
    #[must_use]
    pub const fn database(self) -> Option<&'static str> {
        match self {
            Self::OpenCode => Some(".local/share/opencode/opencode.db"),
            _ => None,
        }
    }
}
