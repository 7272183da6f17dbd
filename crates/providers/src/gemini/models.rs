//! Thinking, as each model generation takes it: a token budget up to 2.5, a level from 3 on, never
//! both.

use aside_messages::wire::Request;
use aside_models::{Effort, ModelFacts};
use serde::Serialize;

use crate::fit::effort::{nearest, replaced};
use crate::fit::thinking::lowered;
use crate::loss::{ConversionLoss, Reason};
use crate::parameters::{Parameters, is_off, shows_thinking};

/// How to think, with a level or a budget.
///
/// ```json
/// {"includeThoughts": true, "thinkingLevel": "HIGH"}
/// {"includeThoughts": true, "thinkingBudget": 8192}
/// ```
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThinkingConfig {
    /// True if the request shows thinking: summaries are returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    include_thoughts: Option<bool>,
    /// The most thinking tokens; 0 turns it off, and -1 lets the model decide. Up to generation 2.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<i64>,
    /// `MINIMAL`, `LOW`, `MEDIUM`, `HIGH` or `XHIGH`. From generation 3 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<&'static str>,
}

/// The largest budget that every second generation model takes, in tokens.
const MAX_BUDGET: i64 = 24_576;
/// The largest budget that Pro takes, in tokens.
const MAX_BUDGET_OF_PRO: i64 = 32_768;
/// The budget that lets the model decide.
const AUTOMATIC: i64 = -1;

/// The levels that every third generation model takes, for models whose levels the catalogue does
/// not know.
const LEVELS: &[Effort] = &[Effort::Low, Effort::Medium, Effort::High];

/// Returns the request's thinking, and reports what the model does not accept. `None` leaves this
/// to the server.
///
/// - A model with levels gets the level for the effort; a budget is reported.
/// - Another model gets the budget, lowered to the most that it takes; an effort is reported.
/// - Adaptive thinking is the budget -1 on generation 2.5: Flash-Lite does not think by default.
/// - Disabled thinking is the budget 0 if the model allows this; otherwise it is reported.
pub(super) fn thinking_config(
    request: &Request,
    parameters: &Parameters<'_>,
    facts: Option<&ModelFacts>,
    losses: &mut Vec<ConversionLoss>,
) -> Option<ThinkingConfig> {
    let thinking = request.thinking.as_ref();
    let is_off = is_off(request);
    let budget = thinking.and_then(|it| it.budget_tokens).filter(|_| !is_off);
    let has_levels = facts.is_some_and(|it| it.signed_calls == Some(true));
    let mut config = ThinkingConfig {
        include_thoughts: shows_thinking(request).then_some(true),
        ..ThinkingConfig::default()
    };
    if has_levels {
        if budget.is_some() {
            losses.push(Reason::LevelInsteadOfBudget.at("thinking.budget_tokens"));
        }
        if is_off {
            let never = facts.and_then(|it| it.effort_none) == Some(false);
            let reason = if never { Reason::AlwaysReasons } else { Reason::MayAlwaysThink };
            losses.push(reason.at("thinking"));
        }
        config.thinking_level = level(parameters, facts, losses);
    } else {
        if parameters.effort.is_some() {
            losses.push(Reason::NoLevel.at("output_config.effort"));
        }
        let facts = facts.filter(|it| it.generation == (2, 5));
        let is_pro = facts.is_some_and(|it| it.line == "pro");
        let most = if is_pro { MAX_BUDGET_OF_PRO } else { MAX_BUDGET };
        config.thinking_budget = match thinking.map(|it| it.kind.as_str()) {
            // Only Pro always thinks.
            Some(_) if is_off => (facts.is_some() && !is_pro).then_some(0),
            Some("adaptive") if facts.is_some() => Some(AUTOMATIC),
            _ => budget.map(|it| i64::try_from(it).unwrap_or(i64::MAX).min(most)),
        };
        if budget.is_some_and(|it| it > most.unsigned_abs()) {
            losses.push(lowered(most));
        }
        if is_off && config.thinking_budget.is_none() {
            losses.push(Reason::MayAlwaysThink.at("thinking"));
        }
    }
    (config != ThinkingConfig::default()).then_some(config)
}

/// Returns the level for an effort: the highest that the model takes and that is not above the
/// effort, or its lowest. If the level differs from the effort, or no model has the effort, this is
/// reported.
///
/// ```text
/// effort max, levels low, medium, high → HIGH
/// effort low, levels medium, high      → MEDIUM
/// ```
fn level(
    parameters: &Parameters<'_>,
    facts: Option<&ModelFacts>,
    losses: &mut Vec<ConversionLoss>,
) -> Option<&'static str> {
    let Ok(requested) = parameters.effort.as_deref()?.parse::<Effort>() else {
        losses.push(Reason::UnknownEffort.at("output_config.effort"));
        return None;
    };
    let taken = facts.and_then(|it| it.efforts).unwrap_or(LEVELS);
    let level = nearest(taken, requested)?;
    if level != requested {
        losses.push(replaced(level));
    }
    Some(match level {
        Effort::None | Effort::Minimal => "MINIMAL",
        Effort::Low => "LOW",
        Effort::Medium => "MEDIUM",
        Effort::High => "HIGH",
        _ => "XHIGH",
    })
}
