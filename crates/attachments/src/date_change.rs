use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::announcement::Announcement;
use crate::trust::Trust;

/// A new local date.
///
/// It is sent at the end: a new date in an earlier message would invalidate the
/// cached prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateChange {
    /// The date as `YYYY-MM-DD`, such as `2026-02-01`. Any other text is sent
    /// too, as text from outside.
    pub date: String,
}

impl DateChange {
    /// A text in the form of a date is a closed value, any other is not.
    pub(crate) fn trust(&self) -> Trust {
        if is_date(&self.date) { Trust::Harness } else { Trust::Outside }
    }

    pub(crate) fn into_draft(self) -> (Announcement, String) {
        let date = self.date.as_str();
        let body = format!("The date has changed. Today's date is now {}.", one_line(date));
        (Announcement::of_names([date]), body)
    }
}

/// Returns true for four, two and two ASCII digits, joined by hyphens.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == "YYYY-MM-DD".len()
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dates_are_closed_values() {
        assert!(is_date("2026-02-01"));
        for text in [
            "",
            "2026-2-1",
            "2026-02-011",
            "2026/02/01",
            "20260-2-01",
            "２026-02-1",
            "2026-02-01\n",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }
}
