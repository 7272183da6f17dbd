//! From arguments to what a session is made from.

use std::path::{Path, PathBuf};

use aside_claudemd::ImportPolicy;
use aside_host::{CommandLine, Environment, Host, Settings};
use aside_session::{Diagnostic, SessionConfig};

use anyhow::Context;

use crate::Failure;
use crate::arguments::SessionArguments;

/// What this machine, its settings and the arguments say of a session. The
/// files of the settings are read once.
pub(crate) struct Invocation {
    pub(crate) host: Host,
    pub(crate) command_line: CommandLine,
    settings: Settings,
    /// The variables that count for the session: those of the process, and
    /// over them those of the settings.
    pub(crate) environment: Environment,
    /// What is wrong with the settings.
    faults: Vec<Diagnostic>,
}

impl Invocation {
    pub(crate) fn look(arguments: &SessionArguments) -> Result<Self, Failure> {
        let host = Host::look();
        let command_line = command_line(arguments).map_err(Failure::usage)?;
        let mut faults = Vec::new();
        let settings = host
            .settings(&command_line, &mut faults)
            .context("failed to use --settings")
            .map_err(Failure::usage)?;
        let environment = host.environment(&settings, &mut faults);
        Ok(Self {
            host,
            command_line,
            settings,
            environment,
            faults,
        })
    }

    /// A session as all of them want it, and what is wrong with that.
    pub(crate) fn session(&self) -> (SessionConfig, Vec<Diagnostic>) {
        let mut faults = self.faults.clone();
        let (settings, environment) = (&self.settings, &self.environment);
        let config = self
            .host
            .session_of(&self.command_line, settings, environment, &mut faults);
        (config, faults)
    }
}

/// What the arguments say about a session.
fn command_line(arguments: &SessionArguments) -> anyhow::Result<CommandLine> {
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
        instructions: arguments.instructions.unwrap_or_default(),
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
fn cwd(arguments: &SessionArguments) -> anyhow::Result<PathBuf> {
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
