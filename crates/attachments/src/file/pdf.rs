use aside_messages::conversation::Part;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use super::ReadInput;
use crate::byte_size::byte_size;
use crate::draft::simulated_call;
use crate::media::Media;

/// How many pages a PDF may have to be sent as a document.
pub const MAX_PDF_PAGES: u32 = 10;

/// How many pages a Read call may return.
const MAX_PAGES_PER_CALL: u32 = 20;

/// A PDF document. With more than [`MAX_PDF_PAGES`] pages it is sent as a
/// [`PdfReference`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pdf {
    /// The whole document.
    pub document: Media,
    /// How many pages it has.
    pub pages: u32,
}

/// A PDF document that is too large to send whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PdfReference {
    /// The file's path.
    pub path: String,
    /// How many pages it has.
    pub pages: u32,
    /// The file's size in bytes, if known.
    pub bytes: Option<u64>,
    /// If true, which is the default in JSON, the Read tool has a `pages`
    /// parameter.
    #[serde(default = "by_pages")]
    pub by_pages: bool,
}

fn by_pages() -> bool {
    true
}

impl Pdf {
    pub(super) fn into_draft(self, path: &str) -> Result<Vec<Part>, PdfReference> {
        if self.pages > MAX_PDF_PAGES {
            return Err(PdfReference {
                path: path.to_owned(),
                pages: self.pages,
                bytes: self.document.bytes(),
                by_pages: true,
            });
        }
        let (described, document) = self.document.document();
        let result = format!("A PDF of {}. {described}", pages(self.pages));
        let more = document.into_iter().collect();
        Ok(simulated_call("Read", &ReadInput::whole(path), &result, more))
    }
}

impl PdfReference {
    pub(crate) fn into_draft(self) -> String {
        let mut length = pages(self.pages);
        if let Some(bytes) = self.bytes {
            length = format!("{length}, {}", byte_size(bytes));
        }
        let (path, access) = (one_line(&self.path), self.access());
        format!(
            "The user referred to the PDF {path} ({length}). It is too large to be sent whole{access}"
        )
    }

    /// Ends the sentence with how the model can read the file.
    fn access(&self) -> String {
        if !self.by_pages {
            return ", and the Read tool cannot read single pages of it. If the task needs it, and \
                    you cannot read its text in another way, ask the user for the relevant pages."
                .to_owned();
        }
        format!(
            ". Read it with the Read tool and its `pages` parameter, such as \"1-5\": without \
             `pages` the tool fails, and one request takes at most {MAX_PAGES_PER_CALL} pages. Start \
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
