//! System messages in mid-conversation.

use aside_messages::conversation::{EntryDraft, Origin, Part, Visibility};
use aside_messages::lower::{LowerError, LowerOptions, Lowerer, Tail, lower};
use aside_messages::wire::{ContentBlock, Request, Role};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::lower::generate::{
    answer, body, conversation_with, ephemeral, lines, models_entry, request, users_entry,
};
use crate::lower::law::{self, Law};

fn system(text: &str) -> EntryDraft {
    EntryDraft::message(Role::System, Origin::Coordinator, vec![Part::text(text)])
}

/// Each role's first letter, and the message's texts.
#[track_caller]
fn check(drafts: &[EntryDraft], expected: &str) {
    let lowered =
        lower(&conversation_with(drafts), Tail::default(), &LowerOptions::default()).unwrap();
    let messages = request(&lowered).messages;
    let short = messages.iter().map(|message| {
        let texts: Vec<String> = message
            .content
            .iter()
            .map(|block| match block {
                ContentBlock::Text(text) => text.text.to_string(),
                other => other.kind().to_owned(),
            })
            .collect();
        format!("{}:{}", &message.role.as_str()[..1], texts.join("+"))
    });
    assert_eq!(short.collect::<Vec<_>>().join(" "), expected);
}

fn says(text: &str) -> EntryDraft {
    EntryDraft::human(text)
}

#[test]
fn it_goes_after_the_user_messages() {
    check(&[says("a"), system("s"), says("b")], "u:a+b s:s");
    check(&[says("a"), system("s"), answer(vec![Part::text("x")]), says("b")], "u:a s:s a:x u:b");
    check(&[says("a"), system("s"), EntryDraft::aborted(), says("b")], "u:a u:b s:s");
    check(&[says("a"), system("s"), says("b"), system("t")], "u:a+b s:s s:t");
    check(
        &[
            says("a"),
            system("s"),
            EntryDraft::aborted(),
            says("b"),
            EntryDraft::aborted(),
            says("c"),
        ],
        "u:a u:b u:c s:s",
    );
    // Before the first user message it becomes part of it.
    check(
        &[system("s"), says("a"), answer(vec![Part::text("x")]), says("b")],
        "u:<system-reminder>\ns\n</system-reminder>+a a:x u:b",
    );
    // Without a user message in its stretch it waits for one.
    check(
        &[
            says("a"),
            answer(vec![Part::text("x")]),
            system("s"),
            answer(vec![Part::text("y")]),
            says("b"),
        ],
        "u:a a:x+y u:b s:s",
    );
    // A result stays right after its call.
    check(
        &[
            says("a"),
            answer(vec![Part::tool_use("1", "Read", "{}")]),
            system("s"),
            says("b"),
            EntryDraft::message(Role::User, Origin::Human, vec![Part::tool_result("1", "x")]),
        ],
        "u:a a:tool_use u:tool_result+b s:s",
    );
}

#[test]
fn it_is_not_a_question() {
    let call = || answer(vec![Part::tool_use("1", "Read", "{}")]);
    for drafts in [
        vec![system("s")],
        vec![says("a"), answer(vec![Part::text("x")]), system("s")],
        vec![says("a"), call(), system("s")],
    ] {
        let lowered = lower(&conversation_with(&drafts), Tail::default(), &LowerOptions::default());
        assert_eq!(lowered.err(), Some(LowerError::NothingToAnswer), "{drafts:?}");
    }
}

#[test]
fn reminders_go_into_the_user_message_before_it() {
    let reminders = ephemeral(&["R"]);
    let tail = Tail { ephemeral: &reminders, ..Tail::default() };
    let conversation = conversation_with(&[says("a"), system("s")]);
    let lowered = lower(&conversation, tail, &LowerOptions::default()).unwrap();
    assert_eq!(
        lines(&lowered),
        concat!(
            r#"{"role":"user","content":[{"type":"text","text":"a\n<system-reminder>\nR\n</system-reminder>"}]}"#,
            "\n",
            r#"{"role":"system","content":[{"type":"text","text":"s"}]}"#,
        )
    );
}

fn entry() -> impl Strategy<Value = EntryDraft> {
    prop_oneof![
        3 => users_entry(),
        2 => models_entry(),
        2 => "[a-z]{1,3}".prop_map(|text| system(&text)),
        1 => Just(EntryDraft::aborted()),
    ]
}

fn no_system_between_users(request: &Request) -> Law {
    let roles: Vec<_> = request.messages.iter().map(|it| &it.role).collect();
    let is_between = |it: &&[&Role]| matches!(it, [Role::System, Role::User]);
    match roles.windows(2).find(is_between) {
        Some(_) => Err(format!("{roles:?}")),
        None => Ok(()),
    }
}

#[test]
fn a_system_message_before_a_user_message_breaks_the_law() {
    let mut request = request(
        &lower(
            &conversation_with(&[says("a"), system("s")]),
            Tail::default(),
            &LowerOptions::default(),
        )
        .unwrap(),
    );
    no_system_between_users(&request).unwrap();
    request.messages.reverse();
    no_system_between_users(&request).unwrap_err();
}

proptest! {
    #[test]
    fn no_system_message_is_between_user_messages(drafts in vec(entry(), 0..10)) {
        let mut drafts = drafts;
        drafts.push(says("last"));
        let conversation = conversation_with(&drafts);
        let whole = lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap();
        no_system_between_users(&request(&whole)).map_err(TestCaseError::fail)?;
        let whole = body(&whole, &[]).to_vec();
        for cut in 0..drafts.len() {
            let mut lowerer = Lowerer::new(LowerOptions::default());
            let mut growing = conversation_with(&drafts[..cut]);
            let _ = lowerer.lower(&growing, Tail::default());
            for draft in &drafts[cut..] {
                growing.push(draft.clone());
            }
            let lowered = lowerer.lower(&growing, Tail::default()).unwrap();
            law::same_bytes(&body(&lowered, &[]).to_vec(), &whole).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn a_system_message_keeps_the_prefix(
        turns in vec((vec(entry(), 0..4), prop::option::of(models_entry())), 2..6),
        with_reminder in any::<bool>(),
    ) {
        let reminders = ephemeral(if with_reminder { &["R"] } else { &[] });
        let mut conversation = conversation_with(&[says("first")]);
        let mut lowerer = Lowerer::new(LowerOptions::default());
        let mut before: Option<Vec<u8>> = None;
        for (drafts, answer) in turns {
            for draft in drafts {
                conversation.push(draft);
            }
            let tail = Tail { ephemeral: &reminders, ..Tail::default() };
            let Ok(lowered) = lowerer.lower(&conversation, tail) else { continue };
            prop_assert_eq!(lowered.reset, None);
            let prefix = body(&lowered, &[]).stable_prefix();
            if let Some(before) = before {
                law::continues(&before, &prefix).map_err(TestCaseError::fail)?;
            }
            before = Some(prefix);
            let is_shown = |it: &EntryDraft| {
                it.visibility != Visibility::DisplayOnly
            };
            conversation.push(answer.filter(is_shown).unwrap_or_else(EntryDraft::aborted));
        }
    }
}
