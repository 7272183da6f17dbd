//! Merging command line, settings and variables into session options.
//!
//! Each method merges one input and reports values that cannot be used; the session then has the
//! default.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use aside_claudemd::{Additional, Dirs, Loader, Mode};
use aside_diagnostic::Diagnostic;
use aside_prompt_sections::Language;
use aside_user_files::open::Fence;

use crate::auto_memory;
use crate::command_line::CommandLine;
use crate::kinds;
use crate::output_style::{self, Style, StyleDir};
use crate::project::project_dir;
use crate::settings::Settings;
use crate::variables::Variables;

/// A project can choose the language, and its name is part of the system prompt.
const MAX_LANGUAGE_CHARS: usize = 100;

/// Everything that a session takes from command line, settings and variables.
#[derive(Debug)]
pub(crate) struct SessionInputs<'a> {
    /// The directories with instruction files outside projects.
    pub(crate) dirs: Dirs,
    pub(crate) command_line: &'a CommandLine,
    pub(crate) settings: &'a Settings,
    /// Including those from settings.
    pub(crate) variables: &'a Variables,
}

impl SessionInputs<'_> {
    /// Returns which instruction files load: none, those in additional directories, or all.
    fn mode(&self) -> Mode {
        if self.variables.disable_claude_mds {
            Mode::Off
        } else if self.command_line.bare {
            Mode::Bare
        } else {
            Mode::Full
        }
    }

    /// Returns a loader for instruction files, with the model's notes in this directory.
    ///
    /// Reads nothing yet.
    pub(crate) fn memory(&self, notes: Option<&Path>) -> Loader {
        let when = if self.variables.additional_claude_mds {
            Additional::Always
        } else {
            Additional::InBareMode
        };
        let additional = self.command_line.additional_directories.clone();
        let mut memory = Loader::new(self.dirs.clone())
            .mode(self.mode())
            .sources(self.command_line.sources)
            .profile(self.command_line.instructions)
            .imports(self.command_line.imports.clone())
            .excludes(self.settings.claude_md_excludes.clone())
            .exclude_places(self.settings.places.excludes())
            .plugins(self.settings.plugins.clone())
            .additional_dirs(additional, when);
        if let Some(text) = &self.settings.claude_md {
            memory = memory.managed_text(text);
        }
        match notes {
            Some(notes) if self.sends_notes() => memory.auto_memory(notes),
            Some(notes) => memory.auto_memory(notes).without_auto_memory(),
            None => memory,
        }
    }

    /// Returns true if the session sends the model's notes: not in bare mode or without instruction
    /// files.
    pub(crate) fn sends_notes(&self) -> bool {
        let enabled = self.variables.disable_auto_memory.map(|is_off| !is_off);
        let enabled = enabled.or(self.settings.auto_memory_enabled).unwrap_or(true);
        self.mode() == Mode::Full && enabled
    }

    /// Returns the directory with the model's notes, sent or not. It need not exist.
    pub(crate) fn notes(&self, diagnostics: &mut Vec<Diagnostic>) -> Option<PathBuf> {
        let project = project_dir(&self.command_line.cwd);
        let (home, config) = (self.dirs.home.as_deref(), self.dirs.config.as_deref());
        let notes = auto_memory::directory(self.settings, home, config, &project);
        notes.unwrap_or_else(|fault| {
            if self.sends_notes() {
                diagnostics.push(self.report("autoMemoryDirectory", &fault));
            }
            None
        })
    }

    /// Returns the language for responses; `None` when it is not set or its name is too long.
    pub(crate) fn language(&self, diagnostics: &mut Vec<Diagnostic>) -> Option<Language> {
        let name = self.settings.language.clone()?;
        if name.chars().nth(MAX_LANGUAGE_CHARS).is_some() {
            let fault =
                format!("language is left out: longer than {MAX_LANGUAGE_CHARS} characters");
            diagnostics.push(self.report("language", &fault));
            return None;
        }
        Some(Language { name: name.into() })
    }

    /// Reads the output style from its file; `None` when it is not set, is `default` or does not
    /// exist.
    pub(crate) fn output_style(&self, diagnostics: &mut Vec<Diagnostic>) -> Option<Style> {
        let name = self.settings.output_style.as_deref()?;
        let found = output_style::find(name, &self.style_dirs(), diagnostics);
        found.unwrap_or_else(|fault| {
            diagnostics.push(self.report("outputStyle", &fault));
            None
        })
    }

    pub(crate) fn invalid(&self, key: &str, value: impl Display, expected: &str) -> Diagnostic {
        self.report(key, &format!("{key} is left out: {value} is not {expected}"))
    }

    /// Located at the place that set the value.
    fn report(&self, key: &str, fault: &str) -> Diagnostic {
        let places = &self.settings.places;
        places.report(kinds::VALUE_INVALID, key, fault)
    }

    /// Returns the directories for output styles, from low to high precedence.
    ///
    /// Project styles are read inside the fence; those of user and administrator are trusted.
    fn style_dirs(&self) -> Vec<StyleDir> {
        let CommandLine { cwd, sources, .. } = self.command_line;
        let user = self.dirs.config.clone().filter(|_| sources.user);
        let project = sources.project.then(|| cwd.join(".claude"));
        let managed = self.dirs.managed.as_ref().map(|dir| dir.join(".claude"));
        let trusted = |dir: PathBuf| StyleDir {
            path: dir.join("output-styles"),
            fence: Fence::default().approve_everything(),
        };
        let of_project =
            |dir: PathBuf| StyleDir { fence: self.command_line.fence(), ..trusted(dir) };
        let dirs = [user.map(trusted), project.map(of_project), managed.map(trusted)];
        dirs.into_iter().flatten().collect()
    }
}

/// In quotes, with escapes.
pub(crate) fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// Reports the value of an environment variable.
pub(crate) fn wrong(name: &str, value: &str, expected: &str) -> Diagnostic {
    let message = format!("{name} is left out: {value:?} is not {expected}");
    kinds::VARIABLE_INVALID.diagnostic(message)
}
