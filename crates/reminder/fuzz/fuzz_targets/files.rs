//! Parses any text as a plugin file: `cargo +nightly fuzz run files`.

#![no_main]

use std::path::Path;
use std::time::Duration;

use aside_reminder::{
    Due, Expression, Manager, TemplateValues, format_duration, parse_duration, parse_file, render,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // In YAML these also end a line, and an error at the end is one line further.
    let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
    let lines = 1 + text.split(breaks).count();
    for name in ["a.md", "a.yaml"] {
        let file = match parse_file(Path::new(name), text) {
            Ok(file) => file,
            Err(diagnostic) => {
                assert!((1..=lines).contains(&diagnostic.line().unwrap()));
                continue;
            }
        };
        for diagnostic in &file.diagnostics {
            assert!((1..=lines).contains(&diagnostic.line().unwrap()));
        }
        let reminder = file.reminder;
        assert!(!reminder.active || !reminder.content.trim().is_empty());
        // No content can close its tags.
        let text = render(&[Due::from(&reminder)]);
        assert!(text.matches("</system-reminder>").count() <= 1);
        let _ = TemplateValues::default().fill(&reminder.content);
        let manager = Manager::new();
        manager.register(reminder);
        let _ = manager.evaluate(&Default::default());
    }
    let expression = Expression::parse(text);
    assert_eq!(Expression::parse(&expression.to_string()), expression);
    if let Ok(duration) = parse_duration(text) {
        assert!(duration <= Duration::from_nanos(i64::MAX as u64));
        assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
    }
});
