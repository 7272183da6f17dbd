//! Durations in the syntax of Go: `30s`, `1h30m`, `1.5h`, `100ms`.

use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

/// The units, largest first, in nanoseconds.
const UNITS: &[(&str, u64)] = &[
    ("h", 3_600 * SECOND),
    ("m", 60 * SECOND),
    ("s", SECOND),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ns", 1),
];

/// Reads a duration as Go's `time.ParseDuration` does: decimal numbers, each
/// with a fraction if wanted and a unit (`h`, `m`, `s`, `ms`, `us`, `ns`), or
/// `0`; what is below a nanosecond is cut off.
///
/// # Errors
/// What is wrong with the text. A negative duration is refused, and one of
/// more than about 292 years, as Go's has no room for it.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let invalid = |expected: &str| format!("duration {text:?}: expected {expected}");
    let rest = match text.strip_prefix('-') {
        Some(rest) if parse_duration(rest).is_ok_and(|it| it.is_zero()) => rest,
        Some(_) => return Err(invalid("one that is not negative")),
        None => text.strip_prefix('+').unwrap_or(text),
    };
    if rest == "0" {
        return Ok(Duration::ZERO);
    }
    let form = || invalid("numbers with units, such as 30s, 5m or 1h30m");
    if rest.is_empty() {
        return Err(form());
    }
    let mut rest = rest;
    let mut nanoseconds: u64 = 0;
    while !rest.is_empty() {
        let (whole, behind) = digits(rest);
        let (fraction, behind) = match behind.strip_prefix('.') {
            Some(behind) => digits(behind),
            None => ("", behind),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(form());
        }
        let end = behind
            .find(|c: char| c == '.' || c.is_ascii_digit())
            .unwrap_or(behind.len());
        let unit = UNITS.iter().find(|(name, _)| *name == &behind[..end]);
        let &(_, unit) = unit.ok_or_else(form)?;
        nanoseconds = scale(whole, fraction, unit)
            .and_then(|part| nanoseconds.checked_add(part))
            .filter(|total| i64::try_from(*total).is_ok())
            .ok_or_else(|| invalid("at most about 292 years"))?;
        rest = &behind[end..];
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// A duration as [`parse_duration`] reads it: `1h30m`, `0s`.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let mut rest = duration.as_nanos();
    let mut text = String::new();
    for (name, unit) in UNITS.iter().filter(|(name, _)| name.is_ascii()) {
        let count = rest / u128::from(*unit);
        if count > 0 {
            text.push_str(&format!("{count}{name}"));
        }
        rest %= u128::from(*unit);
    }
    if text.is_empty() {
        "0s".to_owned()
    } else {
        text
    }
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// `whole.fraction` units, in nanoseconds; `None` where there is no room. The
/// fraction is computed as Go does it, with its rounding.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as in Go: a fraction is less than a unit, and no unit is above 2^42"
)]
fn scale(whole: &str, fraction: &str, unit: u64) -> Option<u64> {
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let mut digits: u64 = 0;
    let mut one = 1.0;
    for digit in fraction.bytes() {
        // What would not fit is below a nanosecond of any unit.
        let Some(more) = digits
            .checked_mul(10)
            .and_then(|tens| tens.checked_add(u64::from(digit - b'0')))
            .filter(|more| i64::try_from(*more).is_ok())
        else {
            break;
        };
        digits = more;
        one *= 10.0;
    }
    let part = digits as f64 * (unit as f64 / one);
    whole.checked_mul(unit)?.checked_add(part as u64)
}
