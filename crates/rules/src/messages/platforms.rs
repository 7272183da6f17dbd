//! Features that some platforms lack.
//!
//! Source: the documentation of features by platform, and AWS's pages. Nothing
//! is reported if several platforms may receive the request.
//!
//! - `platform-key`: `"mcp_servers":[…]` on Bedrock, `"thread":{…}` on any
//!   cloud, `"model"` in a body for `InvokeModel`, whose address has it.
//! - `platform-feature`: `"source":{"type":"url",…}` on Bedrock and Google
//!   Cloud. Valid: the same image as base64.
//! - `marker-platform`: the automatic marker with `InvokeModel`, which answers
//!   400. Valid: a marker on the last block.

use aside_json::Value;
use aside_models::Platform::{
    self, AwsPlatform, BedrockInvoke, BedrockMessages, Foundry, GoogleCloud,
};

use super::view::View;
use crate::checker::Checker;
use crate::table::{MARKER_PLATFORM, PLATFORM_FEATURE, PLATFORM_KEY};

const BEDROCK: &[Platform] = &[BedrockMessages, BedrockInvoke];
/// Every platform except the Claude API.
const NOT_FIRST_PARTY: &[Platform] = &[
    AwsPlatform,
    BedrockMessages,
    BedrockInvoke,
    GoogleCloud,
    Foundry,
];

/// Keys of the top level, and the platforms that do not have them.
const KEYS: &[(&str, &[Platform])] = &[
    ("mcp_servers", BEDROCK),
    ("container", BEDROCK),
    ("fallbacks", BEDROCK),
    ("fallback_credit_token", BEDROCK),
    ("diagnostics", NOT_FIRST_PARTY),
    ("thread", NOT_FIRST_PARTY),
];

/// The beginnings of types of tools that the API runs.
///
/// Compared with the beginning, so that later versions are found too.
const SERVER_TOOLS: [&str; 5] = [
    "web_search_",
    "web_fetch_",
    "code_execution_",
    "mcp_toolset",
    "advisor_",
];

/// The beta lists and model features of a platform are in the table of rules
/// and the catalogue of models; here are only keys and sources.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let root = view.root;
    if checker.platform() == Some(BedrockInvoke) {
        for key in ["model", "stream"] {
            if root.get(key).is_some() {
                let found = "a key that is part of the address";
                checker.add(&PLATFORM_KEY, key, found);
            }
        }
    }
    if root.given("cache_control").is_some() {
        checker.add(&MARKER_PLATFORM, "cache_control", "the automatic marker");
    }
    let Some(platform) = checker.platform() else {
        return;
    };
    for (key, platforms) in KEYS {
        if platforms.contains(&platform) && root.given(key).is_some() {
            checker.add(&PLATFORM_KEY, *key, format!("the key, on {platform}"));
        }
    }
    if platform != Platform::FirstParty && root.text_of("speed").as_deref() == Some("fast") {
        checker.add(&PLATFORM_KEY, "speed", format!("\"fast\", on {platform}"));
    }
    let has_no_urls = BEDROCK.contains(&platform) || platform == GoogleCloud;
    if has_no_urls {
        for block in view.all_blocks() {
            let source = block.value.given("source");
            let kind = source
                .filter(|it| it.raw().starts_with('{'))
                .map(Value::tag);
            if let Some(kind) = kind.filter(|it| matches!(&**it, "url" | "file")) {
                let found = format!("a source {kind:?}, on {platform}");
                checker.add(&PLATFORM_FEATURE, block.at("source"), found);
            }
        }
    }
    if BEDROCK.contains(&platform) {
        for (index, tool) in view.tools.iter().enumerate() {
            let kind = tool.tag();
            if SERVER_TOOLS.iter().any(|it| kind.starts_with(it)) {
                let path = format!("tools[{index}].type");
                checker.add(&PLATFORM_KEY, path, format!("{kind:?}, on {platform}"));
            }
        }
    }
}
