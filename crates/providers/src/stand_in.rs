//! Which models replace Claude models on other platforms.
//!
//! Another vendor offers its newest model for the tier (Opus, Sonnet, Haiku); a cloud that serves
//! Anthropic's models has its own id for the same model.

use aside_models::{self as models, CloudIds, Platform, Tier, Vendor, counterpart, find};

/// Returns a vendor's newest model to replace a Claude tier, on one wire.
///
/// The catalogue has one for each vendor, tier and wire in the provider table; a test checks this.
pub(crate) fn newest(vendor: Vendor, tier: Tier, wire: models::Wire) -> String {
    let facts = counterpart(vendor, tier, wire);
    facts.expect("the catalogue has a stand-in for each line on each wire").id.to_owned()
}

/// Returns a model's id on a cloud: `claude-haiku-4-5-20251001` becomes `claude-haiku-4-5@20251001`.
/// A name that is not an id at Anthropic's API stays: it is the cloud's already, or a guess would be
/// refused with a less clear message. So does one that the cloud is not known to have.
pub(crate) fn on_cloud(model: &str, id: impl Fn(&CloudIds) -> Option<String>) -> String {
    let found = id(&find(model).facts.cloud_ids).filter(|_| is_api_id(model));
    found.unwrap_or_else(|| model.to_owned())
}

/// Returns the API's id for a model that is named as on another platform that serves Anthropic's
/// models, or with Claude Code's suffix. `None` if the catalogue does not have it.
///
/// ```text
/// us.anthropic.claude-opus-5   claude-opus-5, but for Bedrock
/// claude-haiku-4-5@20251001    claude-haiku-4-5, but for Google Cloud
/// claude-opus-4-6[1m]          claude-opus-4-6
/// ```
pub(crate) fn elsewhere(model: &str, platform: Platform) -> Option<&'static str> {
    let is_elsewhere = match platform {
        Platform::FirstParty | Platform::AwsPlatform => !is_api_id(model),
        Platform::BedrockInvoke | Platform::BedrockMessages => model.contains(['@', '[']),
        Platform::GoogleCloud => model.contains([':', '[']) || model.contains("anthropic."),
        // A deployment may have any name.
        _ => false,
    };
    let found = find(model);
    let is_claude = found.is_known() && found.facts.vendor == Vendor::Anthropic;
    (is_elsewhere && is_claude).then_some(found.facts.id)
}

/// Returns true if the id is spelled as at Anthropic's own API.
///
/// Clouds' ids have `@`, `:` or another beginning; `[1m]` is a Claude Code suffix.
pub(crate) fn is_api_id(model: &str) -> bool {
    model.starts_with("claude-") && !model.contains(['@', ':', '['])
}
