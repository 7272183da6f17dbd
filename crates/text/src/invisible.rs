//! The one table of characters that print nothing.

mod table;

use std::cmp::Ordering;

use table::INVISIBLE;

/// Returns true if `c` prints nothing, or only changes how its neighbors print.
///
/// These are Unicode's `Default_Ignorable_Code_Point` (zero-width characters,
/// joiners, direction marks, variation selectors, tags, invisible musical and
/// mathematical marks, Hangul fillers), format characters except those that
/// print a sign, and a few blanks that belong to neither: U+2800, U+16FE4,
/// U+1D159. Control characters and white space are not included.
///
/// ```
/// use aside_text::is_invisible;
///
/// assert!(is_invisible('\u{200b}') && is_invisible('\u{3164}') && is_invisible('\u{e0041}'));
/// assert!(!is_invisible('a') && !is_invisible(' ') && !is_invisible('\n'));
/// ```
#[must_use]
pub fn is_invisible(c: char) -> bool {
    // The first entry is U+00AD; nearly all text is below it.
    c >= INVISIBLE[0].0 && is_listed(c)
}

fn is_listed(c: char) -> bool {
    let side = |&(first, last): &(char, char)| {
        if last < c {
            Ordering::Less
        } else if first > c {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    };
    INVISIBLE.binary_search_by(side).is_ok()
}

/// Returns true if `c` shapes its neighbors, as emoji and many scripts need: a
/// joiner between two visible characters beyond ASCII, or a presentation
/// selector after one.
///
/// A second one in a row, one next to ASCII, and one at either end of the text
/// shape nothing.
pub(crate) fn is_shaping(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_visible = |it: char| !it.is_ascii() && is_printed(it);
    match c {
        // U+20E3 turns digits, `#` and `*` into keys.
        PRESENTATION_FIRST..=PRESENTATION_LAST => {
            before.is_some_and(is_visible)
                || (before.is_some_and(is_key) && after == Some('\u{20e3}'))
        }
        JOINER_FIRST..=JOINER_LAST => {
            let is_joinable = |it| is_visible(it) || it == PRESENTATION_LAST;
            before.is_some_and(is_joinable) && after.is_some_and(is_visible)
        }
        _ => false,
    }
}

/// U+200C separates and U+200D joins the letters or emoji around it.
const JOINER_FIRST: char = '\u{200c}';
const JOINER_LAST: char = '\u{200d}';
/// U+FE0E asks for the text form, and U+FE0F for the emoji form, of the
/// preceding character.
const PRESENTATION_FIRST: char = '\u{fe0e}';
const PRESENTATION_LAST: char = '\u{fe0f}';

fn is_printed(c: char) -> bool {
    !c.is_control() && !c.is_whitespace() && !is_invisible(c)
}

fn is_key(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '#' | '*')
}
