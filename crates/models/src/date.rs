//! Dates in the catalogue, without a time zone.

use std::fmt;

use serde::{Serialize, Serializer};

/// A calendar date, printed and serialized as `2026-11-24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Creates a date for the catalogue. An invalid one fails the build.
    #[must_use]
    pub const fn new(year: u16, month: u8, day: u8) -> Self {
        assert!(month >= 1 && month <= 12, "a month from 1 to 12");
        assert!(day >= 1 && day <= days_in(year, month), "a day of the month");
        Self { year, month, day }
    }

    /// Parses `2026-11-24`; `None` for anything else.
    ///
    /// ```
    /// use aside_models::Date;
    ///
    /// assert_eq!(Date::parse("2026-11-24"), Some(Date::new(2026, 11, 24)));
    /// assert_eq!(Date::parse("2026-02-30"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-');
        let mut part = |length: usize| {
            let part = parts.next().filter(|part| part.len() == length)?;
            let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse::<u16>().ok().filter(|_| is_number)
        };
        let (year, month, day) = (part(4)?, part(2)?, part(2)?);
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        let is_valid = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
        is_valid.then_some(Self { year, month, day })
    }

    /// Returns the earlier day, or the only known one.
    #[must_use]
    pub fn earlier(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        one.into_iter().chain(other).min()
    }

    /// Returns how many days it is from `self` to `other`, negative if `other`
    /// is earlier.
    #[must_use]
    pub fn days_until(self, other: Self) -> i64 {
        other.day_number() - self.day_number()
    }

    /// Counts days in the proleptic Gregorian calendar, from a fixed start.
    fn day_number(self) -> i64 {
        // A year that begins in March has its leap day at the end.
        let (year, month) = match self.month {
            1 | 2 => (i64::from(self.year) - 1, i64::from(self.month) + 9),
            month => (i64::from(self.year), i64::from(month) - 3),
        };
        let leap_days = year / 4 - year / 100 + year / 400;
        year * 365 + leap_days + (month * 153 + 2) / 5 + i64::from(self.day)
    }
}

/// In the Gregorian calendar.
const fn days_in(year: u16, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(from: &str, to: &str) -> i64 {
        let date = |text| Date::parse(text).expect("a valid date");
        date(from).days_until(date(to))
    }

    #[test]
    fn days_cross_months_and_leap_years() {
        assert_eq!(days("2026-11-21", "2026-11-24"), 3);
        assert_eq!(days("2026-11-24", "2026-11-21"), -3);
        assert_eq!(days("2028-02-28", "2028-03-01"), 2);
        assert_eq!(days("2027-02-28", "2027-03-01"), 1);
        assert_eq!(days("2026-01-01", "2027-01-01"), 365);
        assert_eq!(days("1999-12-31", "2000-03-01"), 61);
    }

    #[test]
    fn only_real_dates_parse() {
        for text in
            ["", "2026-11", "2026-11-2", "2026-13-01", "2026-00-01", "+026-11-01", "2026-11-24T0"]
        {
            assert_eq!(Date::parse(text), None, "{text}");
        }
        assert_eq!(
            Date::parse("2028-02-29").map(|it| it.to_string()).as_deref(),
            Some("2028-02-29")
        );
    }
}
