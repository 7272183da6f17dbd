//! The parameters in `generationConfig`.
//!
//! ```text
//! maxOutputTokens                     max_tokens
//! temperature, topP, topK             temperature, top_p, top_k
//! stopSequences                       stop_sequences
//! thinkingConfig.thinkingLevel        output_config.effort, in lower case
//! thinkingConfig.thinkingBudget       thinking.budget_tokens; 0 is disabled, -1 adaptive
//! responseSchema, responseJsonSchema  output_config.format
//! ```

use aside_messages::wire::{RawJson, Request, ThinkingConfig};

use super::json_schema;
use crate::import::Result;
use crate::import::object::Object;
use crate::import::parameters::{displayed, output_config, thinking_config};

/// Reads `generationConfig` into a request. Members without a counterpart stay in `config`, and the
/// caller reports them.
pub(super) fn generation(config: &mut Object<'_>, request: &mut Request) -> Result<()> {
    request.max_tokens = config.value("maxOutputTokens", "a number")?;
    request.temperature = config.value("temperature", "a number")?;
    let stops = config.value("stopSequences", "strings")?;
    request.stop_sequences = stops.unwrap_or_default();
    for (key, name) in [("topP", "top_p"), ("topK", "top_k")] {
        if let Some(value) = config.json(key) {
            request.extra.0.push((name.to_owned(), value));
        }
    }
    // In an item, this key is the server's own.
    if config.take("logprobs").is_some() {
        config.lose_value(config.path("logprobs"));
    }
    let mut effort = None;
    if let Some(mut it) = config.object("thinkingConfig")? {
        let level = it.string("thinkingLevel")?.filter(|it| it != "THINKING_LEVEL_UNSPECIFIED");
        effort = level.map(|level| level.to_ascii_lowercase());
        let budget: Option<i64> = it.value("thinkingBudget", "a number")?;
        let shows: Option<bool> = it.value("includeThoughts", "a boolean")?;
        request.thinking = thinking(budget, shows);
        it.read_into(&[
            ("thinkingLevel", "output_config.effort"),
            ("thinkingBudget", "thinking.budget_tokens"),
            ("thinkingBudget", "thinking"),
            ("includeThoughts", "thinking"),
        ]);
        it.report();
    }
    let schema = schema(config)?;
    let format = "output_config.format";
    config.read_into(&[
        ("maxOutputTokens", "max_tokens"),
        ("temperature", "temperature"),
        ("topP", "top_p"),
        ("topK", "top_k"),
        ("stopSequences", "stop_sequences"),
        ("responseJsonSchema", "output_config.format.schema"),
        ("responseSchema", "output_config.format.schema"),
        ("responseJsonSchema", format),
        ("responseSchema", format),
    ]);
    output_config(request, effort, None, schema);
    Ok(())
}

/// Returns the thinking for a budget. A negative one lets the model decide.
///
/// `includeThoughts` alone also means that the model decides (`adaptive`). Without it, the response
/// has no thoughts. The default of `display` depends on the model, so it is always written.
fn thinking(budget: Option<i64>, shows: Option<bool>) -> Option<ThinkingConfig> {
    let is_shown = shows == Some(true);
    let thinking = match budget.map(u64::try_from) {
        Some(Ok(0)) => return Some(thinking_config("disabled")),
        Some(Ok(budget)) => {
            ThinkingConfig { budget_tokens: Some(budget), ..thinking_config("enabled") }
        }
        None if !is_shown => return None,
        Some(Err(_)) | None => thinking_config("adaptive"),
    };
    Some(displayed(thinking, if is_shown { "summarized" } else { "omitted" }))
}

/// Returns the schema of the answer, which has two forms.
///
/// `responseJsonSchema` is JSON Schema and has precedence over `responseSchema`, Google's own form.
/// A media type without a schema, such as JSON of any shape or `text/x.enum`, is reported.
fn schema(config: &mut Object<'_>) -> Result<Option<RawJson>> {
    let path = config.path("responseMimeType");
    let kind = config.string("responseMimeType")?;
    let own = config.json("responseSchema").map(|it| json_schema(&it));
    let schema = config.json("responseJsonSchema").or(own);
    let is_known = match kind.as_deref() {
        None | Some("text/plain") => true,
        Some("application/json") => schema.is_some(),
        Some(_) => false,
    };
    if !is_known {
        let what = "left out: a format of the Messages API has a schema";
        config.lost(path, what);
    }
    Ok(schema)
}
