//! Compactions that fail, and requests that are too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aside_agent::{
    Client, ClientError, ClientErrorKind, CompleteFuture, EventStream, Loop, Outcome,
};
use aside_attachments::{Attachment, File, FileContent, LineRange, TextFile};
use aside_messages::conversation::EntryDraft;
use aside_messages::encode::Body;
use aside_session::{
    CompactionMethod, CompactionPolicy, FileIdentity, FileRead, Files, MentionError, Mentioned,
    ReadExtent,
};
use futures_util::stream;

use crate::agent_loop::scripted::{World, calling, cassette, transcript, turn};
use crate::agent_loop::strict::StrictClient;

const ONE: &str = r#"{"content":"One."}"#;
const TOO_LONG: &str = r#"{"error":{"status":400,"type":"invalid_request_error","message":"prompt is too long: 3 > 2"}}"#;

fn compacting(agent: Loop) -> Loop {
    let method = CompactionMethod::Request;
    agent.with_compaction(CompactionPolicy { method, ..CompactionPolicy::default() })
}

/// Runs with a prompt. Instruction files are read on the runtime's threads.
fn prompted(agent: &mut Loop, prompt: &str) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(agent.prompt(prompt)).unwrap();
    runtime.block_on(agent.run()).unwrap().outcome
}

#[test]
fn an_incomplete_summary_loses_nothing() {
    let check = |reason: &str, is_compacted: bool| {
        let answer = format!(r#"{{"content":"I cannot help","stop_reason":"{reason}"}}"#);
        let client = StrictClient::new(cassette(&[ONE, &answer, &answer])).of_any_history();
        let mut agent = compacting(World::default().start(&client));
        assert_eq!(turn(&mut agent, "first"), Outcome::Done);
        let before = agent.conversation().entries().len();
        let outcome = prompted(&mut agent, "/compact");
        let is_changed = agent.conversation().entries().len() > before;
        assert_eq!(is_changed, is_compacted, "{reason}: {:?}", transcript(agent.conversation()));
        assert_eq!(outcome == Outcome::Done, is_compacted, "{reason}: {outcome:?}");
    };
    check("refusal", false);
    check("max_tokens", false);
    check("model_context_window_exceeded", false);
    check("end_turn", true);
    check("stop_sequence", true);
}

/// A file that the model knows, until it is removed.
#[derive(Debug, Default)]
struct OneFile(AtomicBool);

impl Files for OneFile {
    fn mentioned(
        &self,
        path: &str,
        _: Option<LineRange>,
    ) -> Result<Option<Mentioned>, MentionError> {
        let text = TextFile { content: "old text".into(), start_line: 1, total_lines: 1 };
        let content = FileContent::Text(text);
        Ok(Some(Mentioned {
            attachment: Attachment::File(File { path: path.into(), content }),
            read: Some(FileRead {
                path: path.into(),
                identity: FileIdentity::Path(path.into()),
                modified: None,
                stamp: None,
                extent: ReadExtent::Whole,
                text: Some("old text".into()),
            }),
        }))
    }

    fn changed(&self, _: &FileRead) -> Option<FileRead> {
        None
    }

    fn is_removed(&self, _: &FileRead) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn a_compaction_shows_the_files_that_still_exist() {
    for is_removed in [false, true] {
        let answers = [ONE, r#"{"content":"S"}"#, r#"{"content":"On."}"#];
        let client = StrictClient::new(cassette(&answers)).of_any_history();
        let files = Arc::new(OneFile::default());
        let mut agent = compacting(World::default().start(&client)).with_files(files.clone());
        assert_eq!(prompted(&mut agent, "see @/file"), Outcome::Done);
        files.0.store(is_removed, Ordering::Relaxed);
        assert_eq!(prompted(&mut agent, "/compact"), Outcome::Done);
        assert_eq!(prompted(&mut agent, "go on"), Outcome::Done);
        let sent = client.sent();
        assert_eq!(sent.last().unwrap().contains("old text"), !is_removed);
    }
}

#[test]
fn a_result_is_cut_to_a_share_of_the_refused_request() {
    let long = "x".repeat(60_000);
    let call = format!(
        r#"{{"content":[{{"type":"tool_use","id":"a","name":"Fast","input":{{"of":"{long}"}}}}]}}"#
    );
    let answers = [ONE, &call, TOO_LONG, r#"{"content":"S"}"#, r#"{"content":"On."}"#];
    let client = StrictClient::new(cassette(&answers)).of_any_history();
    let mut agent = compacting(World::default().start(&client));
    assert_eq!(turn(&mut agent, "first"), Outcome::Done);
    assert_eq!(prompted(&mut agent, "second"), Outcome::Done);
    let sent = client.sent();
    let last = sent.last().unwrap();
    assert!(last.contains("more bytes of this result are left out"), "{last}");
    assert_eq!(last.matches(&long).count(), 1, "only the call's own input is whole");
}

/// After a compaction that keeps the last round, one that keeps nothing of it
/// follows, and no third one.
#[test]
fn a_round_that_stays_too_long_is_summarized() {
    let call = calling(&[("a", "Fast"), ("b", "Fast")]);
    let (first, second) = (r#"{"content":"S1"}"#, r#"{"content":"S2"}"#);
    let check = |rest: &[&str], expected: &Outcome| {
        let answers = [&[ONE, &call, TOO_LONG, first, TOO_LONG, second], rest].concat();
        let client = StrictClient::new(cassette(&answers)).of_any_history();
        let mut agent = compacting(World::default().start(&client));
        assert_eq!(turn(&mut agent, "first"), Outcome::Done);
        assert_eq!(prompted(&mut agent, "second"), *expected);
        let kept = transcript(agent.conversation()).into_iter().rev();
        let kept: Vec<_> = kept.take_while(|it| !it.starts_with("Boundary")).collect();
        assert_eq!(kept.last().unwrap(), "user: Continue with the task.", "{kept:?}");
    };
    check(&[r#"{"content":"On."}"#], &Outcome::Done);
    let message = "invalid_request_error: prompt is too long: 3 > 2".to_owned();
    check(&[TOO_LONG], &Outcome::ContextFull(Some(message)));
}

#[test]
fn the_first_round_after_a_compaction_is_too_long() {
    let call = calling(&[("a", "Fast")]);
    let (first, second) = (r#"{"content":"S1"}"#, r#"{"content":"S2"}"#);
    let answers = [ONE, first, &call, TOO_LONG, second, r#"{"content":"On."}"#];
    let client = StrictClient::new(cassette(&answers)).of_any_history();
    let mut agent = compacting(World::default().start(&client));
    assert_eq!(turn(&mut agent, "first"), Outcome::Done);
    assert_eq!(prompted(&mut agent, "/compact"), Outcome::Done);
    assert_eq!(prompted(&mut agent, "second"), Outcome::Done);
    let last = client.sent().pop().unwrap();
    assert!(last.contains("S2") && last.contains(r#""id":"a""#), "{last}");
}

/// Reports within the first stream that the prompt is too long.
#[derive(Debug)]
struct LateRefusal {
    client: StrictClient,
    is_due: AtomicBool,
}

impl Client for LateRefusal {
    fn provider(&self) -> &str {
        self.client.provider()
    }

    fn complete<'a>(&'a self, body: &'a Body) -> CompleteFuture<'a> {
        if !self.is_due.swap(false, Ordering::Relaxed) {
            return self.client.complete(body);
        }
        let error = ClientError::new(ClientErrorKind::ContextFull, "too long");
        let events: EventStream = Box::pin(stream::iter([Err(error)]));
        Box::pin(async { Ok(events) })
    }
}

#[test]
fn a_prompt_that_is_refused_within_the_stream_is_compacted() {
    let answers = [ONE, r#"{"content":"S"}"#, r#"{"content":"Two."}"#];
    let client = StrictClient::new(cassette(&answers)).of_any_history();
    let world = World::default();
    let mut agent = world.start(&client);
    assert_eq!(turn(&mut agent, "first"), Outcome::Done);
    let (session, conversation) = agent.into_parts();
    let late = LateRefusal { client: client.clone(), is_due: AtomicBool::new(true) };
    let agent = Loop::new(session, conversation, Arc::new(late)).with_tools(world.tools.clone());
    let mut agent = compacting(agent);
    agent.push(EntryDraft::human("second")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(agent.run()).unwrap().outcome, Outcome::Done);
    let sent = client.sent();
    let last = sent.last().unwrap();
    assert!(last.contains(r#""text":"S""#) && last.contains(r#""text":"second""#), "{last}");
    assert_eq!(transcript(agent.conversation()).last().unwrap(), "assistant: Two.");
}
