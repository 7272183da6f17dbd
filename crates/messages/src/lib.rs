#![doc = include_str!("../README.md")]

pub mod call_id;
mod check;
pub mod conversation;
pub mod encode;
mod estimate;
mod kinds;
mod layer;
pub mod lower;
mod neutralize;
mod repair;
mod source;
mod trust;
pub mod wire;

// The crates whose types the signatures of this one name: one dependency is enough.
pub use aside_models as models;

pub use bytes::Bytes;
pub use uuid::Uuid;

pub use aside_models::{TokenEstimate, Tokenizer, estimate, prefix_within};
pub use aside_text::{REMINDER_TAG, folded, neutralize, one_line};
pub use check::{
    ApiEndpoint, ApiVersion, Checked, NotChecked, RULES, Rule, RuleLevel, RuleScope, Rules,
    SEEN_FROM_CLIENTS, SeenFromClient, Violation, check_body, check_messages, max_body_bytes,
};
pub use estimate::{
    estimate_block, estimate_document, estimate_image, estimate_pdf, estimate_result,
    estimate_tokens, estimate_tool,
};
pub use kinds::DIAGNOSTICS;
pub use layer::Layer;
pub use neutralize::neutralize_json;
pub use repair::Repair;
pub use source::{BlockSource, Extent, Source};
pub use trust::Trust;
