//! Laws for every session.

use aside_cache_model::CacheRules;
use aside_cache_split::Layout;
use aside_messages::wire::Request;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::cache::model::{Cache, Found};
use crate::cache::session::{Delivery, Turn, play, turns};

/// Returns the requests that read less from the cache than the one before them
/// left there: all of it with persistent delivery, all but the last message
/// with ephemeral delivery.
pub(crate) fn misses(requests: &[Request], delivery: Delivery, rules: CacheRules) -> Vec<String> {
    let mut cache = Cache::new(rules);
    let mut before: Option<Found> = None;
    let mut misses = Vec::new();
    for (number, request) in (1..).zip(requests) {
        let found = cache.send(request);
        if let Some(before) = before {
            let expected = match delivery {
                Delivery::Persistent => before.blocks,
                Delivery::Ephemeral => before.last_message,
            };
            if found.read < expected {
                let read = found.read;
                misses.push(format!("request {number} reads {read} blocks of {expected}"));
            }
        }
        before = Some(found);
    }
    misses
}

/// Tries a law with a thirty-second of the cases: a session has sixty requests
/// and a request up to a thousand blocks. The `proptest` macro would try as
/// many as the environment says.
fn hold(law: impl Fn(Vec<Turn>) -> Result<(), TestCaseError>) {
    let mut config = ProptestConfig::with_source_file(file!());
    config.cases = config.cases.div_ceil(32);
    TestRunner::new(config).run(&turns(), law).unwrap();
}

fn check(layout: Layout, delivery: Delivery, turns: &[Turn]) -> Result<(), TestCaseError> {
    let misses = misses(&play(layout, delivery, turns), delivery, CacheRules::anthropic());
    prop_assert!(misses.is_empty(), "{layout:?} {delivery:?}: {misses:?}");
    Ok(())
}

#[test]
fn all_that_was_sent_is_read_again() {
    hold(|turns| {
        check(Layout::Layered, Delivery::Persistent, &turns)?;
        check(Layout::Classic, Delivery::Persistent, &turns)
    });
}

#[test]
fn all_but_the_last_message_is_read_again() {
    hold(|turns| {
        check(Layout::Layered, Delivery::Ephemeral, &turns)?;
        check(Layout::Classic, Delivery::Ephemeral, &turns)
    });
}
