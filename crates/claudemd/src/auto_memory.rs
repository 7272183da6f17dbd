/// The most lines of auto memory that are shown.
const LINES: usize = 200;
/// The most bytes of auto memory that are shown.
const BYTES: usize = 25_000;

/// Cuts a text at the end of a line, and says so at its end. `None` if it is
/// short enough.
pub(crate) fn cut(text: &str) -> Option<String> {
    let mut shown = 0;
    let mut lines = 0;
    for line in text.split_inclusive('\n').take(LINES) {
        if shown + line.trim_end().len() > BYTES {
            break;
        }
        shown += line.len();
        lines += 1;
    }
    if shown == text.len() {
        return None;
    }
    if lines == 0 {
        // One endless line has no end to cut it at.
        shown = text.floor_char_boundary(BYTES);
    }
    let shown = text[..shown].trim_end();
    let all = text.lines().count();
    Some(format!(
        "{shown}\n\n[Cut here: {lines} of {all} lines are shown, at most {LINES} lines or {BYTES} bytes.]"
    ))
}
