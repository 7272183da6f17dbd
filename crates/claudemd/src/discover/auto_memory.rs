//! Limits for the model's own notes: 200 lines or 25,000 bytes of `MEMORY.md`,
//! with a note for the model if there is more.

/// How many lines of auto memory to load.
const MAX_LINES: usize = 200;
/// How many bytes of auto memory to load.
const MAX_BYTES: usize = 25_000;

/// Truncates a text at a line end and appends a note. Returns `None` if the
/// text is short enough.
pub(crate) fn cut(text: &str) -> Option<String> {
    let mut shown = 0;
    let mut lines = 0;
    for line in text.split_inclusive('\n').take(MAX_LINES) {
        if shown + line.trim_end().len() > MAX_BYTES {
            break;
        }
        shown += line.len();
        lines += 1;
    }
    if shown == text.len() {
        return None;
    }
    let all = text.lines().count();
    let mut part = format!("{lines} of {all} lines");
    if lines == 0 {
        // A single line over the limit has no line end to cut at.
        let is_boundary = |at: &usize| text.is_char_boundary(*at);
        shown = (0..=MAX_BYTES).rev().find(is_boundary).unwrap_or(0);
        part = format!("{shown} bytes of the first of {all} lines");
    }
    let shown = text[..shown].trim_end();
    Some(format!(
        "{shown}\n\n[Cut here: {part} are shown, at most {MAX_LINES} lines or {MAX_BYTES} bytes.]"
    ))
}
