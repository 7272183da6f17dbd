//! Durations in Go's syntax: `30s`, `1h30m`, `1.5h`, `100ms`.

use std::time::Duration;

/// In nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// Largest first, in nanoseconds.
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

/// A text that is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("duration {text:?}: expected {kind}")]
pub struct DurationError {
    text: String,
    kind: DurationErrorKind,
}

aside_text::names! {
    /// Why a [`DurationError`] occurred, named by what was expected.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum DurationErrorKind {
        /// The text does not consist of numbers with units.
        Syntax = "numbers with units, such as 30s, 5m or 1h30m",
        /// The duration is negative.
        Negative = "one that is not negative",
        /// The duration is longer than about 292 years, Go's largest value.
        TooLong = "at most about 292 years",
    }
}

/// Parses a duration like Go's `time.ParseDuration`: decimal numbers, each with
/// an optional fraction and a unit (`h`, `m`, `s`, `ms`, `us`, `ns`), or `0`.
/// Fractions of a nanosecond are cut off.
///
/// ```
/// use std::time::Duration;
///
/// use aside_reminder::parse_duration;
///
/// assert_eq!(parse_duration("1h30m")?, Duration::from_secs(5_400));
/// assert_eq!(
///     parse_duration("5 minutes").unwrap_err().to_string(),
///     "duration \"5 minutes\": expected numbers with units, such as 30s, 5m or 1h30m"
/// );
/// # Ok::<(), aside_reminder::DurationError>(())
/// ```
///
/// # Errors
/// Returns an error if the text is not a duration, or if the duration is
/// negative or longer than about 292 years.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    parse(text).map_err(|kind| DurationError { text: text.to_owned(), kind })
}

fn parse(text: &str) -> Result<Duration, DurationErrorKind> {
    let rest = match text.strip_prefix('-') {
        Some(rest) if parse(rest).is_ok_and(|it| it.is_zero()) => rest,
        Some(_) => return Err(DurationErrorKind::Negative),
        None => text.strip_prefix('+').unwrap_or(text),
    };
    if rest == "0" {
        return Ok(Duration::ZERO);
    }
    if rest.is_empty() {
        return Err(DurationErrorKind::Syntax);
    }
    let mut rest = rest;
    let mut nanoseconds: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => digits(after),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(DurationErrorKind::Syntax);
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let unit = UNITS.iter().find(|(name, _)| *name == &after[..end]);
        let &(_, unit) = unit.ok_or(DurationErrorKind::Syntax)?;
        nanoseconds = scale(whole, fraction, unit)
            .and_then(|part| nanoseconds.checked_add(part))
            .filter(|total| *total <= MAX_NANOSECONDS)
            .ok_or(DurationErrorKind::TooLong)?;
        rest = &after[end..];
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// The longest duration, as in Go.
const MAX_NANOSECONDS: u64 = i64::MAX.unsigned_abs();

/// Formats a duration the way [`parse_duration`] reads it: `1h30m`, `0s`. A
/// longer one than it reads becomes the longest.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let mut rest = duration.as_nanos().min(MAX_NANOSECONDS.into());
    let mut text = String::new();
    for (name, unit) in UNITS.iter().filter(|(name, _)| name.is_ascii()) {
        let count = rest / u128::from(*unit);
        if count > 0 {
            text.push_str(&format!("{count}{name}"));
        }
        rest %= u128::from(*unit);
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

impl DurationError {
    /// Returns the fault.
    #[must_use]
    pub fn kind(&self) -> DurationErrorKind {
        self.kind
    }
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// Returns `whole.fraction` units in nanoseconds; `None` on overflow. Computes
/// and rounds the fraction as Go does.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as in Go: a fraction is less than a unit, and no unit is above 2^42"
)]
fn scale(whole: &str, fraction: &str, unit: u64) -> Option<u64> {
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut digits: u64 = 0;
    let mut one = 1.0;
    for digit in fraction.bytes() {
        // In any unit, the remaining digits are less than a nanosecond.
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
