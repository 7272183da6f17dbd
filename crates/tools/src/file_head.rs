//! The start of a file, which decides its form, and how much to read.

use std::io::{self, Read as _};
use std::path::Path;

use crate::image::is_like_image;
use crate::opened_file::OpenedFile;

/// How large a file may be to read it into memory as a whole.
pub(crate) const MAX_WHOLE_BYTES: u64 = 4 * 1024 * 1024;
/// How much at the start of a file must be free of NUL bytes for it to be a text.
const TEXT_SAMPLE_BYTES: usize = 8 * 1024;
/// How large a PDF may be to open it.
const MAX_PDF_BYTES: u64 = 32 * 1024 * 1024;

pub(crate) struct Head {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_whole: bool,
}

/// Reads the start of a file: one byte more than [`MAX_WHOLE_BYTES`] at most, to see whether there
/// is a rest.
pub(crate) fn head(opened: &mut OpenedFile) -> io::Result<Head> {
    let mut bytes = Vec::with_capacity(opened.len.min(MAX_WHOLE_BYTES) as usize + 1);
    (&opened.file).take(MAX_WHOLE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(Head { is_whole: bytes.len() as u64 <= MAX_WHOLE_BYTES, bytes })
}

/// Returns true for a file that is no text.
pub(crate) fn is_binary(head: &Head) -> bool {
    head.bytes[..head.bytes.len().min(TEXT_SAMPLE_BYTES)].contains(&0)
}

pub(crate) fn is_pdf(head: &Head) -> bool {
    head.bytes.starts_with(b"%PDF-")
}

/// Returns true for a notebook, by its name.
pub(crate) fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "ipynb")
}

/// Returns the whole file if the model is shown its text. It never sees the JSON of a notebook or
/// the source of a PDF document, so a difference in them would tell it nothing.
pub(crate) fn text(path: &Path, head: Head) -> Option<String> {
    let has_other_form = is_like_image(&head.bytes) || is_pdf(&head) || is_notebook(path);
    let is_text = head.is_whole && !has_other_form && !is_binary(&head);
    String::from_utf8(is_text.then_some(head.bytes)?).ok()
}

/// Reads what follows the start of a PDF document.
///
/// # Errors
/// The document exceeds 32 MiB or cannot be read, in words for the user.
pub(crate) fn whole_pdf(mut bytes: Vec<u8>, opened: &OpenedFile) -> Result<Vec<u8>, String> {
    if opened.len > MAX_PDF_BYTES {
        return Err("a PDF document of more than 32 MiB".to_owned());
    }
    let rest = (&opened.file).take(MAX_PDF_BYTES).read_to_end(&mut bytes);
    rest.map_err(|error| error.to_string())?;
    Ok(bytes)
}
