//! Claude Fable and Claude Mythos.
//!
//! Both lines have the same generations, prices and limits. `less_certain` lists the facts about
//! 5.2 that rest on 5.1.

use crate::accepted::{Acceptance, ThinkingDefault};
use crate::date::Date;
use crate::facts::{Lifecycle, ModelFacts};
use crate::platform::Support;
use crate::price::PriceBand;

use super::generation::{BOUND, CURRENT, MID};
use super::support::{API_GOOGLE_AND_BEDROCK, TOOLSET_ONLY, clouds};
use super::thinking::{ALWAYS_ON, WITHOUT_XHIGH, thinking};

use Acceptance::{Accepted, Refused};

/// Newest first.
pub(super) const MODELS: &[ModelFacts] = &[
    ModelFacts {
        knowledge_cutoff: Some("June 2026"),
        ..FIVE_TWO.row("claude-fable-5-2", "Claude Fable 5.2", "fable", (5, 2))
    },
    ModelFacts {
        cloud_ids: clouds!("claude-mythos-5-2"),
        ..FIVE_TWO.row("claude-mythos-5-2", "Claude Mythos 5.2", "mythos", (5, 2))
    },
    ModelFacts {
        knowledge_cutoff: Some("June 2026"),
        ..FIVE_ONE.row("claude-fable-5-1", "Claude Fable 5.1", "fable", (5, 1))
    },
    ModelFacts {
        cloud_ids: clouds!("claude-mythos-5-1"),
        less_certain: &["task_budget", "bound_to_prefix: platforms that enforce it"],
        ..FIVE_ONE.row("claude-mythos-5-1", "Claude Mythos 5.1", "mythos", (5, 1))
    },
    ModelFacts {
        progress_updates: Some(true),
        ..FIVE.row("claude-fable-5", "Claude Fable 5", "fable", (5, 0))
    },
    ModelFacts {
        cloud_ids: clouds!("claude-mythos-5"),
        ..FIVE.row("claude-mythos-5", "Claude Mythos 5", "mythos", (5, 0))
    },
    ModelFacts {
        lifecycle: Lifecycle { deprecated: Some(Date::new(2026, 6, 9)), ..Lifecycle::UNKNOWN },
        tokenizer: None,
        context_window: None,
        max_output: None,
        max_images: None,
        cache_minimum: Some(2_048),
        thinking: thinking(ThinkingDefault::AlwaysOn, Accepted, Accepted, Refused, Refused),
        efforts: Some(WITHOUT_XHIGH),
        forced_tool_choice: Some(false),
        inference_geo: None,
        less_certain: &["efforts", "generation"],
        ..CURRENT.row("claude-mythos-preview", "Claude Mythos Preview", "mythos", (4, 9))
    },
];

/// Fable 5.2 and Mythos 5.2: lower prices than 5.1, and the newest computer-use tools.
const FIVE_TWO: ModelFacts = ModelFacts {
    cloud_ids: clouds!("claude-fable-5-2"),
    lifecycle: Lifecycle {
        released: Some(Date::new(2026, 11, 9)),
        ..Lifecycle::guaranteed_until(2027, 11, 9)
    },
    prices: &[PriceBand::anthropic(8_000, 40_000, 200)],
    cache_minimum: Some(512),
    thinking: ALWAYS_ON,
    forced_tool_choice: Some(false),
    message_effort: Support::UNKNOWN,
    computer_tools: TOOLSET_ONLY,
    task_budget: Some(true),
    less_certain: &[
        "prices: 1-hour write",
        "cache_minimum",
        "efforts",
        "forced_tool_choice",
        "system_messages",
        "clear_at",
        "tool_changes",
        "task_budget",
    ],
    ..BOUND
};

/// Fable 5.1 and Mythos 5.1: thinking is bound to the prefix, tools cannot be forced.
const FIVE_ONE: ModelFacts = ModelFacts {
    cloud_ids: clouds!("claude-fable-5-1"),
    lifecycle: Lifecycle::guaranteed_until(2027, 9, 1),
    prices: &[PriceBand::anthropic(10_000, 50_000, 250)],
    cache_minimum: Some(512),
    thinking: ALWAYS_ON,
    forced_tool_choice: Some(false),
    progress_updates: Some(true),
    message_effort: Support::on(API_GOOGLE_AND_BEDROCK),
    task_budget: Some(true),
    less_certain: &["task_budget"],
    ..BOUND
};

/// Fable 5 and Mythos 5: thinking is always on and not bound.
const FIVE: ModelFacts = ModelFacts {
    cloud_ids: clouds!("claude-fable-5"),
    knowledge_cutoff: Some("January 2026"),
    lifecycle: Lifecycle::guaranteed_until(2027, 6, 9),
    prices: &[PriceBand::anthropic(10_000, 50_000, 1_000)],
    cache_minimum: Some(512),
    thinking: ALWAYS_ON,
    task_budget: Some(true),
    ..MID
};
