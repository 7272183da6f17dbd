//! The state of a conversation, computed entry by entry.

use std::time::Duration;

use aside_messages::conversation::{Boundary, Conversation, EntryDraft, Origin, Part, Visibility};
use aside_messages::wire::Role;
use aside_reminder::Tally;
use proptest::prelude::*;
use uuid::Uuid;

/// Returns a response with these calls, as pairs of name and input.
fn response(calls: &[(&str, &str)]) -> EntryDraft {
    let call = |(name, input): &(&str, &str)| Part::tool_use("id", *name, *input);
    let origin = Origin::Model { provider: "p".into(), name: "m".into() };
    EntryDraft::message(Role::Assistant, origin, calls.iter().map(call).collect())
}

fn results() -> EntryDraft {
    EntryDraft::message(Role::User, Origin::Human, vec![Part::tool_result("id", "ok")])
}

fn conversation(entries: &[EntryDraft]) -> Conversation {
    let mut conversation = Conversation::new(Uuid::nil());
    for entry in entries {
        conversation.push(entry.clone());
    }
    conversation
}

/// Returns the number of messages, the last calls and the repeated call.
fn counts(tally: &Tally) -> (u64, Vec<String>, Option<(String, u64)>) {
    let state = tally.state(0, Duration::ZERO);
    let calls = state.last_tool_calls.iter();
    let repeated = state.repeated.map(|it| (it.tool.to_owned(), it.times));
    let calls = calls.map(|call| call.name.to_string()).collect();
    (state.message_count, calls, repeated)
}

fn check(entries: &[EntryDraft], messages: u64, calls: &[&str], repeated: Option<(&str, u64)>) {
    let mut tally = Tally::default();
    tally.follow(&conversation(entries));
    let calls: Vec<String> = calls.iter().map(|&name| name.to_owned()).collect();
    let repeated = repeated.map(|(name, times)| (name.to_owned(), times));
    assert_eq!(counts(&tally), (messages, calls, repeated));
}

#[test]
fn entries_of_one_role_are_one_message() {
    let hidden = EntryDraft::human("x").with_visibility(Visibility::DisplayOnly);
    check(&[], 0, &[], None);
    check(&[EntryDraft::human("a"), EntryDraft::human("b")], 1, &[], None);
    check(&[EntryDraft::human("a"), response(&[]), hidden, response(&[])], 2, &[], None);
    check(&[EntryDraft::human("a"), EntryDraft::aborted(), EntryDraft::human("b")], 2, &[], None);
}

#[test]
fn the_calls_are_those_of_the_last_response() {
    let read = response(&[("Read", "{}"), ("Glob", "{}")]);
    check(std::slice::from_ref(&read), 1, &["Read", "Glob"], Some(("Glob", 1)));
    check(
        &[read.clone(), results(), EntryDraft::human("continue")],
        2,
        &["Read", "Glob"],
        Some(("Glob", 1)),
    );
    // A response may have several entries.
    check(
        &[read.clone(), response(&[("Edit", "{}")])],
        1,
        &["Read", "Glob", "Edit"],
        Some(("Edit", 1)),
    );
    check(&[read, results(), response(&[])], 3, &[], None);
}

#[test]
fn a_repetition_has_the_same_tool_and_input() {
    let bash = |input| response(&[("Bash", input)]);
    let twice = [bash("1"), results(), bash("1")];
    check(&twice, 3, &["Bash"], Some(("Bash", 2)));
    check(&[bash("1"), results(), bash("2")], 3, &["Bash"], Some(("Bash", 1)));
    check(
        &[bash("1"), results(), response(&[("Read", "1")]), results(), bash("1")],
        5,
        &["Bash"],
        Some(("Bash", 1)),
    );
    // A response without a call ends the repetition.
    check(
        &[bash("1"), results(), response(&[]), EntryDraft::human("again"), bash("1")],
        5,
        &["Bash"],
        Some(("Bash", 1)),
    );
    check(
        &[response(&[("Bash", "1"), ("Bash", "1")]), results(), bash("1")],
        3,
        &["Bash"],
        Some(("Bash", 3)),
    );
}

#[test]
fn a_boundary_resets_the_counts() {
    let before = [EntryDraft::human("a"), response(&[("Bash", "1")])];
    let compact = EntryDraft::boundary(Boundary::Compact { summary: "Summary.".into() });
    let clear = EntryDraft::boundary(Boundary::Clear);
    check(&[&before[..], &[clear]].concat(), 0, &[], None);
    // The summary and the next message are one user message.
    check(&[&before[..], &[compact, EntryDraft::human("b")]].concat(), 1, &[], None);
}

#[test]
fn only_a_user_message_awaits_a_response() {
    for (entries, expected) in [
        (vec![], false),
        (vec![EntryDraft::human("a")], true),
        (vec![EntryDraft::human("a"), response(&[])], false),
        (vec![EntryDraft::human("a"), response(&[("Read", "1")]), results()], true),
        (vec![EntryDraft::human("a"), EntryDraft::aborted()], true),
        (vec![EntryDraft::human("a"), EntryDraft::boundary(Boundary::Clear)], false),
    ] {
        let mut tally = Tally::default();
        tally.follow(&conversation(&entries));
        assert_eq!(tally.awaits_answer(), expected, "{entries:?}");
    }
}

#[test]
fn another_conversation_resets_the_counts() {
    let mut tally = Tally::default();
    tally.follow(&conversation(&[EntryDraft::human("a"), response(&[])]));
    let mut other = Conversation::new(Uuid::max());
    other.push(EntryDraft::human("b"));
    other.push(EntryDraft::human("c"));
    tally.follow(&other);
    assert_eq!(counts(&tally).0, 1);
}

#[test]
fn a_fork_at_the_same_position_and_id_is_counted_from_its_start() {
    let before = conversation(&[EntryDraft::human("a"), response(&[("Read", "1")])]);
    let mut tally = Tally::default();
    tally.follow(&before);
    // A rewind to the first entry: the other branch has an entry with the same
    // id.
    let kept = before.entries()[..1].to_vec();
    let mut fork = Conversation::from_entries(before.id(), kept).unwrap();
    fork.push(response(&[("Grep", "2")]));
    assert_eq!(fork.entries()[1].id, before.entries()[1].id);
    tally.follow(&fork);
    assert_eq!(counts(&tally).1, ["Grep"]);
}

fn entry() -> impl Strategy<Value = EntryDraft> {
    prop_oneof![
        Just(EntryDraft::human("a")),
        Just(results()),
        Just(EntryDraft::aborted()),
        Just(EntryDraft::boundary(Boundary::Clear)),
        prop::collection::vec((0..2usize, 0..2usize), 0..3).prop_map(|calls| {
            let call = |&(name, input): &(usize, usize)| (["A", "B"][name], ["1", "2"][input]);
            response(&calls.iter().map(call).collect::<Vec<_>>())
        }),
    ]
}

proptest! {
    #[test]
    fn counting_step_by_step_equals_counting_at_once(entries in prop::collection::vec(entry(), 0..20)) {
        let mut step_by_step = Tally::default();
        let mut growing = Conversation::new(Uuid::nil());
        for entry in &entries {
            growing.push(entry.clone());
            step_by_step.follow(&growing);
        }
        let mut at_once = Tally::default();
        at_once.follow(&growing);
        prop_assert_eq!(counts(&step_by_step), counts(&at_once));
    }
}
