//! The machine's date and time. No other module reads the wall clock.

use std::time::{Duration, SystemTime};

use aside_prompt_sections::SessionDate;
use aside_session::SessionTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Returns the local date, and the same moment for a session that begins. When the system's time
/// zone cannot be read, both are in UTC.
pub(crate) fn today_and_now() -> (SessionDate, SessionTime) {
    let local = local();
    let date = local.date();
    let [month, day] = [date.month(), date.day()].map(i8::unsigned_abs);
    // A year before 1 means a broken clock.
    let today = SessionDate::new(date.year().unsigned_abs(), month, day)
        .or_else(|_| SessionDate::new(1970, 1, 1))
        .expect("the epoch is a date");
    let time = SessionTime {
        now: Some(local.strftime("%Y-%m-%d %H:%M %:z").to_string()),
        elapsed: Duration::ZERO,
        since_epoch: Duration::try_from(local.timestamp().as_duration()).ok(),
    };
    (today, time)
}

/// Returns the local day, such as `2026-11-22`; 1970-01-01 when out of range.
#[must_use]
pub fn date_of(time: SystemTime) -> String {
    let time = Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH);
    time.to_zoned(local().time_zone().clone()).date().to_string()
}

fn local() -> Zoned {
    let zone = linked_zone().unwrap_or_else(TimeZone::system);
    Timestamp::now().to_zoned(zone)
}

/// Returns the system's time zone without its name. To find the name takes a list of all zones, and
/// a fifth of the command's start.
fn linked_zone() -> Option<TimeZone> {
    if !cfg!(unix) || std::env::var_os("TZ").is_some() {
        return None;
    }
    let rules = std::fs::read("/etc/localtime").ok()?;
    TimeZone::tzif("local", &rules).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_a_zone() {
        let now = today_and_now().1.now.unwrap();
        let digits = now.replace(|c: char| c.is_ascii_digit(), "0");
        assert_eq!(digits.replace('-', "+"), "0000+00+00 00:00 +00:00");
    }

    #[test]
    fn a_zone_without_its_name_is_the_system_s() {
        if let Some(zone) = linked_zone() {
            let now = Timestamp::now();
            assert_eq!(zone.to_offset(now), TimeZone::system().to_offset(now), "{zone:?}");
        }
    }
}
