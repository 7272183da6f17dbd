//! Anthropic's models. Sources: the platform documentation on models, pricing,
//! deprecations, thinking, effort, tool use, prompt caching, compaction and
//! mid-conversation system messages; the model list in the Python SDK 2.12.0;
//! AWS's model cards for the cloud ids.

mod generation;
mod support;
mod thinking;

mod fable;
mod haiku;
mod opus;
mod sonnet;

use crate::facts::ModelFacts;

pub(crate) use generation::FAMILY;

/// The rows per line, the most able line first, and newest first within it.
pub(crate) const LINES: [&[ModelFacts]; 4] =
    [fable::MODELS, opus::MODELS, sonnet::MODELS, haiku::MODELS];
