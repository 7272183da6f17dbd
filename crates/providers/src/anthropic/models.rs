use crate::ModelFacts;

const WITH_BUDGET: &[&str] = &["enabled", "disabled"];
const BOTH: &[&str] = &["enabled", "disabled", "adaptive"];
const UNFORCED: &[&str] = &["auto", "none"];

/// A model of 200,000 tokens that thinks with a budget.
const fn model(id: &'static str, largest_answer: u64, minimum_cacheable: u64) -> ModelFacts {
    ModelFacts {
        window: Some(200_000),
        largest_answer: Some(largest_answer),
        minimum_cacheable: Some(minimum_cacheable),
        media_limit: Some(100),
        thinking: Some(WITH_BUDGET),
        thinking_tool_choice: Some(UNFORCED),
        sampling: Some(true),
        ..ModelFacts::new(id)
    }
}

/// Claude. Source: the public documentation of models, prompt caching and
/// extended thinking, as far as it is known here. Of the later models the
/// documentation was not at hand: their entries hold nothing that would refuse
/// a request, and a figure that is missing is meant to be missing.
pub(crate) const MODELS: &[ModelFacts] = &[
    model("claude-opus-4", 32_000, 1_024),
    model("claude-opus-4-0", 32_000, 1_024),
    model("claude-opus-4-1", 32_000, 1_024),
    model("claude-sonnet-4", 64_000, 1_024),
    model("claude-sonnet-4-0", 64_000, 1_024),
    model("claude-sonnet-4-5", 64_000, 1_024),
    model("claude-haiku-4-5", 64_000, 4_096),
    model("claude-opus-4-5", 64_000, 4_096),
    ModelFacts {
        // A window of a million where the beta, or the plan, has it.
        media_limit: Some(600),
        thinking: Some(BOTH),
        ..model("claude-opus-4-6", 128_000, 4_096)
    },
    ModelFacts {
        media_limit: Some(600),
        thinking: Some(BOTH),
        minimum_cacheable: None,
        ..model("claude-sonnet-4-6", 128_000, 0)
    },
    ModelFacts::new("claude-opus-4-7"),
    ModelFacts::new("claude-opus-4-8"),
    ModelFacts::new("claude-mythos-preview"),
    ModelFacts::new("claude-opus-5"),
    ModelFacts::new("claude-sonnet-5"),
    ModelFacts::new("claude-fable-5"),
    ModelFacts::new("claude-mythos-5"),
    ModelFacts::new("claude-fable-5-1"),
    ModelFacts::new("claude-mythos-5-1"),
    ModelFacts::new("claude-opus-5-5"),
    ModelFacts::new("claude-sonnet-5-5"),
    ModelFacts::new("claude-haiku-5-5"),
    ModelFacts::new("claude-fable-5-2"),
    ModelFacts::new("claude-mythos-5-2"),
];

/// Ids that the clouds spell in another way: the API's, Bedrock's, Vertex's.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    (
        "claude-opus-4-5",
        "global.anthropic.claude-opus-4-5-20251101-v1:0",
        "claude-opus-4-5@20251101",
    ),
    (
        "claude-sonnet-4-5",
        "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "claude-sonnet-4-5@20250929",
    ),
    (
        "claude-haiku-4-5",
        "global.anthropic.claude-haiku-4-5-20251001-v1:0",
        "claude-haiku-4-5@20251001",
    ),
];

/// Bedrock's id. One that is not in the table stays: it may be an inference
/// profile, and a guess would be refused with a less clear message.
pub(crate) fn on_bedrock(model: &str) -> &str {
    let found = ELSEWHERE.iter().find(|(id, ..)| *id == model);
    found.map_or(model, |(_, bedrock, _)| bedrock)
}

/// Vertex's id; one that is not in the table stays.
pub(crate) fn on_vertex(model: &str) -> &str {
    let found = ELSEWHERE.iter().find(|(id, ..)| *id == model);
    found.map_or(model, |(.., vertex)| vertex)
}
