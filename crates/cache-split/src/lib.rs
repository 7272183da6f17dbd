#![doc = include_str!("../README.md")]

mod attribution;
mod layout;
mod split;

mod decision;
mod minimum;
mod scope;
mod ttl;

mod plan;

pub use attribution::Attribution;
pub use decision::{Caching, Hosting, TtlDecision, TtlInputs, TtlLatch, TtlReason, TtlSwitches};
pub use layout::{CacheScope, Layout, SplitMode};
pub use minimum::{
    GREATEST_MINIMUM, LEAST_MINIMUM, MINIMUM_LENGTHS, MinimumLength, minimum_length,
};
pub use plan::{
    BreakpointPlan, Covered, Explanation, MARKER_LIMIT, PlanError, PlanErrorKind, PlanInput,
    PlanOptions, PlannedMarker, Reason, Rejected, Sequel, Why, plan, plan_request,
};
pub use scope::{GLOBAL_SCOPE_BETA, GlobalScopeInputs};
pub use split::{Split, SplitBlock, SplitInputs, SplitPart, split};
pub use ttl::TtlPolicy;
