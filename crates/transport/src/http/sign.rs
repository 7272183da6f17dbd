//! AWS Signature Version 4, by the crate from AWS's SDK.
//!
//! Only Bedrock needs it. A signature is valid for the time at which it was made, so each attempt
//! is signed again.

use std::time::SystemTime;

use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use bytes::Bytes;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};
use tracing::subscriber::NoSubscriber;

use super::error::TransportErrorKind;
use super::secret::AwsKeys;
use super::signing_scope::Scope;

/// Returns the headers that sign a request: SigV4 over the address, the given headers and the body.
///
/// They are `authorization`, `x-amz-date` and, with temporary keys, `x-amz-security-token`, all
/// marked as sensitive.
///
/// # Errors
/// The keys, the scope or the address cannot be signed; the text has none of them.
pub(crate) fn signature(
    keys: &AwsKeys,
    scope: Scope<'_>,
    url: &Url,
    headers: &HeaderMap,
    body: &[Bytes],
    now: SystemTime,
) -> Result<HeaderMap, TransportErrorKind> {
    // The signing crate's message may quote secrets, so it is dropped.
    let failed = |_| TransportErrorKind::Endpoint("the request cannot be signed".to_owned());
    let token = keys.session_token.as_ref().map(|token| token.expose().to_owned());
    let identity = aws_credential_types::Credentials::new(
        keys.access_key_id.expose(),
        keys.secret_access_key.expose(),
        token,
        None,
        "aside",
    )
    .into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(scope.region)
        .name(scope.service)
        .time(now)
        .settings(SigningSettings::default())
        .build()
        .map_err(|_| failed(()))?;
    let signed =
        headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    let request =
        SignableRequest::new("POST", url.as_str(), signed, SignableBody::Precomputed(sha256(body)))
            .map_err(|_| failed(()))?;
    // The signing crate logs its input, the session token included.
    let unheard = NoSubscriber::default();
    let signed = tracing::subscriber::with_default(unheard, || sign(request, &params.into()));
    let (instructions, _) = signed.map_err(|_| failed(()))?.into_parts();
    let mut out = HeaderMap::new();
    for (name, value) in instructions.headers() {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| failed(()))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| failed(()))?;
        value.set_sensitive(true);
        out.insert(name, value);
    }
    Ok(out)
}

/// Hashes the whole body, in hexadecimal. Linear.
fn sha256(body: &[Bytes]) -> String {
    let mut hash = Sha256::new();
    body.iter().for_each(|segment| hash.update(segment));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::http::secret::Secret;

    #[test]
    fn the_signature_depends_on_everything_that_is_signed() {
        let keys = AwsKeys {
            access_key_id: Secret::new("AKIDEXAMPLE"),
            secret_access_key: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            session_token: Some(Secret::new("token")),
        };
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_440_938_160);
        let sign_for = |service: &str, url: &str, body: &[u8], region: &str, now| {
            let scope = Scope { service, region };
            let headers = HeaderMap::from_iter([(
                reqwest::header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            )]);
            let url = Url::parse(url).unwrap();
            // The digest does not depend on the segments.
            let cut = |at| [&body[..at], &body[at..]].map(Bytes::copy_from_slice);
            let sign = |at| signature(&keys, scope, &url, &headers, &cut(at), now).unwrap();
            let signed = sign(0);
            assert_eq!(signed, sign(1));
            assert_eq!(
                signed["x-amz-date"],
                if now == SystemTime::UNIX_EPOCH { "19700101T000000Z" } else { "20150830T123600Z" }
            );
            assert_eq!(signed["x-amz-security-token"], "token");
            assert!(signed.values().all(HeaderValue::is_sensitive));
            signed["authorization"].to_str().unwrap().to_owned()
        };
        let sign =
            |url: &str, body: &[u8], region: &str, now| sign_for("bedrock", url, body, region, now);
        let url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/a.b-v1:0/invoke";
        let first = sign(url, b"{}", "us-east-1", now);
        let begins = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/bedrock/aws4_request, \
                      SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=";
        assert!(first.starts_with(begins), "{first}");
        assert_eq!(sign(url, b"{}", "us-east-1", now), first);
        for other in [
            sign(&url.replace("v1", "v2"), b"{}", "us-east-1", now),
            sign(url, b"[]", "us-east-1", now),
            sign(url, b"{}", "eu-west-1", now),
            sign(url, b"{}", "us-east-1", SystemTime::UNIX_EPOCH),
            sign_for("bedrock-mantle", url, b"{}", "us-east-1", now),
        ] {
            assert_ne!(other, first);
        }
    }
}
