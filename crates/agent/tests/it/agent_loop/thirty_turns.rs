use aside_agent::{Loop, Outcome};
use aside_attachments::{QueuedCommand, QueuedOrigin};
use aside_messages::conversation::EntryDraft;

use crate::agent_loop::scripted::{World, calling, cassette, polled, turn};
use crate::agent_loop::strict::StrictClient;

/// Plays one turn, by its number.
fn play(number: usize, agent: &mut Loop) {
    let prompt = format!("Turn {number}");
    match number % 6 {
        // Cancelled while tools are running.
        5 => {
            let cancel = agent.cancel_handle();
            agent.push(EntryDraft::human(prompt)).unwrap();
            let mut run = Box::pin(agent.run());
            assert!(polled(run.as_mut(), number).is_none());
            cancel.cancel();
            let report = polled(run, 1).unwrap().unwrap();
            assert_eq!(report.outcome, Outcome::Cancelled);
        }
        // A message arrives during the turn.
        3 => {
            let from = QueuedOrigin::Channel { server: "m".into() };
            agent.inbox().push(QueuedCommand::new("psst", from));
            assert_eq!(turn(agent, &prompt), Outcome::Done);
        }
        _ => assert_eq!(turn(agent, &prompt), Outcome::Done),
    }
}

fn answers(number: usize) -> Vec<String> {
    let id = |name: &str| format!("{name}{number}");
    let (a, b) = (id("a"), id("b"));
    let calls = match number % 3 {
        0 => calling(&[(&a, "Fast")]),
        1 => calling(&[(&a, "Slow"), (&b, "Fail")]),
        _ => calling(&[(&a, "Panic"), (&b, "Slow")]),
    };
    vec![calls, format!(r#"{{"content":"Turn {number} is over."}}"#)]
}

#[test]
fn every_request_of_a_long_session_is_valid_and_continues_the_last() {
    let world = World::default();
    let mut client = StrictClient::new(cassette(&[]));
    let mut session = world.session();
    let mut conversation = session.begin(uuid::Uuid::from_u128(7));
    for number in 0..30 {
        let recorded = answers(number);
        let answers: Vec<_> = recorded.iter().map(String::as_str).collect();
        client = client.continue_with(cassette(&answers));
        let mut agent = world.continue_with_client(session, conversation, &client);
        play(number, &mut agent);
        (session, conversation) = agent.into_parts();
    }
    let sent = client.sent();
    assert!(sent.len() >= 50, "{}", sent.len());
    assert!(sent.iter().any(|body| body.contains("psst")));
    assert!(sent.iter().any(|body| body.contains("The call was interrupted.")));
}
