//! A machine's properties as one value.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_claudemd::Dirs;
use aside_diagnostic::Diagnostic;
use aside_prompt_sections::{OsKind, SessionDate};
use aside_session::SessionTime;

use crate::auto_memory;
use crate::command_line::CommandLine;
use crate::date::today_and_now;
use crate::environment::EnvVars;
use crate::kinds;
use crate::machine::{os_version, platform};
use crate::plugins::{plugin_hooks, plugins};
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
            managed: Some(self.variables.managed_dir.clone().unwrap_or_else(|| managed.into())),
        }
    }

    /// Reads the settings of a session, and finds the plugins that they switch on. A file with a fault is reported and
    /// left out.
    ///
    /// # Errors
    ///
    /// Returns an error when settings on the command line cannot be read.
    ///
    /// Variables that should locate settings or sessions but are relative are reported as well,
    /// except that of the home: [`home_fault`](Self::home_fault) reports it.
    pub fn settings(
        &self,
        command_line: &CommandLine,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Settings, SettingsError> {
        self.settings_at(&self.places(command_line), diagnostics)
    }

    /// Reads the settings in places that are known.
    pub(crate) fn settings_at(
        &self,
        places: &Places,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Settings, SettingsError> {
        let [_, others @ ..] = DIRECTORIES;
        let located = others.into_iter().chain(["ASIDE_DIR"]);
        diagnostics.extend(located.filter_map(|name| self.relative_fault(name)));
        let mut settings = Settings::read(places, diagnostics)?;
        if let Some(config) = places.config.as_deref().filter(|_| places.sources.user) {
            settings.plugins = plugins(&settings, config, &places.cwd, diagnostics);
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
    pub(crate) fn places(&self, command_line: &CommandLine) -> Places {
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

    /// Returns a warning when no home directory is set, or it is relative or does not exist.
    #[must_use]
    pub fn home_fault(&self) -> Option<Diagnostic> {
        let [name, ..] = DIRECTORIES;
        if let Some(fault) = self.relative_fault(name) {
            return Some(fault);
        }
        let fault = if self.environment.get(name).is_none_or(OsStr::is_empty) {
            "is not set".to_owned()
        } else {
            let home = self.variables.home.as_ref().filter(|it| !it.is_dir())?;
            format!("is no directory: {}", home.display())
        };
        let message = format!(
            "{name} {fault}: settings, instruction files and sessions of the user are left out"
        );
        Some(kinds::HOME_ABSENT.diagnostic(message))
    }

    /// Returns a warning when a variable must be an absolute path and is not.
    fn relative_fault(&self, name: &str) -> Option<Diagnostic> {
        let path = Path::new(self.environment.get(name)?);
        if path.is_absolute() || path == Path::new("") {
            return None;
        }
        let path = path.display();
        let message = format!("{name} is left out: {path} is not an absolute path");
        Some(kinds::RELATIVE_PATH.diagnostic(message))
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
}

/// The variables that locate settings.
///
/// The first is the user's home.
const DIRECTORIES: [&str; 3] =
    [if cfg!(windows) { "USERPROFILE" } else { "HOME" }, "CLAUDE_CONFIG_DIR", "ASIDE_MANAGED_DIR"];
