//! Times, cache misses and differences as lines of text.

use std::time::Duration;

use crate::text::{money, thousands};
use aside_cache_model::{Cost, Difference, MissDetail, MissReason, short_time};

/// Returns a time since the first request: `+9s`, `+1m09s`, `+1h02m03s`. Fractions of a
/// second are cut off; a time before the first request is `+0s`.
#[must_use]
pub fn since(start: Duration, at: Duration) -> String {
    format!("+{}", short_time(at.saturating_sub(start)))
}

/// Returns the line of a miss, such as `miss: previous_message_not_found, expired after
/// 6m10s, 1h would do: 1,605 tokens, $0.00770 lost`.
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

/// Returns the lines for a difference: its position and cause, then both texts.
///
/// ```text
/// system[0].text at byte 848 (byte 34 of the value): date or clock
/// before: "You are a coding agent. It is 10:53. Read before you write.
/// after : "You are a coding agent. It is 10:56. Read before you write.
/// fix   : leave the time out, or send it in a new message
/// ```
///
/// Without `is_exact` the offset in the body is omitted, since the bytes are not those
/// that were sent; the offset in the value remains. With `--no-text` an excerpt has its
/// length in bytes and its hash. The lines may have control characters, and are escaped
/// when they are printed.
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
    for (name, excerpt) in [
        ("before", &difference.before),
        ("after ", &difference.after),
    ] {
        lines.push(match &excerpt.text {
            Some(text) if text.is_empty() => format!("{name}: nothing"),
            Some(text) => format!("{name}: {text}"),
            None => format!(
                "{name}: {} bytes, hash {:016x}",
                excerpt.bytes, excerpt.hash
            ),
        });
    }
    lines.extend(difference.cause.fix().map(|it| format!("fix   : {it}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let at = |seconds: u64| since(Duration::from_secs(5), Duration::from_secs(5 + seconds));
        assert_eq!(at(9), "+9s");
        assert_eq!(at(69), "+1m09s");
        assert_eq!(at(3_723), "+1h02m03s");
    }
}
