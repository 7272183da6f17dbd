//! Agent Skills: directories with a `SKILL.md`, by the open standard.
//!
//! ```
//! use aside_claudemd::{Dirs, Loader};
//!
//! # let project = tempfile::tempdir()?;
//! # let dir = project.path().join(".claude/skills/release");
//! # std::fs::create_dir_all(&dir)?;
//! # let text = "---\nname: release\ndescription: Cuts a release.\n---\nRun the tests.\n";
//! # std::fs::write(dir.join("SKILL.md"), text)?;
//! let found = Loader::new(Dirs::default()).skills(project.path());
//! assert_eq!(found.skills[0].name, "release");
//! // The listing has names and descriptions; the body is read when the skill is called.
//! assert_eq!(found.skills[0].body().ok().as_deref(), Some("Run the tests.\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod definition;
mod discover;
mod waiting;

pub use waiting::ReleasedSkills;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::links::path_value;

use aside_user_files::open::Fence;

use crate::Diagnostic;
use crate::definitions::DefinitionDir;
use crate::kinds;

/// One skill, without its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkillFile {
    /// The name, which is that of its directory; before it that of the plugin, if one
    /// has the skill, and a colon.
    pub name: String,
    /// What it is for and when to use it, for the model.
    pub description: String,
    /// True if only the user may call it: the model is not offered it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disable_model_invocation: bool,
    /// Its license.
    pub license: Option<String>,
    /// What environments it needs.
    pub compatibility: Option<String>,
    /// Further keys, sorted by name.
    pub metadata: std::collections::BTreeMap<String, String>,
    /// Tools that it may use without asking the user.
    pub allowed_tools: Vec<String>,
    /// The paths that it is for, as patterns; empty if it is for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// True while the agent has worked on no file that `paths` match: the model is not offered it.
    #[serde(skip)]
    pub is_waiting: bool,
    /// Its `SKILL.md`.
    #[serde(with = "path_value")]
    pub path: PathBuf,
    #[serde(skip)]
    fence: Fence,
    /// The directory that `paths` are relative to.
    #[serde(skip)]
    base: PathBuf,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skills {
    /// Valid skills; when two have the same name only the one nearer to the working directory.
    pub skills: Vec<SkillFile>,
    /// Faults in skills, which are left out, and skills whose name another one has.
    pub diagnostics: Vec<Diagnostic>,
}

impl SkillFile {
    /// Reads the text below the front matter.
    ///
    /// # Errors
    ///
    /// The file can no longer be read, or is no longer valid.
    pub fn body(&self) -> Result<String, Diagnostic> {
        let text = definition::text(&self.path, &self.fence)?;
        let document = aside_user_files::split(&text)
            .map_err(|error| definition::fault(&self.path, error.line(), error.message()))?;
        Ok(document.body().to_owned())
    }
}

/// Returns what is wrong with a skill, given its directory or its `SKILL.md`; for a directory with
/// skills, such as `.claude/skills`, what is wrong with all of them. No link may lead out of the
/// project and of the directory with `path`, as in a session.
pub fn check(path: &Path, project: &Path) -> Vec<Diagnostic> {
    let fence = Fence::around([project, path.parent().unwrap_or(path)]);
    let check = |file: &PathBuf| match definition::read(file, &fence) {
        Ok((_, notes)) => notes,
        Err(faults) => faults,
    };
    files(path).iter().flat_map(check).collect()
}

/// Returns the `SKILL.md` at a path; for a directory without one, those in the directories inside
/// it.
fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    if let Some(own) = discover::file_of(path) {
        return vec![own];
    }
    let below = discover::files_in(path);
    if below.is_empty() { vec![path.join("SKILL.md")] } else { below }
}

impl Skills {
    pub(crate) fn add(&mut self, file: &Path, dir: &DefinitionDir) {
        match definition::read(file, &dir.fence) {
            Ok((mut skill, notes)) => {
                self.diagnostics.extend(notes);
                skill.name = dir.full_name(skill.name);
                skill.base.clone_from(&dir.base);
                match self.skills.iter().find(|known| known.name == skill.name) {
                    Some(known) => {
                        let message = format!("shadowed by {}", known.path.display());
                        let shadowed = kinds::SKILL_SHADOWED.diagnostic(message);
                        self.diagnostics.push(shadowed.at(file));
                    }
                    None => self.skills.push(skill),
                }
            }
            Err(faults) => self.diagnostics.extend(faults),
        }
    }
}
