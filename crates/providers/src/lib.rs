#![doc = include_str!("../README.md")]

mod answer;
mod anthropic;
mod balance;
mod blocks;
mod capabilities;
mod check;
mod convert;
mod error_body;
mod event;
mod fault_line;
mod gemini;
mod inner_form;
mod json;
mod loss;
mod model;
mod names;
mod openai;
mod provider;
mod read;
mod result_text;
mod sse;
mod stop_reason;
mod stream;
mod stream_error;
mod usage;

pub use answer::{Answer, BrokenCall, Collector};
pub use capabilities::{Betas, CacheMarkers, Capabilities, GlobalScope, Sources, TokenCount};
pub use check::{PROVIDER_RULES, ProviderRule};
pub use convert::{
    AnswerLimit, Converted, Options, Reasoning, Refused, answer, convert, count_tokens_body,
};
pub use error_body::ErrorBody;
pub use event::{Delta, End, Event, Start};
pub use loss::Loss;
pub use model::{ModelChoice, ModelFacts, Tier};
pub use names::Names;
pub use provider::{Family, Provider, ProviderVariables, SeveralProviders};
pub use sse::LONGEST_LINE;
pub use stop_reason::StopReason;
pub use stream::Stream;
pub use stream_error::{StreamError, StreamErrorKind};
pub use usage::Usage;
