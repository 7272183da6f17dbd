//! Turning a mentioned file into an attachment.
//!
//! Forms and limits are the tool `Read`'s, with three differences: a PDF
//! document with few pages is attached whole, one with many as a reference, and
//! a text over 4 MiB has its beginning attached, with its number of lines.

use std::io::{self, BufRead, BufReader, Read as _};
use std::ops::RangeInclusive;
use std::path::Path;

use aside_attachments::{
    Attachment, File, FileContent, ImageFile, LineRange, MAX_FILE_BYTES, MAX_PDF_PAGES, Media,
    Notebook, Pdf, PdfReference, TextFile,
};
use aside_session::{Mentioned, ReadExtent};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memchr;

use crate::file_head::{Head, MAX_WHOLE_BYTES, is_binary, is_notebook, is_pdf, text, whole_pdf};
use crate::image::{self, is_like_image};
use crate::notebook;
use crate::opened_file::OpenedFile;
use crate::pdf;

/// How large a text may be for its lines to be counted.
const MAX_TEXT_BYTES: u64 = 256 * 1024 * 1024;

const NOT_UTF8: &str = "not UTF-8";

/// Why a file cannot be shown.
type Reason = String;

/// Returns a file's attachment.
///
/// The kind is decided in this order: an image by its first bytes, a PDF by its
/// header, a notebook by its file name, a binary file by a NUL byte near its
/// start, and a text otherwise. `lines` selects lines in a text; other kinds
/// are attached whole.
///
/// # Errors
/// The file is too large for its kind or is no UTF-8, in words for the user.
pub(super) fn of(
    path: &Path,
    opened: OpenedFile,
    head: Head,
    lines: Option<LineRange>,
) -> Result<Mentioned, Reason> {
    let whole = ReadExtent::Whole;
    if is_like_image(&head.bytes) {
        let (media_type, data) = image::encode(&head.bytes, opened.len)?;
        let image = Media::Base64 { media_type: media_type.to_owned(), data: data.into() };
        let content = FileContent::Image(ImageFile { image });
        return Ok(shown(path, opened, content, whole, None));
    }
    if is_pdf(&head) {
        return pdf(path, opened, head);
    }
    if is_notebook(path) {
        let cells = head
            .is_whole
            .then(|| notebook::cells(&head.bytes))
            .ok_or("a notebook of more than 4 MiB")?
            .ok_or("not a Jupyter notebook")?;
        let content = FileContent::Notebook(Notebook { cells });
        return Ok(shown(path, opened, content, whole, None));
    }
    if is_binary(&head) {
        return Err("a binary file".to_owned());
    }
    if !head.is_whole {
        return part(path, opened, &head, lines);
    }
    let text = text(path, head).ok_or(NOT_UTF8)?;
    let file = match lines {
        None => TextFile { content: text.clone(), start_line: 1, total_lines: 0 },
        Some(lines) => range(&text, lines)?,
    };
    let extent = match lines {
        None if is_shown_whole(&text) => ReadExtent::Whole,
        _ => ReadExtent::Part,
    };
    Ok(shown(path, opened, FileContent::Text(file), extent, Some(text)))
}

/// Returns lines of a text that is too long for memory, by default its first ones.
///
/// The last line is complete. The attachment says how many lines there are: they are counted in
/// pieces.
///
/// # Errors
/// The text exceeds 256 MiB, has no such line, or the attached part has no line end.
fn part(
    path: &Path,
    opened: OpenedFile,
    head: &Head,
    lines: Option<LineRange>,
) -> Result<Mentioned, Reason> {
    if opened.len > MAX_TEXT_BYTES {
        return Err("a text of more than 256 MiB".to_owned());
    }
    let (first, last) = lines.map_or((1, usize::MAX), bounds);
    let mut text = head.bytes.chain(BufReader::new((&opened.file).take(MAX_TEXT_BYTES)));
    let (mut bytes, total_lines) =
        chosen_lines(&mut text, first..=last).map_err(|error| error.to_string())?;
    if bytes.is_empty() {
        return Err(no_such_lines(total_lines));
    }
    let is_cut = bytes.len() >= MAX_FILE_BYTES;
    match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(end) if is_cut => bytes.truncate(end + 1),
        None if is_cut => return Err("a text without line ends".to_owned()),
        _ => {}
    }
    let content = String::from_utf8(bytes).map_err(|_| NOT_UTF8)?;
    let file = TextFile { content, start_line: first, total_lines };
    Ok(shown(path, opened, FileContent::Text(file), ReadExtent::Part, None))
}

/// Reads a text in pieces. Returns the start of these lines, and how many lines there are.
fn chosen_lines(
    text: &mut impl BufRead,
    lines: RangeInclusive<usize>,
) -> io::Result<(Vec<u8>, usize)> {
    let (mut chosen, mut ends, mut is_open) = (Vec::new(), 0, false);
    loop {
        let buffer = text.fill_buf()?;
        if buffer.is_empty() {
            return Ok((chosen, ends + usize::from(is_open)));
        }
        let end = memchr(b'\n', buffer);
        let piece = &buffer[..end.map_or(buffer.len(), |end| end + 1)];
        if lines.contains(&(ends + 1)) {
            let room = MAX_FILE_BYTES - chosen.len();
            chosen.extend_from_slice(&piece[..room.min(piece.len())]);
        }
        is_open = end.is_none();
        ends += usize::from(!is_open);
        let length = piece.len();
        text.consume(length);
    }
}

/// Returns a range of lines, cut to the text's length.
///
/// A range that begins in the text and ends after it is shortened.
///
/// # Errors
/// The text has no line in the range.
fn range(text: &str, lines: LineRange) -> Result<TextFile, Reason> {
    let (first, last) = bounds(lines);
    let count = (last + 1).saturating_sub(first);
    let total_lines = text.lines().count();
    // With its line end, a blank last line counts, and `\r` stays.
    let content: String = text.split_inclusive('\n').skip(first - 1).take(count).collect();
    if content.is_empty() {
        return Err(no_such_lines(total_lines));
    }
    Ok(TextFile { content, start_line: first, total_lines })
}

/// Returns the numbers of the first and the last line.
fn bounds(lines: LineRange) -> (usize, usize) {
    (lines.first.max(1) as usize, lines.last as usize)
}

fn no_such_lines(total: usize) -> Reason {
    format!("it has {total} lines, and not these")
}

/// Returns true if an attachment shows the whole text.
fn is_shown_whole(text: &str) -> bool {
    text.len() <= MAX_FILE_BYTES && text.lines().count() <= aside_attachments::MAX_FILE_LINES
}

/// Returns a PDF document's attachment: its bytes, or a reference if it has too
/// many pages or bytes.
///
/// A reference does not record that the file was read, since the model has seen
/// none of it.
///
/// # Errors
/// The document exceeds 32 MiB, has a password, or its pages cannot be counted.
fn pdf(path: &Path, opened: OpenedFile, head: Head) -> Result<Mentioned, Reason> {
    let bytes = whole_pdf(head.bytes, &opened)?;
    let pages = pdf::pages(&bytes).map_err(|error| error.to_string())?;
    let pages = pages.ok_or("a PDF document whose pages cannot be counted")?;
    if pages > MAX_PDF_PAGES || bytes.len() as u64 > MAX_WHOLE_BYTES {
        let path = path.to_string_lossy().into_owned();
        let reference =
            PdfReference { path, pages, bytes: Some(bytes.len() as u64), by_pages: true };
        return Ok(Mentioned { attachment: Attachment::PdfReference(reference), read: None });
    }
    let data = STANDARD.encode(&bytes).into();
    let document = Media::Base64 { media_type: "application/pdf".to_owned(), data };
    let content = FileContent::Pdf(Pdf { document, pages });
    Ok(shown(path, opened, content, ReadExtent::Whole, None))
}

/// Returns a file's attachment, with the record that the model read it.
fn shown(
    path: &Path,
    opened: OpenedFile,
    content: FileContent,
    extent: ReadExtent,
    text: Option<String>,
) -> Mentioned {
    let read = Some(opened.into_read(path, extent, text));
    let path = path.to_string_lossy().into_owned();
    Mentioned { attachment: Attachment::File(File { path, content }), read }
}
