//! Seeded faults: each row in the table, in the form for models that do not
//! bind their thinking. The law must detect each.

use aside_cache_split::Layout;

use crate::append_only::law::{Judge, Sent};
use crate::append_only::play::Play;
use crate::append_only::step::{Edit, Step};

const UNBOUND: &str = "claude-opus-5";

/// Returns a session's first fault.
fn fault(mut play: Play, steps: &[Step]) -> Option<String> {
    let mut judge = Judge::default();
    let sent: Vec<_> = steps.iter().filter_map(|step| play.step(*step)).collect();
    let mut sent = sent.into_iter().map(|sent| Sent { is_bound: true, ..sent });
    sent.find_map(|sent| judge.judge(&sent).err())
}

#[track_caller]
fn check(layout: Layout, steps: &[Step], expected: &str) {
    let fault = fault(Play::without_reminders(UNBOUND, layout), steps).unwrap_or_default();
    assert!(fault.contains(expected), "{expected}: {fault}");
}

#[test]
fn a_reminder_of_one_request() {
    let steps = [Step::Answered, Step::Answered];
    for layout in [Layout::Layered, Layout::Classic] {
        let fault = fault(Play::new(UNBOUND, layout, true), &steps);
        assert!(fault.unwrap().contains("message 0 differs"));
    }
}

#[test]
fn tools_in_place() {
    let steps = [Step::Answered, Step::Tools(7), Step::Answered];
    check(Layout::Layered, &steps, "the tools are others");
}

#[test]
fn a_section_in_place() {
    let steps = [Step::Answered, Step::Section(1), Step::Answered];
    check(Layout::Classic, &steps, "the system prompt is another one");
}

#[test]
fn media_that_are_replaced() {
    let steps = [Step::Saw(3), Step::Saw(3), Step::Saw(3), Step::Answered];
    check(Layout::Layered, &steps, "differs");
}

#[test]
fn a_snip() {
    let steps = [Step::Answered, Step::Answered, Step::Snipped, Step::Answered];
    check(Layout::Layered, &steps, "differs");
}

#[test]
fn an_edited_entry() {
    let steps = [Step::Answered, Step::Answered, Step::Edited(Edit::Reword, 2), Step::Answered];
    check(Layout::Layered, &steps, "differs");
}
