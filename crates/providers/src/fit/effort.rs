//! The effort, at a level that the model takes.

use aside_messages::wire::Request;
use aside_models::Effort::{High, Low, Max, Medium, XHigh};
use aside_models::{Effort, ModelFacts, Wire};

use crate::loss::{ConversionLoss, Reason};
use crate::parameters::{member_text, with_member};

/// The levels of the Messages API, for models whose levels the catalogue does not know.
const LEVELS: &[Effort] = &[Low, Medium, High, XHigh, Max];

/// Replaces an effort that the model is known not to take by the nearest one, or leaves it out if
/// the model takes none. Gemini's levels are not efforts, and are chosen when they are written.
pub(super) fn effort(
    request: &mut Request,
    facts: Option<&ModelFacts>,
    wire: Wire,
    losses: &mut Vec<ConversionLoss>,
) {
    let config = request.output_config.as_ref();
    let requested = member_text(config, "effort").and_then(|it| it.parse().ok());
    let of_wire = (wire == Wire::Messages).then_some(LEVELS);
    let taken = facts.and_then(|it| it.efforts).or(of_wire);
    let (Some(requested), Some(taken)) = (requested, taken) else {
        return;
    };
    if wire == Wire::GenerateContent || taken.contains(&requested) {
        return;
    }
    let nearest = nearest(taken, requested);
    let value = nearest.map(|it| format!("\"{it}\""));
    let config = with_member(config, "effort", value.as_deref());
    request.output_config = config.filter(|it| it.get() != "{}");
    losses.push(match nearest {
        Some(level) => replaced(level),
        None => Reason::NoEffort.at("output_config.effort"),
    });
}

/// Returns the highest level that is not above this one, or else the lowest.
pub(crate) fn nearest(taken: &[Effort], requested: Effort) -> Option<Effort> {
    let below = taken.iter().filter(|it| **it <= requested).max();
    below.or_else(|| taken.iter().min()).copied()
}

pub(crate) fn replaced(level: Effort) -> ConversionLoss {
    let what = format!("replaced by {level}, the nearest level that the model takes");
    ConversionLoss::new("output_config.effort", what)
}
