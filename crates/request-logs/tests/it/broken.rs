//! Broken logs: the rest is read, and the fault has its line.

use std::io::{BufReader, Read, repeat};

use aside_request_logs::{Exchange, Format, LogError, LogErrorKind, MAX_LINE_BYTES, read};
use proptest::prelude::*;

fn all(log: &str) -> Vec<Result<Exchange, LogError>> {
    read(log.as_bytes(), None).collect()
}

fn faults(log: &str) -> Vec<(usize, LogErrorKind)> {
    let all = all(log).into_iter().filter_map(Result::err);
    all.map(|it| (it.line(), it.kind())).collect()
}

const LINE: &str = r#"{"t":1,"body":{"model":"m","messages":[]}}"#;

#[test]
fn faults_have_their_lines_and_the_rest_is_read() {
    let log = format!("{LINE}\n{{\"t\":\n{LINE}\n\n{{\"t\":2}}\n{LINE}\n{}", &LINE[..20]);
    assert_eq!(
        faults(&log),
        [(2, LogErrorKind::NotJson), (5, LogErrorKind::NotAnEntry), (7, LogErrorKind::Torn)]
    );
    assert_eq!(all(&log).iter().filter(|it| it.is_ok()).count(), 3);
}

#[test]
fn a_first_line_that_is_broken_does_not_hide_the_rest() {
    let log = format!("{{\"t\":0,\"bo\n{LINE}\n{LINE}\n");
    assert_eq!(faults(&log), [(1, LogErrorKind::NotJson)]);
    assert_eq!(all(&log).iter().filter(|it| it.is_ok()).count(), 2);
}

#[test]
fn a_line_that_is_too_long_does_not_hide_the_rest() {
    let (first, rest) = (format!("{LINE}\n"), format!("\n{LINE}\n"));
    let long = repeat(b'x').take(MAX_LINE_BYTES + 1);
    let log = first.as_bytes().chain(BufReader::new(long)).chain(rest.as_bytes());
    let all: Vec<_> = read(log, None).collect();
    let faults = all.iter().filter_map(|it| it.as_ref().err()).map(|it| (it.line(), it.kind()));
    assert_eq!(faults.collect::<Vec<_>>(), [(2, LogErrorKind::TooLong)]);
    assert_eq!(all.iter().filter(|it| it.is_ok()).count(), 2);
}

/// A file may lack its last newline and still be complete.
#[test]
fn only_a_line_that_ends_early_is_torn() {
    let check = |line: &str, expected: LogErrorKind| {
        let alone = read(line.as_bytes(), Some(Format::Bodies)).next().unwrap();
        assert_eq!(alone.unwrap_err().kind(), expected, "{line:?}");
        assert_eq!(faults(&format!("{LINE}\n{line}")), [(2, expected)], "{line:?}");
        assert_eq!(faults(&format!("{LINE}\n{line}\n")), [(2, LogErrorKind::NotJson)], "{line:?}");
    };
    let bodies = r#"{"model":"a","messages":[]}{"model":"a","messages":[]}"#;
    for line in [r#"{"model":"a","messages":[],}"#, "{\"model\":\"a\0\"}", bodies, "notes", "\0"] {
        check(line, LogErrorKind::NotJson);
    }
    for line in ["{", r#"{"model":"a","mess"#, r#"{"model":"a","messages":[]"#] {
        check(line, LogErrorKind::Torn);
    }
}

/// A log that was cut at its beginning, or begins with the output of another program.
#[test]
fn a_first_line_that_does_not_begin_like_json_does_not_hide_the_rest() {
    let first_lines = ["tail of a line\"}", "\0\0\0", "listening on: 4000", "\"}]}", "a: {b: c}"];
    let session = r#"{"type":"summary","leafUuid":"l"}"#;
    for first in first_lines {
        for next in ["", "\n\n", "{\"x\":1}\n{\n"] {
            let log = format!("{first}\n{next}{LINE}\n{LINE}\nx\n{LINE}");
            let mut exchanges = read(log.as_bytes(), None);
            let is_read = exchanges.by_ref().filter(Result::is_ok).count();
            assert_eq!((is_read, exchanges.format()), (3, Some(Format::Plain)), "{log:?}");
            let lines: Vec<usize> = faults(&log).iter().map(|it| it.0).collect();
            assert_eq!((lines[0], lines.last()), (1, Some(&(exchanges.lines() - 1))), "{log:?}");
            let given = read(log.as_bytes(), Some(Format::Plain));
            assert_eq!(given.filter(Result::is_ok).count(), 3, "{log:?}");
        }
        assert_eq!(faults(&format!("{first}\n{session}\n")), [(1, LogErrorKind::NotJson)]);
        // Without any line in a format it may be YAML, which it is not either.
        assert_eq!(faults(&format!("{first}\n")), [(1, LogErrorKind::NotJson)]);
    }
    // A cassette indents the lines of its bodies.
    let body = r#"{"model":"m","messages":[]}"#;
    let pair = "when:\n  path: /v1/messages\n  body: |\n";
    let cassette = format!("{pair}    {body}\n\n    {body}\nthen:\n  status: 200\n");
    let requests = all(&cassette);
    let request = requests[0].as_ref().unwrap().request.as_bytes();
    assert_eq!(request, Some(format!("{body}\n\n{body}\n").as_bytes()));
}

#[test]
fn entries_are_in_the_order_of_their_times_within_a_window() {
    let at = |seconds: u32| LINE.replace(":1,", &format!(":{seconds},"));
    let log = format!("{}\n{}\n{}\n", at(1), at(0), at(2));
    let times = |log: &str| -> Vec<u64> {
        let found = all(log).into_iter().filter_map(Result::ok);
        found.map(|it| it.at.unwrap().as_secs()).collect()
    };
    assert_eq!((times(&log), faults(&log)), (vec![0, 1, 2], vec![]));
    // An entry too late for the window is reported, and read.
    let many: String = (1..40).map(|it| at(it) + "\n").collect();
    let log = format!("{many}{}\n", at(0));
    assert_eq!(faults(&log), [(40, LogErrorKind::OutOfOrder)]);
    assert_eq!(times(&log).len(), 40);
    // Of an earlier session that follows a later one, this is said once.
    let earlier: String = (100..140).map(|it| at(it) + "\n").collect();
    let later: String = (200..240).map(|it| at(it) + "\n").collect();
    assert_eq!(faults(&(later + &earlier)), [(41, LogErrorKind::OutOfOrder)]);
}

#[test]
fn a_first_line_that_is_cut_does_not_make_a_document_of_the_rest() {
    let log = format!("{{\"t\":0,\"body\":{{\"model\"}}\n{LINE}\n");
    let mut exchanges = read(log.as_bytes(), None);
    assert!(exchanges.next().unwrap().is_err() && exchanges.next().unwrap().is_ok());
    assert_eq!(exchanges.format(), Some(Format::Plain));
}

#[test]
fn a_bad_entry_of_a_list_does_not_hide_the_others() {
    let log = format!("[{LINE},{{\"t\":2}},\n{LINE}]");
    assert_eq!(faults(&log), [(2, LogErrorKind::NotAnEntry)]);
    assert_eq!(all(&log).iter().filter(|it| it.is_ok()).count(), 2);
}

#[test]
fn lines_are_counted() {
    for (log, lines) in [("", 0), ("\n\n", 2), (LINE, 1)] {
        let mut exchanges = read(log.as_bytes(), None);
        assert_eq!(exchanges.by_ref().count(), usize::from(lines == 1));
        assert_eq!(exchanges.lines(), lines);
    }
    let log = format!("{LINE}\n{LINE}\n");
    let mut exchanges = read(log.as_bytes(), None);
    assert_eq!((exchanges.by_ref().count(), exchanges.lines()), (2, 2));
}

/// An entry without a figure would cost less than it did.
#[test]
fn a_figure_that_cannot_be_read_is_reported() {
    let logs = [
        r#"{"type":"assistant","sessionId":"s","message":{"id":"m","usage":{"input_tokens":N}}}"#,
        r#"{"type":"assistant","sessionId":"s","message":{"id":"m","usage":{"input_tokens":N,"cache_read_input_tokens":3}}}"#,
        r#"{"type":"gemini","sessionId":"s","id":"m","tokens":{"input":N}}"#,
        r#"{"sessionID":"s","role":"assistant","id":"m","tokens":{"input":N,"cache":{"read":3}}}"#,
        r#"{"t":1,"body":{"model":"m","messages":[]},"usage":{"input_tokens":N}}"#,
        r#"{"t":1,"body":{"model":"m","messages":[]},"response":{"usage":{"prompt_tokens":N}}}"#,
        r#"{"attributes":{"gen_ai.system":"x","gen_ai.usage.input_tokens":N}}"#,
    ];
    for log in logs {
        for value in ["7", "7.0", "7e0"] {
            let log = log.replace('N', value);
            let exchange = all(&log).remove(0).unwrap();
            let usage = exchange.usage.unwrap();
            assert_eq!((usage.input(), faults(&log)), (usage.read + 7, vec![]), "{log}");
        }
        for value in ["-7", "7.5", "\"7 \""] {
            let log = log.replace('N', value);
            let fault = all(&log).remove(0).unwrap_err();
            assert_eq!((fault.line(), fault.kind()), (1, LogErrorKind::Figure), "{log}");
            assert!(fault.to_string().ends_with(value), "{fault}");
            let exchange = all(&log).remove(1).unwrap();
            assert_eq!(exchange.usage.map_or(3, |it| it.total()), 3, "{log}");
        }
    }
}

#[test]
fn a_usage_without_a_known_figure_is_reported() {
    let log = |usage: &str, keys: &str| {
        format!(r#"{{"t":1,"body":{{"model":"m","messages":[]}},"usage":{usage}{keys}}}"#)
    };
    let unknown = log(r#"{"foo":1}"#, "");
    let mut read = all(&unknown);
    let fault = read.remove(0).unwrap_err();
    assert_eq!((fault.line(), fault.kind()), (1, LogErrorKind::Usage));
    let expected = r#"line 1: a usage without a known figure: {"foo":1}"#;
    assert_eq!(fault.to_string(), expected);
    assert_eq!(read.remove(0).unwrap().usage, None);
    let sounds = r#","url":"https://api.openai.com/v1/audio/transcriptions""#;
    for log in [
        log("null", ""),
        log("{}", ""),
        log(r#"{"input_tokens":7}"#, ""),
        log(r#"{"prompt_token_count":7}"#, ""),
        log(r#"{"type":"duration","seconds":7}"#, sounds),
    ] {
        assert_eq!(faults(&log), [], "{log}");
    }
}

/// A request without a time would hide what expired before it.
#[test]
fn a_time_that_cannot_be_read_is_reported() {
    let logs = [
        r#"{"t":N,"body":{"model":"m","messages":[]}}"#,
        r#"{"timestamp":N,"request":{"model":"m","messages":[]}}"#,
        r#"{"request":{"timestamp":N,"method":"POST","url":"https://api.anthropic.com/v1/messages","headers":{},"body":{"model":"m","messages":[]}},"response":{}}"#,
        r#"{"type":"assistant","sessionId":"s","timestamp":N,"message":{"id":"m","usage":{"input_tokens":7}}}"#,
        r#"{"sessionID":"s","role":"assistant","id":"m","time":{"created":N},"tokens":{"input":7}}"#,
        r#"{"id":"m","model":"m","messages":[],"call_type":"completion","startTime":N}"#,
        r#"{"log":{"entries":[{"startedDateTime":N,"request":{"url":"https://api.anthropic.com/v1/messages","postData":{"text":"{\"model\":\"m\",\"messages\":[]}"}}}]}}"#,
    ];
    for log in logs {
        let read = |value: &str| all(&log.replace('N', value));
        for value in ["7", "7.0", "\"1970-01-01T00:00:07Z\""] {
            let at = read(value).remove(0).unwrap().at;
            assert_eq!(at.map(|it| it.as_secs()), Some(7), "{log} {value}");
        }
        assert_eq!(read("null").remove(0).unwrap().at, None, "{log}");
        for value in ["-7", "\"Fri, 20 Nov 2026 08:00:00 GMT\"", "\"\"", "true"] {
            let mut read = read(value);
            assert_eq!(read.remove(1).unwrap().at, None, "{log}");
            let fault = read.remove(0).unwrap_err();
            assert_eq!((fault.line(), fault.kind()), (1, LogErrorKind::Time), "{log}");
            assert!(fault.to_string().ends_with(value), "{fault}");
        }
    }
}

#[test]
fn an_empty_log_has_nothing() {
    assert!(all("").is_empty() && all("\n\n").is_empty());
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        cut in 0_usize..80,
        format in 0..Format::ALL.len(),
    ) {
        let mut log = LINE.as_bytes()[..cut.min(LINE.len())].to_vec();
        log.extend(&bytes);
        for format in [None, Some(Format::ALL[format])] {
            // It terminates.
            prop_assert!(read(&log[..], format).take(1_000).count() < 1_000);
        }
    }
}
