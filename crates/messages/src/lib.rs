#![doc = include_str!("../README.md")]

pub mod call_id;
pub mod conversation;
pub mod encode;
mod estimate;
pub mod history;
pub mod json;
mod kinds;
mod layer;
pub mod lower;
mod neutralize;
mod open_names;
mod repair;
mod source;
mod trust;
pub mod wire;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_models as models;

pub use bytes::Bytes;
pub use uuid::Uuid;

pub use aside_models::{TokenEstimate, Tokenizer, estimate, estimate_at_most, prefix_within};
pub use aside_text::{REMINDER_TAG, folded, neutralize, one_line};
pub use estimate::{
    estimate_block, estimate_document, estimate_image, estimate_pdf, estimate_result,
    estimate_tokens, estimate_tool, tool_texts,
};
pub use kinds::DIAGNOSTICS;
pub use layer::Layer;
pub use neutralize::neutralize_json;
pub use repair::Repair;
pub use source::{BlockSource, Extent, Source};
pub use trust::Trust;
