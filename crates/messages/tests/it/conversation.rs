//! Conversations on disk, from outside.

use aside_messages::Layer;
use aside_messages::conversation::{
    Boundary, ChangeStart, Conversation, Delivery, Entry, EntryDraft, EphemeralForm, LineErrorKind,
    Origin, Part, PrefixChange, PrefixReset, ToolForm, Visibility, Voice,
};
use aside_messages::wire::{ContentBlock, Message, Other, RawJson, Role, ToolChange};
use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

const ID: Uuid = Uuid::from_u128(7);

fn block(json: &str) -> ContentBlock {
    let json = format!(r#"{{"role":"user","content":[{json}]}}"#);
    let message = Message::parse(json.as_bytes()).unwrap().value;
    message.content.into_iter().next().unwrap()
}

#[track_caller]
fn check(draft: EntryDraft, expected: &str) {
    let mut conversation = Conversation::new(ID);
    conversation.push(draft);
    let id = conversation.entry_id(0);
    let line = conversation.to_json_lines();
    assert_eq!(line, format!("{{\"id\":\"{id}\",{expected}}}\n"));
    let read = Conversation::from_json_lines(ID, &line).unwrap();
    assert_eq!(read.value, conversation);
    assert_eq!(read.diagnostics, []);
}

#[test]
fn a_record_of_the_harness_is_one_line() {
    let origin = || Origin::Reminder { id: "r".into() };
    check(
        EntryDraft::system(origin(), "S"),
        r#""kind":"message","role":"system","visibility":"meta","origin":{"type":"reminder","id":"r"},"parts":[{"type":"text","text":"S"}]"#,
    );
    check(
        EntryDraft::reminder(origin(), "T").into_turn_scoped(),
        r#""kind":"message","role":"system","clear_at":"next_user_message","visibility":"meta","origin":{"type":"reminder","id":"r"},"parts":[{"type":"text","text":"T"}]"#,
    );
    check(
        EntryDraft::tool_change(vec![
            ToolChange::Added("A".into()),
            ToolChange::Removed("B".into()),
        ]),
        r#""kind":"tool_change","changes":[{"added":"A"},{"removed":"B"}],"visibility":"shown","origin":{"type":"human"}"#,
    );
    check(
        EntryDraft::delivery(Delivery {
            model: "m".into(),
            platform: "first-party".into(),
            bound: true,
            ephemeral: EphemeralForm::TurnScoped,
            voice: Voice::System,
            tools: ToolForm::Appended,
        }),
        r#""kind":"delivery","delivery":{"model":"m","platform":"first-party","bound":true,"ephemeral":"turn_scoped","voice":"system","tools":"appended"},"visibility":"shown","origin":{"type":"human"}"#,
    );
    for reason in PrefixReset::ALL {
        assert_eq!(PrefixReset::from_name(reason.as_str()), reason);
        check(
            EntryDraft::prefix_change(PrefixChange::from_start(reason)),
            &format!(
                r#""kind":"prefix_change","reason":"{}","from":"start","lost_thinking":0,"visibility":"shown","origin":{{"type":"human"}}"#,
                reason.as_str()
            ),
        );
    }
    let id = Conversation::new(ID).entry_id(3);
    check(
        EntryDraft::prefix_change(PrefixChange {
            from: ChangeStart::Entry(id),
            replaced_media: Some(3),
            lost_thinking: 2,
            ..PrefixChange::from_start(PrefixReset::MediaLimit)
        }),
        &format!(
            r#""kind":"prefix_change","reason":"media_limit","from":"{id}","replaced_media":3,"lost_thinking":2,"visibility":"shown","origin":{{"type":"human"}}"#
        ),
    );
    let block = RawJson::parse(r#"{"type":"compaction","signature":"s"}"#).unwrap();
    check(
        EntryDraft::boundary(Boundary::CompactBlock { block: Other::new(block).unwrap() }),
        r#""kind":"compact","block":{"type":"compaction","signature":"s"},"visibility":"shown","origin":{"type":"human"}"#,
    );
}

#[test]
fn an_entry_is_a_line() {
    check(
        EntryDraft::human("a\nb").with_display("a"),
        r#""kind":"message","role":"user","visibility":"shown","origin":{"type":"human"},"parts":[{"type":"text","text":"a\nb"}],"display":"a""#,
    );
    check(
        EntryDraft::reminder(Origin::Context { layer: Layer::Project }, "R"),
        r#""kind":"message","role":"user","visibility":"meta","origin":{"type":"context","layer":"project"},"parts":[{"reminder":"R"}]"#,
    );
    check(
        EntryDraft::boundary(Boundary::Compact { summary: "s".into() }),
        r#""kind":"compact","summary":"s","visibility":"shown","origin":{"type":"human"}"#,
    );
    check(
        EntryDraft::snip(vec![Conversation::new(ID).entry_id(3)]),
        &format!(
            r#""kind":"snip","ids":["{}"],"visibility":"shown","origin":{{"type":"human"}}"#,
            Conversation::new(ID).entry_id(3)
        ),
    );
    let model = || Origin::Model { provider: "p".into(), name: "m".into() };
    let call = |input: &str| {
        EntryDraft::message(Role::Assistant, model(), vec![Part::tool_use("1", "Read", input)])
    };
    let head = r#""kind":"message","role":"assistant","visibility":"shown","origin":{"type":"model","provider":"p","name":"m"},"parts":[{"type":"tool_use","id":"1","name":"Read","input":"#;
    check(call(r#"{ "a":1.0 }"#), &format!(r#"{head}{{ "a":1.0 }}}}]"#));
    // An input that is not an object, or not on one line, is a string.
    check(call("{\"a\":"), &format!(r#"{head}"{{\"a\":"}}]"#));
    check(call("\"x\""), &format!(r#"{head}"\"x\""}}]"#));
    check(call("{\n}"), &format!(r#"{head}"{{\n}}"}}]"#));
    check(call(" {} "), &format!(r#"{head}" {{}} "}}]"#));
    // So is one that a reader would repair.
    check(call(r#"{"a":"\ud83d"}"#), &format!(r#"{head}"{{\"a\":\"\\ud83d\"}}"}}]"#));
    check(call(r#"{"a":1,"a":2}"#), &format!(r#"{head}"{{\"a\":1,\"a\":2}}"}}]"#));
    check(call(r#"{"\ud800":1}"#), &format!(r#"{head}"{{\"\\ud800\":1}}"}}]"#));
}

#[test]
fn raw_json_with_newlines_survives() {
    let other = block("{\"type\":\"x\",\n \"a\":\r\n1}");
    let draft = EntryDraft::message(Role::User, Origin::Coordinator, vec![other.into()]);
    check(
        draft,
        r#""kind":"message","role":"user","visibility":"shown","origin":{"type":"coordinator"},"parts":["{\"type\":\"x\",\n \"a\":\r\n1}"]"#,
    );
}

/// Members that a later version may write.
#[test]
fn unknown_members_are_kept() {
    let id = Uuid::from_u128(1);
    for line in [
        r#""kind":"message","role":"robot","visibility":"shown","origin":{"type":"human","from":"x"},"parts":[{"type":"text","text":"a","b":null},{"reminder":"R","since":2},{"type":"new","c":1}],"more":{"z":1,"a":2}"#,
        r#""kind":"branch","visibility":"meta","origin":{"type":"satellite","name":"s"},"to":"x""#,
    ] {
        let line = format!("{{\"id\":\"{id}\",{line}}}\n");
        let read = Conversation::from_json_lines(ID, &line).unwrap();
        assert_eq!(read.value.to_json_lines(), line);
    }
}

#[test]
fn unknown_values_that_are_not_sent_are_reported_with_their_line() {
    let check = |line: &str, expected: &[&str]| {
        let text = format!("{{\"kind\":\"clear\"}}\n\n{line}\n");
        let read = Conversation::from_json_lines(ID, &text).unwrap();
        let reported: Vec<String> = read.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(reported, expected, "{line}");
    };
    check(r#"{"kind":"mesage"}"#, &["line 3: kind: an unknown value, which is not sent"]);
    let system =
        |value: &str| format!(r#"{{"kind":"message","role":"system","clear_at":{value}}}"#);
    check(&system("\"never\""), &["line 3: clear_at: an unknown value, which is not sent"]);
    check(&system("\"next_user_message\""), &[]);
    check(&system("null"), &[]);
}

#[test]
fn optional_keys_can_be_omitted() {
    let text = "\n{\"kind\":\"message\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"a\"}]}\r\n\n";
    let read = Conversation::from_json_lines(ID, text).unwrap().value;
    let mut expected = Conversation::new(ID);
    expected.push(EntryDraft::human("a"));
    assert_eq!(read, expected);
}

#[test]
fn a_bad_line_is_named() {
    let good = r#"{"kind":"aborted"}"#;
    for (bad, message) in [
        ("{", "line 2: expected a key at line 1 column 2"),
        ("[]", "line 2: expected an object, found []"),
        (r#"{"kind":"message"}"#, "line 2: role: expected a role, found nothing"),
        (
            r#"{"kind":"message","role":"user","content":"Hi"}"#,
            r#"line 2: content: expected the blocks in `parts`, found "Hi""#,
        ),
        (r#"{"kind":7}"#, "line 2: kind: expected a string, found 7"),
        (
            r#"{"kind":"aborted","parts":[{"type":"text"}]}"#,
            "line 2: parts[0].text: expected a string, found nothing",
        ),
        (
            r#"{"kind":"aborted","parts":[7]}"#,
            "line 2: parts[0]: expected a part: a content block, a reminder, or a string with a block, found 7",
        ),
        (
            r#"{"kind":"aborted","visibility":"x"}"#,
            r#"line 2: visibility: expected "shown", "meta" or "display_only", found "x""#,
        ),
        (
            r#"{"kind":"clear","origin":{"type":"context","layer":{"project":null}}}"#,
            r#"line 2: origin.layer: expected "static", "project", "user", "session" or "conversation", found {"project":null}"#,
        ),
        (r#"{"kind":"snip","ids":["x"]}"#, r#"line 2: ids[0]: expected a UUID, found "x""#),
    ] {
        let text = format!("{good}\n{bad}\n");
        let error = Conversation::from_json_lines(ID, &text).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let line = r#"{"id":"00000000-0000-0000-0000-000000000001","kind":"aborted"}"#;
    let error = Conversation::from_json_lines(ID, &format!("{line}\n{line}")).unwrap_err();
    assert_eq!(error.line(), 2);
    assert!(matches!(error.kind(), LineErrorKind::SameId(_)));
}

fn part() -> impl Strategy<Value = Part> {
    let json = prop_oneof![
        Just("{\"type\":\"x\",\"a\": [1,\t2]}"),
        Just("{\"type\":\"x\"\n}"),
        Just(r#"{"type":"reminder","body":"b"}"#),
        Just(
            r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"},"z":1}"#
        ),
        Just(
            r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"},"title":"t"}"#
        ),
        Just(r#"{"type":"thinking","thinking":"t","signature":"s"}"#),
        Just(r#"{"type":"redacted_thinking","data":"d"}"#),
        Just(r#"{"type":"tool_result","tool_use_id":"1","content":"out","is_error":false}"#),
        Just(r#"{"type":"text","text":"t","cache_control":{"type":"ephemeral","ttl":"1h"}}"#),
    ];
    prop_oneof![
        any::<String>().prop_map(Part::text),
        any::<String>().prop_map(|body| Part::Reminder { body: body.into() }),
        any::<String>().prop_map(|input| Part::tool_use("1", "Read", input)),
        Just(Part::tool_use("1", "Read", "{\r\n\"a\":1}")),
        Just(Part::tool_use("1", "Read", r#"{"\ud800":1,"\ud801":{"a":1,"a":2}}"#)),
        json.prop_map(|json| block(json).into()),
    ]
}

fn origin() -> impl Strategy<Value = Origin> {
    let detail = RawJson::parse(r#"{"names":["a"]}"#).unwrap();
    prop_oneof![
        Just(Origin::Human),
        Just(Origin::TaskNotification),
        any::<String>().prop_map(|server| Origin::Channel { server }),
        any::<String>().prop_map(|name| Origin::Hook { name }),
        Just(Origin::Attachment { kind: "k".into(), detail: Some(detail) }),
        Just(Origin::Attachment { kind: "k".into(), detail: None }),
        any::<String>().prop_map(|id| Origin::Reminder { id }),
        Just(Origin::Context { layer: Layer::Session }),
    ]
}

proptest! {
    #[test]
    fn records_round_trip(
        entries in vec((origin(), vec(part(), 0..4), prop::option::of(any::<String>())), 0..6),
    ) {
        let mut conversation = Conversation::new(ID);
        for (origin, parts, display) in entries {
            conversation.push(EntryDraft {
                display: display.map(Into::into),
                ..EntryDraft::message(Role::User, origin, parts)
                    .with_visibility(Visibility::Meta)
            });
        }
        let lines = conversation.to_json_lines();
        prop_assert_eq!(lines.lines().count(), conversation.entries().len());
        let read = Conversation::from_json_lines(ID, &lines).unwrap();
        prop_assert_eq!(&read.value, &conversation);
        prop_assert_eq!(read.value.to_json_lines(), lines);
        let entries = read.value.entries().to_vec();
        prop_assert_eq!(Conversation::from_entries(ID, entries).unwrap(), conversation);
    }

    #[test]
    fn no_line_panics(text in "\\PC{0,40}|\\{\"kind\":\"(message|snip|compact|x)\"[^\n]{0,40}\\}") {
        let _ = Conversation::from_json_lines(ID, &text);
    }
}

#[test]
fn a_null_is_the_default_and_is_written_out_once() {
    let line = r#"{"id":null,"kind":"aborted","visibility":null,"origin":null,"display":null}"#;
    let read = Conversation::from_json_lines(ID, line).unwrap().value;
    let written = read.to_json_lines();
    let id = read.entry_id(0);
    assert_eq!(
        written,
        format!(
            "{{\"id\":\"{id}\",\"kind\":\"aborted\",\"visibility\":\"shown\",\"origin\":{{\"type\":\"human\"}},\"display\":null}}\n"
        )
    );
    let again = Conversation::from_json_lines(ID, &written).unwrap();
    assert_eq!(again.value, read);
}

#[test]
fn an_id_is_never_given_twice() {
    let mut typed = Conversation::new(ID);
    for text in ["a", "b", "c"] {
        typed.push(EntryDraft::human(text));
    }
    // A line was removed.
    let text = typed.to_json_lines();
    let left: Vec<&str> = text.lines().filter(|line| !line.contains("\"a\"")).collect();
    let mut read = Conversation::from_json_lines(ID, &left.join("\n")).unwrap().value;
    let mut other = Conversation::from_entries(ID, read.entries().to_vec()).unwrap();
    for conversation in [&mut read, &mut other] {
        let to_come = conversation.entry_id(2);
        conversation.push(EntryDraft::human("d"));
        conversation.push(EntryDraft::human("e"));
        assert_eq!(conversation.entries()[2].id, to_come);
        let again = Conversation::from_json_lines(ID, &conversation.to_json_lines()).unwrap();
        assert_eq!(again.value, *conversation);
        assert_eq!(again.value.entry_id(4), conversation.entry_id(4));
    }
}

#[test]
fn no_key_of_a_line_is_written_twice() {
    let line = r#"{"kind":"aborted","display":null,"origin":{"type":"attachment","kind":"k","detail":null},"parts":[{"reminder":"R","x":1,"x":2}]}"#;
    let mut entry = Entry::parse_line(line, &Conversation::new(ID)).unwrap().value;
    entry.display = Some("d".into());
    entry.origin =
        Origin::Attachment { kind: "k".into(), detail: Some(RawJson::parse("{}").unwrap()) };
    assert_eq!(
        entry.to_json_line(),
        format!(
            r#"{{"id":"{}","kind":"aborted","visibility":"shown","origin":{{"type":"attachment","kind":"k","detail":{{}}}},"parts":[{{"reminder":"R","x":2}}],"display":"d"}}"#,
            entry.id
        )
    );
}
