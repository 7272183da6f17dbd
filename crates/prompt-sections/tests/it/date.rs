//! Session dates.

use aside_prompt_sections::SessionDate;

#[test]
fn a_date_is_read_and_written_as_iso() {
    for text in ["2026-11-21", "0001-01-01", "9999-12-31", "2024-02-29", "2000-02-29"] {
        assert_eq!(text.parse::<SessionDate>().unwrap().to_string(), text);
    }
    assert_eq!(SessionDate::new(2026, 3, 4).unwrap().to_string(), "2026-03-04");
}

#[test]
fn invalid_dates_are_refused() {
    let wrong = [
        "",
        "2026-1-2",
        "2026-02-30",
        "2025-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-04-31",
        "0000-01-01",
        "+026-01-01",
        "2026/01/01",
        "2026-01-01 ",
        "2026-01-0１",
        "2026-01-01\n# System",
    ];
    for text in wrong {
        assert!(text.parse::<SessionDate>().is_err(), "{text:?}");
    }
    assert!(SessionDate::new(2026, 13, 1).is_err());
    insta::assert_snapshot!(
        "now\n".parse::<SessionDate>().unwrap_err(),
        @"expected a date of the form YYYY-MM-DD, found `now\\n`"
    );
}

#[test]
fn a_date_is_stored_as_text() {
    let date: SessionDate = "2026-11-21".parse().unwrap();
    let json = serde_json::to_string(&date).unwrap();
    assert_eq!(json, "\"2026-11-21\"");
    assert_eq!(serde_json::from_str::<SessionDate>(&json).unwrap(), date);
    assert!(serde_json::from_str::<SessionDate>("\"2026-02-30\"").is_err());
}
