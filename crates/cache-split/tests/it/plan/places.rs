//! Where markers go.

use aside_cache_split::{Continuation, Layout, TtlPolicy};

use crate::plan::setting::{LAYERED, Prompt, Setting, check, tool};

#[test]
fn layered_layout() {
    check(
        LAYERED,
        "psu",
        "static@system[1] project@messages[0].content[0] last@messages[0].content[2]",
    );
    check(
        LAYERED,
        "psucruau",
        "static@system[1] project@messages[0].content[0] anchor@messages[2].content[1] last@messages[4].content[0]",
    );
    // Without instruction files the project layer ends with the system prompt.
    check(LAYERED, "su", "static@system[1] project@system[2] last@messages[0].content[1]");
    check(LAYERED, "p", "static@system[1] project@messages[0].content[0]");
}

#[test]
fn a_volatile_block_is_never_marked() {
    let reminded = || Setting { ephemeral: 2, ..LAYERED };
    check(
        reminded(),
        "psu",
        "static@system[1] project@messages[0].content[0] last@messages[0].content[1]",
    );
    check(
        reminded(),
        "psucr",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[1].content[0]",
    );
    check(
        reminded(),
        "psucrucr",
        "static@system[1] project@messages[0].content[0] anchor@messages[2].content[1] last@messages[3].content[0]",
    );
}

#[test]
fn thinking_is_never_marked() {
    check(
        Setting { ephemeral: 1, ..LAYERED },
        "puctr",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[1] last@messages[1].content[0]",
    );
}

#[test]
fn classic_layout() {
    let classic = || Setting { layout: Layout::Classic, ..LAYERED };
    check(
        classic(),
        "suau",
        "identity@system[0] prefix@system[1] anchor@messages[0].content[1] last@messages[2].content[0]",
    );
    check(
        Setting { global_scope: true, ttl: TtlPolicy::Long, ..classic() },
        "su",
        "static+1h+global@system[1] last+1h@messages[0].content[1]",
    );
}

#[test]
fn tools_are_marked_only_without_a_system_prompt() {
    let tools = || vec![tool("a", None), tool("b", None), tool("c", Some(true))];
    check(
        Setting { tools: tools(), prompt: Prompt::None, ..LAYERED },
        "u",
        "static@tools[1] last@messages[0].content[0]",
    );
    check(
        Setting { tools: tools(), ttl: TtlPolicy::LongPrefix, ..LAYERED },
        "u",
        "tool+1h@tools[1] static+1h@system[1] project+1h@system[2] last@messages[0].content[0]",
    );
}

#[test]
fn a_free_place_of_the_first_request_goes_to_the_last_tool() {
    let tools = || Setting { tools: vec![tool("a", None), tool("b", Some(true))], ..LAYERED };
    check(
        tools(),
        "psu",
        "tool@tools[0] static@system[1] project@messages[0].content[0] last@messages[0].content[2]",
    );
    check(
        tools(),
        "psm",
        "tool@tools[0] static@system[1] project@messages[0].content[0] caller@messages[0].content[2]",
    );
    check(
        tools(),
        "psmu",
        "static@system[1] project@messages[0].content[0] caller@messages[0].content[2] last@messages[0].content[3]",
    );
    check(
        tools(),
        "psuau",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[2].content[0]",
    );
    let one_shot = Setting { continuation: Continuation::OneShot, ..tools() };
    check(
        one_shot,
        "psu",
        "static@system[1] project@messages[0].content[0] session@messages[0].content[1]",
    );
}

#[test]
fn the_last_tool_goes_before_the_identity_of_a_custom_prompt() {
    let custom = || Setting { tools: vec![tool("a", None)], prompt: Prompt::Custom, ..LAYERED };
    check(
        custom(),
        "psu",
        "tool@tools[0] static@system[1] project@messages[0].content[0] last@messages[0].content[2]",
    );
    check(
        custom(),
        "psuau",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[2].content[0]",
    );
}

#[test]
fn instructions_of_the_user_have_a_marker_of_their_own() {
    check(
        LAYERED,
        "pxsu",
        "project@messages[0].content[0] user@messages[0].content[1] last@messages[0].content[3]",
    );
    check(
        LAYERED,
        "xsuau",
        "project@system[2] user@messages[0].content[0] anchor@messages[0].content[2] last@messages[2].content[0]",
    );
    // The project end does not cover what all organizations share.
    let global = Setting { global_scope: true, ..LAYERED };
    check(
        global,
        "pxsu",
        "static+global@system[1] project@messages[0].content[0] user@messages[0].content[1] last@messages[0].content[3]",
    );
}

#[test]
fn markers_are_given_up_in_the_order_of_their_worth() {
    check(
        LAYERED,
        "psmmcrcr",
        "caller@messages[0].content[2] caller@messages[0].content[3] anchor@messages[2].content[0] last@messages[4].content[0]",
    );
    check(
        LAYERED,
        "psmmmcrcr",
        "caller@messages[0].content[2] caller@messages[0].content[3] caller@messages[0].content[4] last@messages[4].content[0]",
    );
}

#[test]
fn the_callers_markers_are_kept() {
    check(
        LAYERED,
        "psmau",
        "static@system[1] project@messages[0].content[0] caller@messages[0].content[2] last@messages[2].content[0]",
    );
    check(
        LAYERED,
        "psmamau",
        "project@messages[0].content[0] caller@messages[0].content[2] caller@messages[2].content[0] last@messages[4].content[0]",
    );
    check(
        Setting { layout: Layout::Classic, ..LAYERED },
        "smamau",
        "prefix@system[1] caller@messages[0].content[1] caller@messages[2].content[0] last@messages[4].content[0]",
    );
}

#[test]
fn a_marker_on_a_volatile_block_is_not_sent() {
    check(
        Setting { ephemeral: 1, ..LAYERED },
        "psuam",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[1].content[0]",
    );
}

#[test]
fn a_one_shot_request_marks_only_shared_layers() {
    let one_shot = || Setting { continuation: Continuation::OneShot, ..LAYERED };
    check(
        one_shot(),
        "psuau",
        "static@system[1] project@messages[0].content[0] session@messages[0].content[1]",
    );
    check(one_shot(), "suau", "static@system[1] project@system[2] session@messages[0].content[0]");
    check(
        one_shot(),
        "psm",
        "static@system[1] project@messages[0].content[0] session@messages[0].content[1] caller@messages[0].content[2]",
    );
}
