//! A run that ends at every await, in each of two ways.

use aside_agent::{Loop, Outcome};
use aside_messages::conversation::EntryDraft;

use crate::agent_loop::fakes::{Line, Lines};
use crate::agent_loop::scripted::{World, calling, cassette, polled, transcript, turn};
use crate::agent_loop::strict::StrictClient;

/// Two turns with tools, thinking, and a response.
fn script() -> Vec<String> {
    let thinking = r#"{"content":[
        {"type":"thinking","thinking":"hm","signature":"s"},
        {"type":"text","text":"I look again."},
        {"type":"tool_use","id":"c","name":"Slow","input":{"a":[1,2]}}]}"#;
    vec![
        calling(&[("a", "Slow"), ("b", "Fast"), ("x", "Panic")]),
        thinking.to_owned(),
        r#"{"content":"All is well."}"#.to_owned(),
    ]
}

/// Ends a run after `polls` polls; returns true if it was still running.
fn cut(polls: usize, end: impl FnOnce(&mut Loop, usize) -> bool) -> bool {
    let script = script();
    let answers: Vec<_> = script.iter().map(String::as_str).collect();
    let client = StrictClient::new(cassette(&answers));
    let lines = Lines::default();
    let mut agent = World::default().start(&client).with_journal(lines.clone(), 0);
    agent.push(EntryDraft::human("Go")).unwrap();
    let was_cut = end(&mut agent, polls);
    let shown = transcript(agent.conversation());
    assert_written(&agent, &lines);
    let last = shown.last().unwrap();
    let is_whole = last.ends_with("All is well.");
    assert!(!was_cut || is_whole || last == "Aborted", "{shown:?}");

    // The conversation continues, and every request is valid and continues
    // those before.
    let (session, conversation) = agent.into_parts();
    let client = client
        .continue_with(cassette(&[&calling(&[("d", "Fast")]), r#"{"content":"Well again."}"#]));
    let mut agent = World::default().continue_with_client(session, conversation, &client);
    assert_eq!(turn(&mut agent, "Go on"), Outcome::Done, "{shown:?}");
    let last = client.sent().pop().unwrap();
    // Nothing was run twice or lost.
    for call in ["a", "b", "x", "c"] {
        let asked = format!(r#""id":"{call}""#);
        let answered = format!(r#""tool_use_id":"{call}""#);
        let count = |text: &str| last.matches(text).count();
        assert_eq!(count(&asked), count(&answered), "{shown:?}");
        assert!(!last.contains("its result was lost"), "{shown:?}");
    }
    was_cut
}

/// Checks that the journal has the same entries as the conversation.
fn assert_written(agent: &Loop, lines: &Lines) {
    let lines = lines.all();
    let entries: Vec<_> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Entry(entry) => Some(&**entry),
            Line::Sent { .. } | Line::Note => None,
        })
        .cloned()
        .collect();
    assert_eq!(entries, agent.conversation().entries());
}

fn at_every_await(end: impl Fn(&mut Loop, usize) -> bool) {
    let cuts = (1..).take_while(|polls| cut(*polls, &end)).count();
    assert!(cuts > 30, "{cuts}");
}

#[test]
fn dropped_at_every_await() {
    at_every_await(|agent, polls| polled(agent.run(), polls).is_none());
}

#[test]
fn cancelled_at_every_await() {
    at_every_await(|agent, polls| {
        let cancel = agent.cancel_handle();
        let mut run = Box::pin(agent.run());
        if let Some(report) = polled(run.as_mut(), polls) {
            assert_eq!(report.unwrap().outcome, Outcome::Done);
            return false;
        }
        cancel.cancel();
        let report = polled(run, 1).expect("a run that is cancelled ends at once");
        assert_eq!(report.unwrap().outcome, Outcome::Cancelled);
        true
    });
}

#[test]
fn a_call_that_had_ended_keeps_its_result() {
    let calls = &script()[0];
    for polls in 1..100 {
        let mut agent = World::default().start(&StrictClient::new(cassette(&[calls])));
        agent.push(EntryDraft::human("Go")).unwrap();
        assert!(polled(agent.run(), polls).is_none(), "Slow is slow enough");
        let shown = transcript(agent.conversation());
        if shown.iter().any(|line| line.contains("#b =")) {
            assert_eq!(
                shown[2..],
                [
                    "user: #a ! The call was interrupted.",
                    "user: #b = Fast {\"of\":\"b\"}",
                    "user: #x ! The tool failed: it panicked: internal error: entered unreachable code: out of luck",
                    "Aborted",
                ]
            );
            return;
        }
    }
    unreachable!("the calls were never under way");
}
