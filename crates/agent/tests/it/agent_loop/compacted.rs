//! Compactions that fail, and requests that are too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aside_agent::{
    Client, ClientError, ClientErrorKind, CompleteFuture, EventStream, Loop, Outcome,
};
use aside_messages::conversation::EntryDraft;
use aside_messages::encode::Body;
use aside_session::{CompactionMethod, CompactionPolicy};
use futures_util::stream;

use crate::agent_loop::scripted::{World, cassette, transcript, turn};
use crate::agent_loop::strict::StrictClient;

const ONE: &str = r#"{"content":"One."}"#;
const TOO_LONG: &str = r#"{"error":{"status":400,"type":"invalid_request_error","message":"prompt is too long: 3 > 2"}}"#;

fn compacting(agent: Loop) -> Loop {
    let method = CompactionMethod::Request;
    agent.with_compaction(CompactionPolicy { method, ..CompactionPolicy::default() })
}

/// Runs with a prompt. Instruction files are read on the runtime's threads.
fn prompted(agent: &mut Loop, prompt: &str) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
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
