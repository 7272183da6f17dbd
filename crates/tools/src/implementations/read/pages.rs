//! Pages of a PDF document, as a document.
//!
//! The document that is sent holds the pages in the range and the objects that
//! they use (`crate::pdf`).

use std::ops::RangeInclusive;

use aside_messages::wire::{ContentBlock, Document as DocumentBlock, MediaSource};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::file_head::{Head, whole_pdf};
use crate::opened_file::OpenedFile;
use crate::pdf;

const MAX_PAGES_PER_CALL: u32 = 20;

/// Reads `3` or `1-5`: pages in a document, counted from 1.
///
/// A range beyond the document's end is a fault; the message says how many
/// pages there are.
fn range(text: &str) -> Option<RangeInclusive<u32>> {
    let text = text.trim();
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|it| *it > 0);
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some(first..=last)
}

/// Returns the pages that a call names, as a document. The error tells the
/// model why not.
pub(super) fn show(
    head: &Head,
    opened: &OpenedFile,
    pages: Option<&str>,
) -> Result<ContentBlock, String> {
    let range = requested(pages)?;
    let bytes = whole_pdf(head.bytes.clone(), opened)?;
    let cut = pdf::cut(&bytes, range).map_err(|error| error.to_string())?;
    Ok(ContentBlock::Document(DocumentBlock::new(MediaSource::Base64 {
        media_type: "application/pdf".to_owned(),
        data: STANDARD.encode(cut).into(),
    })))
}

fn requested(pages: Option<&str>) -> Result<RangeInclusive<u32>, String> {
    let Some(pages) = pages else {
        return Err(format!(
            "a PDF document: use the parameter `pages`, such as \"1-5\", with at most \
             {MAX_PAGES_PER_CALL} pages"
        ));
    };
    let range =
        range(pages).ok_or_else(|| format!("pages: expected such as 3 or 1-5, found {pages:?}"))?;
    let count = range.end() - range.start() + 1;
    if count > MAX_PAGES_PER_CALL {
        return Err(format!(
            "pages: {count} pages, more than {MAX_PAGES_PER_CALL}; read the others with another call"
        ));
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let check = |text, expected: Option<(u32, u32)>| {
            let expected = expected.map(|(first, last)| first..=last);
            assert_eq!(range(text), expected, "{text}");
        };
        check("3", Some((3, 3)));
        check(" 1 - 5 ", Some((1, 5)));
        for wrong in ["", "0", "5-1", "1-", "-3", "1,2", "a", "99999999999"] {
            check(wrong, None);
        }
    }

    #[test]
    fn at_most_twenty_pages_at_once() {
        assert_eq!(requested(Some("1-20")), Ok(1..=20));
        let refused = requested(Some("1-21")).unwrap_err();
        assert!(refused.contains("21 pages, more than 20"), "{refused}");
        assert!(requested(None).unwrap_err().contains("at most 20"));
    }
}
