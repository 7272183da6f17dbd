//! Who answers, as the environment says.

use anyhow::{Context, anyhow};
use aside_host::Environment;
use aside_providers::{ModelChoice, Options, Provider, ProviderVariables};
use aside_transport::{
    AwsKeys, BadEndpoint, Credentials, Endpoint, Http, HttpClient, Limits, Proxies, RetryPolicy,
    Secret,
};

/// A client of the chosen provider; `None` where nobody was chosen and no key
/// is set.
pub(super) fn client(
    chosen: Option<Provider>,
    environment: &Environment,
    session_id: String,
) -> anyhow::Result<Option<HttpClient>> {
    let variables = Variables(environment);
    let provider = match chosen {
        Some(provider) => provider,
        None => Provider::choose(&variables.provider())?,
    };
    let nobody_chose = chosen.is_none() && provider == Provider::FirstParty;
    let Some(credentials) = variables.credentials(provider) else {
        if nobody_chose {
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
    let options = Options {
        models: variables.models(provider),
        session_id: Some(session_id),
        ..Options::default()
    };
    Ok(Some(HttpClient::new(http, endpoint, options)))
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

struct Variables<'a>(&'a Environment);

impl Variables<'_> {
    /// A variable that is set to something.
    fn get(&self, name: &str) -> Option<String> {
        let value = self.0.get(name)?.to_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    fn required(&self, name: &str) -> anyhow::Result<String> {
        self.get(name).with_context(|| format!("{name} is not set"))
    }

    fn secret(&self, name: &str) -> Option<Secret> {
        self.get(name).map(|text| Secret::new(&text))
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

#[cfg(test)]
mod tests {
    use aside_agent::Client;

    use super::*;

    fn check(chosen: Option<Provider>, variables: &[(&str, &str)], expected: Result<&str, &str>) {
        let environment = variables.iter().copied().collect();
        let found = client(chosen, &environment, "id".into());
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
            Some(Provider::OpenAi),
            &[("OPENAI_API_KEY", "k")],
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
