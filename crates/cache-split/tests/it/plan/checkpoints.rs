//! Lifetimes under [`TtlPolicy::Checkpoints`].

use std::time::Duration;

use aside_cache_split::TtlPolicy;
use aside_messages::encode::CHECKPOINT_POSITIONS;
use aside_messages::wire::Ttl;
use aside_models::ThinkingKept;

use crate::plan::setting::{LAYERED, Setting, check};

fn checkpoints() -> Setting {
    Setting { ttl: TtlPolicy::Checkpoints, ..LAYERED }
}

#[test]
fn the_first_request_of_a_session_is_short() {
    check(
        checkpoints(),
        "psu",
        "static@system[1] project@messages[0].content[0] last@messages[0].content[2]",
    );
    // The second request, too, when the first turn has no call.
    check(
        checkpoints(),
        "psuau",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[2].content[0]",
    );
}

#[test]
fn a_second_turn_is_a_checkpoint_while_the_first_one_is_in_the_cache() {
    let plan = |seconds, expected| {
        let setting =
            Setting { since_previous: Some(Duration::from_secs(seconds)), ..checkpoints() };
        check(setting, "psuau", expected);
    };
    plan(
        299,
        "static+1h@system[1] project+1h@messages[0].content[0] checkpoint+1h@messages[1].content[0] last@messages[2].content[0]",
    );
    plan(
        300,
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[2].content[0]",
    );
}

#[test]
fn the_first_request_after_a_call_is_a_checkpoint() {
    check(
        checkpoints(),
        "psucr",
        "static+1h@system[1] project+1h@messages[0].content[0] checkpoint+1h@messages[1].content[0] last@messages[2].content[0]",
    );
    check(
        checkpoints(),
        "psuaucr",
        "static+1h@system[1] project+1h@messages[0].content[0] checkpoint+1h@messages[3].content[0] last@messages[4].content[0]",
    );
}

#[test]
fn the_first_request_of_a_turn_is_a_checkpoint() {
    // A marker is at the last checkpoint. No place is left for the static end.
    check(
        checkpoints(),
        "psucrcrau",
        "project+1h@messages[0].content[0] before+1h@messages[1].content[0] checkpoint+1h@messages[5].content[0] last@messages[6].content[0]",
    );
    // A private layer gives up its place too.
    check(
        checkpoints(),
        "pxsucrau",
        "project+1h@messages[0].content[0] before+1h@messages[1].content[0] checkpoint+1h@messages[3].content[0] last@messages[4].content[0]",
    );
    // Within a turn, the anchor is at the previous user message.
    check(
        checkpoints(),
        "psucraucr",
        "static@system[1] project@messages[0].content[0] anchor@messages[4].content[0] last@messages[6].content[0]",
    );
}

#[test]
fn thinking_that_the_next_turn_drops_is_not_before_the_last_checkpoint() {
    let last_turn = Setting { thinking: ThinkingKept::LastTurn, ..checkpoints() };
    check(
        last_turn,
        "psuaucrau",
        "project+1h@messages[0].content[0] before+1h@messages[2].content[0] checkpoint+1h@messages[5].content[0] last@messages[6].content[0]",
    );
}

#[test]
fn words_of_the_user_among_results_begin_a_turn() {
    check(
        checkpoints(),
        "psuaucru",
        "static+1h@system[1] project+1h@messages[0].content[0] checkpoint+1h@messages[3].content[0] last@messages[4].content[1]",
    );
}

#[test]
fn a_loop_has_a_checkpoint_every_eight_positions() {
    let mut checkpoint = 1;
    for calls in 2..32 {
        let answer = 2 * calls - 1;
        let entries = format!("psu{}", "cr".repeat(calls));
        // A call has two positions. Those from the marked answer on count.
        let is_due = 2 * calls + 1 - checkpoint > CHECKPOINT_POSITIONS;
        let expected = if is_due {
            checkpoint = answer;
            format!(
                "static+1h@system[1] project+1h@messages[0].content[0] checkpoint+1h@messages[{answer}].content[0] last@messages[{}].content[0]",
                2 * calls
            )
        } else {
            format!(
                "static@system[1] project@messages[0].content[0] anchor@messages[{}].content[0] last@messages[{}].content[0]",
                2 * calls - 2,
                2 * calls
            )
        };
        check(checkpoints(), &entries, &expected);
    }
}

#[test]
fn a_reset_prefix_is_never_written_for_an_hour() {
    let reset = Setting { is_reset: true, ..checkpoints() };
    check(
        reset,
        "psucrcrau",
        "static@system[1] project@messages[0].content[0] anchor@messages[4].content[0] last@messages[6].content[0]",
    );
}

#[test]
fn no_hour_follows_five_minutes_of_the_caller() {
    check(
        checkpoints(),
        "psmcr",
        "static@system[1] project@messages[0].content[0] caller@messages[0].content[2] last@messages[2].content[0]",
    );
}

#[test]
fn the_prefix_has_a_lifetime_of_its_own() {
    let long_prefix = Setting { prefix: Ttl::OneHour, ..checkpoints() };
    check(
        long_prefix,
        "psu",
        "static+1h@system[1] project+1h@messages[0].content[0] last@messages[0].content[2]",
    );
}
