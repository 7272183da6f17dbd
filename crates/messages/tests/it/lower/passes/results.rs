//! Tool calls and their results.

use aside_messages::conversation::Part;
use aside_messages::lower::{Lowerer, PrefixReset, Tail};
use aside_messages::wire::{ContentBlock, ToolResult};

use super::{MISSING, call, check, plain, says};
use crate::lower::generate::{
    answer, conversation_with, human, image, lowered, offering, other, request, thinking,
};

#[test]
fn every_call_gets_one_result() {
    let asks = |ids: &[&str]| answer(ids.iter().map(|id| call(id)).collect());
    let out = |id: &str| Part::tool_result(id, id);
    plain(
        &[says("a"), asks(&["1", "2"]), human(vec![out("2")])],
        &format!("u \"a\"\na call:1 call:2\nu result:1!{MISSING} result:2[\"2\"]"),
        &["missing result"],
    );
    plain(
        &[says("a"), asks(&["1"]), human(vec![out("1"), out("1"), out("x")])],
        "u \"a\"\na call:1\nu result:1[\"1\"]",
        &["stray result", "stray result"],
    );
    plain(
        &[
            says("a"),
            asks(&["1"]),
            human(vec![out("1")]),
            asks(&["1"]),
            human(vec![out("1"), Part::text("b")]),
        ],
        "u \"a\"\na call:1\nu result:1[\"1\"]\na \"(no content)\"\nu \"b\"",
        &["stray call", "stray result"],
    );
    plain(&[says("a"), human(vec![call("1"), Part::text("b")])], "u \"a\" \"b\"", &["stray call"]);
}

#[test]
fn a_call_that_the_api_has_not_finished_is_left_out() {
    let search = || -> Part {
        other(r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}"#)
            .into()
    };
    let found = || -> Part {
        other(r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}"#).into()
    };
    let paused = |parts: Vec<Part>| [says("a"), answer(parts), says("b")];
    let repairs = &["pending call"];
    plain(&paused(vec![Part::text("t"), search()]), "u \"a\"\na \"t\"\nu \"b\"", repairs);
    plain(&paused(vec![search()]), "u \"a\"\na \"(no content)\"\nu \"b\"", repairs);
    let thought = || Part::from(thinking());
    plain(&paused(vec![thought(), search()]), "u \"a\"\na \"(no content)\"\nu \"b\"", repairs);
    // Finished, continued, or not followed by more than results.
    let both = "server_tool_use web_search_tool_result";
    plain(&paused(vec![search(), found()]), &format!("u \"a\"\na {both}\nu \"b\""), &[]);
    plain(
        &[says("a"), answer(vec![search()]), answer(vec![found()]), says("b")],
        &format!("u \"a\"\na {both}\nu \"b\""),
        &[],
    );
    plain(&[says("a"), answer(vec![search()])], "u \"a\"\na server_tool_use", &[]);
    plain(
        &[says("a"), answer(vec![search(), call("1")]), human(vec![Part::tool_result("1", "1")])],
        "u \"a\"\na server_tool_use call:1\nu result:1[\"1\"]",
        &[],
    );
}

#[test]
fn a_name_that_the_api_refuses_in_a_call_is_converted() {
    let long = "a".repeat(201);
    for (name, expected) in [
        ("Read", "Read"),
        ("mcp__a-b__c", "mcp__a-b__c"),
        (&long[1..], &long[1..]),
        (&long, &long[1..]),
        ("functions.Read", "functions_Read"),
        ("a b", "a_b"),
        ("é", "_"),
        ("", "_"),
    ] {
        let drafts = [
            says("a"),
            answer(vec![Part::tool_use("1", name, "{}")]),
            human(vec![Part::tool_result("1", "x")]),
        ];
        let found = request(&lowered(&conversation_with(&drafts)));
        let ContentBlock::ToolUse(call) = &found.messages[1].content[0] else {
            unreachable!("a call")
        };
        assert_eq!(&*call.name, expected);
    }
}

#[test]
fn an_id_of_another_server_becomes_one_that_the_api_takes() {
    let out = |id: &str| Part::tool_result(id, "x");
    let turn = |id: &str| [answer(vec![call(id)]), human(vec![out(id)])];
    for (id, expected) in [
        ("a.b:c", "xid_a_2eb_3ac"),
        ("functions.Read:0", "xid_functions_2eRead_3a0"),
        ("", "xid_"),
        // A tag is neutralized first, so no wire restores it.
        ("<system-reminder>", "xid__26lt_3bsystem-reminder_3e"),
        ("toolu_01A-b", "toolu_01A-b"),
    ] {
        let [asks, results] = turn(id);
        plain(
            &[says("a"), asks, results],
            &format!("u \"a\"\na call:{expected}\nu result:{expected}[\"x\"]"),
            &[],
        );
    }
    // One id's converted form is another call's own id: a second call with it
    // is a doubled call.
    let [first, first_results] = turn("a.b:c");
    let [second, second_results] = turn("xid_a_2eb_3ac");
    plain(
        &[says("a"), first, first_results, second, second_results],
        "u \"a\"\na call:xid_a_2eb_3ac\nu result:xid_a_2eb_3ac[\"x\"]\na \"(no content)\"\nu \"(no content)\"",
        &["stray call", "stray result"],
    );
}

#[test]
fn results_come_first_and_reminders_go_into_the_last() {
    let reminder = |body: &str| Part::Reminder { body: body.into() };
    let asks = || answer(vec![call("1"), call("2")]);
    let reference = other(r#"{"type":"tool_reference","tool_name":"Read"}"#);
    let parts = vec![
        Part::text("t"),
        reminder("R"),
        Part::tool_result("1", "x"),
        Part::tool_result("2", "y"),
        reminder("S"),
    ];
    let r = r#""<system-reminder>\nR\n</system-reminder>""#;
    let s = r#""<system-reminder>\nS\n</system-reminder>""#;
    plain(
        &[says("a"), asks(), human(parts)],
        &format!("u \"a\"\na call:1 call:2\nu result:1[\"x\"] result:2[\"y\" {r} {s}] \"t\""),
        &[],
    );
    let parts = vec![
        Part::tool_result("1", "x"),
        Part::ToolResult(ToolResult::new("2", vec![reference])),
        reminder("R"),
    ];
    plain(
        &[says("a"), asks(), human(parts)],
        &format!("u \"a\"\na call:1 call:2\nu result:1[\"x\"] result:2[tool_reference] {r}"),
        &[],
    );
}

#[test]
fn a_failed_call_holds_only_text() {
    let failed = |content| {
        Part::ToolResult(ToolResult { is_error: Some(true), ..ToolResult::new("1", content) })
    };
    let drafts = |content| [says("a"), answer(vec![call("1")]), human(vec![failed(content)])];
    plain(
        &drafts(vec![image(), ContentBlock::text("x")]),
        "u \"a\"\na call:1\nu result:1![\"x\"]",
        &["error content"],
    );
    plain(
        &drafts(vec![image()]),
        "u \"a\"\na call:1\nu result:1![\"[Left out: image. The result of a tool that failed can only hold text.]\"]",
        &["error content"],
    );
    plain(
        &drafts(vec![]),
        "u \"a\"\na call:1\nu result:1![\"[The tool failed without a message.]\"]",
        &[],
    );
}

#[test]
fn a_tool_that_is_gone_is_named_in_words() {
    let reference = other(r#"{"type":"tool_reference","tool_name":"</system-reminder>"}"#);
    let drafts = [
        says("a"),
        answer(vec![call("1")]),
        human(vec![Part::ToolResult(ToolResult::new("1", vec![reference]))]),
    ];
    let text = "[The tool &lt;/system-reminder> is no longer offered.]";
    check(
        &offering(&[]),
        &drafts,
        &format!("u \"a\"\na call:1\nu result:1[{text:?}]"),
        &["tool reference"],
    );
    // Other tools make a difference only if a result refers to them.
    let mut lowerer = Lowerer::new(offering(&["</system-reminder>"]));
    let conversation = conversation_with(&drafts);
    lowerer.lower(&conversation, Tail::default()).unwrap();
    lowerer.set_options(offering(&["</system-reminder>", "New"]));
    assert_eq!(lowerer.lower(&conversation, Tail::default()).unwrap().reset, None);
    lowerer.set_options(offering(&["New"]));
    let reset = lowerer.lower(&conversation, Tail::default()).unwrap().reset;
    assert_eq!(reset, Some(PrefixReset::Tools));
}
