use aside_prompt_sections::model_facts;

/// A shorter prefix is not cached, marker or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinimumLength {
    /// The model's id without a date or a provider's additions.
    pub model: &'static str,
    /// The shortest prefix that is cached, in tokens.
    pub tokens: u64,
}

const fn minimum(model: &'static str, tokens: u64) -> MinimumLength {
    MinimumLength { model, tokens }
}

/// The shortest cacheable prefix of each model.
///
/// Meant to be the table "Cache limitations" of the page on prompt caching in
/// Anthropic's documentation
/// (<https://platform.claude.com/docs/en/build-with-claude/prompt-caching>),
/// but entered without that page at hand, so compare them with it. A new model
/// is one line; leave one out rather than guess.
pub const MINIMUM_LENGTHS: &[MinimumLength] = &[
    minimum("claude-mythos-preview", 2048),
    minimum("claude-opus-4-7", 4096),
    minimum("claude-opus-4-6", 4096),
    minimum("claude-sonnet-4-6", 2048),
    minimum("claude-opus-4-5", 4096),
    minimum("claude-haiku-4-5", 4096),
    minimum("claude-sonnet-4-5", 1024),
    minimum("claude-opus-4-0", 1024),
    minimum("claude-opus-4", 1024),
    minimum("claude-sonnet-4-0", 1024),
    minimum("claude-sonnet-4", 1024),
];

/// The shortest prefix that any model caches, in tokens.
pub const LEAST_MINIMUM: u64 = 512;

/// The shortest prefix that every model caches, in tokens: what counts where a
/// model is not in the table.
pub const GREATEST_MINIMUM: u64 = 4096;

/// The shortest prefix, in tokens, that the model with this id caches; `None`
/// where it is not known.
#[must_use]
pub fn minimum_length(model: &str) -> Option<u64> {
    let facts = model_facts(model)?;
    MINIMUM_LENGTHS
        .iter()
        .find(|minimum| minimum.model == facts.id)
        .map(|minimum| minimum.tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_may_spell_the_model_as_it_likes() {
        let bedrock = "us.anthropic.claude-haiku-4-5-20251001-v1:0";
        assert_eq!(minimum_length(bedrock), Some(4096));
        assert_eq!(minimum_length("claude-sonnet-4-5"), Some(1024));
        assert_eq!(minimum_length("claude-opus-9"), None);
        assert_eq!(minimum_length("gpt-5"), None);
    }

    #[test]
    fn every_line_is_a_model_and_within_the_range() {
        for line in MINIMUM_LENGTHS {
            assert_eq!(
                minimum_length(line.model),
                Some(line.tokens),
                "{}",
                line.model
            );
            assert!((LEAST_MINIMUM..=GREATEST_MINIMUM).contains(&line.tokens));
        }
    }
}
