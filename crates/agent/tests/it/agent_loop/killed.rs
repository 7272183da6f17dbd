//! The process is killed at any time, and only the journal remains.

use aside_agent::Outcome;
use aside_messages::conversation::{Conversation, Entry, EntryDraft, Origin};
use uuid::Uuid;

use crate::agent_loop::fakes::{Line, Lines};
use crate::agent_loop::scripted::{World, calling, cassette, run, turn};
use crate::agent_loop::strict::StrictClient;

fn script() -> Vec<String> {
    vec![
        calling(&[("a", "Slow"), ("b", "Fast")]),
        calling(&[("c", "Fail")]),
        r#"{"content":"All is well."}"#.to_owned(),
    ]
}

/// Creates a world without reminders, whose counters are restored in another
/// way.
fn world() -> World {
    World { reminders: false, ..World::default() }
}

fn play(answers: &[String]) -> StrictClient {
    let answers: Vec<_> = answers.iter().map(String::as_str).collect();
    StrictClient::new(cassette(&answers))
}

#[test]
fn a_process_resumes_from_the_journal_with_the_same_requests() {
    let client = play(&script());
    let lines = Lines::default();
    let mut agent = world().start(&client).with_journal(lines.clone(), 0);
    agent.push(EntryDraft::human("Go")).unwrap();
    let begun = lines.all().len();
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Done);
    let undisturbed = client.sent();
    assert_eq!(undisturbed.len(), 3);

    let lines = lines.all();
    for kept in begun..=lines.len() {
        let entries: Vec<Entry> = lines[..kept]
            .iter()
            .filter_map(|line| match line {
                Line::Entry(entry) => Some((**entry).clone()),
                Line::Sent { .. } | Line::Note => None,
            })
            .collect();
        let answers =
            entries.iter().filter(|entry| matches!(entry.origin, Origin::Model { .. })).count();
        let client = play(&script()[answers..]);
        let conversation = Conversation::from_entries(Uuid::from_u128(7), entries).unwrap();
        let mut agent = world().continue_with_client(world().session(), conversation, &client);
        let outcome = run(&mut agent).unwrap().outcome;
        let expected = match answers {
            3 => Outcome::Idle,
            _ => Outcome::Done,
        };
        assert_eq!(outcome, expected, "{kept} lines");
        assert_eq!(client.sent(), undisturbed[answers..], "{kept} lines");

        // The session continues.
        let client = client.continue_with(cassette(&[r#"{"content":"On."}"#]));
        let (session, conversation) = agent.into_parts();
        let mut agent = world().continue_with_client(session, conversation, &client);
        assert_eq!(turn(&mut agent, "And on"), Outcome::Done);
    }
}
