//! Laws of every session.

use aside_cache_model::CacheRules;
use aside_cache_split::Layout;
use aside_messages::wire::Request;
use proptest::prelude::*;

use crate::cache::model::{Cache, Found};
use crate::cache::session::{Delivery, Turn, play, turns};
use crate::support::thirty_second;

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
                misses.push(format!(
                    "request {number} reads {read} blocks of {expected}"
                ));
            }
        }
        before = Some(found);
    }
    misses
}

fn check(layout: Layout, delivery: Delivery, turns: &[Turn]) -> Result<(), TestCaseError> {
    let misses = misses(
        &play(layout, delivery, turns),
        delivery,
        CacheRules::anthropic(),
    );
    prop_assert!(misses.is_empty(), "{layout:?} {delivery:?}: {misses:?}");
    Ok(())
}

proptest! {
    // A session has sixty requests and a request up to a thousand blocks.
    #![proptest_config(ProptestConfig { cases: thirty_second(), ..ProptestConfig::default() })]

    #[test]
    fn all_that_was_sent_is_read_again(turns in turns()) {
        check(Layout::Layered, Delivery::Persistent, &turns)?;
        check(Layout::Classic, Delivery::Persistent, &turns)?;
    }

    #[test]
    fn all_but_the_last_message_is_read_again(turns in turns()) {
        check(Layout::Layered, Delivery::Ephemeral, &turns)?;
        check(Layout::Classic, Delivery::Ephemeral, &turns)?;
    }
}
