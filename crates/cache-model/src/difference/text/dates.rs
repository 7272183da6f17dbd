//! What dates and times look like.

/// Returns true if the word looks like a date, a time or a number of seconds
/// since 1970.
///
/// Seconds and milliseconds since 1970 are recognized by their 10 or 13 digits
/// and a leading 1.
pub(super) fn is_date_or_time(word: &str) -> bool {
    // Digits as 9, to compare forms.
    let form: String = word.chars().map(|it| if it.is_ascii_digit() { '9' } else { it }).collect();
    let dates = ["9999-99-99", "9999/99/99", "99/99/9999", "99.99.9999", "9/99/9999"];
    let has_date = dates.iter().any(|it| form.contains(it));
    has_date || has_time(&form) || is_epoch(word) || is_hour(word)
}

/// Returns true for hours and minutes that are no position in a file, such as
/// `main.rs:12:34`.
fn has_time(form: &str) -> bool {
    let mut found = form.match_indices("99:99");
    found.any(|(at, _)| {
        let before = form[..at].chars().next_back();
        before.is_none_or(|it| it == 'T' || !(it.is_alphanumeric() || ":./".contains(it)))
    })
}

/// Returns true for two numbers that the line calls lines or pages, as in `lines 10:20`.
pub(super) fn is_range_of_lines(word: &str, line: &str) -> bool {
    let before = line.split(word).next().unwrap_or_default().trim_end();
    let name = before.rsplit(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    matches!(name.trim_end_matches('s'), "line" | "row" | "column" | "page" | "range")
}

/// Returns true for hours and minutes of a clock of twelve hours, as in `9:58 AM`.
pub(super) fn is_on_a_twelve_hour_clock(word: &str, line: &str) -> bool {
    let Some((hours, minutes)) = word.split_once(':') else {
        return false;
    };
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    // At the end of a sentence, a stop follows.
    let letters = |it: &str| it.trim_end_matches('.').to_ascii_lowercase();
    let half = |it: &str| matches!(&*letters(it), "am" | "pm" | "a.m" | "p.m");
    let mut words = line.split([' ', ',', ';', ')']);
    let is_followed = words.any(|it| it == word) && words.next().is_some_and(half);
    hours.len() <= 2 && minutes.len() == 2 && is_number(hours) && is_number(minutes) && is_followed
}

/// Returns true for a time since 1970, in seconds (with or without a fraction),
/// milliseconds, microseconds or nanoseconds.
fn is_epoch(word: &str) -> bool {
    let number = word.trim_matches(|it: char| !it.is_ascii_digit());
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_number = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    let is_long = match fraction {
        "" => matches!(whole.len(), 10 | 13 | 16 | 19),
        _ => whole.len() == 10,
    };
    is_long && whole.starts_with('1') && is_number(whole) && is_number(fraction)
}

/// Returns true for an hour such as `3pm`.
fn is_hour(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let hour = lower.strip_suffix("am").or_else(|| lower.strip_suffix("pm"));
    hour.is_some_and(|it| matches!(it.parse(), Ok(1..=12)))
}

/// English names for months and days of the week.
const DAYS_AND_MONTHS: [&str; 19] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Returns true for the name of a month or a day of the week, in full or as its
/// first three letters.
pub(super) fn is_day_or_month(word: &str) -> bool {
    let word = word.trim_matches(['.', ':', '-', '/']);
    let lower = word.to_ascii_lowercase();
    let is_name = |it: &&str| **it == lower || it.get(..3) == Some(lower.as_str());
    word.starts_with(|it: char| it.is_ascii_uppercase()) && DAYS_AND_MONTHS.iter().any(is_name)
}

/// Returns true if a line has the name of a month or of a day of the week, in full, or
/// in short next to a number, as in `21 Nov`.
pub(super) fn has_month_or_day(line: &str) -> bool {
    let words = line.split(|it: char| !it.is_alphanumeric());
    let words: Vec<&str> = words.filter(|it| !it.is_empty()).collect();
    let is_number = |it: &&str| it.bytes().all(|it| it.is_ascii_digit());
    let is_next = |index: usize| words.get(index).is_some_and(is_number);
    words.iter().enumerate().any(|(index, word)| {
        let is_full = DAYS_AND_MONTHS.contains(&&*word.to_lowercase());
        let is_dated = || is_next(index + 1) || index.checked_sub(1).is_some_and(is_next);
        is_full || (is_day_or_month(word) && is_dated())
    })
}
