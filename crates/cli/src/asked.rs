//! Who is asked, as the arguments and the environment say it: the same for the
//! commands that send a request and for those that only show it.

use anyhow::Context;
use aside_host::Environment;
use aside_messages::wire::{ContentBlock, Message, Request, Role};
use aside_providers::{ModelChoice, Options, Provider, Server};

use crate::Failure;
use crate::arguments::RequestArguments;
use crate::session::Invocation;

/// Who is asked.
pub(crate) struct ProviderSelection {
    /// The provider that was chosen; the default does not have to be.
    pub(crate) chosen: Option<Provider>,
    /// What else the environment says of providers.
    pub(crate) variables: Variables,
}

/// The variables that count, which hold keys as well.
pub(crate) struct Variables(Environment);

impl ProviderSelection {
    pub(crate) fn of(here: &Invocation, request: &RequestArguments) -> Result<Self, Failure> {
        let environment = here.environment.clone();
        Self::new(request.provider, environment).map_err(Failure::usage)
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
                let provider = Provider::choose(|name| variables.get(name))?;
                Some(provider).filter(|it| *it != Provider::default())
            }
        };
        Ok(Self { chosen, variables })
    }

    pub(crate) fn provider(&self) -> Provider {
        self.chosen.unwrap_or_default()
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

    /// Returns whose server answers, as the variable of the base URL says.
    pub(crate) fn server(&self) -> Server {
        let spec = self.provider().spec();
        let base = self.variables.get(spec.address.base_variable);
        spec.server(base.as_deref())
    }

    /// How a request becomes the provider's.
    pub(crate) fn options(&self, session_id: Option<String>) -> Options {
        Options {
            models: ModelChoice::from_variables(self.provider(), |name| self.variables.get(name)),
            server: self.server(),
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
}
