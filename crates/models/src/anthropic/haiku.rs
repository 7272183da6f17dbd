//! Claude Haiku.
//!
//! A row states what differs from its generation; prices are as in the Opus rows.

use crate::accepted::{Effort, FastMode};
use crate::facts::{CloudIds, Lifecycle, ModelFacts};
use crate::price::PriceBand;

use super::generation::{BOUND, GENERATION_4_5, MAX_BATCH_OUTPUT};
use super::support::{COMPUTER_20250124, MESSAGE_EFFORT, TOOLSET_ONLY, clouds};
use super::thinking::ON_UNLESS_LOW_EFFORT;

use Effort::Medium;

/// Newest first. Haiku 5.5 has two price bands: in a prompt with more than 100,000 tokens, each
/// token costs five times as much.
pub(super) const MODELS: &[ModelFacts] = &[
    ModelFacts {
        cloud_ids: clouds!("claude-haiku-5-5"),
        knowledge_cutoff: Some("June 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 10, 7),
        prices: &[
            PriceBand::anthropic(100, 500, 10).up_to(100_000),
            PriceBand::anthropic(500, 2_500, 50),
        ],
        cache_minimum: Some(512),
        max_batch_output: MAX_BATCH_OUTPUT,
        thinking: ON_UNLESS_LOW_EFFORT,
        default_effort: Some(Medium),
        bound_to_account: Some(true),
        message_effort: MESSAGE_EFFORT,
        computer_tools: TOOLSET_ONLY,
        fast_mode: Some(FastMode::Refused),
        fallbacks: Some(false),
        task_budget: Some(true),
        priority_tier: Some(false),
        less_certain: &["forced_tool_choice", "task_budget"],
        ..BOUND.row("claude-haiku-5-5", "Claude Haiku 5.5", "haiku", (5, 5))
    },
    ModelFacts {
        cloud_ids: CloudIds {
            bedrock_messages: Some("anthropic.claude-haiku-4-5"),
            bedrock_invoke: Some("anthropic.claude-haiku-4-5-20251001-v1:0"),
            google_cloud: Some("claude-haiku-4-5@20251001"),
        },
        knowledge_cutoff: Some("February 2025"),
        lifecycle: Lifecycle::guaranteed_until(2026, 10, 15),
        prices: &[PriceBand::anthropic(1_000, 5_000, 100)],
        cache_minimum: Some(4_096),
        computer_tools: COMPUTER_20250124,
        ..GENERATION_4_5.row("claude-haiku-4-5", "Claude Haiku 4.5", "haiku", (4, 5))
    },
];
