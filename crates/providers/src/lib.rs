#![doc = include_str!("../README.md")]

mod answer;
mod anthropic;
mod balance;
mod blocks;
mod capabilities;
mod check;
mod checked;
mod chunks;
mod conversion;
mod convert;
mod converter;
mod error_body;
mod event;
mod fault_line;
mod gemini;
mod import;
mod inner_form;
mod join;
mod json;
mod kinds;
mod loss;
mod model;
mod names;
mod openai;
mod outgoing;
mod parameters;
mod provider;
mod provider_spec;
mod read;
mod responses;
mod result_text;
mod sse;
mod stop_reason;
mod stream;
mod stream_error;
mod usage;

pub use answer::{Answer, BrokenCall, Collector};
pub use capabilities::{Betas, CacheMarkers, Capabilities, GlobalScope, Sources, TokenCount};
pub use check::{PROVIDER_RULES, ProviderRule};
pub use convert::{AnswerLimit, Options, Reasoning, Refused, answer, count_tokens};
pub use converter::{Converter, convert, outgoing};
pub use error_body::ErrorBody;
pub use event::{Delta, End, Event, Start};
pub use import::{
    Form, ImportError, ImportErrorKind, Imported, from_gemini, from_openai, from_responses, import,
};
pub use inner_form::remove_sealed_thinking;
pub use kinds::DIAGNOSTICS;
pub use loss::ConversionLoss;
pub use model::ModelChoice;
pub use names::Names;
pub use outgoing::{Delivery, Outgoing};
pub use provider::{Family, Provider, SeveralProviders, UnknownProvider};
pub use provider_spec::{
    Address, ApiKeyHeader, Bare429, CacheTerms, ChatDialect, CountBody, Framing, KeyKind,
    KeyVariable, MessagesDialect, ModelVariables, Paths, Place, ProviderSpec, ResponsesDialect,
    Server, Wire, WireSpec,
};
pub use sse::LONGEST_LINE;
pub use stop_reason::StopReason;
pub use stream::Stream;
pub use stream_error::{StreamError, StreamErrorKind};
pub use usage::Usage;
