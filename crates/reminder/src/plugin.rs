//! Reminders from files.

mod diagnostic;
mod file;
mod keys;
mod read;

pub use diagnostic::{Diagnostic, Severity};
pub use file::{PluginFile, advice, parse_file};

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::manager::Manager;
use crate::reminder::{Reminder, Source};

/// The directories that may hold a `reminders` directory, from low to high
/// precedence.
const PLACES: [&str; 4] = [".agents", ".claude", ".bitcode", ".aside"];

/// The most files that are read of one directory.
const MAX_FILES: usize = 1_000;

/// The most that is read at one time, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Where reminders are looked for: `reminders/` in `.agents`, `.claude`,
/// `.bitcode` and `.aside`, first of the home, then of the project. A later
/// file replaces an earlier one of its id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loader {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// What is used in place of `~/.claude`, if anything.
    pub claude_config: Option<PathBuf>,
    /// The project's directory. Leave it out where a repository is not trusted
    /// to speak for its user.
    pub project: Option<PathBuf>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// The reminders, in the order of their directories and names. One that is
    /// not active switches off whatever else has its id.
    pub reminders: Vec<Reminder>,
    /// What people should know.
    pub diagnostics: Vec<Diagnostic>,
}

/// Whose files a directory has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    User,
    Project,
}

impl Loader {
    /// Reads every file. Nothing fails: a file that is not good is left out,
    /// with a diagnostic.
    #[must_use]
    pub fn load(&self) -> Loaded {
        let mut reading = Reading::default();
        let mut chosen: Vec<(Owner, PluginFile)> = Vec::new();
        for (owner, directory) in self.directories() {
            for file in reading.directory(&directory) {
                let same = |(_, other): &(Owner, PluginFile)| other.reminder.id == file.reminder.id;
                if let Some(at) = chosen.iter().position(same) {
                    let (replaced, other) = chosen.remove(at);
                    if replaced != owner {
                        reading.overridden(&file, &other.reminder);
                    }
                }
                chosen.push((owner, file));
            }
        }
        Loaded {
            reminders: chosen.into_iter().map(|(_, file)| file.reminder).collect(),
            diagnostics: reading.diagnostics,
        }
    }

    fn directories(&self) -> Vec<(Owner, PathBuf)> {
        let mut directories = Vec::new();
        if let Some(home) = &self.home {
            directories.extend(PLACES.map(|place| match (&self.claude_config, place) {
                (Some(config), ".claude") => (Owner::User, config.clone()),
                _ => (Owner::User, home.join(place)),
            }));
        } else if let Some(config) = &self.claude_config {
            directories.push((Owner::User, config.clone()));
        }
        // Whoever works in their home has these files already.
        let is_home =
            |project: &&PathBuf| self.home.as_ref().is_some_and(|home| same(home, project));
        if let Some(project) = self.project.as_ref().filter(|project| !is_home(project)) {
            directories.extend(PLACES.map(|place| (Owner::Project, project.join(place))));
        }
        let reminders = |(owner, directory): (Owner, PathBuf)| (owner, directory.join("reminders"));
        directories.into_iter().map(reminders).collect()
    }
}

/// Reads one file, or the files of one directory, as a directory of reminders
/// is read.
#[must_use]
pub fn load_path(path: &Path) -> Loaded {
    let mut reading = Reading::default();
    let files = if path.is_dir() {
        reading.directory(path)
    } else {
        reading.file(path).into_iter().collect()
    };
    Loaded {
        reminders: files.into_iter().map(|file| file.reminder).collect(),
        diagnostics: reading.diagnostics,
    }
}

impl Loaded {
    /// Registers what was found, in order. A reminder that is there already,
    /// such as a built-in one, is replaced, or switched off.
    pub fn register(&self, manager: &Manager) {
        for reminder in &self.reminders {
            manager.register(reminder.clone());
        }
    }
}

/// Files that are being read.
#[derive(Default)]
struct Reading {
    bytes: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// The files of a directory, by name; those that are not good are told and
    /// left out, and of two with one id the later.
    fn directory(&mut self, directory: &Path) -> Vec<PluginFile> {
        let mut names = match names(directory) {
            Ok(names) => names,
            Err(message) => {
                self.tell(Severity::Error, directory, None, message);
                return Vec::new();
            }
        };
        if names.len() > MAX_FILES {
            let message = format!(
                "found {} files, expected at most {MAX_FILES}: those behind {} are left out",
                names.len(),
                names[MAX_FILES - 1].display()
            );
            names.truncate(MAX_FILES);
            self.tell(Severity::Error, directory, None, message);
        }
        let mut by_id: BTreeMap<String, PathBuf> = BTreeMap::new();
        let mut files = Vec::new();
        for path in names {
            let Some(file) = self.file(&path) else {
                continue;
            };
            let id = &file.reminder.id;
            match by_id.get(id) {
                Some(other) => {
                    let message = format!("found the id {id:?} of {} again", other.display());
                    self.tell(Severity::Error, &path, Some(file.id_line), message);
                }
                None => {
                    by_id.insert(id.clone(), path);
                    files.push(file);
                }
            }
        }
        files
    }

    fn file(&mut self, path: &Path) -> Option<PluginFile> {
        let text = match read::text(path) {
            Ok(text) => text,
            Err(fault) => {
                self.tell(Severity::Error, path, Some(fault.line), fault.message);
                return None;
            }
        };
        self.bytes += text.len();
        if self.bytes > MAX_BYTES {
            let message = "left out: the files before it have 4 MB already";
            self.tell(Severity::Error, path, Some(1), message.to_owned());
            return None;
        }
        match parse_file(path, &text) {
            Ok(file) => {
                self.diagnostics.extend(file.diagnostics.iter().cloned());
                Some(file)
            }
            Err(diagnostic) => {
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }

    /// A project speaks over its user.
    fn overridden(&mut self, file: &PluginFile, other: &Reminder) {
        let Source::Plugin { path } = &file.reminder.source else {
            return;
        };
        let does = if file.reminder.active {
            "replaces"
        } else {
            "switches off"
        };
        let message = format!(
            "the project's reminder {:?} {does} the user's, {}",
            other.id, other.source
        );
        self.tell(Severity::Note, path, Some(file.id_line), message);
    }

    fn tell(&mut self, severity: Severity, path: &Path, line: Option<usize>, message: String) {
        self.diagnostics.push(Diagnostic {
            severity,
            path: path.to_owned(),
            line,
            message,
        });
    }
}

/// The files in a directory that may be reminders, by name. None where there
/// is no such directory.
fn names(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let unreadable = |error| format!("unreadable: {error}");
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => {
            // Most projects have none, and `.claude` may be a file.
            let is_there = fs::symlink_metadata(directory).is_ok();
            return match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory if !is_there => Ok(Vec::new()),
                _ => Err(unreadable(error)),
            };
        }
    };
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if file::has_known_ending(&path) {
            names.push(path);
        }
    }
    names.sort();
    Ok(names)
}

/// Whether two paths are one directory.
fn same(a: &Path, b: &Path) -> bool {
    a == b || matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}
