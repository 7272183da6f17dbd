//! Seeded faults that the laws must detect.

use aside_cache_model::{CacheRules, Choice};
use aside_cache_split::Layout;
use aside_messages::wire::{CacheControl, ContentBlock, Request, Role};

use crate::cache::laws::misses;
use crate::cache::session::{Delivery, Turn, play};

/// Returns valid requests from a session with sixty turns.
fn good(delivery: Delivery) -> Vec<Request> {
    let kinds = [Turn::Talk, Turn::Delivered, Turn::Tools(18), Turn::Think, Turn::Interrupted];
    let turns: Vec<Turn> = kinds.into_iter().cycle().take(60).collect();
    let requests = play(Layout::Layered, delivery, &turns);
    assert_eq!(misses(&requests, delivery, CacheRules::anthropic()), [""; 0]);
    requests
}

/// Checks that a fault in a valid session's requests is detected.
fn check(delivery: Delivery, spoil: impl Fn(usize, &mut Request)) {
    check_with(CacheRules::anthropic(), delivery, spoil);
}

fn check_with(rules: CacheRules, delivery: Delivery, spoil: impl Fn(usize, &mut Request)) {
    let mut requests = good(delivery);
    for (number, request) in (1..).zip(&mut requests) {
        spoil(number, request);
    }
    assert_ne!(misses(&requests, delivery, rules), [""; 0]);
}

fn rewrite(block: &mut ContentBlock, change: impl Fn(&str) -> String) {
    let ContentBlock::Text(block) = block else { unreachable!("the fault goes into a text") };
    block.text = change(&block.text).into();
}

#[test]
fn a_date_in_the_static_zone() {
    check(Delivery::Persistent, |number, request| {
        let day = if number < 30 { "31" } else { "32" };
        rewrite(&mut request.system[1], |text| format!("{text}\n{day}"));
    });
}

#[test]
fn tools_in_the_order_in_which_they_connected() {
    check(Delivery::Persistent, |number, request| {
        if number == 30 {
            request.tools.swap(0, 1);
        }
    });
}

#[test]
fn a_marker_on_a_volatile_block() {
    check(Delivery::Ephemeral, |_, request| {
        let marked = |block: &ContentBlock| block.cache_control().is_some();
        let blocks = || request.messages.iter().flat_map(|it| &it.content);
        let last = blocks().filter(|block| marked(block)).count();
        let mut blocks: Vec<&mut ContentBlock> =
            request.messages.iter_mut().flat_map(|it| &mut it.content).collect();
        let at = (0..blocks.len()).filter(|&at| marked(blocks[at])).nth(last - 1).unwrap();
        unmark(blocks[at]);
        blocks.last_mut().unwrap().mark(CacheControl::EPHEMERAL);
    });
}

#[test]
fn a_wide_fan_out_without_the_anchor() {
    // By default a run of tool blocks is one position, and the anchor spare.
    let rules = CacheRules::anthropic().flipped(Choice::LookBackUnit);
    check_with(rules, Delivery::Persistent, |_, request| {
        let blocks = request.messages.iter_mut().skip(1).flat_map(|it| &mut it.content);
        let mut marked: Vec<_> = blocks.filter(|it| it.cache_control().is_some()).collect();
        marked.pop();
        marked.into_iter().for_each(unmark);
    });
}

#[test]
fn an_attachment_that_is_rendered_again() {
    check(Delivery::Persistent, |number, request| {
        let users = request.messages.iter_mut().filter(|it| it.role == Role::User);
        let first = users.flat_map(|it| &mut it.content).nth(1).unwrap();
        if number > 30 {
            rewrite(first, |text| format!("{text} (again)"));
        }
    });
}

fn unmark(block: &mut ContentBlock) {
    match block {
        ContentBlock::Text(block) => block.cache_control = None,
        ContentBlock::ToolUse(block) => block.cache_control = None,
        ContentBlock::ToolResult(block) => block.cache_control = None,
        other => unreachable!("{other:?} bears no marker here"),
    }
}

/// A valid session misses nothing, whichever way the provider decides what it does not document,
/// with one exception: a model that leaves out earlier turns' thinking has another prefix at the
/// start of a turn.
#[test]
fn laws_depend_on_one_undocumented_rule() {
    let requests = good(Delivery::Persistent);
    for choice in Choice::ALL {
        let rules = CacheRules::anthropic().flipped(choice);
        let misses = misses(&requests, Delivery::Persistent, rules);
        let is_expected = choice == Choice::Thinking;
        assert_eq!(!misses.is_empty(), is_expected, "{}: {misses:?}", choice.as_str());
    }
}
