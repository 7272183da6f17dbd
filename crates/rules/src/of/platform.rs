//! The platforms that may receive a request, and what they lack.

use aside_models::Platform::{
    self, AwsPlatform, BedrockInvoke, BedrockMessages, Foundry, GoogleCloud,
};
use aside_models::Platforms;

const BEDROCK: &[Platform] = &[BedrockMessages, BedrockInvoke];
/// Every platform except the Claude API.
const NOT_FIRST_PARTY: &[Platform] =
    &[AwsPlatform, BedrockMessages, BedrockInvoke, GoogleCloud, Foundry];

/// Top-level keys, and the platforms that lack them.
const KEYS: &[(&str, &[Platform])] = &[
    ("mcp_servers", BEDROCK),
    ("container", BEDROCK),
    ("fallbacks", BEDROCK),
    ("fallback_credit_token", BEDROCK),
    ("diagnostics", NOT_FIRST_PARTY),
    ("thread", NOT_FIRST_PARTY),
];

/// How the types of API tools begin.
///
/// Only the beginning is compared, so that later versions match too.
const SERVER_TOOLS: [&str; 5] =
    ["web_search_", "web_fetch_", "code_execution_", "mcp_toolset", "advisor_"];

/// Returns the platform that a body's `anthropic_version` names.
#[must_use]
pub fn of_version(version: &str) -> Option<Platform> {
    match version {
        _ if version.starts_with("bedrock") => Some(BedrockInvoke),
        _ if version.starts_with("vertex") => Some(GoogleCloud),
        _ => None,
    }
}

/// Returns the platforms that may receive a Messages API request: the known one, or else Bedrock
/// for a model id with `anthropic.`, or else those with the Claude API's form.
#[must_use]
pub fn possible(known: Option<Platform>, model: Option<&str>) -> Platforms {
    match known {
        Some(platform) => Platforms::of(&[platform]),
        None if model.is_some_and(|id| id.contains("anthropic.")) => {
            Platforms::of(&[BedrockMessages])
        }
        None => Platforms::of(&[Platform::FirstParty, AwsPlatform, Foundry]),
    }
}

/// Returns the top-level keys that a platform lacks (rule `platform-key`).
pub fn missing_keys(platform: Platform) -> impl Iterator<Item = &'static str> {
    let is_missing = move |(_, without): &&(_, &[Platform])| without.contains(&platform);
    KEYS.iter().filter(is_missing).map(|(key, _)| *key)
}

/// Returns true if a platform has no fast mode (rule `platform-key`).
#[must_use]
pub fn lacks_fast_mode(platform: Platform) -> bool {
    platform != Platform::FirstParty
}

/// Returns true if a platform has no structured outputs (rule `platform-key`). `InvokeModel` may
/// have AWS's own.
#[must_use]
pub fn lacks_output_format(platform: Platform) -> bool {
    platform == BedrockMessages
}

/// Returns true if a platform does not run this type of tool (rule `platform-key`).
#[must_use]
pub fn lacks_tool(platform: Platform, kind: &str) -> bool {
    BEDROCK.contains(&platform) && SERVER_TOOLS.iter().any(|it| kind.starts_with(it))
}

/// Returns true if a platform takes media only as data, not as addresses or file ids (rule
/// `platform-feature`).
#[must_use]
pub(crate) fn takes_data_only(platform: Platform) -> bool {
    BEDROCK.contains(&platform) || platform == GoogleCloud
}
