use std::fmt;

/// Who answers a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    /// Anthropic's own API.
    #[default]
    FirstParty,
    /// Amazon Bedrock.
    Bedrock,
    /// Claude on Google Cloud's Vertex AI.
    Vertex,
    /// Claude on Microsoft Foundry.
    Foundry,
    /// OpenAI's Chat Completions, or a server that is compatible with it.
    OpenAi,
    /// Google's Gemini API.
    Gemini,
    /// xAI, in the form of OpenAI.
    Grok,
}

/// The three wires. Providers of one family share their conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// The Messages API, which is the inner form too.
    Anthropic,
    /// Chat Completions.
    OpenAi,
    /// `generateContent`.
    Gemini,
}

/// The environment variables that choose a provider, as the caller read them.
/// `None` is a variable that is not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderVariables {
    /// `CLAUDE_CODE_USE_BEDROCK`
    pub use_bedrock: Option<String>,
    /// `CLAUDE_CODE_USE_VERTEX`
    pub use_vertex: Option<String>,
    /// `CLAUDE_CODE_USE_FOUNDRY`
    pub use_foundry: Option<String>,
    /// `CLAUDE_CODE_USE_OPENAI`
    pub use_openai: Option<String>,
    /// `CLAUDE_CODE_USE_GEMINI`
    pub use_gemini: Option<String>,
    /// `CLAUDE_CODE_USE_GROK`
    pub use_grok: Option<String>,
}

/// More than one variable chooses a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeveralProviders {
    variables: Vec<&'static str>,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::FirstParty,
        Self::Bedrock,
        Self::Vertex,
        Self::Foundry,
        Self::OpenAi,
        Self::Gemini,
        Self::Grok,
    ];

    /// The provider that the variables choose: the one whose variable has a
    /// true value (`1`, `true`, `yes`, `on`, in any letter case), and without
    /// one the first party.
    ///
    /// ```
    /// use aside_providers::{Provider, ProviderVariables};
    ///
    /// let variables = ProviderVariables {
    ///     use_vertex: Some("1".into()),
    ///     ..ProviderVariables::default()
    /// };
    /// assert_eq!(Provider::choose(&variables)?, Provider::Vertex);
    /// # Ok::<(), aside_providers::SeveralProviders>(())
    /// ```
    ///
    /// # Errors
    /// Where several variables have a true value; it names them.
    pub fn choose(variables: &ProviderVariables) -> Result<Self, SeveralProviders> {
        let all = [
            (
                "CLAUDE_CODE_USE_BEDROCK",
                &variables.use_bedrock,
                Self::Bedrock,
            ),
            (
                "CLAUDE_CODE_USE_VERTEX",
                &variables.use_vertex,
                Self::Vertex,
            ),
            (
                "CLAUDE_CODE_USE_FOUNDRY",
                &variables.use_foundry,
                Self::Foundry,
            ),
            (
                "CLAUDE_CODE_USE_OPENAI",
                &variables.use_openai,
                Self::OpenAi,
            ),
            (
                "CLAUDE_CODE_USE_GEMINI",
                &variables.use_gemini,
                Self::Gemini,
            ),
            ("CLAUDE_CODE_USE_GROK", &variables.use_grok, Self::Grok),
        ];
        let mut chosen = all.iter().filter(|(_, value, _)| is_true(value.as_deref()));
        let Some((first, _, provider)) = chosen.next() else {
            return Ok(Self::FirstParty);
        };
        let others: Vec<&str> = chosen.map(|(name, ..)| *name).collect();
        if others.is_empty() {
            return Ok(*provider);
        }
        let mut variables = vec![*first];
        variables.extend(others);
        Err(SeveralProviders { variables })
    }

    /// The wire that it speaks.
    #[must_use]
    pub fn family(self) -> Family {
        match self {
            Self::FirstParty | Self::Bedrock | Self::Vertex | Self::Foundry => Family::Anthropic,
            Self::OpenAi | Self::Grok => Family::OpenAi,
            Self::Gemini => Family::Gemini,
        }
    }

    /// Its name in lower case, as on a command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FirstParty => "first-party",
            Self::Bedrock => "bedrock",
            Self::Vertex => "vertex",
            Self::Foundry => "foundry",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Grok => "grok",
        }
    }
}

fn is_true(value: Option<&str>) -> bool {
    let value = value.unwrap_or_default().trim();
    ["1", "true", "yes", "on"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

impl SeveralProviders {
    /// The variables that have a true value.
    #[must_use]
    pub fn variables(&self) -> &[&'static str] {
        &self.variables
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for SeveralProviders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "choose one provider: {} are all set",
            self.variables.join(", ")
        )
    }
}

impl std::error::Error for SeveralProviders {}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(grok: &str, gemini: &str, expected: Result<Provider, &str>) {
        let variables = ProviderVariables {
            use_grok: Some(grok.into()),
            use_gemini: Some(gemini.into()),
            ..ProviderVariables::default()
        };
        let chosen = Provider::choose(&variables).map_err(|error| error.to_string());
        assert_eq!(chosen, expected.map_err(str::to_owned));
    }

    #[test]
    fn the_one_true_variable_chooses() {
        check("0", "", Ok(Provider::FirstParty));
        check(" Yes ", "false", Ok(Provider::Grok));
        check("no", "TRUE", Ok(Provider::Gemini));
        check(
            "on",
            "1",
            Err("choose one provider: CLAUDE_CODE_USE_GEMINI, CLAUDE_CODE_USE_GROK are all set"),
        );
    }
}
