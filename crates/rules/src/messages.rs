//! Rules for the Messages API.
//!
//! Keys, types and values are compared with `shapes/messages.shapes`. The other subjects have one
//! file each:
//!
//! | file | subject |
//! |---|---|
//! | `body` | syntax, size and number of messages |
//! | `parameters`, `sampling`, `thinking` | the top level of the body |
//! | `tools`, `strict`, `tool_names` | `tools`, `tool_choice`, `mcp_servers` |
//! | `order`, `content`, `results` | order of messages, blocks, tool uses with their results |
//! | `system_messages`, `tool_changes` | `role: "system"` in mid-conversation |
//! | `compaction`, `edits` | summaries and context editing |
//! | `media`, `markers`, `prompt_tokens` | images, cache markers, length of the prompt |
//! | `betas`, `known_betas`, `seen_from_clients` | unknown betas, and what real clients send |
//! | `platforms` | keys and features that a cloud lacks |
//!
//! The rules themselves are rows in `table`. Each has a body that breaks it and a valid neighbour
//! in `tests/it/check/cases/RULE`, except six that need bodies of many megabytes or an encoder. A
//! report is a prediction, based on documentation and published observations, which
//! `Finding::source` names.

mod betas;
pub(crate) mod body;
mod compaction;
mod content;
mod edits;
pub(crate) mod known_betas;
pub(crate) mod markers;
mod media;
mod order;
mod parameters;
mod platforms;
mod prompt_tokens;
mod results;
mod sampling;
pub(crate) mod seen_from_clients;
mod strict;
mod system_messages;
mod thinking;
mod tool_changes;
mod tool_names;
pub(crate) mod tools;
pub(crate) mod view;

use aside_json::Value;

use crate::checker::Checker;
use crate::context::ApiEndpoint;
use crate::shapes;

use self::view::View;

/// Runs every subject in a fixed order, so that equal bodies give equal lists.
pub(crate) fn check(checker: &mut Checker, root: Value<'_>) {
    let request = match (checker.endpoint, checker.is_cloud_body) {
        (ApiEndpoint::CountTokens, false) => "CountRequest",
        (ApiEndpoint::CountTokens, true) => "CloudCountRequest",
        (_, false) => "Request",
        (_, true) => "CloudRequest",
    };
    shapes::check(checker, request, root);
    let view = View::new(root);
    let subjects: &[fn(&mut Checker, &View<'_>)] = &[
        body::check,
        betas::check,
        prompt_tokens::check,
        platforms::check,
        parameters::check,
        sampling::check,
        thinking::check,
        tools::check,
        strict::check,
        edits::check,
        content::check,
        order::check,
        results::check,
        system_messages::check,
        tool_changes::check,
        compaction::check,
        media::check,
        markers::check,
    ];
    for check in subjects {
        check(checker, &view);
    }
    checker.skip_the_undecidable(&view);
}
