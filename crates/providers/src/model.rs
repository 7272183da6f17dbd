//! Choosing which model to use when a request names a Claude model.

use aside_models::{Known, ModelFacts, Platform, Tier, find_on};

use crate::provider::Provider;
use crate::provider_spec::{ProviderSpec, ServerKind};

/// Which of the provider's models to use, from environment variables (`OPENAI_MODEL`, `GROK_MODEL`,
/// `GEMINI_MODEL`, `GEMINI_DEFAULT_OPUS_MODEL`, `GEMINI_DEFAULT_SONNET_MODEL`) or from your
/// settings.
///
/// If a field is `None`, the model catalogue chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelChoice {
    /// The model to use for every request; it overrides the others.
    pub outright: Option<String>,
    /// The model to use when a request names an Opus, such as `gemini-4-argon`.
    pub opus: Option<String>,
    /// The model to use when a request names a Sonnet.
    pub sonnet: Option<String>,
    /// The model to use when a request names a Haiku.
    pub haiku: Option<String>,
}

impl ModelChoice {
    /// Returns the provider's name for the model that you request.
    ///
    /// To choose it, this takes `outright`, then the field for the model's tier, then the newest
    /// catalogue model that replaces this tier and takes tools on the wire
    /// ([`aside_models::counterpart`]). If you name a model that is not a Claude, its name stays.
    ///
    /// ```
    /// use aside_providers::{ModelChoice, Provider};
    ///
    /// let choice = ModelChoice { sonnet: Some("gpt-4.1".into()), ..ModelChoice::default() };
    /// assert_eq!(choice.resolve(Provider::OpenAi, "claude-sonnet-5-5"), "gpt-4.1");
    /// assert_eq!(choice.resolve(Provider::OpenAi, "o3"), "o3");
    /// assert_eq!(choice.resolve(Provider::FirstParty, "claude-opus-5"), "claude-opus-5");
    /// ```
    #[must_use]
    pub fn resolve(&self, provider: impl Into<&'static ProviderSpec>, model: &str) -> String {
        self.resolve_on(provider, model, ServerKind::Own)
    }

    /// Like [`ModelChoice::resolve`], but for a server: a replacement is a model for the wire that
    /// this server uses.
    #[must_use]
    pub fn resolve_on(
        &self,
        provider: impl Into<&'static ProviderSpec>,
        model: &str,
        server: ServerKind,
    ) -> String {
        if let Some(outright) = &self.outright {
            return outright.clone();
        }
        let Some(tier) = Tier::of(model) else {
            return model.to_owned();
        };
        let chosen = match tier {
            Tier::Opus => &self.opus,
            Tier::Sonnet => &self.sonnet,
            Tier::Haiku => &self.haiku,
        };
        if let Some(chosen) = chosen {
            return chosen.clone();
        }
        (provider.into().stand_in)(model, tier, server)
    }

    /// Reads the choice from environment variables. `variable` has to return a variable's value if
    /// it is set.
    ///
    /// This reads only the variables that the provider's row names
    /// ([`ProviderSpec::model_variables`]).
    #[must_use]
    pub fn from_variables(
        provider: impl Into<&'static ProviderSpec>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let names = provider.into().model_variables;
        Self {
            outright: names.outright.and_then(&variable),
            opus: names.opus.and_then(&variable),
            sonnet: names.sonnet.and_then(&variable),
            haiku: names.haiku.and_then(&variable),
        }
    }
}

impl Provider {
    /// Returns the platform to look up in the model catalogue.
    #[must_use]
    pub fn platform(self) -> Platform {
        self.spec().platform
    }
}

impl ProviderSpec {
    /// Returns what the catalogue knows about this model, if the provider serves that vendor's
    /// models.
    ///
    /// `None` also when the catalogue does not know the name: no rule is applied to it then.
    pub(crate) fn facts(&self, model: &str) -> Option<&'static ModelFacts> {
        let found = find_on(self.platform, model);
        let is_served = found.known != Known::Unknown && found.facts.vendor == self.vendor;
        is_served.then_some(found.facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_falls_back_step_by_step() {
        let mut choice = ModelChoice::default();
        let resolve = |choice: &ModelChoice, model: &str| choice.resolve(Provider::Gemini, model);
        assert_eq!(resolve(&choice, "haiku"), "gemini-3.8-flash");
        assert_eq!(resolve(&choice, "gemini-x"), "gemini-x");
        choice.opus = Some("mine".into());
        assert_eq!(resolve(&choice, "claude-mythos-5-2"), "mine");
        choice.outright = Some("this".into());
        assert_eq!(resolve(&choice, "gemini-x"), "this");
    }

    #[test]
    fn variables_choose_the_model() {
        let resolve = |provider: Provider, variables: &[(&str, &str)], model: &str| {
            let variable = |name: &str| {
                let found = variables.iter().find(|(it, _)| *it == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            ModelChoice::from_variables(provider, variable).resolve(provider, model)
        };
        let outright = [("OPENAI_MODEL", "mine"), ("GEMINI_MODEL", "other")];
        assert_eq!(resolve(Provider::OpenAi, &outright, "sonnet"), "mine");
        assert_eq!(resolve(Provider::Gemini, &outright, "sonnet"), "other");
        let lines =
            [("GEMINI_DEFAULT_OPUS_MODEL", "large"), ("GEMINI_DEFAULT_SONNET_MODEL", "usual")];
        assert_eq!(resolve(Provider::Gemini, &lines, "opus"), "large");
        assert_eq!(resolve(Provider::Gemini, &lines, "sonnet"), "usual");
        let unset = resolve(Provider::Gemini, &[], "opus");
        assert_eq!(
            resolve(Provider::OpenAi, &lines, "opus"),
            resolve(Provider::OpenAi, &[], "opus")
        );
        assert!(unset != "large" && !unset.is_empty());
    }

    #[test]
    fn every_line_has_a_stand_in_everywhere() {
        for provider in Provider::ALL {
            for line in ["opus", "sonnet", "haiku"] {
                assert!(!ModelChoice::default().resolve(provider, line).is_empty());
            }
        }
    }

    #[test]
    fn clouds_have_ids_of_their_own() {
        let resolve = |provider, model| ModelChoice::default().resolve(provider, model);
        let bedrock = |model| resolve(Provider::Bedrock, model);
        assert_eq!(bedrock("claude-opus-5-5"), "global.anthropic.claude-opus-5-5");
        assert_eq!(bedrock("claude-opus-4-5"), "global.anthropic.claude-opus-4-5-20251101-v1:0");
        for kept in
            ["us.anthropic.claude-opus-5", "claude-opus-9", "arn:aws:bedrock:x/claude-opus-5"]
        {
            assert_eq!(bedrock(kept), kept);
        }
        let messages = |model| resolve(Provider::BedrockMessages, model);
        assert_eq!(messages("claude-opus-5-5"), "anthropic.claude-opus-5-5");
        assert_eq!(messages("claude-haiku-4-5-20251001"), "anthropic.claude-haiku-4-5");
        for kept in ["anthropic.claude-opus-5", "claude-opus-4-5", "us.anthropic.claude-opus-5"] {
            assert_eq!(messages(kept), kept);
        }
        let vertex = |model| resolve(Provider::Vertex, model);
        assert_eq!(vertex("claude-opus-5-5"), "claude-opus-5-5");
        assert_eq!(vertex("claude-haiku-4-5-20251001"), "claude-haiku-4-5@20251001");
        assert_eq!(vertex("claude-haiku-4-5@20251001"), "claude-haiku-4-5@20251001");
    }

    #[test]
    fn facts_are_those_of_the_vendor_that_serves() {
        assert!(Provider::OpenAi.spec().facts("claude-opus-5").is_none());
        assert!(Provider::OpenAi.spec().facts("o3").is_some());
        assert!(Provider::Gemini.spec().facts("models/gemini-3-pro-preview").is_some());
        assert!(Provider::Gemini.spec().facts("llama").is_none());
    }
}
