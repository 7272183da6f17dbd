//! Thinking modes, budgets and efforts.
//!
//! | `thinking` | refused by |
//! |---|---|
//! | `{"type":"adaptive"}` | Opus 4.5, Sonnet 4.5, Haiku 4.5 |
//! | `{"type":"enabled","budget_tokens":2048}` | Opus 4.7, Sonnet 5, Haiku 5.5 and later models |
//! | `{"type":"disabled"}` | models that always think, and Sonnet 5.5 |
//! | `{"type":"between_tools"}` | every model but Sonnet 5.5 |
//!
//! Each model's modes are catalogue data (documented and observed). The refusal
//! is ``"thinking.type.enabled" is not supported for this model``, with the
//! mode's name.
//!
//! - `thinking-effort`: thinking off with the effort `xhigh` or `max`, with
//!   models that can switch it off up to `high`.
//! - `thinking-budget`: fewer than 1,024 tokens, or not less than `max_tokens`
//!   in a request without tools. Refusal: `max_tokens` must be greater than
//!   `thinking.budget_tokens`.
//! - `interleaved-budget`: the same in a request with tools, which the beta for
//!   interleaved thinking permits.
//! - `effort-model`: an effort that the model does not have, such as `xhigh`
//!   with Opus 4.6.

use aside_models::{Acceptance, Effort};

use super::view::View;
use crate::checker::Checker;
use crate::context::ApiEndpoint;
use crate::of::parameters::{low_budget, over_budget};
use crate::table::{
    DISPLAY_BETA, EFFORT_MODEL, INTERLEAVED_BUDGET, THINKING_BUDGET, THINKING_DEPRECATED,
    THINKING_EFFORT, THINKING_MODE,
};
use aside_json::Value;

/// Without a `thinking` parameter, only the effort is checked.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let effort =
        view.output_config("effort").and_then(Value::text).and_then(|name| name.parse().ok());
    // This API has no lower ones.
    let effort = effort.filter(|effort| *effort >= Effort::Low);
    if let (Some(effort), Some(facts)) = (effort, checker.facts)
        && facts.takes_effort(effort) == Some(false)
    {
        let found = checker.on_model(&format!("{:?}", effort.as_str()));
        checker.add(&EFFORT_MODEL, "output_config.effort", found);
    }
    let Some(thinking) = view.root.given("thinking") else {
        return;
    };
    mode(checker, &thinking.tag(), effort);
    if thinking.tag() == "enabled" {
        budget(checker, view, thinking);
    }
    if thinking.text_of("display").as_deref() == Some("updates") {
        checker.add(&DISPLAY_BETA, "thinking.display", "\"updates\"");
    }
}

/// `mode` is the text under `type`; the walk has already reported an unknown
/// one. The effort is the request's, or else the model's default.
fn mode(checker: &mut Checker, mode: &str, effort: Option<Effort>) {
    let Some(facts) = checker.facts else { return };
    let Some(modes) = facts.thinking else { return };
    let found = format!("{mode:?}, {} takes {}", facts.id, {
        let accepted: Vec<_> = modes.accepted().collect();
        accepted.join(", ")
    });
    match modes.mode(mode) {
        Some(Acceptance::Refused) => checker.add(&THINKING_MODE, "thinking.type", found),
        Some(Acceptance::Deprecated) => {
            checker.add(&THINKING_DEPRECATED, "thinking.type", format!("{mode:?}"));
        }
        Some(Acceptance::UpToHighEffort) => {
            let effort = effort.or(facts.default_effort);
            if let Some(effort) = effort.filter(|effort| *effort > Effort::High) {
                let found = format!("{:?}, with thinking {mode}", effort.as_str());
                checker.add(&THINKING_EFFORT, "output_config.effort", found);
            }
        }
        _ => {}
    }
}

/// `count_tokens` has no `max_tokens`, so there is only the minimum.
fn budget(checker: &mut Checker, view: &View<'_>, thinking: Value<'_>) {
    let path = "thinking.budget_tokens";
    let Some(budget) = thinking.get("budget_tokens").and_then(Value::integer) else {
        return;
    };
    if let Some(found) = low_budget(budget) {
        checker.add(&THINKING_BUDGET, path, found);
    }
    let max_tokens = view.root.get("max_tokens").and_then(Value::integer);
    let Some(found) = over_budget(budget, max_tokens) else {
        return;
    };
    if checker.endpoint == ApiEndpoint::CountTokens {
        return;
    }
    if view.tools.is_empty() && !view.continues_thread() {
        checker.add(&THINKING_BUDGET, path, found);
    } else {
        checker.add(&INTERLEAVED_BUDGET, path, found);
    }
}
