//! Sub-agents: Markdown files in `.claude/agents`, with a name and a description in the front
//! matter and a system prompt below it.
//!
//! ```
//! use aside_claudemd::{Dirs, Loader};
//!
//! # let project = tempfile::tempdir()?;
//! # let dir = project.path().join(".claude/agents");
//! # std::fs::create_dir_all(&dir)?;
//! # let text = "---\nname: reviewer\ndescription: Reviews a change.\n---\nRead the diff.\n";
//! # std::fs::write(dir.join("reviewer.md"), text)?;
//! let found = Loader::new(Dirs::default()).agents(project.path());
//! assert_eq!(found.agents[0].name, "reviewer");
//! assert_eq!(found.agents[0].prompt, "Read the diff.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::{Path, PathBuf};

use aside_diagnostic::Location;
use aside_user_files::open::Fence;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::definitions::DefinitionDir;
use crate::links::plain_path::plain_path;
use crate::setting::Setting;
use crate::{Diagnostic, Loader, SkipReason, kinds};

/// Where agents are, relative to a project directory.
const PLACES: [&str; 1] = [".claude/agents"];
/// How large an agent's file may be, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// An agent from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentFile {
    /// The name to start it by.
    pub name: String,
    /// What it is for, for the model.
    pub description: String,
    /// Its system prompt, without white space around it.
    pub prompt: String,
    /// The keys of its file that restrict it elsewhere, and that nothing here
    /// applies.
    pub unused_keys: Vec<&'static str>,
    /// Its file.
    pub path: PathBuf,
}

/// The keys of an agent's front matter that restrict it in Claude Code.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnusedKeys {
    tools: Option<IgnoredAny>,
    disallowed_tools: Option<IgnoredAny>,
    model: Option<IgnoredAny>,
}

impl UnusedKeys {
    /// Returns the names of the keys that are present.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let keys = [
            ("tools", &self.tools),
            ("disallowedTools", &self.disallowed_tools),
            ("model", &self.model),
        ];
        keys.into_iter().filter_map(|(name, value)| value.as_ref().map(|_| name)).collect()
    }
}

/// The agents that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agents {
    /// Valid agents; when two have the same name only the one nearer to the working directory.
    pub agents: Vec<AgentFile>,
    /// Faults in files, whose agents are left out, and agents whose name another one has.
    pub diagnostics: Vec<Diagnostic>,
}

/// An agent's front matter. Other keys belong to other programs.
#[derive(Debug, Default, Deserialize)]
struct Header {
    /// By default the file's name without `.md`.
    name: Option<String>,
    description: Option<String>,
    #[serde(flatten)]
    unused: UnusedKeys,
}

impl Loader {
    /// Returns the fence around the project for a session in `cwd`, an absolute path, and around
    /// its additional directories, with the approved targets. Project files are opened inside it.
    pub fn fence(&self, cwd: &Path) -> Fence {
        Setting::new(self.clone(), plain_path(cwd)).fence()
    }

    /// Finds the agents of a session in `cwd`, an absolute path: those of this
    /// directory, of every directory above it up to the root of the repository, of
    /// the additional directories, of the user, and of the user's plugins.
    ///
    /// A link that leads out of the project is followed only if [`Loader::imports`] approves its
    /// target.
    pub fn agents(&self, cwd: &Path) -> Agents {
        self.agents_in(&Setting::new(self.clone(), plain_path(cwd)))
    }

    pub(crate) fn agents_in(&self, setting: &Setting) -> Agents {
        let mut found = Agents::default();
        for dir in self.definition_dirs(setting, &PLACES) {
            for entry in dir.entries(kinds::AGENTS_UNREADABLE, &mut found.diagnostics) {
                let path = dir.path.join(&entry.name);
                if path.extension() == Some("md".as_ref()) {
                    found.add(&path, &dir);
                }
            }
        }
        found
    }
}

impl Agents {
    fn add(&mut self, path: &Path, dir: &DefinitionDir) {
        let mut agent = match read(path, &dir.fence) {
            Ok(agent) => agent,
            Err(fault) => return self.diagnostics.push(fault),
        };
        agent.name = dir.full_name(agent.name);
        match self.agents.iter().find(|known| known.name == agent.name) {
            Some(known) => {
                let message = format!("shadowed by {}", known.path.display());
                let shadowed = kinds::AGENT_SHADOWED.diagnostic(message);
                self.diagnostics.push(shadowed.at(path));
            }
            None => self.agents.push(agent),
        }
    }
}

/// Reads a file inside the fence.
fn read(path: &Path, fence: &Fence) -> Result<AgentFile, Diagnostic> {
    let fault = |line: usize, message: &str| {
        let place = Location::new(path).line(line);
        kinds::AGENT_INVALID.diagnostic(message).at(place)
    };
    let skip = |reason: SkipReason| kinds::AGENT_INVALID.diagnostic(reason).at(path);
    let file = fence.open_file(path).map_err(|error| skip(error.into()))?;
    let bytes = file.read(MAX_BYTES).map_err(|error| skip(error.into()))?;
    let text = String::from_utf8(bytes).map_err(|_| fault(1, "not UTF-8"))?;
    let of_document = |error: aside_user_files::DocumentError| fault(error.line(), error.message());
    let document = aside_user_files::split(&text).map_err(of_document)?;
    // Descriptions are often sentences with a colon, which are no YAML.
    let header: Header = document.data().map_err(of_document)?.unwrap_or_default();
    let description = header.description.unwrap_or_default();
    if description.trim().is_empty() {
        return Err(fault(1, "expected front matter with a description"));
    }
    let prompt = document.body().trim();
    if prompt.is_empty() {
        return Err(fault(document.body_line(), "an agent without a prompt"));
    }
    let stem = || path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(AgentFile {
        name: header.name.unwrap_or_else(|| stem().into_owned()),
        description: description.trim().to_owned(),
        prompt: prompt.to_owned(),
        unused_keys: header.unused.names(),
        path: path.to_owned(),
    })
}
