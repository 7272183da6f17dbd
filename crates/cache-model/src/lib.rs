#![doc = include_str!("../README.md")]

mod hash;
mod lifetime;
mod path;

mod request;
mod usage;

mod timed;

mod parameters;
mod rules;

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
mod thinking;
mod value;

// The crates whose types the signatures of this one name: one dependency is enough.
pub use aside_messages as messages;
pub use aside_models as models;

pub use bytes::Bytes;

pub use bound::{Bound, lower_bound};
pub use difference::{Cause, Difference, Excerpt, first_difference};
pub use lifetime::{CacheLifetime, short_time};
pub use lint::{Finding, LintRule, Linter, lint};
pub use model::CacheModel;
pub use outline::{OutlineBlock, outline};
pub use parent::{Parent, ParentRule, parent};
pub use path::{BlockPath, Level};
pub use relation::{Comparison, Relation, compare};
pub use request::{ParseError, ParseErrorKind, RequestBytes};
pub use rules::{
    CacheRules, Choice, Concurrency, HourOverFive, ImageRule, Isolation, LookBackUnit, Mechanism,
    NestedPositions, ThinkingRule,
};
pub use sensitivity::{Sensitivity, SensitivityRun};
pub use thinking::{ThinkingLoss, ThinkingOutcome, thinking_lost};
pub use timed::{ResponseParts, Timed};
pub use usage::{Cost, InputTokens};
pub use value::{JsonKind, JsonMember, JsonValue};
pub use verdict::{Effect, Hit, MarkerVerdict, Miss, MissDetail, MissReason, Verdict};
