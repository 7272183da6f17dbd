//! A file, as if the model had read it.

mod notebook;
mod pdf;
mod text;

pub use notebook::{Cell, CellKind, CellOutput, Notebook};
pub use pdf::{PDF_PAGES, Pdf, PdfReference};
pub use text::{TextFile, numbered_lines};

use aside_messages::conversation::EntryDraft;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::Media;
use crate::draft::{reminder, simulated};

/// The most lines of one text file.
pub const FILE_LINES: usize = 2_000;

/// The most bytes of one text file or notebook.
pub const FILE_BYTES: usize = 256 * 1024;

/// A file that the user referred to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// As the Read tool would be given it.
    pub path: String,
    /// What is in it.
    pub content: FileContent,
}

/// What is in a [`File`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileContent {
    /// Text.
    Text(TextFile),
    /// An image.
    Image(ImageFile),
    /// A Jupyter notebook.
    Notebook(Notebook),
    /// A PDF document.
    Pdf(Pdf),
}

/// A file that is an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageFile {
    /// PNG, JPEG, GIF or WebP.
    pub image: Media,
}

/// A file that was read before the conversation was compacted, and is too
/// large to bring back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompactFileReference {
    /// The file.
    pub path: String,
}

/// A file that the model knows as it is: nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlreadyReadFile {
    /// The file.
    pub path: String,
}

/// The input of the Read tool.
#[derive(Serialize)]
struct ReadInput<'a> {
    file_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
}

impl<'a> ReadInput<'a> {
    fn whole(file_path: &'a str) -> Self {
        Self {
            file_path,
            offset: None,
            limit: None,
        }
    }
}

impl File {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let path = &self.path;
        match self.content {
            FileContent::Text(file) => file.entry(kind, path),
            FileContent::Image(file) => file.entry(kind, path),
            FileContent::Notebook(notebook) => notebook.entry(kind, path),
            FileContent::Pdf(pdf) => pdf.entry(kind, path),
        }
    }
}

impl ImageFile {
    fn entry(self, kind: &str, path: &str) -> EntryDraft {
        let (result, image) = self.image.image();
        let more = image.into_iter().collect();
        simulated(kind, "Read", &ReadInput::whole(path), &result, more)
    }
}

impl CompactFileReference {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let body = format!(
            "{} was read before the conversation was compacted. It is too large to be brought \
             back here: use the Read tool where you need it.",
            one_line(&self.path)
        );
        reminder(kind, body)
    }
}
