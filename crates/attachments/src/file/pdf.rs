use aside_messages::conversation::EntryDraft;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use super::ReadInput;
use crate::Media;
use crate::draft::{reminder, simulated};
use crate::size::size;

/// The most pages of a PDF that is sent as a document.
pub const PDF_PAGES: u32 = 10;

/// The most pages that the Read tool gives at once.
const PAGES_A_REQUEST: u32 = 20;

/// A PDF document. One of more than 10 pages is sent as a [`PdfReference`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pdf {
    /// The whole document.
    pub document: Media,
    /// How many pages it has.
    pub pages: u32,
}

/// A PDF that is too large to be sent whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PdfReference {
    /// The file.
    pub path: String,
    /// How many pages it has.
    pub pages: u32,
    /// The size of the file in bytes, where it is known.
    pub bytes: Option<u64>,
    /// Whether the Read tool takes `pages`; where it is left out, it does.
    #[serde(default = "is_so")]
    pub by_pages: bool,
}

fn is_so() -> bool {
    true
}

impl Pdf {
    pub(super) fn entry(self, kind: &str, path: &str) -> EntryDraft {
        if self.pages > PDF_PAGES {
            let reference = PdfReference {
                path: path.to_owned(),
                pages: self.pages,
                bytes: self.document.bytes(),
                by_pages: true,
            };
            return reference.entry("pdf_reference");
        }
        let (described, document) = self.document.document();
        let result = format!("A PDF of {}. {described}", pages(self.pages));
        let more = document.into_iter().collect();
        simulated(kind, "Read", &ReadInput::whole(path), &result, more)
    }
}

impl PdfReference {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let mut length = pages(self.pages);
        if let Some(bytes) = self.bytes {
            length = format!("{length}, {}", size(bytes));
        }
        let (path, way) = (one_line(&self.path), self.way());
        let body = format!(
            "The user referred to the PDF {path} ({length}). It is too large to be given whole{way}"
        );
        reminder(kind, body)
    }

    /// How the model gets at it: the end of a sentence, and what follows.
    fn way(&self) -> String {
        if !self.by_pages {
            return ", and the Read tool cannot give some of its pages. If the task needs it, and \
                    you have no other way to its text, ask the user for the pages that matter."
                .to_owned();
        }
        format!(
            ". Read it with the Read tool and its `pages` parameter, such as \"1-5\": without \
             `pages` the tool fails, and one request takes at most {PAGES_A_REQUEST} pages. Begin \
             with the pages that the task needs."
        )
    }
}

fn pages(pages: u32) -> String {
    match pages {
        1 => "1 page".to_owned(),
        _ => format!("{pages} pages"),
    }
}
