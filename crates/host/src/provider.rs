//! The selection of a provider, from an argument and the variables.

use std::fmt;

use aside_providers::{
    AnswerLimit, GlobalScope, ModelChoice, Options, Provider, ProviderError, ServerKind,
};

use crate::environment::EnvVars;

/// The provider of a session, selected by an argument and by the variables of
/// the environment.
///
/// ```
/// use aside_host::{EnvVars, ProviderSelection};
/// use aside_providers::Provider;
///
/// let environment = EnvVars::from_iter([("CLAUDE_CODE_USE_GROK", "1")]);
/// let selection = ProviderSelection::new(None, environment.clone())?;
/// assert_eq!(selection.provider(), Provider::Grok);
///
/// let selection = ProviderSelection::new(Some(Provider::OpenAi), environment)?;
/// assert_eq!(selection.provider(), Provider::OpenAi);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ProviderSelection {
    /// `None` if neither the argument nor a variable chooses one, which means the default.
    chosen: Option<Provider>,
    /// The environment variables, which include keys.
    environment: EnvVars,
    /// Beta features that the user requests.
    betas: Vec<String>,
    /// The permission for cache markers with global scope.
    global_scope: GlobalScope,
    /// The keys that a compatible server takes.
    compatible: CompatibleKeys,
}

/// The keys of requests for a server that is compatible with OpenAI's: one's own base URL.
///
/// The provider's own server gets its own keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompatibleKeys {
    /// The key of the response limit on Chat Completions.
    pub answer_limit: AnswerLimit,
    /// Whether `prompt_cache_key` is left out, which some servers refuse.
    pub no_prompt_cache_key: bool,
}

impl ProviderSelection {
    /// Selects a provider. The argument has precedence over the variables.
    ///
    /// # Errors
    ///
    /// Returns an error if the variables choose several providers and there is
    /// no argument, or if the variable of the wire has an unknown value.
    pub fn new(argument: Option<Provider>, environment: EnvVars) -> Result<Self, ProviderError> {
        let mut selection = Self {
            chosen: argument,
            environment,
            betas: Vec::new(),
            global_scope: GlobalScope::default(),
            compatible: CompatibleKeys::default(),
        };
        if argument.is_none() {
            let provider = Provider::choose(|name| selection.variable(name))?;
            selection.chosen = Some(provider).filter(|it| *it != Provider::default());
        }
        let provider = selection.provider();
        provider.check_wire(|name| selection.variable(name))?;
        Ok(selection)
    }

    /// Requests beta features, in addition to those that a request needs.
    #[must_use]
    pub fn with_betas(self, betas: Vec<String>) -> Self {
        Self { betas, ..self }
    }

    /// Allows cache markers with global scope, for a session that uses them.
    #[must_use]
    pub fn with_global_scope(self) -> Self {
        Self {
            global_scope: GlobalScope::Enabled,
            ..self
        }
    }

    /// Sets the keys of requests for a compatible server.
    #[must_use]
    pub fn with_compatible_keys(self, compatible: CompatibleKeys) -> Self {
        Self { compatible, ..self }
    }

    /// Returns the provider that was chosen, or `None` for the default.
    #[must_use]
    pub fn chosen(&self) -> Option<Provider> {
        self.chosen
    }

    /// Returns the provider that was chosen, or the default.
    #[must_use]
    pub fn provider(&self) -> Provider {
        self.chosen.unwrap_or_default()
    }

    /// Returns the kind of the server, by the variable of the base URL.
    #[must_use]
    pub fn server(&self) -> ServerKind {
        let spec = self.provider().spec();
        let base = self.variable(spec.address.base_variable);
        let wire = spec.wire_variable.and_then(|name| self.variable(name));
        match (spec.server(base.as_deref()), wire.as_deref()) {
            (ServerKind::Compatible, Some("responses")) => ServerKind::CompatibleResponses,
            (server, _) => server,
        }
    }

    /// Returns the provider's name for the model that responds to requests for
    /// `model`, if it differs.
    #[must_use]
    pub fn answering_model(&self, model: &str) -> Option<String> {
        let models = self.options(None).models;
        let answering = models.resolve_on(self.provider(), model, self.server());
        (answering != model).then_some(answering)
    }

    /// Returns the options by which requests are converted for the provider.
    #[must_use]
    pub fn options(&self, session_id: Option<String>) -> Options {
        let server = self.server();
        let compatible = match server {
            ServerKind::Own => CompatibleKeys::default(),
            _ => self.compatible,
        };
        Options {
            models: ModelChoice::from_variables(self.provider(), |name| self.variable(name)),
            server,
            session_id: session_id.filter(|_| !compatible.no_prompt_cache_key),
            answer_limit: compatible.answer_limit,
            betas: self.betas.clone(),
            global_scope: self.global_scope,
            ..Options::default()
        }
    }

    /// Returns a variable without white space at its ends, unless it is empty.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        let value = self.environment.get(name)?.to_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }
}

/// Shows the provider only, because the variables include keys.
impl fmt::Debug for ProviderSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSelection")
            .field("chosen", &self.chosen)
            .finish_non_exhaustive()
    }
}
