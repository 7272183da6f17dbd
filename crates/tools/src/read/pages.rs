//! Pages of a PDF document, as a document of their own.
//!
//! The document that is sent holds the pages of the range and the objects that
//! they use. It is written again by `lopdf`, with limits on decompressed
//! streams, since a document may be hostile.

use std::io::{self, Read as _};

use aside_messages::wire::{ContentBlock, Document as DocumentBlock, Extra, MediaSource};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lopdf::{Document, LoadOptions};

use super::Head;
use crate::opened_file::OpenedFile;

/// The maximum size of a PDF that is opened, in bytes.
const MAX_PDF_BYTES: u64 = 32 * 1024 * 1024;
/// The maximum size of the pages of one call, in bytes.
const MAX_SHOWN_BYTES: usize = 16 * 1024 * 1024;
/// The maximum size of one decompressed stream, in bytes.
const MAX_STREAM_BYTES: usize = 64 * 1024 * 1024;
/// The maximum number of pages of one call.
const MAX_PAGES_PER_CALL: u32 = 20;

/// Pages of a document, counted from 1.
///
/// A range beyond the end of the document is a fault; the message has the
/// number of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PageRange {
    first: u32,
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

/// Returns the pages that a call names, as a document. An error is the reason
/// for the model.
pub(super) fn show(
    head: &Head,
    opened: &OpenedFile,
    pages: Option<&str>,
) -> Result<ContentBlock, String> {
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
    let bytes = whole(head, opened).map_err(|error| error.to_string())?;
    let cut = cut(&bytes, range)?;
    if cut.len() > MAX_SHOWN_BYTES {
        return Err("these pages have more than 16 MiB; read fewer of them".to_owned());
    }
    Ok(ContentBlock::Document(DocumentBlock {
        source: MediaSource::Base64 {
            media_type: "application/pdf".to_owned(),
            data: STANDARD.encode(cut).into(),
        },
        title: None,
        context: None,
        citations: None,
        extra: Extra::default(),
        cache_control: None,
    }))
}

/// Reads the rest of the file.
fn whole(head: &Head, opened: &OpenedFile) -> io::Result<Vec<u8>> {
    if opened.len > MAX_PDF_BYTES {
        return Err(io::Error::other("a PDF document of more than 32 MiB"));
    }
    let mut bytes = head.bytes.clone();
    (&opened.file).take(MAX_PDF_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Removes all other pages from a document, and everything that only they use.
fn cut(bytes: &[u8], range: PageRange) -> Result<Vec<u8>, String> {
    let options = LoadOptions {
        max_decompressed_size: Some(MAX_STREAM_BYTES),
        ..LoadOptions::default()
    };
    let loaded = Document::load_mem_with_options(bytes, options);
    let mut document =
        loaded.map_err(|error| format!("a PDF document that is damaged: {error}"))?;
    if document.is_encrypted() {
        return Err("a PDF document with a password".to_owned());
    }
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    let count = pages.len();
    if u32::try_from(count).is_ok_and(|count| range.last > count) {
        return Err(match count {
            1 => "the document has 1 page".to_owned(),
            _ => format!("the document has {count} pages"),
        });
    }
    let is_shown = |page: &u32| (range.first..=range.last).contains(page);
    let others: Vec<u32> = pages.into_iter().filter(|page| !is_shown(page)).collect();
    document.delete_pages(&others);
    document.prune_objects();
    let mut cut = Vec::new();
    let saved = document.save_to(&mut cut);
    saved.map_err(|error| format!("the pages cannot be taken out of the document: {error}"))?;
    Ok(cut)
}

#[cfg(test)]
mod tests {
    use lopdf::{Dictionary, Object, Stream, dictionary};

    use super::*;

    /// A document whose pages have their numbers as text.
    fn document(count: u32) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let root = document.new_object_id();
        let kids = (1..=count).map(|number| {
            let text = format!("BT (page {number}) Tj ET").into_bytes();
            let content = document.add_object(Stream::new(Dictionary::new(), text));
            document
                .add_object(dictionary! {
                    "Type" => "Page", "Parent" => root, "Contents" => content,
                    "MediaBox" => vec![0.into(), 0.into(), 9.into(), 9.into()],
                })
                .into()
        });
        let kids: Vec<Object> = kids.collect();
        let pages = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
        document.objects.insert(root, pages.into());
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn other_pages_are_removed() {
        let check = |range: &str, expected: &[u32]| {
            let range = PageRange::parse(range).unwrap();
            let cut = cut(&document(5), range).unwrap();
            let text = String::from_utf8_lossy(&cut);
            for number in 1..=5 {
                let is_there = text.contains(&format!("page {number}"));
                assert_eq!(is_there, expected.contains(&number), "{text}");
            }
            assert_eq!(crate::pdf::pages(&cut), u32::try_from(expected.len()).ok());
        };
        check("2-3", &[2, 3]);
        check("5", &[5]);
        check("1-5", &[1, 2, 3, 4, 5]);
    }

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
    fn documents_that_cannot_be_cut() {
        let range = PageRange { first: 4, last: 4 };
        assert_eq!(
            cut(&document(3), range).unwrap_err(),
            "the document has 3 pages"
        );
        let damaged = cut(b"%PDF-1.7\nnothing", range).unwrap_err();
        assert!(
            damaged.starts_with("a PDF document that is damaged"),
            "{damaged}"
        );
    }
}
