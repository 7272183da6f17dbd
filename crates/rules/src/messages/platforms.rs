//! Features that some platforms lack.
//!
//! Source: the documentation on features by platform, and AWS's pages. Nothing
//! is reported if several platforms may receive the request.
//!
//! - `platform-key`: `"mcp_servers":[…]` on Bedrock, `"output_config":{"format":{…}}`
//!   on its Messages endpoint, `"thread":{…}` on any
//!   cloud, another cloud's `anthropic_version`, `"model"` in a body for
//!   `InvokeModel` or Google Cloud, whose addresses have it.
//! - `platform-feature`: `"source":{"type":"url",…}` on Bedrock and Google
//!   Cloud. Valid: the same image as base64.
//! - `marker-platform`: the automatic marker with `InvokeModel`, which answers
//!   400. Valid: a marker on the last block.

use aside_json::Value;
use aside_models::Platform::{BedrockInvoke, GoogleCloud};

use super::view::View;
use crate::checker::Checker;
use crate::context::ApiEndpoint;
use crate::of::platform::{
    lacks_fast_mode, lacks_output_format, lacks_tool, missing_keys, of_version, takes_data_only,
};
use crate::table::{MARKER_PLATFORM, PLATFORM_FEATURE, PLATFORM_KEY};

/// Beta lists are in the rule table, and model features in the model catalogue;
/// here are only keys and sources.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let root = view.root;
    let in_address: &[&str] = match (checker.platform(), checker.endpoint) {
        (Some(BedrockInvoke), _) => &["model", "stream"],
        (Some(GoogleCloud), ApiEndpoint::Messages) => &["model"],
        _ => &[],
    };
    for key in in_address {
        if root.get(key).is_some() {
            let found = "a key that is part of the address";
            checker.add(&PLATFORM_KEY, *key, found);
        }
    }
    if root.given("cache_control").is_some() {
        checker.add(&MARKER_PLATFORM, "cache_control", "the automatic marker");
    }
    let Some(platform) = checker.platform() else {
        return;
    };
    let version = root.text_of("anthropic_version").unwrap_or_default();
    let has_version = matches!(platform, BedrockInvoke | GoogleCloud);
    if has_version && of_version(&version).is_some_and(|it| it != platform) {
        let found = format!("{version:?}, on {platform}");
        checker.add(&PLATFORM_KEY, "anthropic_version", found);
    }
    for key in missing_keys(platform) {
        if root.given(key).is_some() {
            checker.add(&PLATFORM_KEY, key, format!("the key, on {platform}"));
        }
    }
    if lacks_fast_mode(platform) && root.text_of("speed").as_deref() == Some("fast") {
        checker.add(&PLATFORM_KEY, "speed", format!("\"fast\", on {platform}"));
    }
    let config = root.given("output_config");
    if lacks_output_format(platform) && config.is_some_and(|it| it.given("format").is_some()) {
        let found = format!("the key, on {platform}");
        checker.add(&PLATFORM_KEY, "output_config.format", found);
    }
    if takes_data_only(platform) {
        for block in view.all_blocks() {
            let source = block.value.given("source");
            let kind = source.filter(|it| it.raw().starts_with('{')).map(Value::tag);
            if let Some(kind) = kind.filter(|it| matches!(&**it, "url" | "file")) {
                let found = format!("a source {kind:?}, on {platform}");
                checker.add(&PLATFORM_FEATURE, block.at("source"), found);
            }
        }
    }
    for (index, tool) in view.tools.iter().enumerate() {
        let kind = tool.tag();
        if lacks_tool(platform, &kind) {
            let path = format!("tools[{index}].type");
            checker.add(&PLATFORM_KEY, path, format!("{kind:?}, on {platform}"));
        }
    }
}
