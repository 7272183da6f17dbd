//! Messages that the model removes.

use std::sync::{Arc, Mutex};

use aside_agent::{Journal, JournalError, Loop, Outcome, SentRequest};
use aside_messages::conversation::{Entry, EntryDraft, EntryKind, Origin, Part};
use aside_session::Note;

use crate::agent_loop::fakes::{Does, tool};
use crate::agent_loop::scripted::{World, calling, cassette, polled, turn};
use crate::agent_loop::strict::StrictClient;

const DONE: &str = r#"{"content":"Done."}"#;

/// Keeps entries that were written together.
#[derive(Clone, Debug, Default)]
struct Records(Arc<Mutex<Vec<Vec<Entry>>>>);

impl Journal for Records {
    fn note(&mut self, _: &Note) -> Result<(), JournalError> {
        Ok(())
    }

    fn entries(&mut self, entries: &[Entry]) -> Result<(), JournalError> {
        self.0.lock().unwrap().push(entries.to_vec());
        Ok(())
    }

    fn sent(&mut self, _: &SentRequest<'_>) -> Result<(), JournalError> {
        Ok(())
    }
}

fn world() -> World {
    World {
        tools: vec![
            tool("Snip", Does::Snip),
            tool("Fast", Does::Echo(0)),
            tool("Slow", Does::Echo(5)),
        ],
        ..World::default()
    }
}

/// Plays two turns, and begins a third one in which the model removes the first
/// one's prompt.
fn begin(client: &StrictClient) -> (Loop, StrictClient) {
    let mut agent = world().start(client);
    assert_eq!(turn(&mut agent, "The first words"), Outcome::Done);
    assert_eq!(turn(&mut agent, "The second words"), Outcome::Done);
    let entries = agent.conversation().entries();
    let first = entries.iter().find(|entry| entry.origin == Origin::Human);
    let tag = first.unwrap().id.tag();
    let calls = calling(&[("a", "Slow"), (&tag, "Snip"), ("b", "Fast")]);
    let client = client.continue_with(cassette(&[&calls, DONE]));
    let (session, conversation) = agent.into_parts();
    (world().continue_with_client(session, conversation, &client), client)
}

fn is_removal(entry: &Entry) -> bool {
    let text = format!("{:?}", entry.parts);
    let is_result = entry.parts.iter().any(|part| matches!(part, Part::ToolResult(_)));
    is_result && text.contains("Removed.")
}

fn is_snip(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::Snip { .. })
}

/// A process killed at any time leaves a result with its removal, or neither of
/// them.
#[test]
fn a_result_and_its_removal_are_one_record() {
    let client = StrictClient::new(cassette(&[DONE, DONE])).of_any_history();
    let (agent, client) = begin(&client);
    let records = Records::default();
    let written = agent.conversation().entries().len();
    let mut agent = agent.with_journal(records.clone(), written);
    assert_eq!(turn(&mut agent, "The third words"), Outcome::Done);
    let records = records.0.lock().unwrap();
    let counts = records.iter().map(|record| {
        let count = |is: fn(&Entry) -> bool| record.iter().filter(|entry| is(entry)).count();
        (count(is_removal), count(is_snip))
    });
    let counts: Vec<_> = counts.filter(|counts| *counts != (0, 0)).collect();
    assert_eq!(counts, [(1, 1)]);
    let last = client.sent().pop().unwrap();
    assert!(!last.contains("The first words") && last.contains("The third words"));
}

#[test]
fn a_message_that_cannot_be_removed_is_named() {
    let calls = calling(&[("zzzzzz", "Snip")]);
    let client = StrictClient::new(cassette(&[&calls, DONE]));
    let mut agent = world().start(&client);
    assert_eq!(turn(&mut agent, "The first words"), Outcome::Done);
    let last = client.sent().pop().unwrap();
    let text = "No message that can be removed has the id zzzzzz. Nothing is removed.";
    assert!(last.contains(text), "{last}");
}

#[test]
fn a_run_that_is_dropped_keeps_both_or_neither() {
    let mut kept = [0, 0];
    for polls in 1..60 {
        let client = StrictClient::new(cassette(&[DONE, DONE])).of_any_history();
        let (mut agent, client) = begin(&client);
        agent.push(EntryDraft::human("The third words")).unwrap();
        let _ = polled(agent.run(), polls);
        let entries = agent.conversation().entries();
        let removals = entries.iter().filter(|entry| is_removal(entry)).count();
        let snips = entries.iter().filter(|entry| is_snip(entry)).count();
        assert_eq!(removals, snips, "{polls} polls");
        kept[snips] += 1;
        let client = client.continue_with(cassette(&[DONE]));
        let (session, conversation) = agent.into_parts();
        let mut agent = world().continue_with_client(session, conversation, &client);
        assert_eq!(turn(&mut agent, "The fourth words"), Outcome::Done);
    }
    assert!(kept[0] > 0 && kept[1] > 0, "{kept:?}");
}
