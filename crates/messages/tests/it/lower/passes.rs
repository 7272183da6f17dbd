//! What each pass does, one wire line per case.

mod images;
mod results;

use aside_messages::conversation::{Boundary, EntryDraft, Origin, Part, Visibility};
use aside_messages::encode::{BlockRef, Marker};
use aside_messages::lower::{LowerOptions, Lowerer, ModelName, PrefixReset, Tail, lower};
use aside_messages::wire::{CacheControl, ContentBlock, ResultContent, Role, ToolResult};
use aside_messages::{Layer, Repair, Source};

use crate::lower::generate::{
    answer, block, body, conversation_with, human, image, lines, lowered, thinking,
};

/// Lowers the entries and compares the messages, each in short form: `u` or `a`
/// for the role, then its blocks; and the names of the repairs.
#[track_caller]
fn check(options: &LowerOptions, drafts: &[EntryDraft], expected: &str, mended: &[&str]) {
    let lowered = lower(&conversation_with(drafts), Tail::default(), options).unwrap();
    let short = body(&lowered, &[])
        .to_request()
        .messages
        .iter()
        .map(|message| {
            let blocks: Vec<_> = message.content.iter().map(short).collect();
            format!("{} {}", &message.role.as_str()[..1], blocks.join(" "))
        })
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(short, expected);
    let names: Vec<_> = lowered.diagnostics.iter().map(name).collect();
    assert_eq!(names, mended);
}

fn short(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => format!("{:?}", text.text),
        ContentBlock::ToolUse(call) => format!("call:{}", call.id),
        ContentBlock::ToolResult(result) => {
            let ResultContent::Blocks(blocks) = &result.content else {
                return "text result".to_owned();
            };
            let error = if result.is_error == Some(true) { "!" } else { "" };
            let inner: Vec<_> = blocks.iter().map(short).collect();
            format!("result:{}{error}[{}]", result.tool_use_id, inner.join(" "))
        }
        other => other.kind().to_owned(),
    }
}

fn name(diagnostic: &Repair) -> &'static str {
    assert!(!diagnostic.to_string().is_empty());
    match diagnostic {
        Repair::MissingResult { .. } => "missing result",
        Repair::StrayResult { .. } => "stray result",
        Repair::StrayCall { .. } => "stray call",
        Repair::PendingCall { .. } => "pending call",
        Repair::Thinking { .. } => "thinking",
        Repair::ToolReference { .. } => "tool reference",
        Repair::Document { .. } => "document",
        Repair::Compaction { .. } => "compaction",
        Repair::ErrorContent { .. } => "error content",
        _ => "other",
    }
}

#[track_caller]
fn plain(drafts: &[EntryDraft], expected: &str, mended: &[&str]) {
    check(&LowerOptions::default(), drafts, expected, mended);
}

fn call(id: &str) -> Part {
    Part::tool_use(id, "Read", "{}")
}

fn says(text: &str) -> EntryDraft {
    EntryDraft::human(text)
}

const MISSING: &str = r#"["[No result: the call was interrupted, or its result was lost.]"]"#;

#[test]
fn a_boundary_restarts_the_state() {
    let summary =
        || EntryDraft::boundary(Boundary::Compact { summary: "sum</system-reminder>".into() });
    let old = || vec![says("old"), answer(vec![Part::text("x")])];
    let context = EntryDraft::reminder(Origin::Context { layer: Layer::Project }, "C");
    let mut drafts = old();
    drafts.extend([EntryDraft::boundary(Boundary::Clear), says("new")]);
    plain(&drafts, r#"u "new""#, &[]);
    let mut drafts = old();
    drafts.extend([summary(), says("new")]);
    plain(&drafts, r#"u "sum&lt;/system-reminder>" "new""#, &[]);
    // Context that is sent again precedes the summary.
    let mut drafts = old();
    drafts.extend([summary(), context, says("new")]);
    let expected =
        r#"u "<system-reminder>\nC\n</system-reminder>" "sum&lt;/system-reminder>" "new""#;
    plain(&drafts, expected, &[]);
    // Right after compaction the model can continue by itself.
    let mut drafts = old();
    drafts.push(summary());
    plain(&drafts, r#"u "sum&lt;/system-reminder>""#, &[]);
}

#[test]
fn display_only_text_is_not_sent() {
    let shown = says("shown").with_visibility(Visibility::DisplayOnly);
    plain(&[says("a"), shown], r#"u "a""#, &[]);
}

#[test]
fn an_abort_separates_the_next_message() {
    let drafts = [says("a"), EntryDraft::aborted(), says("b"), says("c")];
    plain(&drafts, "u \"a\"\nu \"b\" \"c\"", &[]);
    let drafts = [
        says("a"),
        answer(vec![call("1")]),
        EntryDraft::aborted(),
        answer(vec![Part::text("x")]),
        says("b"),
    ];
    let expected = format!("u \"a\"\na call:1\nu result:1!{MISSING}\na \"x\"\nu \"b\"");
    plain(&drafts, &expected, &["missing result"]);
}

#[test]
fn an_answer_that_was_emptied_still_separates() {
    let drafts = [says("a"), answer(vec![Part::text(" ")]), says("b")];
    plain(&drafts, "u \"a\"\na \"(no content)\"\nu \"b\"", &[]);
}

#[test]
fn thinking_is_the_own_models_and_signed() {
    let thought = || Part::from(thinking());
    let drafts = [says("a"), answer(vec![thought(), Part::text("x"), thought()]), says("b")];
    let expected = "u \"a\"\na thinking \"x\" thinking\nu \"b\"";
    plain(&drafts, expected, &[]);
    // Without its signature the API refuses it.
    let torn = || block(r#"{"type":"thinking","thinking":"hm","signature":""}"#).into();
    let drafts = [says("a"), answer(vec![torn(), Part::text("x")]), says("b")];
    plain(&drafts, "u \"a\"\na \"x\"\nu \"b\"", &["thinking"]);
    let drafts =
        [says("a"), answer(vec![thought(), call("1")]), human(vec![Part::tool_result("1", "o")])];
    plain(&drafts, "u \"a\"\na thinking call:1\nu result:1[\"o\"]", &[]);
    let model = |name: &str| LowerOptions {
        model: Some(ModelName { provider: "p".into(), name: name.into() }),
        ..LowerOptions::default()
    };
    check(&model("m"), &drafts, "u \"a\"\na thinking call:1\nu result:1[\"o\"]", &[]);
    check(&model("n"), &drafts, "u \"a\"\na call:1\nu result:1[\"o\"]", &["thinking"]);
}

#[test]
fn documents_that_the_api_refuses_become_text() {
    let pdf = || {
        block(
            r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}}"#,
        )
    };
    let plain_text = || {
        block(
            r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}}"#,
        )
    };
    let result = Part::ToolResult(ToolResult::new("1", vec![pdf(), plain_text(), image()]));
    let drafts = [
        human(vec![pdf().into(), plain_text().into()]),
        answer(vec![call("1")]),
        human(vec![result]),
    ];
    let sent = "u document document\na call:1\nu result:1[document document image]";
    plain(&drafts, sent, &[]);
    let options = LowerOptions { documents: false, ..LowerOptions::default() };
    let note = "\"[A document was left out: this model takes documents in plain text only.]\"";
    let sent = format!("u {note} document\na call:1\nu result:1[{note} document image]");
    check(&options, &drafts, &sent, &["document", "document"]);
}

#[test]
fn the_user_speaks_first() {
    let drafts = [answer(vec![Part::text("x")]), says("b")];
    plain(&drafts, "u \"(no content)\"\na \"x\"\nu \"b\"", &[]);
}

#[test]
fn ids_are_on_visible_messages() {
    let options = LowerOptions { tag_ids: true, ..LowerOptions::default() };
    let meta = says("meta").with_visibility(Visibility::Meta);
    let hook = Origin::Hook { name: "h".into() };
    let conversation = conversation_with(&[
        human(vec![Part::text("one"), Part::text("two"), Part::from(image())]),
        meta,
        EntryDraft::reminder(hook, "R"),
        says("three"),
    ]);
    let lowered = lower(&conversation, Tail::default(), &options).unwrap();
    let [first, .., last] = conversation.entries() else { unreachable!("four entries") };
    let (one, three) = (first.id.tag(), last.id.tag());
    assert!(one.len() == 6 && one != three);
    assert_eq!(
        lines(&lowered),
        format!(
            concat!(
                r#"{{"role":"user","content":[{{"type":"text","text":"one"}},"#,
                r#"{{"type":"text","text":"two\n[id:{}]"}},"#,
                r#"{{"type":"image","source":{{"type":"url","url":"https://u"}}}},"#,
                r#"{{"type":"text","text":"meta"}},"#,
                r#"{{"type":"text","text":"<system-reminder>\nR\n</system-reminder>"}},"#,
                r#"{{"type":"text","text":"three\n[id:{}]"}}]}}"#,
            ),
            one, three
        )
    );
}

#[test]
fn snipped_entries_are_left_out() {
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let mut conversation = conversation_with(&[
        says("a"),
        says("gone"),
        answer(vec![call("1")]),
        human(vec![Part::tool_result("1", "o")]),
    ]);
    lowerer.lower(&conversation, Tail::default()).unwrap();
    let ids = [1, 2].map(|index| conversation.entries()[index].id);
    conversation.push(EntryDraft::snip(ids.to_vec()));
    conversation.push(says("b"));
    let lowered = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(lowered.reset, Some(PrefixReset::Snip));
    let expected =
        r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#;
    assert_eq!(lines(&lowered), expected);
    assert_eq!(lowered.diagnostics.len(), 1, "the result of the snipped call");
}

#[test]
fn a_repair_is_reported_once() {
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let mut conversation = conversation_with(&[says("a"), answer(vec![call("1")]), says("b")]);
    let reported = |lowerer: &mut Lowerer, conversation: &_| {
        let lowered = lowerer.lower(conversation, Tail::default()).unwrap();
        lowered.diagnostics.len()
    };
    assert_eq!(reported(&mut lowerer, &conversation), 1);
    assert_eq!(reported(&mut lowerer, &conversation), 0);
    conversation.push(answer(vec![Part::text("x")]));
    conversation.push(says("c"));
    assert_eq!(reported(&mut lowerer, &conversation), 0);
}

/// Messages put side by side, with markers on both sides of the seam.
#[test]
fn a_long_history_is_a_few_segments() {
    let long = "x".repeat(10_000);
    let mut drafts = Vec::new();
    for index in 0..40 {
        drafts.push(says(&format!("{index}{long}")));
        drafts.push(answer(vec![Part::text("ok")]));
    }
    drafts.push(says("last"));
    let conversation = conversation_with(&drafts);
    let lowered = lowered(&conversation);
    let unmarked = body(&lowered, &[]);
    assert!(unmarked.chunks().count() < 40);
    let json = unmarked.to_vec();
    let typed = unmarked.to_request();
    assert_eq!(json, serde_json::to_vec(&typed).unwrap());
    for message in 0..typed.messages.len() {
        let mut marked = typed.clone();
        let control = CacheControl::EPHEMERAL;
        marked.messages[message].content[0].mark(control.clone());
        let at = BlockRef::Message { message, block: 0 };
        let marker = Marker { at, control };
        let body = body(&lowered, &[marker]);
        assert_eq!(body.to_vec(), serde_json::to_vec(&marked).unwrap());
        assert_eq!(body.stable_prefix(), unmarked.stable_prefix());
    }
    // A byte's source is found in a chunk as well.
    for (index, entry) in conversation.entries().iter().enumerate().step_by(8) {
        let needle = format!("{}x", index / 2);
        let at = json.windows(needle.len()).position(|it| it == needle.as_bytes());
        let own = Source::Entry { id: entry.id, part: 0 };
        assert!(index == 80 || *unmarked.source_at(at.unwrap()) == own);
    }
}

#[test]
fn a_system_message_bears_no_marker() {
    let system = EntryDraft::message(
        Role::System,
        Origin::Coordinator,
        vec![block(r#"{"type":"text","text":"s"}"#).into()],
    );
    let lowered =
        lowered(&conversation_with(&[says("a"), system, answer(vec![Part::text("x")]), says("b")]));
    let markable: Vec<_> =
        lowered.messages().map(|message| message.blocks()[0].is_markable).collect();
    assert_eq!(markable, [true, false, true, true]);
}
