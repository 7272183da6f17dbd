//! The lifetimes of [`TtlPolicy::Checkpoints`].

use aside_cache_split::{PrefixTtl, TtlPolicy};

use crate::plan::setting::{LAYERED, Setting, check};

fn checkpoints() -> Setting {
    Setting {
        ttl: TtlPolicy::Checkpoints,
        ..LAYERED
    }
}

#[test]
fn the_first_two_requests_of_a_session_are_short() {
    check(
        checkpoints(),
        "psu",
        "static@system[1] project@messages[0].content[0] last@messages[0].content[2]",
    );
    check(
        checkpoints(),
        "psuau",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[2].content[0]",
    );
}

#[test]
fn the_first_request_of_a_turn_is_a_checkpoint() {
    // The anchor is at the beginning of the turn before, where the checkpoint of
    // that turn has written an entry of an hour.
    check(
        checkpoints(),
        "psucrcrau",
        "static+1h@system[1] project+1h@messages[0].content[0] anchor+1h@messages[0].content[2] last+1h@messages[6].content[0]",
    );
    check(
        checkpoints(),
        "psuaucrau",
        "static+1h@system[1] project+1h@messages[0].content[0] anchor+1h@messages[2].content[0] last+1h@messages[6].content[0]",
    );
    // In the turn, the anchor is at the previous message of the user.
    check(
        checkpoints(),
        "psuaucrcr",
        "static@system[1] project@messages[0].content[0] anchor@messages[4].content[0] last@messages[6].content[0]",
    );
}

#[test]
fn words_of_the_user_among_results_begin_a_turn() {
    check(
        checkpoints(),
        "psuaucru",
        "static+1h@system[1] project+1h@messages[0].content[0] anchor+1h@messages[2].content[0] last+1h@messages[4].content[1]",
    );
}

#[test]
fn every_tenth_request_of_a_loop_is_a_checkpoint() {
    let after = |calls: usize| format!("psu{}", "cr".repeat(calls));
    let expected = |ttl: &str, calls: usize| {
        format!(
            "static{ttl}@system[1] project{ttl}@messages[0].content[0] anchor{ttl}@messages[{}].content[0] last{ttl}@messages[{}].content[0]",
            2 * calls - 2,
            2 * calls
        )
    };
    for calls in 2..32 {
        let ttl = match (calls + 1) % 10 {
            0 => "+1h",
            _ => "",
        };
        check(checkpoints(), &after(calls), &expected(ttl, calls));
    }
}

#[test]
fn a_reset_prefix_is_never_written_for_an_hour() {
    let reset = Setting {
        is_reset: true,
        ..checkpoints()
    };
    check(
        reset,
        "psucrcrau",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[6].content[0]",
    );
}

#[test]
fn the_prefix_has_a_lifetime_of_its_own() {
    let long_prefix = Setting {
        prefix: PrefixTtl::OneHour,
        ..checkpoints()
    };
    check(
        long_prefix,
        "psucr",
        "static+1h@system[1] project+1h@messages[0].content[0] anchor@messages[0].content[2] last@messages[2].content[0]",
    );
}

#[test]
fn a_long_answer_keeps_the_anchor_at_the_previous_message() {
    // One answer of many blocks: the entry of the last request is out of reach
    // of the last marker.
    let wide = |answers: usize| format!("psuaucr{}u", "a".repeat(answers));
    check(
        checkpoints(),
        &wide(3),
        "static+1h@system[1] project+1h@messages[0].content[0] anchor+1h@messages[2].content[0] last+1h@messages[6].content[0]",
    );
    check(
        checkpoints(),
        &wide(20),
        "static+1h@system[1] project+1h@messages[0].content[0] anchor+1h@messages[4].content[0] last+1h@messages[6].content[0]",
    );
}
