//! `models` and `estimate`: model facts and prices, and a text's tokens.

use aside_models::{AS_OF, Date, ModelFacts, find};
use serde::{Deserialize, Serialize};

use crate::error::BindingError;
use crate::input;
use crate::output::{Output, inputs, options};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ModelOptions {
    ids: Vec<String>,
}

/// As `aside models --json` prints it.
#[derive(Serialize)]
struct Catalogue {
    as_of: Date,
    models: Vec<&'static ModelFacts>,
}

/// Returns the models with these ids, in any spelling, or all when there are no
/// ids.
pub(crate) fn models(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [] = inputs(given)?;
    let ids = options::<ModelOptions>(json)?.ids;
    let named = ids.iter().map(|id| {
        let found = find(id);
        let unknown = || BindingError::option(format!("no such model in the catalogue: {id:?}"));
        found.is_known().then_some(found.facts).ok_or_else(unknown)
    });
    let mut models = named.collect::<Result<Vec<_>, _>>()?;
    if ids.is_empty() {
        models = aside_models::all().collect();
    }
    Output::facts(&Catalogue { as_of: AS_OF, models })
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct EstimateOptions {
    model: String,
}

#[derive(Serialize)]
struct Estimate {
    tokens: u64,
}

pub(crate) fn estimate(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [text] = inputs(given)?;
    let model = options::<EstimateOptions>(json)?.model;
    let family = find(&model).facts.estimated_tokenizer();
    let tokens = aside_models::estimate(input::text(text)?, family).tokens();
    Output::facts(&Estimate { tokens })
}
