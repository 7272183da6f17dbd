use crate::ModelFacts;
use crate::model::Tier;

const fn model(id: &'static str) -> ModelFacts {
    ModelFacts {
        window: Some(1_048_576),
        largest_answer: Some(65_536),
        ..ModelFacts::new(id)
    }
}

/// A model of the third generation: it signs its calls, and takes media in
/// the answers to them.
const fn third(id: &'static str) -> ModelFacts {
    ModelFacts {
        media_in_results: true,
        signed_calls: true,
        ..model(id)
    }
}

/// Gemini. Source: the public pages of the models and of thought signatures,
/// as far as they are known here; ids from Google's Python SDK 3.4. The
/// figures of the models after 3.0 are taken from it and are less sure.
pub(crate) const MODELS: &[ModelFacts] = &[
    ModelFacts {
        minimum_cacheable: Some(4_096),
        ..model("gemini-2.5-pro")
    },
    ModelFacts {
        minimum_cacheable: Some(1_024),
        ..model("gemini-2.5-flash")
    },
    model("gemini-2.5-flash-lite"),
    third("gemini-3-pro"),
    third("gemini-3-flash"),
    third("gemini-3.1-pro"),
    third("gemini-3.5-flash"),
    third("gemini-3.8-flash"),
];

/// The model that stands in for one of Claude's.
pub(crate) fn model_for(tier: Tier) -> &'static str {
    match tier {
        Tier::Opus | Tier::Sonnet => "gemini-3.1-pro-preview",
        Tier::Haiku => "gemini-3.5-flash",
    }
}

/// What may be taken for granted of a model that is not in the table: later
/// generations are like the third.
pub(super) fn unknown(model: &str) -> ModelFacts {
    let name = model.strip_prefix("models/").unwrap_or(model);
    let number = name.strip_prefix("gemini-").unwrap_or_default();
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    let is_third = digits
        .parse::<u32>()
        .is_ok_and(|generation| generation >= 3);
    ModelFacts {
        media_in_results: is_third,
        signed_calls: is_third,
        ..ModelFacts::new("")
    }
}
