use std::fmt;
use std::str::FromStr;

use aside_models::Date;
use aside_text::one_line;
use serde::{Deserialize, Serialize};

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
#[serde(try_from = "String")]
pub struct SessionDate(Date);

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
        format!("{year:04}-{month:02}-{day:02}").parse()
    }
}

impl FromStr for SessionDate {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let date = Date::parse(text).filter(|_| !text.starts_with("0000"));
        date.map(Self).ok_or_else(|| InvalidDate { given: text.to_owned() })
    }
}

impl TryFrom<String> for SessionDate {
    type Error = InvalidDate;

    fn try_from(text: String) -> Result<Self, InvalidDate> {
        text.parse()
    }
}

impl fmt::Display for SessionDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a date of the form YYYY-MM-DD, found `{}`", one_line(&self.given))
    }
}

impl std::error::Error for InvalidDate {}
