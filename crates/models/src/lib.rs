#![doc = include_str!("../README.md")]

mod facts;

mod accepted;
mod cost;
mod date;
mod platform;
mod price;
mod sums;
mod tokenizer;
mod tokens;
pub mod usage;
mod wire;

mod anthropic;
mod google;
mod openai;
mod xai;

mod catalogue;
mod estimate;
mod family;
mod figures;
mod find;
mod litellm;
pub mod media;
mod normalize;
mod notice;
mod percent;

pub use accepted::{
    Acceptance, Effort, FastMode, Sampling, ThinkingDefault, ThinkingKept, ThinkingModes,
};
pub use catalogue::overlay;
pub use cost::Cost;
pub use date::Date;
pub use estimate::{estimate, estimate_at_most, prefix_within};
pub use facts::{CloudIds, ComputerTool, Lifecycle, ModelFacts, ModelStatus};
pub use figures::{Figures, FiguresError};
pub use find::{Found, Known, all, billed_model, counterpart, find, find_on, latest_claude};
pub use notice::{Notice, NoticeKind};
pub use percent::percent;
pub use platform::{Platform, Platforms, Support};
pub use price::{Price, PriceBand};
pub use tokenizer::Tokenizer;
pub use tokens::TokenEstimate;
pub use usage::{Usage, UsageSum};
pub use wire::{Tier, ToolSupport, Vendor, Wire, WireTools};

/// When the whole catalogue was last compared with its sources; each row also
/// has its own date.
pub const AS_OF: Date = Date::new(2026, 11, 21);
