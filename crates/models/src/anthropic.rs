//! Anthropic's models. Sources: the pages of the platform documentation on
//! models, pricing, deprecations, thinking, effort, tool use, prompt caching,
//! compaction and mid-conversation system messages; the model list of the
//! Python SDK 2.12.0; AWS's model cards for the cloud ids.

mod generation;
mod support;
mod thinking;

mod fable;
mod haiku;
mod opus;
mod sonnet;

use crate::facts::ModelFacts;

pub(crate) use generation::FAMILY;

/// The rows of each line, the most able line first and in it the newest model.
pub(crate) const LINES: [&[ModelFacts]; 4] =
    [fable::MODELS, opus::MODELS, sonnet::MODELS, haiku::MODELS];
