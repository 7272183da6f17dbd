//! `/v1/models`, from the catalogue.
//!
//! Page by page on the wires that do so. Models without a row in the catalogue
//! are unknown here, as they are to the vendor.

use aside_models::{AS_OF, ModelFacts, ModelStatus, Vendor, Wire, all, find};

use crate::object::Object;
use crate::strict::ApiError;
use crate::wires::unknown_model;

/// Which models to list. OpenAI's wires have no pages.
#[derive(Debug)]
pub(crate) struct ModelPage {
    /// The id of the model before the first one.
    pub(crate) after: Option<String>,
    /// The id of the model after the last one.
    pub(crate) before: Option<String>,
    pub(crate) limit: usize,
}

impl ModelPage {
    /// Returns the models on the page, and whether there are more in its direction.
    fn of<'a>(&self, models: &'a [&'static ModelFacts]) -> (&'a [&'static ModelFacts], bool) {
        let place = |id: &Option<String>| models.iter().position(|it| Some(it.id) == id.as_deref());
        let end = place(&self.before).unwrap_or(models.len());
        let begin = place(&self.after).map_or(0, |it| it + 1).min(end);
        let rest = &models[begin..end];
        let length = rest.len().min(self.limit);
        let first = if self.before.is_some() { rest.len() - length } else { 0 };
        (&rest[first..first + length], length < rest.len())
    }
}

/// Lists the models from a wire's vendor.
pub(crate) fn list(wire: Wire, page: &ModelPage) -> String {
    let models: Vec<_> = all().filter(|facts| facts.vendor == vendor(wire)).collect();
    let (models, has_more) = match wire {
        Wire::Messages | Wire::GenerateContent => page.of(&models),
        _ => (&*models, false),
    };
    let rows: Vec<String> = models.iter().map(|facts| row(wire, facts)).collect();
    let rows = rows.join(",");
    match wire {
        Wire::Messages => {
            let [first, last] = [models.first(), models.last()]
                .map(|it| it.map_or("null".to_owned(), |it| format!("\"{}\"", it.id)));
            format!(
                r#"{{"data":[{rows}],"has_more":{has_more},"first_id":{first},"last_id":{last}}}"#
            )
        }
        Wire::GenerateContent => match models.last().filter(|_| has_more) {
            Some(last) => format!(r#"{{"models":[{rows}],"nextPageToken":"{}"}}"#, last.id),
            None => format!(r#"{{"models":[{rows}]}}"#),
        },
        _ => format!(r#"{{"object":"list","data":[{rows}]}}"#),
    }
}

/// Returns one model by its id, as the catalogue finds it. The error is the
/// API's 404, for an unknown model and for another vendor's.
pub(crate) fn one(wire: Wire, id: &str) -> Result<String, ApiError> {
    let facts = find(id).facts;
    let is_other = wire == Wire::Messages && !facts.is_own_id(id);
    if facts.id.is_empty() || facts.vendor != vendor(wire) || is_other {
        return Err(unknown_model(wire, id));
    }
    Ok(row(wire, facts))
}

fn vendor(wire: Wire) -> Vendor {
    match wire {
        Wire::Messages => Vendor::Anthropic,
        Wire::GenerateContent => Vendor::Google,
        _ => Vendor::OpenAi,
    }
}

/// Returns a catalogue row in a vendor's form. Limits are absent if the catalogue does not have
/// them.
fn row(wire: Wire, facts: &ModelFacts) -> String {
    let id = facts.id;
    match wire {
        Wire::Messages => {
            let dates = &facts.lifecycle;
            let midnight = |date| format!("{date}T00:00:00Z");
            // The API uses the epoch for a model without a release date.
            let epoch = || "1970-01-01T00:00:00Z".to_owned();
            let lifecycle = match dates.status(AS_OF) {
                ModelStatus::Retired(_) => "retired",
                _ if dates.deprecated.or(dates.retires).is_some() => "deprecated",
                _ => "active",
            };
            Object::default()
                .with("type", "model")
                .with("id", id)
                .with("display_name", facts.name)
                .with("created_at", dates.released.map_or_else(epoch, midnight))
                .with("lifecycle", lifecycle)
                .with("deprecated_at", dates.deprecated.map(midnight))
                .with("retires_at", dates.retires.map(midnight))
                .with("line", facts.line)
                .given("max_input_tokens", facts.context_window)
                .given("max_tokens", facts.max_output)
                .into_json()
        }
        Wire::GenerateContent => Object::default()
            .with("name", format!("models/{id}"))
            .with("version", "001")
            .with("displayName", facts.name)
            .given("inputTokenLimit", facts.context_window)
            .given("outputTokenLimit", facts.max_output)
            .with("supportedGenerationMethods", ["generateContent", "countTokens"])
            .into_json(),
        _ => format!(r#"{{"id":"{id}","object":"model","created":0,"owned_by":"openai"}}"#),
    }
}
