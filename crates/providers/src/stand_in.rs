//! The models of other platforms that replace Claude models.
//!
//! Another vendor's stand-in is its newest model for the line (Opus, Sonnet, Haiku); a cloud that
//! serves Anthropic's models has an id of its own for the same model.

use aside_models::{self as models, Tier, Vendor, counterpart, find};

/// Returns the newest model of a vendor for a line of Claude, on one wire.
///
/// The catalogue has one for each vendor, line and wire of the table of providers; a test holds
/// that.
pub(crate) fn newest(vendor: Vendor, tier: Tier, wire: models::Wire) -> String {
    let facts = counterpart(vendor, tier, wire);
    facts
        .expect("the catalogue has a stand-in for each line on each wire")
        .id
        .to_owned()
}

/// Bedrock's id of a model: the inference profile of all regions. A name that
/// is not an id of Anthropic's API stays: it is Bedrock's already, or a guess
/// would be refused with a less clear message.
///
/// `claude-opus-5-5` becomes `global.anthropic.claude-opus-5-5`; `us.anthropic.claude-opus-5`
/// stays.
pub(crate) fn on_bedrock(model: &str) -> String {
    let facts = find(model).facts;
    match facts.cloud_ids.bedrock_invoke {
        Some(id) if is_api_id(model) => format!("global.{id}"),
        _ => model.to_owned(),
    }
}

/// The id of a model at Bedrock's Messages endpoint; a name that is not an id
/// of Anthropic's API stays, and so does one that the endpoint does not have.
///
/// `claude-opus-5-5` becomes `anthropic.claude-opus-5-5`.
pub(crate) fn on_bedrock_messages(model: &str) -> String {
    let facts = find(model).facts;
    match facts.cloud_ids.bedrock_messages {
        Some(id) if is_api_id(model) => id.to_owned(),
        _ => model.to_owned(),
    }
}

/// Google Cloud's id of a model; a name that is not an id of Anthropic's API
/// stays.
///
/// `claude-haiku-4-5-20251001` becomes `claude-haiku-4-5@20251001`.
pub(crate) fn on_vertex(model: &str) -> String {
    let facts = find(model).facts;
    match facts.cloud_ids.google_cloud {
        Some(id) if is_api_id(model) => id.to_owned(),
        _ => model.to_owned(),
    }
}

/// Returns true if the id is spelled as at Anthropic's own API.
///
/// Ids of the clouds have `@`, `:` or another beginning; `[1m]` is a suffix of Claude Code.
pub(crate) fn is_api_id(model: &str) -> bool {
    model.starts_with("claude-") && !model.contains(['@', ':', '['])
}
