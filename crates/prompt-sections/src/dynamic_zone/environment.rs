//! The section about directory, system and model.
//!
//! ```text
//! # Environment
//! You are working in this environment:
//! - Primary working directory: /srv/app
//! - Is a git repository: yes
//! - Platform: linux
//! ```

use std::borrow::Cow;
use std::fmt;

use aside_models::{find, latest_claude};
use serde::{Deserialize, Serialize};

use super::DynamicSection;
use crate::name::names;
use crate::outside_text::{OutsideText, line};
use crate::segment::Lifetime;

/// Where the agent works: the input to the `environment` section.
///
/// Every value is shown on one line, control characters as escapes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The directory in which the session works, an absolute path.
    pub working_directory: OutsideText,
    /// True if that directory is inside a git repository.
    pub is_git_repository: bool,
    /// More directories that the agent may work in, as absolute paths.
    pub additional_directories: Vec<OutsideText>,
    /// The operating system.
    pub platform: OsKind,
    /// The shell for commands, such as `bash`.
    pub shell: Option<OutsideText>,
    /// The operating system's name and version, such as `Linux 6.8.0`.
    pub os_version: Option<OutsideText>,
    /// The model that reads the prompt.
    pub model: Option<Model>,
}

impl Environment {
    /// The label of an additional directory in the section's text.
    pub const ADDITIONAL_DIRECTORY: &str = "Additional working directory";
}

/// An operating system.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OsKind {
    /// Linux.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
    /// Any other, by the name to show.
    Other(String),
}

/// What the prompt says about the model that reads it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Model {
    /// The id in the request.
    pub id: OutsideText,
    /// The name for users.
    pub name: Option<String>,
    /// Until when its knowledge is reliable, such as `January 2025`.
    pub knowledge_cutoff: Option<String>,
}

impl Model {
    /// Creates the model with this id, and its name and knowledge cutoff if the
    /// model catalogue ([`aside_models::find`]) has them.
    pub fn from_id(id: impl Into<String>) -> Self {
        let id: String = id.into();
        let facts = find(&id).facts;
        let has_name = !facts.name.is_empty() && facts.name != facts.id;
        Self {
            name: has_name.then(|| facts.name.to_owned()),
            knowledge_cutoff: facts.knowledge_cutoff.map(str::to_owned),
            id: id.into(),
        }
    }

    /// Returns true for a Claude model's id, also one with a cloud's prefix or
    /// suffix.
    fn is_claude(&self) -> bool {
        self.id.raw().contains("claude")
    }
}

impl DynamicSection for Environment {
    const NAME: &'static str = names::ENVIRONMENT;
    // It names directories, the platform and the shell.
    const LIFETIME: Lifetime = Lifetime::Session;

    fn render(&self) -> Option<String> {
        let mut text = String::from("# Environment\nYou are working in this environment:");
        let mut bullet = |label: &str, value: &str| {
            text.push_str(&format!("\n- {label}: {value}"));
        };
        bullet("Primary working directory", &self.working_directory.one_line());
        bullet("Is a git repository", if self.is_git_repository { "yes" } else { "no" });
        for directory in &self.additional_directories {
            bullet(Self::ADDITIONAL_DIRECTORY, &directory.one_line());
        }
        bullet("Platform", &self.platform.to_string());
        if let Some(shell) = &self.shell {
            bullet("Shell", &self.shell_line(shell));
        }
        if let Some(version) = &self.os_version {
            bullet("OS version", &version.one_line());
        }
        if let Some(model) = &self.model {
            bullet("Model", &model_line(model));
            if let Some(cutoff) = &model.knowledge_cutoff {
                bullet("Knowledge cutoff", &line(cutoff));
            }
            if model.is_claude() {
                bullet("Latest Claude models", &latest_claude_models());
            }
        }
        Some(text)
    }
}

impl Environment {
    /// On Windows, a note asks for Unix syntax.
    fn shell_line<'a>(&self, shell: &'a OutsideText) -> Cow<'a, str> {
        let shell = shell.one_line();
        match self.platform {
            OsKind::Windows => Cow::Owned(format!(
                "{shell} (write Unix syntax, not that of Windows: `/dev/null` for `NUL`, forward slashes in paths)"
            )),
            _ => shell,
        }
    }
}

/// Returns the name with the id, or the id alone.
fn model_line(model: &Model) -> String {
    let id = model.id.one_line();
    match &model.name {
        Some(name) => format!("{} (`{id}`)", line(name)),
        None => format!("`{id}`"),
    }
}

/// Lists the latest models in the catalogue, for programs that the agent
/// writes.
fn latest_claude_models() -> String {
    let models: Vec<String> =
        latest_claude().map(|facts| format!("{} (`{}`)", facts.name, facts.id)).collect();
    format!(
        "{}. Use one of these in a program that calls Claude, unless the user names another.",
        models.join(", ")
    )
}

impl fmt::Display for OsKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linux => f.write_str("linux"),
            Self::MacOs => f.write_str("macos"),
            Self::Windows => f.write_str("windows"),
            Self::Other(name) => f.write_str(&line(name)),
        }
    }
}
