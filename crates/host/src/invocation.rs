//! A command on a machine: the machine, the command line and the settings that apply.

use std::path::PathBuf;
use std::sync::Arc;

use aside_cache_split::{Attribution, Caching, Layout};
use aside_diagnostic::Diagnostic;
use aside_git_context::GitOptions;
use aside_prompt_sections::{MemoryDirectory, OutsideText};
use aside_session::{Coordinator, Git, PromptMode, SessionConfig};

use crate::command_line::{CommandLine, DocumentedSystem};
use crate::environment::EnvVars;
use crate::host::Host;
use crate::machine::shell_name;
use crate::session_inputs::SessionInputs;
use crate::settings::{Settings, SettingsError};
use crate::variables::Variables;

/// A command on a machine, with the settings that apply: all that its sessions are configured from.
///
/// [`Host::session`] needs none; make one to change settings or variables before a session is
/// configured, or to configure several.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The machine.
    pub host: Host,
    /// The session's arguments.
    pub command_line: CommandLine,
    /// All owners' settings, merged.
    pub settings: Settings,
    /// The session's variables: the settings override the process.
    pub environment: EnvVars,
    /// Faults in settings and variables, to report with every session.
    pub faults: Vec<Diagnostic>,
}

impl Invocation {
    /// Overrides the machine's variables by those in the settings, and adds their faults to those
    /// so far.
    #[must_use]
    pub fn new(
        host: Host,
        command_line: CommandLine,
        settings: Settings,
        mut faults: Vec<Diagnostic>,
    ) -> Self {
        Self {
            environment: host.environment(&settings, &mut faults),
            host,
            command_line,
            settings,
            faults,
        }
    }

    fn inputs<'a>(&'a self, variables: &'a Variables) -> SessionInputs<'a> {
        SessionInputs {
            dirs: self.host.dirs(),
            command_line: &self.command_line,
            settings: &self.settings,
            variables,
        }
    }

    /// Returns true if a variable or a setting switches global scope on.
    #[must_use]
    pub fn has_global_scope(&self) -> bool {
        let variables = Variables::from_pairs(self.environment.iter());
        variables.global_scope.or(self.settings.global_scope) == Some(true)
    }

    /// Returns the file with the output style that the settings name, if any.
    /// [`Invocation::session`] reports its faults.
    #[must_use]
    pub fn style_file(&self) -> Option<PathBuf> {
        let inputs = self.inputs(&self.host.variables);
        inputs.output_style(&mut Vec::new()).map(|style| style.path)
    }

    /// Configures a session, and returns its faults. A value that cannot be used is reported, and
    /// the default applies.
    ///
    /// This reads the output style and reminders; instruction files and the git status are read
    /// when the session opens.
    #[must_use]
    pub fn session(&self) -> (SessionConfig, Vec<Diagnostic>) {
        let mut faults = self.faults.clone();
        let variables = Variables::from_pairs(self.environment.iter());
        let inputs = self.inputs(&variables);
        let notes = inputs.notes(&mut faults);
        let memory = inputs.memory(notes.as_deref());
        let (host, command_line, settings) = (&self.host, &self.command_line, &self.settings);
        let cwd = command_line.cwd.clone();
        let mut config = SessionConfig::new(cwd, host.platform.clone(), memory, host.today);
        config.additional_directories.clone_from(&command_line.additional_directories);
        config.time = host.time.clone();
        config.reminders = Arc::new(host.reminders(command_line, &mut faults));
        config.shell = variables.shell.as_deref().map(shell_name);
        config.os_version.clone_from(&host.os_version);
        let included = variables.disable_git.map(|is_off| !is_off);
        let included = included.or(settings.include_git_instructions).unwrap_or(true);
        config.git = if variables.remote || !included {
            Git::Branch
        } else {
            // Without a Bash tool, the model cannot read the rest of the status.
            Git::Snapshot(GitOptions { tool_name: None, ..GitOptions::default() })
        };
        if variables.simple {
            config.mode = PromptMode::Simple;
        }
        config.prompt.coordinator = variables.coordinator.then(Coordinator::default);
        config.cache_breaker.clone_from(&variables.cache_breaker);
        let is_published = command_line.system == DocumentedSystem::Published;
        if is_published {
            config.layout = Layout::Classic;
        }
        if is_published || self.has_global_scope() {
            config.cache.global_scope.enabled = true;
            config.cache.global_scope.is_supported = true;
        }
        if variables.disable_caching {
            config.cache.caching = Caching::Off;
        }
        inputs.cache(&mut config.cache, &mut faults);
        config.cache.global_scope.betas_disabled = variables.disable_betas;
        inputs.context_window(&mut config, &mut faults);
        let usual = is_published.then_some("cli");
        let entrypoint = variables.attribution.as_deref().or(usual);
        config.attribution = entrypoint.map(|entrypoint| {
            let version = env!("CARGO_PKG_VERSION");
            let attribution = Attribution { version, entrypoint };
            attribution.to_string()
        });
        config.language = inputs.language(&mut faults);
        if let Some(found) = inputs.output_style(&mut faults) {
            config.output_style = Some(found.style);
            config.coding = found.coding;
        }
        // A directory that does not exist is not part of the prompt.
        let notes = notes.filter(|notes| inputs.sends_notes() && notes.is_dir());
        config.memory_directory =
            notes.map(|notes| MemoryDirectory { path: OutsideText::new(notes.to_string_lossy()) });
        (config, faults)
    }
}

impl Host {
    /// Configures a session from this machine, its user and the command line. A faulty settings
    /// file is reported and left out.
    ///
    /// # Errors
    ///
    /// Returns an error when settings on the command line cannot be read.
    ///
    /// This reads settings, the output style and reminders; instruction files and the git status
    /// are read when the session opens.
    pub fn session(
        &self,
        command_line: &CommandLine,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<SessionConfig, SettingsError> {
        // A home that is set may be one that only the session knows.
        diagnostics.extend(self.home_fault().filter(|_| self.variables.home.is_none()));
        let settings = self.settings(command_line, diagnostics)?;
        let faults = std::mem::take(diagnostics);
        let invocation = Invocation::new(self.clone(), command_line.clone(), settings, faults);
        let (config, faults) = invocation.session();
        *diagnostics = faults;
        Ok(config)
    }
}
