//! Sub-agents: Markdown files in `.claude/agents` and below, with a name and a description in the
//! front matter and a system prompt below it.
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

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use aside_diagnostic::Location;
use aside_user_files::open::{DirEntryKind, Fence};
use aside_user_files::{DocumentError, SplitDocument, decode};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::definitions::DefinitionDir;
use crate::links::plain_path::plain_path;
use crate::setting::Setting;
use crate::{Diagnostic, Loader, SkipReason, kinds};

/// Where agents are, relative to a project directory.
const PLACES: [&str; 1] = [".claude/agents"];
/// How many directories to read at a place.
const MAX_FOLDERS: usize = 256;
/// How large an agent's file may be, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// An agent from a Markdown file.
///
/// ```text
/// ---
/// name: reviewer          by default the file's name without its extension
/// description: Reviews a change.
/// ---
/// You review changes.     the prompt, without white space around it
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentFile {
    /// The name to start it by.
    pub name: String,
    /// What it is for, for the model; empty if the file does not say.
    pub description: String,
    /// Its system prompt, without white space around it.
    pub prompt: String,
    /// The keys of its file that restrict it elsewhere, and that nothing here
    /// applies.
    pub unused_keys: Vec<&'static str>,
    /// Its file.
    pub path: PathBuf,
}

/// The agents that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agents {
    /// Valid agents; when two have the same name only the one nearer to the working directory, or
    /// the first of one directory.
    pub agents: Vec<AgentFile>,
    /// Faults in files, whose agents are left out, and agents whose name another one has.
    pub diagnostics: Vec<Diagnostic>,
}

/// An agent's front matter. Other keys belong to other programs.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    /// By default the file's name without `.md`.
    name: Option<String>,
    description: Option<String>,
    // These restrict the agent in Claude Code.
    tools: Option<IgnoredAny>,
    disallowed_tools: Option<IgnoredAny>,
    model: Option<IgnoredAny>,
}

impl Loader {
    /// Returns the fence around the project for a session in `cwd`, an absolute path, with the
    /// approved targets. Project files are opened inside it.
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

    /// Returns the directories of the user's own agents and of their plugins', which are outside of
    /// the project and need not exist.
    #[must_use]
    pub fn user_agent_dirs(&self) -> Vec<PathBuf> {
        let plugins = self.plugin_dirs(PLACES[0], Path::new(""));
        let mut dirs = self.user_definition_dirs(&PLACES);
        dirs.extend(plugins.into_iter().map(|it| it.path));
        dirs
    }

    pub(crate) fn agents_in(&self, setting: &Setting) -> Agents {
        let mut found = Agents::default();
        for dir in self.definition_dirs(setting, &PLACES) {
            found.add_all(&dir);
        }
        found
    }
}

impl Agents {
    /// Adds the agents of a directory and then of its subdirectories. Links to directories are not
    /// followed.
    fn add_all(&mut self, dir: &DefinitionDir) {
        let mut folders = VecDeque::from([dir.path.clone()]);
        let mut left = MAX_FOLDERS;
        while let Some(folder) = folders.pop_front() {
            for entry in dir.entries(&folder, kinds::AGENTS_UNREADABLE, &mut self.diagnostics) {
                let path = folder.join(&entry.name);
                if entry.kind == DirEntryKind::Directory {
                    folders.push_back(path);
                } else if path.extension() == Some("md".as_ref()) {
                    self.add(&path, dir);
                }
            }
            left -= 1;
            if left == 0 && !folders.is_empty() {
                let message = format!("only {MAX_FOLDERS} directories are looked at");
                let cut = kinds::TOO_MANY_SKILLS.diagnostic(message);
                return self.diagnostics.push(cut.at(&dir.path));
            }
        }
    }

    fn add(&mut self, path: &Path, dir: &DefinitionDir) {
        let mut agent = match read(path, &dir.fence) {
            Ok(agent) => agent,
            Err(fault) => return self.diagnostics.push(fault),
        };
        agent.name = dir.full_name(agent.name);
        match self.agents.iter().find(|known| known.name == agent.name) {
            Some(known) => {
                let known = &known.path;
                let shadowed = if known.starts_with(&dir.path) {
                    let message = format!("{} has the same name", known.display());
                    kinds::AGENT_DUPLICATE.diagnostic(message)
                } else {
                    kinds::AGENT_SHADOWED.diagnostic(format!("shadowed by {}", known.display()))
                };
                self.diagnostics.push(shadowed.at(path));
            }
            None => self.agents.push(agent),
        }
    }
}

impl AgentFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// With its line, front matter that cannot be read, and a file without a prompt.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Diagnostic> {
        let of_document = |error: DocumentError| fault(path, error.line(), error.message());
        let document = aside_user_files::split(text).map_err(of_document)?;
        let header = header(document).map_err(of_document)?;
        let prompt = document.body().trim();
        if prompt.is_empty() {
            return Err(fault(path, document.body_line(), "an agent without a prompt"));
        }
        let unused = [
            header.tools.map(|_| "tools"),
            header.disallowed_tools.map(|_| "disallowedTools"),
            header.model.map(|_| "model"),
        ];
        let stem = || path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Self {
            name: header.name.unwrap_or_else(|| stem().into_owned()),
            description: header.description.unwrap_or_default().trim().to_owned(),
            prompt: prompt.to_owned(),
            unused_keys: unused.into_iter().flatten().collect(),
            path: path.to_owned(),
        })
    }
}

/// Reads the front matter. Descriptions are often sentences with a colon, which are no YAML, so
/// this falls back to a lenient reading; then a name that YAML would read as another kind of value
/// is an error.
fn header(document: SplitDocument<'_>) -> Result<Header, DocumentError> {
    let strict = match document.strict_data::<Header>() {
        Ok(header) => return Ok(header.unwrap_or_default()),
        Err(error) => error,
    };
    let header: Header = document.data()?.unwrap_or_default();
    let is_name = |name: &str| !name.starts_with(['[', '{', '*', '&', '!', '@', '`', '%']);
    if header.name.as_deref().is_none_or(is_name) { Ok(header) } else { Err(strict) }
}

/// Reads a file inside the fence, whose agent the model chooses by its description.
fn read(path: &Path, fence: &Fence) -> Result<AgentFile, Diagnostic> {
    let skip = |reason: SkipReason| kinds::AGENT_INVALID.diagnostic(reason).at(path);
    let bytes = fence.open_file(path).and_then(|file| file.read(MAX_BYTES));
    let bytes = bytes.map_err(|error| skip(error.into()))?;
    let text = decode(bytes).map_err(|error| fault(path, error.line(), error.message()))?;
    let agent = AgentFile::parse(&text, path)?;
    if agent.description.is_empty() {
        return Err(fault(path, 1, "expected front matter with a description"));
    }
    Ok(agent)
}

fn fault(path: &Path, line: usize, message: &str) -> Diagnostic {
    kinds::AGENT_INVALID.diagnostic(message).at(Location::new(path).line(line))
}
