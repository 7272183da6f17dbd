//! Rendering a snapshot for the model.
//!
//! ```text
//! This is the git status at the start of the conversation, a snapshot: …
//!
//! Current branch: fix/parser
//!
//! Main branch (you will usually use this for PRs): main
//!
//! Git user: Ada
//!
//! Status:
//!  M src/lib.rs
//!
//! Recent commits:
//! 1a2b3c4 Parse empty lists
//! ```

use crate::{Branch, Commit, GitSnapshot, Status};

impl GitSnapshot {
    /// Returns the text for the model: blocks joined by blank lines, without a
    /// final newline. Missing parts have no block.
    #[must_use]
    pub fn render(&self) -> String {
        let blocks = [
            Some(
                "This is the git status at the start of the conversation, a snapshot: it will \
                 not update during the conversation."
                    .to_owned(),
            ),
            self.branch
                .as_ref()
                .map(|branch| format!("Current branch: {}", self.branch_text(branch))),
            self.main_branch
                .as_ref()
                .map(|main| format!("Main branch (you will usually use this for PRs): {main}")),
            self.user_name.as_ref().map(|name| format!("Git user: {name}")),
            self.status.as_ref().map(|status| format!("Status:\n{}", status_text(status))),
            self.commits
                .as_ref()
                .map(|commits| format!("Recent commits:\n{}", commits_text(commits))),
        ];
        blocks.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the branch; when `HEAD` is detached, the last commit, if it is
    /// known.
    fn branch_text(&self, branch: &Branch) -> String {
        let last = self.commits.iter().flatten().next();
        match (branch, last) {
            (Branch::Named { name }, _) => name.clone(),
            (Branch::Detached, Some(Commit { id, .. })) => format!("(HEAD detached at {id})"),
            (Branch::Detached, None) => "(HEAD detached)".to_owned(),
        }
    }
}

/// Returns the lines as git writes them. A truncated status ends with a note
/// about the limit, and about the tool that returns the rest.
fn status_text(status: &Status) -> String {
    match status {
        Status::Clean => "(clean)".to_owned(),
        Status::NoWorkTree => "(no work tree)".to_owned(),
        Status::Changed { lines } => lines.clone(),
        Status::Truncated { lines, limit, tool_name } => {
            let limit =
                if limit % 1_000 == 0 { format!("{}k", limit / 1_000) } else { limit.to_string() };
            let hint = tool_name.as_ref().map_or_else(String::new, |tool| {
                format!(". If you need more information, run \"git status\" using {tool}")
            });
            format!("{lines}\n... (truncated because it exceeds {limit} characters{hint})")
        }
    }
}

/// Returns a line per commit, the latest first.
fn commits_text(commits: &[Commit]) -> String {
    if commits.is_empty() {
        return "(none)".to_owned();
    }
    commits
        .iter()
        .map(|Commit { id, subject }| format!("{id} {subject}"))
        .collect::<Vec<_>>()
        .join("\n")
}
