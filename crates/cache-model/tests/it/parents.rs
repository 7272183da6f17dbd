//! What continues what.

use std::time::Duration;

use aside_cache_model::{Body, ParentRule, ResponseParts, Timed, parent};

/// Returns user and model messages in turn.
pub(crate) fn by_turns(texts: &[&str]) -> String {
    let roles = ["user", "assistant"].into_iter().cycle();
    let messages: Vec<String> = texts
        .iter()
        .zip(roles)
        .map(|(text, role)| format!(r#"{{"role":"{role}","content":"{text}"}}"#))
        .collect();
    messages.join(",")
}

fn timed(at: u64, system: &str, messages: &[&str]) -> Timed {
    let json =
        format!(r#"{{"model":"m","system":"{system}","messages":[{}]}}"#, by_turns(messages));
    let request = Body::parse(json.as_bytes()).unwrap();
    Timed::new(request, Duration::from_secs(at))
}

#[track_caller]
fn check(log: &[Timed], expected: Option<(usize, ParentRule)>) {
    let found = parent(log, log.len() - 1);
    assert_eq!(found.map(|it| (it.index, it.rule)), expected);
}

#[test]
fn the_rules_are_tried_in_their_order() {
    use ParentRule::{AnswerText, CommonPrefix, PreviousId, Session};
    let one = timed(0, "s", &["a"]);
    let two = timed(1, "s", &["b"]);
    let next = timed(2, "s", &["a", "x", "c"]);
    check(&[one.clone(), two.clone(), next.clone()], Some((0, CommonPrefix)));

    // Another system prompt, and no tools to compare: a new session.
    let other = timed(2, "other", &["a", "x", "c"]);
    check(&[one.clone(), other.clone()], Some((0, CommonPrefix)));
    let session = |mut entry: Timed, name: &str| {
        entry.session = Some(name.to_owned());
        entry
    };
    let log = [session(one.clone(), "1"), session(two.clone(), "2"), session(other.clone(), "2")];
    check(&log, Some((1, Session)));

    let mut stated = next.clone();
    stated.previous = Some("two".to_owned());
    let mut named = two.clone();
    named.id = Some("two".to_owned());
    check(&[one.clone(), named, stated], Some((1, PreviousId)));

    let answered = |mut entry: Timed| {
        entry.answer = Some(ResponseParts::new(Vec::new(), Some("x".to_owned())));
        entry
    };
    // A whole conversation that is contained counts more than one text from
    // another.
    check(&[one.clone(), answered(two.clone()), next], Some((0, CommonPrefix)));
    let edited = timed(2, "s", &["another", "x", "c"]);
    check(&[one.clone(), answered(two), edited], Some((1, AnswerText)));
    check(&[one, timed(3, "s", &["z"])], None);
}

#[test]
fn a_retry_from_an_earlier_request_is_no_break() {
    let log =
        [timed(0, "s", &["a"]), timed(1, "s", &["a", "x", "b"]), timed(2, "s", &["a", "y", "c"])];
    check(&log, Some((0, ParentRule::CommonPrefix)));
    // The conversation goes on after a change in its middle.
    let log = [
        timed(0, "s", &["a"]),
        timed(1, "s", &["a", "x", "b"]),
        timed(2, "s", &["a", "X", "b", "y", "c"]),
    ];
    check(&log, Some((1, ParentRule::CommonPrefix)));
}

/// Each run of one prompt continues its own request, also if the users write the same next.
#[test]
fn runs_of_one_prompt_are_conversations_of_their_own() {
    let of = |run: usize, turns: usize| {
        let answers = [["A", "A2"], ["B", "B2"], ["C", "C2"]][run];
        [&["a"][..], &[answers[0], "go on"], &[answers[1], "and on"]][..=turns].concat()
    };
    let mut log = Vec::new();
    for turns in 0..3 {
        for run in 0..3 {
            log.push(timed(log.len() as u64, "s", &of(run, turns)));
        }
    }
    let parents: Vec<_> = (0..log.len()).map(|it| parent(&log, it).map(|it| it.index)).collect();
    // Without recorded responses the latest of equal requests is taken.
    let expected = [None, Some(0), Some(1), Some(2), Some(1), Some(0), Some(3), Some(4), Some(5)];
    assert_eq!(parents, expected);
    for (run, text) in ["A", "B", "C"].into_iter().enumerate() {
        log[run].answer = Some(ResponseParts::new(Vec::new(), Some(text.to_owned())));
    }
    let parents: Vec<_> = (3..6).map(|it| parent(&log, it)).collect();
    assert_eq!(parents.iter().flatten().map(|it| it.index).collect::<Vec<_>>(), [0, 1, 2]);
    // No run is left: the answer was edited.
    log.push(timed(9, "s", &["a", "D", "go on"]));
    check(&log, Some((8, ParentRule::CommonPrefix)));
}

/// A request on any wire at a time.
fn body(at: u64, json: &str) -> Timed {
    Timed::new(Body::parse(json.as_bytes()).unwrap(), Duration::from_secs(at))
}

/// On Chat Completions and Responses a message can be the system prompt: to
/// change it does not hide the conversation that follows.
#[test]
fn leading_system_messages_are_no_part_of_the_conversation() {
    let messages = |clock: &str, rest: &str| {
        format!(
            r#"[{{"role":"developer","content":"It is {clock}."}},{{"role":"user","content":"Hi"}}{rest}]"#
        )
    };
    let more = r#",{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
    for (key, wire) in [("messages", r#","n":1"#), ("input", "")] {
        let request = |at, clock, rest| {
            let list = messages(clock, rest);
            body(at, &format!(r#"{{"model":"gpt-5.5"{wire},"{key}":{list}}}"#))
        };
        let log = [request(0, "10:53", ""), request(1, "10:54", more)];
        check(&log, Some((0, ParentRule::CommonPrefix)));
        // Without a response, only a retry continues.
        check(&[request(0, "10:53", ""), request(1, "10:54", "")], None);
        check(
            &[request(0, "10:53", ""), request(1, "10:53", "")],
            Some((0, ParentRule::CommonPrefix)),
        );
    }
}

/// A request in a conversation with a user message and some turns.
fn turn(at: u64, tool: &str, system: &str, turns: usize) -> Timed {
    let more: String = (0..turns)
        .map(|turn| {
            format!(
                r#",{{"role":"assistant","content":"ok"}},{{"role":"user","content":"next {turn}"}}"#
            )
        })
        .collect();
    body(
        at,
        &format!(
            r#"{{"model":"m","system":"{system}","tools":[{{"name":"{tool}","input_schema":{{}}}}],
            "messages":[{{"role":"user","content":"Fix it"}}{more}]}}"#
        ),
    )
}

#[test]
fn interleaved_sessions_are_told_apart_by_their_tools() {
    let mut log = Vec::new();
    for turns in 0..4 {
        for session in 0..3 {
            let at = log.len() as u64;
            log.push(turn(at, &format!("tool{session}"), "s", turns));
            let expected = log.len().checked_sub(4).filter(|_| turns > 0);
            check(&log, expected.map(|it| (it, ParentRule::CommonPrefix)));
        }
    }
    // A tool that changes within one conversation stays its change.
    let log = [turn(0, "a", "s", 0), turn(1, "b", "s", 1)];
    check(&log, Some((0, ParentRule::CommonPrefix)));
    // Neither tools nor system prompt: another session, whatever the hints say.
    let mut log = [turn(0, "a", "s", 0), turn(1, "b", "other", 1)];
    check(&log, None);
    for entry in &mut log {
        entry.session = Some("one".to_owned());
    }
    check(&log, None);
}

/// A task that is run again with another first message continues its own run,
/// not the longer one whose later messages are equal.
#[test]
fn a_task_that_is_run_again_is_another_conversation() {
    let run = |at, first: &str, turns| {
        let mut json =
            String::from_utf8_lossy(turn(at, "a", "s", turns).request.as_bytes()).into_owned();
        json = json.replace("Fix it", first);
        body(at, &json)
    };
    let log =
        [run(0, "one", 0), run(1, "one", 1), run(2, "one", 2), run(3, "two", 0), run(4, "two", 1)];
    check(&log[..4], None);
    check(&log, Some((3, ParentRule::CommonPrefix)));
}

#[test]
fn a_text_that_several_conversations_hold_proves_nothing() {
    let answered = |mut entry: Timed| {
        entry.answer = Some(ResponseParts::new(Vec::new(), Some("ok".to_owned())));
        entry
    };
    let log =
        [answered(turn(0, "a", "s", 0)), answered(turn(1, "b", "s", 0)), turn(2, "a", "s", 1)];
    check(&log, Some((0, ParentRule::CommonPrefix)));
    let log = [answered(turn(0, "a", "s", 0)), turn(1, "b", "s", 0), turn(2, "c", "other", 1)];
    check(&log, Some((0, ParentRule::AnswerText)));
}

/// If the log states a session, its first conversation can be compacted; other
/// requests with new messages are subagents'.
#[test]
fn a_conversation_without_its_oldest_messages_is_the_same_one() {
    let texts = ["a", "x", "b", "y", "c", "z", "d"];
    let whole = || timed(0, "s", &texts[..5]);
    check(&[whole(), timed(1, "s", &texts[2..])], Some((0, ParentRule::AnswerText)));
    check(&[whole(), timed(1, "s", &texts[2..5]), timed(2, "s", &texts[4..])], None);
    // Another system prompt, a twin, and examples that many requests share.
    check(&[whole(), timed(1, "other", &texts[2..])], None);
    let twin = timed(0, "s", &["other", "w", "b", "y", "c"]);
    check(&[whole(), twin, timed(1, "s", &texts[2..])], None);
    check(&[whole(), timed(1, "s", &["b", "y", "another", "w", "d"])], None);
    // New messages before all others.
    let longer = ["memory", "m", "a", "x", "b", "y", "c", "z", "d"];
    check(&[whole(), timed(1, "s", &longer)], Some((0, ParentRule::AnswerText)));
    check(&[whole(), timed(1, "other", &longer)], None);
    check(&[timed(0, "s", &["a", "x", "another"]), timed(1, "s", &longer)], None);
    // An end that other conversations have as well.
    let other = ["task", "sure", "hm", "x", "b", "y", "z"];
    check(&[timed(0, "s", &["a", "x", "b"]), timed(1, "s", &other)], None);
    check(&[timed(0, "s", &["a", "x", "b"]), timed(1, "s", &["m", "n", "a", "x", "b"])], None);
}

/// To compare each end of a conversation with another would take minutes.
#[test]
fn equal_messages_are_compared_once() {
    let of = |at: u64, first: &str| {
        let equal = r#",{"role":"user","content":"x"}"#.repeat(20_000);
        body(
            at,
            &format!(
                r#"{{"model":"m","system":"s","messages":[{{"role":"user","content":"{first}"}}{equal}]}}"#
            ),
        )
    };
    check(&[of(0, "a"), of(1, "b"), of(2, "c")], None);
}

#[test]
fn a_compaction_is_told_from_a_subagent() {
    let in_session = |mut entry: Timed| {
        entry.session = Some("one".to_owned());
        entry
    };
    let renamed = |at, first: &str, turns| {
        let request = turn(at, "a", "s", turns).request;
        let json = String::from_utf8_lossy(request.as_bytes()).replace("Fix it", first);
        in_session(body(at, &json))
    };
    let main = [in_session(turn(0, "main", "m", 0)), in_session(turn(1, "main", "m", 1))];
    let summary = in_session(timed(2, "m", &["The summary."]));
    let json = String::from_utf8_lossy(summary.request.as_bytes()).replacen(
        '{',
        r#"{"tools":[{"name":"main","input_schema":{}}],"#,
        1,
    );
    let summary = in_session(body(2, &json));
    let [first, second] = main;
    check(&[first.clone(), second.clone(), summary], Some((1, ParentRule::Session)));
    let log = [
        first,
        second,
        renamed(2, "Task one", 0),
        renamed(3, "Task one", 1),
        renamed(4, "Task two", 0),
    ];
    check(&log, None);
}

/// Ids link on every wire, even after tools and system prompt changed.
#[test]
fn ids_of_calls_and_responses_link_on_every_wire() {
    let cases = [
        (
            r#"{"model":"gpt-5.5","n":1,"messages":[{"role":"system","content":"SYSTEM"},{"role":"user","content":"Hi"},
            {"role":"assistant","content":null,"tool_calls":[{"id":"call_7","type":"function","function":{"name":"TOOL","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"call_7","content":"ok"}],"tools":[{"type":"function","function":{"name":"TOOL"}}]}"#,
            "call_7",
        ),
        (
            r#"{"model":"gpt-5.5","instructions":"SYSTEM","input":[{"role":"user","content":"Hi"},
            {"type":"function_call","id":"fc_1","call_id":"call_7","name":"TOOL","arguments":"{}"},
            {"type":"function_call_output","call_id":"call_7","output":"ok"}],"tools":[{"type":"function","name":"TOOL"}]}"#,
            "call_7",
        ),
        (
            r#"{"systemInstruction":{"parts":[{"text":"SYSTEM"}]},"contents":[{"role":"user","parts":[{"text":"Hi"}]},
            {"role":"model","parts":[{"functionCall":{"id":"call_7","name":"TOOL","args":{}}}]},
            {"role":"user","parts":[{"functionResponse":{"id":"call_7","name":"TOOL","response":{}}}]}],
            "tools":[{"functionDeclarations":[{"name":"TOOL"}]}]}"#,
            "call_7",
        ),
        (
            r#"{"model":"m","system":"SYSTEM","messages":[{"role":"user","content":"Hi"},
            {"role":"assistant","content":[{"type":"tool_use","id":"call_7","name":"TOOL","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_7","content":"ok"}]}],"tools":[{"name":"TOOL"}]}"#,
            "call_7",
        ),
    ];
    for (json, id) in cases {
        let named = |at, name: &str| {
            let json = json.replace("SYSTEM", name).replace("TOOL", name);
            body(at, &json)
        };
        let mut first = named(0, "one");
        first.answer = Some(ResponseParts::new(vec![id.to_owned()], None));
        let log = [first, named(1, "two")];
        check(&log, Some((0, ParentRule::ToolUseId)));
    }
    let mut first = body(0, r#"{"model":"gpt-5.5","input":"Hi"}"#);
    first.id = Some("resp_1".to_owned());
    let next = r#"{"model":"gpt-5.5","input":"Go on","previous_response_id":"resp_1"}"#;
    check(&[first, body(1, next)], Some((0, ParentRule::PreviousId)));
}

/// A session is forked, and its head changed, after a response without calls.
#[test]
fn any_call_in_the_history_links_a_fork() {
    let request = |at, name: &str, call: &str, end: &str| {
        let json = format!(
            r#"{{"model":"m","system":"{name}","tools":[{{"name":"{name}"}}],"messages":[{{"role":"user","content":"Hi"}},
            {{"role":"assistant","content":[{{"type":"tool_use","id":"{call}","name":"Read","input":{{}}}}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{call}","content":"ok"}}]}}{end}]}}"#
        );
        body(at, &json)
    };
    let next = |answer: &str, user: &str| {
        format!(
            r#",{{"role":"assistant","content":"{answer}"}},{{"role":"user","content":"{user}"}}"#
        )
    };
    let answered = |mut entry: Timed| {
        entry.answer = Some(ResponseParts::new(Vec::new(), Some("Done.".to_owned())));
        entry
    };
    let first = answered(request(0, "a", "call_1", ""));
    let second = answered(request(1, "a", "call_1", &next("Done.", "More")));
    let fork = request(2, "b", "call_1", &next("Edited.", "Another"));
    check(&[first.clone(), second.clone(), fork.clone()], Some((0, ParentRule::ToolUseId)));
    // Of forks that share the call, the one with more in common, and with its own last call.
    let sibling = request(2, "c", "call_1", &next("Edited.", "Other"));
    let mut log =
        [first.clone(), second, sibling, request(3, "d", "call_1", &next("Edited.", "Other"))];
    check(&log, Some((2, ParentRule::ToolUseId)));
    log[3] = request(3, "d", "call_1", &next("Done.", "More"));
    check(&log, Some((1, ParentRule::ToolUseId)));
    // Under another name, the request has the whole conversation.
    let mut resumed = request(1, "b", "call_1", &next("Edited.", "More"));
    resumed.session = Some("two".to_owned());
    check(&[first.clone(), resumed], Some((0, ParentRule::ToolUseId)));
    // The same words, another call; the same call, other words.
    check(&[first.clone(), request(1, "b", "call_2", &next("Edited.", "More"))], None);
    let json = String::from_utf8_lossy(fork.request.as_bytes()).replace("Hi", "Ho");
    let json = json.replace(r#""ok""#, r#""no""#);
    check(&[first, body(1, &json)], None);
}

/// A key that a prefix shares, a user or a branch narrow down the candidates,
/// but decide nothing.
#[test]
fn hints_narrow_and_content_decides() {
    let request = |at, key: &str, first: &str, more: &str| {
        body(
            at,
            &format!(
                r#"{{"model":"gpt-5.5","prompt_cache_key":"{key}","input":[{{"role":"user","content":"{first}"}}{more}]}}"#
            ),
        )
    };
    let more = r#",{"role":"assistant","content":"ok"},{"role":"user","content":"Go on"}"#;
    let log =
        [request(0, "k1", "Hi", ""), request(1, "k2", "Hi", ""), request(2, "k1", "Hi", more)];
    check(&log[..2], None);
    check(&log, Some((0, ParentRule::CommonPrefix)));
    // The same key, another conversation.
    let log = [request(0, "k", "Hi", ""), request(1, "k", "Ho", more)];
    check(&log, None);
    // A client with another key in each request.
    let log = [request(0, "k1", "Hi", ""), request(1, "k2", "Hi", more)];
    check(&log, Some((0, ParentRule::CommonPrefix)));
    // One with another key for other tools.
    let with_tool = |at, key: &str, more: &str| {
        let request = request(at, key, "Hi", more).request;
        let json = String::from_utf8(request.as_bytes().to_vec()).unwrap();
        body(at, &json.replace(r#""input""#, r#""tools":[{"name":"a"}],"input""#))
    };
    let log = [request(0, "k1", "Hi", ""), with_tool(1, "k2", more)];
    check(&log, Some((0, ParentRule::CommonPrefix)));
    // For other tools and another system prompt, after the recorded response.
    let mut first = request(0, "k1", "Hi", "");
    let json = String::from_utf8(with_tool(1, "k2", more).request.as_bytes().to_vec()).unwrap();
    let next = body(1, &json.replace(r#""input""#, r#""instructions":"b","input""#));
    check(&[first.clone(), next.clone()], None);
    first.answer = Some(ResponseParts::new(Vec::new(), Some("ok".to_owned())));
    check(&[first, next], Some((0, ParentRule::AnswerText)));
    // Another answer than the recorded one.
    let mut other = request(0, "k1", "Hi", "");
    other.answer = Some(ResponseParts::new(Vec::new(), Some("no".to_owned())));
    check(&[other, with_tool(1, "k2", more)], None);
    // The same question to two agents.
    let asked = r#",{"role":"assistant","content":"ok"}"#;
    let log = [request(0, "k1", "Hi", asked), with_tool(1, "k2", asked)];
    check(&log, None);
    let asked = r#",{"role":"user","content":"And?"}"#;
    check(&[request(0, "k1", "Hi", ""), with_tool(1, "k2", asked)], None);
}

/// Memory does not grow with the number of sessions.
#[test]
fn sessions_that_were_not_continued_for_long_are_forgotten() {
    let in_session = |number: u64| {
        let mut entry = timed(number, "s", &["Hi"]);
        entry.session = Some(number.to_string());
        entry
    };
    let mut log: Vec<Timed> = (0..300).map(in_session).collect();
    log.push(in_session(299));
    check(&log, Some((299, ParentRule::CommonPrefix)));
    log.pop();
    log.push(in_session(0));
    check(&log, None);
}
