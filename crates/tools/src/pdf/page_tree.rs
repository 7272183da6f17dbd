//! Reading a document's page tree as a list of pages.
//!
//! The tree is walked with a stack. A node that occurs twice is visited once,
//! so a tree that contains itself has an end.

use std::collections::HashSet;
use std::rc::Rc;

use super::dict;
use super::document::Document;
use super::error::PdfError;

/// Counts pages and nodes.
const MAX_NODES: usize = 1_000_000;

/// The keys that a page takes over from the nodes above it.
pub(super) const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];

/// The values for [`INHERITED`].
pub(super) type Inherited = [Option<Rc<[u8]>>; 4];

#[derive(Debug)]
pub(super) struct Page {
    pub(super) id: u32,
    /// Values that the nodes above the page define; the nearest node wins.
    pub(super) inherited: Inherited,
}

#[derive(Debug, Default)]
pub(super) struct PageTree {
    /// The leaves: nodes without `/Kids`.
    pub(super) pages: Vec<Page>,
    /// The objects that are pages or nodes.
    pub(super) nodes: HashSet<u32>,
}

impl PageTree {
    /// Reads a document's tree. A node that cannot be read is left out.
    ///
    /// # Errors
    /// The document has no page tree, the tree has more than a million nodes,
    /// or the budget is spent.
    pub(super) fn read(document: &mut Document<'_>) -> Result<Self, PdfError> {
        let mut tree = Self::default();
        let root = document.page_tree()?;
        tree.nodes.insert(root);
        let mut waiting = vec![(root, Inherited::default())];
        while let Some((id, mut inherited)) = waiting.pop() {
            let budget = document.budget();
            let Some(node) = document.object(id) else {
                continue;
            };
            let node = node.value();
            let kids = dict::get(node, b"Kids", budget).map(<[u8]>::to_vec);
            let Some(mut kids) = kids else {
                tree.pages.push(Page { id, inherited });
                continue;
            };
            for (value, key) in inherited.iter_mut().zip(INHERITED) {
                if let Some(own) = dict::get(node, key, budget) {
                    *value = Some(own.into());
                }
            }
            if let Some(id) = dict::reference(&kids, budget) {
                let array = document.object(id);
                kids = array.map_or_else(Vec::new, |it| it.value().to_vec());
            }
            let kids = dict::items(&kids, budget).filter_map(|it| dict::reference(it, budget));
            // A page has one place.
            let first = waiting.len();
            for id in kids {
                if tree.nodes.insert(id) {
                    waiting.push((id, inherited.clone()));
                }
                if tree.nodes.len() > MAX_NODES {
                    return Err(PdfError::TooComplex);
                }
            }
            waiting[first..].reverse();
        }
        if document.budget().is_spent() { Err(PdfError::TooComplex) } else { Ok(tree) }
    }
}
