//! Chat Completions, as OpenAI and xAI have it, and many a compatible server.

mod message;
mod models;
mod numbers;
mod request;
mod response;
mod stream;

use crate::provider::Provider;

pub(crate) use models::MODELS;
pub(crate) use models::{grok_for, model_for};
pub(crate) use request::{body, extra};
pub(crate) use response::answer;
pub(crate) use stream::Reader;

/// Whose Chat Completions it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    OpenAi,
    Grok,
}

impl Flavor {
    pub(crate) fn of(provider: Provider) -> Self {
        match provider {
            Provider::Grok => Self::Grok,
            _ => Self::OpenAi,
        }
    }
}
