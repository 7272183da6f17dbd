//! Gathers sections, instruction files and git at the same time, so that a
//! session starts as fast as the slowest of them.

use std::path::PathBuf;

use aside_claudemd::{Memory, MemoryFile};
use aside_diagnostic::{Diagnostic, Severity};
use aside_git_context::{GitErrorKind, GitSnapshot};
use aside_prompt_sections::{Registry, Resolved};

use crate::config::{Git, SessionConfig};
use crate::kinds;

/// Where the instruction files come from.
#[derive(Debug)]
pub(crate) enum Instructions {
    Load,
    /// Those of a conversation before its compaction, after which it still shows these files.
    ReadAgain(Box<Memory>, Vec<PathBuf>),
}

pub(crate) struct Found {
    /// The resolved sections; `None` in simple mode.
    pub(crate) sections: Option<Resolved>,
    /// The instruction files; `None` if they could not be loaded.
    pub(crate) memory: Option<Memory>,
    /// The instruction files that belong to these files.
    pub(crate) nested: Vec<MemoryFile>,
    /// The repository's state; `None` outside a repository, if it is not
    /// configured, or if every command failed.
    pub(crate) git: Option<GitSnapshot>,
}

/// Gathers prompt sections, instruction files and git concurrently.
///
/// No fault ends this: a part that fails is missing, and a diagnostic reports
/// it.
pub(crate) async fn gather(
    config: &SessionConfig,
    registry: Option<&Registry>,
    instructions: Instructions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Found {
    // Git comes first, so that its processes run while the rest is gathered.
    let ((git, git_faults), (memory, nested, memory_faults), sections) =
        tokio::join!(git(config), memory(config, instructions), async {
            Some(registry?.resolve().await)
        });
    if config.cwd.to_str().is_none() {
        let message = "not UTF-8, sent with replacement characters";
        diagnostics.push(kinds::CWD_NOT_UTF8.diagnostic(message).at(&config.cwd));
    }
    diagnostics.extend(memory_faults);
    diagnostics.extend(git_faults);
    let of_sections = sections.iter().flat_map(Resolved::diagnostics);
    diagnostics.extend(of_sections.map(|it| Diagnostic::from(&it)));
    Found { sections, memory, nested, git }
}

/// Returns true for a diagnostic on instruction files that every command
/// reports. A file that is left out as configured is not reported.
pub(crate) fn is_reported(diagnostic: &&Diagnostic) -> bool {
    diagnostic.severity > Severity::Note
}

/// Loads the files off the runtime, because the loader is synchronous.
async fn memory(
    config: &SessionConfig,
    instructions: Instructions,
) -> (Option<Memory>, Vec<MemoryFile>, Vec<Diagnostic>) {
    let loader = config.memory.clone();
    let cwd = config.cwd.clone();
    let loaded = tokio::task::spawn_blocking(move || match instructions {
        Instructions::Load => loader.load(&cwd).map(|memory| (memory, Vec::new())),
        Instructions::ReadAgain(mut memory, shown) => {
            memory.after_compact();
            let nested = shown.iter().flat_map(|path| memory.touch(path)).collect();
            Ok((*memory, nested))
        }
    })
    .await;
    match loaded {
        Ok(Ok((memory, nested))) => {
            let reported = memory.diagnostics().iter().filter(is_reported).cloned().collect();
            (Some(memory), nested, reported)
        }
        Ok(Err(error)) => (None, Vec::new(), vec![kinds::INSTRUCTION_FILES.diagnostic(error)]),
        Err(error) => (None, Vec::new(), vec![kinds::INSTRUCTION_FILES.diagnostic(error)]),
    }
}

/// Takes a snapshot of the repository, if configured.
async fn git(config: &SessionConfig) -> (Option<GitSnapshot>, Vec<Diagnostic>) {
    let Git::Snapshot(options) = &config.git else {
        return (None, Vec::new());
    };
    match aside_git_context::snapshot(&config.cwd, options).await {
        Ok(Some(snapshot)) => {
            let faults = snapshot.diagnostics.iter().map(Into::into).collect();
            // If no command succeeded, there is nothing to deliver.
            let has_content = snapshot.branch.is_some()
                || snapshot.status.is_some()
                || snapshot.commits.is_some();
            (has_content.then_some(snapshot), faults)
        }
        Ok(None) => (None, Vec::new()),
        Err(error) => {
            let is_missing = error.kind() == GitErrorKind::GitNotFound;
            let kind = if is_missing { kinds::NO_GIT } else { kinds::GIT };
            (None, vec![kind.diagnostic(error)])
        }
    }
}
