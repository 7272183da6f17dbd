#![doc = include_str!("../README.md")]

mod attribution;
mod layout;
mod split;

mod decision;
mod scope;
mod ttl;

mod mark_json;
mod plan;
mod plan_body;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_body as body;
pub use aside_messages as messages;
pub use aside_models as models;
pub use aside_prompt_sections as prompt_sections;

/// Types in this crate's signatures.
pub use aside_messages::wire;
pub use attribution::Attribution;
pub use decision::{Caching, Hosting, TtlDecision, TtlInputs, TtlReason, TtlSwitches};
pub use layout::{CacheScope, Layout, SplitMode};
pub use mark_json::{MarkError, mark_json};
pub use plan::{
    BreakpointPlan, Continuation, CoveredMarker, Explanation, LifetimeRule, MessageShape,
    PlanError, PlanErrorKind, PlanInput, PlanOptions, PlannedMarker, Reason, RejectReason,
    Rejected, Shape, ShapeMarker, plan, plan_request, plan_shape,
};
pub use plan_body::{AddedMember, Addition, plan_body, prompt_hash, why_nothing};
pub use scope::{GLOBAL_SCOPE_BETA, GlobalScopeInputs};
pub use split::{Split, SplitBlock, SplitInputs, SplitPart, split};
pub use ttl::{TtlPolicy, shared_ttl};
