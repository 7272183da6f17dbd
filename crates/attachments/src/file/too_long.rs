//! Notes on what is left out of a file of more than 256 KB.

use crate::byte_size::byte_size;
use crate::truncate::left_out;

/// Returns the sentence about a line of which the last `bytes` are left out.
pub(super) fn long_line(line: usize, bytes: usize) -> String {
    let bytes = byte_size(bytes as u64);
    format!(
        " Line {line} alone is longer than what may be shown, and its last {bytes} are left out: \
         use Grep or Bash for these."
    )
}

/// Returns the note on a notebook of which the first `shown` cells are shown.
pub(super) fn more_cells(total: usize, shown: usize) -> String {
    format!(
        "Of the notebook's {total} cells, 1 to {shown} are shown. It is too long to be shown \
         whole: {}. To read on, use the Read tool with `offset` {} and a `limit`, which count \
         cells.",
        left_out(total - shown, "cell", "cells"),
        shown + 1
    )
}
