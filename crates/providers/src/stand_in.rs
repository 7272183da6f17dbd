//! Which models replace Claude models on other platforms.
//!
//! Another vendor offers its newest model for the tier (Opus, Sonnet, Haiku); a cloud that serves
//! Anthropic's models has its own id for the same model.

use aside_models::{self as models, Tier, Vendor, counterpart, find};

/// Returns a vendor's newest model to replace a Claude tier, on one wire.
///
/// The catalogue has one for each vendor, tier and wire in the provider table; a test checks this.
pub(crate) fn newest(vendor: Vendor, tier: Tier, wire: models::Wire) -> String {
    let facts = counterpart(vendor, tier, wire);
    facts.expect("the catalogue has a stand-in for each line on each wire").id.to_owned()
}

/// Returns Bedrock's id for a model: the inference profile for all regions. A name that is not an
/// id at Anthropic's API stays: it is Bedrock's already, or a guess would be refused with a less
/// clear message.
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

/// Returns a model's id at Bedrock's Messages endpoint. A name that is not an id at Anthropic's API
/// stays, and so does one that the endpoint does not have.
///
/// `claude-opus-5-5` becomes `anthropic.claude-opus-5-5`.
pub(crate) fn on_bedrock_messages(model: &str) -> String {
    let facts = find(model).facts;
    match facts.cloud_ids.bedrock_messages {
        Some(id) if is_api_id(model) => id.to_owned(),
        _ => model.to_owned(),
    }
}

/// Returns Google Cloud's id for a model; a name that is not an id at Anthropic's API stays.
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
/// Clouds' ids have `@`, `:` or another beginning; `[1m]` is a Claude Code suffix.
pub(crate) fn is_api_id(model: &str) -> bool {
    model.starts_with("claude-") && !model.contains(['@', ':', '['])
}
