#![doc = include_str!("../README.md")]

mod layout;
mod plan;
mod split;
mod ttl;

pub use layout::{CacheScope, Layout, SplitMode};
pub use plan::{BreakpointPlan, PlanInput, PlannedMarker, Reason, plan};
pub use split::{Split, SplitBlock, SplitInputs, SplitPart, split};
pub use ttl::TtlPolicy;
