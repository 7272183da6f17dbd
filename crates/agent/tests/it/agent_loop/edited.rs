//! Conversations that their owner has edited: the API accepts every request.

use aside_agent::Outcome;
use aside_messages::conversation::{Conversation, Entry, EntryDraft, Origin, Part, PrefixReset};
use aside_session::{CompactionMethod, CompactionPolicy};
use uuid::Uuid;

use crate::agent_loop::scripted::{World, calling, cassette, run, turn};
use crate::agent_loop::strict::StrictClient;

const ID: Uuid = Uuid::from_u128(7);

fn thinking(text: &str) -> String {
    format!(
        r#"{{"content":[{{"type":"thinking","thinking":"hm","signature":"s"}},{{"type":"text","text":"{text}"}}]}}"#
    )
}

/// Plays four turns with thinking, edits the conversation, and plays two more.
/// Returns the last request, and the resets in the first turn after the edit.
fn check(edit: impl FnOnce(&mut Vec<Entry>)) -> (String, Vec<PrefixReset>) {
    let answers = [
        thinking("One."),
        calling(&[("a", "Fast")]),
        thinking("Two."),
        thinking("Three."),
        thinking("Four."),
    ];
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let client = StrictClient::new(cassette(&answers)).of_any_history();
    let world = World::default();
    let mut agent = world.start(&client);
    for prompt in ["first", "second", "third", "fourth"] {
        assert_eq!(turn(&mut agent, prompt), Outcome::Done);
    }
    let (session, conversation) = agent.into_parts();
    let mut entries = conversation.entries().to_vec();
    edit(&mut entries);
    let conversation = Conversation::from_entries(ID, entries).unwrap();
    let answers = [thinking("Five."), thinking("Six.")];
    let client = client.continue_with(cassette(&[&answers[0], &answers[1]]));
    let mut agent = world.continue_with_client(session, conversation, &client);
    agent.push(EntryDraft::human("fifth")).unwrap();
    let report = run(&mut agent).unwrap();
    assert_eq!(report.outcome, Outcome::Done);
    let resets = report.resets.iter().map(|reset| reset.reason).collect();
    assert_eq!(turn(&mut agent, "sixth"), Outcome::Done);
    (client.sent().pop().unwrap(), resets)
}

fn thoughts(body: &str) -> usize {
    body.matches(r#""type":"thinking""#).count()
}

fn prompt(entries: &[Entry], text: &str) -> usize {
    let is_prompt = |entry: &Entry| {
        entry.origin == Origin::Human && format!("{:?}", entry.parts).contains(&format!("{text:?}"))
    };
    entries.iter().position(is_prompt).unwrap()
}

fn answer(entries: &[Entry], text: &str) -> usize {
    let is_answer =
        |entry: &Entry| entry.kind.is_answer() && format!("{:?}", entry.parts).contains(text);
    entries.iter().position(is_answer).unwrap()
}

#[test]
fn a_prompt_is_reworded() {
    // The thinking before it stays, and the next turn's is new.
    for (text, left) in [("first", 1), ("second", 2), ("third", 3), ("fourth", 4)] {
        let (last, resets) = check(|entries| {
            let at = prompt(entries, text);
            entries[at].parts = vec![Part::text("Something else.")];
        });
        assert_eq!(thoughts(&last), left, "{text}: {last}");
        assert_eq!(resets, [PrefixReset::Edited], "{text}");
    }
}

#[test]
fn an_entry_is_removed() {
    let (last, _) = check(|entries| {
        // The responses before and after it become one message.
        entries.remove(prompt(entries, "third"));
    });
    assert_eq!(thoughts(&last), 2, "{last}");
    let (last, _) = check(|entries| {
        entries.remove(answer(entries, "Two."));
    });
    assert_eq!(thoughts(&last), 2, "{last}");
}

#[test]
fn a_result_is_shortened() {
    let (last, _) = check(|entries| {
        let is_result = |part: &Part| matches!(part, Part::ToolResult(_));
        let result = entries.iter_mut().find(|entry| entry.parts.iter().any(is_result));
        let Part::ToolResult(result) = &mut result.unwrap().parts[0] else {
            unreachable!("a result")
        };
        result.content = aside_messages::wire::ResultContent::Text("…".into());
    });
    assert_eq!(thoughts(&last), 2, "{last}");
}

#[test]
fn an_answer_is_reworded() {
    let (last, _) = check(|entries| {
        let at = answer(entries, "Two.");
        entries[at].parts[1] = Part::text("Something else.");
    });
    assert_eq!(thoughts(&last), 2, "{last}");
}

#[test]
fn a_rewind_and_a_copy_lose_nothing() {
    let (last, resets) = check(|entries| entries.truncate(prompt(entries, "third")));
    assert_eq!(thoughts(&last), 3, "{last}");
    assert_eq!(resets, [PrefixReset::Forked]);
    let (last, resets) = check(|_| {});
    assert_eq!(thoughts(&last), 5, "{last}");
    assert_eq!(resets, []);
}

#[test]
fn an_edit_that_is_taken_back() {
    let client =
        StrictClient::new(cassette(&[&thinking("One."), &thinking("Two.")])).of_any_history();
    let world = World::default();
    let mut agent = world.start(&client);
    for prompt in ["first", "second"] {
        assert_eq!(turn(&mut agent, prompt), Outcome::Done);
    }
    let (mut session, conversation) = agent.into_parts();
    let entries = conversation.entries().to_vec();
    let mut edited = entries.clone();
    let at = prompt(&edited, "first");
    edited[at].parts = vec![Part::text("Something else.")];
    edited.truncate(prompt(&edited, "second") + 1);
    // The request is not sent.
    let edited = Conversation::from_entries(ID, edited).unwrap();
    let prepared = session.prepare(&edited).unwrap();
    assert_eq!((prepared.reset, prepared.lost_thinking), (Some(PrefixReset::Edited), 1));
    drop(prepared);
    let prepared = session.prepare(&edited).unwrap();
    assert_eq!((prepared.reset, prepared.lost_thinking), (Some(PrefixReset::Edited), 1));
    drop(prepared);
    let client = client.continue_with(cassette(&[&thinking("Three.")]));
    let conversation = Conversation::from_entries(ID, entries).unwrap();
    let mut agent = world.continue_with_client(session, conversation, &client);
    assert_eq!(turn(&mut agent, "third"), Outcome::Done);
    assert_eq!(thoughts(&client.sent().pop().unwrap()), 2);
}

#[test]
fn an_edited_conversation_is_compacted() {
    let client = StrictClient::new(cassette(&[&thinking("One.")])).of_any_history();
    let world = World::default();
    let mut agent = world.start(&client);
    assert_eq!(turn(&mut agent, "first"), Outcome::Done);
    let (session, conversation) = agent.into_parts();
    let mut entries = conversation.entries().to_vec();
    let at = prompt(&entries, "first");
    entries[at].parts = vec![Part::text("Something else.")];
    let conversation = Conversation::from_entries(ID, entries).unwrap();
    let answers = [r#"{"content":"The summary."}"#, r#"{"content":"On."}"#];
    let client = client.continue_with(cassette(&answers));
    let policy =
        CompactionPolicy { method: CompactionMethod::Request, ..CompactionPolicy::default() };
    let mut agent =
        world.continue_with_client(session, conversation, &client).with_compaction(policy);
    // The instruction files are read again on one of the runtime's threads.
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.build().unwrap();
    runtime.block_on(agent.prompt("/compact")).unwrap();
    let ran = runtime.block_on(agent.run()).unwrap();
    assert_eq!(ran.outcome, Outcome::Done);
    assert_eq!(turn(&mut agent, "second"), Outcome::Done);
    let sent = client.sent();
    assert_eq!(sent.len(), 3);
    assert!(sent[1].contains("Something else.") && thoughts(&sent[1]) == 0);
    assert!(sent[2].contains("The summary."));
}
