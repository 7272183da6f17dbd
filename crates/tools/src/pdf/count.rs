//! Counting the pages in a document.

use super::budget::Budget;
use super::document::Document;
use super::error::PdfError;
use super::page_tree::PageTree;

/// Returns the number of pages: the leaves of the page tree, or, if the tree
/// cannot be read, the pages that the document has in plain text. `None` if it
/// has none.
///
/// With the fallback, a document with a damaged table can be counted: `/Type
/// /Page` and `/Count` are often not compressed.
///
/// # Errors
/// The document has a password: the API cannot open it.
pub(crate) fn pages(bytes: &[u8]) -> Result<Option<u32>, PdfError> {
    let budget = Budget::default();
    let tree = Document::open(bytes, &budget).and_then(|mut document| {
        if document.xref.is_rebuilt && !has_end(bytes) {
            return Err(PdfError::Damaged("it was cut off"));
        }
        PageTree::read(&mut document)
    });
    let pages = match tree.map(|tree| tree.pages.len()) {
        Err(PdfError::Encrypted) => return Err(PdfError::Encrypted),
        Err(_) | Ok(0) => in_plain_text(bytes),
        Ok(pages) => Some(pages),
    };
    Ok(pages.and_then(|pages| u32::try_from(pages).ok()))
}

/// Where a document's end has to be, from the end of the file.
const END_BYTES: usize = 1_024;

/// Returns false for a document that was cut off: the API refuses it.
fn has_end(bytes: &[u8]) -> bool {
    let mut end = bytes[bytes.len().saturating_sub(END_BYTES)..].windows(5);
    end.any(|it| it == b"%%EOF")
}

/// Counts page objects, else returns the largest `/Count`.
fn in_plain_text(bytes: &[u8]) -> Option<usize> {
    if !has_end(bytes) {
        return None;
    }
    let leaves = leaves(bytes);
    if leaves > 0 { Some(leaves) } else { count(bytes) }
}

/// Counts objects with `/Type /Page`.
fn leaves(bytes: &[u8]) -> usize {
    let types = after(bytes, b"/Type");
    let is_page = |rest: &&[u8]| {
        let rest = rest.trim_ascii_start();
        let name = rest.strip_prefix(b"/Page");
        name.is_some_and(|rest| rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric()))
    };
    types.filter(is_page).count()
}

/// The largest `/Count` belongs to the page tree's root.
fn count(bytes: &[u8]) -> Option<usize> {
    let counts = after(bytes, b"/Count").filter_map(|rest| {
        let rest = rest.trim_ascii_start();
        let end = rest.iter().position(|byte| !byte.is_ascii_digit());
        let digits = &rest[..end.unwrap_or(rest.len())];
        std::str::from_utf8(digits).ok()?.parse().ok()
    });
    counts.filter(|count| *count > 0).max()
}

/// Returns the bytes after each occurrence of `name`.
fn after<'a>(bytes: &'a [u8], name: &'static [u8]) -> impl Iterator<Item = &'a [u8]> {
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    starts.filter_map(move |(at, _)| bytes[at..].strip_prefix(name))
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn pages_are_counted() {
        let check = |text: &[u8], expected| assert_eq!(pages(text), Ok(expected));
        check(b"<< /Type /Pages /Count 2 >> << /Type/Page >> << /Type /Page\n>> %%EOF", Some(2));
        check(b"<< /Type /Pages /Count 12 >> %%EOF", Some(12));
        check(b"<< /Type /Pages /Count 12 >>", None);
        check(b"<< /Type /ObjStm >> %%EOF", None);
        check(b"/Count 99999999999999999999999 %%EOF", None);
        check(b"", None);
        check(&samples::plain(12), Some(12));
        check(&samples::compressed(30), Some(30));
        let encrypted = String::from_utf8(samples::plain(3)).unwrap();
        let encrypted = encrypted.replace("/Root 1 0 R", "/Root 1 0 R /Encrypt 9 0 R");
        assert_eq!(pages(encrypted.as_bytes()), Err(PdfError::Encrypted));
        check(&samples::chain_of_lengths(3_000), Some(1));
        let encrypted = encrypted.replace("startxref", "start");
        assert_eq!(pages(encrypted.as_bytes()), Err(PdfError::Encrypted));
        let damaged = encrypted.replace("/Encrypt 9 0 R", "");
        check(damaged.as_bytes(), Some(3));
        check(damaged.strip_suffix("%%EOF").unwrap().as_bytes(), None);
    }
}
