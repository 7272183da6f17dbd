//! The settings files as the source of changed settings.

use std::sync::{Arc, Mutex, PoisonError};

use aside_diagnostic::Diagnostic;
use aside_session::{LiveSettings, ResponseSettings};

use crate::command_line::CommandLine;
use crate::host::Host;
use crate::invocation::Invocation;
use crate::kinds;
use crate::session_inputs::SessionInputs;
use crate::settings::{Places, Settings};

/// Reads the language, the output style and the excludes of instruction files again.
#[derive(Debug)]
struct SettingsFiles {
    host: Host,
    command_line: CommandLine,
    /// Found once: a session's directories stay.
    places: Places,
    /// The faults that were reported.
    known: Mutex<Vec<Diagnostic>>,
}

impl Invocation {
    /// Returns the source of settings that change while a session runs, for
    /// [`SessionConfig::settings`](aside_session::SessionConfig::settings). The faults in
    /// `known` have been reported.
    #[must_use]
    pub fn live_settings(&self, known: &[Diagnostic]) -> Arc<dyn LiveSettings> {
        Arc::new(SettingsFiles {
            host: self.host.clone(),
            places: self.host.places(&self.command_line),
            command_line: self.command_line.clone(),
            known: Mutex::new(known.to_vec()),
        })
    }
}

impl LiveSettings for SettingsFiles {
    fn read(&self) -> ResponseSettings {
        let mut diagnostics = Vec::new();
        let settings = self.host.settings_at(&self.places, &mut diagnostics);
        let settings = settings.unwrap_or_else(|error| {
            diagnostics.push(kinds::SETTINGS_UNREADABLE.diagnostic(error));
            Settings::default()
        });
        let inputs = SessionInputs {
            dirs: self.host.dirs(),
            command_line: &self.command_line,
            settings: &settings,
            variables: &self.host.variables,
        };
        let language = inputs.language(&mut diagnostics);
        let style = inputs.output_style(&mut diagnostics);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        diagnostics.retain(|it| !known.contains(it));
        known.extend_from_slice(&diagnostics);
        let output_style = style.map(|it| it.style);
        ResponseSettings { language, output_style, instructions: inputs.memory(None), diagnostics }
    }
}
