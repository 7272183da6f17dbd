//! Claude Sonnet.
//!
//! A row states what differs from its generation; prices are as in the Opus rows.

use crate::accepted::FastMode;
use crate::date::Date;
use crate::facts::{CloudIds, Lifecycle, ModelFacts};
use crate::price::PriceBand;

use super::generation::{
    BOUND, CURRENT, GENERATION_4_5, GENERATION_4_6, MAX_BATCH_OUTPUT, RETIRED,
};
use super::support::{COMPUTER_20250124, MESSAGE_EFFORT, TOOLSET_ONLY, clouds};
use super::thinking::{ON_BETWEEN_TOOLS, ON_UNLESS_DISABLED};

/// Newest first.
pub(super) const MODELS: &[ModelFacts] = &[
    ModelFacts {
        cloud_ids: clouds!("claude-sonnet-5-5"),
        knowledge_cutoff: Some("June 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 9, 28),
        prices: &[PriceBand::anthropic(2_000, 10_000, 100)],
        cache_minimum: Some(512),
        max_batch_output: MAX_BATCH_OUTPUT,
        thinking: ON_BETWEEN_TOOLS,
        forced_tool_choice: Some(false),
        bound_to_account: Some(true),
        progress_updates: Some(true),
        message_effort: MESSAGE_EFFORT,
        computer_tools: TOOLSET_ONLY,
        fast_mode: Some(FastMode::Refused),
        task_budget: Some(true),
        less_certain: &["task_budget"],
        ..BOUND.row("claude-sonnet-5-5", "Claude Sonnet 5.5", "sonnet", (5, 5))
    },
    ModelFacts {
        cloud_ids: clouds!("claude-sonnet-5"),
        knowledge_cutoff: Some("January 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 6, 30),
        prices: &[PriceBand::anthropic(2_000, 10_000, 200)],
        cache_minimum: Some(1_024),
        max_batch_output: MAX_BATCH_OUTPUT,
        thinking: ON_UNLESS_DISABLED,
        // The documentation's list of models with mid-conversation features is without it.
        less_certain: &["system_messages: a live call took one"],
        ..CURRENT.row("claude-sonnet-5", "Claude Sonnet 5", "sonnet", (5, 0))
    },
    ModelFacts {
        cloud_ids: CloudIds::older("anthropic.claude-sonnet-4-6", "claude-sonnet-4-6"),
        knowledge_cutoff: Some("August 2025"),
        lifecycle: Lifecycle::guaranteed_until(2027, 2, 17),
        prices: &[PriceBand::anthropic(3_000, 15_000, 300)],
        cache_minimum: Some(1_024),
        max_batch_output: MAX_BATCH_OUTPUT,
        ..GENERATION_4_6.row("claude-sonnet-4-6", "Claude Sonnet 4.6", "sonnet", (4, 6))
    },
    ModelFacts {
        cloud_ids: CloudIds::older(
            "anthropic.claude-sonnet-4-5-20250929-v1:0",
            "claude-sonnet-4-5@20250929",
        ),
        knowledge_cutoff: Some("January 2025"),
        lifecycle: Lifecycle {
            retires: Some(Date::new(2026, 11, 30)),
            successor: Some("claude-sonnet-5-5"),
            ..Lifecycle::UNKNOWN
        },
        prices: &[PriceBand::anthropic(3_000, 15_000, 300)],
        cache_minimum: Some(1_024),
        // The Models API reports a window of a million; the limit follows it.
        max_images: None,
        computer_tools: COMPUTER_20250124,
        less_certain: &["context_window", "max_output", "inference_geo"],
        ..GENERATION_4_5.row("claude-sonnet-4-5", "Claude Sonnet 4.5", "sonnet", (4, 5))
    },
    ModelFacts {
        aliases: &["claude-sonnet-4-0"],
        knowledge_cutoff: Some("January 2025"),
        lifecycle: Lifecycle::retired(Date::new(2026, 6, 15)),
        prices: &[PriceBand::anthropic(3_000, 15_000, 300)],
        ..RETIRED.row("claude-sonnet-4", "Claude Sonnet 4", "sonnet", (4, 0))
    },
];
