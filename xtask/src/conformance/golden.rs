//! Lists the golden bodies, each with its SDK type.
//!
//! The list becomes a manifest for the Python program, with an item for each
//! scenario and each provider file:
//!
//! ```json
//! {
//!   "paths": ["/aside/fixtures/tool-use/request-1.json"],
//!   "wire": "anthropic",
//!   "type": "anthropic.types.message_create_params:MessageCreateParams",
//!   "refused": []
//! }
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use aside_scenario::{Case, Scenario, WireDialect};
use serde::Serialize;

/// For scenarios whose provider has the first-party API's Messages wire.
const MESSAGES: &str = "anthropic.types.message_create_params:MessageCreateParams";
/// For provider goldens on the Messages wire. They have every feature, also
/// those in beta.
pub(super) const BETA: &str = "anthropic.types.beta.message_create_params:MessageCreateParams";
/// For requests that count tokens, which have no `max_tokens`.
const COUNT: &str = "anthropic.types.message_count_tokens_params:MessageCountTokensParams";
/// For chat completions, by every provider with that wire.
pub(super) const OPENAI: &str = "openai.types.chat.completion_create_params:CompletionCreateParams";
/// For the Responses API.
pub(super) const RESPONSES: &str =
    "openai.types.responses.response_create_params:ResponseCreateParams";
/// For `generateContent`. The SDK has types only for parts of the body;
/// `gemini.py` puts them together.
pub(super) const GEMINI: &str = "gemini:GenerateContent";

/// Sampling parameters: the SDKs dropped them, the older version of the API has
/// them.
const SAMPLING: &[&str] = &["temperature", "top_p"];

/// The goldens in `aside-providers`: file, wire, type, refused.
///
/// The list has to name exactly the directory's files: a new golden without a
/// type would otherwise never be validated.
const PROVIDERS: &[(&str, &str, &str, &[&str])] = &[
    ("bedrock-messages.json", "anthropic", BETA, SAMPLING),
    ("bedrock.count.json", "anthropic", "clouds:Bedrock", &[]),
    ("bedrock.json", "anthropic", "clouds:Bedrock", SAMPLING),
    ("first-party.count.json", "anthropic", COUNT, &[]),
    ("first-party.json", "anthropic", BETA, SAMPLING),
    ("foundry.json", "anthropic", BETA, SAMPLING),
    ("gemini-2.5.json", "gemini", GEMINI, &[]),
    ("gemini-3.json", "gemini", GEMINI, &[]),
    // xAI's own.
    ("grok-chat.json", "openai", OPENAI, &["reasoning_content"]),
    ("grok.json", "responses", RESPONSES, &[]),
    ("openai-o3.json", "openai", OPENAI, &[]),
    ("openai.json", "openai", OPENAI, &[]),
    // The others derive from it; a name in it is too long for every API.
    ("request.json", "anthropic", BETA, SAMPLING),
    ("responses-5.5.json", "responses", RESPONSES, &[]),
    ("responses-6-luna.json", "responses", RESPONSES, &[]),
    ("responses-tools.json", "responses", RESPONSES, &[]),
    ("responses.json", "responses", RESPONSES, &[]),
    ("vertex.count.json", "anthropic", "clouds:VertexCount", &[]),
    ("vertex.json", "anthropic", "clouds:Vertex", SAMPLING),
];

/// Golden bodies with one type.
#[derive(Debug, Serialize)]
pub(crate) struct Golden {
    /// Absolute. Empty for a scenario whose request is refused.
    pub(crate) paths: Vec<PathBuf>,
    /// The group of types: `anthropic`, `openai`, `responses` or `gemini`.
    pub(crate) wire: &'static str,
    /// The SDK type's module and name.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// The keys that the SDK does not know. Exactly these must be refused.
    pub(crate) refused: Vec<String>,
    /// True for bodies that are validated and not spoiled.
    pub(crate) is_converted: bool,
}

/// Returns every scenario's and every provider's requests.
pub(crate) fn all(root: &Path) -> Result<Vec<Golden>> {
    let mut all = scenarios(&root.join("fixtures"))?;
    all.extend(providers(&root.join("crates/providers/tests/everything"))?);
    Ok(all)
}

/// Returns an item for each scenario. The keys in its `refused_by_sdk` are
/// those that the API accepts and the SDK does not know yet.
fn scenarios(fixtures: &Path) -> Result<Vec<Golden>> {
    let cases = aside_scenario::discover(fixtures)?;
    let golden = |case: &Case| {
        let (wire, kind) = of_scenario(&case.scenario)?;
        Ok(Golden {
            paths: (1..=case.len()).map(|request| case.expected_path(request)).collect(),
            wire,
            kind,
            refused: case.scenario.refused_by_sdk.clone(),
            is_converted: false,
        })
    };
    cases.iter().map(golden).collect()
}

/// Returns the wire and the type of a scenario's requests. An older model may
/// need another wire than the newest.
fn of_scenario(scenario: &Scenario) -> Result<(&'static str, &'static str)> {
    let provider = scenario.provider.unwrap_or_default();
    let model = scenario.model.as_deref().unwrap_or_default();
    Ok(match provider.spec().wire(model).wire {
        WireDialect::Messages(dialect) if dialect.body_version.is_none() => ("anthropic", MESSAGES),
        // One of the two clouds marks a stream in the path.
        WireDialect::Messages(dialect) if dialect.stream_key => ("anthropic", "clouds:VertexWhole"),
        WireDialect::Messages(_) => ("anthropic", "clouds:Bedrock"),
        WireDialect::Responses(_) => ("responses", RESPONSES),
        WireDialect::ChatCompletions(_) => ("openai", OPENAI),
        WireDialect::GenerateContent => ("gemini", GEMINI),
        _ => bail!("no type of an SDK is known for the requests of {provider}"),
    })
}

/// Returns the items in `PROVIDERS`.
///
/// # Errors
/// The directory has a JSON file that the table does not name, or the reverse.
fn providers(directory: &Path) -> Result<Vec<Golden>> {
    let mut found = BTreeSet::new();
    let entries = std::fs::read_dir(directory)
        .with_context(|| format!("failed to read {}", directory.display()))?;
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".json") {
            found.insert(name);
        }
    }
    let named: BTreeSet<String> = PROVIDERS.iter().map(|it| it.0.to_owned()).collect();
    let differing: Vec<_> = found.symmetric_difference(&named).collect();
    ensure!(
        differing.is_empty(),
        "the table of {} and {} differ: {differing:?}",
        file!(),
        directory.display()
    );
    let golden =
        |(name, wire, kind, refused): &(&str, &'static str, &'static str, &[&str])| Golden {
            paths: vec![directory.join(name)],
            wire,
            kind,
            refused: refused.iter().map(|&key| key.to_owned()).collect(),
            is_converted: false,
        };
    Ok(PROVIDERS.iter().map(golden).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_golden_has_a_type() {
        let golden = all(&crate::root()).unwrap();
        let wires: BTreeSet<_> = golden.iter().map(|golden| golden.wire).collect();
        assert_eq!(
            wires.into_iter().collect::<Vec<_>>(),
            ["anthropic", "gemini", "openai", "responses"]
        );
        // A scenario that only has a refused request has no bodies to validate.
        let empty = golden.iter().filter(|golden| golden.paths.is_empty());
        assert!(empty.count() < golden.len() / 10);
    }
}
