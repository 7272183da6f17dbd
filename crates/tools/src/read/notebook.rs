//! Jupyter notebooks (format 4) as text and images.
//!
//! A cell is written in a tag with its number, each of its outputs in a tag
//! that follows it. Both tags are neutralized inside, so no cell can end early
//! or forge another one. Images follow the text as blocks of their own.

use std::collections::BTreeMap;
use std::fmt;

use aside_agent::ReadExtent;
use aside_attachments::{self as attachment, CellKind, CellOutput, Media};
use aside_messages::neutralize;
use aside_messages::wire::{ContentBlock, Image};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Shown;
use super::image::{image, is_image};
use super::lines::Range;

/// The maximum size of a result without images, in bytes.
const MAX_SHOWN_BYTES: usize = 256 * 1024;
/// The maximum length of one output, in characters.
const MAX_OUTPUT_CHARS: usize = 10_000;
/// The maximum number of images in a result.
const MAX_IMAGES: usize = 20;
/// The tags around cells and outputs; they are neutralized inside cells.
const TAGS: &[&str] = &["cell", "output"];

/// The parts of a Jupyter notebook (format 4) that are shown.
///
/// ```json
/// {"cells": [
///   {"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": [
///     {"output_type": "execute_result", "data": {"text/plain": ["1"]}}
///   ]}
/// ]}
/// ```
#[derive(Debug, Deserialize)]
struct Notebook {
    /// In the order of the notebook. A file without this key is no notebook.
    cells: Vec<Cell>,
}

/// A cell. Keys that are not shown, such as `metadata`, are ignored.
#[derive(Debug, Deserialize)]
struct Cell {
    /// `code`, `markdown` or `raw`; an unknown type is shown as `raw`.
    cell_type: String,
    /// The text of the cell, empty if the key is absent.
    #[serde(default)]
    source: Lines,
    /// Of a code cell, what its last run displayed; absent in other cells.
    #[serde(default)]
    outputs: Vec<Output>,
}

/// An output of Jupyter: a stream has `text`, a result or a display has `data`,
/// an error has `ename`, `evalue` and `traceback`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Output {
    /// The text of a stream.
    text: Lines,
    /// The representations by media type.
    data: BTreeMap<String, Lines>,
    /// The class of an error; empty for every other output.
    ename: String,
    /// The message of an error.
    evalue: String,
    /// The lines of its trace, which may contain terminal colors.
    traceback: Vec<String>,
}

/// A text, or the list of its lines, each with its end.
#[derive(Debug, Default)]
struct Lines(String);

/// Shows a range of cells; cells are counted from 1. A note follows if it is
/// not the whole notebook.
///
/// A cell is shown as
///
/// ```text
/// <cell number="3" kind="code">
/// x = 1
/// </cell>
/// <output cell="3">
/// 1
/// </output>
/// ```
///
/// The result ends before the cell that would exceed 256 KiB; the first cell is
/// always shown, with its source and outputs cut.
///
/// # Errors
/// The reason for the model, if the file is no notebook or has no cell with the
/// first number.
pub(super) fn show(json: &[u8], range: Range) -> Result<Shown, String> {
    let notebook: Notebook =
        serde_json::from_slice(json).map_err(|error| format!("not a notebook: {error}"))?;
    let total = notebook.cells.len();
    if total > 0 && range.first > total {
        return Err(format!("there is no cell {}: it has {total}", range.first));
    }
    let mut text = String::new();
    let mut images = Vec::new();
    let mut last = range.first - 1;
    let cells = (1..).zip(&notebook.cells);
    for (number, cell) in cells.skip(range.first - 1).take(range.limit) {
        let rendered = cell.render(number, &mut images);
        if !text.is_empty() && text.len() + rendered.len() > MAX_SHOWN_BYTES {
            break;
        }
        text.push_str(&rendered);
        last = number;
    }
    if total == 0 {
        text.push_str("(There are no cells in it.)");
    }
    let mut content = vec![ContentBlock::text(text.trim_end())];
    content.extend(images.into_iter().map(ContentBlock::Image));
    let is_whole = range.first == 1 && last == total;
    if !is_whole {
        let mut note = format!(
            "Of the notebook's {total} cells, {} to {last} are shown.",
            range.first
        );
        if last < total {
            note.push_str(&format!(" To read on, use `offset` {}.", last + 1));
        }
        content.push(ContentBlock::text(note));
    }
    let extent = if is_whole {
        ReadExtent::Whole
    } else {
        ReadExtent::Part
    };
    Ok(Shown { content, extent })
}

/// Returns the cells for an attachment.
///
/// `None` if the file is no notebook.
pub(crate) fn cells(json: &[u8]) -> Option<Vec<attachment::Cell>> {
    let notebook: Notebook = serde_json::from_slice(json).ok()?;
    Some(notebook.cells.into_iter().map(Cell::into_cell).collect())
}

impl Cell {
    /// Converts a cell for an attachment.
    fn into_cell(self) -> attachment::Cell {
        attachment::Cell {
            kind: match self.cell_type.as_str() {
                "code" => CellKind::Code,
                "markdown" => CellKind::Markdown,
                _ => CellKind::Raw,
            },
            source: self.source.0,
            outputs: self.outputs.into_iter().map(Output::into_output).collect(),
        }
    }

    /// Writes the cell and its outputs for the model; their images are added to
    /// `images`.
    fn render(&self, number: usize, images: &mut Vec<Image>) -> String {
        let kind = match self.cell_type.as_str() {
            "code" => "code",
            "markdown" => "markdown",
            _ => "raw",
        };
        let source = cut(&self.source.0, MAX_SHOWN_BYTES);
        let mut text = format!("<cell number=\"{number}\" kind=\"{kind}\">\n{source}\n</cell>\n");
        for (index, output) in self.outputs.iter().enumerate() {
            if text.len() > MAX_SHOWN_BYTES {
                let left_out = self.outputs.len() - index;
                text.push_str(&format!("[{left_out} more outputs are left out]\n"));
                break;
            }
            let output = cut(&output.text(images), MAX_OUTPUT_CHARS);
            text.push_str(&format!(
                "<output cell=\"{number}\">\n{output}\n</output>\n"
            ));
        }
        text
    }
}

impl Output {
    /// Converts an output for an attachment, which has at most one image per
    /// output.
    fn into_output(self) -> CellOutput {
        for media_type in ["image/png", "image/jpeg"] {
            let Some(Lines(data)) = self.data.get(media_type) else {
                continue;
            };
            let data: String = data.split_ascii_whitespace().collect();
            if is_image(media_type, &data) {
                let media_type = media_type.to_owned();
                let data = data.into();
                let image = Media::Base64 { media_type, data };
                return CellOutput::Image { image };
            }
        }
        let is_error = !self.ename.is_empty();
        // An attachment has no images.
        let text = self.text(&mut Vec::new());
        if is_error {
            CellOutput::Error { text }
        } else {
            CellOutput::Text { text }
        }
    }

    /// Returns the output as text: an error with its trace, the position of an
    /// image among `images`, to which it is added, or plain text.
    ///
    /// Of several representations, an image is preferred, then plain text, then
    /// Markdown.
    fn text(&self, images: &mut Vec<Image>) -> String {
        if !self.ename.is_empty() {
            let trace = self.traceback.join("\n");
            return format!("{}: {}\n{trace}", self.ename, self.evalue);
        }
        for media_type in ["image/png", "image/jpeg"] {
            if let Some(Lines(data)) = self.data.get(media_type) {
                let data: String = data.split_ascii_whitespace().collect();
                if images.len() == MAX_IMAGES || !is_image(media_type, &data) {
                    return "(an image that is left out)".to_owned();
                }
                images.push(image(media_type, data));
                return format!("(image {} behind the cells)", images.len());
            }
        }
        let plain = self
            .data
            .get("text/plain")
            .or(self.data.get("text/markdown"));
        plain.unwrap_or(&self.text).0.clone()
    }
}

/// Returns the text with its tags neutralized, cut to `most` bytes.
fn cut(text: &str, most: usize) -> String {
    let text = text.trim_end_matches('\n');
    let end = text.floor_char_boundary(most);
    let shown = neutralize(&text[..end], TAGS);
    if end == text.len() {
        return shown.into_owned();
    }
    format!("{shown}\n[{} bytes are left out]", text.len() - end)
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LinesVisitor)
    }
}

struct LinesVisitor;

impl<'de> Visitor<'de> for LinesVisitor {
    type Value = Lines;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or the list of its lines")
    }

    fn visit_str<E>(self, text: &str) -> Result<Lines, E> {
        Ok(Lines(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Lines, A::Error> {
        let mut text = String::new();
        while let Some(Lines(line)) = list.next_element()? {
            text.push_str(&line);
        }
        Ok(Lines(text))
    }

    // Some media types hold JSON instead of text; none of them is shown.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Lines, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Lines::default())
    }

    fn visit_unit<E>(self) -> Result<Lines, E> {
        Ok(Lines::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Lines, E> {
        Ok(Lines::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Lines, E> {
        Ok(Lines::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Lines, E> {
        Ok(Lines::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Lines, E> {
        Ok(Lines::default())
    }
}
