//! The rows of logs, read from files.

use std::path::PathBuf;

use aside_inspect::rows::{RequestOptions, RequestReader, RowBuilder};
use aside_request_logs::{LogFiles, ReadOptions, unopened};

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
            let fault = |_| BindingError::option(format!("there is no format {name:?}"));
            name.parse().map_err(fault)
        });
        let options = ReadOptions::default().with_format(format.transpose()?);
        // An Arrow reader would report it without its kind and path.
        if let Some(fault) = unopened(paths) {
            return Err(failed(&fault.path, &fault));
        }
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
                Err(fault) if fault.is_usage => return Some(Err(failed(&fault.path, &fault))),
                Err(fault) => fault.to_string(),
            };
            self.faults.push(fault);
        }
    }
}
