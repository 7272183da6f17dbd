//! The tool `Read`. A file's first bytes choose its form, not its name, except
//! for notebooks.
//!
//! It holds at most 4 MiB in memory: a longer text is scanned in pieces
//! ([`lines`]), a longer notebook is refused. A PDF document is read up to 32
//! MiB ([`pages`]).

mod cells;
mod lines;
mod pages;

use aside_agent::ToolOutput;
use aside_messages::wire::ContentBlock;
use aside_session::ReadExtent;
use serde::Deserialize;
use std::io::{BufReader, Read as _};
use std::path::Path;

use self::lines::{Range, Selection};
use crate::definitions::READ;
use crate::file_head::{Head, head, is_binary, is_notebook, is_pdf, text};
use crate::image::{encode, image, is_like_image};
use crate::implementations::described::workspace_tool;
use crate::implementations::effort::Effort;
use crate::opened_file::OpenedFile;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

workspace_tool! {
    /// Shows the model a text file with line numbers, an image, pages of a PDF
    /// document, or a notebook.
    ///
    /// Input: `file_path`; `offset` (from 1) and `limit`, in text lines or notebook
    /// cells; `pages` of a PDF document, such as `3` or `1-5`. Without a limit, it
    /// shows 2,000 lines, and at most 256 KB. A note at the end of an incomplete
    /// result has the `offset` that continues it.
    ///
    /// [`ToolOutput::read`] records the file: its identity, when it was modified
    /// and, up to 4 MiB, a text that was shown as such. Sessions use this record to report later changes
    /// to the model. For an example, see the [crate documentation](crate).
    pub struct Read(READ, read, reads);
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    file_path: String,
    offset: Option<usize>,
    limit: Option<usize>,
    pages: Option<String>,
}

/// Opens the file, shows what the call asks for, and records that it was read.
fn read(workspace: &Workspace, input: &Input, effort: &Effort) -> Result<ToolOutput, Refusal> {
    let given = input.file_path.as_str();
    let place = workspace.place(given)?;
    let mut opened = place.open().map_err(|error| Refusal::open(given, &error))?;
    let head = head(&mut opened).map_err(|error| Refusal::new(given, error))?;
    let shown = show(&place.path, input, &head, &opened, effort)?;
    let text = text(&place.path, head);
    Ok(ToolOutput {
        content: shown.content,
        read: vec![opened.into_read(&place.path, shown.extent, text)],
        ..ToolOutput::default()
    })
}

struct Shown {
    content: Vec<ContentBlock>,
    extent: ReadExtent,
}

impl Shown {
    fn new(content: Vec<ContentBlock>, is_whole: bool) -> Self {
        let extent = if is_whole { ReadExtent::Whole } else { ReadExtent::Part };
        Self { content, extent }
    }
}

/// Shows a file by its form: image, PDF document, notebook, then text. Anything
/// else with a NUL byte in its first 8 KiB is a binary file.
fn show(
    path: &Path,
    input: &Input,
    head: &Head,
    opened: &OpenedFile,
    effort: &Effort,
) -> Result<Shown, Refusal> {
    let given = input.file_path.as_str();
    let range = Range::new(input.offset, input.limit);
    if is_like_image(&head.bytes) {
        let encoded = encode(&head.bytes, opened.len);
        let (media_type, data) = encoded.map_err(|why| Refusal::new(given, why))?;
        return Ok(Shown::new(vec![ContentBlock::Image(image(media_type, data))], true));
    }
    if is_pdf(head) {
        let pages = pages::show(head, opened, input.pages.as_deref());
        let pages = pages.map_err(|why| Refusal::new(given, why))?;
        return Ok(Shown::new(vec![pages], false));
    }
    if is_notebook(path) {
        if !head.is_whole {
            return Err(Refusal::new(given, "a notebook of more than 4 MiB"));
        }
        return cells::show(&head.bytes, range).map_err(|why| Refusal::new(given, why));
    }
    if is_binary(head) {
        return Err(Refusal::new(given, "a binary file, not a text"));
    }
    let mut text = head.bytes.as_slice();
    let selection = if head.is_whole {
        Selection::of(&mut text, range, effort)
    } else {
        Selection::of(&mut text.chain(BufReader::new(&opened.file)), range, effort)
    };
    let selection = selection.map_err(|error| Refusal::new(given, error))?;
    selection.show(given)
}
