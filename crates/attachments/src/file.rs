//! Files, as the Read tool returns them.

mod notebook;
mod pdf;
mod text;
mod too_long;

pub use notebook::{Cell, CellKind, CellOutput, Notebook};
pub use pdf::{MAX_PDF_PAGES, Pdf, PdfReference};
pub use text::{TextFile, numbered_lines};

use aside_messages::conversation::Part;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::draft::simulated_call;
use crate::media::Media;

/// How many lines of a text file are sent.
pub const MAX_FILE_LINES: usize = 2_000;

/// How many bytes of a text file or a notebook are sent.
pub const MAX_FILE_BYTES: usize = 256 * 1024;

/// A file that the user mentioned, or that is sent again after a compaction.
///
/// ```
/// use aside_attachments::{Attachment, File, FileContent, TextFile};
/// use aside_messages::conversation::Part;
///
/// let content = FileContent::Text(TextFile {
///     content: "run();\n".into(),
///     start_line: 1,
///     total_lines: 1,
/// });
/// let file = File { path: "main.rs".into(), content };
/// let entries = Attachment::File(file).into_entries();
/// let [Part::Reminder { body: call }, Part::Reminder { body: result }] = &entries[0].parts[..]
/// else {
///     panic!("a file is a call and its result")
/// };
/// assert_eq!(&**call, r#"Called the Read tool with the following input: {"file_path":"main.rs"}"#);
/// assert_eq!(&**result, "Result of calling the Read tool:\n     1\trun();");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The path, as the Read tool's input.
    pub path: String,
    /// What the file holds.
    pub content: FileContent,
}

/// What a [`File`] holds.
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

/// An image file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageFile {
    /// The image: PNG, JPEG, GIF or WebP.
    pub image: Media,
}

/// A file that was read before a compaction and is not sent again, such as a large one or an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompactFileReference {
    /// The file's path.
    pub path: String,
}

/// A file whose current content the model has already read. Nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlreadyReadFile {
    /// The file's path.
    pub path: String,
}

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
        Self { file_path, offset: None, limit: None }
    }
}

impl File {
    pub(crate) fn into_draft(self) -> Result<Vec<Part>, PdfReference> {
        let path = &self.path;
        match self.content {
            FileContent::Text(file) => Ok(file.into_draft(path)),
            FileContent::Image(file) => Ok(file.into_draft(path)),
            FileContent::Notebook(notebook) => Ok(notebook.into_draft(path)),
            FileContent::Pdf(pdf) => pdf.into_draft(path),
        }
    }
}

impl ImageFile {
    fn into_draft(self, path: &str) -> Vec<Part> {
        let (result, image) = self.image.image();
        let more = image.into_iter().collect();
        simulated_call("Read", &ReadInput::whole(path), &result, more)
    }
}

impl AlreadyReadFile {
    pub(crate) fn into_draft(self) -> Option<String> {
        None
    }
}

impl CompactFileReference {
    pub(crate) fn into_draft(self) -> String {
        format!(
            "{} was read before the conversation was compacted. Its content is not \
             repeated here: use the Read tool where you need it.",
            one_line(&self.path)
        )
    }
}
