//! Texts that are in the context twice, compared line by line: an instruction file that a tool
//! reads, too, has line numbers there, and another frame.
//!
//! ```text
//!     12→Write the tests before the change, and run them.      the result of a tool
//! Write the tests before the change, and run them.             the instruction file
//! ```
//!
//! These are the same line. Lines with 24 characters or less are in too many texts, and do not
//! count.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use aside_cache_model::Body;
use aside_cache_model::body::hash::of_bytes;
use aside_json::unescape;
use aside_rules::table;
use memchr::memmem;

use super::{Hint, MIN_TOKENS};
use crate::named::label;
use crate::part::RequestPart;

/// A line must have more characters than this.
const MIN_LINE_CHARS: usize = 24;

/// How many long lines a copy must share.
const MIN_LINES: usize = 8;

/// Which share of a copy's long lines must be in the earlier text, in percent.
const COPY_PERCENT: usize = 80;

/// Returns a hint for each text most of whose lines are in an earlier one.
///
/// `texts` are in request order. When several texts have a line, the first counts, so each copy is
/// reported against the original. The cost is linear in the texts.
pub(super) fn find(texts: &[&RequestPart], request: &Body) -> Vec<Hint> {
    let bytes = request.as_bytes();
    let mut first: HashMap<u64, usize> = HashMap::new();
    let mut hints = Vec::new();
    for (index, part) in texts.iter().enumerate() {
        let raw = &bytes[part.range.clone()];
        // An escaped newline ends each line but the last, whatever the text is in.
        if memmem::find_iter(raw, b"\\n").nth(MIN_LINES - 2).is_none() {
            continue;
        }
        let mut text = unescape(raw);
        // Blocks within a result are JSON in JSON; their lines are after an escape of their own.
        if memmem::find(text.as_bytes(), b"\\n").is_some() {
            text = text.replace("\\n", "\n");
        }
        let mut lines = 0;
        let mut common: HashMap<usize, usize> = HashMap::new();
        for line in text.split('\n').filter_map(content) {
            lines += 1;
            match first.entry(of_bytes(line.as_bytes())) {
                Entry::Occupied(found) if *found.get() != index => {
                    *common.entry(*found.get()).or_default() += 1;
                }
                Entry::Occupied(_) => {}
                Entry::Vacant(place) => {
                    place.insert(index);
                }
            }
        }
        let most = common.into_iter().max_by_key(|(_, count)| *count);
        if let Some((earlier, count)) = most
            && count >= MIN_LINES
            && count * 100 >= lines * COPY_PERCENT
            && part.tokens() >= MIN_TOKENS
        {
            let earlier = texts[earlier];
            let message = format!("{} repeats {} ({})", label(part), label(earlier), earlier.path);
            hints.push(Hint::new(&table::DUPLICATE, message, &[part]));
        }
    }
    hints
}

/// Returns a line without line number and indentation, if it is long enough to recognize.
fn content(line: &str) -> Option<&str> {
    let line = line.trim();
    let digits = line.len() - line.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    let line = match digits {
        0 => line,
        _ => line[digits..].trim_start_matches(['→', '\t', ':', '|', ' ']),
    };
    (line.chars().nth(MIN_LINE_CHARS).is_some()).then_some(line)
}
