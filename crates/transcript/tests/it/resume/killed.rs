//! A process killed at any write loses nothing: the next process makes the same
//! requests.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use aside_agent::{Loop, Observer, Progress};
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::Part;
use aside_prompt_sections::OsKind;
use aside_session::{Git, Session, SessionConfig};
use aside_tools::{OwnTools, TodoWrite, Workspace, builtin_tools, edit_tools};
use aside_transcript::{Owner, ResumeErrorKind, SessionFile, read, resume};
use aside_transport::Replay;
use uuid::Uuid;

const PROMPT: &str = "Compare @a.txt and @b.txt#L2-3";

#[derive(Clone, Debug, Default)]
struct Bodies(Arc<Mutex<Vec<Vec<u8>>>>);

impl Bodies {
    fn all(&self) -> Vec<Vec<u8>> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer for Bodies {
    fn observe(&mut self, progress: Progress<'_>) {
        if let Progress::Sending(body) = progress {
            self.0.lock().unwrap().push(body.to_vec());
        }
    }
}

fn make_tree(dir: &Path) {
    fs::create_dir_all(dir.join("sub")).unwrap();
    fs::write(dir.join("a.txt"), "one\ntwo\n").unwrap();
    fs::write(dir.join("b.txt"), "1\n2\n3\n4\n").unwrap();
}

/// Writes the instruction file and a skill, which change after the first response.
fn write_instructions(dir: &Path, is_answered: bool) {
    let (rule, purpose) = if is_answered {
        ("Use spaces.", "Cuts a release by hand.")
    } else {
        ("Use tabs.", "Cuts a release.")
    };
    fs::write(dir.join("CLAUDE.md"), rule).unwrap();
    let skill = dir.join(".claude/skills/release");
    fs::create_dir_all(&skill).unwrap();
    let text = format!("---\nname: release\ndescription: {purpose}\n---\nTag.\n");
    fs::write(skill.join("SKILL.md"), text).unwrap();
}

/// Runs the session whose transcript holds `lines`, and returns its requests.
async fn continue_session(dir: &Path, lines: &[u8]) -> Vec<Vec<u8>> {
    let is_answered = String::from_utf8_lossy(lines).contains(r#""role":"assistant""#);
    write_instructions(dir, is_answered);
    let path = dir.join("transcript.jsonl");
    fs::write(&path, lines).unwrap();
    let (transcript, contents) = SessionFile::open(&path, Owner::Session).unwrap();
    let loader = Loader::new(Dirs::default());
    let date = "2026-01-31".parse().unwrap();
    let mut config = SessionConfig::new(dir.to_owned(), OsKind::Linux, loader, date);
    config.git = Git::Skip;
    let (session, conversation, written) = match resume(&contents, Uuid::nil()).unwrap() {
        Some(resumed) => {
            let mut conversation = resumed.conversation;
            let written = conversation.entries().len();
            let session = Session::resume(config, resumed.state, &mut conversation);
            (session, conversation, written)
        }
        None => {
            let session = Session::open(config).await;
            let conversation = session.begin(Uuid::nil());
            (session, conversation, 0)
        }
    };
    let has = |text: &str| {
        let parts = conversation.entries().iter().flat_map(|entry| &entry.parts);
        parts.into_iter().any(|part| matches!(part, Part::Text(it) if *it.text == *text))
    };
    let (is_asked, is_asked_again) = (has(PROMPT), has("And now?"));
    let bodies = Bodies::default();
    let files = Arc::new(Workspace::new(dir, [] as [&Path; 0]));
    let mut agent = Loop::new(session, conversation, Arc::new(Replay::default()))
        .with_files(files)
        .with_observer(bodies.clone())
        .with_journal(transcript, written);
    if !is_asked {
        agent.prompt(PROMPT).await.unwrap();
    }
    agent.run().await.unwrap();
    write_instructions(dir, true);
    if !is_asked_again {
        agent.prompt("And now?").await.unwrap();
    }
    agent.run().await.unwrap();
    bodies.all()
}

#[tokio::test]
async fn a_session_killed_at_any_write_makes_the_same_requests() {
    let tree = tempfile::tempdir().unwrap();
    make_tree(tree.path());
    let expected = continue_session(tree.path(), b"").await;
    assert_eq!(expected.len(), 2);
    let body = String::from_utf8(expected[0].clone()).unwrap();
    assert!(body.contains("one") && body.contains("Called the Read tool"), "{body}");
    let body = String::from_utf8(expected[1].clone()).unwrap();
    for changed in ["Use spaces.", "Cuts a release by hand."] {
        assert_eq!(body.matches(changed).count(), 1, "{body}");
    }
    let path = tree.path().join("transcript.jsonl");
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    assert!(ends.len() > 6, "{}", ends.len());
    for end in [0].into_iter().chain(ends.iter().map(|end| end + 1)) {
        // At a line's end, and within the next one.
        for cut in [end, (end + 40).min(whole.len())] {
            let found = continue_session(tree.path(), &whole[..cut]).await;
            let missing = expected.len() - found.len();
            assert_eq!(found, expected[missing..], "cut at byte {cut}");
        }
    }
}

#[tokio::test]
async fn entries_in_another_order_are_refused_with_their_lines() {
    let tree = tempfile::tempdir().unwrap();
    make_tree(tree.path());
    continue_session(tree.path(), b"").await;
    let path = tree.path().join("transcript.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let entries: Vec<usize> = (0..lines.len())
        .filter(|&at| {
            lines[at].contains(r#"{"type":"entry"#) || lines[at].contains(r#"{"type":"entries"#)
        })
        .collect();
    let [first, second, ..] = entries[..] else {
        panic!("{text}");
    };
    let mut swapped = lines.clone();
    swapped.swap(first, second);
    let check = |lines: &[&str], expected: ResumeErrorKind, line: usize| {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let error = resume(&read(&path).unwrap(), Uuid::nil()).unwrap_err();
        assert_eq!((error.kind(), error.line()), (expected, Some(line)), "{error}");
    };
    check(&swapped, ResumeErrorKind::EntryOrder, first + 1);
    let mut doubled = lines.clone();
    doubled.push(lines[first]);
    check(&doubled, ResumeErrorKind::DuplicateEntry, doubled.len());
    let mut missing = lines.clone();
    missing.remove(first);
    check(&missing, ResumeErrorKind::EntryOrder, second);
}

#[tokio::test]
async fn notes_count_in_the_order_in_which_they_were_written() {
    let tree = tempfile::tempdir().unwrap();
    make_tree(tree.path());
    continue_session(tree.path(), b"").await;
    let path = tree.path().join("transcript.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let state = |lines: &[&str]| {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        resume(&read(&path).unwrap(), Uuid::nil()).unwrap().unwrap().state
    };
    let expected = state(&lines);
    let is_note = |at: &usize| {
        ["context", "read", "started"]
            .iter()
            .any(|kind| lines[*at].starts_with(&format!(r#"{{"type":"{kind}""#)))
    };
    let notes: Vec<usize> = (0..lines.len()).filter(is_note).collect();
    assert!(notes.len() > 2, "{text}");
    for at in notes {
        for to in [0, lines.len() - 1] {
            let mut moved = lines.clone();
            let note = moved.remove(at);
            moved.insert(to, note);
            assert_eq!(state(&moved), expected, "line {at} moved to {to}");
        }
    }
}

const CALLS: &str = r#"{"content":[
    {"type":"tool_use","id":"r","name":"Read","input":{"file_path":"b.txt"}},
    {"type":"tool_use","id":"e","name":"Edit","input":
        {"file_path":"a.txt","old_string":"one","new_string":"one plus one"}},
    {"type":"tool_use","id":"s","name":"Read","input":{"file_path":"sub/c.txt"}}]}"#;

/// Runs the session whose transcript holds `lines`, with tools, and returns the last request.
async fn continue_calling(dir: &Path, lines: &str) -> String {
    let path = dir.join("transcript.jsonl");
    fs::write(&path, lines).unwrap();
    let (transcript, contents) = SessionFile::open(&path, Owner::Session).unwrap();
    let date = "2026-01-31".parse().unwrap();
    let loader = Loader::new(Dirs::default());
    let mut config = SessionConfig::new(dir.to_owned(), OsKind::Linux, loader, date);
    config.git = Git::Skip;
    config.tools = OwnTools { edits: true, ..OwnTools::default() }.definitions();
    let (session, conversation) = match resume(&contents, Uuid::nil()).unwrap() {
        Some(resumed) => {
            let mut conversation = resumed.conversation;
            (Session::resume(config, resumed.state, &mut conversation), conversation)
        }
        None => {
            let session = Session::open(config).await;
            let conversation = session.begin(Uuid::nil());
            (session, conversation)
        }
    };
    let answers = if lines.contains(r#""role":"assistant""#) { "" } else { CALLS };
    let answers = [answers, r#"{"content":"Done."}"#];
    let answers = answers.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(",");
    let answers = format!(r#"{{"version":1,"answers":[{answers}]}}"#);
    let replay = Replay::parse("the script", &answers).unwrap();
    let workspace = Arc::new(Workspace::new(dir, [] as [&Path; 0]));
    let mut tools = builtin_tools(&workspace, TodoWrite::default());
    tools.extend(edit_tools(&workspace));
    let written = conversation.entries().len();
    let bodies = Bodies::default();
    let mut agent = Loop::new(session, conversation, Arc::new(replay))
        .with_tools(tools)
        .with_files(workspace)
        .with_observer(bodies.clone())
        .with_journal(transcript, if lines.is_empty() { 0 } else { written });
    if lines.is_empty() {
        agent.prompt("Go").await.unwrap();
    }
    agent.run().await.unwrap();
    String::from_utf8(bodies.all().pop().unwrap()).unwrap()
}

/// The process ends after each line in turn. A call that reads is repeated; one that had started
/// to change a file is not.
#[tokio::test]
async fn a_change_is_not_made_twice() {
    let tree = tempfile::tempdir().unwrap();
    let dir = tree.path();
    make_tree(dir);
    fs::write(dir.join("sub/c.txt"), "c\n").unwrap();
    let file = dir.join("a.txt");
    let (before, after) = ("one\ntwo\n", "one plus one\ntwo\n");
    let expected = continue_calling(dir, "").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    let whole = fs::read_to_string(dir.join("transcript.jsonl")).unwrap();
    let line = |text: &str| whole.lines().position(|line| line.contains(text)).unwrap();
    let response = line(r#""role":"assistant""#);
    let (started, result) = (line(r#"{"type":"started""#), line(r#""tool_use_id":"e""#));
    let end = line("Done.");
    assert!(response < started && started < result, "{whole}");
    let lost = "It may have taken effect";
    for kept in response + 1..=end {
        let lines: Vec<_> = whole.split_inclusive('\n').take(kept).collect();
        let lines = lines.concat();
        let has_started = kept > started;
        fs::write(&file, if has_started { after } else { before }).unwrap();
        let sent = continue_calling(dir, &lines).await;
        assert_eq!(fs::read_to_string(&file).unwrap(), after, "{kept} lines");
        let is_lost = has_started && kept <= result;
        assert_eq!(sent.contains(lost), is_lost, "{kept} lines: {sent}");
        if is_lost {
            assert!(sent.contains(r#""tool_use_id":"s""#), "{sent}");
            // It may not have begun to change the file.
            fs::write(&file, before).unwrap();
            assert!(continue_calling(dir, &lines).await.contains(lost));
            assert_eq!(fs::read_to_string(&file).unwrap(), before);
        } else {
            assert_eq!(sent, expected, "{kept} lines");
        }
    }
}
