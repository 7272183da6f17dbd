//! `diff`: comparing two bodies as a prompt cache does.

use aside_cache_model::{CacheRules, Comparison, compare};

use crate::error::BindingError;
use crate::input;
use crate::output::{Output, inputs, options};

#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NoOptions {}

pub(crate) fn diff(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [before, after] = inputs(given)?;
    options::<NoOptions>(json)?;
    Output::facts(&compared(before, after)?)
}

/// The later body's cache rules apply.
pub(crate) fn compared(before: &[u8], after: &[u8]) -> Result<Comparison, BindingError> {
    let (before, after) = (input::body(before)?, input::body(after)?);
    let rules = CacheRules::of_wire(after.wire());
    Ok(compare(&before, &after, &rules))
}
