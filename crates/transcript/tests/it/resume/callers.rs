//! A caller that is killed at any write during a call, and repeats the call, makes the same
//! requests as one without the interruption.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft, Origin};
use aside_messages::wire::Tool;
use aside_prompt_sections::OsKind;
use aside_reminder::{Manager, Reminder, ReminderDelivery, Schedule};
use aside_session::caller::{Call, CallEnd, CallerHistory, CallerState, CallerStorage};
use aside_session::{Git, SessionConfig, SessionTool, ToolOrigin};
use aside_transcript::{Owner, Record, SessionFile, Snapshot};
use serde_json::{Value, json};
use uuid::Uuid;

const TURNS: usize = 5;

fn config(dir: &Path) -> SessionConfig {
    let loader = Loader::new(Dirs::default());
    let date = "2026-01-31".parse().unwrap();
    let mut config = SessionConfig::new(dir.to_owned(), OsKind::Linux, loader, date);
    config.git = Git::Skip;
    let tool = r#"[{"name":"Look","input_schema":{"type":"object","properties":{}}}]"#;
    let tool = Tool::parse_list(tool.as_bytes()).unwrap().value.remove(0);
    config.tools = vec![SessionTool { origin: ToolOrigin::Builtin, tool }];
    let reminders = Manager::new();
    for (id, turns) in [("second", 2), ("third", 3)] {
        reminders.register(Reminder {
            delivery: ReminderDelivery::Persistent,
            ..Reminder::new(id, "{{turn}}", Schedule::every_turns(turns))
        });
    }
    config.reminders = Arc::new(reminders);
    config
}

struct Caller {
    dir: PathBuf,
    storage: CallerStorage,
    /// The history, for a caller that does not store lines.
    messages: Vec<Value>,
    /// Since the Unix epoch.
    now: Duration,
}

impl Caller {
    fn new(dir: &Path, storage: CallerStorage) -> Self {
        fs::write(dir.join("CLAUDE.md"), "Use tabs.").unwrap();
        let dir = dir.to_owned();
        Self { dir, storage, messages: Vec::new(), now: Duration::from_secs(1_769_848_200) }
    }

    fn file(&self) -> PathBuf {
        self.dir.join("file")
    }

    fn stored(&self) -> Vec<u8> {
        fs::read(self.file()).unwrap_or_default()
    }

    /// Makes a call, and returns its request and messages, which are not in the history yet.
    async fn call(&self, prompt: &str) -> (Vec<u8>, Vec<Value>) {
        if self.storage == CallerStorage::Lines {
            let (mut log, contents) = SessionFile::open(&self.file(), Owner::Caller).unwrap();
            let conversation = contents.conversation(Uuid::nil()).unwrap();
            let call = Call::new(self.storage, contents.caller_state().unwrap());
            let history = CallerHistory::Conversation(conversation);
            let (body, end) = self.request(call, history, prompt).await;
            log.append(&Record::from_call(end).unwrap()).unwrap();
            return (body, Vec::new());
        }
        let snapshot = Snapshot::new(self.file());
        let text = snapshot.read().unwrap();
        let state = text.map(|text| CallerState::parse(&text).unwrap());
        let call = Call::new(self.storage, state);
        let model = Origin::Model {
            provider: "first-party".to_owned(),
            name: "claude-sonnet-5-5".to_owned(),
        };
        let history = json!(self.messages).to_string();
        let history = call.read_messages(&history, &model, &mut |_| {}).unwrap();
        let (body, end) = self.request(call, history, prompt).await;
        if let Some(state) = end.state {
            snapshot.replace(&state.to_json_line()).unwrap();
        }
        let messages = end.messages.iter();
        let messages = messages.map(|it| serde_json::to_value(it).unwrap());
        (body, messages.collect())
    }

    async fn request(
        &self,
        mut call: Call,
        history: CallerHistory,
        prompt: &str,
    ) -> (Vec<u8>, CallEnd) {
        let mut config = config(&self.dir);
        config.time.since_epoch = Some(self.now);
        let begun = call.begin(config, history, Uuid::nil()).await;
        let (mut session, mut conversation) = begun.unwrap();
        if !prompt.is_empty() {
            conversation.push(EntryDraft::human(prompt));
        }
        let mut prepared = session.prepare(&conversation).unwrap();
        prepared.commit(&mut conversation);
        let end = call.end(&mut session, &prepared, &conversation).unwrap();
        (prepared.body.to_vec(), end)
    }

    fn answer(&mut self, messages: Vec<Value>, prompt: &str) {
        if self.storage == CallerStorage::Lines {
            let line =
                r#"{"kind":"message","role":"assistant","parts":[{"type":"text","text":"Yes."}]}"#;
            let mut text = self.stored();
            text.extend(format!("{line}\n").into_bytes());
            fs::write(self.file(), text).unwrap();
            return;
        }
        if messages.is_empty() {
            self.messages.push(json!({"role": "user", "content": prompt}));
        }
        self.messages.extend(messages);
        self.messages.push(json!({"role": "assistant", "content": "Yes."}));
    }
}

/// Every moment at which a call that changes `before` to `after` can be killed: what the file holds
/// then, and whether the call ended.
fn killed(storage: CallerStorage, before: &[u8], after: &[u8]) -> Vec<(Vec<u8>, bool)> {
    let mut states = vec![(before.to_vec(), false), (after.to_vec(), true)];
    if storage == CallerStorage::Lines {
        let ends = (before.len()..after.len()).filter(|at| after[*at] == b'\n');
        for end in ends {
            // At a line's end, within it, and within the next one.
            for cut in [end - 1, end, end + 1, end + 40] {
                if cut < after.len() {
                    // A call that lacks only its last newline is stored.
                    states.push((after[..cut].to_vec(), cut + 1 == after.len()));
                }
            }
        }
    }
    states
}

async fn check(storage: CallerStorage) {
    let tree = tempfile::tempdir().unwrap();
    let mut caller = Caller::new(tree.path(), storage);
    let mut moments = 0;
    for turn in 0..TURNS {
        let prompt = format!("Prompt {turn}");
        let before = caller.stored();
        let (expected, messages) = caller.call(&prompt).await;
        let after = caller.stored();
        for (file, has_ended) in killed(storage, &before, &after) {
            fs::write(caller.file(), &file).unwrap();
            if file.is_empty() {
                fs::remove_file(caller.file()).unwrap();
            }
            // The new file of a snapshot that was not renamed.
            fs::write(tree.path().join("file.1.new"), &after[..after.len() / 2]).unwrap();
            // Once a call has ended, its prompt is a line already.
            let is_stored = has_ended && storage == CallerStorage::Lines;
            let prompt = if is_stored { "" } else { &prompt };
            let (body, again) = caller.call(prompt).await;
            let same = body.iter().zip(&expected).take_while(|(a, b)| a == b).count();
            let differing = String::from_utf8_lossy(&body[same..]);
            let length = file.len();
            assert!(
                body == expected,
                "turn {turn}, killed at byte {length}: {differing} instead of {}",
                String::from_utf8_lossy(&expected[same..])
            );
            assert_eq!(again, messages, "turn {turn}, killed at byte {length}");
            if !has_ended || storage == CallerStorage::Lines {
                let stored = caller.stored();
                assert!(stored == after, "turn {turn}, killed at byte {length}");
            }
            moments += 1;
        }
        caller.answer(messages, &prompt);
    }
    assert!(moments >= 2 * TURNS, "{moments}");
}

#[tokio::test]
async fn a_caller_of_lines() {
    check(CallerStorage::Lines).await;
}

#[tokio::test]
async fn a_caller_of_a_state_and_messages() {
    check(CallerStorage::StateAndMessages).await;
}

#[tokio::test]
async fn a_caller_of_a_state() {
    check(CallerStorage::State).await;
}

/// If the second turn follows at once, its first request is a checkpoint. After a pause it would
/// write everything for an hour.
#[tokio::test]
async fn a_second_turn_knows_how_long_ago_the_first_was() {
    use CallerStorage::{Lines, State, StateAndMessages};
    for storage in [State, StateAndMessages, Lines] {
        for (seconds, is_checkpoint) in [(60, true), (600, false)] {
            let directory = tempfile::tempdir().unwrap();
            let mut caller = Caller::new(directory.path(), storage);
            let (_, messages) = caller.call("Hi").await;
            caller.answer(messages, "Hi");
            caller.now += Duration::from_secs(seconds);
            let (body, _) = caller.call("Go on").await;
            let body = String::from_utf8(body).unwrap();
            let found = body.contains(r#""ttl":"1h""#);
            assert_eq!(found, is_checkpoint, "{storage:?} {seconds} {body}");
        }
    }
}

/// The first call's time is not that of an earlier request.
#[tokio::test]
async fn a_repeated_first_call_with_a_history_is_the_same() {
    use CallerStorage::{Lines, State, StateAndMessages};
    for storage in [State, StateAndMessages, Lines] {
        for answers in 0..4 {
            let directory = tempfile::tempdir().unwrap();
            let mut caller = Caller::new(directory.path(), storage);
            if storage == Lines {
                let line =
                    r#"{"kind":"message","role":"user","parts":[{"type":"text","text":"Hi"}]}"#;
                fs::write(caller.file(), format!("{line}\n")).unwrap();
            }
            for _ in 0..answers {
                caller.answer(Vec::new(), "Hi");
            }
            let (expected, _) = caller.call("Go on").await;
            let prompt = if storage == Lines { "" } else { "Go on" };
            caller.now += Duration::from_secs(60);
            let (body, _) = caller.call(prompt).await;
            let [body, expected] = [body, expected].map(|it| String::from_utf8(it).unwrap());
            assert_eq!(body, expected, "{storage:?} {answers}");
        }
    }
}

/// A caller may keep the file with another JSON writer, which sorts keys and adds spaces.
#[tokio::test]
async fn a_file_that_is_written_again_in_another_form_gives_the_same_requests() {
    for storage in [CallerStorage::State, CallerStorage::StateAndMessages, CallerStorage::Lines] {
        let mut requests = Vec::new();
        for is_rewritten in [false, true] {
            let directory = tempfile::tempdir().unwrap();
            let mut caller = Caller::new(directory.path(), storage);
            for _ in 0..2 {
                let (_, messages) = caller.call("Hi").await;
                caller.answer(messages, "Hi");
                if is_rewritten {
                    let text = String::from_utf8(caller.stored()).unwrap();
                    let rewritten = text.lines().map(|line| {
                        let object: BTreeMap<String, Value> = serde_json::from_str(line).unwrap();
                        serde_json::to_string_pretty(&object).unwrap().replace('\n', " ") + "\n"
                    });
                    fs::write(caller.file(), rewritten.collect::<String>()).unwrap();
                }
            }
            let request = String::from_utf8(caller.call("Go on").await.0).unwrap();
            requests.push(request.replace(directory.path().to_str().unwrap(), "DIR"));
        }
        assert_eq!(requests[0], requests[1], "{storage:?}");
    }
}

/// `check` needs the number of lines: without it, lines of an incomplete write would count.
#[test]
fn lines_of_an_incomplete_write_do_not_count() {
    let counters = |lines: u32| {
        format!(r#"{{"type":"caller_counters","lines":{lines},"reminders":{{"reminders":[]}}}}"#)
    };
    let entry = r#"{"kind":"message","role":"user","parts":[{"type":"text","text":"Hi"}]}"#;
    let check = |lines: u32, expected: Option<usize>| {
        let text = format!("{entry}\n{}\n{entry}\n", counters(lines));
        assert_eq!(CallerState::cut_write(&text), expected, "{lines}");
    };
    check(0, None);
    check(1, None);
    check(2, Some(entry.len() + 1));
}

/// Only the beginning of a line that a call writes is removed.
#[test]
fn a_file_that_no_call_wrote_is_refused_and_left_as_it_is() {
    let entry = r#"{"kind":"message","role":"user","parts":[{"type":"text","text":"Hi"}]}"#;
    let counters = r#"{"type":"caller_counters","lines":3,"reminders":{"reminders":[]}}"#;
    let mut conversation = Conversation::new(Uuid::from_u128(7));
    let appended = conversation.push(EntryDraft::human("Hi")).to_json_line();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    let check = |text: &str, expected: Option<&str>| {
        fs::write(&file, text).unwrap();
        let opened = SessionFile::open(&file, Owner::Caller);
        assert_eq!(opened.is_ok(), expected.is_some(), "{text:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), expected.unwrap_or(text), "{text:?}");
    };
    let (long, nuls) = ("a".repeat(200_000), "\0".repeat(100));
    for text in ["my notes", "[1,2", "{\"model\":\"m\",", &entry[..60], &long, &nuls] {
        check(text, None);
    }
    for last in ["my notes", "[1,2", "{\"a\":1,}", "{\"kind\":\"x\0", &nuls] {
        check(&format!("{entry}\n{last}"), None);
        check(&format!("{entry}\n{counters}\n{last}"), None);
    }
    for mark in ["", "\u{feff}"] {
        let whole = format!("{mark}{entry}\n");
        check(mark, Some(mark));
        check(&whole, Some(&whole));
        check(&format!("{mark}{entry}"), Some(&whole));
        check(&format!("{mark}{entry}\r\n"), Some(&format!("{mark}{entry}\r\n")));
        // The caller's own line, unless it may be a call's.
        for own in [&entry[..60], "{\"parts\":[", "{\"id\":\"msg_1", "{\"k", "{\"lines\":1"] {
            check(&format!("{whole}{own}"), None);
            check(&format!("{whole}{counters}\n{entry}\n{own}"), None);
        }
        for length in [1, 2, 4, 9, 40, 60, 120] {
            check(&format!("{whole}{}", &appended[..length]), Some(&whole));
            check(&format!("{whole}{counters}\n{entry}\n{}", &appended[..length]), Some(&whole));
        }
        for length in [1, 9, 40] {
            check(&format!("{mark}{}", &counters[..length]), Some(mark));
        }
        for number in ["-", "1.", "1e", "1e+"] {
            let cut = format!(r#"{{"type":"caller_counters","lines":{number}"#);
            check(&format!("{whole}{cut}"), Some(&whole));
        }
    }
}
