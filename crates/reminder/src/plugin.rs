//! Loading reminders from files.
//!
//! ```text
//! ~/.agents/reminders/*          low precedence
//! ~/.claude/reminders/*
//! ~/.bitcode/reminders/*
//! ~/.aside/reminders/*
//! PROJECT/.agents/reminders/*
//! …
//! PROJECT/.aside/reminders/*     high precedence
//! ```

mod faults;
mod file;
mod kinds;
mod read;
mod reading;
mod source_lines;
mod warnings;

pub use file::{PluginFile, advice, file_faults, parse_file};
pub use kinds::DIAGNOSTICS;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use aside_diagnostic::Diagnostic;
use aside_messages::Trust;
use aside_user_files::open::{Fence, open_file};

use crate::manager::Manager;
use crate::reminder::Reminder;
use reading::Reading;

/// Where to look for a `reminders` directory, from low to high precedence.
const PLACES: [&str; 4] = [".agents", ".claude", ".bitcode", ".aside"];

/// Loads reminders from the directories `reminders/` in `.agents`, `.claude`,
/// `.bitcode` and `.aside`, first in the home, then in the project. A later
/// file replaces an earlier one with its id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReminderLoader {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// A directory that replaces `~/.claude`.
    pub claude_config: Option<PathBuf>,
    /// The project directory. Set it to `None` when you do not trust the
    /// repository: it then has no reminders.
    pub project: Option<PathBuf>,
    /// Where outside `project` links in it may lead: to the surrounding
    /// repository, to additional directories, and to paths that the user
    /// approved.
    pub fence: Fence,
}

/// What loading reminder files gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// The reminders, in the order of their directories and names. An inactive
    /// one disables every other reminder with its id.
    pub reminders: Vec<Reminder>,
    /// Faults in the files, and advice about them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Who owns the files in a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The user, who is trusted.
    User,
    /// The repository, whose texts come from outside.
    Project,
}

impl ReminderLoader {
    /// Reads files, and the reminder files in directories. Returns one result per
    /// path. Two files in one directory with the same id are a fault, even when you
    /// pass their paths separately.
    ///
    /// In a directory of the project, links have to lead to where they may lead in
    /// a session.
    #[must_use]
    pub fn load_paths(&self, paths: &[PathBuf]) -> Vec<Loaded> {
        let project = self.project.iter().filter_map(|it| fs::canonicalize(it).ok());
        let fence = project.clone().fold(self.fence.clone(), |fence, dir| fence.with_dir(&dir));
        let open = Fence::default().approve_everything();
        let is_ours = |path: &Path| {
            let path = fs::canonicalize(path).unwrap_or_default();
            project.clone().any(|it| path.starts_with(it))
        };
        let mut ids = Ids::new();
        let loaded = paths.iter().map(|path| {
            if is_ours(path) { load(path, &fence, &mut ids) } else { load(path, &open, &mut ids) }
        });
        loaded.collect()
    }

    /// Reads every file. A faulty file is left out, with a diagnostic; a
    /// missing directory is not reported.
    #[must_use]
    pub fn load(&self) -> Loaded {
        let mut reading = Reading::default();
        let mut chosen: Vec<(Owner, PluginFile)> = Vec::new();
        let users = Fence::default().approve_everything();
        let project =
            self.project.iter().fold(self.fence.clone(), |fence, dir| fence.with_dir(dir));
        for (owner, directory) in self.directories() {
            let fence = match owner {
                Owner::User => &users,
                Owner::Project => &project,
            };
            for mut file in reading.directory(&directory, fence) {
                if owner == Owner::User {
                    file.reminder.trust = Trust::Harness;
                }
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

    /// From low to high precedence.
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
        // A project in the home directory has the user's files, which are
        // already loaded.
        let is_home =
            |project: &&PathBuf| self.home.as_ref().is_some_and(|home| same(home, project));
        if let Some(project) = self.project.as_ref().filter(|project| !is_home(project)) {
            directories.extend(PLACES.map(|place| (Owner::Project, project.join(place))));
        }
        let reminders = |(owner, directory): (Owner, PathBuf)| (owner, directory.join("reminders"));
        directories.into_iter().map(reminders).collect()
    }
}

/// Reads one file, or all files in one directory, the way a reminder directory
/// is read.
#[must_use]
pub fn load_path(path: &Path) -> Loaded {
    load(path, &Fence::default().approve_everything(), &mut Ids::new())
}

/// Maps a directory and an id to the file with this id.
type Ids = BTreeMap<(PathBuf, String), PathBuf>;

/// Reads a file or a directory. `ids` has the ids in earlier paths.
fn load(path: &Path, fence: &Fence, ids: &mut Ids) -> Loaded {
    let mut reading = Reading::default();
    let (directory, files) = if path.is_dir() {
        (path, reading.directory(path, fence))
    } else {
        let directory = path.parent().filter(|it| *it != Path::new(""));
        let files = reading.file(path, open_file(path)).into_iter().collect();
        (directory.unwrap_or(Path::new(".")), files)
    };
    let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    let mut reminders = Vec::new();
    for file in files {
        let id = (directory.clone(), file.reminder.id.clone());
        let path = file.path().to_owned();
        match ids.get(&id) {
            // It was named twice.
            Some(other) if other.file_name() == path.file_name() => {}
            Some(other) => reading.doubled(&file, other),
            None => {
                ids.insert(id, path);
                reminders.push(file.reminder);
            }
        }
    }
    Loaded { reminders, diagnostics: reading.diagnostics }
}

impl Loaded {
    /// Registers the reminders in order. A registered reminder with the same
    /// id, such as a built-in one, is replaced or disabled.
    pub fn register(&self, manager: &Manager) {
        for reminder in &self.reminders {
            manager.register(reminder.clone());
        }
    }
}

/// Returns true if two paths are the same directory.
fn same(a: &Path, b: &Path) -> bool {
    a == b || matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}
