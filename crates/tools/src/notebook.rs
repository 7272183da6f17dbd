//! What a model sees of Jupyter notebooks (format 4).

use std::collections::BTreeMap;

use aside_attachments::{self as attachment, CellKind, CellOutput, Media};
use aside_messages::wire::Image;
use serde::Deserialize;
use serde_json::Value;

use crate::image::{image, is_image};

const MAX_IMAGES: usize = 20;

/// What a model sees of a Jupyter notebook (format 4).
///
/// ```json
/// {"cells": [
///   {"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": [
///     {"output_type": "execute_result", "data": {"text/plain": ["1"]}}
///   ]}
/// ]}
/// ```
#[derive(Debug, Deserialize)]
pub(crate) struct Notebook {
    /// In notebook order. A file without this key is no notebook.
    pub(crate) cells: Vec<Cell>,
}

/// Keys that are not shown, such as `metadata`, are ignored.
#[derive(Debug, Deserialize)]
pub(crate) struct Cell {
    /// `code`, `markdown` or `raw`; an unknown type is shown as `raw`.
    cell_type: String,
    /// Empty if the key is absent.
    #[serde(default)]
    pub(crate) source: Lines,
    /// What a code cell's last run displayed; absent in other cells.
    #[serde(default)]
    pub(crate) outputs: Vec<Output>,
}

/// One of Jupyter's outputs: a stream has `text`, a result or a display has
/// `data`, an error has `ename`, `evalue` and `traceback`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Output {
    text: Lines,
    /// The representations by media type.
    data: BTreeMap<String, Lines>,
    /// An error's class; empty for every other output.
    ename: String,
    evalue: String,
    /// The lines in its trace, which may contain terminal colors.
    traceback: Vec<String>,
}

/// A text, or a list of its lines, each with its end.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Value")]
pub(crate) struct Lines(pub(crate) String);

/// Returns the cells for an attachment.
///
/// `None` if the file is no notebook.
pub(crate) fn cells(json: &[u8]) -> Option<Vec<attachment::Cell>> {
    let notebook: Notebook = serde_json::from_slice(json).ok()?;
    Some(notebook.cells.into_iter().map(Cell::into_cell).collect())
}

impl Cell {
    pub(crate) fn kind(&self) -> CellKind {
        self.cell_type.parse().unwrap_or(CellKind::Raw)
    }

    fn into_cell(self) -> attachment::Cell {
        attachment::Cell {
            kind: self.kind(),
            source: self.source.0,
            outputs: self.outputs.into_iter().map(Output::into_output).collect(),
        }
    }
}

impl Output {
    /// Converts an output for an attachment, which has at most one image per
    /// output.
    fn into_output(self) -> CellOutput {
        let image = self.images().find(|(media_type, data)| is_image(media_type, data));
        if let Some((media_type, data)) = image {
            let media_type = media_type.to_owned();
            let image = Media::Base64 { media_type, data: data.into() };
            return CellOutput::Image { image };
        }
        let is_error = self.kind() == "error";
        // An attachment has no images.
        let text = self.text(&mut Vec::new());
        if is_error { CellOutput::Error { text } } else { CellOutput::Text { text } }
    }

    /// Returns the kind that an attachment of the file has for it.
    pub(crate) fn kind(&self) -> &'static str {
        let mut images = self.images();
        match () {
            () if images.any(|(media_type, data)| is_image(media_type, &data)) => "image",
            () if !self.ename.is_empty() => "error",
            () => "text",
        }
    }

    /// The representations as images, in base64.
    fn images(&self) -> impl Iterator<Item = (&'static str, String)> {
        ["image/png", "image/jpeg"].into_iter().filter_map(|media_type| {
            let Lines(data) = self.data.get(media_type)?;
            Some((media_type, data.split_ascii_whitespace().collect()))
        })
    }

    /// Returns the output as text: an error with its trace, where an image is
    /// among `images`, to which it is added, or plain text.
    ///
    /// When there are several representations, an image is preferred, then
    /// plain text, then Markdown.
    pub(crate) fn text(&self, images: &mut Vec<Image>) -> String {
        if !self.ename.is_empty() {
            let trace = self.traceback.join("\n");
            return format!("{}: {}\n{trace}", self.ename, self.evalue);
        }
        if let Some((media_type, data)) = self.images().next() {
            if images.len() == MAX_IMAGES || !is_image(media_type, &data) {
                return "(an image that is left out)".to_owned();
            }
            images.push(image(media_type, data));
            return format!("(image {} behind the cells)", images.len());
        }
        let plain = self.data.get("text/plain").or(self.data.get("text/markdown"));
        plain.unwrap_or(&self.text).0.clone()
    }
}

// Some media types hold JSON instead of text; none of them is shown.
impl From<Value> for Lines {
    fn from(value: Value) -> Self {
        Self(match value {
            Value::String(text) => text,
            Value::Array(lines) => lines.into_iter().map(|it| Self::from(it).0).collect(),
            _ => String::new(),
        })
    }
}
