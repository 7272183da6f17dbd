//! Laws for every conversation.

use aside_messages::Source;
use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::encode::{BlockRef, Body, BodyHash, Marker};
use aside_messages::lower::{LowerOptions, Lowerer, Tail, lower};
use aside_messages::wire::{CacheControl, Request, Ttl};
use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

use crate::lower::generate::{
    Draft, body, conversation_of, draft, drafts, ephemeral, lowered, models_entry, options, push,
    request, server_answer, users_entry,
};
use crate::lower::law::{self, Law};

fn holds(law: Law) -> Result<(), TestCaseError> {
    law.map_err(TestCaseError::fail)
}

proptest! {
    #[test]
    fn the_encoder_writes_what_serde_writes(
        drafts in drafts(),
        marked in vec(any::<prop::sample::Index>(), 0..4),
        with_reminder in any::<bool>(),
    ) {
        let reminders = ephemeral(if with_reminder { &["R", "S"] } else { &[] });
        let tail = Tail { ephemeral: &reminders, ..Tail::default() };
        let lowered = lower(&conversation_of(&drafts), tail, &LowerOptions::default()).unwrap();
        let mut typed = request(&lowered);
        let places: Vec<BlockRef> = typed.messages.iter().enumerate().flat_map(|(message, it)| {
            let markable = it.content.iter().enumerate().filter(|(_, block)| block.is_markable());
            markable.map(move |(block, _)| BlockRef::Message { message, block })
        }).collect();
        let mut places: Vec<BlockRef> = marked.iter().map(|index| *index.get(&places)).collect();
        places.sort();
        places.dedup();
        let control = CacheControl::lasting(Ttl::OneHour);
        for at in &places {
            let BlockRef::Message { message, block } = *at else { unreachable!() };
            typed.messages[message].content[block].mark(control.clone());
        }
        let markers: Vec<_> =
            places.into_iter().map(|at| Marker { at, control: control.clone() }).collect();
        let body = body(&lowered, &markers);
        holds(law::same_bytes(&body.to_vec(), &serde_json::to_vec(&typed).unwrap()))?;
        prop_assert_eq!(body.len(), body.to_vec().len());
        prop_assert_eq!(Request::parse(&body.to_vec()).unwrap().value, body.to_request());
        prop_assert_eq!(body.to_request(), typed.clone());
        prop_assert_eq!(body.hash(), BodyHash::of(&body.to_vec()));
        let verbatim = Body::verbatim(&typed);
        prop_assert_eq!(verbatim.to_vec(), body.to_vec());
        prop_assert_eq!(verbatim.to_request(), typed.clone());
    }

    #[test]
    fn lowering_bit_by_bit_is_lowering_at_once(drafts in drafts(), options in options()) {
        let conversation = conversation_of(&drafts);
        let whole = lower(&conversation, Tail::default(), &options).unwrap();
        let whole = body(&whole, &[]).to_vec();
        for cut in 0..=drafts.len() {
            // Seen without and with a request in between.
            for asks in [false, true] {
                let mut lowerer = Lowerer::new(options.clone());
                let mut growing = conversation_of(&drafts[..cut]);
                if asks {
                    let _ = lowerer.lower(&growing, Tail::default());
                } else {
                    lowerer.extend(&growing);
                }
                for draft in &drafts[cut..] {
                    push(&mut growing, draft);
                }
                let lowered = lowerer.lower(&growing, Tail::default()).unwrap();
                holds(law::same_bytes(&body(&lowered, &[]).to_vec(), &whole))?;
            }
        }
    }

    #[test]
    fn pending_entries_are_lowered_like_appended_ones(
        drafts in drafts(),
        pending in vec(prop_oneof![users_entry(), models_entry()], 0..4),
        options in options(),
    ) {
        // On a model that binds its thinking, replaced media are a `prefix_change`, which the
        // request's commit appends.
        let mut options = options;
        if options.binds_thinking {
            options.media_limit = usize::MAX;
        }
        let mut pending = pending;
        pending.push(EntryDraft::human("last"));
        let before = conversation_of(&drafts);
        let tail = Tail { pending: &pending, ..Tail::default() };
        let as_tail = lower(&before, tail, &options).unwrap();
        let mut after = conversation_of(&drafts);
        for draft in &pending {
            after.push(draft.clone());
        }
        let as_entries = lower(&after, Tail::default(), &options).unwrap();
        holds(law::same_bytes(
            &body(&as_tail, &[]).to_vec(),
            &body(&as_entries, &[]).to_vec(),
        ))?;
    }

    #[test]
    fn a_conversation_that_grows_keeps_its_prefix(
        turns in vec((vec(draft(), 0..4), users_entry(), prop::option::of(models_entry())), 2..6),
        with_reminder in any::<bool>(),
        options in options(),
    ) {
        let reminders = ephemeral(if with_reminder { &["R"] } else { &[] });
        let mut conversation = Conversation::new(Uuid::from_u128(8));
        let mut lowerer = Lowerer::new(options);
        let mut before: Option<Vec<u8>> = None;
        for (drafts, last, answer) in turns {
            for draft in &drafts {
                push(&mut conversation, draft);
            }
            conversation.push(last);
            let tail = Tail { ephemeral: &reminders, ..Tail::default() };
            let Ok(lowered) = lowerer.lower(&conversation, tail) else { continue };
            let prefix = body(&lowered, &[]).stable_prefix();
            if let Some(before) = before.filter(|_| lowered.reset.is_none()) {
                holds(law::continues(&before, &prefix))?;
            }
            before = Some(prefix);
            // The response, or an explicit abort.
            let answer = answer.filter(|it| {
                it.visibility != aside_messages::conversation::Visibility::DisplayOnly
            });
            conversation.push(answer.unwrap_or_else(EntryDraft::aborted));
        }
    }

    #[test]
    fn lowered_requests_are_accepted_by_the_api(drafts in drafts(), options in options()) {
        let conversation = conversation_of(&drafts);
        let lowered = lower(&conversation, Tail::default(), &options).unwrap();
        let request = request(&lowered);
        holds(law::the_api_takes_it(&request, options.media_limit))?;
        holds(law::every_call_is_answered_once(&request))?;
    }

    #[test]
    fn lowered_requests_keep_what_is_guaranteed(
        drafts in drafts(),
        answers in vec((any::<prop::sample::Index>(), server_answer()), 0..3),
        options in options(),
        with_reminder in any::<bool>(),
    ) {
        let mut drafts = drafts;
        for (at, answer) in answers {
            drafts.insert(at.index(drafts.len()), Draft::Entry(answer));
        }
        let reminders = ephemeral(if with_reminder { &["R"] } else { &[] });
        let tail = Tail { ephemeral: &reminders, ..Tail::default() };
        let lowered = lower(&conversation_of(&drafts), tail, &options).unwrap();
        holds(law::guarantees_hold(&request(&lowered)))?;
    }

    #[test]
    fn every_text_keeps_its_author(drafts in drafts()) {
        let conversation = conversation_of(&drafts);
        let lowered = lowered(&conversation);
        let request = request(&lowered);
        holds(law::reminders_are_not_next_to_a_result(&request))?;
        holds(law::a_message_of_the_user_is_sent(&conversation, &request))?;
        holds(law::every_byte_has_one_source(&conversation, &body(&lowered, &[])))?;
    }

    #[test]
    fn an_ephemeral_reminder_has_its_bytes(drafts in drafts()) {
        let reminders = ephemeral(&["R"]);
        let tail = Tail { ephemeral: &reminders, ..Tail::default() };
        let lowered = lower(&conversation_of(&drafts), tail, &LowerOptions::default()).unwrap();
        let body = body(&lowered, &[]);
        let json = body.to_vec();
        let of_reminder = (0..json.len())
            .filter(|at| matches!(body.source_at(*at), Source::Reminder { .. }))
            .map(|at| json[at])
            .collect();
        prop_assert_eq!(
            String::from_utf8(of_reminder).unwrap(),
            r"\n<system-reminder>\nR\n</system-reminder>"
        );
    }

    #[test]
    fn only_reminders_are_reminders(
        entries in vec(prop_oneof![users_entry(), models_entry()], 0..8),
    ) {
        let mut drafts: Vec<Draft> = entries.into_iter().map(Draft::Entry).collect();
        drafts.push(Draft::Entry(EntryDraft::human("last")));
        let conversation = conversation_of(&drafts);
        let json = String::from_utf8(body(&lowered(&conversation), &[]).to_vec()).unwrap();
        holds(law::only_reminders_are_reminders(&conversation, &json))?;
    }
}
