//! The table that says where a document's objects are.
//!
//! The table is a chain of sections, the newest at the end of the file. A
//! section is plain text (`xref` … `trailer`) or a stream with rows of three
//! numbers; both kinds may occur in one document. An entry in a newer section
//! replaces one in an older section. A table that cannot be used is rebuilt
//! from the lines that begin with `7 0 obj`.

use std::collections::{HashMap, HashSet};

use super::budget::Budget;
use super::dict;
use super::error::PdfError;
use super::inflate;
use super::located::stream_at;
use super::tokens::{Token, Tokens};

const MAX_OBJECTS: usize = 1_000_000;
const MAX_SECTIONS: usize = 4_096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The id has no object, or is not in the table.
    Free,
    /// At this offset in the file.
    At(usize),
    /// In this object stream.
    In(u32),
}

/// Where all objects are, and the catalog.
#[derive(Debug, Default)]
pub(super) struct Xref {
    /// By id; at most `MAX_OBJECTS`.
    places: HashMap<u32, Place>,
    /// The catalog's object, from the newest section that names it.
    root: Option<u32>,
    /// Whether the file's own table cannot be used.
    pub(super) is_rebuilt: bool,
}

impl Xref {
    /// Reads the table's sections, newest first. A table that is missing or
    /// wrong is replaced by the objects that the file has in plain text.
    ///
    /// # Errors
    /// The document is encrypted, or exceeds a limit.
    pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Self, PdfError> {
        let read = Self::of_sections(bytes, budget);
        if matches!(read, Err(PdfError::Damaged(_))) && !budget.is_spent() {
            return Self::rebuilt(bytes, budget);
        }
        read
    }

    pub(super) fn root(&self) -> Result<u32, PdfError> {
        self.root.ok_or(PdfError::Damaged("it has no catalog"))
    }

    /// `Free` for an unknown id.
    pub(super) fn place(&self, id: u32) -> Place {
        self.places.get(&id).copied().unwrap_or(Place::Free)
    }

    /// Follows the sections from `startxref` at the end of the file. A section
    /// that is its own predecessor is read once.
    ///
    /// # Errors
    /// A section cannot be read, the table has no catalog, or there are more
    /// than `MAX_SECTIONS`.
    fn of_sections(bytes: &[u8], budget: &Budget) -> Result<Self, PdfError> {
        let missing = PdfError::Damaged("it has no table of its objects");
        let start = last(bytes, b"startxref").ok_or(missing)?;
        let mut tokens = Tokens::new(bytes, start, budget);
        let first = tokens.is_word(b"startxref").then(|| tokens.integer());
        let mut waiting = vec![first.flatten().ok_or(missing)?];
        let mut seen = HashSet::new();
        let mut xref = Self::default();
        while let Some(offset) = waiting.pop() {
            if !seen.insert(offset) {
                continue;
            }
            if seen.len() > MAX_SECTIONS {
                return Err(PdfError::TooComplex);
            }
            let offset = usize::try_from(offset).ok().filter(|it| *it < bytes.len());
            let section = xref.section(bytes, offset.ok_or(missing)?, budget)?;
            let get = |key: &[u8]| dict::get(section, key, budget);
            if get(b"Encrypt").is_some() {
                return Err(PdfError::Encrypted);
            }
            let root = get(b"Root").and_then(|root| dict::reference(root, budget));
            xref.root = xref.root.or(root);
            waiting.extend(get(b"Prev").and_then(dict::integer));
            // Read before the previous section.
            waiting.extend(get(b"XRefStm").and_then(dict::integer));
        }
        let catalog = xref.root.map(|root| xref.place(root));
        match catalog {
            Some(Place::At(_) | Place::In(_)) => Ok(xref),
            _ => Err(missing),
        }
    }

    /// Reads a section, and returns its dictionary.
    fn section<'a>(
        &mut self,
        bytes: &'a [u8],
        offset: usize,
        budget: &'a Budget,
    ) -> Result<&'a [u8], PdfError> {
        let mut tokens = Tokens::new(bytes, offset, budget);
        if tokens.is_word(b"xref") {
            return self.table(tokens);
        }
        let damaged = PdfError::Damaged("the table of its objects cannot be read");
        let object = stream_at(bytes, offset, None, budget).ok_or(damaged)?;
        let value = &bytes[object.value];
        let data = object.data.ok_or(damaged)?;
        let rows = inflate::decode(value, &bytes[data], budget)?;
        self.rows(value, &rows, budget).ok_or(damaged)?;
        Ok(value)
    }

    /// Reads a table in plain text.
    fn table<'a>(&mut self, mut tokens: Tokens<'a>) -> Result<&'a [u8], PdfError> {
        let damaged = PdfError::Damaged("the table of its objects cannot be read");
        loop {
            let mut ahead = tokens.clone();
            if ahead.is_word(b"trailer") {
                return ahead.value_slice().ok_or(damaged);
            }
            let first = tokens.integer().ok_or(damaged)?;
            let count = tokens.integer().ok_or(damaged)?;
            for id in first..first.saturating_add(count) {
                let offset = tokens.integer().ok_or(damaged)?;
                tokens.integer().ok_or(damaged)?;
                let place = match tokens.next_slice() {
                    Some((Token::Word, b"n")) => usize::try_from(offset).map(Place::At),
                    Some((Token::Word, b"f")) => Ok(Place::Free),
                    _ => return Err(damaged),
                };
                self.insert(id, place.unwrap_or(Place::Free))?;
            }
        }
    }

    /// Reads the rows of a table in a stream.
    fn rows(&mut self, dict: &[u8], rows: &[u8], budget: &Budget) -> Option<()> {
        let numbers = |key: &[u8]| -> Option<Vec<u64>> {
            let array = dict::get(dict, key, budget)?;
            dict::items(array, budget).map(dict::integer).collect()
        };
        let widths = numbers(b"W")?;
        let widths: [usize; 3] = widths
            .iter()
            .map(|it| usize::try_from(*it).ok().filter(|it| *it <= 8))
            .collect::<Option<Vec<_>>>()?
            .try_into()
            .ok()?;
        let size = dict::get(dict, b"Size", budget).and_then(dict::integer)?;
        let index = numbers(b"Index").unwrap_or_else(|| vec![0, size]);
        let mut rows = rows.chunks_exact(widths.iter().sum::<usize>().max(1));
        for range in index.chunks_exact(2) {
            for id in range[0]..range[0].saturating_add(range[1]) {
                let Some(mut row) = rows.next() else {
                    return Some(());
                };
                let mut field = |width: usize| {
                    let (now, rest) = row.split_at(width);
                    row = rest;
                    now.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
                };
                let (kind, second) = (field(widths[0]), field(widths[1]));
                let kind = if widths[0] == 0 { 1 } else { kind };
                let place = match kind {
                    1 => usize::try_from(second).ok().map(Place::At),
                    2 => u32::try_from(second).ok().map(Place::In),
                    _ => None,
                };
                self.insert(id, place.unwrap_or(Place::Free)).ok()?;
            }
        }
        Some(())
    }

    /// Adds an object's place, unless a newer section has one.
    fn insert(&mut self, id: u64, place: Place) -> Result<(), PdfError> {
        if let Ok(id) = u32::try_from(id) {
            self.places.entry(id).or_insert(place);
        }
        if self.places.len() <= MAX_OBJECTS { Ok(()) } else { Err(PdfError::TooComplex) }
    }

    /// Finds the objects and the catalog in the file's text. A later object
    /// replaces an earlier one.
    fn rebuilt(bytes: &[u8], budget: &Budget) -> Result<Self, PdfError> {
        let mut xref = Self { is_rebuilt: true, ..Self::default() };
        let mut line = 0;
        while line < bytes.len() && budget.read(16) {
            let end = bytes[line..].iter().position(|it| matches!(it, b'\r' | b'\n'));
            let end = end.map_or(bytes.len(), |length| line + length);
            let mut tokens = Tokens::new(bytes, line, budget);
            if bytes[line..end].starts_with(b"trailer") {
                tokens.next();
                let dict = tokens.value_slice().unwrap_or_default();
                if dict::get(dict, b"Encrypt", budget).is_some() {
                    return Err(PdfError::Encrypted);
                }
            } else if bytes[line..end].first().is_some_and(u8::is_ascii_digit) {
                let id = tokens.integer().and_then(|id| u32::try_from(id).ok());
                let is_object = tokens.integer().is_some() && tokens.is_word(b"obj");
                if let Some(id) = id.filter(|_| is_object) {
                    let dict = tokens.value_slice().unwrap_or_default();
                    if dict::get(dict, b"Encrypt", budget).is_some() {
                        return Err(PdfError::Encrypted);
                    }
                    let kind = dict::get(dict, b"Type", budget).unwrap_or_default();
                    if dict::is_name(kind, b"Catalog") {
                        xref.root = Some(id);
                    }
                    xref.places.insert(id, Place::At(line));
                    if xref.places.len() > MAX_OBJECTS {
                        return Err(PdfError::TooComplex);
                    }
                }
            }
            line = end + 1;
        }
        Ok(xref)
    }
}

fn last(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).rposition(|it| it == word)
}
