//! Request headers. Values with a secret are marked as sensitive, so that the HTTP library does not
//! log them.

use aside_providers::ApiKeyHeader;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use super::endpoint::Endpoint;
use super::error::TransportErrorKind;
use super::secret::{Credentials, Secret};

/// Returns a request's headers with its credentials, without a signature.
///
/// `own` are the converted request's; the endpoint's API version replaces theirs.
///
/// # Errors
/// A value, such as a key with a line break, cannot be in a header. The error does not repeat a
/// key.
pub(crate) fn headers(
    endpoint: &Endpoint,
    own: &[(&'static str, String)],
) -> Result<HeaderMap, TransportErrorKind> {
    let mut headers = HeaderMap::new();
    for (name, value) in own {
        let value = match *name {
            "anthropic-version" => endpoint.version().unwrap_or(value),
            _ => value,
        };
        headers.insert(header_name(name)?, plain(value)?);
    }
    match endpoint.credentials() {
        Credentials::None | Credentials::Aws(_) => {}
        Credentials::Bearer(token) => bearer(token, &mut headers)?,
        Credentials::ApiKey(key) => match endpoint.provider().api_key {
            ApiKeyHeader::Named(name) => {
                headers.insert(header_name(name)?, secret(key.expose())?);
            }
            _ => bearer(key, &mut headers)?,
        },
    }
    Ok(headers)
}
/// Adds `authorization: Bearer …`.
fn bearer(token: &Secret, headers: &mut HeaderMap) -> Result<(), TransportErrorKind> {
    headers.insert(AUTHORIZATION, secret(&format!("Bearer {}", token.expose()))?);
    Ok(())
}

/// A provider's row may set the name.
fn header_name(name: &str) -> Result<HeaderName, TransportErrorKind> {
    let refused = |_| TransportErrorKind::Endpoint(format!("{name:?} is not the name of a header"));
    HeaderName::from_bytes(name.as_bytes()).map_err(refused)
}

fn plain(text: &str) -> Result<HeaderValue, TransportErrorKind> {
    let refused = || TransportErrorKind::Endpoint(format!("{text:?} cannot stand in a header"));
    HeaderValue::from_str(text).map_err(|_| refused())
}

/// Marks a header value as sensitive.
fn secret(text: &str) -> Result<HeaderValue, TransportErrorKind> {
    let refused = || TransportErrorKind::Endpoint("the key cannot stand in a header".to_owned());
    let mut value = HeaderValue::from_str(text).map_err(|_| refused())?;
    value.set_sensitive(true);
    Ok(value)
}

/// Returns the provider's id for the request.
///
/// Providers name the header differently; the first that is set is used, redacted and shortened to
/// 200 characters.
pub(crate) fn request_id(headers: &HeaderMap, endpoint: &Endpoint) -> Option<String> {
    const NAMES: [HeaderName; 4] = [
        HeaderName::from_static("request-id"),
        HeaderName::from_static("x-request-id"),
        HeaderName::from_static("x-amzn-requestid"),
        HeaderName::from_static("apim-request-id"),
    ];
    let id = NAMES.iter().find_map(|name| headers.get(name))?.to_str().ok()?;
    // Redacted before it is cut: half a secret would not be found.
    let mut id = id.to_owned();
    endpoint.credentials().redact(&mut id);
    Some(id.chars().take(200).collect())
}
