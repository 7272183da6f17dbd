//! How long a response asks to wait, in the header's three forms.

use std::time::{Duration, SystemTime};

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;
use reqwest::header::HeaderMap;

/// Returns how long the provider asks to wait: `retry-after-ms`, or `retry-after` in seconds or as
/// a date.
///
/// `now` is compared with a date. A number may have a fraction; a negative or infinite one gives
/// `None`.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name| text(name)?.parse::<f64>().ok();
    if let Some(millis) = number("retry-after-ms") {
        return seconds(millis / 1_000.0);
    }
    if let Some(count) = number("retry-after") {
        return seconds(count);
    }
    let date = DateTime::from_str(text("retry-after")?, Format::HttpDate).ok()?;
    let date = SystemTime::try_from(date).ok()?;
    // A date in the past means no wait.
    Some(date.duration_since(now).unwrap_or_default())
}

/// `None` for a number that is no duration.
fn seconds(count: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(count).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn check(name: &'static str, value: &'static str, expected: Option<u64>) {
        let headers = HeaderMap::from_iter([(
            reqwest::header::HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )]);
        // Sat, 31 Jan 2026 12:00:00 GMT
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_860_800);
        let found = retry_after(&headers, now);
        assert_eq!(found, expected.map(Duration::from_millis), "{name}: {value}");
    }

    #[test]
    fn every_form() {
        check("retry-after", "3", Some(3_000));
        check("retry-after", " 0.5 ", Some(500));
        check("retry-after-ms", "250", Some(250));
        check("retry-after", "Sat, 31 Jan 2026 12:00:07 GMT", Some(7_000));
        check("retry-after", "Sat, 31 Jan 2026 11:00:00 GMT", Some(0));
        check("retry-after", "soon", None);
        check("retry-after", "-1", None);
        check("retry-after", "NaN", None);
        check("retry-after", "1e300", None);
    }
}
