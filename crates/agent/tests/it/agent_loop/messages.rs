//! Messages that arrive during a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aside_agent::{Inbox, Loop, Observer, Outcome, Progress};
use aside_attachments::{Attachment, LineRange, OpenedFile, QueuedCommand, QueuedOrigin};
use aside_messages::conversation::EntryDraft;
use aside_session::{FileIdentity, FileRead, Files, MentionError, Mentioned, ReadExtent};
use aside_transport::Replay;

use crate::agent_loop::fakes::{Lines, Seen};
use crate::agent_loop::scripted::{World, calling, cassette, polled, run, transcript, turn};
use crate::agent_loop::strict::StrictClient;

const DONE: &str = r#"{"content":"Done."}"#;
const SAID: &str = "user: (The user sent a new message while you were working:)";

/// Finds `a.md`, and files whose names begin with `f`, which the model then knows. No file changes.
/// Counts how many are looked at.
#[derive(Debug, Default)]
struct FewFiles(AtomicUsize);

impl Files for FewFiles {
    fn mentioned(
        &self,
        path: &str,
        _: Option<LineRange>,
    ) -> Result<Option<Mentioned>, MentionError> {
        let opened = OpenedFile { path: path.into() };
        let is_known = path.starts_with('f');
        Ok((is_known || path == "a.md").then_some(Mentioned {
            attachment: Attachment::OpenedFileInIde(opened),
            read: is_known.then(|| FileRead {
                path: path.into(),
                identity: FileIdentity::Path(path.into()),
                modified: None,
                stamp: None,
                extent: ReadExtent::Whole,
                text: None,
            }),
        }))
    }

    fn changed(&self, _: &FileRead) -> Option<FileRead> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }
}

fn user(text: &str) -> QueuedCommand {
    QueuedCommand::new(text, QueuedOrigin::Human)
}

fn channel(text: &str) -> QueuedCommand {
    let server = "m".to_owned();
    QueuedCommand::new(text, QueuedOrigin::Channel { server })
}

/// Runs a future on a runtime, which reading files needs.
fn waited<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

fn messages(agent: &mut Loop) {
    polled(agent.append_queued_messages(), 1).expect("nothing is looked up").unwrap();
}

#[test]
fn only_mentions_of_the_user_are_resolved() {
    let client = StrictClient::new(cassette(&[&calling(&[("a", "Fast")]), DONE]));
    let mut agent = World::default().start(&client).with_files(Arc::new(FewFiles::default()));
    agent.push(EntryDraft::human("Go")).unwrap();
    agent.inbox().push(channel("Look at @a.md"));
    agent.inbox().push(user("Look at @a.md, not @b.md"));
    agent.inbox().push(user("That is all."));
    assert_eq!(waited(agent.run()).unwrap().outcome, Outcome::Done);
    assert_eq!(
        transcript(agent.conversation())[1..5],
        [
            "user: (A message arrived from m while you were working:)",
            SAID,
            "user: (The user opened the file a.md in the IDE.)",
            SAID,
        ]
    );
}

#[test]
fn a_message_with_a_pending_mention_is_not_lost() {
    let client = StrictClient::new(cassette(&[DONE]));
    let mut agent = World::default().start(&client).with_files(Arc::new(FewFiles::default()));
    agent.inbox().push(user("first"));
    agent.inbox().push(user("Look at @a.md"));
    // The file is read off the runtime, so its message has to wait.
    waited(async { assert!(polled(agent.append_queued_messages(), 1).is_none()) });
    assert_eq!(transcript(agent.conversation()), [SAID]);
    waited(agent.append_queued_messages()).unwrap();
    let mention = "user: (The user opened the file a.md in the IDE.)";
    assert_eq!(transcript(agent.conversation()), [SAID, SAID, mention]);
}

/// The next request is the same in this run and in a new one.
#[test]
fn a_late_message_is_kept_for_the_next_run() {
    let seen = Seen::default();
    let client = StrictClient::new(cassette(&[r#"{"content":"a","stop_reason":"max_tokens"}"#]));
    let mut agent = World::default().start(&client).with_observer(seen.clone());
    assert!(agent.is_idle());
    assert_eq!(turn(&mut agent, "Go"), Outcome::MaxTokens);
    agent.inbox().push(user("Turn left."));
    messages(&mut agent);
    assert_eq!(seen.all(), ["sending", "queued"]);
    assert!(!agent.is_idle());
    let shown = transcript(agent.conversation());
    assert_eq!(shown[1..], ["assistant: a", SAID]);

    let (session, conversation) = agent.into_parts();
    let client = client.continue_with(cassette(&[DONE]));
    let mut agent = World::default().continue_with_client(session, conversation, &client);
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Done);
    assert!(client.sent()[1].contains("Turn left."));
}

#[test]
fn no_message_splits_a_paused_response() {
    let paused = r#"{"content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}],"stop_reason":"pause_turn"}"#;
    let rest = r#"{"content":[{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},{"type":"text","text":"Found."}]}"#;
    let client = StrictClient::new(cassette(&[paused, rest, DONE]));
    let limits = aside_agent::RunLimits { turns: Some(1), ..Default::default() };
    let mut agent = World::default().start(&client).with_limits(limits);
    let limit = Outcome::Limit(aside_agent::Limit::Turns);
    assert_eq!(turn(&mut agent, "Go"), limit);
    agent.inbox().push(user("Turn left."));
    let shown = ["user: Go", "assistant: server_tool_use"];
    assert_eq!(transcript(agent.conversation()), shown);

    // The message waits for the second half.
    let mut agent = agent.with_limits(aside_agent::RunLimits::default());
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Done);
    let rest = "assistant: web_search_tool_result + Found.";
    let shown = [shown[0], shown[1], rest, SAID, "assistant: Done."];
    assert_eq!(transcript(agent.conversation()), shown);
}

#[test]
fn a_message_after_a_run_that_ended_in_a_paused_response_is_kept() {
    let paused = r#"{"content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}],"stop_reason":"pause_turn"}"#;
    let client = StrictClient::new(cassette(&[paused, DONE]));
    let limits = aside_agent::RunLimits { turns: Some(1), ..Default::default() };
    let mut agent = World::default().start(&client).with_limits(limits);
    turn(&mut agent, "Go");
    agent.inbox().push(user("Turn left."));
    messages(&mut agent);
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Done);
    let shown = ["user: Go", "assistant: server_tool_use", SAID, "assistant: Done."];
    assert_eq!(transcript(agent.conversation()), shown);
}

/// Sends another message whenever a request is sent, endlessly.
#[derive(Debug)]
struct Talks(Inbox);

impl Observer for Talks {
    fn observe(&mut self, progress: Progress<'_>) {
        if let Progress::Sending(_) = progress {
            self.0.push(user("And then?"));
        }
    }
}

#[test]
fn an_endless_stream_of_messages_can_be_cancelled() {
    let client = Arc::new(Replay::default());
    let world = World::default();
    let session = world.session();
    let conversation = session.begin(uuid::Uuid::from_u128(7));
    let agent = Loop::new(session, conversation, client);
    let talks = Talks(agent.inbox());
    let mut agent = agent.with_observer(talks);
    agent.push(EntryDraft::human("Go")).unwrap();
    let cancel = agent.cancel_handle();
    let mut run = Box::pin(agent.run());
    assert!(polled(run.as_mut(), 3).is_none());
    cancel.cancel();
    let report = polled(run, 1).unwrap().unwrap();
    assert_eq!((report.outcome, report.spent.requests), (Outcome::Cancelled, 3));
}

#[test]
fn a_message_without_a_journal_record_is_not_taken() {
    let seen = Seen::default();
    let client = StrictClient::new(cassette(&[DONE]));
    let mut agent = World::default()
        .start(&client)
        .with_observer(seen.clone())
        .with_journal(Lines::with_room(0), 0);
    agent.inbox().push(user("Turn left."));
    assert!(polled(agent.append_queued_messages(), 1).unwrap().is_err());
    assert_eq!(seen.all(), [""; 0]);
}

/// A program that continues without a loop finds the messages in the inbox.
#[test]
fn untaken_messages_return_to_the_inbox() {
    let client = StrictClient::new(cassette(&[DONE]));
    let mut agent = World::default().start(&client).with_files(Arc::new(FewFiles::default()));
    let inbox = agent.inbox();
    inbox.push(user("Look at @a.md"));
    inbox.push(user("And then?"));
    waited(async { assert!(polled(agent.append_queued_messages(), 1).is_none()) });
    inbox.push(user("Hello?"));
    let (_, conversation) = agent.into_parts();
    assert_eq!(transcript(&conversation), [""; 0]);
    let texts: Vec<_> = inbox.take().into_iter().map(|it| it.text).collect();
    assert_eq!(texts, ["Look at @a.md", "And then?", "Hello?"].map(Arc::from));
}

/// Between two messages of the user only the latest files and some of the others.
#[test]
fn all_known_files_are_looked_at_after_a_message_of_the_user() {
    let call = calling(&[("a", "Fast")]);
    let client = StrictClient::new(cassette(&[&call, &call, DONE, &call, DONE]));
    let files = Arc::new(FewFiles::default());
    let mut agent = World::default().start(&client).with_files(files.clone());
    for first in (0..200).step_by(10) {
        let names: Vec<String> = (first..first + 10).map(|it| format!("@f{it}")).collect();
        waited(agent.prompt(&names.join(" "))).unwrap();
    }
    let looked = |agent: &mut Loop| {
        assert_eq!(waited(agent.run()).unwrap().outcome, Outcome::Done);
        files.0.swap(0, Ordering::Relaxed)
    };
    // The latest, and a tenth of the others.
    let some = 20 + 18;
    assert_eq!(looked(&mut agent), 200 + some + some);
    waited(agent.prompt("And now?")).unwrap();
    assert_eq!(looked(&mut agent), 200 + some);
}

/// A worker's task is a text by a model.
#[test]
fn a_task_is_never_a_command() {
    let client = StrictClient::new(cassette(&[DONE]));
    let mut agent = World::default().start(&client);
    polled(agent.task("/compact"), 1).unwrap().unwrap();
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Done);
    assert!(client.sent().pop().unwrap().contains("/compact"));
}

/// A run then sends the same bytes.
#[test]
fn the_next_request_is_returned_unsent() {
    let client = StrictClient::new(cassette(&[DONE]));
    let request = |agent: Loop| polled(agent.into_request(), usize::MAX).unwrap().unwrap();
    assert!(request(World::default().start(&client)).is_none(), "no message needs a response");

    let mut agent = World::default().start(&client);
    agent.push(EntryDraft::human("Go")).unwrap();
    let (prepared, session, conversation) = request(agent).unwrap();
    let body = String::from_utf8(prepared.body.to_vec()).unwrap();
    drop(prepared);
    assert!(client.sent().is_empty());
    let mut agent = World::default().continue_with_client(session, conversation, &client);
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Done);
    assert_eq!(client.sent(), [body]);
}
