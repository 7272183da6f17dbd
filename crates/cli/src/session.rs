//! What a session starts from: this machine, its settings and the arguments.
//!
//! Every command with a session begins with [`Invocation::look`]. `aside-host`
//! reads the machine and the settings files; this module converts the arguments
//! to pass to it and reports what it uses with `--verbose`.

#[cfg(feature = "network")]
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_claudemd::ImportPolicy;
use aside_host::{CommandLine, EnvVars, Hook, Host, Settings};
#[cfg(feature = "network")]
use aside_host::{McpSelection, SettingsError};
#[cfg(feature = "network")]
use aside_mcp::ServerConfig;
use aside_session::{Diagnostic, SessionConfig};

use anyhow::Context;

use crate::Failure;
use crate::arguments::{SessionArguments, SystemProfile};
use crate::{models, output};

/// What a session starts from: this machine, its settings and the arguments.
/// Settings files are read once.
pub(crate) struct Invocation {
    /// The machine's directories, variables and platform.
    pub(crate) host: Host,
    /// The session arguments, as `aside-host` takes them.
    pub(crate) command_line: CommandLine,
    /// All owners' settings, merged.
    settings: Settings,
    /// The session's variables: the settings override the process.
    pub(crate) environment: EnvVars,
    /// Faults in the home and the settings, to report in each session from this
    /// invocation.
    faults: Vec<Diagnostic>,
}

impl Invocation {
    /// Reads the machine and the settings. Keeps their faults, to report them
    /// with a session's.
    ///
    /// # Errors
    /// When a directory does not exist, or `--settings` cannot be read, this is
    /// a usage error.
    pub(crate) fn look(arguments: &SessionArguments) -> Result<Self, Failure> {
        let host = Host::look();
        let command_line = command_line(arguments).map_err(Failure::usage)?;
        report_used(&host, &command_line);
        let mut faults = Vec::from_iter(host.home_fault());
        let settings = host
            .settings(&command_line, &mut faults)
            .context("failed to use --settings")
            .map_err(Failure::usage)?;
        host.use_models(&settings, &mut faults, |file| {
            models::lay_over(file).map_err(|error| format!("{error:#}"))
        });
        let environment = host.environment(&settings, &mut faults);
        Ok(Self {
            host,
            command_line,
            settings,
            environment,
            faults,
        })
    }

    /// Returns which beta features the settings request.
    pub(crate) fn betas(&self) -> &[String] {
        &self.settings.betas
    }

    /// Returns the settings' hooks, which are listed and never run.
    pub(crate) fn hooks(&self) -> &Arc<Vec<Hook>> {
        &self.settings.hooks
    }

    pub(crate) fn style_file(&self) -> Option<PathBuf> {
        self.host.style_file(&self.command_line, &self.settings)
    }

    #[cfg(feature = "network")]
    pub(crate) fn mcp_servers(
        &self,
        selection: &McpSelection,
        faults: &mut Vec<Diagnostic>,
    ) -> Result<BTreeMap<String, ServerConfig>, SettingsError> {
        let Self {
            settings,
            environment,
            ..
        } = self;
        self.host
            .mcp_servers(selection, &self.command_line, settings, environment, faults)
    }

    /// Returns a session's configuration, and its faults.
    ///
    /// This reads reminder files. Git does not run, and instruction files are
    /// read when the session opens.
    pub(crate) fn session(&self) -> (SessionConfig, Vec<Diagnostic>) {
        let mut faults = self.faults.clone();
        let (settings, environment) = (&self.settings, &self.environment);
        let (host, command_line) = (&self.host, &self.command_line);
        let mut config = host.session_of(command_line, settings, environment, &mut faults);
        config.settings = Some(host.live_settings(command_line, &faults));
        (config, faults)
    }
}

/// Reports directories and settings files, with `--verbose`.
fn report_used(host: &Host, command_line: &CommandLine) {
    let dirs = host.dirs();
    let named = [
        ("working directory", Some(&command_line.cwd)),
        ("home", dirs.home.as_ref()),
        ("configuration", dirs.config.as_ref()),
        ("managed", dirs.managed.as_ref()),
    ];
    for (name, path) in named {
        output::detail(|| match path {
            Some(path) => format!("{name}: {}", path.display()),
            None => format!("{name}: none"),
        });
    }
    for file in host.settings_files(command_line) {
        output::detail(|| {
            let state = match file.exists() {
                true => "",
                false => " (absent)",
            };
            format!("settings: {}{state}", file.display())
        });
    }
}

/// Converts session arguments.
///
/// # Errors
/// Fails when the working directory or an added one is not a directory.
fn command_line(arguments: &SessionArguments) -> anyhow::Result<CommandLine> {
    let added = arguments.add_dir.iter().map(|path| {
        let failed = || format!("failed to add the directory {}", path.display());
        directory(path).with_context(failed)
    });
    let new = CommandLine::new(cwd(arguments)?);
    let new = match arguments.system {
        Some(SystemProfile::Documents) => new.published(),
        None => new,
    };
    Ok(CommandLine {
        additional_directories: added.collect::<anyhow::Result<_>>()?,
        sources: arguments.setting_sources.unwrap_or_default(),
        settings: arguments.settings.clone(),
        bare: arguments.bare,
        instructions: arguments.instructions.unwrap_or(new.instructions),
        imports: match arguments.allow_external_imports {
            true => ImportPolicy::Allow,
            false => new.imports.clone(),
        },
        project_reminders: !arguments.no_project_reminders,
        ..new
    })
}

/// Returns the session's working directory, as an absolute path.
fn cwd(arguments: &SessionArguments) -> anyhow::Result<PathBuf> {
    directory(&arguments.cwd).with_context(|| {
        let cwd = arguments.cwd.display();
        format!("failed to use {cwd} as the working directory")
    })
}

/// Returns the directory as an absolute path, spelled as given except for `.`
/// and `..`, so that the model gets the same path from every working directory.
fn directory(given: &Path) -> anyhow::Result<PathBuf> {
    let path = std::path::absolute(given)?;
    if !std::fs::metadata(&path)?.is_dir() {
        anyhow::bail!("not a directory");
    }
    Ok(aside_claudemd::plain_path(&path))
}
