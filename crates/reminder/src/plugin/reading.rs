//! Reading files one after the other, within limits.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::diagnostic::{Diagnostic, Severity};
use super::file::{PluginFile, has_known_ending, parse_file};
use super::read;
use crate::reminder::Reminder;

/// The most files that are read of one directory.
const MAX_FILES: usize = 1_000;

/// The most that is read at one time, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Files that are being read.
#[derive(Default)]
pub(super) struct Reading {
    bytes: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// The files of a directory, by name; those that are not good are told and
    /// left out, and of two with one id the later.
    pub(super) fn directory(&mut self, directory: &Path) -> Vec<PluginFile> {
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
                Some(other) => self.doubled(&file, other),
                None => {
                    by_id.insert(id.clone(), path);
                    files.push(file);
                }
            }
        }
        files
    }

    pub(super) fn file(&mut self, path: &Path) -> Option<PluginFile> {
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

    /// Two files of one directory have one id.
    pub(super) fn doubled(&mut self, file: &PluginFile, other: &Path) {
        let id = &file.reminder.id;
        let message = format!("found the id {id:?} of {} again", other.display());
        self.tell(Severity::Error, file.path(), Some(file.id_line), message);
    }

    /// A project speaks over its user.
    pub(super) fn overridden(&mut self, file: &PluginFile, other: &Reminder) {
        let does = if file.reminder.active {
            "replaces"
        } else {
            "switches off"
        };
        let message = format!(
            "the project's reminder {:?} {does} the user's, {}",
            other.id, other.source
        );
        self.tell(Severity::Note, file.path(), Some(file.id_line), message);
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
        if has_known_ending(&path) {
            names.push(path);
        }
    }
    names.sort();
    Ok(names)
}
