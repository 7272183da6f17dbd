//! A key goes into its header, and nowhere else.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use aside_providers::{ApiKeyHeader, KeyKind, Provider};
use aside_transport::{AwsKeys, Credentials, Endpoint, Secret, TransportError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use wiremock::{MockServer, ResponseTemplate};

use crate::client::{answering, converted, http, read};

const KEY: &str = "canary-0123456789abcdef";
const TOKEN: &str = "canary-token-0123456789";

/// The log of all crates.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

struct Line<'a>(&'a mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Line(&mut self.0.lock().unwrap()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Line(&mut self.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut log = self.0.lock().unwrap();
        let _ = write!(log, "\n{}", event.metadata().target());
        event.record(&mut Line(&mut log));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Returns each provider's endpoint with the credentials that it takes, and the
/// headers in which they may be.
fn endpoints(base: &str) -> Vec<(Endpoint, Vec<&'static str>)> {
    let aws = AwsKeys {
        access_key_id: Secret::new("canary-id-0123456789"),
        secret_access_key: Secret::new(KEY),
        session_token: Some(Secret::new(TOKEN)),
    };
    let mut all = Vec::new();
    for spec in Provider::ALL.map(Provider::spec) {
        let places: Vec<_> = spec.address.places.iter().map(|place| (place.name, "p")).collect();
        let kinds = spec.keys.iter().map(|key| key.holds);
        // A token is taken everywhere.
        for kind in kinds.chain([KeyKind::Bearer]) {
            let key = Secret::new(KEY);
            let bearer = vec!["authorization"];
            let (credentials, headers) = match (kind, spec.api_key) {
                (KeyKind::AwsKeyId { .. }, _) => {
                    let headers = vec!["authorization", "x-amz-security-token"];
                    (Credentials::Aws(aws.clone()), headers)
                }
                (KeyKind::ApiKey, ApiKeyHeader::Named(name)) => {
                    (Credentials::ApiKey(key), vec![name])
                }
                (KeyKind::ApiKey, _) => (Credentials::ApiKey(key), bearer),
                _ => (Credentials::Bearer(key), bearer),
            };
            let endpoint = Endpoint::new(spec, Some(base), &places, credentials);
            all.push((endpoint.unwrap(), headers));
        }
    }
    all
}

fn clean(what: &str, text: &str) {
    assert!(!text.contains("canary"), "{what}: {text}");
}

fn clean_error(error: &TransportError) {
    clean("error", &error.to_string());
    clean("debug of an error", &format!("{error:?} {error:#?}"));
}

/// Checks that only these request headers have the secret.
async fn check_requests(server: &MockServer, headers: &[&str]) {
    let requests = server.received_requests().await.unwrap();
    assert!(!requests.is_empty());
    for request in requests {
        clean("address", request.url.as_str());
        clean("body", &String::from_utf8_lossy(&request.body));
        let mut bearing = Vec::new();
        for (name, value) in &request.headers {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            if value.contains("canary") {
                bearing.push(name.as_str().to_owned());
            }
            if headers.contains(&"x-amz-security-token") {
                // A signing key is never sent.
                assert!(!value.contains(KEY), "{name}: {value}");
            }
        }
        bearing.sort();
        assert_eq!(bearing, headers);
    }
}

#[tokio::test]
async fn a_key_is_in_its_header_only() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let echo = format!(r#"{{"error":{{"type":"{KEY}","message":"Incorrect key {KEY}"}}}}"#);
    // A failure that repeats the key, an error in mid-stream that does, and
    // nonsense that does.
    let bodies = [
        (401, echo.clone()),
        (500, echo.clone()),
        (200, format!("data: {echo}\n\n")),
        (200, format!("data: {KEY}\n\n")),
    ];
    for (status, body) in bodies {
        let template = ResponseTemplate::new(status)
            .set_body_raw(body, "text/event-stream")
            .insert_header("request-id", KEY);
        for place in 0..endpoints("http://localhost").len() {
            let server = answering(vec![template.clone()]).await;
            let (endpoint, headers) = endpoints(&server.uri()).remove(place);
            let http = http();
            let (_, error) = read(&http, &endpoint).await;
            clean_error(&error.unwrap());
            clean("debug", &format!("{http:?} {endpoint:?} {endpoint:#?}"));
            if let Ok(events) = http.send(&endpoint, converted(endpoint.provider())).await {
                clean("debug of events", &format!("{events:?}"));
            }
            check_requests(&server, &headers).await;
        }
    }
    let log = log.0.lock().unwrap().clone();
    assert!(log.contains("aside_transport"), "{log}");
    clean("log", &log);
}

#[tokio::test]
async fn a_key_that_cannot_be_sent_is_not_repeated() {
    let key = Secret::new("canary-\n-0123456789");
    for provider in [Provider::FirstParty, Provider::Gemini, Provider::OpenAi] {
        let credentials = Credentials::ApiKey(key.clone());
        let endpoint = Endpoint::new(provider, None, &[], credentials);
        let error = http().send(&endpoint.unwrap(), converted(provider)).await.unwrap_err();
        clean_error(&error);
        assert_eq!(error.times_sent(), 0);
    }
}
