use super::*;

fn events(chunks: &[&[u8]]) -> Vec<String> {
    let mut sse = Sse::default();
    let mut found = Vec::new();
    let mut each = |data: &[u8]| {
        found.push(text(data)?.to_owned());
        Ok(())
    };
    for chunk in chunks {
        sse.push(chunk, &mut each).unwrap();
    }
    sse.finish(&mut each).unwrap();
    found
}

fn check(stream: &str, expected: &[&str]) {
    assert_eq!(events(&[stream.as_bytes()]), expected, "{stream:?}");
    for cut in 0..=stream.len() {
        let (before, after) = stream.as_bytes().split_at(cut);
        assert_eq!(events(&[before, after]), expected, "{stream:?} cut at {cut}");
    }
}

#[test]
fn lines_end_in_three_ways() {
    check("data: a\n\ndata:b\n\n", &["a", "b"]);
    check("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
    check("data: a\r\rdata: b\r\r", &["a", "b"]);
}

#[test]
fn lines_other_than_data_are_skipped() {
    check("\u{FEFF}: hi\nevent: x\nid: 1\nretry: 3\ndata: a\n\n\n:\n\nevent: y\n\n", &["a"]);
    check("data: a\ndata\ndata:  é\n\n", &["a\n é"]);
    check("data: \n\ndata\n\n", &[]);
}

#[test]
fn the_last_event_needs_no_empty_line() {
    check("data: a\n\ndata: b", &["a", "b"]);
    check("data: b\n", &["b"]);
}

#[test]
fn a_line_of_half_a_character_is_an_error() {
    let mut sse = Sse::default();
    let error = sse.push(b"\ndata: \xF0\x9F\n\n", &mut |data| text(data).map(drop)).unwrap_err();
    assert_eq!(error.line(), Some(2));
    assert!(matches!(error.kind(), StreamErrorKind::Malformed(_)));
}

#[test]
fn the_line_of_an_error_is_the_one_at_fault() {
    let line = |stream: &str| {
        let refuse = |_: &[u8]| Err(StreamError::malformed("no"));
        let mut sse = Sse::default();
        let result =
            sse.push(stream.as_bytes(), &mut { refuse }).and_then(|()| sse.finish(&mut { refuse }));
        result.unwrap_err().line()
    };
    assert_eq!(line("data: x\n\n\n"), Some(1));
    assert_eq!(line("data: x"), Some(1));
    assert_eq!(line("event: e\r\ndata: 7\r\nid: 1\r\n\r\n"), Some(2));
    // One event of several lines.
    assert_eq!(line(":\ndata: {\ndata: \"a\": 1\ndata: }\n\n"), Some(2));
    assert_eq!(line(":\ndata: {\ndata: \"a\": b\ndata: }\n\n"), Some(3));
    // Lines between are not counted again: the error is at its start.
    assert_eq!(line("data: {\n:\n:\ndata: x}\n\n"), Some(1));
}

#[test]
fn a_line_that_is_too_long_is_named() {
    let long = "x".repeat(MAX_LINE_BYTES / 2 + 1);
    for stream in [format!("\ndata: {long}{long}"), format!("data: {long}\ndata: {long}\n")] {
        let mut sse = Sse::default();
        let error = sse.push(stream.as_bytes(), &mut |_| Ok(())).unwrap_err();
        assert_eq!(error.line(), Some(2));
    }
}

#[test]
fn an_error_in_plain_json_is_found() {
    let mut sse = Sse::default();
    let body = b"{\n \"error\": {\"message\": \"m\"}\n}\n";
    sse.push(body, &mut |_| Ok(())).unwrap();
    assert_eq!(sse.stray_error().unwrap().message, "m");
}
