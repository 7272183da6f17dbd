//! Times, cache misses and differences as lines of text.

use std::time::Duration;

use crate::text::{money, thousands};
use aside_cache_model::{Cost, Difference, Excerpt, MissDetail, MissReason, short_time};
use aside_text::one_line;

/// Formats a time since the first request: `+9s`, `+1m09s`, `+1h02m03s`. Fractions of a second are
/// cut off; a time before the first request is `+0s`.
#[must_use]
pub fn since(start: Duration, at: Duration) -> String {
    format!("+{}", short_time(at.saturating_sub(start)))
}

/// Formats a miss, such as `miss: previous_message_not_found, expired after 6m10s, 1h would do:
/// 1,605 tokens, $0.00770 lost`.
#[must_use]
pub fn miss_line(
    reason: MissReason,
    detail: Option<&MissDetail>,
    lost_tokens: u64,
    lost_cost: Option<Cost>,
) -> String {
    let detail = detail.map(|it| format!(", {it}")).unwrap_or_default();
    let (reason, tokens) = (reason.as_str(), thousands(lost_tokens));
    format!(
        "miss: {reason}{detail}: {tokens} tokens, {} lost",
        money(lost_cost)
    )
}

/// How many characters to show around a change.
const SHOWN: usize = 64;

/// Formats a difference: where it is and why, both texts, and marks below the characters that
/// changed.
///
/// ```text
/// system[0].text at byte 848 (byte 34 of the value): date or clock
/// before: "You are a coding agent. It is 10:53. Read before you write.
/// after : "You are a coding agent. It is 10:56. Read before you write.
///                                            ^
/// fix   : leave the time out, or send it in a new message
/// ```
///
/// Without `is_exact` the offset in the body is omitted, since these are not the bytes that were
/// sent; the offset in the value remains. With `--no-text` an excerpt has its length in bytes and
/// its hash. Texts are escaped; the path is not.
#[must_use]
pub fn difference_lines(difference: &Difference, is_exact: bool) -> Vec<String> {
    let mut place = difference.path.clone();
    if is_exact {
        place.push_str(&format!(" at byte {}", difference.byte_offset));
    }
    let equal = if difference.is_json_equal {
        ", the same JSON value in other bytes"
    } else {
        ""
    };
    let mut lines = vec![format!(
        "{place} (byte {} of the value): {}{equal}",
        difference.value_offset, difference.cause
    )];
    let (before, after) = (&difference.before, &difference.after);
    match (&before.text, &after.text) {
        (Some(before), Some(after)) => lines.extend(marked(&one_line(before), &one_line(after))),
        _ => {
            let line = |name: &str, it: &Excerpt| {
                format!("{name}: {} bytes, hash {:016x}", it.bytes, it.hash)
            };
            lines.extend([line("before", before), line("after ", after)]);
        }
    }
    lines.extend(difference.cause.fix().map(|it| format!("fix   : {it}")));
    lines
}

/// Returns both texts, cut to the characters around their change, and a line that marks what is
/// new. If one is empty, all of the other is.
fn marked(before: &str, after: &str) -> Vec<String> {
    let texts = [before, after].map(|it| it.chars().collect::<Vec<_>>());
    let [old, new] = &texts;
    let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - common;
    let ends = old.iter().rev().zip(new.iter().rev());
    let ending = ends.take(rest).take_while(|(a, b)| a == b).count();
    let from = match old.len().max(new.len()) > SHOWN {
        true => common.saturating_sub(SHOWN / 2),
        false => 0,
    };
    let (cut, left) = match from {
        0 => ("", 0),
        _ => ("\u{2026}", 1),
    };
    let line = |name: &str, text: &[char]| match text.get(from..).unwrap_or_default() {
        [] => format!("{name}: nothing"),
        rest => {
            let shown: String = rest.iter().take(SHOWN).collect();
            let end = if rest.len() > SHOWN { "\u{2026}" } else { "" };
            format!("{name}: {cut}{shown}{end}")
        }
    };
    let mut lines = vec![line("before", old), line("after ", new)];
    if !old.is_empty() && !new.is_empty() {
        let room = SHOWN.saturating_sub(common - from).max(1);
        let changed = (new.len() - common - ending).clamp(1, room);
        let column = "after : ".len() + left + common - from;
        lines.push(format!("{}{}", " ".repeat(column), "^".repeat(changed)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_characters_are_marked() {
        let lines = |before: &str, after: &str| marked(before, after).join("\n");
        assert_eq!(
            lines("It is 10:53.", "It is 10:56."),
            "before: It is 10:53.\nafter : It is 10:56.\n                  ^"
        );
        assert_eq!(
            lines("ab", "axyzb"),
            "before: ab\nafter : axyzb\n         ^^^"
        );
        assert_eq!(lines("", "new"), "before: nothing\nafter : new");
        // Texts that look the same, as long as the line.
        let equal = "a".repeat(SHOWN);
        let end = marked(&equal, &equal).pop();
        assert_eq!(end, Some(format!("{}^", " ".repeat(8 + SHOWN))));
        let long = |end: &str| format!("{}{end}{}", "é".repeat(50), "z".repeat(60));
        let shown = marked(&long("1"), &long("2"));
        let widths: Vec<_> = shown.iter().map(|it| it.chars().count()).collect();
        assert_eq!(widths, [74, 74, 42], "{shown:?}");
        assert_eq!(shown[1].chars().nth(41), Some('2'));
    }

    #[test]
    fn figures_are_short() {
        let at = |seconds: u64| since(Duration::from_secs(5), Duration::from_secs(5 + seconds));
        assert_eq!(at(9), "+9s");
        assert_eq!(at(69), "+1m09s");
        assert_eq!(at(3_723), "+1h02m03s");
    }
}
