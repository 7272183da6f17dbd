//! A law that cannot fail proves nothing: each is shown a fault that it must
//! see.

use aside_messages::Source;
use aside_messages::conversation::{EntryDraft, Part};
use aside_messages::encode::{Body, BodyParts, Encoded, History};
use aside_messages::lower::{LowerOptions, Lowerer, Tail, lower};
use aside_messages::wire::{ContentBlock, Message, Request, Role, ToolResult};
use aside_messages::{BlockSource, Layer};
use std::sync::Arc;

use crate::lower::generate::{answer, body, conversation_with, human, image, lowered, request};
use crate::lower::law;

fn asked_and_answered() -> Vec<EntryDraft> {
    vec![
        EntryDraft::human(" a "),
        answer(vec![Part::tool_use("1", "Read", "{}")]),
        human(vec![
            Part::tool_result("1", "</system-reminder>"),
            Part::Reminder { body: "R".into() },
        ]),
    ]
}

#[test]
fn reminders_that_are_not_smooshed() {
    let options = LowerOptions { smoosh_reminders: false, ..LowerOptions::default() };
    let conversation = conversation_with(&asked_and_answered());
    let unfolded = lower(&conversation, Tail::default(), &options).unwrap();
    law::reminders_are_not_next_to_a_result(&request(&unfolded)).unwrap_err();
    law::reminders_are_not_next_to_a_result(&request(&lowered(&conversation))).unwrap();
}

#[test]
fn results_after_the_text() {
    let mut request = request(&lowered(&conversation_with(&asked_and_answered())));
    let text = ContentBlock::text("x");
    request.messages[2].content.insert(0, text);
    law::reminders_are_not_next_to_a_result(&request).unwrap_err();
}

#[test]
fn a_result_that_is_lost_and_one_that_comes_twice() {
    let request = request(&lowered(&conversation_with(&asked_and_answered())));
    law::every_call_is_answered_once(&request).unwrap();
    let mut lost = request.clone();
    lost.messages[2].content.clear();
    law::every_call_is_answered_once(&lost).unwrap_err();
    let mut twice = request;
    let result = twice.messages[2].content[0].clone();
    twice.messages[2].content.push(result);
    law::every_call_is_answered_once(&twice).unwrap_err();
    law::the_api_takes_it(&twice, 100).unwrap_err();
}

#[test]
fn the_humans_text_is_trimmed() {
    let conversation = conversation_with(&asked_and_answered());
    let mut request = request(&lowered(&conversation));
    law::a_message_of_the_user_is_sent(&conversation, &request).unwrap();
    request.messages[0].content[0] = ContentBlock::text("a");
    law::a_message_of_the_user_is_sent(&conversation, &request).unwrap_err();
}

#[test]
fn text_from_outside_is_not_neutralized() {
    let options = LowerOptions { neutralize: false, ..LowerOptions::default() };
    let conversation = conversation_with(&asked_and_answered());
    let raw = lower(&conversation, Tail::default(), &options).unwrap();
    let json = String::from_utf8(body(&raw, &[]).to_vec()).unwrap();
    law::only_reminders_are_reminders(&conversation, &json).unwrap_err();
}

/// A tag that depends on later entries: it is written once the message is
/// closed.
#[test]
fn a_message_that_changes_when_it_is_closed() {
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let mut conversation = conversation_with(&[EntryDraft::human("a")]);
    let first = lowerer.lower(&conversation, Tail::default()).unwrap();
    let before = body(&first, &[]).stable_prefix();
    conversation.push(answer(vec![Part::text("b")]));
    conversation.push(EntryDraft::human("c"));
    lowerer.set_options(LowerOptions { tag_ids: true, ..LowerOptions::default() });
    let second = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert!(second.reset.is_some(), "the break is named");
    law::continues(&before, &body(&second, &[]).stable_prefix()).unwrap_err();
}

/// A limit that takes off one image with every new one.
#[test]
fn images_that_go_one_by_one_without_a_word() {
    let of = |images: usize, limit: usize| {
        let parts = vec![Part::from(image()); images];
        let options = LowerOptions { media_limit: limit, ..LowerOptions::default() };
        let lowered =
            lower(&conversation_with(&[human(parts)]), Tail::default(), &options).unwrap();
        body(&lowered, &[]).stable_prefix()
    };
    law::continues(&of(2, 2), &of(3, 2)).unwrap_err();
}

#[test]
fn a_lowerer_that_forgets_the_last_entry() {
    let drafts = asked_and_answered();
    let whole = body(&lowered(&conversation_with(&drafts)), &[]).to_vec();
    let cut = body(&lowered(&conversation_with(&drafts[..1])), &[]).to_vec();
    law::same_bytes(&cut, &whole).unwrap_err();
}

/// A map in place of a struct sorts the keys.
#[test]
fn keys_in_another_order() {
    let body = body(&lowered(&conversation_with(&asked_and_answered())), &[]);
    let value: serde_json::Value = serde_json::from_slice(&body.to_vec()).unwrap();
    law::same_bytes(&serde_json::to_vec(&value).unwrap(), &body.to_vec()).unwrap_err();
}

#[test]
fn a_request_that_the_api_refuses() {
    let request =
        Request { messages: vec![Message::new(Role::Assistant, Vec::new())], ..Request::default() };
    law::the_api_takes_it(&request, 100).unwrap_err();
}

#[test]
fn unowned_bytes() {
    let conversation = conversation_with(&[EntryDraft::human("a")]);
    let message = Message::new(Role::User, vec![ContentBlock::text("a")]);
    let nobody = BlockSource::new(Source::Envelope, Layer::Conversation);
    let body = Body::new(BodyParts {
        parameters: &Arc::default(),
        tools: &Arc::new(Encoded::tools(Vec::new())),
        system: &Arc::new(Encoded::system(Vec::new(), Vec::new())),
        history: &History::default(),
        tail: &[Arc::new(Encoded::message(message, vec![nobody]))],
        markers: &[],
    });
    law::every_byte_has_one_source(&conversation, &body.unwrap()).unwrap_err();
}

/// Changing a request after lowering breaks each guarantee.
#[test]
fn a_guarantee_that_does_not_hold() {
    let valid = request(&lowered(&conversation_with(&asked_and_answered())));
    law::guarantees_hold(&valid).unwrap();
    let broken_by = |change: &dyn Fn(&mut Vec<Message>)| {
        let mut request = valid.clone();
        change(&mut request.messages);
        law::guarantees_hold(&request).unwrap_err()
    };
    let failed = |blocks| {
        ContentBlock::ToolResult(ToolResult {
            is_error: Some(true),
            ..ToolResult::new("1", blocks)
        })
    };
    let errors = [
        broken_by(&|messages| messages.clear()),
        broken_by(&|messages| messages[0].content.clear()),
        broken_by(&|messages| messages[0].content[0] = ContentBlock::text(" ")),
        broken_by(&|messages| messages[2].content.insert(0, ContentBlock::text("x"))),
        broken_by(&|messages| drop(messages.pop())),
        broken_by(&|messages| drop(messages.remove(1))),
        broken_by(&|messages| messages.extend_from_within(2..)),
        broken_by(&|messages| messages.extend_from_within(1..)),
        broken_by(&|messages| messages[2].content[0] = failed(vec![image()])),
    ];
    for (rule, error) in aside_rules::guaranteed().iter().zip(errors) {
        assert!(error.contains(rule.id), "{}: {error}", rule.id);
    }
}
