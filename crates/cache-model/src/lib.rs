#![doc = include_str!("../README.md")]

mod usage;
mod values;

mod timed;

mod cache_rules;
mod parameters;

mod chain;
mod entries;
mod tokens;

mod difference;
mod parent;

mod miss;
mod model;
mod verdict;

mod bound;
mod lint;
mod outline;
mod relation;
mod sensitivity;
mod spending;
mod thinking;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_body as body;
pub use aside_models as models;
pub use aside_rules as rules;

pub use aside_body::lifetime::{CacheLifetime, short_time};
pub use aside_body::path::{BlockPath, Level};
pub use aside_body::{Body, ParseError, ParseErrorKind};
pub use bytes::Bytes;

pub use aside_models::{Cost, Usage};
pub use bound::{Bound, lower_bound};
pub use cache_rules::{
    CacheRules, Choice, Concurrency, HourOverFive, ImageRule, Isolation, LookBackUnit, Mechanism,
    NestedPositions, ThinkingRule,
};
pub use chain::{AppliedEdit, applied_edits};
pub use difference::{
    Cause, DECLARING_KEYS, Difference, Excerpt, LABELED_KEYS, NAMED_KEYS, OPAQUE_KEYS,
    first_difference,
};
pub use lint::{
    CostFinding, LINT_RULES, Linter, PAID_AGAIN_RULES, SPENDING_RULES, lint, lint_rule,
};
pub use model::CacheModel;
pub use outline::{OutlineBlock, outline};
pub use parent::{Parent, ParentRule, parent};
pub use relation::{Comparison, Relation, compare};
pub use sensitivity::{Sensitivity, SensitivityRun};
pub use spending::{MAX_RESULT_TOKENS, SessionSpending, Spending, SpendingStep, Spent, ToolTokens};
pub use thinking::{ThinkingLoss, ThinkingOutcome, thinking_lost};
pub use timed::{ResponseParts, Timed, UnreadThinking};
pub use verdict::{Effect, Hit, MarkerVerdict, Miss, MissDetail, MissReason, Unreached, Verdict};
