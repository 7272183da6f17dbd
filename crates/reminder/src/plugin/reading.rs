//! Reading files one after the other, within limits.
//!
//! No file ends the reading: a faulty one is reported and left out. The limits
//! keep a directory with very many files, or very large ones, from filling the
//! memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aside_diagnostic::{Diagnostic, Kind, Location};
use aside_user_files::open::{DirEntryKind, Fence, OpenError, RegularFile, TrustedDir};

use super::file::{PluginFile, file_faults, has_known_ending, parse_file};
use super::kinds;
use super::read::{self, Fault};
use crate::reminder::Reminder;

/// How many files to read per directory.
const MAX_FILES: usize = 1_000;

/// How many entries to examine per directory.
const MAX_ENTRIES: usize = 10_000;

/// How many bytes to read at one time.
const MAX_BYTES: usize = 4 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Reading {
    /// How many bytes were read so far, over all files.
    bytes: usize,
    /// Faults and advice so far, in file order.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// Reads the files in a directory, sorted by name. A faulty file is
    /// reported and left out, and so is the later of two with one id.
    pub(super) fn directory(&mut self, directory: &Path, fence: &Fence) -> Vec<PluginFile> {
        let listed = fence.open_dir(directory);
        let listed = listed.and_then(|dir| Ok((self.names(directory, &dir)?, dir)));
        let (names, dir) = match listed {
            Ok(listed) => listed,
            Err(error) => {
                self.unread_directory(directory, error);
                return Vec::new();
            }
        };
        let mut by_id: BTreeMap<String, PathBuf> = BTreeMap::new();
        let mut files = Vec::new();
        for (name, kind) in names {
            let path = directory.join(&name);
            let opened = match kind {
                // Opened in the directory that was listed.
                DirEntryKind::File => dir.open_file(&name),
                _ => fence.open_file(&path),
            };
            let Some(file) = self.file(&path, opened) else {
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

    /// Lists the files in a directory that may be reminders, sorted by name.
    ///
    /// After [`MAX_FILES`] names the list is cut, and more than [`MAX_ENTRIES`]
    /// entries give none; both are reported.
    ///
    /// # Errors
    ///
    /// The directory cannot be listed.
    fn names(
        &mut self,
        directory: &Path,
        dir: &TrustedDir,
    ) -> Result<Vec<(PathBuf, DirEntryKind)>, OpenError> {
        let entries = dir.entries(MAX_ENTRIES)?;
        if entries.is_cut {
            // Which entries are in the listing is up to the system.
            let message = format!("found more than {MAX_ENTRIES} files: all are left out");
            self.report(kinds::TOO_MANY, directory, message);
            return Ok(Vec::new());
        }
        let entries = entries.list.into_iter();
        let mut names: Vec<_> = entries
            .map(|entry| (PathBuf::from(entry.name), entry.kind))
            .filter(|(name, _)| has_known_ending(name))
            .collect();
        if names.len() > MAX_FILES {
            let message = format!(
                "found {} files, expected at most {MAX_FILES}: those behind {} are left out",
                names.len(),
                directory.join(&names[MAX_FILES - 1].0).display()
            );
            names.truncate(MAX_FILES);
            self.report(kinds::TOO_MANY, directory, message);
        }
        Ok(names)
    }

    /// Reports a directory that exists and cannot be read.
    fn unread_directory(&mut self, directory: &Path, error: OpenError) {
        // Most projects have no such directory.
        if !error.is_missing() {
            let Fault { message, .. } = error.into();
            self.report(kinds::UNREADABLE, directory, message);
        }
    }

    /// Reads one file. Returns `None` if it is faulty, or if the files so far
    /// exceed the byte limit.
    pub(super) fn file(
        &mut self,
        path: &Path,
        opened: Result<RegularFile, OpenError>,
    ) -> Option<PluginFile> {
        let text = match opened.map_err(Fault::from).and_then(read::text) {
            Ok(text) => text,
            Err(fault) => {
                let place = Location::new(path).line(fault.line);
                self.report(kinds::UNREADABLE, place, fault.message);
                return None;
            }
        };
        self.bytes += text.len();
        if self.bytes > MAX_BYTES {
            let message = "left out: the files before it have 4 MB already";
            self.report(kinds::TOO_MANY, Location::new(path).line(1), message.to_owned());
            return None;
        }
        match parse_file(path, &text) {
            Ok(file) => {
                self.diagnostics.extend(file.diagnostics.iter().cloned());
                Some(file)
            }
            Err(_) => {
                self.diagnostics.extend(file_faults(path, &text));
                None
            }
        }
    }

    /// Reports a file that shares its id with another one in its directory.
    pub(super) fn doubled(&mut self, file: &PluginFile, other: &Path) {
        let id = &file.reminder.id;
        let message = format!("found the id {id:?} of {} again", other.display());
        self.report(kinds::DUPLICATE_ID, file.id_place(), message);
    }

    /// Reports a project reminder that replaces one of the user's.
    pub(super) fn overridden(&mut self, file: &PluginFile, other: &Reminder) {
        let does = if file.reminder.active { "replaces" } else { "switches off" };
        let message =
            format!("the project's reminder {:?} {does} the user's, {}", other.id, other.source);
        self.report(kinds::OVERRIDDEN, file.id_place(), message);
    }

    fn report(&mut self, kind: Kind, place: impl Into<Location>, message: String) {
        self.diagnostics.push(kind.diagnostic(message).at(place));
    }
}
