use std::fmt;

/// The reason why pages cannot be taken out of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PdfError {
    /// The document has no readable structure; the value is what is missing.
    Damaged(&'static str),
    /// The trailer names a key, so strings and streams cannot be read.
    Encrypted,
    /// Its structure needs too much work or memory.
    TooComplex,
    /// The document has only so many pages.
    PageCount(usize),
    /// The pages are too large.
    TooLarge,
}

impl fmt::Display for PdfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(missing) => write!(f, "a PDF document that is damaged: {missing}"),
            Self::Encrypted => f.write_str("a PDF document with a password"),
            Self::TooComplex => f.write_str("a PDF document that is too complex to be read"),
            Self::PageCount(1) => f.write_str("the document has 1 page"),
            Self::PageCount(pages) => write!(f, "the document has {pages} pages"),
            Self::TooLarge => f.write_str("these pages have more than 16 MiB; read fewer of them"),
        }
    }
}
