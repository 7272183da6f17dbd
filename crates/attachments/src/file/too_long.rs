//! Notes about what a file over 256 KB lacks.

use crate::byte_size::byte_size;
use crate::truncate::left_out;

/// For a line without its last `bytes`.
pub(super) fn long_line(line: usize, bytes: usize) -> String {
    let bytes = byte_size(bytes as u64);
    format!(
        " Line {line} alone is longer than what may be shown, and its last {bytes} are left out: \
         to see these, search the file."
    )
}

/// For a notebook with only the first `shown` cells.
pub(super) fn more_cells(total: usize, shown: usize) -> String {
    format!(
        "Of the notebook's {total} cells, 1 to {shown} are shown. It is too long to be shown \
         whole: {}. To read on, use the Read tool with `offset` {} and a `limit`, which count \
         cells.",
        left_out(total - shown, "cell", "cells"),
        shown + 1
    )
}
