use crate::ModelFacts;
use crate::model::Tier;

const fn model(id: &'static str, window: u64, largest_answer: u64) -> ModelFacts {
    ModelFacts {
        window: Some(window),
        largest_answer: Some(largest_answer),
        minimum_cacheable: Some(1_024),
        ..ModelFacts::new(id)
    }
}

/// A model of the o-series: a `developer` message, no sampling parameters.
const fn reasoning(id: &'static str) -> ModelFacts {
    ModelFacts {
        developer_role: true,
        sampling: Some(false),
        ..model(id, 200_000, 100_000)
    }
}

/// OpenAI's models and xAI's. Source: the public pages of the models, as far
/// as they are known here; ids also from OpenAI's Python SDK 3.52. The windows
/// of xAI's models are less sure, and their largest answers are not known.
pub(crate) const MODELS: &[ModelFacts] = &[
    reasoning("o1"),
    reasoning("o3"),
    reasoning("o3-mini"),
    reasoning("o4-mini"),
    model("gpt-4o", 128_000, 16_384),
    model("gpt-4o-mini", 128_000, 16_384),
    model("gpt-4.1", 1_047_576, 32_768),
    model("gpt-4.1-mini", 1_047_576, 32_768),
    model("gpt-4.1-nano", 1_047_576, 32_768),
    ModelFacts {
        sampling: Some(false),
        ..model("gpt-5", 400_000, 128_000)
    },
    ModelFacts {
        sampling: Some(false),
        ..model("gpt-5-mini", 400_000, 128_000)
    },
    ModelFacts {
        sampling: Some(false),
        ..model("gpt-5-nano", 400_000, 128_000)
    },
    ModelFacts::new("gpt-5.1"),
    ModelFacts::new("gpt-5.2"),
    ModelFacts::new("gpt-5.4"),
    ModelFacts::new("gpt-5.4-mini"),
    ModelFacts::new("gpt-5.5"),
    ModelFacts {
        window: Some(131_072),
        ..ModelFacts::new("grok-3")
    },
    ModelFacts {
        window: Some(256_000),
        ..ModelFacts::new("grok-4")
    },
    ModelFacts {
        window: Some(2_000_000),
        ..ModelFacts::new("grok-4-fast")
    },
];

/// The model that stands in for one of Claude's. Which is best for a team is
/// the team's to say; this is what it gets without saying.
pub(crate) fn model_for(tier: Tier) -> &'static str {
    match tier {
        Tier::Opus | Tier::Sonnet => "gpt-5.5",
        Tier::Haiku => "gpt-5.4-mini",
    }
}

/// The same among xAI's.
pub(crate) fn grok_for(tier: Tier) -> &'static str {
    match tier {
        Tier::Opus | Tier::Sonnet => "grok-4",
        Tier::Haiku => "grok-4-fast",
    }
}
