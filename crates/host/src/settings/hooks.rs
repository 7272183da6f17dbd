//! Hooks: commands for other agents in the same settings files. Aside lists them and never runs
//! one.
//!
//! ```json
//! {"hooks": {"PreToolUse": [{"matcher": "Edit|Write",
//!                            "hooks": [{"type": "command", "command": "cargo fmt"}]}]}}
//! ```

use std::path::Path;

use aside_diagnostic::Diagnostic;
use serde_json::Value;

use crate::kinds;

/// Per file.
const MAX_HOOKS: usize = 1_000;

/// A hook in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hook {
    /// The event on which its agent runs it, such as `PreToolUse`.
    pub event: String,
    /// The tools that limit it, as written.
    pub matcher: Option<String>,
    /// The command; for hooks of another type, the address or prompt.
    pub command: String,
    /// The settings file, or `command line`.
    pub place: String,
}

impl Hook {
    /// Returns the event and the tools that limit the hook: `PreToolUse (Edit|Write)`.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.matcher {
            Some(matcher) => format!("{} ({matcher})", self.event),
            None => self.event.clone(),
        }
    }

    /// Returns a note that the hook is not run, at its file.
    #[must_use]
    pub fn note(&self) -> Diagnostic {
        let message = format!("the hook of {} is not run: {}", self.name(), self.command);
        let note = kinds::HOOK_NOT_RUN.diagnostic(message);
        note.at(Path::new(&self.place))
    }
}

/// Returns the hooks in the value for the key `hooks`. Parts in another form belong to another
/// version of another program, and are left out.
pub(crate) fn hooks(value: &Value, place: &str) -> Vec<Hook> {
    let events = value.as_object().into_iter().flatten();
    let groups = events.flat_map(|(event, groups)| {
        let groups = groups.as_array().into_iter().flatten();
        groups.map(move |group| (event, group))
    });
    let hooks = groups.flat_map(|(event, group)| {
        let matcher = group["matcher"].as_str().filter(|matcher| !matcher.is_empty());
        let hooks = group["hooks"].as_array().into_iter().flatten();
        hooks.filter_map(move |hook| {
            let mut texts = ["command", "url", "prompt"].iter();
            Some(Hook {
                event: event.clone(),
                matcher: matcher.map(str::to_owned),
                command: texts.find_map(|key| hook[*key].as_str())?.to_owned(),
                place: place.to_owned(),
            })
        })
    });
    hooks.take(MAX_HOOKS).collect()
}
