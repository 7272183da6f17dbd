use std::borrow::Cow;
use std::ops::Range;

/// Replaces parts of a text: `write` appends what stands for a part. The ranges are in order and do
/// not overlap. The result is borrowed when there are none.
///
/// ```
/// let shout = |out: &mut String, part: &str| out.push_str(&part.to_uppercase());
/// assert_eq!(aside_text::replace("one two three", [4..7], shout), "one TWO three");
/// ```
#[must_use]
pub fn replace(
    text: &str,
    ranges: impl IntoIterator<Item = Range<usize>>,
    mut write: impl FnMut(&mut String, &str),
) -> Cow<'_, str> {
    let mut out = None;
    let mut copied = 0;
    for Range { start, end } in ranges {
        let out = out.get_or_insert_with(String::new);
        out.push_str(&text[copied..start]);
        write(out, &text[start..end]);
        copied = end;
    }
    let Some(mut out) = out else {
        return Cow::Borrowed(text);
    };
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}
