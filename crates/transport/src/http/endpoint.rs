//! Provider addresses. Everything that a user or a variable contributes is
//! checked, so that no part of it can lead to another host or path.

use std::sync::OnceLock;

use aside_providers::{AddressPart, ProviderSpec, is_loopback};
use reqwest::Url;

use super::secret::Credentials;
use super::signing_scope::Scope;

/// A provider's address, and the credentials for it.
///
/// `Debug` shows no secret. Clones share the credentials.
#[derive(Clone, Debug)]
pub struct Endpoint {
    spec: &'static ProviderSpec,
    /// The base URL with its scope, such as Vertex's project.
    base: Url,
    /// The region to sign requests for.
    region: Option<String>,
    credentials: Credentials,
    /// For the header `anthropic-version`, if set.
    version: Option<String>,
    /// The first path that was requested, and its URL: most sessions request no other.
    first: OnceLock<(String, Url)>,
}

/// Why an address cannot be used.
///
/// The text is a fragment such as `AWS_REGION is not set`. It never repeats a
/// base URL, which may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct BadEndpoint {
    what: String,
}

impl Endpoint {
    /// Creates a provider's endpoint. `base` replaces the provider's base URL.
    /// `places` are other parts of the address, by name: `region` for Bedrock,
    /// `region` and `project` for Vertex, `resource` for Foundry
    /// ([`ProviderSpec::address`]).
    ///
    /// ```
    /// use aside_providers::Provider;
    /// use aside_transport::{Credentials, Endpoint};
    ///
    /// let local = Some("http://localhost:8080/v1");
    /// Endpoint::new(Provider::OpenAi, local, &[], Credentials::None)?;
    /// Endpoint::new(Provider::Bedrock, None, &[("region", "us-east-1")], Credentials::None)?;
    /// # Ok::<(), aside_transport::BadEndpoint>(())
    /// ```
    ///
    /// # Errors
    /// The base is not an `http` or `https` URL, or has a user, a query or a
    /// fragment; or a place is missing or has characters that an address part
    /// may not have.
    pub fn new(
        provider: impl Into<&'static ProviderSpec>,
        base: Option<&str>,
        places: &[(&str, &str)],
        credentials: Credentials,
    ) -> Result<Self, BadEndpoint> {
        let place = |place: &AddressPart| {
            let found = places.iter().find(|(name, _)| *name == place.name);
            let missing = || BadEndpoint::new(format!("there is no {}", place.name));
            found.map(|(_, value)| (*value).to_owned()).ok_or_else(missing)
        };
        Self::with_places(provider.into(), base, place, credentials)
    }

    /// Creates an endpoint from a provider's variables. `variable` returns a
    /// variable's value if it is set and not empty.
    ///
    /// # Errors
    /// As [`Endpoint::new`]; the error names a missing variable.
    pub fn from_variables(
        provider: impl Into<&'static ProviderSpec>,
        credentials: Credentials,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, BadEndpoint> {
        let spec = provider.into();
        let base = variable(spec.address.base_variable);
        let place = |place: &AddressPart| {
            let missing = || BadEndpoint::new(format!("{} is not set", place.variable));
            variable(place.variable).ok_or_else(missing)
        };
        Self::with_places(spec, base.as_deref(), place, credentials)
    }

    /// `value` returns the value for a part of the address.
    fn with_places(
        spec: &'static ProviderSpec,
        base: Option<&str>,
        value: impl Fn(&AddressPart) -> Result<String, BadEndpoint>,
        credentials: Credentials,
    ) -> Result<Self, BadEndpoint> {
        let address = &spec.address;
        let mut places = Vec::with_capacity(address.places.len());
        for place in address.places {
            let value = value(place)?;
            plain(place, &value)?;
            places.push((place.name, value));
        }
        let fill = |template: &str| {
            let fill = |text: String, (name, value): &(&str, String)| {
                text.replace(&format!("{{{name}}}"), value)
            };
            places.iter().fold(template.to_owned(), fill)
        };
        let first = places.first().map_or("", |(_, value)| value);
        let special = address.bases.iter().find(|(value, _)| *value == first);
        let own = special.map_or(address.base, |(_, base)| base);
        let mut base = parse_base(base.unwrap_or(&fill(own)))?;
        if !address.scope.is_empty() {
            let mut path = base
                .path_segments_mut()
                .map_err(|()| BadEndpoint::new("the base URL is not the address of a server"))?;
            path.pop_if_empty();
            path.extend(address.scope.iter().map(|segment| fill(segment)));
        }
        let region = places.into_iter().find(|(name, _)| *name == "region");
        Ok(Self {
            spec,
            base,
            region: region.map(|(_, region)| region),
            credentials,
            version: None,
            first: OnceLock::new(),
        })
    }

    /// Sets the header `anthropic-version`, for a version that Aside does not
    /// know. It replaces the version that requests are converted for.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Returns the provider.
    #[must_use]
    pub fn provider(&self) -> &'static ProviderSpec {
        self.spec
    }

    pub(crate) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    pub(crate) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the service and the region to sign requests for.
    pub(crate) fn signing_scope(&self) -> Scope<'_> {
        Scope {
            service: self.spec.aws_service().unwrap_or("bedrock"),
            region: self.region.as_deref().unwrap_or("us-east-1"),
        }
    }

    /// Returns the base URL's host, without a port.
    pub(crate) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// Returns true for a server on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(self.host())
    }

    /// Returns true for an address without TLS.
    pub(crate) fn is_plain(&self) -> bool {
        self.base.scheme() == "http"
    }

    /// Returns the URL for a path below the base.
    ///
    /// `path` begins with `/` and is encoded already.
    pub(crate) fn url(&self, path: &str) -> Result<Url, BadEndpoint> {
        if let Some((_, url)) = self.first.get().filter(|(known, _)| known == path) {
            return Ok(url.clone());
        }
        let base = self.base.as_str().trim_end_matches('/');
        let url = Url::parse(&format!("{base}{path}"))
            .map_err(|error| BadEndpoint::new(format!("{path:?} is no path: {error}")))?;
        // A later path is not kept.
        self.first.get_or_init(|| (path.to_owned(), url.clone()));
        Ok(url)
    }
}

/// Accepts `http` or `https`, without a user, a query or a fragment.
fn parse_base(base: &str) -> Result<Url, BadEndpoint> {
    // The error does not quote the base: it may hold a secret.
    let base = Url::parse(base.trim())
        .map_err(|error| BadEndpoint::new(format!("the base URL is not valid: {error}")))?;
    if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
        return Err(BadEndpoint::new("the base URL is not an http or https address"));
    }
    let is_bare = base.username().is_empty()
        && base.password().is_none()
        && base.query().is_none()
        && base.fragment().is_none();
    if !is_bare {
        return Err(BadEndpoint::new("the base has a user, a query or a fragment in it"));
    }
    Ok(base)
}

/// Checks an address part: ASCII letters, digits, `-`, `_` and the punctuation
/// that the part may have.
fn plain(place: &AddressPart, word: &str) -> Result<(), BadEndpoint> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_fine = |byte: u8| is_plain(byte) || place.punctuation.contains(&byte);
    if word.is_empty() || !word.bytes().all(is_fine) {
        return Err(BadEndpoint::new(format!("{word:?} is no {}", place.name)));
    }
    Ok(())
}

impl BadEndpoint {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

#[cfg(test)]
mod tests {
    use aside_providers::Provider;

    use super::*;

    #[track_caller]
    fn check(
        provider: Provider,
        base: Option<&str>,
        places: &[(&str, &str)],
        path: &str,
        expected: &str,
    ) {
        let endpoint = Endpoint::new(provider, base, places, Credentials::None);
        let url = endpoint.and_then(|endpoint| endpoint.url(path));
        let found = url.map_or_else(|error| error.to_string(), String::from);
        assert_eq!(found, expected);
    }

    #[test]
    fn servers_on_this_machine_are_recognized() {
        let check = |base: &str, expected: bool| {
            let endpoint = Endpoint::new(Provider::OpenAi, Some(base), &[], Credentials::None);
            assert_eq!(endpoint.unwrap().is_loopback(), expected, "{base}");
        };
        for host in [
            "localhost",
            "LOCALHOST:1",
            "localhost.",
            "api.localhost",
            "127.0.0.1:8080",
            "127.1",
            "127.8.8.8",
            "2130706433",
            "0.0.0.0:1",
            "[::1]:1",
            "[::ffff:127.0.0.1]",
        ] {
            check(&format!("http://{host}/v1"), true);
            check(&format!("https://{host}/v1"), true);
        }
        for host in [
            "localhost.example.com",
            "notlocalhost",
            "127.0.0.1.example.com",
            "128.0.0.1",
            "192.168.1.1",
            "[::2]",
        ] {
            check(&format!("http://{host}/v1"), false);
        }
    }

    #[test]
    fn every_base() {
        let region = [("region", "eu-west-1")];
        check(
            Provider::FirstParty,
            None,
            &[],
            "/v1/messages",
            "https://api.anthropic.com/v1/messages",
        );
        check(
            Provider::FirstParty,
            Some("http://localhost:1/x/"),
            &[],
            "/v1/messages/count_tokens",
            "http://localhost:1/x/v1/messages/count_tokens",
        );
        check(
            Provider::Bedrock,
            None,
            &region,
            "/model/arn:aws:bedrock:x:1:inference-profile%2Fa%20b/invoke",
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn:aws:bedrock:x:1:inference-profile%2Fa%20b/invoke",
        );
        check(
            Provider::BedrockMessages,
            None,
            &region,
            "/v1/messages",
            "https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1/messages",
        );
        let path = "/publishers/anthropic/models/claude@1:rawPredict";
        for (place, base) in [
            ("europe-west1", "https://europe-west1-aiplatform.googleapis.com"),
            ("global", "https://aiplatform.googleapis.com"),
            ("eu", "https://aiplatform.eu.rep.googleapis.com"),
        ] {
            let expected = format!("{base}/v1/projects/a:b.c/locations/{place}{path}");
            let places = [("project", "a:b.c"), ("region", place)];
            check(Provider::Vertex, None, &places, path, &expected);
        }
        check(
            Provider::Vertex,
            Some("http://localhost:1"),
            &[("project", "p"), ("region", "r")],
            path,
            &format!("http://localhost:1/projects/p/locations/r{path}"),
        );
        check(
            Provider::Foundry,
            None,
            &[("resource", "r")],
            "/v1/messages",
            "https://r.services.ai.azure.com/anthropic/v1/messages",
        );
        check(Provider::OpenAi, None, &[], "/responses", "https://api.openai.com/v1/responses");
        check(Provider::Grok, None, &[], "/responses", "https://api.x.ai/v1/responses");
        check(
            Provider::Gemini,
            None,
            &[],
            "/models/gemini-3-pro:streamGenerateContent?alt=sse",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
        );
    }

    #[test]
    fn each_path_has_its_own_url() {
        let base = Some("http://localhost:1");
        let endpoint = Endpoint::new(Provider::FirstParty, base, &[], Credentials::None).unwrap();
        for path in ["/v1/messages", "/v1/messages/count_tokens", "/v1/messages"] {
            let url = endpoint.url(path).unwrap();
            assert_eq!(url.as_str(), format!("http://localhost:1{path}"));
        }
    }

    #[test]
    fn bad_places_are_refused() {
        let check = |provider, places: &[_], expected| check(provider, None, places, "", expected);
        let evil = [("region", "evil.example/")];
        check(Provider::Bedrock, &evil, "\"evil.example/\" is no region");
        check(Provider::Bedrock, &[], "there is no region");
        let vertex = [("project", "p"), ("region", "a/b")];
        check(Provider::Vertex, &vertex, "\"a/b\" is no region");
        check(Provider::Foundry, &[("resource", "")], "\"\" is no resource");
    }

    #[test]
    fn a_bad_base_is_not_repeated() {
        for base in [
            "ftp://a",
            "nonsense-with-a-key",
            "https://user:canary-key@a",
            "https://a?key=canary-key",
        ] {
            let endpoint = Endpoint::new(Provider::OpenAi, Some(base), &[], Credentials::None);
            let error = endpoint.unwrap_err();
            assert!(!error.to_string().contains("key"), "{error}");
        }
    }
}
