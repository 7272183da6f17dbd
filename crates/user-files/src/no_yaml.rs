//! What is left of reading front matter without the feature `yaml`: an error.

use crate::{DocumentError, DocumentErrorKind};

pub(crate) fn read<T>(_: &str, first_line: usize) -> Result<T, DocumentError> {
    let message = "front matter cannot be read without the feature `yaml`";
    Err(DocumentError::new(DocumentErrorKind::Unsupported, first_line, message))
}

pub(crate) use {read as read_quoted, read as read_strictly};

pub(crate) fn is_not_a_mapping(_: &str) -> bool {
    false
}
