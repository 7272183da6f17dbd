//! Times, cache misses and differences as text, for `aside cache`, `aside diff` and
//! `aside context`.

use std::time::Duration;

use aside_cache_model::{Difference, Miss, MissDetail};

/// Returns a time since the first request: `+9s`, `+1m09s`, `+1h02m03s`. Fractions of a
/// second are cut off; a time before the first request is `+0s`.
pub(crate) fn since(start: Duration, at: Duration) -> String {
    let seconds = at.saturating_sub(start).as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("+{seconds}s"),
        (0, minutes, seconds) => format!("+{minutes}m{seconds:02}s"),
        (hours, minutes, seconds) => format!("+{hours}h{minutes:02}m{seconds:02}s"),
    }
}

/// Returns the detail of a miss that the API does not report, such as `expired after
/// 6m10s, 1h would do`; an empty text if there is none.
pub(super) fn detail(miss: &Miss) -> String {
    let Some(detail) = &miss.detail else {
        return String::new();
    };
    match detail {
        MissDetail::Expired { age, needed } => {
            let needed = needed.map_or("no lifetime would do".to_owned(), |it| {
                format!("{it} would do")
            });
            format!(
                "expired after {}, {needed}",
                &since(Duration::ZERO, *age)[1..]
            )
        }
        MissDetail::OutsideLookBack { distance } => {
            format!("the entry ends {distance} positions back, a marker sees 20")
        }
        MissDetail::NotYetReadable => {
            "the response that makes it readable had not begun".to_owned()
        }
        MissDetail::BelowMinimum => "too short to be cached".to_owned(),
        MissDetail::NoMarker => "no marker at or after the end of the entry".to_owned(),
        MissDetail::Parameter { name } => format!("the parameter {name} changed"),
        MissDetail::DifferentWorkspace => "another workspace".to_owned(),
        MissDetail::ThinkingRemoved => "a new turn removed thinking of the turn before".to_owned(),
        _ => String::new(),
    }
}

/// Returns the lines for a difference: its position and cause, then both texts.
///
/// ```text
/// system[0].text at byte 848 (byte 34 of the value): date or clock
/// before: "You are a coding agent. It is 10:53. Read before you write.
/// after : "You are a coding agent. It is 10:56. Read before you write.
/// ```
///
/// Without `is_exact` the offset in the body is omitted, since the bytes are not those
/// that were sent; the offset in the value remains. With `--no-text` an excerpt has its
/// length in bytes and its hash. The lines may have control characters, and are escaped
/// when they are printed.
pub(crate) fn difference_lines(difference: &Difference, is_exact: bool) -> Vec<String> {
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
