//! Pages of a PDF document, as a document.
//!
//! The document that is sent holds the pages in the range and the objects that
//! they use (`crate::pdf`).

use std::io::{self, Read as _};

use aside_messages::wire::{ContentBlock, Document as DocumentBlock, MediaSource};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::file_head::Head;
use crate::opened_file::OpenedFile;
use crate::pdf;

/// How large a PDF may be to open it.
const MAX_PDF_BYTES: u64 = 32 * 1024 * 1024;
const MAX_PAGES_PER_CALL: u32 = 20;

/// Pages in a document, counted from 1.
///
/// A range beyond the document's end is a fault; the message says how many
/// pages there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PageRange {
    /// Counted from 1.
    first: u32,
    /// Included in the range.
    last: u32,
}

impl PageRange {
    /// Reads `3` or `1-5`.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|it| *it > 0);
        let (first, last) = (number(first)?, number(last)?);
        (first <= last).then_some(Self { first, last })
    }

    fn count(self) -> u32 {
        self.last - self.first + 1
    }
}

/// Returns the pages that a call names, as a document. The error tells the
/// model why not.
pub(super) fn show(
    head: &Head,
    opened: &OpenedFile,
    pages: Option<&str>,
) -> Result<ContentBlock, String> {
    let range = requested(pages)?;
    let bytes = whole(head, opened).map_err(|error| error.to_string())?;
    let cut = pdf::cut(&bytes, range.first..=range.last).map_err(|error| error.to_string())?;
    Ok(ContentBlock::Document(DocumentBlock::new(MediaSource::Base64 {
        media_type: "application/pdf".to_owned(),
        data: STANDARD.encode(cut).into(),
    })))
}

fn requested(pages: Option<&str>) -> Result<PageRange, String> {
    let Some(pages) = pages else {
        return Err(format!(
            "a PDF document: use the parameter `pages`, such as \"1-5\", with at most \
             {MAX_PAGES_PER_CALL} pages"
        ));
    };
    let range = PageRange::parse(pages);
    let range =
        range.ok_or_else(|| format!("pages: expected such as 3 or 1-5, found {pages:?}"))?;
    if range.count() > MAX_PAGES_PER_CALL {
        let count = range.count();
        return Err(format!(
            "pages: {count} pages, more than {MAX_PAGES_PER_CALL}; read the others with another call"
        ));
    }
    Ok(range)
}

fn whole(head: &Head, opened: &OpenedFile) -> io::Result<Vec<u8>> {
    if opened.len > MAX_PDF_BYTES {
        return Err(io::Error::other("a PDF document of more than 32 MiB"));
    }
    let mut bytes = head.bytes.clone();
    (&opened.file).take(MAX_PDF_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let check = |text, expected: Option<(u32, u32)>| {
            let expected = expected.map(|(first, last)| PageRange { first, last });
            assert_eq!(PageRange::parse(text), expected, "{text}");
        };
        check("3", Some((3, 3)));
        check(" 1 - 5 ", Some((1, 5)));
        for wrong in ["", "0", "5-1", "1-", "-3", "1,2", "a", "99999999999"] {
            check(wrong, None);
        }
    }

    #[test]
    fn at_most_twenty_pages_at_once() {
        assert_eq!(requested(Some("1-20")).map(PageRange::count), Ok(20));
        let refused = requested(Some("1-21")).unwrap_err();
        assert!(refused.contains("21 pages, more than 20"), "{refused}");
        assert!(requested(None).unwrap_err().contains("at most 20"));
    }
}
