//! Who answers, as the environment says.

use anyhow::{Context, anyhow};
use aside_providers::Provider;
use aside_transport::{
    AwsKeys, BadEndpoint, Credentials, Endpoint, Http, HttpClient, Limits, Proxies, RetryPolicy,
    Secret,
};

use crate::asked::{Asked, Variables};

/// A client of whoever is asked; `None` where nobody was chosen and no key is
/// set.
pub(super) fn client(asked: &Asked, session_id: String) -> anyhow::Result<Option<HttpClient>> {
    let provider = asked.provider();
    let variables = &asked.variables;
    let Some(credentials) = variables.credentials(provider) else {
        if asked.chosen.is_none() {
            return Ok(None);
        }
        let keys = keys(provider).join(" or ");
        return Err(anyhow!("failed to ask {provider}: {keys} is not set"));
    };
    let endpoint = variables.endpoint(provider, credentials)?;
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
pub(super) fn provider(asked: &Asked) -> Option<Provider> {
    let has_key = || asked.variables.credentials(asked.provider()).is_some();
    asked.chosen.or_else(|| has_key().then(|| asked.provider()))
}

/// The variables that a key may be in.
fn keys(provider: Provider) -> &'static [&'static str] {
    match provider {
        Provider::FirstParty => &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
        Provider::Bedrock => &["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"],
        Provider::Vertex => &["ANTHROPIC_VERTEX_ACCESS_TOKEN"],
        Provider::Foundry => &["ANTHROPIC_FOUNDRY_API_KEY"],
        Provider::OpenAi => &["OPENAI_API_KEY"],
        Provider::Gemini => &["GEMINI_API_KEY"],
        Provider::Grok => &["GROK_API_KEY", "XAI_API_KEY"],
    }
}

impl Variables {
    fn required(&self, name: &str) -> anyhow::Result<String> {
        self.get(name).with_context(|| format!("{name} is not set"))
    }

    fn secret(&self, name: &str) -> Option<Secret> {
        self.get(name).map(|text| Secret::new(&text))
    }

    fn credentials(&self, provider: Provider) -> Option<Credentials> {
        let found = keys(provider)
            .iter()
            .find_map(|name| Some((*name, self.secret(name)?)))?;
        match found {
            ("AWS_ACCESS_KEY_ID", access_key_id) => Some(Credentials::Aws(AwsKeys {
                access_key_id,
                secret_access_key: self.secret("AWS_SECRET_ACCESS_KEY")?,
                session_token: self.secret("AWS_SESSION_TOKEN"),
            })),
            (name, secret) if name.contains("TOKEN") => Some(Credentials::Bearer(secret)),
            (_, secret) => Some(Credentials::ApiKey(secret)),
        }
    }

    fn endpoint(&self, provider: Provider, credentials: Credentials) -> anyhow::Result<Endpoint> {
        let base = |name| self.get(name);
        let failed = || format!("failed to ask {provider}");
        let endpoint: Result<Endpoint, BadEndpoint> = match provider {
            Provider::FirstParty => {
                Endpoint::first_party(base("ANTHROPIC_BASE_URL").as_deref(), credentials)
            }
            Provider::Bedrock => {
                let region = self.required("AWS_REGION").with_context(failed)?;
                let base = base("ANTHROPIC_BEDROCK_BASE_URL");
                Endpoint::bedrock(&region, base.as_deref(), credentials)
            }
            Provider::Vertex => {
                let project = self.required("ANTHROPIC_VERTEX_PROJECT_ID");
                let region = self.required("CLOUD_ML_REGION").with_context(failed)?;
                let base = base("ANTHROPIC_VERTEX_BASE_URL");
                let project = project.with_context(failed)?;
                Endpoint::vertex(&project, &region, base.as_deref(), credentials)
            }
            Provider::Foundry => {
                let resource = self.required("ANTHROPIC_FOUNDRY_RESOURCE");
                let base = base("ANTHROPIC_FOUNDRY_BASE_URL");
                Endpoint::foundry(
                    &resource.with_context(failed)?,
                    base.as_deref(),
                    credentials,
                )
            }
            Provider::OpenAi => Endpoint::openai(base("OPENAI_BASE_URL").as_deref(), credentials),
            Provider::Gemini => Endpoint::gemini(base("GEMINI_BASE_URL").as_deref(), credentials),
            Provider::Grok => Endpoint::grok(base("GROK_BASE_URL").as_deref(), credentials),
        };
        endpoint.with_context(failed)
    }
}

#[cfg(test)]
mod tests {
    use aside_agent::Client;

    use super::*;

    fn check(chosen: Option<Provider>, variables: &[(&str, &str)], expected: Result<&str, &str>) {
        let environment = variables.iter().copied().collect();
        let asked = Asked::new(chosen, environment);
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
