//! Parts of a body that are reported as lost.
//!
//! There are two policies: members of an item or a part that the server adds itself (ids, states)
//! are dropped without a report; every other member, and every parameter of a body, is a conversion
//! loss with its JSON path.

use super::object::Object;
use crate::loss::ConversionLoss;

/// Reports an item or a part that the Messages API has no counterpart for.
pub(super) fn lose(path: &str, losses: &mut Vec<ConversionLoss>) {
    let what = "left out: the Messages API has no counterpart";
    losses.push(ConversionLoss::new(path, what));
}

/// Reports members of an item that were not read.
///
/// Members that are null, and those that a server adds to its own items (`id`, `status`,
/// `annotations`, `logprobs`), are not reported.
pub(super) fn report(item: Object<'_>, losses: &mut Vec<ConversionLoss>) {
    // Ids and states of items are the server's.
    let is_its_own = |path: &str| {
        let key = path.rsplit('.').next().unwrap_or_default();
        matches!(
            key,
            "type" | "id" | "status" | "annotations" | "logprobs" | "role"
        )
    };
    for (path, value) in item.rest() {
        if !value.is_null() && !is_its_own(&path) {
            lose(&path, losses);
        }
    }
}

/// Reports the parameters of a body that were not read.
///
/// In contrast to [`report`], `id` or `status` at this level is reported: it is no item of a
/// server.
pub(super) fn report_parameters(body: Object<'_>, losses: &mut Vec<ConversionLoss>) {
    for (key, value) in body.rest() {
        if !value.is_null() {
            losses.push(ConversionLoss::new(&key, reason(&key)));
        }
    }
}

/// Returns why a parameter is left out.
fn reason(key: &str) -> &'static str {
    match key {
        "functions" | "function_call" => {
            "left out: an older form of tools and tool_choice, which is not read"
        }
        "previous_response_id" | "conversation" | "prompt" => {
            "left out: it is kept by the server, and not in the body"
        }
        "prompt_cache_options" | "prompt_cache_retention" => {
            "left out: the Messages API has a lifetime for each cache marker only"
        }
        _ => "left out: the Messages API has no such parameter",
    }
}
