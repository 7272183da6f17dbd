use std::fmt;

use aside_providers::Provider;
use reqwest::Url;

use crate::secret::Credentials;

/// Where a provider is, and who pays.
#[derive(Clone, Debug)]
pub struct Endpoint {
    provider: Provider,
    base: Url,
    place: Place,
    credentials: Credentials,
    version: Option<String>,
}

/// What an address needs beside its base.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Nothing,
    /// Of Bedrock.
    Region(String),
    /// Of Vertex.
    Project {
        project: String,
        region: String,
    },
}

/// What is asked of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    Answer,
    Stream,
    Count,
}

/// An address that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEndpoint {
    what: String,
}

impl Endpoint {
    /// Anthropic's own API; the base is `https://api.anthropic.com` where none
    /// is given.
    ///
    /// # Errors
    /// Where the base is no `http` or `https` address, or has a user, a query
    /// or a fragment in it.
    pub fn first_party(base: Option<&str>, credentials: Credentials) -> Result<Self, BadEndpoint> {
        let base = base.unwrap_or("https://api.anthropic.com");
        Self::new(Provider::FirstParty, base, Place::Nothing, credentials)
    }

    /// Bedrock in a region, such as `us-east-1`.
    ///
    /// # Errors
    /// As [`Endpoint::first_party`], and where the region is no plain word.
    pub fn bedrock(
        region: &str,
        base: Option<&str>,
        credentials: Credentials,
    ) -> Result<Self, BadEndpoint> {
        plain("region", region)?;
        let own = format!("https://bedrock-runtime.{region}.amazonaws.com");
        let place = Place::Region(region.to_owned());
        Self::new(Provider::Bedrock, base.unwrap_or(&own), place, credentials)
    }

    /// Vertex, with a token for Google Cloud. The regions `global`, `us` and
    /// `eu` have addresses of their own.
    ///
    /// # Errors
    /// As [`Endpoint::first_party`], and where project or region is no plain
    /// word.
    pub fn vertex(
        project: &str,
        region: &str,
        base: Option<&str>,
        credentials: Credentials,
    ) -> Result<Self, BadEndpoint> {
        plain("project", project)?;
        plain("region", region)?;
        let own = match region {
            "global" => "https://aiplatform.googleapis.com/v1".to_owned(),
            "us" | "eu" => format!("https://aiplatform.{region}.rep.googleapis.com/v1"),
            _ => format!("https://{region}-aiplatform.googleapis.com/v1"),
        };
        let (project, region) = (project.to_owned(), region.to_owned());
        let place = Place::Project { project, region };
        Self::new(Provider::Vertex, base.unwrap_or(&own), place, credentials)
    }

    /// Microsoft Foundry, by the name of the resource.
    ///
    /// # Errors
    /// As [`Endpoint::first_party`], and where the resource is no plain word.
    pub fn foundry(
        resource: &str,
        base: Option<&str>,
        credentials: Credentials,
    ) -> Result<Self, BadEndpoint> {
        plain("resource", resource)?;
        let own = format!("https://{resource}.services.ai.azure.com/anthropic");
        Self::new(
            Provider::Foundry,
            base.unwrap_or(&own),
            Place::Nothing,
            credentials,
        )
    }

    /// OpenAI, or a compatible server (`OPENAI_BASE_URL`).
    ///
    /// # Errors
    /// As [`Endpoint::first_party`].
    pub fn openai(base: Option<&str>, credentials: Credentials) -> Result<Self, BadEndpoint> {
        let base = base.unwrap_or("https://api.openai.com/v1");
        Self::new(Provider::OpenAi, base, Place::Nothing, credentials)
    }

    /// xAI (`GROK_BASE_URL`).
    ///
    /// # Errors
    /// As [`Endpoint::first_party`].
    pub fn grok(base: Option<&str>, credentials: Credentials) -> Result<Self, BadEndpoint> {
        let base = base.unwrap_or("https://api.x.ai/v1");
        Self::new(Provider::Grok, base, Place::Nothing, credentials)
    }

    /// Gemini (`GEMINI_BASE_URL`).
    ///
    /// # Errors
    /// As [`Endpoint::first_party`].
    pub fn gemini(base: Option<&str>, credentials: Credentials) -> Result<Self, BadEndpoint> {
        let base = base.unwrap_or("https://generativelanguage.googleapis.com/v1beta");
        Self::new(Provider::Gemini, base, Place::Nothing, credentials)
    }

    /// Sets the header `anthropic-version` to a version that is not known here,
    /// in the place of the one that requests are converted for.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Whose it is.
    #[must_use]
    pub fn provider(&self) -> Provider {
        self.provider
    }

    pub(crate) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    pub(crate) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The region that requests are signed for.
    pub(crate) fn region(&self) -> &str {
        match &self.place {
            Place::Region(region) => region,
            _ => "us-east-1",
        }
    }

    pub(crate) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// The address for a model.
    pub(crate) fn url(&self, model: &str, ask: Ask) -> Result<Url, BadEndpoint> {
        // A segment of dots would be another place, and an empty one none.
        if model.is_empty() || model.bytes().all(|byte| byte == b'.') {
            return Err(BadEndpoint::new(format!("{model:?} is no name of a model")));
        }
        let mut url = self.base.clone();
        {
            let mut path = url
                .path_segments_mut()
                .map_err(|()| BadEndpoint::new("the base is no address of a server"))?;
            path.pop_if_empty();
            for segment in self.segments(model, ask) {
                path.push(&segment);
            }
        }
        if self.provider == Provider::Gemini && ask == Ask::Stream {
            url.set_query(Some("alt=sse"));
        }
        Ok(url)
    }

    fn segments(&self, model: &str, ask: Ask) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        match (&self.place, self.provider) {
            (Place::Project { project, region }, _) => {
                let method = match ask {
                    Ask::Answer => format!("{model}:rawPredict"),
                    Ask::Stream => format!("{model}:streamRawPredict"),
                    Ask::Count => "count-tokens:rawPredict".to_owned(),
                };
                let head = ["projects", project, "locations", region];
                words(&[&head[..], &["publishers", "anthropic", "models", &method]].concat())
            }
            (_, Provider::Bedrock) => match ask {
                Ask::Answer => words(&["model", model, "invoke"]),
                Ask::Stream => words(&["model", model, "invoke-with-response-stream"]),
                Ask::Count => words(&["model", model, "count-tokens"]),
            },
            (_, Provider::OpenAi | Provider::Grok) => words(&["chat", "completions"]),
            (_, Provider::Gemini) => {
                let model = model.strip_prefix("models/").unwrap_or(model);
                match ask {
                    Ask::Stream => words(&["models", &format!("{model}:streamGenerateContent")]),
                    _ => words(&["models", &format!("{model}:generateContent")]),
                }
            }
            _ if ask == Ask::Count => words(&["v1", "messages", "count_tokens"]),
            _ => words(&["v1", "messages"]),
        }
    }

    fn new(
        provider: Provider,
        base: &str,
        place: Place,
        credentials: Credentials,
    ) -> Result<Self, BadEndpoint> {
        // Nothing of a base that is refused is repeated: it may hold a secret.
        let base = Url::parse(base.trim())
            .map_err(|error| BadEndpoint::new(format!("the base is no address: {error}")))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(BadEndpoint::new("the base is no http or https address"));
        }
        let is_bare = base.username().is_empty()
            && base.password().is_none()
            && base.query().is_none()
            && base.fragment().is_none();
        if !is_bare {
            return Err(BadEndpoint::new(
                "the base has a user, a query or a fragment in it",
            ));
        }
        Ok(Self {
            provider,
            base,
            place,
            credentials,
            version: None,
        })
    }
}

fn plain(what: &str, word: &str) -> Result<(), BadEndpoint> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    // A project of a domain has a colon and dots; it stands in the path only.
    let is_project = |byte: u8| what == "project" && matches!(byte, b':' | b'.');
    let is_fine = |byte: u8| is_plain(byte) || is_project(byte);
    if word.is_empty() || !word.bytes().all(is_fine) {
        return Err(BadEndpoint::new(format!("{word:?} is no {what}")));
    }
    Ok(())
}

impl BadEndpoint {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

impl fmt::Display for BadEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for BadEndpoint {}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(endpoint: Result<Endpoint, BadEndpoint>, model: &str, ask: Ask, expected: &str) {
        assert_eq!(
            endpoint.unwrap().url(model, ask).unwrap().as_str(),
            expected
        );
    }

    #[test]
    fn every_address() {
        use Ask::{Answer, Count, Stream};
        let none = || Credentials::None;
        check(
            Endpoint::first_party(None, none()),
            "m",
            Stream,
            "https://api.anthropic.com/v1/messages",
        );
        check(
            Endpoint::first_party(Some("http://localhost:1/x/"), none()),
            "m",
            Count,
            "http://localhost:1/x/v1/messages/count_tokens",
        );
        let bedrock = || Endpoint::bedrock("eu-west-1", None, none());
        check(
            bedrock(),
            "eu.anthropic.c-v1:0",
            Stream,
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.c-v1:0/invoke-with-response-stream",
        );
        check(
            bedrock(),
            "arn:aws:bedrock:x:1:inference-profile/a b",
            Answer,
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn:aws:bedrock:x:1:inference-profile%2Fa%20b/invoke",
        );
        check(
            Endpoint::vertex("p", "europe-west1", None, none()),
            "claude@1",
            Answer,
            "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/publishers/anthropic/models/claude@1:rawPredict",
        );
        check(
            Endpoint::vertex("p", "global", None, none()),
            "claude",
            Count,
            "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict",
        );
        check(
            Endpoint::foundry("r", None, none()),
            "m",
            Stream,
            "https://r.services.ai.azure.com/anthropic/v1/messages",
        );
        check(
            Endpoint::openai(None, none()),
            "m",
            Stream,
            "https://api.openai.com/v1/chat/completions",
        );
        check(
            Endpoint::grok(None, none()),
            "m",
            Answer,
            "https://api.x.ai/v1/chat/completions",
        );
        check(
            Endpoint::gemini(None, none()),
            "gemini-3-pro",
            Stream,
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
        );
    }

    #[test]
    fn bad_places_are_refused_and_not_repeated() {
        for base in [
            "ftp://a",
            "nonsense-with-a-key",
            "https://user:canary-key@a",
            "https://a?key=canary-key",
        ] {
            let error = Endpoint::openai(Some(base), Credentials::None).unwrap_err();
            assert!(!error.to_string().contains("key"), "{error}");
        }
        assert!(Endpoint::bedrock("evil.example/", None, Credentials::None).is_err());
        assert!(Endpoint::vertex("p", "a/b", None, Credentials::None).is_err());
        assert!(Endpoint::foundry("", None, Credentials::None).is_err());
        let endpoint = Endpoint::bedrock("us-east-1", None, Credentials::None).unwrap();
        for model in ["", ".", ".."] {
            assert!(endpoint.url(model, Ask::Answer).is_err());
        }
    }
}
