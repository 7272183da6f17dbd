//! Who is asked, as the arguments and the environment say it: the same for the
//! commands that send a request and for those that only show it.

use anyhow::Context;
use aside_host::Environment;
use aside_messages::wire::{ContentBlock, Message, Request, Role};
use aside_providers::{ModelChoice, Options, Provider, ProviderVariables};

use crate::Failure;
use crate::arguments::RequestArguments;
use crate::session::Here;

/// Who is asked.
pub(crate) struct Asked {
    /// Whom somebody chose; nobody had to choose the first party.
    pub(crate) chosen: Option<Provider>,
    /// What else the environment says of providers.
    pub(crate) variables: Variables,
}

/// The variables that count, which hold keys as well.
pub(crate) struct Variables(Environment);

impl Asked {
    pub(crate) fn of(here: &Here, request: &RequestArguments) -> Result<Self, Failure> {
        let environment = here.environment.clone();
        Self::new(request.provider.map(Into::into), environment).map_err(Failure::usage)
    }

    /// An argument counts more than a variable.
    pub(crate) fn new(
        argument: Option<Provider>,
        environment: Environment,
    ) -> anyhow::Result<Self> {
        let variables = Variables(environment);
        let chosen = match argument {
            Some(provider) => Some(provider),
            None => {
                let provider = Provider::choose(&variables.provider())?;
                Some(provider).filter(|it| *it != Provider::FirstParty)
            }
        };
        Ok(Self { chosen, variables })
    }

    pub(crate) fn provider(&self) -> Provider {
        self.chosen.unwrap_or(Provider::FirstParty)
    }

    /// Refuses arguments that the provider or the model would refuse, whatever
    /// else the request holds: a longer answer than it can give.
    pub(crate) fn check(&self, arguments: &RequestArguments) -> anyhow::Result<()> {
        let provider = self.provider();
        let request = Request {
            model: arguments.model.clone(),
            max_tokens: arguments.max_tokens,
            messages: vec![Message::new(Role::User, vec![ContentBlock::text("Hi")])],
            ..Request::default()
        };
        aside_providers::convert(&request, provider, &self.options(None))
            .map(drop)
            .with_context(|| refused(provider))
    }

    /// How a request becomes the provider's.
    pub(crate) fn options(&self, session_id: Option<String>) -> Options {
        Options {
            models: self.variables.models(self.provider()),
            session_id,
            ..Options::default()
        }
    }
}

/// What stands before the rules that a request breaks.
pub(crate) fn refused(provider: Provider) -> String {
    format!("{provider} would refuse the request")
}

impl Variables {
    /// A variable that is set to something.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let value = self.0.get(name)?.to_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    fn provider(&self) -> ProviderVariables {
        ProviderVariables {
            use_bedrock: self.get("CLAUDE_CODE_USE_BEDROCK"),
            use_vertex: self.get("CLAUDE_CODE_USE_VERTEX"),
            use_foundry: self.get("CLAUDE_CODE_USE_FOUNDRY"),
            use_openai: self.get("CLAUDE_CODE_USE_OPENAI"),
            use_gemini: self.get("CLAUDE_CODE_USE_GEMINI"),
            use_grok: self.get("CLAUDE_CODE_USE_GROK"),
        }
    }

    fn models(&self, provider: Provider) -> ModelChoice {
        match provider {
            Provider::OpenAi => ModelChoice {
                outright: self.get("OPENAI_MODEL"),
                ..ModelChoice::default()
            },
            Provider::Grok => ModelChoice {
                outright: self.get("GROK_MODEL"),
                ..ModelChoice::default()
            },
            Provider::Gemini => ModelChoice {
                outright: self.get("GEMINI_MODEL"),
                opus: self.get("GEMINI_DEFAULT_OPUS_MODEL"),
                sonnet: self.get("GEMINI_DEFAULT_SONNET_MODEL"),
                haiku: None,
            },
            _ => ModelChoice::default(),
        }
    }
}
