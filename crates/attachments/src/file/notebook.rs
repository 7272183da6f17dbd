use aside_messages::conversation::{EntryDraft, Part};
use aside_messages::neutralize;
use serde::{Deserialize, Serialize};

use super::{FILE_BYTES, ReadInput};
use crate::Media;
use crate::cut;
use crate::draft::{reminder_part, simulated};
use crate::left_out::left_out;
use crate::tag::opening;

/// The most characters of one output of a cell.
const OUTPUT_CHARACTERS: usize = 10_000;

/// The most images of one notebook.
const IMAGES: usize = 20;

/// The tags that stand around cells and outputs, and that no cell can write.
const TAGS: &[&str] = &["cell", "output"];

/// A Jupyter notebook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notebook {
    /// The cells, in order.
    pub cells: Vec<Cell>,
}

/// A cell of a [`Notebook`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// What is in it.
    pub kind: CellKind,
    /// The source text.
    pub source: String,
    /// What it put out when it was last run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<CellOutput>,
}

/// What is in a [`Cell`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellKind {
    /// A program.
    Code,
    /// Prose.
    Markdown,
    /// Neither.
    Raw,
}

/// What a [`Cell`] put out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum CellOutput {
    /// Text.
    Text {
        /// As the notebook has it.
        text: String,
    },
    /// An exception.
    Error {
        /// Its name, message and trace.
        text: String,
    },
    /// A picture.
    Image {
        /// PNG or JPEG.
        image: Media,
    },
}

impl Notebook {
    pub(super) fn entry(self, kind: &str, path: &str) -> EntryDraft {
        let total = self.cells.len();
        let mut text = String::new();
        let mut images = Vec::new();
        let mut shown = 0;
        for cell in self.cells {
            let before = images.len();
            let rendered = cell.render(shown + 1, &mut images);
            if !text.is_empty() && text.len() + rendered.len() > FILE_BYTES {
                images.truncate(before);
                break;
            }
            text.push_str(&rendered);
            shown += 1;
        }
        if total == 0 {
            text.push_str("(There are no cells in it.)");
        }
        let note = (shown < total).then(|| {
            reminder_part(format!(
                "Of the notebook's {total} cells, 1 to {shown} are shown. It is too long to be \
                 shown whole: {}. To read on, use the Read tool \
                 with `offset` {} and a `limit`, which count cells.",
                left_out(total - shown, "cell", "cells"),
                shown + 1
            ))
        });
        let more = note.into_iter().chain(images).collect();
        let text = text.trim_end_matches('\n');
        simulated(kind, "Read", &ReadInput::whole(path), text, more)
    }
}

impl Cell {
    /// The text of the cell and of its outputs; the pictures among them join
    /// the others.
    fn render(self, number: usize, images: &mut Vec<Part>) -> String {
        let source = if self.source.len() > FILE_BYTES {
            cut::marked(&self.source, cut::at_bytes(&self.source, FILE_BYTES))
        } else {
            self.source
        };
        let number = number.to_string();
        let attributes = [("number", number.as_str()), ("kind", self.kind.name())];
        let mut text = format!(
            "{}\n{}\n</cell>\n",
            opening("cell", &attributes),
            neutralize(&source, TAGS)
        );
        let total = self.outputs.len();
        for (index, output) in self.outputs.into_iter().enumerate() {
            if text.len() > FILE_BYTES {
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
            let output = cut::to_chars(output.trim_end_matches('\n'), OUTPUT_CHARACTERS);
            let output = neutralize(&output, TAGS);
            text.push_str(&opening("output", &attributes));
            text.push_str(&format!("\n{output}\n</output>\n"));
        }
        text
    }
}

/// Adds an image to those behind the cells, and says which one it is.
fn add_image(image: Media, images: &mut Vec<Part>) -> String {
    if images.len() == IMAGES {
        return "An image that is left out: there are too many.".to_owned();
    }
    let (described, image) = image.image();
    let Some(image) = image else { return described };
    images.push(image);
    format!("{described} It is image {} behind the cells.", images.len())
}

impl CellKind {
    fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}
