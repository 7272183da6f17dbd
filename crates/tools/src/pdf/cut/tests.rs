use proptest::prelude::*;

use super::*;
use crate::pdf::{pages, samples};

fn check(document: &[u8], count: usize, range: RangeInclusive<u32>) {
    let cut = cut(document, range.clone()).unwrap();
    let text = String::from_utf8_lossy(&cut);
    for number in 1..=count as u32 {
        let is_there = text.contains(&format!("(page {number})"));
        assert_eq!(is_there, range.contains(&number), "{number}: {text}");
    }
    assert_eq!(pages(&cut), Ok(u32::try_from(range.count()).ok()));
    // What the pages take over from the tree, and what they use.
    assert!(text.contains("/MediaBox [ 0 0 9 9 ]"), "{text}");
    assert_eq!(text.matches("/Ar#69al").count(), 1, "{text}");
    // A page taken from the result is a document again.
    assert_eq!(pages(&super::cut(&cut, 1..=1).unwrap()), Ok(Some(1)));
}

#[test]
fn other_pages_are_removed() {
    for document in [samples::plain(5), samples::compressed(5)] {
        check(&document, 5, 2..=3);
        check(&document, 5, 5..=5);
        check(&document, 5, 1..=5);
    }
    let shifted = [b"junk\n".as_slice(), &samples::plain(3)].concat();
    check(&shifted, 3, 2..=2);
}

#[test]
fn a_table_that_is_wrong_is_rebuilt() {
    let mut document = samples::plain(5);
    let end = document.len() - 10;
    document.truncate(end);
    check(&document, 5, 4..=5);
    let moved = samples::plain(5).split_off(9);
    let moved = [b"%PDF-1.5\n% A longer header.\n".as_slice(), &moved].concat();
    check(&moved, 5, 1..=2);
}

#[test]
fn documents_that_cannot_be_cut() {
    let fault = |bytes: &[u8], range| cut(bytes, range).unwrap_err();
    assert_eq!(fault(&samples::plain(3), 4..=4), PdfError::PageCount(3));
    assert_eq!(fault(&samples::plain(3), 3..=4), PdfError::PageCount(3));
    let damaged = fault(b"%PDF-1.7\nnothing", 1..=1).to_string();
    assert!(damaged.starts_with("a PDF document that is damaged"), "{damaged}");
    let encrypted = String::from_utf8(samples::plain(3)).unwrap();
    let encrypted = encrypted.replace("/Root 1 0 R", "/Root 1 0 R /Encrypt 9 0 R");
    assert_eq!(fault(encrypted.as_bytes(), 1..=1), PdfError::Encrypted);
}

#[test]
fn hostile_documents_end() {
    // A reader that follows the lengths recurses as often as there are streams.
    assert!(cut(&samples::chain_of_lengths(20_000), 1..=1).is_ok());
    // Nesting.
    let deep = "[".repeat(2_000_000);
    let nested = format!("%PDF-1.5\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R /A {deep}\nendobj\n");
    assert!(cut(nested.as_bytes(), 1..=1).is_err());
    // Pages whose contents are one long array.
    let mut kids = String::from("%PDF-1.5\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    kids.push_str("2 0 obj\n<< /Kids [2 0 R ");
    kids.push_str(&"2 0 R 3 0 R ".repeat(100_000));
    kids.push_str("] >>\nendobj\n3 0 obj\n<< /Kids 2 0 R >>\nendobj\n");
    assert_eq!(cut(kids.as_bytes(), 1..=1), Err(PdfError::PageCount(0)));
    // A table of very many sections.
    let mut sections = samples::plain(2);
    let mut previous = String::from_utf8_lossy(&sections).rfind("xref\n0 ").unwrap();
    for _ in 0..5_000 {
        let at = sections.len() + 1;
        let text = format!("\nxref\n0 0\ntrailer\n<< /Root 1 0 R /Prev {previous} >>");
        sections.extend(text.as_bytes());
        previous = at;
    }
    sections.extend(format!("\nstartxref\n{previous}\n").as_bytes());
    assert_eq!(cut(&sections, 1..=1), Err(PdfError::TooComplex));
}

proptest! {
    #[test]
    fn a_spoiled_document_is_cut_or_refused(
        is_plain in any::<bool>(),
        spoiled in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        end in any::<prop::sample::Index>(),
    ) {
        let mut document = if is_plain { samples::plain(3) } else { samples::compressed(3) };
        for (at, byte) in spoiled {
            let at = at.index(document.len());
            document[at] = byte;
        }
        let _ = cut(&document, 1..=2);
        document.truncate(end.index(document.len()));
        let _ = (cut(&document, 1..=1), pages(&document));
    }
}
