//! Durations in Go's syntax.

use std::time::Duration;

use aside_reminder::{DurationErrorKind, Schedule, parse_duration};
use proptest::prelude::*;

fn check(text: &str, nanoseconds: u64) {
    assert_eq!(parse_duration(text), Ok(Duration::from_nanos(nanoseconds)), "{text}");
}

/// The table in Go's own tests, without negative durations.
#[test]
fn durations_that_go_accepts() {
    const S: u64 = 1_000_000_000;
    for (text, nanoseconds) in [
        ("0", 0),
        ("+0", 0),
        ("-0", 0),
        ("-0s", 0),
        ("5s", 5 * S),
        ("30s", 30 * S),
        ("1478s", 1478 * S),
        ("+5s", 5 * S),
        ("5.0s", 5 * S),
        ("5.6s", 5 * S + 600_000_000),
        ("5.s", 5 * S),
        (".5s", 500_000_000),
        ("1.0s", S),
        ("1.00s", S),
        ("1.004s", S + 4_000_000),
        ("1.0040s", S + 4_000_000),
        ("100.00100s", 100 * S + 1_000_000),
        ("10ns", 10),
        ("11us", 11_000),
        ("12µs", 12_000),
        ("12μs", 12_000),
        ("13ms", 13_000_000),
        ("14s", 14 * S),
        ("15m", 15 * 60 * S),
        ("16h", 16 * 3600 * S),
        ("3h30m", (3 * 3600 + 30 * 60) * S),
        ("10.5s4m", (4 * 60 + 10) * S + 500_000_000),
        ("1h2m3s4ms5us6ns", 3723 * S + 4_005_006),
        ("39h9m14.425s", (39 * 3600 + 9 * 60 + 14) * S + 425_000_000),
        ("52763797000ns", 52_763_797_000),
        ("0.3333333333333333333h", 20 * 60 * S),
        ("9007199254740993ns", 9_007_199_254_740_993),
        ("9223372036854775807ns", 9_223_372_036_854_775_807),
        ("9223372036854775.807us", 9_223_372_036_854_775_807),
        ("0.100000000000000000000h", 360 * S),
        ("0.830103483285477580700h", 2_988_372_539_827),
    ] {
        check(text, nanoseconds);
    }
}

#[test]
fn durations_that_go_refuses() {
    for text in [
        "",
        "3",
        "-",
        "s",
        ".",
        "-.",
        ".s",
        "+.s",
        "1d",
        "\u{85}\u{85}",
        "\u{ffff}",
        "hello",
        "5 m",
        "1h 30m",
        " 5m",
        "5m ",
        "5M",
        "1e3s",
        "--5s",
        "+-5s",
        "1..5s",
        "٣s",
        "9223372036854775810ns",
        "9223372036854775808ns",
        "9223372036854776us",
        "9223372036854ms1ms1h",
        "3000000h",
        "99999999999999999999999s",
    ] {
        assert!(parse_duration(text).is_err(), "{text}");
    }
}

#[test]
fn errors_have_a_kind_and_a_message() {
    for (text, kind, message) in [
        ("-5m", DurationErrorKind::Negative, "duration \"-5m\": expected one that is not negative"),
        (
            "5",
            DurationErrorKind::Syntax,
            "duration \"5\": expected numbers with units, such as 30s, 5m or 1h30m",
        ),
        (
            "3000000h",
            DurationErrorKind::TooLong,
            "duration \"3000000h\": expected at most about 292 years",
        ),
    ] {
        let error = parse_duration(text).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, message));
    }
}

proptest! {
    /// A sequence of numbers with units is their sum. A fraction may be off by
    /// a nanosecond, since it is computed in floating point, as in Go.
    #[test]
    fn any_duration_of_the_grammar(
        parts in prop::collection::vec(
            (0..1000u64, prop::option::of("[0-9]{1,12}"), 0..7usize),
            1..6,
        ),
        plus in any::<bool>(),
    ) {
        const UNITS: [(&str, u128); 7] = [
            ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
            ("ms", 1_000_000), ("us", 1_000), ("µs", 1_000), ("ns", 1),
        ];
        let mut text = String::from(if plus { "+" } else { "" });
        let mut expected = 0;
        let tolerance = parts.len() as u128;
        for (whole, fraction, unit) in parts {
            let (name, unit) = UNITS[unit];
            text.push_str(&whole.to_string());
            expected += u128::from(whole) * unit;
            if let Some(fraction) = fraction {
                text.push_str(&format!(".{fraction}"));
                let ten = 10u128.pow(u32::try_from(fraction.len()).unwrap());
                expected += fraction.parse::<u128>().unwrap() * unit / ten;
            }
            text.push_str(name);
        }
        let found = parse_duration(&text).unwrap().as_nanos();
        prop_assert!(found.abs_diff(expected) <= tolerance, "{text}: {found}, not {expected}");
        // A number needs a unit.
        let cut = format!("{text}7");
        prop_assert!(parse_duration(&cut).is_err());
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "[-+0-9.hmsuµn ]{0,12}") {
        if let Ok(duration) = parse_duration(&text) {
            prop_assert!(duration.as_nanos() <= i64::MAX as u128);
        }
    }

    #[test]
    fn a_formatted_duration_is_parsed_back(nanoseconds in 0..=i64::MAX as u64) {
        let schedule = Schedule::every(Duration::from_nanos(nanoseconds));
        let json = serde_json::to_string(&schedule).unwrap();
        prop_assert_eq!(serde_json::from_str::<Schedule>(&json).unwrap(), schedule);
    }
}
