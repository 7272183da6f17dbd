//! Every pass is idempotent, on any runs and entries.

use std::collections::HashSet;

use aside_body::turns::{Pairing, Repeats, Window};
use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::conversation::{Boundary, Conversation, EntryDraft, Visibility};
use crate::layer::Layer;
use crate::lower::LowerOptions;
use crate::lower::run::{Block, Nature, Run};
use crate::lower::settings::Settings;
use crate::source::{BlockSource, Source};
use crate::wire::{ContentBlock, Message, Role, ToolResult};

fn parse(json: &str) -> ContentBlock {
    let json = format!(r#"{{"role":"user","content":[{json}]}}"#);
    let message = Message::parse(json.as_bytes()).expect("the test's JSON is valid");
    message.value.content.into_iter().next().expect("one block")
}

fn text() -> impl Strategy<Value = ContentBlock> {
    prop_oneof![Just(""), Just(" \n"), Just("a"), Just("b\n[id:000000]")]
        .prop_map(ContentBlock::text)
}

/// A block that may be in a tool result too.
fn inner() -> impl Strategy<Value = ContentBlock> {
    prop_oneof![
        3 => text(),
        1 => Just(parse(r#"{"type":"image","source":{"type":"url","url":"u"}}"#)),
        1 => Just(parse(r#"{"type":"tool_reference","tool_name":"Read"}"#)),
    ]
}

/// Texts, images, references, results, calls and thinking, with few different
/// ids, so that pairs and duplicates are frequent.
fn content() -> impl Strategy<Value = ContentBlock> {
    let result =
        ("[a-c]", vec(inner(), 0..3), any::<bool>()).prop_map(|(id, content, is_error)| {
            ContentBlock::ToolResult(ToolResult {
                is_error: is_error.then_some(true),
                ..ToolResult::new(id, content)
            })
        });
    let call = "[a-c]".prop_map(|id| {
        parse(&format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{}}}}"#))
    });
    let thinking = r#"{"type":"thinking","thinking":"hm","signature":"s"}"#;
    prop_oneof![
        3 => inner(),
        3 => result,
        2 => call,
        1 => Just(parse(thinking)),
    ]
}

fn block() -> impl Strategy<Value = Block> {
    let nature = prop_oneof![
        Just(Nature::Shown),
        Just(Nature::Meta),
        Just(Nature::Reminder),
        Just(Nature::Added),
    ];
    let id = Conversation::new(Uuid::nil());
    (content(), nature, 0..4_usize).prop_map(move |(content, nature, entry)| Block {
        nature: match content {
            ContentBlock::Text(_) => nature,
            _ => Nature::Shown,
        },
        marker: None,
        content,
        source: BlockSource::new(
            Source::Entry { id: id.entry_id(entry), part: 0 },
            Layer::Conversation,
        ),
    })
}

/// Runs in all roles, in any order, also empty ones.
fn runs() -> impl Strategy<Value = Vec<Run>> {
    let role = prop_oneof![
        4 => Just(Role::User),
        4 => Just(Role::Assistant),
        1 => Just(Role::System),
        1 => Just(Role::Other("critic".into())),
    ];
    let run = (role, vec(block(), 0..5), prop::bool::weighted(0.2))
        .prop_map(|(role, blocks, is_cut)| Run { is_cut, ..Run::new(role, blocks) });
    vec(run, 0..6)
}

/// Messages, hidden messages, aborts and boundaries.
fn conversation() -> impl Strategy<Value = Conversation> {
    let entry = prop_oneof![
        4 => Just(EntryDraft::human("a")),
        1 => Just(EntryDraft::human("b").with_visibility(Visibility::DisplayOnly)),
        1 => Just(EntryDraft::aborted()),
        1 => Just(EntryDraft::boundary(Boundary::Clear)),
    ];
    vec(entry, 0..8).prop_map(|drafts| {
        let mut conversation = Conversation::new(Uuid::nil());
        for draft in drafts {
            conversation.push(draft);
        }
        conversation
    })
}

/// Applies the pass twice and compares the results.
fn check(runs: &[Run], pass: impl Fn(Vec<Run>) -> Vec<Run>) -> Result<(), TestCaseError> {
    let once = pass(runs.to_vec());
    prop_assert_eq!(pass(once.clone()), once);
    Ok(())
}

/// Turns a pass over single runs into a pass over all of them.
fn each(pass: impl Fn(&mut Run)) -> impl Fn(Vec<Run>) -> Vec<Run> {
    move |mut runs| {
        runs.iter_mut().for_each(&pass);
        runs
    }
}

fn strip_unsigned(run: &mut Run) {
    let settings = Settings { options: &LowerOptions::default(), excluded: &HashSet::new() };
    strip_thinking(run, settings, &mut Vec::new());
}

/// The pass as for a conversation's first runs.
fn repair_all(runs: Vec<Run>) -> Vec<Run> {
    let none = Pairing::new(Window::NextTurn, Repeats::Same);
    repair_pairs(runs, &none, &mut none.clone(), &mut Vec::new())
}

proptest! {
    #[test]
    fn passes_over_entries_are_idempotent(conversation in conversation()) {
        let entries = conversation.entries();
        let after = after_boundary(entries);
        prop_assert_eq!(after_boundary(after), after);
        let shown: Vec<_> = drop_display_only(entries).cloned().collect();
        prop_assert!(drop_display_only(&shown).eq(&shown));
        let snipped = entries.iter().take(2).map(|entry| entry.id).collect();
        let left: Vec<_> = drop_snipped(entries, &snipped).cloned().collect();
        prop_assert!(drop_snipped(&left, &snipped).eq(&left));
    }

    #[test]
    fn passes_over_runs_are_idempotent(runs in runs(), budget in 0..3_usize) {
        check(&runs, place_system)?;
        check(&runs, merge_adjacent)?;
        check(&runs, each(drop_blank))?;
        check(&runs, repair_all)?;
        check(&runs, each(hoist_tool_results))?;
        check(&runs, each(|run| sanitize_errors(run, &mut Vec::new())))?;
        check(&runs, each(smoosh_reminders))?;
        check(&runs, each(strip_unsigned))?;
        check(&runs, |mut runs| {
            fill_empty(&mut runs, Start::Here);
            runs
        })?;
        check(&runs, each(tag_ids))?;
        // The budget is for the whole conversation, so the first call spends
        // it.
        let mut once = runs.clone();
        let mut left = budget;
        once.iter_mut().for_each(|run| limit_media(run, &mut left));
        let mut twice = once.clone();
        twice.iter_mut().for_each(|run| limit_media(run, &mut left));
        prop_assert_eq!(once, twice);
    }
}

#[test]
fn a_pass_that_adds_a_run_each_time_breaks_the_law() {
    let runs = [Run::new(Role::User, Vec::new())];
    let repeat = |mut runs: Vec<Run>| {
        runs.push(runs[0].clone());
        runs
    };
    check(&runs, repeat).expect_err("the law must see the fault");
}
