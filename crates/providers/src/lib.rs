#![doc = include_str!("../README.md")]

mod admission;
mod answer;
mod anthropic;
mod blocks;
mod body_writer;
mod capabilities;
mod chunks;
mod converter;
mod count_tokens;
mod error_body;
mod event;
mod fault_line;
mod fit;
mod gemini;
mod import;
mod inner_form;
mod inputs;
mod json;
mod kinds;
mod loopback;
mod loss;
mod message;
mod model;
mod names;
mod openai;
mod options;
mod outgoing;
mod parameters;
mod provider;
mod provider_spec;
mod read;
mod read_events;
mod refused;
mod responses;
mod result_text;
#[cfg(feature = "script")]
pub mod script;
mod sources;
mod sse;
mod stand_in;
mod stop_reason;
mod stream;
mod stream_error;
mod tool_schemas;
mod usage;
mod user_part;
mod whole_body;
mod whole_response;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_messages as messages;
pub use aside_models as models;
pub use aside_rules as rules;

/// A segment in an [`Outgoing`] request.
pub use aside_messages::Bytes;

pub use admission::checked_rules;
pub use answer::Collector;
pub use capabilities::{Betas, CacheMarkers, Capabilities, DataSources, GlobalScope, TokenCount};
pub use converter::{Converter, convert, outgoing};
pub use count_tokens::count_tokens;
pub use error_body::ErrorBody;
pub use event::{Delta, End, Event, Start};
pub use fit::fit;
pub use gemini::is_placeholder_signature;
pub use import::{
    ImportError, ImportErrorKind, Imported, from_gemini, from_openai, from_responses, import,
};
pub use inner_form::{remove_foreign_thinking, repair_messages};
pub use kinds::DIAGNOSTICS;
pub use loopback::is_loopback;
pub use loss::ConversionLoss;
pub use message::{Answer, BrokenCall};
pub use model::ModelChoice;
pub use names::Names;
pub use options::{Options, Reasoning, ResponseMode};
pub use outgoing::Outgoing;
pub use provider::{Provider, ProviderError, ProviderErrorKind};
pub use provider_spec::{
    Address, AddressPart, AnswerLimit, ApiKeyHeader, Bare429, CacheTerms, ChatDialect, CountBody,
    Framing, KeyKind, KeyVariable, MessagesDialect, ModelVariables, Paths, ProviderSpec,
    ResponsesDialect, ServerKind, WireDialect, WireSpec,
};
pub use refused::{RefusedError, RefusedErrorKind};
pub use responses::in_namespace;
pub use sse::Sse;
pub use stop_reason::StopReason;
pub use stream::Stream;
pub use stream_error::{MAX_LINE_BYTES, StreamError, StreamErrorKind};
pub use usage::ReportedUsage;
pub use whole_body::{BodyError, ConvertedBody, Destination, convert_body};
pub use whole_response::answer;
