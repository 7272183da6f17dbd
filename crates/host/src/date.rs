use aside_prompt_sections::SessionDate;

/// The local date. Where the system's time zone cannot be read, it is UTC's.
pub(crate) fn today() -> SessionDate {
    let date = jiff::Zoned::now().date();
    let [month, day] = [date.month(), date.day()].map(i8::unsigned_abs);
    // A clock before the year 1 is no clock.
    SessionDate::new(date.year().unsigned_abs(), month, day)
        .or_else(|_| SessionDate::new(1970, 1, 1))
        .expect("the epoch is a date")
}

/// The local date and time to the minute, with its distance from UTC.
#[must_use]
pub fn now() -> String {
    jiff::Zoned::now()
        .strftime("%Y-%m-%d %H:%M %:z")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_a_zone() {
        let now = now();
        let digits = now.replace(|c: char| c.is_ascii_digit(), "0");
        assert_eq!(digits.replace('-', "+"), "0000+00+00 00:00 +00:00");
    }
}
