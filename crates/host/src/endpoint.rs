//! Turning a selected provider into an endpoint and an HTTP client. A fault
//! names the variable that is missing or wrong.

use aside_messages::wire::Request;
use aside_providers::Provider;
use aside_transport::{
    BadEndpoint, Endpoint, Http, HttpClient, Limits, NoClient, Proxies, RetryPolicy, Tokens,
};

use crate::provider::ProviderSelection;

/// Why a provider has no client. Reads after "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("send to {provider}: {cause}")]
pub struct EndpointError {
    provider: Provider,
    cause: Cause,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Cause {
    #[error("{} is not set", .0.join(" or "))]
    NoKey(Vec<&'static str>),
    #[error("{0}")]
    Address(BadEndpoint),
    #[error("{0}")]
    Http(NoClient),
}

impl ProviderSelection {
    /// Returns the endpoint that the environment describes: base URL, region
    /// and project, credentials. Returns `None` when no provider was chosen and
    /// the default has no key.
    ///
    /// # Errors
    ///
    /// Returns an error when the chosen provider has no key, or part of its
    /// address is missing or invalid.
    pub fn endpoint(&self) -> Result<Option<Endpoint>, EndpointError> {
        let provider = self.provider();
        let failed = |cause| EndpointError { provider, cause };
        match self.credentials() {
            Some(credentials) => {
                let variable = |name: &str| self.variable(name);
                let endpoint = Endpoint::from_variables(provider, credentials, variable)
                    .map_err(|error| failed(Cause::Address(error)))?;
                Ok(Some(endpoint))
            }
            None if self.chosen().is_some() => {
                let keys = provider.spec().keys.iter().map(|key| key.name);
                Err(failed(Cause::NoKey(keys.collect())))
            }
            None => Ok(None),
        }
    }

    /// Returns a client for the [endpoint](Self::endpoint), with the usual
    /// limits and retries, and proxies from the environment. To send, you need
    /// a tokio runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ProviderSelection::endpoint`], and an error when
    /// HTTP cannot be set up.
    pub fn client(&self, session_id: String) -> Result<Option<HttpClient>, EndpointError> {
        let Some(endpoint) = self.endpoint()? else {
            return Ok(None);
        };
        let http = self.http(&endpoint)?;
        let options = self.options(Some(session_id));
        Ok(Some(HttpClient::new(http, endpoint, options)))
    }

    /// Asks the provider to count a request's tokens. Returns `None` when no
    /// provider was chosen and there is no key, or when the provider cannot
    /// count. Needs a tokio runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ProviderSelection::client`], and errors from
    /// sending, as text that reads after "failed to".
    pub async fn count_tokens(&self, request: &Request) -> Result<Option<u64>, String> {
        let Some(endpoint) = self.endpoint().map_err(|error| error.to_string())? else {
            return Ok(None);
        };
        let http = self.http(&endpoint).map_err(|error| error.to_string())?;
        let options = self.options(None);
        let counted = http.count_tokens(&endpoint, request, &options).await;
        match counted {
            Ok(Tokens::Counted(tokens)) => Ok(Some(tokens)),
            Ok(_) => Ok(None),
            Err(error) => Err(format!("count tokens: {error}")),
        }
    }

    /// Creates an HTTP client that uses the proxies in the environment and can
    /// reach this endpoint.
    fn http(&self, endpoint: &Endpoint) -> Result<Http, EndpointError> {
        let http = Http::new(Limits::default(), RetryPolicy::default(), Proxies::Environment);
        http.prepare(endpoint).map_err(|error| EndpointError {
            provider: self.provider(),
            cause: Cause::Http(error),
        })?;
        Ok(http)
    }
}

#[cfg(test)]
mod tests {
    use aside_agent::Client;

    use super::*;
    use crate::environment::EnvVars;

    fn check(chosen: Option<Provider>, variables: &[(&str, &str)], expected: Result<&str, &str>) {
        let environment = variables.iter().copied().collect();
        let selection = ProviderSelection::new(chosen, environment).map_err(|it| it.to_string());
        let found = selection.and_then(|selection| {
            let client =
                selection.client("id".into()).map_err(|error| format!("failed to {error}"))?;
            let name = client.as_ref().map(|client| client.provider().to_owned());
            let serving = selection.serving().map(|it| it.to_string());
            assert_eq!(name, serving);
            Ok(name.unwrap_or_else(|| "nobody".to_owned()))
        });
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(found, expected, "{variables:?}");
    }

    #[test]
    fn a_provider_with_a_key_is_selected() {
        check(None, &[], Ok("nobody"));
        check(None, &[("ANTHROPIC_API_KEY", " ")], Ok("nobody"));
        check(None, &[("ANTHROPIC_API_KEY", "k")], Ok("first-party"));
        check(None, &[("ANTHROPIC_AUTH_TOKEN", "k")], Ok("first-party"));
        check(
            Some(Provider::FirstParty),
            &[],
            Err(
                "failed to send to first-party: ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN is not set",
            ),
        );
        let grok = [("CLAUDE_CODE_USE_GROK", "1"), ("XAI_API_KEY", "k")];
        check(None, &grok, Ok("grok"));
        check(
            None,
            &grok[..1],
            Err("failed to send to grok: GROK_API_KEY or XAI_API_KEY is not set"),
        );
        check(
            None,
            &[grok[0], ("CLAUDE_CODE_USE_VERTEX", "true")],
            Err("choose one provider: CLAUDE_CODE_USE_VERTEX, CLAUDE_CODE_USE_GROK are all set"),
        );
        check(Some(Provider::OpenAi), &[grok[0], ("OPENAI_API_KEY", "k")], Ok("openai"));
        check(Some(Provider::Gemini), &[("GEMINI_API_KEY", "k")], Ok("gemini"));
        let local = ("OPENAI_BASE_URL", "http://localhost:8080/v1");
        check(Some(Provider::OpenAi), &[local], Ok("openai"));
        let azure = ("OPENAI_BASE_URL", "https://x.openai.azure.com/openai/v1");
        check(
            Some(Provider::OpenAi),
            &[azure],
            Err("failed to send to openai: OPENAI_API_KEY is not set"),
        );
        check(
            Some(Provider::Bedrock),
            &[("AWS_BEARER_TOKEN_BEDROCK", "k")],
            Err("failed to send to bedrock: AWS_REGION is not set"),
        );
        check(
            None,
            &[("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_BASE_URL", "ftp://x")],
            Err("failed to send to first-party: the base URL is not an http or https address"),
        );
    }

    #[test]
    fn keys_are_not_printed() {
        let environment = EnvVars::from_iter([("ANTHROPIC_API_KEY", "sesame")]);
        let selection = ProviderSelection::new(None, environment).unwrap();
        let printed = format!("{selection:?} {:?}", selection.endpoint());
        assert!(!printed.contains("sesame"), "{printed}");
    }
}
