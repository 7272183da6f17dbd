//! A Jupyter notebook in the form in which the Read tool returns it.
//!
//! ```text
//! <cell number="1" kind="code">
//! print("a")
//! </cell>
//! <output cell="1" kind="text">
//! a
//! </output>
//! ```

use aside_messages::conversation::Part;
use aside_messages::neutralize;
use serde::{Deserialize, Serialize};

use super::too_long::more_cells;
use super::{MAX_FILE_BYTES, ReadInput};
use crate::draft::{reminder_part, simulated_call};
use crate::media::Media;
use crate::tag::opening;
use crate::truncate::{self, left_out};

/// For each output of a cell.
const MAX_OUTPUT_CHARS: usize = 10_000;

/// How many images of a notebook to send.
const MAX_IMAGES: usize = 20;

/// The tags around cells and outputs, which are neutralized inside both.
const TAGS: &[&str] = &["cell", "output"];

/// A Jupyter notebook, sent up to the last whole cell within 256 KB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notebook {
    /// The cells, in order.
    pub cells: Vec<Cell>,
}

/// A cell in a [`Notebook`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// What kind of source it has.
    pub kind: CellKind,
    /// Its source text.
    pub source: String,
    /// What its last run printed, up to 10,000 characters of each output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<CellOutput>,
}

aside_text::names! {
    /// What a [`Cell`] holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CellKind {
        /// Code.
        Code = "code",
        /// Markdown.
        Markdown = "markdown",
        /// Raw text, neither run nor formatted.
        Raw = "raw",
    }
}

/// An output in a [`Cell`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum CellOutput {
    /// Text.
    Text {
        /// The text as in the notebook.
        text: String,
    },
    /// An error.
    Error {
        /// Its name, message and trace.
        text: String,
    },
    /// An image.
    Image {
        /// The image: PNG or JPEG.
        image: Media,
    },
}

impl Notebook {
    /// The first cell is always shown, truncated if necessary. Images follow
    /// the text, at most 20.
    pub(super) fn into_draft(self, path: &str) -> Vec<Part> {
        let total = self.cells.len();
        let mut text = String::new();
        let mut images = Vec::new();
        let mut shown = 0;
        for cell in self.cells {
            let before = images.len();
            let rendered = cell.render(shown + 1, &mut images);
            if !text.is_empty() && text.len() + rendered.len() > MAX_FILE_BYTES {
                images.truncate(before);
                break;
            }
            text.push_str(&rendered);
            shown += 1;
        }
        if total == 0 {
            text.push_str("(There are no cells in it.)");
        }
        let note = (shown < total).then(|| reminder_part(more_cells(total, shown)));
        let more = note.into_iter().chain(images).collect();
        let text = text.trim_end_matches('\n');
        simulated_call("Read", &ReadInput::whole(path), text, more)
    }
}

impl Cell {
    /// Returns the cell's text and its outputs, and adds images among them to
    /// `images`.
    fn render(self, number: usize, images: &mut Vec<Part>) -> String {
        let source = if self.source.len() > MAX_FILE_BYTES {
            truncate::marked(&self.source, truncate::first_bytes(&self.source, MAX_FILE_BYTES))
        } else {
            self.source
        };
        let number = number.to_string();
        let attributes = [("number", number.as_str()), ("kind", self.kind.as_str())];
        let mut text =
            format!("{}\n{}\n</cell>\n", opening("cell", &attributes), neutralize(&source, TAGS));
        let total = self.outputs.len();
        for (index, output) in self.outputs.into_iter().enumerate() {
            if text.len() > MAX_FILE_BYTES {
                let outputs = left_out(total - index, "output", "outputs");
                text.push_str(&format!("[… {outputs}]\n"));
                break;
            }
            let (kind, output) = match output {
                CellOutput::Text { text } => ("text", text),
                CellOutput::Error { text } => ("error", text),
                CellOutput::Image { image } => ("image", add_image(image, images)),
            };
            let attributes = [("cell", number.as_str()), ("kind", kind)];
            let output = truncate::to_chars(output.trim_end_matches('\n'), MAX_OUTPUT_CHARS);
            let output = neutralize(&output, TAGS);
            text.push_str(&opening("output", &attributes));
            text.push_str(&format!("\n{output}\n</output>\n"));
        }
        text
    }
}

/// Adds an image to those after the cells, and returns the text that refers to
/// it.
fn add_image(image: Media, images: &mut Vec<Part>) -> String {
    if images.len() == MAX_IMAGES {
        return "An image that is left out: there are too many.".to_owned();
    }
    let (described, image) = image.image();
    let Some(image) = image else { return described };
    images.push(image);
    format!("{described} It is image {} behind the cells.", images.len())
}
