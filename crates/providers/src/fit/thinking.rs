//! Thinking, in a mode that the model takes.

use std::fmt::Display;

use aside_messages::wire::{Request, ThinkingConfig};
use aside_models::{Acceptance, ModelFacts, Wire};

use crate::loss::{ConversionLoss, Reason};

/// Replaces a mode of thinking that the model is known to refuse by the one that means the same
/// there, or leaves it out.
///
/// ```text
/// disabled         between_tools, or left out where the model always thinks
/// between_tools    disabled, or left out where the model always thinks
/// enabled          adaptive, without the budget
/// adaptive         left out: the model needs a budget
/// ```
///
/// A budget above everything that the model may write is lowered.
pub(super) fn thinking(
    request: &mut Request,
    facts: Option<&ModelFacts>,
    wire: Wire,
    losses: &mut Vec<ConversionLoss>,
) {
    let modes = facts.and_then(|it| it.thinking.as_ref()).filter(|_| wire == Wire::Messages);
    let (Some(modes), Some(thinking)) = (modes, &mut request.thinking) else {
        return;
    };
    let is_taken = |it| it != Acceptance::Refused;
    if modes.mode(&thinking.kind).is_none_or(is_taken) {
        let most = facts.and_then(|it| it.max_output).map(|it| it - 1);
        if let (Some(budget), Some(most)) = (&mut thinking.budget_tokens, most)
            && *budget > most
        {
            *budget = most;
            losses.push(lowered(most));
        }
        return;
    }
    let (kind, loss) = match thinking.kind.as_str() {
        "disabled" if is_taken(modes.between_tools) => {
            (Some("between_tools"), Reason::BetweenTools.at("thinking"))
        }
        "between_tools" if is_taken(modes.disabled) => {
            (Some("disabled"), Reason::Disabled.at("thinking"))
        }
        "disabled" | "between_tools" => (None, Reason::AlwaysReasons.at("thinking")),
        "enabled" if is_taken(modes.adaptive) => {
            (Some("adaptive"), Reason::NoBudget.at("thinking.budget_tokens"))
        }
        "adaptive" => (None, Reason::OnlyBudget.at("thinking")),
        _ => return,
    };
    losses.push(loss);
    let kept = request.thinking.take();
    request.thinking = kind.zip(kept).map(|(kind, kept)| ThinkingConfig {
        kind: kind.to_owned(),
        budget_tokens: None,
        ..kept
    });
}

pub(crate) fn lowered(most: impl Display) -> ConversionLoss {
    let what = format!("lowered to {most}, the most that the model takes");
    ConversionLoss::new("thinking.budget_tokens", what)
}
