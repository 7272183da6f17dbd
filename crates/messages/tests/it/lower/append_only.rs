//! Groups of system messages, tool changes, and thinking that a prefix change
//! leaves out.

use aside_messages::Layer;
use aside_messages::conversation::{
    Boundary, ChangeStart, Conversation, Delivery, EntryDraft, EphemeralForm, Origin, Part,
    PrefixChange, PrefixReset, ToolForm, Voice,
};
use aside_messages::lower::{LowerOptions, Lowerer, ModelName, SystemForms, Tail, lower};
use aside_messages::wire::{ContentBlock, Other, RawJson, Role, ToolChange};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::lower::binding::Bindings;
use crate::lower::generate::{
    answer, block, body, conversation_with, human, image, lines, request,
};

fn says(text: &str) -> EntryDraft {
    EntryDraft::human(text)
}

fn persistent(text: &str) -> EntryDraft {
    EntryDraft::system(Origin::Reminder { id: text.into() }, text)
}

fn turn_scoped(text: &str) -> EntryDraft {
    persistent(text).into_turn_scoped()
}

fn tools(changes: &[ToolChange]) -> EntryDraft {
    EntryDraft::tool_change(changes.to_vec())
}

fn added(name: &str) -> ToolChange {
    ToolChange::Added(name.into())
}

fn thought(text: &str) -> Part {
    block(&format!(r#"{{"type":"thinking","thinking":"{text}","signature":"s"}}"#)).into()
}

fn x() -> EntryDraft {
    answer(vec![Part::text("x")])
}

/// Each message: its role's first letter, `*` if it is turn-scoped, and its
/// blocks.
#[track_caller]
fn check_with(options: &LowerOptions, drafts: &[EntryDraft], expected: &str) {
    let lowered = lower(&conversation_with(drafts), Tail::default(), options).unwrap();
    let messages = request(&lowered).messages;
    let short = messages.iter().map(|message| {
        let blocks: Vec<String> = message
            .content
            .iter()
            .map(|block| match block {
                ContentBlock::Text(text) => {
                    text.text.replace("system-reminder", "r").replace('\n', "")
                }
                ContentBlock::Thinking(thinking) => format!("({})", thinking.thinking),
                other => match other.tool_change() {
                    Some(ToolChange::Added(name)) => format!("+{name}"),
                    Some(ToolChange::Removed(name)) => format!("-{name}"),
                    None => other.kind().to_owned(),
                },
            })
            .collect();
        let star = message.clear_at.as_ref().map_or("", |_| "*");
        format!("{}{star}:{}", &message.role.as_str()[..1], blocks.join(","))
    });
    assert_eq!(short.collect::<Vec<_>>().join(" "), expected);
}

#[track_caller]
fn check(drafts: &[EntryDraft], expected: &str) {
    check_with(&LowerOptions::default(), drafts, expected);
}

#[test]
fn a_group_is_ordered_by_how_long_it_stays() {
    let removed = ToolChange::Removed("B".into());
    check(
        &[
            says("a"),
            turn_scoped("t"),
            tools(&[added("A"), removed]),
            persistent("p"),
            turn_scoped("u"),
            persistent("q"),
            x(),
        ]
        .into_iter()
        .chain([says("b")])
        .collect::<Vec<_>>(),
        "u:a s:p s:q s:+A,-B s*:t s*:u a:x u:b",
    );
}

#[test]
fn a_turn_scoped_message_is_on_the_wire_as_the_api_documents_it() {
    let conversation = conversation_with(&[says("a"), turn_scoped("t </system-reminder>")]);
    let lowered = lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap();
    assert_eq!(
        lines(&lowered),
        concat!(
            r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#,
            "\n",
            r#"{"role":"system","content":[{"type":"text","text":"t &lt;/system-reminder>"}],"clear_at":"next_user_message"}"#,
        )
    );
    let group = lowered.tail().last().unwrap();
    assert!(group.blocks()[0].turn_scoped && group.blocks()[0].volatile);
    assert!(!group.blocks()[0].is_markable);
}

#[test]
fn an_open_group_slides_after_later_user_messages() {
    // An abort before the first part: turn-scoped text has no response.
    check(
        &[says("a"), persistent("p"), turn_scoped("t"), EntryDraft::aborted(), says("b")],
        "u:a u:b s:p",
    );
    // Two aborts in a row.
    check(
        &[
            says("a"),
            turn_scoped("t"),
            EntryDraft::aborted(),
            says("b"),
            turn_scoped("t"),
            EntryDraft::aborted(),
            says("c"),
            turn_scoped("t"),
        ],
        "u:a u:b u:c s*:t",
    );
    // An abort within a response: the group has a response and stays.
    check(
        &[says("a"), persistent("p"), turn_scoped("t"), x(), EntryDraft::aborted(), says("b")],
        "u:a s:p s*:t a:x u:b",
    );
    // The same request again, without a new message: recorded text is kept.
    check(&[says("a"), turn_scoped("t")], "u:a s*:t");
}

#[test]
fn a_message_during_a_response_is_in_the_next_stretch() {
    check(
        &[says("a"), turn_scoped("t"), x(), says("b"), turn_scoped("u")],
        "u:a s*:t a:x u:b s*:u",
    );
}

#[test]
fn nothing_is_between_a_call_and_its_result() {
    let call = || answer(vec![Part::tool_use("1", "Read", "{}")]);
    let result = || human(vec![Part::tool_result("1", "o")]);
    check(&[says("a"), call(), persistent("p"), result()], "u:a a:tool_use u:tool_result s:p");
    // The missing result comes before the group, too.
    check(
        &[says("a"), call(), persistent("p"), x(), says("b")],
        "u:a a:tool_use,x u:tool_result,b s:p",
    );
}

#[test]
fn a_paused_answer_is_continued_without_a_word() {
    let paused = r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{}}"#;
    let paused = Other::new(RawJson::parse(paused).unwrap()).unwrap();
    let paused = answer(vec![Part::Other(paused)]);
    check(&[says("a"), paused, persistent("p"), turn_scoped("t")], "u:a a:server_tool_use");
}

#[test]
fn a_rewind_into_a_group_lowers_the_remaining_entries() {
    let drafts = [says("a"), persistent("p"), turn_scoped("t"), x(), says("b")];
    let whole = conversation_with(&drafts);
    let mut lowerer = Lowerer::new(LowerOptions::default());
    lowerer.lower(&whole, Tail::default()).unwrap();
    let kept = whole.entries()[..2].to_vec();
    let rewound = Conversation::from_entries(whole.id(), kept).unwrap();
    let lowered = lowerer.lower(&rewound, Tail::default()).unwrap();
    assert_eq!(lowered.reset, Some(PrefixReset::Forked));
    let expected = lower(&rewound, Tail::default(), &LowerOptions::default()).unwrap();
    assert_eq!(lines(&lowered), lines(&expected));
}

#[test]
fn a_model_without_a_form_gets_reminders() {
    let with = |forms| LowerOptions { forms, ..LowerOptions::default() };
    let messages_only = with(SystemForms { messages: true, ..SystemForms::NONE });
    let drafts = [
        says("a"),
        persistent("p"),
        tools(&[added("A")]),
        turn_scoped("t"),
        x(),
        says("b"),
        turn_scoped("u"),
    ];
    check_with(&with(SystemForms::NONE), &drafts, "u:a,<r>p</r> a:x u:b,<r>u</r>");
    check_with(&messages_only, &drafts, "u:a s:p a:x u:b,<r>u</r>");
    // Entries before the record were already sent in the new form, and are
    // kept.
    let delivery = EntryDraft::delivery(Delivery {
        model: "m".into(),
        platform: "p".into(),
        bound: true,
        ephemeral: EphemeralForm::Persistent,
        voice: Voice::Tags,
        tools: ToolForm::Replaced,
    });
    let mut drafts = drafts.to_vec();
    drafts.extend([delivery, x(), says("c")]);
    check_with(&with(SystemForms::NONE), &drafts, "u:a,<r>p</r> a:x u:b,<r>u</r> a:x u:c");
}

#[test]
fn the_providers_own_summary_is_first() {
    let json = r#"{"type":"compaction","content":"sum","signature":"s"}"#;
    let summary = Other::new(RawJson::parse(json).unwrap()).unwrap();
    let boundary = EntryDraft::boundary(Boundary::CompactBlock { block: summary });
    let conversation = conversation_with(&[says("old"), x(), boundary, says("new")]);
    let lowered = lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap();
    assert_eq!(
        lines(&lowered),
        format!(
            "{{\"role\":\"assistant\",\"content\":[{json}]}}\n\
             {{\"role\":\"user\",\"content\":[{{\"type\":\"text\",\"text\":\"new\"}}]}}"
        )
    );
}

/// A model that takes no such block gets its text where another summary is: behind the context.
#[test]
fn a_summary_in_a_block_that_is_not_accepted_is_text() {
    let check = |json: &str, expected: &[&str], report: &str| {
        let block = Other::new(RawJson::parse(json).unwrap()).unwrap();
        let boundary = EntryDraft::boundary(Boundary::CompactBlock { block });
        let context = EntryDraft::reminder(Origin::Context { layer: Layer::Project }, "C");
        let conversation = conversation_with(&[says("old"), x(), boundary, context, says("new")]);
        let options = LowerOptions { compaction_blocks: false, ..LowerOptions::default() };
        let lowered = lower(&conversation, Tail::default(), &options).unwrap();
        let texts: Vec<_> =
            expected.iter().map(|text| format!(r#"{{"type":"text","text":"{text}"}}"#)).collect();
        let message = format!(r#"{{"role":"user","content":[{}]}}"#, texts.join(","));
        assert_eq!(lines(&lowered), message);
        let reports: Vec<_> = lowered.diagnostics.iter().map(ToString::to_string).collect();
        assert!(reports.len() == 1 && reports[0].ends_with(report), "{reports:?}");
    };
    let context = r"<system-reminder>\nC\n</system-reminder>";
    check(
        r#"{"type":"compaction","content":"sum</system-reminder>","signature":"s"}"#,
        &[context, "sum&lt;/system-reminder>", "new"],
        "the model takes no compaction block, its summary is sent as text",
    );
    for unreadable in [r#""content":null"#, r#""content":" ""#, r#""encrypted_content":"x""#] {
        check(
            &format!(r#"{{"type":"compaction",{unreadable}}}"#),
            &[context, "new"],
            "the model takes no compaction block, and its summary cannot be read: left out",
        );
    }
}

/// The API's own summary may be a part of an answer. What is before it is sent, too.
#[test]
fn a_summary_in_an_answer_is_text_where_its_block_is_not_accepted() {
    let check = |is_accepted: bool, json: &str, expected: &str| {
        let block = Other::new(RawJson::parse(json).unwrap()).unwrap();
        let answer = answer(vec![Part::Other(block), Part::text("x")]);
        let conversation = conversation_with(&[says("old"), answer, says("new")]);
        let options = LowerOptions { compaction_blocks: is_accepted, ..LowerOptions::default() };
        let lowered = lower(&conversation, Tail::default(), &options).unwrap();
        let message =
            format!(r#"{{"role":"assistant","content":[{expected}{{"type":"text","text":"x"}}]}}"#);
        assert_eq!(lines(&lowered).lines().nth(1), Some(&*message));
        assert_eq!(lowered.diagnostics.len(), usize::from(!is_accepted));
    };
    let summary = r#"{"type":"compaction","content":"sum"}"#;
    check(true, summary, &format!("{summary},"));
    check(false, summary, r#"{"type":"text","text":"sum"},"#);
    check(false, r#"{"type":"compaction","content":null}"#, "");
}

fn changed(reason: PrefixReset, from: ChangeStart) -> EntryDraft {
    EntryDraft::prefix_change(PrefixChange { from, ..PrefixChange::from_start(reason) })
}

#[test]
fn thinking_from_before_a_change_is_left_out_for_good() {
    let says_x = |text: &str| answer(vec![thought(text), Part::text("x")]);
    let mut drafts = vec![says("a"), says_x("1"), says("b"), says_x("2"), says("c")];
    let second = conversation_with(&drafts).entries()[2].id;
    drafts.push(changed(PrefixReset::Snip, ChangeStart::Entry(second)));
    drafts.extend([says_x("3"), says("d")]);
    check(&drafts, "u:a a:(1),x u:b a:x u:c a:(3),x u:d");
    drafts.push(changed(PrefixReset::Prompt, ChangeStart::Start));
    drafts.extend([says_x("4"), says("e")]);
    check(&drafts, "u:a a:x u:b a:x u:c a:x u:d a:(4),x u:e");
    let unbound = LowerOptions { binds_thinking: false, ..LowerOptions::default() };
    check_with(&unbound, &drafts, "u:a a:(1),x u:b a:(2),x u:c a:(3),x u:d a:(4),x u:e");
}

#[test]
fn a_pending_change_counts_in_its_own_request() {
    let mut conversation =
        conversation_with(&[says("a"), answer(vec![thought("1"), Part::text("x")])]);
    let mut lowerer = Lowerer::new(LowerOptions::default());
    conversation.push(says("b"));
    lowerer.lower(&conversation, Tail::default()).unwrap();
    let pending = [changed(PrefixReset::Tools, ChangeStart::Start)];
    let tail = Tail { pending: &pending, ..Tail::default() };
    for reset in [Some(PrefixReset::Tools), None] {
        let lowered = lowerer.lower(&conversation, tail).unwrap();
        assert_eq!((lowered.reset, lowered.lost_thinking), (reset, 1));
        assert!(!lines(&lowered).contains("thinking"));
    }
    let [change] = pending;
    conversation.push(change);
    let lowered = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!((lowered.reset, lowered.lost_thinking), (None, 0));
    assert!(!lines(&lowered).contains("thinking"));
}

#[test]
fn another_models_thinking_is_lost_with_the_change_of_the_model() {
    let model = |name: &str| LowerOptions {
        model: Some(ModelName { provider: "p".into(), name: name.into() }),
        ..LowerOptions::default()
    };
    let drafts = [says("a"), answer(vec![thought("1"), thought("2"), Part::text("x")]), says("b")];
    let conversation = conversation_with(&drafts);
    for (name, reason, lost) in [
        ("n", PrefixReset::Model, 2),
        // Lost with an earlier change.
        ("n", PrefixReset::Tools, 0),
        // Its own thinking, which is bound to the earlier prefix.
        ("m", PrefixReset::Model, 2),
    ] {
        let pending = [changed(reason, ChangeStart::Start)];
        let tail = Tail { pending: &pending, ..Tail::default() };
        let lowered = lower(&conversation, tail, &model(name)).unwrap();
        assert_eq!(lowered.lost_thinking, lost, "{name} {reason}");
    }
}

#[test]
fn tools_that_are_written_again_take_their_changes_away() {
    let drafts = [
        says("a"),
        tools(&[added("A")]),
        x(),
        says("b"),
        changed(PrefixReset::Tools, ChangeStart::Start),
        x(),
        says("c"),
        tools(&[added("B")]),
    ];
    check(&drafts, "u:a a:x u:b a:x u:c s:+B");
}

/// One step in a session.
#[derive(Clone, Debug)]
enum Step {
    Says(Vec<EntryDraft>),
    Image,
    /// An entry, by a number modulo how many there are.
    Snip(usize),
    Change,
    Abort,
}

fn step() -> impl Strategy<Value = Step> {
    let entry = prop_oneof![
        Just(says("u")),
        Just(persistent("p")),
        Just(tools(&[added("A")])),
        Just(turn_scoped("t")),
    ];
    prop_oneof![
        4 => vec(entry, 0..3).prop_map(Step::Says),
        2 => Just(Step::Image),
        1 => (0..20_usize).prop_map(Step::Snip),
        1 => Just(Step::Change),
        1 => Just(Step::Abort),
    ]
}

/// A session with thinking in every response: lowers each request, records its
/// changes, and checks the thinking that it sends.
fn run(steps: &[Step], record: bool, options: &LowerOptions) -> Result<(), String> {
    let mut bindings = Bindings::default();
    let mut conversation = conversation_with(&[says("first")]);
    let mut lowerer = Lowerer::new(options.clone());
    for (turn, step) in steps.iter().enumerate() {
        let mut pending = Vec::new();
        conversation.push(says("next"));
        match step {
            Step::Says(entries) => pending.clone_from(entries),
            Step::Image => {
                conversation.push(human(vec![image().into()]));
            }
            Step::Snip(index) => {
                let ids: Vec<_> = conversation.entries().iter().map(|it| it.id).collect();
                conversation.push(EntryDraft::snip(vec![ids[*index % ids.len()]]));
                conversation.push(says("snipped"));
            }
            Step::Change => pending.push(changed(PrefixReset::Tools, ChangeStart::Start)),
            Step::Abort => {}
        }
        let tail = Tail { pending: &pending, ..Tail::default() };
        let lowered = lowerer.lower(&conversation, tail).map_err(|it| it.to_string())?;
        let fresh = lower(&conversation, tail, options).map_err(|it| it.to_string())?;
        if lines(&lowered) != lines(&fresh) {
            return Err(format!("{}\n\n{}", lines(&lowered), lines(&fresh)));
        }
        let changes = lowered.prefix_changes.clone();
        let thinking = format!("t{turn}");
        bindings.sent(&body(&lowered, &[]).to_request(), &[&thinking])?;
        for entry in pending {
            conversation.push(entry);
        }
        for change in changes.into_iter().filter(|_| record) {
            conversation.push(EntryDraft::prefix_change(change));
        }
        conversation.push(match step {
            Step::Abort => EntryDraft::aborted(),
            _ => answer(vec![thought(&thinking), Part::text("x")]),
        });
    }
    Ok(())
}

proptest! {
    #[test]
    fn thinking_keeps_its_prefix(steps in vec(step(), 0..12), record in any::<bool>()) {
        let options = LowerOptions { media_limit: 2, ..LowerOptions::default() };
        run(&steps, record, &options).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn thinking_after_another_prefix_breaks_the_law() {
    let unbound = LowerOptions { binds_thinking: false, media_limit: 2, ..LowerOptions::default() };
    let image = || Step::Image;
    run(&[image(), image()], true, &unbound).unwrap();
    run(&[image(), image(), image()], true, &unbound).unwrap_err();
    let nothing = || Step::Says(Vec::new());
    run(&[nothing(), nothing(), Step::Snip(0)], true, &unbound).unwrap_err();
}

#[test]
fn a_reminder_for_one_request_breaks_the_law() {
    let mut bindings = Bindings::default();
    let reminders = crate::lower::generate::ephemeral(&["R"]);
    let tail = Tail { ephemeral: &reminders, ..Tail::default() };
    let options = LowerOptions::default();
    let mut conversation = conversation_with(&[says("a")]);
    let first = lower(&conversation, tail, &options).unwrap();
    bindings.sent(&request(&first), &["1"]).unwrap();
    conversation.push(EntryDraft::message(
        Role::Assistant,
        Origin::Model { provider: "p".into(), name: "m".into() },
        vec![thought("1"), Part::text("x")],
    ));
    conversation.push(says("b"));
    let second = lower(&conversation, Tail::default(), &options).unwrap();
    bindings.sent(&request(&second), &[]).unwrap_err();
}
