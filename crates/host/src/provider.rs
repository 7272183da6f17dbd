//! Selecting a provider by argument and variables.

use std::fmt;

use aside_providers::{
    AnswerLimit, GlobalScope, ModelChoice, Options, Provider, ProviderError, ServerKind,
};

use crate::environment::EnvVars;

/// A session's provider, selected by an argument and environment variables.
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
    /// `None`, which means the default, if neither the argument nor a variable
    /// chooses one.
    chosen: Option<Provider>,
    /// They include keys.
    environment: EnvVars,
    betas: Vec<String>,
    global_scope: GlobalScope,
    compatible: CompatibleKeys,
}

/// Which request keys to send to a server that is compatible with OpenAI's, at
/// a base URL of your own.
///
/// The provider's own server gets its own keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompatibleKeys {
    /// The key that limits the response on Chat Completions.
    pub answer_limit: AnswerLimit,
    /// Whether to leave out `prompt_cache_key`, which some servers refuse.
    pub no_prompt_cache_key: bool,
}

impl ProviderSelection {
    /// Selects a provider. The argument has precedence over variables.
    ///
    /// # Errors
    ///
    /// Returns an error when variables choose several providers and there is no
    /// argument, or when the variable for the wire has an unknown value.
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
        Self { global_scope: GlobalScope::Enabled, ..self }
    }

    /// Sets the request keys for a compatible server.
    #[must_use]
    pub fn with_compatible_keys(self, compatible: CompatibleKeys) -> Self {
        Self { compatible, ..self }
    }

    /// Returns the chosen provider, or `None` for the default.
    #[must_use]
    pub fn chosen(&self) -> Option<Provider> {
        self.chosen
    }

    /// Returns the chosen provider, or the default.
    #[must_use]
    pub fn provider(&self) -> Provider {
        self.chosen.unwrap_or_default()
    }

    /// Returns the kind of server, judged by the variable for the base URL.
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

    /// Returns the provider's name for the model that responds when you request
    /// `model`, if it differs.
    #[must_use]
    pub fn answering_model(&self, model: &str) -> Option<String> {
        let models = self.options(None).models;
        let answering = models.resolve_on(self.provider(), model, self.server());
        (answering != model).then_some(answering)
    }

    /// Returns options for converting requests to the provider's wire.
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

    /// Returns a variable without surrounding white space, unless it is empty.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        let value = self.environment.get(name)?.to_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }
}

/// Shows only the provider, because the variables include keys.
impl fmt::Debug for ProviderSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSelection").field("chosen", &self.chosen).finish_non_exhaustive()
    }
}
