//! Who answers, as the environment says.

use anyhow::{Context, anyhow};
use aside_providers::{Provider, Server};
use aside_transport::{Credentials, Endpoint, Http, HttpClient, Limits, Proxies, RetryPolicy};

use crate::asked::ProviderSelection;

/// A client of whoever is asked; `None` where nobody was chosen and no key is
/// set.
pub(super) fn client(
    asked: &ProviderSelection,
    session_id: String,
) -> anyhow::Result<Option<HttpClient>> {
    let provider = asked.provider();
    let variables = &asked.variables;
    let variable = |name: &str| variables.get(name);
    let credentials = Credentials::from_variables(provider, variable);
    // A compatible server may want no key; it says so itself if it does.
    let keyless = (asked.server() == Server::Compatible).then_some(Credentials::None);
    let Some(credentials) = credentials.or(keyless) else {
        if asked.chosen.is_none() {
            return Ok(None);
        }
        let keys = provider.spec().keys.iter().map(|key| key.name);
        let keys = keys.collect::<Vec<_>>().join(" or ");
        return Err(anyhow!("failed to ask {provider}: {keys} is not set"));
    };
    let endpoint = Endpoint::from_variables(provider, credentials, variable)
        .with_context(|| format!("failed to ask {provider}"))?;
    let http = Http::new(
        Limits::default(),
        RetryPolicy::default(),
        Proxies::Environment,
    );
    let http = http.map_err(|error| anyhow!("failed to start HTTP: {error}"))?;
    let options = asked.options(Some(session_id));
    Ok(Some(HttpClient::new(http, endpoint, options)))
}

/// Who would answer: nobody where nobody was chosen and no key is set.
pub(super) fn provider(asked: &ProviderSelection) -> Option<Provider> {
    let variable = |name: &str| asked.variables.get(name);
    let has_key = || Credentials::from_variables(asked.provider(), variable).is_some();
    asked.chosen.or_else(|| has_key().then(|| asked.provider()))
}

#[cfg(test)]
mod tests {
    use aside_agent::Client;

    use super::*;

    fn check(chosen: Option<Provider>, variables: &[(&str, &str)], expected: Result<&str, &str>) {
        let environment = variables.iter().copied().collect();
        let asked = ProviderSelection::new(chosen, environment);
        let found = asked.and_then(|asked| {
            let client = client(&asked, "id".into())?;
            let name = client.as_ref().map(|client| client.provider().to_owned());
            assert_eq!(name, provider(&asked).map(|it| it.to_string()));
            Ok(client)
        });
        let found = found.map(|client| match client {
            Some(client) => client.provider().to_owned(),
            None => "nobody".to_owned(),
        });
        let found = found.map_err(|error| format!("{error:#}"));
        assert_eq!(
            found,
            expected.map(str::to_owned).map_err(str::to_owned),
            "{variables:?}"
        );
    }

    #[test]
    fn whoever_has_a_key_is_asked() {
        check(None, &[], Ok("nobody"));
        check(None, &[("ANTHROPIC_API_KEY", " ")], Ok("nobody"));
        check(None, &[("ANTHROPIC_API_KEY", "k")], Ok("first-party"));
        check(None, &[("ANTHROPIC_AUTH_TOKEN", "k")], Ok("first-party"));
        check(
            Some(Provider::FirstParty),
            &[],
            Err("failed to ask first-party: ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN is not set"),
        );
        let grok = [("CLAUDE_CODE_USE_GROK", "1"), ("XAI_API_KEY", "k")];
        check(None, &grok, Ok("grok"));
        check(
            None,
            &grok[..1],
            Err("failed to ask grok: GROK_API_KEY or XAI_API_KEY is not set"),
        );
        check(
            None,
            &[grok[0], ("CLAUDE_CODE_USE_VERTEX", "true")],
            Err("choose one provider: CLAUDE_CODE_USE_VERTEX, CLAUDE_CODE_USE_GROK are all set"),
        );
        check(
            Some(Provider::OpenAi),
            &[grok[0], ("OPENAI_API_KEY", "k")],
            Ok("openai"),
        );
        let local = ("OPENAI_BASE_URL", "http://localhost:8080/v1");
        check(Some(Provider::OpenAi), &[local], Ok("openai"));
        let azure = ("OPENAI_BASE_URL", "https://x.openai.azure.com/openai/v1");
        check(
            Some(Provider::OpenAi),
            &[azure],
            Err("failed to ask openai: OPENAI_API_KEY is not set"),
        );
        check(
            Some(Provider::Bedrock),
            &[("AWS_BEARER_TOKEN_BEDROCK", "k")],
            Err("failed to ask bedrock: AWS_REGION is not set"),
        );
        check(
            None,
            &[
                ("ANTHROPIC_API_KEY", "k"),
                ("ANTHROPIC_BASE_URL", "ftp://x"),
            ],
            Err("failed to ask first-party: the base is no http or https address"),
        );
    }
}
