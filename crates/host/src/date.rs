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
