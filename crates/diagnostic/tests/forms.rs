//! A diagnostic as a line and as JSON.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use aside_diagnostic::{Diagnostic, Location, Severity};

fn check(diagnostic: &Diagnostic, line: &str, json: &str) {
    assert_eq!(diagnostic.to_string(), line);
    let severity = format!("{}: ", diagnostic.severity);
    assert_eq!(diagnostic.without_severity().to_string(), line.strip_prefix(&severity).unwrap());
    assert_eq!(serde_json::to_string(diagnostic).unwrap(), json);
    let read: Diagnostic = serde_json::from_str(json).unwrap();
    assert_eq!(read, *diagnostic);
}

#[test]
fn absent_members_are_left_out() {
    let note = Diagnostic::note("caching-off", "no marker is sent");
    check(
        &note,
        "note: no marker is sent",
        r#"{"severity":"note","code":"caching-off","message":"no marker is sent"}"#,
    );
    let path = note.at(Location::new("/p/a.md"));
    check(
        &path,
        "note: /p/a.md: no marker is sent",
        r#"{"severity":"note","code":"caching-off","path":"/p/a.md","message":"no marker is sent"}"#,
    );
    let warning = Diagnostic::warning("bad", "x").at(Location::new("a").line(3));
    check(
        &warning,
        "warning: a:3: x",
        r#"{"severity":"warning","code":"bad","path":"a","line":3,"message":"x"}"#,
    );
    let error = Diagnostic::error("bad", "x").at(Location::new("a").line(3).column(7));
    check(
        &error,
        "error: a:3:7: x",
        r#"{"severity":"error","code":"bad","path":"a","line":3,"column":7,"message":"x"}"#,
    );
}

#[test]
fn a_diagnostic_is_one_line() {
    let hostile = "a\nerror: \u{1b}[2J\u{202e}\u{200b}";
    let diagnostic = Diagnostic::warning("bad", hostile).at(Location::new(hostile).line(1));
    let shown = r"a\nerror: \u{1b}[2J\u{202e}\u{200b}";
    assert_eq!(diagnostic.to_string(), format!("warning: {shown}:1: {shown}"));
}

#[test]
fn severities_are_in_order() {
    let all = [Severity::Note, Severity::Warning, Severity::Error];
    assert!(all.is_sorted());
    for severity in all {
        assert_eq!(severity.as_str().parse(), Ok(severity));
    }
}

#[test]
fn other_objects_are_refused() {
    for json in [
        r#"{"severity":"fatal","code":"a","message":""}"#,
        r#"{"severity":"note","code":"A b","message":""}"#,
        r#"{"severity":"note","message":""}"#,
    ] {
        assert!(serde_json::from_str::<Diagnostic>(json).is_err(), "{json}");
    }
}
