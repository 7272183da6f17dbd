//! `/v1/models`, from the catalogue.
//!
//! As in the Models API, with one page. Models without a row in the catalogue
//! are unknown here, as they are to the vendor.

use aside_models::{ModelFacts, Vendor, Wire, all, find};
use serde::Serialize;

use crate::strict::ApiError;
use crate::wires::unknown_model;

/// The list's only page.
///
/// ```json
/// {"data": […], "has_more": false, "first_id": "…", "last_id": "…"}
/// ```
#[derive(Serialize)]
struct Page<'a> {
    data: Vec<Model<'a>>,
    has_more: bool,
    first_id: Option<&'a str>,
    last_id: Option<&'a str>,
}

/// ```json
/// {"type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5",
///  "created_at": "…", "max_input_tokens": 1000000, "max_tokens": 128000}
/// ```
///
/// Limits are absent if the catalogue does not have them.
#[derive(Serialize)]
struct Model<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: &'a str,
    display_name: &'a str,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
}

/// Returns a catalogue row in the API's form.
fn model(facts: &ModelFacts) -> Model<'_> {
    let released = facts.lifecycle.released;
    Model {
        kind: "model",
        id: facts.id,
        display_name: facts.name,
        // The API uses the epoch for a model without a release date.
        created_at: released
            .map_or("1970-01-01T00:00:00Z".to_owned(), |date| format!("{date}T00:00:00Z")),
        max_input_tokens: facts.context_window,
        max_tokens: facts.max_output,
    }
}

/// Lists the models from a wire's vendor.
pub(crate) fn list(wire: Wire) -> String {
    let rows = all().filter(|facts| facts.vendor == vendor(wire));
    if wire != Wire::Messages {
        let rows: Vec<String> = rows.map(|facts| other(wire, facts)).collect();
        let rows = rows.join(",");
        return match wire {
            Wire::GenerateContent => format!(r#"{{"models":[{rows}]}}"#),
            _ => format!(r#"{{"object":"list","data":[{rows}]}}"#),
        };
    }
    let data: Vec<_> = rows.map(model).collect();
    let page = Page {
        first_id: data.first().map(|model| model.id),
        last_id: data.last().map(|model| model.id),
        has_more: false,
        data,
    };
    serde_json::to_string(&page).expect("the catalogue is JSON")
}

/// Returns one model by its id, as the catalogue finds it. The error is the
/// API's 404, for an unknown model and for another vendor's.
pub(crate) fn one(wire: Wire, id: &str) -> Result<String, ApiError> {
    let facts = find(id).facts;
    let is_other = wire == Wire::Messages && !facts.is_own_id(id);
    if facts.id.is_empty() || facts.vendor != vendor(wire) || is_other {
        return Err(unknown_model(wire, id));
    }
    Ok(match wire {
        Wire::Messages => serde_json::to_string(&model(facts)).expect("the catalogue is JSON"),
        _ => other(wire, facts),
    })
}

fn vendor(wire: Wire) -> Vendor {
    match wire {
        Wire::Messages => Vendor::Anthropic,
        Wire::GenerateContent => Vendor::Google,
        _ => Vendor::OpenAi,
    }
}

/// Returns a catalogue row in OpenAI's or Google's form.
fn other(wire: Wire, facts: &ModelFacts) -> String {
    let id = facts.id;
    match wire {
        Wire::GenerateContent => format!(
            r#"{{"name":"models/{id}","version":"001","displayName":"{}","supportedGenerationMethods":["generateContent","countTokens"]}}"#,
            facts.name
        ),
        _ => format!(r#"{{"id":"{id}","object":"model","created":0,"owned_by":"openai"}}"#),
    }
}
