//! When reminders in a simulated session fire.

use aside_reminder::Schedule;

use crate::reminders::{run, world};

/// Simulates a session, and expects exit code 0 and nothing on stderr.
fn simulate(input: &str, expected: &str) {
    let world = world(&[("project/session.json", input)]);
    for file in ["session.json", "-"] {
        let (code, stdout, stderr) = run(world.path(), &["simulate", file], input);
        assert_eq!((code, stderr.as_str()), (0, ""));
        assert_eq!(stdout, format!("{expected}\n"));
    }
}

#[test]
fn a_simulated_session_fires_due_reminders() {
    simulate(
        r#"{
  "reminders": [
    {"id": "once", "content": "x", "schedule": {"kind": "oneshot", "max_fires": 5}, "priority": 5},
    {"id": "often", "content": "x", "schedule": {"kind": "turn", "turn_interval": 2}},
    {"id": "tests", "content": "x", "schedule": {"kind": "condition", "condition": "after_tool:Edit,Write"}, "priority": -1},
    {"id": "timer", "content": "x", "schedule": {"kind": "timer", "interval": "1m"}},
    {"id": "long", "content": "x", "schedule": {"kind": "condition", "condition": "messages_gt:80"}}
  ],
  "steps": [
    {"turn": 0, "elapsed_ms": 0},
    {"turn": 1, "last_tool_calls": ["Read", "Write"], "message_count": 81, "elapsed_ms": 59999},
    {"register": {"id": "late", "content": "x", "schedule": {"kind": "always"}}},
    {"remove": "often"},
    {"turn": 2, "elapsed_ms": 60000}
  ]
}"#,
        r#"{"fired":[["often","timer","once"],["tests","long"],["timer","long","late"]]}"#,
    );
    simulate(r#"{"reminders":[],"steps":[]}"#, r#"{"fired":[]}"#);
}

#[test]
fn calls_in_a_row_are_counted_over_the_steps() {
    let reminders = r#""reminders":[{"id":"r","content":"x","schedule":{"kind":"condition","condition":"repeated_tool:3"}}]"#;
    simulate(
        &format!(
            r#"{{{reminders},"steps":[
            {{"last_tool_calls":["Bash"]}},{{"last_tool_calls":["Bash"]}},{{"last_tool_calls":["Bash"]}},
            {{}},{{"last_tool_calls":["Bash"]}},{{"repeated":{{"tool":"Bash","times":3}}}}]}}"#
        ),
        r#"{"fired":[[],[],["r"],[],[],["r"]]}"#,
    );
    simulate(
        &format!(
            r#"{{{reminders},"steps":[
            {{"last_tool_calls":[{{"name":"Bash","input":{{"a":1}}}}]}},
            {{"last_tool_calls":[{{"name":"Bash","input":{{"a":2}}}}]}},
            {{"last_tool_calls":[{{"name":"Bash","input":{{"a":2}}}},{{"name":"Bash","input":{{"a":2}}}}]}}]}}"#
        ),
        r#"{"fired":[[],[],["r"]]}"#,
    );
}

#[test]
fn a_simulation_injects_into_messages() {
    simulate(
        r#"{"reminders":[{"id":"a","content":"A"},{"id":"b","content":"B"}],
            "messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"},
                        {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"z"}]}],
            "inject":["b","a"]}"#,
        r#"{"fired":[],"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant","content":[{"type":"text","text":"y"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"z\n<system-reminder>\nB\n</system-reminder>\n<system-reminder>\nA\n</system-reminder>"}]}]}"#,
    );
}

#[test]
fn an_invalid_simulation_is_reported() {
    let world = world(&[]);
    // The reader of a schedule lists the kinds.
    let unknown_kind = serde_json::from_str::<Schedule>(r#"{"kind":"often"}"#).unwrap_err();
    let unknown_kind = unknown_kind.to_string();
    let (unknown_kind, _) = unknown_kind.rsplit_once(" at line").unwrap();
    let unknown_kind = format!("-:1:64: reminders[0].schedule.kind: {unknown_kind}\n");
    for (input, expected) in [
        ("{", "failed to simulate -:1:1: EOF while parsing an object"),
        ("\n[]", "failed to simulate -:2:2: expected an object, found a list"),
        (
            r#"{"reminders":[["a","x"]]}"#,
            "-:1:15: reminders[0]: expected a mapping of names to values, found a list",
        ),
        (r#"{"reminders":[{"content":"x"}]}"#, "reminders[0]: expected an id"),
        (r#"{"reminders":[{"id":"a"}]}"#, "reminders[0]: \"a\": expected content"),
        (r#"{"reminders":[{"id":"a","content":"x","schedule":{"kind":"often"}}]}"#, &*unknown_kind),
        (
            r#"{"steps":[{"turns":1}]}"#,
            "-:1:18: steps[0]: unknown key `turns`: did you mean `turn`?",
        ),
        (
            r#"{"steps":[{"last_tool_calls":[1]}]}"#,
            "-:1:31: steps[0].last_tool_calls[0]: \
             expected the name of a tool, or an object with name and input, found 1",
        ),
        (r#"{"messages":[],"inject":["a"]}"#, "inject: there is no reminder \"a\""),
        (r#"{"messages":[]}"#, "found messages, expected inject with them"),
        (r#"{"messages":[{"role":5}],"inject":[]}"#, "messages[0].role"),
    ] {
        let (code, stdout, stderr) = run(world.path(), &["simulate", "-"], input);
        assert_eq!((code, stdout.as_str()), (1, ""), "{input}");
        assert!(stderr.contains(expected), "{input}: {stderr}");
    }
    let (code, _, stderr) = run(world.path(), &["simulate", "nowhere.json"], "");
    assert!(code == 2 && stderr.contains("failed to read nowhere.json"), "{stderr}");
    let never = r#"{"reminders":[{"id":"a","content":"x","schedule":{"kind":"condition","condition":"?"}}]}"#;
    let (code, stdout, stderr) = run(world.path(), &["simulate", "-"], never);
    assert_eq!((code, stdout.as_str()), (0, "{\"fired\":[]}\n"));
    assert!(stderr.contains("never fires"), "{stderr}");
}

#[test]
fn a_simulation_reports_unknown_keys_and_undelivered_reminders() {
    let world = world(&[]);
    let check = |input: &str, expected: &[&str]| {
        let (code, _, stderr) = run(world.path(), &["simulate", "-"], input);
        assert_eq!(code, 0, "{stderr}");
        let expected = expected.iter().map(|it| format!("aside: warning: {it}\n"));
        assert_eq!(stderr, expected.collect::<String>(), "{input}");
    };
    check(
        r#"{"reminders":[{"id":"a","content":"A","priorty":5},
                         {"id":"b","content":"B","schedule":{"kind":"turn","interva":2}}],
            "steps":[{},{"register":{"id":"c","content":"C","\u001b[31m":1}}]}"#,
        &[
            r#"-: reminders[0]: unknown key "priorty" is ignored"#,
            r#"-: reminders[1]: unknown key "interva" is ignored"#,
            r#"-: steps[1].register: unknown key "\u{1b}[31m" is ignored"#,
        ],
    );
    let inject = |messages: &str, expected: &[&str]| {
        let reminders = r#""reminders":[{"id":"a","content":"A"},{"id":"b","content":" "}]"#;
        check(&format!("{{{reminders},{messages}}}"), expected);
    };
    let nobody = "nothing was delivered: there is no message of the user";
    inject(r#""messages":[],"inject":["a"]"#, &[nobody]);
    let answer = r#""messages":[{"role":"assistant","content":"x"}],"inject":["a"]"#;
    inject(answer, &[nobody]);
    let blank = r#""messages":[{"role":"user","content":"x"}],"inject":["b"]"#;
    inject(blank, &["nothing was delivered: the text to inject is blank"]);
    inject(r#""messages":[{"role":"user","content":"x"}],"inject":[]"#, &[]);
}
