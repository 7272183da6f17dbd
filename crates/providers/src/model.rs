use crate::{Family, Provider, anthropic, gemini, openai};

/// What is publicly known of a model. `None` is not known here, and then
/// nothing is refused for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelFacts {
    /// The id without a date and without what a cloud puts around it.
    pub id: &'static str,
    /// The longest request and answer together, in tokens.
    pub window: Option<u64>,
    /// The longest answer, in tokens.
    pub largest_answer: Option<u64>,
    /// A prefix that is shorter is not cached, in tokens.
    pub minimum_cacheable: Option<u64>,
    /// The most images and documents in a request.
    pub media_limit: Option<usize>,
    /// The `type`s of the `thinking` parameter that it takes.
    pub thinking: Option<&'static [&'static str]>,
    /// The `type`s of `tool_choice` that it takes while it thinks.
    pub thinking_tool_choice: Option<&'static [&'static str]>,
    /// Whether it takes temperature and its like.
    pub sampling: Option<bool>,
    /// Whether the system prompt is a `developer` message.
    pub developer_role: bool,
    /// Whether the answer to a function may hold images itself.
    pub media_in_results: bool,
    /// Whether every function call has to come back with a signature.
    pub signed_calls: bool,
}

impl ModelFacts {
    /// A model of which nothing but the id is known.
    pub(crate) const fn new(id: &'static str) -> Self {
        Self {
            id,
            window: None,
            largest_answer: None,
            minimum_cacheable: None,
            media_limit: None,
            thinking: None,
            thinking_tool_choice: None,
            sampling: None,
            developer_role: false,
            media_in_results: false,
            signed_calls: false,
        }
    }

    /// What is known of the model that the provider calls so: the entry with
    /// the longest id that the name begins with.
    ///
    /// ```
    /// use aside_providers::{Family, ModelFacts};
    ///
    /// let name = "us.anthropic.claude-haiku-4-5-20251001-v1:0";
    /// assert_eq!(ModelFacts::of(Family::Anthropic, name).map(|it| it.id), Some("claude-haiku-4-5"));
    /// assert_eq!(ModelFacts::of(Family::OpenAi, "my-own-model"), None);
    /// ```
    #[must_use]
    pub fn of(family: Family, model: &str) -> Option<&'static Self> {
        let name = match family {
            // A cloud writes a region and a publisher before it.
            Family::Anthropic => &model[model.find("claude-").unwrap_or(0)..],
            Family::OpenAi => model,
            Family::Gemini => model.strip_prefix("models/").unwrap_or(model),
        };
        let is_it = |facts: &&Self| name.strip_prefix(facts.id).is_some_and(is_suffix);
        let found = Self::all(family).iter().filter(is_it);
        found.max_by_key(|facts| facts.id.len())
    }

    /// Every model of the family that is known here.
    #[must_use]
    pub fn all(family: Family) -> &'static [Self] {
        match family {
            Family::Anthropic => anthropic::MODELS,
            Family::OpenAi => openai::MODELS,
            Family::Gemini => gemini::MODELS,
        }
    }
}

/// What may follow an id: nothing, a date, a version of a cloud, a preview.
/// Another number would be another model.
fn is_suffix(rest: &str) -> bool {
    let Some(first) = rest.chars().next() else {
        return true;
    };
    match first {
        '@' | '[' | ':' => true,
        '-' => {
            let word = rest[1..].split(['-', ':', '@']).next().unwrap_or_default();
            let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            (is_number && word.len() >= 4)
                || ["latest", "preview", "exp"].contains(&word)
                || (word.len() == 2 && word.starts_with('v'))
        }
        _ => false,
    }
}

/// The lines of the Claude family, by which other providers' models are
/// chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// The most able; Mythos and Fable count as Opus.
    Opus,
    /// The one in the middle.
    Sonnet,
    /// The fastest.
    Haiku,
}

/// Which model of the provider answers, as the caller was told: by the
/// environment (`OPENAI_MODEL`, `GROK_MODEL`, `GEMINI_MODEL`,
/// `GEMINI_DEFAULT_OPUS_MODEL`, `GEMINI_DEFAULT_SONNET_MODEL`) or by settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelChoice {
    /// For every request; wins over all.
    pub outright: Option<String>,
    /// For what asks for an Opus.
    pub opus: Option<String>,
    /// For what asks for a Sonnet.
    pub sonnet: Option<String>,
    /// For what asks for a Haiku.
    pub haiku: Option<String>,
}

impl Tier {
    /// The line that the name belongs to; `None` where it names no Claude.
    #[must_use]
    pub fn of(model: &str) -> Option<Self> {
        let has = |word: &str| model.contains(word);
        let is_bare = ["opus", "sonnet", "haiku"].contains(&model);
        match () {
            () if !is_bare && !has("claude") => None,
            () if has("haiku") => Some(Self::Haiku),
            () if has("sonnet") => Some(Self::Sonnet),
            () => Some(Self::Opus),
        }
    }
}

impl ModelChoice {
    /// The provider's name for the model that the request asks for.
    ///
    /// A choice made outright wins, then the one for the line of the model,
    /// then the table of the family. A name that is no Claude is the
    /// provider's own and stays.
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
    pub fn resolve(&self, provider: Provider, model: &str) -> String {
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
        match provider {
            Provider::FirstParty | Provider::Foundry => model.to_owned(),
            Provider::Bedrock => anthropic::on_bedrock(model).to_owned(),
            Provider::Vertex => anthropic::on_vertex(model).to_owned(),
            Provider::OpenAi => openai::model_for(tier).to_owned(),
            Provider::Grok => openai::grok_for(tier).to_owned(),
            Provider::Gemini => gemini::model_for(tier).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, name: &str, expected: Option<&str>) {
        assert_eq!(
            ModelFacts::of(family, name).map(|facts| facts.id),
            expected,
            "{name}"
        );
    }

    #[test]
    fn a_name_finds_its_facts() {
        check(
            Family::Anthropic,
            "claude-opus-4-5",
            Some("claude-opus-4-5"),
        );
        check(
            Family::Anthropic,
            "claude-opus-4-20250514",
            Some("claude-opus-4"),
        );
        check(
            Family::Anthropic,
            "claude-opus-4@20250514",
            Some("claude-opus-4"),
        );
        check(Family::Anthropic, "claude-opus-4-99", None);
        check(
            Family::Anthropic,
            "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
            Some("claude-sonnet-4-5"),
        );
        check(
            Family::OpenAi,
            "gpt-4o-mini-2024-07-18",
            Some("gpt-4o-mini"),
        );
        check(Family::OpenAi, "gpt-4o-audio", None);
        check(
            Family::Gemini,
            "models/gemini-3-pro-preview",
            Some("gemini-3-pro"),
        );
        check(Family::Gemini, "", None);
    }

    #[test]
    fn ids_are_unique() {
        for family in [Family::Anthropic, Family::OpenAi, Family::Gemini] {
            let table = ModelFacts::all(family);
            let mut ids: Vec<_> = table.iter().map(|facts| facts.id).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), table.len());
        }
    }

    #[test]
    fn a_choice_falls_back_step_by_step() {
        let mut choice = ModelChoice::default();
        let resolve = |choice: &ModelChoice, model: &str| choice.resolve(Provider::Gemini, model);
        assert_eq!(resolve(&choice, "haiku"), gemini::model_for(Tier::Haiku));
        assert_eq!(resolve(&choice, "gemini-x"), "gemini-x");
        choice.opus = Some("mine".into());
        assert_eq!(resolve(&choice, "claude-mythos-5-2"), "mine");
        choice.outright = Some("this".into());
        assert_eq!(resolve(&choice, "gemini-x"), "this");
    }
}
