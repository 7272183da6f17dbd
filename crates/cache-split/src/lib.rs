#![doc = include_str!("../README.md")]

mod attribution;
mod layout;
mod split;

mod decision;
mod scope;
mod ttl;

mod plan;

pub use attribution::Attribution;
pub use decision::{Caching, Hosting, TtlDecision, TtlInputs, TtlLatch, TtlReason, TtlSwitches};
pub use layout::{CacheScope, Layout, SplitMode};
pub use plan::{
    BreakpointPlan, Continuation, CoveredMarker, Explanation, MARKER_LIMIT, PlanError,
    PlanErrorKind, PlanInput, PlanOptions, PlannedMarker, Reason, RejectReason, Rejected, plan,
    plan_request,
};
pub use scope::{GLOBAL_SCOPE_BETA, GlobalScopeInputs};
pub use split::{Split, SplitBlock, SplitInputs, SplitPart, split};
pub use ttl::TtlPolicy;
