//! Directories of raw bodies: each request in a file, its response in another, and an
//! index of both.
//!
//! Each line of `index.jsonl` names the file of a request and, if there was one, of its
//! response; both are read from the directory itself, whatever path the index has.
//! Without an index, each request is read in the order of the names, or of the times when
//! the files were written if the names are UUIDs, which say nothing. A file that cannot be
//! read is a fault of its entry only.

use std::fs;
use std::path::{Path, PathBuf};

use aside_user_files::open::NamedInput;

use super::{LogFault, open_input};
use crate::exchange::Exchange;
use crate::format::raw_bodies::{raw_body_exchange, raw_body_index};
use crate::read::MAX_LINE_BYTES;

/// The end of the name of a request.
const REQUEST: &str = ".request.json";

/// Returns true for a directory of raw bodies.
pub(super) fn is_raw(directory: &Path) -> bool {
    directory.join("index.jsonl").is_file() || !raw_requests(directory).is_empty()
}

/// The entries of a directory.
#[derive(Debug)]
pub(super) struct RawBodies {
    directory: PathBuf,
    lines: Lines,
    number: usize,
}

#[derive(Debug)]
enum Lines {
    Index(NamedInput),
    /// Without an index: the requests.
    Files(std::vec::IntoIter<PathBuf>),
}

impl RawBodies {
    pub(super) fn open(directory: &Path) -> Result<Self, LogFault> {
        let index = directory.join("index.jsonl");
        let lines = if index.is_file() {
            Lines::Index(open_input(&index, std::slice::from_ref(&index))?)
        } else {
            Lines::Files(raw_requests(directory).into_iter())
        };
        Ok(Self { directory: directory.to_owned(), lines, number: 0 })
    }

    /// Returns the next line of the index, or one in its form.
    fn line(&mut self) -> Option<Result<Vec<u8>, LogFault>> {
        match &mut self.lines {
            Lines::Files(files) => files.next().map(|file| {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                let response = name.replace(REQUEST, ".response.json");
                let has_response = self.directory.join(&response).is_file();
                let response = has_response.then_some(response);
                let line = serde_json::json!({"request_file": name, "response_file": response});
                Ok(line.to_string().into_bytes())
            }),
            Lines::Index(index) => {
                let mut line = Vec::new();
                match index.read_line(&mut line, MAX_LINE_BYTES) {
                    Ok(true) => Some(Ok(line)),
                    Ok(false) => None,
                    Err(error) => {
                        self.lines = Lines::Files(Vec::new().into_iter());
                        Some(Err(LogFault::new(&self.directory, error.message())))
                    }
                }
            }
        }
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        // A name, and no path: an index leads to no other file.
        let path = self.directory.join(Path::new(name).file_name().unwrap_or_default());
        let mut bytes = Vec::new();
        let read = NamedInput::open(&path)
            .and_then(|mut input| input.read_to_end(&mut bytes, MAX_LINE_BYTES));
        read.map_err(|error| format!("failed to read {}: {}", path.display(), error.message()))?;
        Ok(bytes)
    }

    fn entry(&self, line: &[u8]) -> Result<Exchange, String> {
        let number = self.number;
        let at_line = |error| format!("line {number}: {error}");
        let entry = raw_body_index(line.trim_ascii(), number).map_err(|error| error.to_string())?;
        let request = self.read(&entry.request_file).map_err(at_line)?;
        let response = entry.response_file.as_deref().map(|name| self.read(name));
        let response = response.transpose().map_err(at_line)?;
        let response = response.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let response = response.as_deref();
        Ok(raw_body_exchange(entry, request.into(), response))
    }
}

impl Iterator for RawBodies {
    type Item = Result<Exchange, LogFault>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = match self.line()? {
            Ok(line) => line,
            Err(fault) => return Some(Err(fault)),
        };
        self.number += 1;
        let entry = self.entry(&line);
        Some(entry.map_err(|message| LogFault::new(&self.directory, message)))
    }
}

/// Returns the files of the requests in a directory of raw bodies, in the order of their
/// names, or of their times if these are UUIDs. Directories in it are logs of their own.
#[must_use]
pub fn raw_requests(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let is_request = |path: &PathBuf| path.to_string_lossy().ends_with(REQUEST);
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.path()).filter(is_request).collect();
    paths.sort_unstable();
    if paths.iter().all(|path| has_uuid(path)) {
        paths.sort_by_cached_key(|path| fs::metadata(path).and_then(|it| it.modified()).ok());
    }
    paths
}

fn has_uuid(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let id = name.strip_suffix(REQUEST).unwrap_or_default();
    id.len() == 36 && id.bytes().all(|it| it.is_ascii_hexdigit() || it == b'-')
}
