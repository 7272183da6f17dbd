//! From arguments to what a session is made from.

use std::path::{Path, PathBuf};

use aside_agent::{Diagnostic, SessionConfig};
use aside_claudemd::ImportPolicy;
use aside_host::{CommandLine, Environment, Host};

use anyhow::Context;

use crate::Failure;
use crate::arguments::SessionArguments;

/// A session as this machine, its settings and the arguments want it.
///
/// What is wrong with the settings is added to `faults`.
pub(crate) fn config(
    arguments: &SessionArguments,
    host: &Host,
    faults: &mut Vec<Diagnostic>,
) -> Result<SessionConfig, Failure> {
    let command_line = command_line(arguments).map_err(Failure::usage)?;
    host.session(&command_line, faults)
        .context("failed to use --settings")
        .map_err(Failure::usage)
}

/// The variables that count for the session: those of the process, and over
/// them those of the settings.
pub(crate) fn environment(
    arguments: &SessionArguments,
    host: &Host,
) -> Result<Environment, Failure> {
    let command_line = command_line(arguments).map_err(Failure::usage)?;
    // What is wrong with the settings was told with the rest of them.
    let mut told = Vec::new();
    let settings = host
        .settings(&command_line, &mut told)
        .context("failed to use --settings")
        .map_err(Failure::usage)?;
    Ok(host.environment(&settings, &mut told))
}

/// What the arguments say about a session.
pub(crate) fn command_line(arguments: &SessionArguments) -> anyhow::Result<CommandLine> {
    let added = arguments.add_dir.iter().map(|path| {
        let failed = || format!("failed to add the directory {}", path.display());
        directory(path).with_context(failed)
    });
    let cwd = cwd(arguments)?;
    Ok(CommandLine {
        additional_directories: added.collect::<anyhow::Result<_>>()?,
        sources: arguments.setting_sources.unwrap_or_default(),
        settings: arguments.settings.clone(),
        bare: arguments.bare,
        imports: if arguments.allow_external_imports {
            ImportPolicy::Allow
        } else {
            ImportPolicy::Deny
        },
        project_reminders: !arguments.no_project_reminders,
        ..CommandLine::new(cwd)
    })
}

/// The directory in which the session works, absolute.
pub(crate) fn cwd(arguments: &SessionArguments) -> anyhow::Result<PathBuf> {
    directory(&arguments.cwd).with_context(|| {
        let cwd = arguments.cwd.display();
        format!("failed to use {cwd} as the working directory")
    })
}

/// The directory as an absolute path, spelled as the user did but for `.` and
/// `..`: the model is told the same of it from wherever it was named.
fn directory(given: &Path) -> anyhow::Result<PathBuf> {
    let path = std::path::absolute(given)?;
    if !std::fs::metadata(&path)?.is_dir() {
        anyhow::bail!("not a directory");
    }
    Ok(aside_claudemd::plain_path(&path))
}
