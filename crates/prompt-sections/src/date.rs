use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use aside_text::one_line;

/// The local date on which a session began, as `YYYY-MM-DD`.
///
/// It stays the same for the whole session: a later day is delivered at the end
/// of the conversation, since to change an earlier byte would invalidate the
/// whole cached prefix. This crate has no clock; pass the date.
///
/// ```
/// use aside_prompt_sections::SessionDate;
///
/// let date: SessionDate = "2026-02-28".parse()?;
/// assert_eq!(date.to_string(), "2026-02-28");
/// assert!("2026-02-29".parse::<SessionDate>().is_err());
/// # Ok::<(), aside_prompt_sections::InvalidDate>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionDate {
    year: u16,
    month: u8,
    day: u8,
}

/// A text or three numbers that are no Gregorian date between the years 1 and
/// 9999.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidDate {
    given: String,
}

impl SessionDate {
    /// Creates the date from year (1 to 9999), month (1 to 12) and day.
    ///
    /// # Errors
    ///
    /// There is no such day.
    pub fn new(year: u16, month: u8, day: u8) -> Result<Self, InvalidDate> {
        let leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 31,
        };
        if (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=days).contains(&day) {
            Ok(Self { year, month, day })
        } else {
            Err(InvalidDate { given: format!("{year:04}-{month:02}-{day:02}") })
        }
    }
}

impl FromStr for SessionDate {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        parse(text).ok_or_else(|| InvalidDate { given: text.to_owned() })
    }
}

/// Parses exactly four, two and two ASCII digits: `parse` alone would accept
/// `+026` as a year.
fn parse(text: &str) -> Option<SessionDate> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !shaped {
        return None;
    }
    let year = text[..4].parse().ok()?;
    let month = text[5..7].parse().ok()?;
    let day = text[8..].parse().ok()?;
    SessionDate::new(year, month, day).ok()
}

impl TryFrom<String> for SessionDate {
    type Error = InvalidDate;

    fn try_from(text: String) -> Result<Self, InvalidDate> {
        text.parse()
    }
}

impl From<SessionDate> for String {
    fn from(date: SessionDate) -> Self {
        date.to_string()
    }
}

impl fmt::Display for SessionDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a date of the form YYYY-MM-DD, found `{}`", one_line(&self.given))
    }
}

impl std::error::Error for InvalidDate {}
