//! Cutting some pages out of a document, as a document.
//!
//! Objects get new numbers, in the order in which they are found: 1 is the
//! catalog, 2 the page tree, then the pages, then the objects that a page uses,
//! directly or through others. Object streams are dissolved; stream data is
//! copied without being decoded.
//!
//! ```text
//! 5 0 obj << /Type /Page /Parent 4 0 R /Contents 9 0 R >>
//! → 3 0 obj << /Type /Page /Contents 4 0 R /Parent 2 0 R >>
//! ```

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::Write;
use std::ops::RangeInclusive;

use super::budget::Budget;
use super::dict;
use super::document::Document;
use super::error::PdfError;
use super::page_tree::{INHERITED, Page, PageTree};
use super::tokens::{Token, Tokens};

/// For the result.
const MAX_CUT_BYTES: usize = 16 * 1024 * 1024;

/// The result's catalog and page tree.
const CATALOG: u32 = 1;
const PAGES: u32 = 2;

/// Returns a document with these pages, counted from 1, and everything that
/// they use.
///
/// # Errors
/// The document is damaged or encrypted, has fewer pages than the range, gives
/// a result over 16 MiB, or takes more work than the budget.
pub(crate) fn cut(bytes: &[u8], range: RangeInclusive<u32>) -> Result<Vec<u8>, PdfError> {
    let budget = Budget::default();
    let cut = Document::open(bytes, &budget).and_then(|document| cut_within(document, range));
    match cut {
        Err(PdfError::Damaged(_)) if budget.is_spent() => Err(PdfError::TooComplex),
        cut => cut,
    }
}

/// Writes the pages, then every waiting object, until none is left.
fn cut_within(mut document: Document<'_>, range: RangeInclusive<u32>) -> Result<Vec<u8>, PdfError> {
    let PageTree { pages, nodes } = PageTree::read(&mut document)?;
    let count = pages.len();
    let at = |page: u32| usize::try_from(page).ok();
    let (first, last) = (at(*range.start()), at(*range.end()));
    let shown = first.zip(last).and_then(|(first, last)| pages.get(first.checked_sub(1)?..last));
    let shown = shown.ok_or(PdfError::PageCount(count))?;
    let mut cut = Cut::new(shown, nodes);
    for page in shown {
        cut.page(page, &mut document)?;
    }
    while let Some((old, new)) = cut.waiting.pop_front() {
        cut.object(old, new, &mut document)?;
    }
    if document.budget().is_spent() { Err(PdfError::TooComplex) } else { cut.end(shown) }
}

/// A document that is being written.
struct Cut {
    out: Vec<u8>,
    /// Object offsets, from 1.
    offsets: Vec<usize>,
    /// Each object's new id.
    ids: HashMap<u32, u32>,
    next: u32,
    /// Objects that are used and not written yet: the old and the new id.
    waiting: VecDeque<(u32, u32)>,
    /// The pages and nodes that are not shown.
    hidden: HashSet<u32>,
}

impl Cut {
    /// Reserves the pages' ids, to keep references between shown pages.
    fn new(shown: &[Page], nodes: HashSet<u32>) -> Self {
        let ids: HashMap<u32, u32> = shown.iter().map(|page| page.id).zip(PAGES + 1..).collect();
        let mut hidden = nodes;
        hidden.retain(|id| !ids.contains_key(id));
        Self {
            out: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(),
            offsets: vec![0; shown.len() + 2],
            next: PAGES + 1 + ids.len() as u32,
            ids,
            waiting: VecDeque::new(),
            hidden,
        }
    }

    /// Writes a page, with what it takes over from the nodes above it.
    fn page(&mut self, page: &Page, document: &mut Document<'_>) -> Result<(), PdfError> {
        let budget = document.budget();
        let object = document.object(page.id);
        let object = object.ok_or(PdfError::Damaged("a page cannot be read"))?;
        self.begin(self.ids[&page.id]);
        self.put(b"<<")?;
        for (key, value) in dict::entries(object.value(), budget) {
            if *key != *b"Parent" {
                self.entry(&key, value, budget)?;
            }
        }
        for (key, value) in INHERITED.iter().zip(&page.inherited) {
            let is_own = dict::get(object.value(), key, budget).is_some();
            if let Some(value) = value.as_ref().filter(|_| !is_own) {
                self.entry(key, value, budget)?;
            }
        }
        self.put(format!("/Parent {PAGES} 0 R >>\nendobj\n").as_bytes())
    }

    /// Writes an object that a page uses. One that cannot be read is null.
    fn object(&mut self, old: u32, new: u32, document: &mut Document<'_>) -> Result<(), PdfError> {
        let budget = document.budget();
        self.begin(new);
        let Some(object) = document.object(old) else {
            return self.put(b"null\nendobj\n");
        };
        let Some(data) = object.data else {
            self.value(object.value(), budget)?;
            return self.put(b"\nendobj\n");
        };
        self.put(b"<<")?;
        for (key, value) in dict::entries(object.value(), budget) {
            if *key != *b"Length" {
                self.entry(&key, value, budget)?;
            }
        }
        self.put(format!("/Length {} >>\nstream\n", data.len()).as_bytes())?;
        self.put(data)?;
        self.put(b"\nendstream\nendobj\n")
    }

    /// Writes the catalog, the page tree and the table of objects.
    fn end(mut self, shown: &[Page]) -> Result<Vec<u8>, PdfError> {
        self.begin(CATALOG);
        self.put(format!("<< /Type /Catalog /Pages {PAGES} 0 R >>\nendobj\n").as_bytes())?;
        self.begin(PAGES);
        let kids: Vec<String> =
            (PAGES + 1..).take(shown.len()).map(|id| format!("{id} 0 R")).collect();
        let (kids, count) = (kids.join(" "), shown.len());
        let pages = format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>\nendobj\n");
        self.put(pages.as_bytes())?;
        let start = self.out.len();
        let size = self.offsets.len() + 1;
        let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n").into_bytes();
        for offset in &self.offsets {
            // Writing to memory cannot fail.
            let _ = writeln!(table, "{offset:010} 00000 n ");
        }
        self.put(&table)?;
        let trailer =
            format!("trailer\n<< /Size {size} /Root {CATALOG} 0 R >>\nstartxref\n{start}\n%%EOF\n");
        self.put(trailer.as_bytes())?;
        Ok(self.out)
    }

    /// Writes an object's header, and records its offset.
    fn begin(&mut self, id: u32) {
        let at = id as usize - 1;
        if self.offsets.len() <= at {
            self.offsets.resize(at + 1, 0);
        }
        self.offsets[at] = self.out.len();
        self.out.extend(format!("{id} 0 obj\n").as_bytes());
    }

    /// Adds bytes to the result, up to its maximum size.
    fn put(&mut self, bytes: &[u8]) -> Result<(), PdfError> {
        if self.out.len() + bytes.len() > MAX_CUT_BYTES {
            return Err(PdfError::TooLarge);
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes a key and its value. Bytes in the key that mean something are
    /// escaped as `#xx`.
    fn entry(&mut self, key: &[u8], value: &[u8], budget: &Budget) -> Result<(), PdfError> {
        self.put(b"/")?;
        for byte in key {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') {
                self.put(&[*byte])?;
            } else {
                self.put(format!("#{byte:02x}").as_bytes())?;
            }
        }
        self.put(b" ")?;
        self.value(value, budget)?;
        self.put(b"\n")
    }

    /// Writes a value, with new ids in its references.
    ///
    /// Copies the value token by token, without recursion. `1 0 R` is three
    /// tokens, so every number is first tried as the start of a reference.
    fn value(&mut self, value: &[u8], budget: &Budget) -> Result<(), PdfError> {
        let mut tokens = Tokens::new(value, 0, budget);
        loop {
            let mut ahead = tokens.clone();
            let Some((token, text)) = ahead.next_slice() else {
                return Ok(());
            };
            let start = tokens.clone();
            tokens = ahead;
            if token == Token::Number {
                let mut whole = start;
                let id = whole.value_slice().and_then(|it| dict::reference(it, budget));
                if let Some(id) = id {
                    tokens = whole;
                    self.reference(id)?;
                    continue;
                }
            }
            self.put(text)?;
            self.put(b" ")?;
        }
    }

    /// Writes a reference to an object, and queues the object if it is new. A
    /// reference to a page that is not shown, or to a page tree node, becomes
    /// `null`: otherwise the whole document would come along.
    fn reference(&mut self, old: u32) -> Result<(), PdfError> {
        if self.hidden.contains(&old) {
            return self.put(b"null ");
        }
        let new = match self.ids.get(&old) {
            Some(new) => *new,
            None => {
                let new = self.next;
                self.next = new.checked_add(1).ok_or(PdfError::TooComplex)?;
                self.ids.insert(old, new);
                self.waiting.push_back((old, new));
                new
            }
        };
        self.put(format!("{new} 0 R ").as_bytes())
    }
}

#[cfg(test)]
mod tests;
