//! Transcripts in real files.

use std::fs;
use std::path::PathBuf;

use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::encode::BodyHash;
use aside_messages::wire::RawJson;
use aside_transcript::{
    Contents, Owner, Record, Sent, SessionFile, Torn, TranscriptErrorKind, read,
};
use proptest::prelude::*;
use uuid::Uuid;

struct Place {
    _directory: tempfile::TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.jsonl");
        Self { _directory: directory, path }
    }

    fn with(text: impl AsRef<[u8]>) -> Self {
        let place = Self::new();
        fs::write(&place.path, text).unwrap();
        place
    }

    fn text(&self) -> String {
        String::from_utf8(fs::read(&self.path).unwrap()).unwrap()
    }
}

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn entry(draft: EntryDraft) -> Record {
    let mut conversation = Conversation::new(Uuid::nil());
    Record::Entry(conversation.push(draft).clone().into())
}

fn records() -> Vec<Record> {
    vec![
        Record::Context(json(r#"{"date":"2026-02-03"}"#)),
        entry(EntryDraft::human("a\n\u{85}")),
        Record::Sent(Sent {
            turn: 1,
            elapsed_ms: 20,
            unix_ms: Some(1_770_000_000_020),
            reminders: json(r#"{"r":2}"#),
            body: BodyHash::of(b"body").into(),
            bytes: Some(4),
        }),
        Record::Other { kind: "note\n".to_owned(), value: json("[1, 2]") },
    ]
}

const LINES: &str = r#"{"type":"context","value":{"date":"2026-02-03"}}
{"type":"entry","value":{"id":"b6c54489-38a0-5f50-a60a-fd8d76219cae","kind":"message","role":"user","visibility":"shown","origin":{"type":"human"},"parts":[{"type":"text","text":"a\n"}]}}
{"type":"sent","value":{"turn":1,"elapsed_ms":20,"unix_ms":1770000000020,"reminders":{"r":2},"body":"0e5810be2d13d127","bytes":4}}
{"type":"note\n","value":[1, 2]}
"#;

#[test]
fn records_round_trip() {
    let place = Place::new();
    let mut transcript = SessionFile::create(&place.path).unwrap();
    for record in records() {
        transcript.append(&[record]).unwrap();
    }
    assert_eq!(place.text(), LINES);
    let contents = read(&place.path).unwrap();
    assert_eq!((contents.records, contents.torn), (records(), None));
}

#[test]
fn values_of_many_lines_become_one() {
    let place = Place::new();
    let mut transcript = SessionFile::create(&place.path).unwrap();
    transcript.append(&[Record::Context(json("{\r\n  \"a\": 1\n}"))]).unwrap();
    assert_eq!(place.text(), "{\"type\":\"context\",\"value\":{    \"a\": 1 }}\n");
}

#[test]
fn records_of_later_versions_are_kept() {
    let line = r#"{"seq":1,"type":"new","value":{"x":1},"more":[]}"#;
    let place = Place::with(format!("{line}\n"));
    let (_, contents) = SessionFile::open(&place.path, Owner::Session).unwrap();
    let value = json(r#"{"x":1}"#);
    let kind = "new".to_owned();
    assert_eq!(contents.records, [Record::Other { kind, value }]);
    assert_eq!(place.text(), format!("{line}\n"));
}

#[test]
fn a_torn_last_line_is_removed_and_reported() {
    for torn in ["{", "{\"type\":\"entry\",\"value\":{}", "\0\0\0\0", "\u{e9}"] {
        let place = Place::with(format!("{LINES}{torn}"));
        // Reading leaves it in the file.
        let expected = Some(Torn { line: 5, bytes: torn.len() as u64 });
        assert_eq!(read(&place.path).unwrap().torn, expected);
        let (mut transcript, contents) = SessionFile::open(&place.path, Owner::Session).unwrap();
        assert_eq!((contents.records, contents.torn), (records(), expected));
        assert_eq!(place.text(), LINES);
        transcript.append(&[Record::Context(json("{}"))]).unwrap();
        let added = "{\"type\":\"context\",\"value\":{}}\n";
        assert_eq!(place.text(), format!("{LINES}{added}"));
    }
}

#[test]
fn a_line_that_lacks_only_its_end_is_kept() {
    let place = Place::with(LINES.trim_end());
    let (_transcript, contents) = SessionFile::open(&place.path, Owner::Session).unwrap();
    assert_eq!((contents.records, contents.torn), (records(), None));
    assert_eq!(place.text(), LINES);
}

/// Only notes are numbered: a later release may mean something else by the key.
#[test]
fn a_number_of_another_line_is_ignored() {
    for number in ["1.5", "null", "\"a\"", "18446744073709551615"] {
        let line = format!("{{\"type\":\"future\",\"number\":{number},\"value\":1}}\n");
        let place = Place::with(format!("{LINES}{line}"));
        let (_transcript, contents) = SessionFile::open(&place.path, Owner::Session).unwrap();
        assert_eq!(contents.records.len(), records().len() + 1, "{number}");
    }
}

#[test]
fn garbage_before_the_end_is_an_error_and_stays() {
    for (text, line, reported) in [
        ("x\n{\"type\":\"context\",\"value\":1}\n", 1, "not a record: expected value"),
        ("{\"type\":\"context\",\"value\":1}\n\n", 2, "not a record: EOF"),
        ("{\"type\":\"sent\",\"value\":{}}\n{", 1, "not a record: missing field `turn`"),
        ("[\"context\",1]\n", 1, "not a record: not an object"),
        ("{\"type\":\"entry\"}\n", 1, "not a record: missing field `value`"),
        (
            "{\"type\":\"entry\",\"value\":{\"kind\":\"aborted\"}}\n",
            1,
            "not a record: missing field `id`",
        ),
        ("{\"type\":\"entry\",\"value\":{\"id\":\"x\"}}\n", 1, "not a record: id: "),
    ] {
        let place = Place::with(text);
        let error = SessionFile::open(&place.path, Owner::Session).unwrap_err();
        assert_eq!((error.kind(), error.line()), (TranscriptErrorKind::Garbage, Some(line)));
        let expected = format!("{}:{line}: {reported}", place.path.display());
        assert!(error.to_string().starts_with(&expected), "{error}");
        assert_eq!(place.text(), text);
    }
}

#[test]
fn one_writer_at_a_time() {
    let place = Place::new();
    let first = SessionFile::create(&place.path).unwrap();
    let error = SessionFile::open(&place.path, Owner::Session).unwrap_err();
    assert_eq!(error.kind(), TranscriptErrorKind::Locked);
    assert!(error.to_string().ends_with("t.jsonl: another process writes it"));
    assert_eq!(read(&place.path).unwrap(), Contents::default());
    drop(first);
    let (second, _) = SessionFile::open(&place.path, Owner::Session).unwrap();
    assert_eq!(
        SessionFile::open(&place.path, Owner::Session).unwrap_err().kind(),
        TranscriptErrorKind::Locked
    );
    drop(second);
}

#[test]
fn an_existing_transcript_is_not_replaced() {
    let place = Place::with(LINES);
    let error = SessionFile::create(&place.path).unwrap_err();
    assert_eq!(error.kind(), TranscriptErrorKind::Io);
    assert_eq!(place.text(), LINES);
}

#[test]
fn an_entry_is_of_one_place() {
    let line = LINES.lines().nth(1).unwrap();
    let place = Place::with(format!("{line}\n{line}\n"));
    let contents = read(&place.path).unwrap();
    let twice = contents.conversation(Uuid::nil()).unwrap_err();
    assert!(line.contains(&twice.to_string()));
}

#[test]
fn a_lone_surrogate_is_repaired_and_reported() {
    let line = LINES.lines().nth(1).unwrap().replace("a\\n", "\\ud800");
    let place = Place::with(format!("{line}\n"));
    assert_eq!(read(&place.path).unwrap().diagnostics.len(), 1);
}

#[cfg(unix)]
#[test]
fn only_files_and_only_for_the_user() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    drop(SessionFile::create(&place.path).unwrap());
    let mode = fs::metadata(&place.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let fifo = place.path.with_extension("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    for path in [&fifo, place.path.parent().unwrap()] {
        assert_eq!(read(path).unwrap_err().kind(), TranscriptErrorKind::NotAFile);
        assert_eq!(
            SessionFile::open(path, Owner::Session).unwrap_err().kind(),
            TranscriptErrorKind::NotAFile
        );
    }
    let absent = place.path.with_extension("absent");
    assert_eq!(
        SessionFile::open(&absent, Owner::Session).unwrap_err().kind(),
        TranscriptErrorKind::Io
    );
    assert!(!absent.exists());
}

#[test]
fn a_line_too_long_is_refused_both_ways() {
    let place = Place::with("{\"type\":\"context\",\"value\":1}\n");
    let (mut transcript, _) = SessionFile::open(&place.path, Owner::Session).unwrap();
    let long = Record::Context(json(&format!("\"{}\"", "x".repeat(64 * 1024 * 1024))));
    assert_eq!(transcript.append(&[long]).unwrap_err().kind(), TranscriptErrorKind::TooLong);
    transcript.append(&[Record::Context(json("2"))]).unwrap();
    drop(transcript);
    let file = fs::OpenOptions::new().write(true).open(&place.path).unwrap();
    file.set_len(100 * 1024 * 1024).unwrap();
    let error = SessionFile::open(&place.path, Owner::Session).unwrap_err();
    assert_eq!((error.kind(), error.line()), (TranscriptErrorKind::TooLong, Some(3)));
}

proptest! {
    /// Wherever a crash truncates the file, earlier lines are intact, and
    /// continuing from them gives the same file as without a crash.
    #[test]
    fn any_cut_is_survived(values in prop::collection::vec("[a-z\u{e9}\\\\\"\n]{0,20}", 1..6), at in 0.0..1.0f64) {
        let place = Place::new();
        let mut transcript = SessionFile::create(&place.path).unwrap();
        let mut conversation = Conversation::new(Uuid::from_u128(7));
        for value in values {
            conversation.push(EntryDraft::human(value));
        }
        let entries = conversation.entries().iter();
        let records: Vec<_> = entries.map(|entry| Record::Entry(entry.clone().into())).collect();
        for record in &records {
            transcript.append(std::slice::from_ref(record)).unwrap();
        }
        drop(transcript);
        let whole = fs::read(&place.path).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a short file")]
        let cut = (whole.len() as f64 * at) as usize;
        fs::write(&place.path, &whole[..cut]).unwrap();

        let (mut transcript, contents) = SessionFile::open(&place.path, Owner::Session).unwrap();
        let kept = contents.records.len();
        let ended = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
        prop_assert!(kept == ended || kept == ended + 1);
        prop_assert_eq!(&contents.records[..], &records[..kept]);
        for record in &records[kept..] {
            transcript.append(std::slice::from_ref(record)).unwrap();
        }
        prop_assert_eq!(fs::read(&place.path).unwrap(), whole);
        let contents = read(&place.path).unwrap();
        prop_assert_eq!(contents.conversation(conversation.id()), Ok(conversation));
    }

    /// Whatever a file contains, it is read or left unchanged.
    #[test]
    fn any_bytes_cause_no_panic(bytes in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60),
        "(\\{\"type\":\"(context|entry|sent|x)\",\"value\":(1|\\{\\}|null)\\}\n?|\n|\\[){0,5}".prop_map(String::into_bytes),
    ]) {
        let place = Place::with(&bytes);
        match SessionFile::open(&place.path, Owner::Session) {
            Ok((_, contents)) => {
                let now = fs::read(&place.path).unwrap();
                prop_assert!(bytes.starts_with(now.trim_ascii_end()));
                prop_assert_eq!(contents.torn.is_some(), now.len() < bytes.len());
            }
            Err(_) => prop_assert_eq!(fs::read(&place.path).unwrap(), bytes),
        }
    }
}
