//! Calls that start and do not end, in a process that lives on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aside_agent::{Loop, LoopError, Outcome};
use aside_messages::conversation::EntryDraft;

use crate::agent_loop::fakes::{Does, Lines, tool};
use crate::agent_loop::scripted::{World, calling, cassette, polled, run, transcript};
use crate::agent_loop::strict::StrictClient;

const DONE: &str = r#"{"content":"Done."}"#;
const MAY_HAVE_RUN: &str = "The call was interrupted, and its result is lost. It may have taken effect: check before you repeat it.";

/// Creates a world with a tool that changes something.
fn world(does: Does) -> World {
    let mut world = World::default();
    world.tools.extend([tool("Change", does), tool("Soon", Does::Echo(2))]);
    world
}

#[test]
fn only_an_interrupted_change_may_have_taken_effect() {
    let check = |end: fn(&mut Loop, usize)| {
        let calls = calling(&[("a", "Change"), ("b", "Slow"), ("c", "Fast"), ("d", "Gone")]);
        let results = (1..100).find_map(|polls| {
            let client = StrictClient::new(cassette(&[&calls]));
            let mut agent = world(Does::Hang).start(&client);
            agent.push(EntryDraft::human("Go")).unwrap();
            end(&mut agent, polls);
            let shown = transcript(agent.conversation());
            shown.iter().any(|line| line.contains("#c =")).then(|| shown[2..].to_vec())
        });
        assert_eq!(
            results.unwrap(),
            [
                &format!("user: #a ! {MAY_HAVE_RUN}"),
                "user: #b ! The call was interrupted.",
                "user: #c = Fast {\"of\":\"c\"}",
                "user: #d ! There is no tool of the name Gone.",
                "Aborted",
            ]
        );
    };
    check(|agent, polls| assert!(polled(agent.run(), polls).is_none()));
    check(|agent, polls| {
        let cancel = agent.cancel_handle();
        let mut run = Box::pin(agent.run());
        assert!(polled(run.as_mut(), polls).is_none());
        cancel.cancel();
        assert_eq!(polled(run, 1).unwrap().unwrap().outcome, Outcome::Cancelled);
    });
}

/// Returns how often the change ran and its result, after a run whose journal has `room`, and a
/// second run, which is cancelled at once or not. `None` if the first one succeeded.
fn after_failure(room: usize, is_cancelled: bool) -> Option<(usize, String)> {
    let calls = calling(&[("a", "Soon"), ("b", "Slow"), ("c", "Change")]);
    let client = StrictClient::new(cassette(&[&calls, DONE, DONE]));
    let count = Arc::new(AtomicUsize::new(0));
    let world = world(Does::Count(count.clone()));
    let mut agent = world.start(&client).with_journal(Lines::with_room(room), 0);
    let pushed = agent.push(EntryDraft::human("Go"));
    match pushed.and_then(|()| run(&mut agent)) {
        Ok(_) => return None,
        Err(error) => assert!(matches!(error, LoopError::Journal(_)), "{error}"),
    }
    let (session, conversation) = agent.into_parts();
    let mut agent = world.continue_with_client(session, conversation, &client);
    if is_cancelled {
        agent.cancel_handle().cancel();
    }
    run(&mut agent).unwrap();
    let shown = transcript(agent.conversation());
    let results: Vec<_> = shown.iter().filter_map(|it| it.strip_prefix("user: #c ")).collect();
    Some((count.load(Ordering::Relaxed), results.join("; ")))
}

#[test]
fn a_change_runs_once_if_the_journal_fails() {
    let result = "= Change {\"of\":\"c\"}".to_owned();
    let lost = format!("! {MAY_HAVE_RUN}");
    let none = String::new();
    let ends = |is_cancelled| -> Vec<_> {
        let ends = (0..).map_while(|room| after_failure(room, is_cancelled));
        // With little room, the first run sends no request, and the second one runs all calls.
        let mut ends: Vec<_> = ends.skip_while(|(count, _)| *count == 1).collect();
        ends.dedup();
        ends
    };
    // No call yet; not started, since its note is missing; started, and its result is lost; ended.
    let started = [(1, lost), (1, result.clone())];
    let repeated = ends(false);
    assert_eq!(repeated, [&[(0, none.clone()), (1, result)][..], &started].concat());
    let cancelled = ends(true);
    let interrupted = "! The call was interrupted.".to_owned();
    assert_eq!(cancelled, [&[(0, none), (0, interrupted)][..], &started].concat());
}
