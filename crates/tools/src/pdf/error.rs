/// Why pages cannot be taken out of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PdfError {
    /// The document has no readable structure; the value is what is missing.
    #[error("a PDF document that is damaged: {0}")]
    Damaged(&'static str),
    /// The trailer names a key, so strings and streams cannot be read.
    #[error("a PDF document with a password")]
    Encrypted,
    /// Its structure needs too much work or memory.
    #[error("a PDF document that is too complex to be read")]
    TooComplex,
    /// The document has only this many pages.
    #[error("the document has {0} page{s}", s = if *.0 == 1 { "" } else { "s" })]
    PageCount(usize),
    /// The pages are too large.
    #[error("these pages have more than 16 MiB; read fewer of them")]
    TooLarge,
}
