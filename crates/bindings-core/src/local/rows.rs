//! The rows of logs, read from files.

use std::fs::{File, metadata};
use std::path::{Path, PathBuf};

use aside_inspect::rows::{RequestOptions, RequestReader, RowBuilder};
use aside_request_logs::{Format, LogFault, LogFiles, ReadOptions, list_logs};

use super::failed;
use crate::error::BindingError;

pub use aside_inspect::rows::Row;

/// The rows of `aside report --rows`, one after the other. They have no text of a conversation.
///
/// A log that an argument names and that cannot be opened is the last item. What else cannot be
/// read is a fault, and the rest is read.
#[derive(Debug)]
pub struct LogRows {
    files: LogFiles,
    reader: RequestReader,
    builder: RowBuilder,
    faults: Vec<String>,
}

impl LogRows {
    /// Finds the logs that arguments name: files, also compressed, directories and patterns.
    ///
    /// # Errors
    /// There is no format of this name, or a log that an argument names cannot be opened.
    pub fn new(paths: &[PathBuf], format: Option<&str>) -> Result<Self, BindingError> {
        let format = format.map(|name| {
            let fault = || BindingError::option(format!("there is no format {name:?}"));
            Format::from_name(name).ok_or_else(fault)
        });
        let options = ReadOptions::default().with_format(format.transpose()?);
        // An Arrow reader would report it without its kind and path.
        let listing = list_logs(paths);
        if let Some(fault) = listing.faults.iter().find(|fault| fault.is_usage) {
            return Err(unopened(fault));
        }
        let named = listing.paths.iter().filter(|path| paths.contains(path));
        named.map(PathBuf::as_path).try_for_each(try_open)?;
        Ok(Self {
            files: LogFiles::new(paths, options),
            reader: RequestReader::new(RequestOptions::default()),
            builder: RowBuilder::default(),
            faults: Vec::new(),
        })
    }

    /// Returns the parts of logs that could not be read since the last call, for a warning each.
    #[must_use]
    pub fn take_faults(&mut self) -> Vec<String> {
        std::mem::take(&mut self.faults)
    }
}

impl Iterator for LogRows {
    type Item = Result<Row, BindingError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let fault = match self.files.next()? {
                Ok(exchange) => {
                    let line = exchange.line;
                    match self.reader.read(exchange) {
                        Ok(item) => match item.and_then(|item| self.builder.row(item)) {
                            Some(row) => return Some(Ok(row)),
                            None => continue,
                        },
                        Err(error) => {
                            let path = self.files.path().display();
                            format!("{path}: line {line}: {error}")
                        }
                    }
                }
                Err(fault) if fault.is_usage => return Some(Err(unopened(&fault))),
                Err(fault) => fault.to_string(),
            };
            self.faults.push(fault);
        }
    }
}

/// Opens a log and closes it. A pipe can be opened only once, so it is left alone.
fn try_open(path: &Path) -> Result<(), BindingError> {
    if path == Path::new("-") {
        return Ok(());
    }
    let found = metadata(path)
        .and_then(|found| if found.is_file() { File::open(path).map(drop) } else { Ok(()) });
    found.map_err(|error| failed(path, &format_args!("{}: {error}", path.display())))
}

fn unopened(fault: &LogFault) -> BindingError {
    failed(&fault.path, fault)
}
