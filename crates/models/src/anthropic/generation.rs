//! What all models in a generation have in common.
//!
//! A row states the fields that differ from its generation. To change a fact for a whole
//! generation, change it here once.

use crate::accepted::{Effort, Sampling, ThinkingKept};
use crate::date::Date;
use crate::facts::ModelFacts;
use crate::platform::Support;
use crate::tokenizer::Tokenizer;
use crate::wire::{ToolSupport, Vendor, Wire, WireTools};

use super::support::{COMPACTION, FIRST_PARTY, MID_CONVERSATION};
use super::thinking::{BUDGET_ONLY, FIVE_EFFORTS, OFF_WITH_BUDGET, WITHOUT_XHIGH};

/// When all rows were compared with their sources.
pub(super) const AS_OF: Date = Date::new(2026, 11, 21);
/// Where sizes, prices and dates are published, for [`ModelFacts::source`].
pub(super) const SOURCE: &str = "https://platform.claude.com/docs/en/about-claude/models/overview, \
                      /pricing and /model-deprecations; anthropic (Python) 2.12.0";

/// With the beta `output-300k-2026-03-24`.
pub(super) const MAX_BATCH_OUTPUT: Option<u64> = Some(300_000);

/// Only the name is known.
pub(crate) const FAMILY: ModelFacts = ModelFacts {
    tokenizer: Some(Tokenizer::ClaudeNew),
    wires: &[WireTools::new(Wire::Messages, ToolSupport::Accepted)],
    source: SOURCE,
    ..ModelFacts::unknown(Vendor::Anthropic, AS_OF)
};

/// Shared by all models from Opus 4.7 on.
pub(super) const CURRENT: ModelFacts = ModelFacts {
    context_window: Some(1_000_000),
    max_output: Some(128_000),
    max_images: Some(600),
    efforts: Some(FIVE_EFFORTS),
    default_effort: Some(Effort::High),
    sampling: Some(Sampling::DefaultsOnly),
    prefill: Some(false),
    forced_tool_choice: Some(true),
    thinking_kept: Some(ThinkingKept::All),
    bound_to_prefix: Some(false),
    bound_to_account: Some(false),
    system_messages: Support::REFUSED,
    clear_at: Support::REFUSED,
    tool_changes: Support::REFUSED,
    inline_tools: Support::REFUSED,
    message_effort: Support::REFUSED,
    compaction: COMPACTION,
    context_editing: Support::on(FIRST_PARTY),
    inference_geo: Some(true),
    ..FAMILY
};

/// The same with the mid-conversation features.
pub(super) const MID: ModelFacts = ModelFacts {
    system_messages: Support::on(MID_CONVERSATION),
    clear_at: Support::on(MID_CONVERSATION),
    tool_changes: Support::on(MID_CONVERSATION),
    inline_tools: Support::only_on(FIRST_PARTY),
    ..CURRENT
};

/// The same with thinking bound to the prefix.
pub(super) const BOUND: ModelFacts = ModelFacts { bound_to_prefix: Some(true), ..MID };

/// The 4.5 generation.
///
/// Thinking needs a budget, and the response can be prefilled. Effort is refused, except in the row
/// for Opus 4.5.
pub(super) const GENERATION_4_5: ModelFacts = ModelFacts {
    tokenizer: Some(Tokenizer::ClaudeOld),
    context_window: Some(200_000),
    max_output: Some(64_000),
    max_images: Some(100),
    thinking: BUDGET_ONLY,
    efforts: Some(&[]),
    default_effort: None,
    sampling: Some(Sampling::WithoutThinking),
    prefill: Some(true),
    thinking_kept: Some(ThinkingKept::LastTurn),
    compaction: Support::REFUSED,
    inference_geo: Some(false),
    task_budget: Some(false),
    less_certain: &["inference_geo"],
    ..CURRENT
};

/// The 4.6 generation: the window of later models, the tokenizer of earlier ones, and both forms of
/// thinking.
pub(super) const GENERATION_4_6: ModelFacts = ModelFacts {
    tokenizer: Some(Tokenizer::ClaudeOld),
    thinking: OFF_WITH_BUDGET,
    efforts: Some(WITHOUT_XHIGH),
    sampling: Some(Sampling::WithoutThinking),
    task_budget: Some(false),
    less_certain: &["max_output", "inference_geo"],
    ..CURRENT
};

/// No longer served by Anthropic's API.
pub(super) const RETIRED: ModelFacts = ModelFacts { cache_minimum: Some(1_024), ..GENERATION_4_5 };
