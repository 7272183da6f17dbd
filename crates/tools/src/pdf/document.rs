//! A document's objects, read when they are needed.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::budget::Budget;
use super::dict;
use super::error::PdfError;
use super::inflate;
use super::located::{is_object, length_reference, object_at, stream_at};
use super::tokens::Tokens;
use super::xref::{Place, Xref};

#[derive(Debug)]
pub(super) struct Document<'a> {
    /// The file from its header on.
    bytes: &'a [u8],
    budget: &'a Budget,
    pub(super) xref: Xref,
    /// Decompressed object streams; `None` for one that cannot be read.
    streams: HashMap<u32, Option<Rc<ObjectStream>>>,
}

#[derive(Debug)]
struct ObjectStream {
    /// A header of ids and offsets, then the values.
    data: Vec<u8>,
    offsets: HashMap<u32, usize>,
}

#[derive(Debug)]
pub(super) struct Object<'a> {
    /// What `value` is a range in.
    source: Source<'a>,
    value: Range<usize>,
    /// A stream's data, as in the file.
    pub(super) data: Option<&'a [u8]>,
}

/// The bytes that contain an object.
#[derive(Debug)]
enum Source<'a> {
    /// The file itself.
    File(&'a [u8]),
    /// An object stream, shared by all objects in it.
    Stream(Rc<ObjectStream>),
}

impl Object<'_> {
    pub(super) fn value(&self) -> &[u8] {
        match &self.source {
            Source::File(bytes) => &bytes[self.value.clone()],
            Source::Stream(stream) => &stream.data[self.value.clone()],
        }
    }
}

impl<'a> Document<'a> {
    /// Finds the header in the first 1,024 bytes, and reads the table of
    /// objects.
    ///
    /// # Errors
    /// There is no header, or the table cannot be read.
    pub(super) fn open(bytes: &'a [u8], budget: &'a Budget) -> Result<Self, PdfError> {
        // Offsets count from the header.
        let start = bytes.windows(5).take(1_024).position(|it| it == b"%PDF-");
        let bytes = &bytes[start.ok_or(PdfError::Damaged("it has no header"))?..];
        Ok(Self { bytes, budget, xref: Xref::read(bytes, budget)?, streams: HashMap::new() })
    }

    pub(super) fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Returns the object at the root of the page tree.
    pub(super) fn page_tree(&mut self) -> Result<u32, PdfError> {
        let damaged = PdfError::Damaged("it has no pages");
        let catalog = self.object(self.xref.root()?).ok_or(damaged)?;
        let pages = dict::get(catalog.value(), b"Pages", self.budget);
        let pages = pages.and_then(|pages| dict::reference(pages, self.budget));
        pages.ok_or(damaged)
    }

    /// `None` if it is not there or cannot be read.
    pub(super) fn object(&mut self, id: u32) -> Option<Object<'a>> {
        match self.xref.place(id) {
            Place::Free => None,
            Place::At(offset) => {
                let length = self.stream_length(offset);
                let found = stream_at(self.bytes, offset, length, self.budget);
                let found = found.filter(|_| is_object(self.bytes, offset, id, self.budget))?;
                Some(Object {
                    source: Source::File(self.bytes),
                    value: found.value,
                    data: found.data.map(|data| &self.bytes[data]),
                })
            }
            Place::In(stream) => {
                let stream = self.stream(stream)?;
                let start = *stream.offsets.get(&id)?;
                let value = Tokens::new(&stream.data, start, self.budget).value()?;
                Some(Object { source: Source::Stream(stream), value, data: None })
            }
        }
    }

    /// Returns the length of the stream at an offset, if that is a separate
    /// object.
    fn stream_length(&mut self, offset: usize) -> Option<usize> {
        let id = length_reference(self.bytes, offset, self.budget)?;
        match self.xref.place(id) {
            Place::In(stream) => {
                let stream = self.stream(stream)?;
                let start = *stream.offsets.get(&id)?;
                usize::try_from(Tokens::new(&stream.data, start, self.budget).integer()?).ok()
            }
            place => self.length_at(place),
        }
    }

    /// Returns a length that is an object in the file.
    fn length_at(&self, place: Place) -> Option<usize> {
        let Place::At(offset) = place else {
            return None;
        };
        usize::try_from(object_at(self.bytes, offset, self.budget)?.integer()?).ok()
    }

    /// Returns a decompressed object stream.
    ///
    /// A stream is decompressed once, and one that cannot be read is not tried
    /// again.
    fn stream(&mut self, id: u32) -> Option<Rc<ObjectStream>> {
        if let Some(known) = self.streams.get(&id) {
            return known.clone();
        }
        let read = self.read_stream(id).map(Rc::new);
        self.streams.insert(id, read.clone());
        read
    }

    /// Reads an object stream. Its length may not be in an object stream: a
    /// chain of them would have no end.
    fn read_stream(&self, id: u32) -> Option<ObjectStream> {
        let Place::At(offset) = self.xref.place(id) else {
            return None;
        };
        let length = length_reference(self.bytes, offset, self.budget)
            .and_then(|id| self.length_at(self.xref.place(id)));
        let found = stream_at(self.bytes, offset, length, self.budget)?;
        let dict = &self.bytes[found.value];
        let get = |key: &[u8]| dict::get(dict, key, self.budget);
        if !dict::is_name(get(b"Type")?, b"ObjStm") {
            return None;
        }
        let number = |key: &[u8]| usize::try_from(dict::integer(get(key)?)?).ok();
        let (count, first) = (number(b"N")?, number(b"First")?);
        let data = inflate::decode(dict, &self.bytes[found.data?], self.budget).ok()?;
        let mut offsets = HashMap::new();
        let mut header = Tokens::new(&data, 0, self.budget);
        for _ in 0..count {
            let (Some(id), Some(offset)) = (header.integer(), header.integer()) else {
                break;
            };
            let offset = usize::try_from(offset).ok()?.checked_add(first)?;
            offsets.insert(u32::try_from(id).ok()?, offset);
        }
        Some(ObjectStream { data, offsets })
    }
}
