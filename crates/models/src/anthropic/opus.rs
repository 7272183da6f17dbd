//! Claude Opus.
//!
//! A row states what differs from its generation (its last line, `..BOUND` and so on). Prices are
//! thousandths of a US dollar per million tokens: input, output, cache read.

use crate::accepted::{Effort, FastMode, ThinkingKept};
use crate::date::Date;
use crate::facts::{CloudIds, Lifecycle, ModelFacts};
use crate::platform::Support;
use crate::price::PriceBand;

use super::generation::{
    BOUND, CURRENT, GENERATION_4_5, GENERATION_4_6, MAX_BATCH_OUTPUT, MID, RETIRED,
};
use super::support::{
    API_GOOGLE_AND_BEDROCK, COMPUTER_20251124, MESSAGE_EFFORT, TOOLSET_ONLY, clouds,
};
use super::thinking::{ALWAYS_ON, OFF, ON_UNLESS_LOW_EFFORT};

use Effort::{High, Low, Medium};

/// Newest first. The default effort is `medium` for 5.5, and `high` for models from 4.5 to 5.
pub(super) const MODELS: &[ModelFacts] = &[
    ModelFacts {
        cloud_ids: clouds!("claude-opus-5-5"),
        knowledge_cutoff: Some("June 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 9, 22),
        prices: &[PriceBand::anthropic(4_000, 20_000, 200)],
        cache_minimum: Some(512),
        max_batch_output: MAX_BATCH_OUTPUT,
        thinking: ALWAYS_ON,
        default_effort: Some(Medium),
        forced_tool_choice: Some(false),
        progress_updates: Some(true),
        message_effort: Support::on(API_GOOGLE_AND_BEDROCK),
        computer_tools: TOOLSET_ONLY,
        fast_mode: Some(FastMode::Available),
        task_budget: Some(true),
        less_certain: &["fast_mode: generally available since mid-October"],
        ..BOUND.row("claude-opus-5-5", "Claude Opus 5.5", "opus", (5, 5))
    },
    ModelFacts {
        cloud_ids: clouds!("claude-opus-5"),
        knowledge_cutoff: Some("May 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 7, 24),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(512),
        max_batch_output: MAX_BATCH_OUTPUT,
        thinking: ON_UNLESS_LOW_EFFORT,
        message_effort: MESSAGE_EFFORT,
        computer_tools: COMPUTER_20251124,
        fast_mode: Some(FastMode::Beta),
        fast_prices: &[PriceBand::anthropic(10_000, 50_000, 1_000)],
        task_budget: Some(true),
        ..MID.row("claude-opus-5", "Claude Opus 5", "opus", (5, 0))
    },
    ModelFacts {
        cloud_ids: clouds!("claude-opus-4-8"),
        lifecycle: Lifecycle::guaranteed_until(2027, 5, 28),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(1_024),
        max_batch_output: MAX_BATCH_OUTPUT,
        thinking: OFF,
        computer_tools: COMPUTER_20251124,
        fast_mode: Some(FastMode::Beta),
        fast_prices: &[PriceBand::anthropic(10_000, 50_000, 1_000)],
        task_budget: Some(true),
        ..MID.row("claude-opus-4-8", "Claude Opus 4.8", "opus", (4, 8))
    },
    ModelFacts {
        cloud_ids: clouds!("claude-opus-4-7"),
        lifecycle: Lifecycle::guaranteed_until(2027, 4, 16),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(2_048),
        max_batch_output: MAX_BATCH_OUTPUT,
        thinking: OFF,
        computer_tools: COMPUTER_20251124,
        fast_mode: Some(FastMode::Refused),
        task_budget: Some(true),
        ..CURRENT.row("claude-opus-4-7", "Claude Opus 4.7", "opus", (4, 7))
    },
    ModelFacts {
        cloud_ids: CloudIds::older("anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        knowledge_cutoff: Some("May 2025"),
        lifecycle: Lifecycle::guaranteed_until(2027, 2, 5),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(4_096),
        max_batch_output: MAX_BATCH_OUTPUT,
        computer_tools: COMPUTER_20251124,
        fast_mode: Some(FastMode::Ignored),
        ..GENERATION_4_6.row("claude-opus-4-6", "Claude Opus 4.6", "opus", (4, 6))
    },
    ModelFacts {
        cloud_ids: CloudIds::older(
            "anthropic.claude-opus-4-5-20251101-v1:0",
            "claude-opus-4-5@20251101",
        ),
        knowledge_cutoff: Some("May 2025"),
        lifecycle: Lifecycle::guaranteed_until(2026, 11, 24),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(4_096),
        efforts: Some(&[Low, Medium, High]),
        default_effort: Some(High),
        thinking_kept: Some(ThinkingKept::All),
        computer_tools: COMPUTER_20251124,
        ..GENERATION_4_5.row("claude-opus-4-5", "Claude Opus 4.5", "opus", (4, 5))
    },
    ModelFacts {
        knowledge_cutoff: Some("January 2025"),
        lifecycle: Lifecycle::retired(Date::new(2026, 8, 5)),
        prices: &[PriceBand::anthropic(15_000, 75_000, 1_500)],
        max_output: Some(32_000),
        ..RETIRED.row("claude-opus-4-1", "Claude Opus 4.1", "opus", (4, 1))
    },
    ModelFacts {
        aliases: &["claude-opus-4-0"],
        knowledge_cutoff: Some("January 2025"),
        lifecycle: Lifecycle::retired(Date::new(2026, 6, 15)),
        prices: &[PriceBand::anthropic(15_000, 75_000, 1_500)],
        max_output: Some(32_000),
        ..RETIRED.row("claude-opus-4", "Claude Opus 4", "opus", (4, 0))
    },
];
