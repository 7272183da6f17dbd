//! What dates and times look like.

/// Returns true if the word looks like a date, a time or a number of seconds
/// since 1970.
///
/// Seconds and milliseconds since 1970 are recognized by their 10 or 13 digits
/// and a leading 1.
pub(super) fn is_date_or_time(word: &str) -> bool {
    // Digits as 9, to compare forms.
    let form: String = word
        .chars()
        .map(|it| if it.is_ascii_digit() { '9' } else { it })
        .collect();
    let dates = [
        "9999-99-99",
        "9999/99/99",
        "99/99/9999",
        "99.99.9999",
        "9/99/9999",
        "99:99",
    ];
    if dates.iter().any(|it| form.contains(it)) {
        return true;
    }
    is_epoch(word) || is_hour(word)
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
    let hour = lower
        .strip_suffix("am")
        .or_else(|| lower.strip_suffix("pm"));
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

/// Returns true if a line names a month or a day of the week, and has a digit.
pub(super) fn has_month_or_day(line: &str) -> bool {
    let lower = line.to_lowercase();
    let mut words = lower.split(|it: char| !it.is_alphabetic());
    let has_digit = lower.bytes().any(|it| it.is_ascii_digit());
    has_digit && words.any(|it| DAYS_AND_MONTHS.contains(&it))
}
