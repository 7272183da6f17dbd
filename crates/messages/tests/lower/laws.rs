//! What holds of every conversation.

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part, Visibility};
use aside_messages::encode::{BlockRef, Marker};
use aside_messages::lower::{
    LowerOptions, Lowerer, Tail, drop_blank, expand, hoist_tool_results, lower, merge_adjacent,
    smoosh_reminders,
};
use aside_messages::wire::{CacheControl, ContentBlock, Request, Role, Ttl};
use aside_messages::{REMINDER_TAG, Source, neutralize};
use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

use crate::generate::{
    all, as_result, assistant_part, body, bytes, conversation, conversation_of, ephemeral,
    is_reminder, last_word, push_all, request, text,
};

proptest! {
    #[test]
    fn the_encoder_writes_what_serde_writes(
        drafts in conversation(),
        marked in vec(any::<prop::sample::Index>(), 0..4),
        with_reminder in any::<bool>(),
    ) {
        let reminders = ephemeral(if with_reminder { &["R", "S"] } else { &[] });
        let tail = Tail { ephemeral: &reminders, ..Tail::default() };
        let messages = lower(&conversation_of(&drafts), tail, &LowerOptions::default()).unwrap();
        let places: Vec<BlockRef> = messages.iter().enumerate().flat_map(|(message, lowered)| {
            (0..lowered.message.content.len()).map(move |block| BlockRef::Message { message, block })
        }).collect();
        let mut places: Vec<BlockRef> = marked.iter().map(|index| *index.get(&places)).collect();
        places.sort();
        places.dedup();
        let mut typed = request(&messages);
        let control = CacheControl::lasting(Ttl::OneHour);
        for at in &places {
            let BlockRef::Message { message, block } = *at else { unreachable!() };
            typed.messages[message].content[block].mark(control.clone());
        }
        let markers: Vec<_> =
            places.into_iter().map(|at| Marker { at, control: control.clone() }).collect();
        let body = body(&messages, &markers);
        prop_assert_eq!(
            String::from_utf8(body.to_vec()).unwrap(),
            serde_json::to_string(&typed).unwrap()
        );
        prop_assert_eq!(body.len(), body.to_vec().len());
        let read = Request::parse(&body.to_vec()).unwrap();
        prop_assert_eq!(read.value, typed);
    }

    #[test]
    fn lowering_bit_by_bit_is_lowering_at_once(drafts in conversation()) {
        let conversation = conversation_of(&drafts);
        let whole = bytes(&lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap());
        for cut in 0..=drafts.len() {
            let mut lowerer = Lowerer::new(LowerOptions::default());
            let mut growing = conversation_of(&drafts[..cut]);
            prop_assert_eq!(lowerer.extend(&growing), None);
            push_all(&mut growing, &drafts[cut..]);
            let lowered = lowerer.lower(&growing, Tail::default()).unwrap();
            prop_assert_eq!(&bytes(&all(&lowered)), &whole);
        }
        // What is pending is lowered as if it were there.
        for cut in 1..drafts.len() {
            let before = conversation_of(&drafts[..cut]);
            let tail = Tail { pending: &drafts[cut..], ..Tail::default() };
            let lowered = lower(&before, tail, &LowerOptions::default()).unwrap();
            prop_assert_eq!(&bytes(&lowered), &whole);
        }
    }

    #[test]
    fn a_conversation_that_grows_keeps_its_prefix(
        turns in vec((conversation(), last_word(), vec(assistant_part(), 1..3)), 2..4),
        with_reminder in any::<bool>(),
    ) {
        let reminders = ephemeral(if with_reminder { &["R"] } else { &[] });
        let mut conversation = Conversation::new(Uuid::from_u128(8));
        let mut lowerer = Lowerer::new(LowerOptions::default());
        let mut before: Option<Vec<u8>> = None;
        for (users, last, answer) in turns {
            push_all(&mut conversation, &users);
            push_all(&mut conversation, &last);
            let tail = Tail { ephemeral: &reminders, ..Tail::default() };
            let lowered = lowerer.lower(&conversation, tail).unwrap();
            prop_assert_eq!(lowered.reset, None);
            let prefix = body(lowered.messages(), &[]).stable_prefix();
            if let Some(before) = before {
                prop_assert!(prefix.starts_with(&before));
            }
            before = Some(prefix);
            let model = Origin::Model { provider: "p".into(), name: "m".into() };
            let mut parts = answer;
            parts.push(Part::text("done"));
            conversation.push(EntryDraft::message(Role::Assistant, model, parts));
        }
    }

    #[test]
    fn every_pass_is_idempotent(drafts in conversation()) {
        let conversation = conversation_of(&drafts);
        let options = LowerOptions::default();
        let runs = conversation.entries().iter().map(|it| expand(&Role::User, it, &options, &mut Vec::new()));
        let merged = merge_adjacent(runs);
        prop_assert_eq!(&merge_adjacent(merged.clone()), &merged);
        for pass in [drop_blank, hoist_tool_results, smoosh_reminders] {
            for run in &merged {
                let mut once = run.clone();
                pass(&mut once);
                let mut twice = once.clone();
                pass(&mut twice);
                prop_assert_eq!(once, twice);
            }
        }
    }

    #[test]
    fn no_reminder_stands_beside_a_tool_result(drafts in conversation()) {
        let messages =
            lower(&conversation_of(&drafts), Tail::default(), &LowerOptions::default()).unwrap();
        for message in messages {
            let content = &message.message.content;
            let results: Vec<_> = content.iter().filter_map(as_result).collect();
            let Some(last) = results.last() else { continue };
            let first_other = content.iter().position(|block| as_result(block).is_none());
            prop_assert!(first_other.is_none_or(|at| at == results.len()), "results come first");
            if !last.holds_tool_reference() {
                prop_assert!(!content.iter().any(is_reminder));
            }
        }
    }

    #[test]
    fn only_reminders_are_reminders(drafts in conversation()) {
        let conversation = conversation_of(&drafts);
        let real = conversation.entries().iter()
            .filter(|entry| entry.visibility != Visibility::DisplayOnly)
            .flat_map(|entry| &entry.parts)
            .filter(|part| matches!(part, Part::Reminder { body } if !body.trim().is_empty()))
            .count();
        let model_says = conversation.entries().iter()
            .filter(|entry| matches!(entry.origin, Origin::Model { .. }))
            .filter(|entry| entry.visibility != Visibility::DisplayOnly)
            .flat_map(|entry| &entry.parts)
            .filter(|part| matches!(part, Part::Text(text)
                if neutralize(&text.text, &[REMINDER_TAG]) != *text.text))
            .count();
        let messages = lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap();
        let json = String::from_utf8(bytes(&messages)).unwrap();
        let escaped = json.matches("\\u003c").count();
        prop_assert_eq!(escaped, 0, "no escape hides a tag");
        // `&lt;` is three bytes longer than `<`; a reminder has two tags.
        let grown = neutralize(&json, &[REMINDER_TAG]).len() - json.len();
        prop_assert_eq!(grown / 3, 2 * real + model_says);
    }

    #[test]
    fn what_the_human_says_is_sent_as_it_is(words in text()) {
        let mut conversation = Conversation::new(Uuid::nil());
        conversation.push(EntryDraft::human("first"));
        conversation.push(EntryDraft::human(words.as_str()));
        let messages = lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap();
        let sent = messages[0].message.content.get(1);
        if words.trim().is_empty() {
            prop_assert_eq!(sent, None);
        } else {
            let expected = ContentBlock::text(&*neutralize(&words, &[REMINDER_TAG]));
            prop_assert_eq!(sent, Some(&expected));
        }
    }

    #[test]
    fn every_byte_has_one_source(drafts in conversation(), with_reminder in any::<bool>()) {
        let reminders = ephemeral(if with_reminder { &["R"] } else { &[] });
        let tail = Tail { ephemeral: &reminders, ..Tail::default() };
        let conversation = conversation_of(&drafts);
        let messages = lower(&conversation, tail, &LowerOptions::default()).unwrap();
        let body = body(&messages, &[]);
        let json = body.to_vec();
        // The text of each reminder part stands in bytes of its own entry.
        let mut at = 0;
        for entry in conversation.entries() {
            if entry.visibility == Visibility::DisplayOnly { continue }
            for (part, content) in entry.parts.iter().enumerate() {
                let own = Source::Entry { id: entry.id, part };
                let found = (0..json.len()).filter(|at| *body.source_at(*at) == own).count();
                let is_blank = match content {
                    Part::Text(text) => text.text.trim().is_empty(),
                    Part::Reminder { body } => body.trim().is_empty(),
                    _ => false,
                };
                prop_assert_eq!(found > 0, !is_blank);
                at += found;
            }
        }
        let others = (0..json.len())
            .filter(|at| !matches!(body.source_at(*at), Source::Entry { .. }))
            .count();
        prop_assert_eq!(at + others, json.len());
        let reminded: Vec<u8> = (0..json.len())
            .filter(|at| matches!(body.source_at(*at), Source::Reminder { .. }))
            .map(|at| json[at])
            .collect();
        let expected = if with_reminder { r"\n<system-reminder>\nR\n</system-reminder>" } else { "" };
        prop_assert_eq!(String::from_utf8(reminded).unwrap(), expected);
    }
}
