//! Invariant 10: thinking is sent only after the prefix that produced it.

mod faults;
mod law;
mod play;
mod step;

use aside_cache_split::Layout;
use proptest::prelude::*;

use law::Judge;
use play::Play;
use step::steps;

/// Models that bind their thinking, with and without `clear_at`.
const BOUND: &str = "claude-sonnet-5-5";

proptest! {
    #[test]
    fn thinking_is_sent_after_the_prefix_that_produced_it(
        steps in steps(),
        is_classic in any::<bool>(),
        has_betas in any::<bool>(),
    ) {
        let layout = if is_classic { Layout::Classic } else { Layout::Layered };
        let mut judge = Judge::default();
        let mut play = Play::new(BOUND, layout, has_betas);
        for step in steps {
            if let Some(sent) = play.step(step) {
                let verdict = judge.judge(&sent);
                prop_assert!(verdict.is_ok(), "{step:?}: {}", verdict.unwrap_err());
            }
        }
        prop_assert_eq!(judge.unreported(), None);
    }
}
