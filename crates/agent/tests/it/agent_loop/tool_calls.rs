use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use aside_agent::{Loop, Observer, Outcome, Progress, Tool};
use aside_attachments::{QueuedCommand, QueuedOrigin};
use aside_messages::conversation::EntryDraft;

use crate::agent_loop::fakes::{Does, Seen, tool, tools};
use crate::agent_loop::scripted::{World, calling, cassette, check, run, transcript, turn};
use crate::agent_loop::strict::StrictClient;

const DONE: &str = r#"{"content":"Done."}"#;

#[test]
fn calls_run_at_the_same_time_and_results_are_in_order() {
    let client = StrictClient::new(cassette(&[&calling(&[("a", "Slow"), ("b", "Fast")]), DONE]));
    let seen = Seen::default();
    let mut agent = World::default().start(&client).with_observer(seen.clone());
    assert_eq!(turn(&mut agent, "Go"), Outcome::Done);
    assert_eq!(seen.all()[1..5], ["called a", "called b", "returned b", "returned a"]);
    assert_eq!(
        transcript(agent.conversation()),
        [
            "user: Go",
            "assistant: Let me look. + Slow#a + Fast#b",
            "user: #a = Slow {\"of\":\"a\"}",
            "user: #b = Fast {\"of\":\"b\"}",
            "assistant: Done.",
        ]
    );
}

/// What was read becomes known in the order of the results, also when the run ends early.
#[test]
fn reads_are_noted_in_call_order() {
    let reads = |first: Does, is_dropped_after: &str| {
        let tools =
            vec![tool("First", first), tool("Fast", Does::Read(0)), tool("Slow", Does::Read(5))];
        let world = World { tools, ..World::default() };
        let calls = calling(&[("a", "First"), ("b", "Fast"), ("c", "Slow"), ("d", "Fast")]);
        let seen = Seen::default();
        let client = StrictClient::new(cassette(&[&calls, DONE]));
        let mut agent = world.start(&client).with_observer(seen.clone());
        agent.push(EntryDraft::human("Go")).unwrap();
        // The instruction files are read on one of the runtime's threads.
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut run = Box::pin(agent.run());
        runtime.block_on(poll_fn(|context| {
            // The fakes wait for the next poll, and wake nothing.
            context.waker().wake_by_ref();
            let is_over = seen.all().iter().any(|it| it == is_dropped_after);
            if is_over { Poll::Ready(()) } else { run.as_mut().poll(context).map(drop) }
        }));
        drop(run);
        // A result that the model gets, and a file that it knows, belong together.
        let results = transcript(agent.conversation()).into_iter();
        let results = results.filter_map(|it| it.strip_suffix(" = text").map(str::to_owned));
        let reads = agent.session().reads().files().iter();
        let reads = reads.map(|it| format!("user: #{}", it.read.path.display()));
        let reads: Vec<_> = reads.collect();
        assert_eq!(results.collect::<Vec<_>>(), reads);
        reads.concat().replace("user: #", "")
    };
    assert_eq!(reads(Does::Read(5), "the end"), "abcd");
    assert_eq!(reads(Does::Hang, "returned c"), "bcd");
}

#[test]
fn calls_for_one_file_run_in_order_if_one_changes_it() {
    let ended = |calls: &[(&str, &str, &str)]| {
        let call = |(id, name, of): &(&str, &str, &str)| {
            let input = format!(r#"{{"of":"{of}"}}"#);
            format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#)
        };
        let calls: Vec<_> = calls.iter().map(call).collect();
        let calls = format!(r#"{{"content":[{}]}}"#, calls.join(","));
        let client = StrictClient::new(cassette(&[&calls, DONE]));
        let mut tools = tools();
        tools.extend([tool("Change", Does::Use(5)), tool("Look", Does::Use(0))]);
        let seen = Seen::default();
        let world = World { tools, ..World::default() };
        let mut agent = world.start(&client).with_observer(seen.clone());
        assert_eq!(turn(&mut agent, "Go"), Outcome::Done);
        let all = seen.all().into_iter();
        all.filter_map(|it| it.strip_prefix("returned ").map(str::to_owned)).collect::<String>()
    };
    let (slow, change, look) = (("s", "Slow", "x"), ("c", "Change", "x"), ("l", "Look", "x"));
    assert_eq!(ended(&[change, look]), "cl");
    assert_eq!(ended(&[look, change, ("m", "Look", "x")]), "lcm");
    assert_eq!(ended(&[change, ("l", "Look", "y")]), "lc", "another file");
    assert_eq!(ended(&[slow, look]), "ls", "no file");
    assert_eq!(ended(&[change, ("d", "Change", "x"), ("m", "Look", "y")]), "mcd");
}

#[test]
fn every_failure_is_a_result_for_the_model() {
    let calls = calling(&[("a", "Fail"), ("b", "Panic"), ("c", "Gone"), ("d", "Abort")]);
    check(
        &[&calls, DONE],
        &Outcome::Done,
        &[
            "user: Go",
            "assistant: Let me look. + Fail#a + Panic#b + Gone#c + Abort#d",
            "user: #a ! It is broken.",
            "user: #b ! The tool failed: it panicked: internal error: entered unreachable code: out of luck",
            "user: #c ! There is no tool of the name Gone.",
            "user: #d ! The tool failed: it panicked: no reason was given",
            "assistant: Done.",
        ],
    );
    let bad = r#"{"content":[{"type":"tool_use","id":"a","name":"Fast","input":[1]}]}"#;
    check(
        &[bad, DONE],
        &Outcome::Done,
        &[
            "user: Go",
            "assistant: Fast#a",
            "user: #a ! The call was not run. Its input is no JSON object: found [1]",
            "assistant: Done.",
        ],
    );
}

#[test]
fn only_offered_tools_are_called() {
    let client = StrictClient::new(cassette(&[&calling(&[("a", "Secret")]), DONE]));
    let world = World::default();
    let mut agent = world.start(&client);
    assert_eq!(turn(&mut agent, "Go"), Outcome::Done);
    let shown = transcript(agent.conversation());
    assert_eq!(shown[2], "user: #a ! There is no tool of the name Secret.");
}

#[test]
fn reused_call_ids_are_made_unique() {
    let same = calling(&[("0", "Fast"), ("0", "Slow")]);
    check(
        &[&same, &same, DONE],
        &Outcome::Done,
        &[
            "user: Go",
            "assistant: Let me look. + Fast#0 + Slow#0-2",
            "user: #0 = Fast {\"of\":\"0\"}",
            "user: #0-2 = Slow {\"of\":\"0\"}",
            "assistant: Let me look. + Fast#0-3 + Slow#0-4",
            "user: #0-3 = Fast {\"of\":\"0\"}",
            "user: #0-4 = Slow {\"of\":\"0\"}",
            "assistant: Done.",
        ],
    );
}

#[test]
fn the_number_of_concurrent_calls_is_limited() {
    let ids: Vec<String> = (0..40).map(|number| format!("c{number}")).collect();
    let calls: Vec<_> = ids.iter().map(|id| (id.as_str(), "Slow")).collect();
    let client = StrictClient::new(cassette(&[&calling(&calls), DONE]));
    let mut agent = World::default().start(&client);
    assert_eq!(turn(&mut agent, "Go"), Outcome::Done);
    assert_eq!(transcript(agent.conversation()).len(), 1 + 1 + 40 + 1);
}

#[test]
fn a_message_during_a_turn_is_in_the_next_request() {
    let client = StrictClient::new(cassette(&[&calling(&[("a", "Steer")]), DONE]));
    let plain = World::default();
    let agent = plain.start(&client);
    let inbox = agent.inbox();
    let steer: Arc<dyn Tool> = tool("Steer", Does::Steer(inbox.clone()));
    let world = World { tools: tools().into_iter().chain([steer]).collect(), ..World::default() };
    // The tool needs the inbox of the loop that calls it.
    let mut agent = world.start(&client).with_inbox(inbox);
    assert_eq!(turn(&mut agent, "Go"), Outcome::Done);
    assert_eq!(
        transcript(agent.conversation())[2..],
        [
            "user: #a = Steer {\"of\":\"a\"}",
            "user: (The user sent a new message while you were working:)",
            "assistant: Done.",
        ]
    );
    assert!(client.sent()[1].contains("Turn left."));
}

#[test]
fn a_message_at_the_end_of_a_turn_gets_a_response() {
    let client = StrictClient::new(cassette(&[DONE, r#"{"content":"Left."}"#]));
    let mut agent = World::default().start(&client);
    let origin = QueuedOrigin::TaskNotification;
    assert_eq!(turn(&mut agent, "Go"), Outcome::Done);
    agent.inbox().push(QueuedCommand::new("Turn left.", origin));
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Done);
    assert_eq!(transcript(agent.conversation()).len(), 4);
    agent
        .push(
            EntryDraft::human("x")
                .with_visibility(aside_messages::conversation::Visibility::DisplayOnly),
        )
        .unwrap();
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Idle);
}

/// Keeps diagnostics' codes and messages.
#[derive(Clone, Debug, Default)]
struct Diagnostics(Arc<Mutex<Vec<String>>>);

impl Observer for Diagnostics {
    fn observe(&mut self, progress: Progress<'_>) {
        if let Progress::Diagnostic(diagnostic) = progress {
            self.0.lock().unwrap().push(diagnostic.to_string());
        }
    }
}

#[test]
fn tools_that_are_offered_and_cannot_be_called_are_reported_once() {
    let world = World::default();
    let reported = |tools: Vec<Arc<dyn Tool>>| {
        let client = StrictClient::new(cassette(&[DONE, DONE]));
        let session = world.session();
        let conversation = session.begin(uuid::Uuid::from_u128(7));
        let seen = Diagnostics::default();
        let mut agent = Loop::new(session, conversation, Arc::new(client))
            .with_tools(tools)
            .with_observer(seen.clone());
        turn(&mut agent, "Go");
        turn(&mut agent, "Go on");
        seen.0.lock().unwrap().clone()
    };
    let some = reported(world.tools[2..].to_vec());
    let expected = "error: the model is offered tools that cannot be called: Fast, Slow";
    assert_eq!(some, [expected]);
    assert_eq!(reported(world.tools.clone()), [""; 0]);
}
