//! Times, in the forms that logs use.
//!
//! A time is a duration since 1970, or since the log began if that counts from
//! 0. Logs do not state the unit, so a number's size gives it.

use std::time::Duration;

use aside_models::Date;
use serde_json::Value;

/// The day from which times count.
const FIRST_DAY: Date = Date::new(1970, 1, 1);

/// Reads a time: a number in seconds, in milliseconds when it is too large for
/// that, or a date and time as in RFC 3339.
///
/// ```text
/// 1795328940.5             seconds
/// 1795328940500            milliseconds; larger numbers are micro- and nanoseconds
/// "1795328940"             a number in a string
/// "2026-11-22T06:29:00Z"   RFC 3339
/// ```
///
/// `None` for other texts, and for times before 1970.
pub(crate) fn read(value: &Value) -> Option<Duration> {
    match value {
        Value::Number(number) => of_number(number.as_f64()?),
        Value::String(text) => of_text(text).or_else(|| of_number(text.parse().ok()?)),
        _ => None,
    }
}

/// Larger numbers count milliseconds, microseconds or nanoseconds: in seconds,
/// this is the year 5138.
const MAX_SECONDS: f64 = 1e11;

/// Reads a number in seconds or a smaller unit; `None` if it is negative or not
/// finite.
fn of_number(number: f64) -> Option<Duration> {
    if !number.is_finite() || number < 0.0 {
        return None;
    }
    let mut seconds = number;
    while seconds >= MAX_SECONDS {
        seconds /= 1_000.0;
    }
    // Rounded to a microsecond, so that equal figures are equal times.
    Some(Duration::from_micros((seconds * 1e6).round() as u64))
}

/// Reads `2026-11-22T06:29:00.123Z`, with `Z`, an offset or neither.
///
/// Neither means UTC. Seconds are optional, and a fraction is cut to
/// microseconds. The separator may be a space. A date without a time is not
/// read.
pub(crate) fn of_text(text: &str) -> Option<Duration> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = bytes.get(from..to)?;
        let is_number = digits.iter().all(u8::is_ascii_digit);
        is_number.then(|| digits.iter().fold(0, |sum, it| sum * 10 + i64::from(it - b'0')))
    };
    let is = |at: usize, expected: &[u8]| bytes.get(at).is_some_and(|it| expected.contains(it));
    if !(is(10, b"Tt ") && is(13, b":")) {
        return None;
    }
    let days = FIRST_DAY.days_until(Date::parse(text.get(..10)?)?);
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    let (second, mut at) = if is(16, b":") { (number(17, 19)?, 19) } else { (0, 16) };
    let mut micros = 0;
    if is(at, b".,") {
        let digits: Vec<u8> =
            bytes[at + 1..].iter().copied().take_while(u8::is_ascii_digit).collect();
        at += 1 + digits.len();
        for place in 0..6 {
            let digit = digits.get(place).map_or(0, |it| i64::from(it - b'0'));
            micros = micros * 10 + digit;
        }
    }
    let offset = match bytes.get(at) {
        Some(sign @ (b'+' | b'-')) => {
            let hours = number(at + 1, at + 3)?;
            let from = at + 3 + usize::from(is(at + 3, b":"));
            let minutes = hours * 60 + number(from, from + 2).unwrap_or(0);
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => 0,
    };
    if hour > 24 || minute > 59 {
        return None;
    }
    let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second;
    let seconds = u64::try_from(seconds).ok()?;
    Some(Duration::from_secs(seconds) + Duration::from_micros(micros.unsigned_abs()))
}

/// Reads a count of milliseconds; `None` if it is negative or not finite.
pub(crate) fn milliseconds(count: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(count / 1e3).ok()
}

/// The shortest time that is a date: a log with times of its own begins at 0.
const FIRST_DATE: Duration = Duration::from_secs(1_000_000_000);

/// Returns the UTC day, such as `2026-11-22`, from a time since 1970; `None`
/// when the log counts from its start.
#[must_use]
pub fn day(at: Duration) -> Option<String> {
    // Source: H. Hinnant, "chrono-compatible low-level date algorithms".
    let days = i64::try_from(at.as_secs() / 86_400).ok()? + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (at >= FIRST_DATE).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Formats a time since 1970 in UTC, such as `2026-11-22T06:29:00.123Z`; `None`
/// as for [`day`].
///
/// ```
/// use std::time::Duration;
///
/// let at = Duration::from_millis(1_795_328_940_123);
/// assert_eq!(aside_request_logs::rfc3339(at).as_deref(), Some("2026-11-22T06:29:00.123Z"));
/// ```
#[must_use]
pub fn rfc3339(at: Duration) -> Option<String> {
    let of_day = at.as_secs() % 86_400;
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    let millis = at.subsec_millis();
    Some(format!("{}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z", day(at)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_form() {
        let check = |json: &str, micros: u64| {
            let value = serde_json::from_str(json).unwrap();
            assert_eq!(read(&value), Some(Duration::from_micros(micros)), "{json}");
        };
        let second = 1_000_000;
        check(r#""1970-01-01T00:00:00Z""#, 0);
        check(r#""2026-11-22T06:29:00.123Z""#, 1_795_328_940 * second + 123_000);
        check(r#""2026-11-22T07:29:00+01:00""#, 1_795_328_940 * second);
        check(r#""2024-02-29 00:00:00""#, 1_709_164_800 * second);
        check("20.5", 20_500_000);
        check("1795328940", 1_795_328_940 * second);
        check("1795328940123", 1_795_328_940 * second + 123_000);
        check("1795328940123000000", 1_795_328_940 * second + 123_000);
        for bad in [r#""yesterday""#, "-1", "null", r#""2026-13-01T00:00:00Z""#, r#""2026-11-22""#]
        {
            assert_eq!(read(&serde_json::from_str(bad).unwrap()), None, "{bad}");
        }
    }
}
