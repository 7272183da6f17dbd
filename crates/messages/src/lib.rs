#![doc = include_str!("../README.md")]

mod check;
pub mod conversation;
mod diagnostic;
pub mod encode;
mod estimate;
pub mod json;
mod line;
pub mod lower;
mod neutralize;
mod source;
pub mod wire;

pub use check::{ApiVersion, RULES, Rule, Rules, Violation};
pub use diagnostic::Diagnostic;
pub use estimate::{TokenEstimate, estimate_tokens};
pub use line::{folded, one_line};
pub use neutralize::{REMINDER_TAG, neutralize, neutralize_json};
pub use source::{BlockSource, Extent, Layer, Source};
