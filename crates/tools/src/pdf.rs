//! Pages in a PDF document: how many there are, and some of them as a document.
//!
//! A document is read lazily, as slices of its bytes: values are neither built
//! nor decompressed unless they are needed. Every step counts against a
//! `Budget`, and nothing recurses, so a hostile document ends with an error
//! after bounded time and memory.
//!
//! The stages are: `xref` finds where the objects are, `document` reads one
//! object by id, `page_tree` lists the pages, and `cut` writes some of them
//! with everything that they use. `tokens` and `dict` are the syntax below
//! these stages. Not supported: encrypted documents, and filters other than
//! `FlateDecode` on structure streams; page streams are copied as they are.

mod budget;
mod count;
#[cfg(feature = "agent")]
mod cut;
mod dict;
mod document;
mod error;
mod inflate;
mod located;
mod page_tree;
#[cfg(test)]
mod samples;
mod tokens;
mod xref;

pub(crate) use count::pages;
#[cfg(feature = "agent")]
pub(crate) use cut::cut;
