//! A machine's properties as one value, and the session configuration that follows from it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_cache_split::{Attribution, Caching, Layout};
use aside_claudemd::Dirs;
use aside_diagnostic::Diagnostic;
use aside_git_context::GitOptions;
use aside_prompt_sections::{MemoryDirectory, OsKind, OutsideText, SessionDate};
use aside_session::{Coordinator, Git, PromptMode, SessionConfig, SessionTime};

use crate::auto_memory;
use crate::command_line::{CommandLine, DocumentedSystem};
use crate::date::today_and_now;
use crate::environment::EnvVars;
use crate::kinds;
use crate::machine::{os_version, platform, shell_name};
use crate::plugins::{plugin_hooks, plugins};
use crate::session_inputs::SessionInputs;
use crate::settings::{Places, Settings, SettingsError};
use crate::variables::Variables;

/// Everything about the machine that a session's configuration depends on.
///
/// [`Host::look`] reads this machine; to test another one, fill in the fields, which are all
/// public.
///
/// ```
/// use aside_host::{CommandLine, Host};
///
/// let mut diagnostics = Vec::new();
/// let command_line = CommandLine::new(std::env::temp_dir());
/// let config = Host::look().session(&command_line, &mut diagnostics)?;
/// assert!(config.additional_directories.is_empty());
/// # Ok::<(), aside_host::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Host {
    /// The environment variables.
    pub environment: EnvVars,
    /// The variables that Aside uses, before settings apply.
    pub variables: Variables,
    /// The kind of operating system.
    pub platform: OsKind,
    /// Name and version of the operating system, such as `Linux 6.8.0`.
    pub os_version: Option<String>,
    /// The local date.
    pub today: SessionDate,
    /// The time, for a session that begins now.
    pub time: SessionTime,
}

impl Host {
    /// Reads this machine.
    ///
    /// It runs no program, and reads no file except for the time zone.
    #[must_use]
    pub fn look() -> Self {
        let environment = EnvVars::of_process();
        let (today, time) = today_and_now();
        Self {
            variables: Variables::from_pairs(environment.iter()),
            environment,
            platform: platform(),
            os_version: os_version(),
            today,
            time,
        }
    }

    /// Returns the directories that hold instruction files outside projects.
    ///
    /// They need not exist. The administrator's directory depends on the platform, unless a
    /// variable names one.
    #[must_use]
    pub fn dirs(&self) -> Dirs {
        let managed = aside_claudemd::OperatingSystem::CURRENT.managed_dir();
        Dirs {
            home: self.variables.home.clone(),
            config: self.variables.config_dir(),
            managed: Some(
                self.variables
                    .managed_dir
                    .clone()
                    .unwrap_or_else(|| managed.into()),
            ),
        }
    }

    /// Reads the settings of a session, and finds the plugins that they switch on. A file with a fault is reported and
    /// left out.
    ///
    /// # Errors
    ///
    /// Returns an error when settings on the command line cannot be read.
    ///
    /// Variables that should locate settings but are relative are reported as well.
    pub fn settings(
        &self,
        command_line: &CommandLine,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Settings, SettingsError> {
        self.report_relative(diagnostics);
        let places = self.places(command_line);
        let mut settings = Settings::read(&places, diagnostics)?;
        if let Some(config) = places.config.filter(|_| places.sources.user) {
            settings.plugins = plugins(&settings, &config, &places.cwd, diagnostics);
        }
        for plugin in &settings.plugins {
            Arc::make_mut(&mut settings.hooks).extend(plugin_hooks(plugin, diagnostics));
        }
        Ok(settings)
    }

    /// Returns the settings files for a session, lowest precedence first, whether they exist or
    /// not.
    pub fn settings_files(&self, command_line: &CommandLine) -> Vec<PathBuf> {
        self.places(command_line).files()
    }

    /// Overlays the model catalogue with the figures in the file that `models` names, by calling
    /// `lay`. When `lay` fails, its error is reported and the setting left out.
    pub fn use_models(
        &self,
        settings: &Settings,
        diagnostics: &mut Vec<Diagnostic>,
        lay: impl FnOnce(&Path) -> Result<(), String>,
    ) {
        let Some(given) = &settings.models else {
            return;
        };
        let path = auto_memory::named("models", given, self.dirs().home.as_deref());
        let laid = path
            .and_then(|path| lay(&path).map_err(|error| format!("models is left out: {error}")));
        if let Err(fault) = laid {
            let places = &settings.places;
            diagnostics.push(places.report(kinds::VALUE_INVALID, "models", &fault));
        }
    }

    /// Returns where a session's settings are, with the fence for project files.
    fn places(&self, command_line: &CommandLine) -> Places {
        let dirs = self.dirs();
        Places {
            config: dirs.config,
            cwd: command_line.cwd.clone(),
            command_line: command_line.settings.clone(),
            managed: dirs.managed,
            sources: command_line.sources,
            fence: command_line.fence(),
        }
    }

    /// Returns a warning when the user's home directory does not exist.
    ///
    /// When no home is set, [`Host::settings`] reports it.
    #[must_use]
    pub fn home_fault(&self) -> Option<Diagnostic> {
        let [name, ..] = DIRECTORIES;
        let home = self.variables.home.as_ref().filter(|it| !it.is_dir())?;
        let message = format!(
            "{name} is no directory: {}: settings, instruction files and sessions of the user are left out",
            home.display()
        );
        Some(kinds::HOME_ABSENT.diagnostic(message))
    }

    /// Reports variables that must be absolute paths and are not.
    fn report_relative(&self, diagnostics: &mut Vec<Diagnostic>) {
        let [home, ..] = DIRECTORIES;
        if self.environment.get(home).is_none_or(OsStr::is_empty) {
            let message = format!(
                "{home} is not set: settings, instruction files and sessions of the user are left out"
            );
            diagnostics.push(kinds::HOME_ABSENT.diagnostic(message));
        }
        for name in DIRECTORIES {
            let value = self.environment.get(name).map(Path::new);
            if let Some(path) = value.filter(|path| path.is_relative() && *path != Path::new("")) {
                let path = path.display();
                let message = format!("{name} is left out: {path} is not an absolute path");
                diagnostics.push(kinds::RELATIVE_PATH.diagnostic(message));
            }
        }
    }

    /// Returns the variables for a session: those of the process, overridden by those in settings,
    /// except variables that locate settings.
    pub fn environment(&self, settings: &Settings, diagnostics: &mut Vec<Diagnostic>) -> EnvVars {
        let mut environment = self.environment.clone();
        for (name, value) in &settings.env {
            if DIRECTORIES.contains(&name.as_str()) {
                let fault = format!("env: {name} is left out: it locates the settings");
                let (kind, places) = (kinds::VARIABLE_OUT_OF_PLACE, &settings.places);
                diagnostics.push(places.report_variable(kind, name, &fault));
            } else {
                environment.extend([(name, value)]);
            }
        }
        environment
    }

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
        let settings = self.settings(command_line, diagnostics)?;
        let environment = self.environment(&settings, diagnostics);
        Ok(self.session_of(command_line, &settings, &environment, diagnostics))
    }

    /// Returns the file with the output style that the settings name, if any. [`Host::session_of`]
    /// reports its faults.
    #[must_use]
    pub fn style_file(&self, command_line: &CommandLine, settings: &Settings) -> Option<PathBuf> {
        let inputs = SessionInputs {
            dirs: self.dirs(),
            command_line,
            settings,
            variables: &self.variables,
        };
        inputs.output_style(&mut Vec::new()).map(|style| style.path)
    }

    /// Configures a session from settings and variables that you have read already.
    ///
    /// This is the second half of [`Host::session`], for programs that change settings or variables
    /// in between. A value that cannot be used is reported, and the default applies.
    pub fn session_of(
        &self,
        command_line: &CommandLine,
        settings: &Settings,
        environment: &EnvVars,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> SessionConfig {
        let variables = Variables::from_pairs(environment.iter());
        let inputs = SessionInputs {
            dirs: self.dirs(),
            command_line,
            settings,
            variables: &variables,
        };
        let notes = inputs.notes(diagnostics);
        let memory = inputs.memory(notes.as_deref());

        let cwd = command_line.cwd.clone();
        let mut config = SessionConfig::new(cwd, self.platform.clone(), memory, self.today);
        config
            .additional_directories
            .clone_from(&command_line.additional_directories);
        config.time = self.time.clone();
        config.reminders = Arc::new(self.reminders(command_line, diagnostics));
        config.shell = variables.shell.as_deref().map(shell_name);
        config.os_version.clone_from(&self.os_version);
        config.git = if variables.skip_git || settings.include_git_instructions == Some(false) {
            Git::Skip
        } else {
            // Without a Bash tool, the model cannot read the rest of the status.
            Git::Snapshot(GitOptions {
                tool_name: None,
                ..GitOptions::default()
            })
        };
        if variables.simple {
            config.mode = PromptMode::Simple;
        }
        config.prompt.coordinator = variables.coordinator.then(Coordinator::default);
        config.cache_breaker.clone_from(&variables.cache_breaker);
        if variables.global_scope || settings.global_scope == Some(true) {
            config.cache.global_scope.enabled = true;
            config.cache.global_scope.is_supported = true;
        }
        if variables.disable_caching {
            config.cache.caching = Caching::Off;
        }
        inputs.cache(&mut config.cache, diagnostics);
        config.cache.global_scope.betas_disabled = variables.disable_betas;
        inputs.context_window(&mut config, diagnostics);
        let is_published = command_line.system == DocumentedSystem::Published;
        if is_published {
            config.layout = Layout::Classic;
            config.cache.global_scope.enabled = true;
            config.cache.global_scope.is_supported = true;
        }
        let usual = is_published.then_some("cli");
        let attribution = variables
            .attribution
            .as_deref()
            .or(usual)
            .map(|entrypoint| {
                let version = env!("CARGO_PKG_VERSION");
                Attribution {
                    version,
                    entrypoint,
                }
                .to_string()
            });
        config.attribution = attribution;
        config.language = inputs.language(diagnostics);
        if let Some(found) = inputs.output_style(diagnostics) {
            config.output_style = Some(found.style);
            config.coding = found.coding;
        }
        // A directory that does not exist is not part of the prompt.
        let notes = notes.filter(|notes| notes.is_dir());
        config.memory_directory = notes.map(|notes| MemoryDirectory {
            path: OutsideText::new(notes.to_string_lossy()),
        });
        config
    }
}

/// The variables that locate settings.
///
/// The first is the user's home.
const DIRECTORIES: [&str; 3] = [
    if cfg!(windows) { "USERPROFILE" } else { "HOME" },
    "CLAUDE_CONFIG_DIR",
    "ASIDE_MANAGED_DIR",
];
