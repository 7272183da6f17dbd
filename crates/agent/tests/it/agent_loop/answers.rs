use std::sync::atomic::{AtomicUsize, Ordering};

use aside_agent::{CancelHandle, ClientErrorKind, Limit, LoopError, Outcome, RunLimits};
use aside_messages::conversation::EntryDraft;
use aside_messages::encode::BodyHash;
use aside_prompt_sections::{Lifetime, uncached_section};
use aside_transport::Replay;

use crate::agent_loop::fakes::{Does, Line, Lines, Seen, tool};
use crate::agent_loop::scripted::{World, calling, cassette, check, run, transcript, turn};
use crate::agent_loop::strict::StrictClient;

#[test]
fn a_response_without_calls_ends_the_turn() {
    check(&[r#"{"content":"Hello."}"#], &Outcome::Done, &["user: Go", "assistant: Hello."]);
}

#[test]
fn every_stop_reason_has_an_outcome() {
    check(
        &[r#"{"content":"Once upon","stop_reason":"max_tokens"}"#],
        &Outcome::MaxTokens,
        &["user: Go", "assistant: Once upon"],
    );
    check(
        &[r#"{"content":"I'd rather not.","stop_reason":"refusal"}"#],
        &Outcome::Refused,
        &["user: Go", "assistant: I'd rather not."],
    );
    check(
        &[r#"{"content":[],"stop_reason":"refusal"}"#],
        &Outcome::Refused,
        &["user: Go", "Aborted"],
    );
    check(
        &[r#"{"content":"a","stop_reason":"stop_sequence"}"#],
        &Outcome::Done,
        &["user: Go", "assistant: a"],
    );
    check(
        &[r#"{"content":"a","stop_reason":"model_context_window_exceeded"}"#],
        &Outcome::ContextFull(None),
        &["user: Go", "assistant: a"],
    );
    check(
        &[r#"{"content":"a","stop_reason":"moonrise"}"#],
        &Outcome::Stopped("moonrise".into()),
        &["user: Go", "assistant: a"],
    );
    check(&[r#"{"content":[]}"#], &Outcome::Done, &["user: Go", "Aborted"]);
    check(
        &[
            r#"{"error":{"status":400,"type":"invalid_request_error","message":"prompt is too long: 3 > 2"}}"#,
        ],
        &Outcome::ContextFull(Some("invalid_request_error: prompt is too long: 3 > 2".into())),
        &["user: Go"],
    );
}

#[test]
fn calls_of_a_truncated_response_are_not_run() {
    let call = r#"{"content":[{"type":"tool_use","id":"a","name":"Fast","input":{}}],"stop_reason":"max_tokens"}"#;
    let not_run =
        "user: #a ! The call was not run: the answer that it is in did not come to its end.";
    check(&[call], &Outcome::MaxTokens, &["user: Go", "assistant: Fast#a", not_run, "Aborted"]);
}

#[test]
fn a_paused_response_is_sent_again_unchanged() {
    let search =
        r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}"#;
    let found = r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}"#;
    let paused = format!(r#"{{"content":[{search}],"stop_reason":"pause_turn"}}"#);
    let rest = format!(
        r#"{{"expect":{{"messages":2}},"content":[{found},{{"type":"text","text":"Found."}}]}}"#
    );
    let client = check(
        &[&paused, &rest],
        &Outcome::Done,
        &["user: Go", "assistant: server_tool_use", "assistant: web_search_tool_result + Found."],
    );
    let sent = client.sent();
    let end = format!(r#"{{"role":"assistant","content":[{search}]}}]}}"#);
    assert!(sent[1].ends_with(&end), "{}", sent[1]);
}

#[test]
fn every_form_of_a_paused_response_is_continued() {
    let call = r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}"#;
    let result = r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}"#;
    let text = r#"{"type":"text","text":"So far."}"#;
    let own = r#"{"type":"tool_use","id":"a","name":"Fast","input":{}}"#;
    let continued = |blocks: &[&str], rest: &[&str], expected: &[&str]| {
        let (blocks, rest) = (blocks.join(","), rest.join(","));
        let paused = format!(r#"{{"content":[{blocks}],"stop_reason":"pause_turn"}}"#);
        let rest = format!(r#"{{"content":[{rest}]}}"#);
        check(&[&paused, &rest], &Outcome::Done, expected);
    };
    let (go, so_far, go_on) = ("user: Go", "assistant: So far.", "user: Continue with the task.");
    continued(&[text], &[text], &[go, so_far, go_on, so_far]);
    let searched = "assistant: server_tool_use + web_search_tool_result + So far.";
    continued(&[call, result, text], &[text], &[go, searched, go_on, so_far]);
    let called = "assistant: So far. + server_tool_use";
    let found = "assistant: web_search_tool_result + So far.";
    continued(&[text, call], &[result, text], &[go, called, found]);
    let called = "assistant: So far. + Fast#a";
    continued(&[text, own], &[text], &[go, called, "user: #a = Fast {}", so_far]);
    // An empty one is the end, or it could be paid for without end.
    let empty = r#"{"content":[],"stop_reason":"pause_turn"}"#;
    check(&[empty], &Outcome::Done, &[go, "Aborted"]);
}

#[test]
fn a_response_that_ends_the_turn_after_a_server_tool_is_not_sent_again() {
    let search = r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}"#;
    let found = r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}"#;
    let ended = format!(r#"{{"content":[{search},{found}],"stop_reason":"end_turn"}}"#);
    let both = "assistant: server_tool_use + web_search_tool_result";
    check(&[&ended], &Outcome::Done, &["user: Go", both, "Aborted"]);
    let paused = format!(r#"{{"content":[{search}],"stop_reason":"pause_turn"}}"#);
    let empty = r#"{"content":[]}"#;
    let first = "assistant: server_tool_use";
    check(&[&paused, empty], &Outcome::Done, &["user: Go", first, "Aborted"]);
}

#[test]
fn the_prompt_is_constant_while_a_response_is_paused() {
    let computed = AtomicUsize::new(0);
    let count = move || {
        let text = format!("Computed: {}.", computed.fetch_add(1, Ordering::Relaxed));
        async { Ok(Some(text)) }
    };
    let section = uncached_section("count", Lifetime::Project, count, "it counts");
    let world = World { sections: vec![section], ..World::default() };
    let search = r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}"#;
    let paused = format!(r#"{{"content":[{search}],"stop_reason":"pause_turn"}}"#);
    let found = r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}"#;
    let rest = format!(r#"{{"content":[{found},{{"type":"text","text":"Found."}}]}}"#);
    let client = StrictClient::new(cassette(&[&paused, &rest]));
    let mut agent = world.start(&client);
    // A section is computed within a time limit, which needs a clock.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    agent.push(EntryDraft::human("Go")).unwrap();
    runtime.block_on(agent.run()).unwrap();
    // Once when the session opened, and once for the response.
    let sent = client.sent();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|body| body.contains("Computed: 1.")));
}

#[test]
fn useful_parts_of_a_broken_stream_are_kept() {
    let broken = |content: &str, expected: &[&str]| {
        let answer = format!(r#"{{"content":{content},"breaks_off":true}}"#);
        let client = StrictClient::new(cassette(&[&answer, r#"{"content":"On."}"#]));
        let mut agent = World::default().start(&client);
        agent.push(EntryDraft::human("Go")).unwrap();
        let Err(LoopError::Client(error)) = run(&mut agent) else {
            unreachable!("the stream broke off");
        };
        assert_eq!(error.kind(), ClientErrorKind::BrokenStream);
        assert_eq!(transcript(agent.conversation()), expected);
        assert_eq!(turn(&mut agent, "And on"), Outcome::Done);
    };
    broken("[]", &["user: Go", "Aborted"]);
    broken(r#""It is""#, &["user: Go", "assistant: It is", "Aborted"]);
    broken(r#"[{"type":"thinking","thinking":"hm","signature":"s"}]"#, &["user: Go", "Aborted"]);
    let call = r#"{"type":"tool_use","id":"a","name":"Fast","input":{}}"#;
    broken(&format!("[{call}]"), &["user: Go", "Aborted"]);
    broken(
        &format!(r#"[{call},{{"type":"text","text":"and"}}]"#),
        &[
            "user: Go",
            "assistant: Fast#a + and",
            "user: #a ! The call was not run: the answer that it is in did not come to its end.",
            "Aborted",
        ],
    );
    let search = r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}"#;
    broken(
        &format!(r#"[{{"type":"text","text":"I search"}},{search},{{"type":"text","text":"x"}}]"#),
        &["user: Go", "assistant: I search + x", "Aborted"],
    );
}

#[test]
fn a_request_that_failed_can_be_sent_again() {
    let overloaded = r#"{"error":{"status":529,"type":"overloaded_error","message":"Overloaded"}}"#;
    let client = StrictClient::new(cassette(&[overloaded, r#"{"content":"Hello."}"#]));
    let mut agent = World::default().start(&client);
    agent.push(EntryDraft::human("Go")).unwrap();
    let error = run(&mut agent).unwrap_err();
    assert_eq!(error.to_string(), "overloaded_error: Overloaded (status 529)");
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Done);
    // The failed request's reminders were restored.
    assert!(client.sent()[0].contains("EPHEMERAL"));
    assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Idle);
}

#[test]
fn limits_end_a_run_that_can_continue() {
    let answers = [
        calling(&[("a", "Fast")])
            .replace("\"content\"", r#""usage":{"input_tokens":70,"output_tokens":30},"content""#),
        r#"{"content":"Done."}"#.to_owned(),
    ];
    let answers = [answers[0].as_str(), answers[1].as_str()];
    for (limits, limit) in [
        (RunLimits { turns: Some(1), ..RunLimits::default() }, Limit::Turns),
        (RunLimits { tokens: Some(100), ..RunLimits::default() }, Limit::Tokens),
    ] {
        let client = StrictClient::new(cassette(&answers));
        let mut agent = World::default().start(&client).with_limits(limits);
        agent.push(EntryDraft::human("Go")).unwrap();
        let report = run(&mut agent).unwrap();
        assert_eq!(report.outcome, Outcome::Limit(limit));
        assert_eq!((report.spent.requests, report.spent.usage.output), (1, 30));
        assert_eq!(run(&mut agent).unwrap().outcome, Outcome::Done);
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_cancels() {
    let world = World { tools: vec![tool("Hang", Does::Hang)], ..World::default() };
    let client = StrictClient::new(cassette(&[&calling(&[("a", "Hang")])]));
    let session = std::thread::scope(|scope| scope.spawn(|| world.session()).join().unwrap());
    let conversation = session.begin(uuid::Uuid::nil());
    let limits =
        RunLimits { time: Some(std::time::Duration::from_secs(3)), ..RunLimits::default() };
    let mut agent = world.continue_with_client(session, conversation, &client).with_limits(limits);
    agent.push(EntryDraft::human("Go")).unwrap();
    let report = agent.run().await.unwrap();
    assert_eq!(report.outcome, Outcome::Limit(Limit::Time));
    assert_eq!(
        transcript(agent.conversation())[2..],
        [
            "user: #a ! The call was interrupted, and its result is lost. It may have taken \
             effect: check before you repeat it.",
            "Aborted"
        ]
    );
}

#[test]
fn a_loop_that_is_cancelled_before_it_runs_does_not_run() {
    let client = StrictClient::new(cassette(&[r#"{"content":"On."}"#]));
    let mut agent = World::default().start(&client);
    let cancel: CancelHandle = agent.cancel_handle();
    cancel.cancel();
    assert_eq!(turn(&mut agent, "Go"), Outcome::Cancelled);
    assert_eq!(transcript(agent.conversation()), ["user: Go", "Aborted"]);
    assert_eq!(turn(&mut agent, "Go on"), Outcome::Done);
}

#[test]
fn the_journal_has_all_records_in_order() {
    let answers = [calling(&[("a", "Change"), ("b", "Fast")]), r#"{"content":"Done."}"#.to_owned()];
    let client = StrictClient::new(cassette(&[&answers[0], &answers[1]]));
    let lines = Lines::default();
    let mut world = World::default();
    world.tools.push(tool("Change", Does::Use(5)));
    let mut agent = world.start(&client).with_journal(lines.clone(), 0);
    assert_eq!(turn(&mut agent, "Go"), Outcome::Done);

    let lines = lines.all();
    let entries: Vec<_> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Entry(entry) => Some((**entry).clone()),
            Line::Sent { .. } | Line::Note => None,
        })
        .collect();
    assert_eq!(entries, agent.conversation().entries());
    let sent: Vec<_> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Sent { turn, body } => Some((*turn, *body)),
            Line::Entry(_) | Line::Note => None,
        })
        .collect();
    let hashes = client.sent().into_iter().map(|body| BodyHash::of(body.as_bytes()));
    let expected: Vec<_> = (0..).zip(hashes).collect();
    assert_eq!(sent, expected);
    // A request, its persistent reminder and its turn-scoped one, the response,
    // the note on the call that changes something, the results, the next request, the next
    // response.
    let kinds: String = lines
        .iter()
        .map(|line| match line {
            Line::Entry(_) => 'e',
            Line::Sent { .. } => 's',
            Line::Note => 'n',
        })
        .collect();
    assert!(kinds.ends_with("seeeneese"), "{kinds}");
}

#[test]
fn a_journal_error_ends_the_loop() {
    for room in 0..12 {
        let client =
            StrictClient::new(cassette(&[&calling(&[("a", "Fast")]), r#"{"content":"Done."}"#]));
        let mut agent = World::default().start(&client).with_journal(Lines::with_room(room), 0);
        let pushed = agent.push(EntryDraft::human("Go"));
        let ended = pushed.and_then(|()| run(&mut agent).map(|_| ()));
        match ended {
            Ok(()) => assert!(room >= 9, "{room}"),
            Err(LoopError::Journal(error)) => assert_eq!(error.to_string(), "no space left"),
            Err(error) => unreachable!("{error}"),
        }
    }
}

#[test]
fn an_observer_receives_every_event() {
    let client = StrictClient::new(cassette(&[
        &calling(&[("a", "Slow"), ("b", "Fail")]),
        r#"{"content":"Done."}"#,
    ]));
    let seen = Seen::default();
    let mut agent = World::default().start(&client).with_observer(seen.clone());
    assert_eq!(turn(&mut agent, "Go"), Outcome::Done);
    assert_eq!(
        seen.all(),
        ["sending", "called a", "called b", "failed b", "returned a", "sending"]
    );
}

#[test]
fn the_default_recording_answers_any_request() {
    let client = StrictClient::new(Replay::default());
    let mut agent = World::default().start(&client);
    for _ in 0..3 {
        assert_eq!(turn(&mut agent, "hello"), Outcome::Done);
    }
}
