/// What is publicly known of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelFacts {
    /// The model's id without a date or a provider's additions, such as `claude-opus-4-5`.
    pub id: &'static str,
    /// The name that people use, such as `Claude Opus 4.5`.
    pub name: &'static str,
    /// The month up to which its knowledge is reliable; `None` where this table has no source.
    pub knowledge_cutoff: Option<&'static str>,
}

const fn model(id: &'static str, name: &'static str) -> ModelFacts {
    ModelFacts {
        id,
        name,
        knowledge_cutoff: None,
    }
}

const fn cutoff(month: &'static str, facts: ModelFacts) -> ModelFacts {
    ModelFacts {
        knowledge_cutoff: Some(month),
        ..facts
    }
}

/// The models whose name or knowledge cut-off is known here.
///
/// Ids: Anthropic's Python SDK, version 2.11.0, its list of models (`anthropic.types.Model`) and its
/// table of deprecated ones; the names are formed from the ids. Cut-offs: meant to be the "reliable
/// knowledge cutoff" of the models overview in Anthropic's documentation
/// (<https://platform.claude.com/docs/en/about-claude/models/overview>), but entered without that
/// page at hand, so compare them with it. A new model is one line; leave a cut-off out rather than
/// guess it.
pub const MODELS: &[ModelFacts] = &[
    model("claude-fable-5-2", "Claude Fable 5.2"),
    model("claude-mythos-5-2", "Claude Mythos 5.2"),
    model("claude-opus-5-5", "Claude Opus 5.5"),
    model("claude-sonnet-5-5", "Claude Sonnet 5.5"),
    model("claude-haiku-5-5", "Claude Haiku 5.5"),
    model("claude-fable-5-1", "Claude Fable 5.1"),
    model("claude-mythos-5-1", "Claude Mythos 5.1"),
    model("claude-fable-5", "Claude Fable 5"),
    model("claude-mythos-5", "Claude Mythos 5"),
    model("claude-opus-5", "Claude Opus 5"),
    model("claude-sonnet-5", "Claude Sonnet 5"),
    model("claude-opus-4-8", "Claude Opus 4.8"),
    model("claude-opus-4-7", "Claude Opus 4.7"),
    model("claude-mythos-preview", "Claude Mythos Preview"),
    cutoff("May 2025", model("claude-opus-4-6", "Claude Opus 4.6")),
    cutoff(
        "August 2025",
        model("claude-sonnet-4-6", "Claude Sonnet 4.6"),
    ),
    cutoff("May 2025", model("claude-opus-4-5", "Claude Opus 4.5")),
    cutoff(
        "February 2025",
        model("claude-haiku-4-5", "Claude Haiku 4.5"),
    ),
    cutoff(
        "January 2025",
        model("claude-sonnet-4-5", "Claude Sonnet 4.5"),
    ),
    cutoff("January 2025", model("claude-opus-4-0", "Claude Opus 4")),
    cutoff("January 2025", model("claude-opus-4", "Claude Opus 4")),
    cutoff(
        "January 2025",
        model("claude-sonnet-4-0", "Claude Sonnet 4"),
    ),
    cutoff("January 2025", model("claude-sonnet-4", "Claude Sonnet 4")),
];

/// The newest model of each line of the Claude family, by the same list.
pub const LATEST_CLAUDE_MODELS: &[&str] = &[
    "claude-mythos-5-2",
    "claude-fable-5-2",
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
];

/// What is known of the model with this id, in any of the forms in which providers write it:
/// `claude-sonnet-4-5-20250929`, `us.anthropic.claude-sonnet-4-5-20250929-v1:0`,
/// `claude-sonnet-4-5@20250929`.
///
/// A model of a later version is never taken for an earlier one: `claude-opus-4-9` is unknown.
pub fn model_facts(id: &str) -> Option<&'static ModelFacts> {
    let from = id.find("claude-")?;
    let id = &id[from..];
    MODELS
        .iter()
        .find(|facts| id.strip_prefix(facts.id).is_some_and(is_addition))
}

/// Whether what follows a model's id leaves it the same model: a date, a provider's revision, an
/// alias, a context size.
fn is_addition(rest: &str) -> bool {
    let rest = without_date(rest).unwrap_or(rest);
    let additions = ["-latest", "@default", "@latest", "-v", ":", "["];
    rest.is_empty() || additions.iter().any(|start| rest.starts_with(start))
}

fn without_date(rest: &str) -> Option<&str> {
    let date = rest.strip_prefix(['-', '@'])?;
    let digits = date.bytes().take_while(u8::is_ascii_digit).count();
    (digits == 8).then(|| &date[8..])
}
