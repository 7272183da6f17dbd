use aside_providers::Provider;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::endpoint::{Ask, Endpoint};
use crate::error::ErrorKind;
use crate::secret::{Credentials, Secret};

/// The headers of a request, but for a signature.
pub(crate) fn headers(
    endpoint: &Endpoint,
    ask: Ask,
    betas: &[String],
    version: Option<&str>,
) -> Result<HeaderMap, ErrorKind> {
    let provider = endpoint.provider();
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let accept = match (ask, provider) {
        (Ask::Stream, Provider::Bedrock) => "application/vnd.amazon.eventstream",
        (Ask::Stream, _) => "text/event-stream",
        _ => "application/json",
    };
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    if let Some(version) = version {
        let version = endpoint.version().unwrap_or(version);
        headers.insert("anthropic-version", plain(version)?);
    }
    if !betas.is_empty() {
        headers.insert("anthropic-beta", plain(&betas.join(","))?);
    }
    match endpoint.credentials() {
        Credentials::None | Credentials::Aws(_) => {}
        Credentials::Bearer(token) => bearer(token, &mut headers)?,
        Credentials::ApiKey(key) => match provider {
            Provider::FirstParty | Provider::Foundry => {
                headers.insert("x-api-key", secret(key.expose())?);
            }
            Provider::Gemini => {
                headers.insert("x-goog-api-key", secret(key.expose())?);
            }
            Provider::OpenAi | Provider::Grok | Provider::Bedrock | Provider::Vertex => {
                bearer(key, &mut headers)?;
            }
        },
    }
    Ok(headers)
}

fn bearer(token: &Secret, headers: &mut HeaderMap) -> Result<(), ErrorKind> {
    headers.insert(
        AUTHORIZATION,
        secret(&format!("Bearer {}", token.expose()))?,
    );
    Ok(())
}

fn plain(text: &str) -> Result<HeaderValue, ErrorKind> {
    let refused = || ErrorKind::Endpoint(format!("{text:?} cannot stand in a header"));
    HeaderValue::from_str(text).map_err(|_| refused())
}

/// A value that is not printed with the others.
fn secret(text: &str) -> Result<HeaderValue, ErrorKind> {
    let refused = || ErrorKind::Endpoint("the key cannot stand in a header".to_owned());
    let mut value = HeaderValue::from_str(text).map_err(|_| refused())?;
    value.set_sensitive(true);
    Ok(value)
}

/// The id that the provider gave to the request.
pub(crate) fn request_id(headers: &HeaderMap, endpoint: &Endpoint) -> Option<String> {
    const NAMES: [HeaderName; 4] = [
        HeaderName::from_static("request-id"),
        HeaderName::from_static("x-request-id"),
        HeaderName::from_static("x-amzn-requestid"),
        HeaderName::from_static("apim-request-id"),
    ];
    let id = NAMES
        .iter()
        .find_map(|name| headers.get(name))?
        .to_str()
        .ok()?;
    // Before it is cut: half a secret would not be found.
    let mut id = id.to_owned();
    endpoint.credentials().redact(&mut id);
    Some(id.chars().take(200).collect())
}
