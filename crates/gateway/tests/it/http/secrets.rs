//! Secrets in records, by tables of places.
//!
//! Each line of a table is a request with a canary. To add a place, add a line
//! to `redact/bodies.json`, `queries.json` or `headers.json`. In `bodies.json`,
//! `body` is merged into the smallest request of its wire, `raw` is a whole body,
//! and `$` is the canary.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::upstream::Upstream;
use super::*;

const CANARY: &str = "canary-0123456789abcdefghij";

/// Without headers that replace a request's in the record.
const RESPONSE: &str =
    "HTTP/1.1 200 OK\r\nset-cookie: a=canary-0123456789abcdefghij\r\ncontent-length: 2\r\n\r\n{}";

/// A line of `bodies.json`; it has `secret` or `kept`, and `body` or `raw`.
#[derive(Deserialize)]
struct Place {
    wire: String,
    secret: Option<String>,
    kept: Option<String>,
    body: Option<Map<String, Value>>,
    raw: Option<String>,
}

/// The places in headers or queries.
#[derive(Deserialize)]
struct Names {
    kept: Vec<String>,
    secret: Vec<String>,
}

/// A request with the canary in one place.
struct Planted {
    name: String,
    is_secret: bool,
    path: String,
    header: Option<String>,
    body: String,
}

#[derive(Deserialize)]
struct Recorded<'a> {
    #[serde(borrow)]
    body: &'a RawValue,
}

fn path_of(wire: &str) -> &'static str {
    match wire {
        "messages" => "/v1/messages",
        "responses" => "/v1/responses",
        "chat" => "/v1/chat/completions",
        _ => "/v1beta/models/g:generateContent",
    }
}

fn smallest(wire: &str) -> Value {
    match wire {
        "messages" => json!({"model": "claude-opus-5", "max_tokens": 1, "messages": []}),
        "responses" => json!({"model": "gpt-5", "input": []}),
        "chat" => json!({"model": "gpt-5", "messages": []}),
        _ => json!({"contents": []}),
    }
}

/// Returns the places in bodies.
fn bodies() -> Vec<Planted> {
    let places: Vec<Place> = serde_json::from_str(include_str!("redact/bodies.json")).unwrap();
    let mut planted = Vec::new();
    for place in places {
        let body = match (place.body, &place.raw) {
            (Some(added), _) => {
                let mut body = smallest(&place.wire);
                body.as_object_mut().unwrap().extend(added);
                body.to_string()
            }
            (None, raw) => raw.clone().unwrap(),
        };
        let is_secret = place.secret.is_some();
        let name = place.secret.or(place.kept).unwrap();
        let of = |path: &str, body: &str| Planted {
            name: format!("{path}: {name}"),
            is_secret,
            path: path.to_owned(),
            header: None,
            body: body.replace('$', CANARY),
        };
        planted.push(of(path_of(&place.wire), &body));
    }
    planted
}

fn queries() -> Vec<Planted> {
    let names: Names = serde_json::from_str(include_str!("redact/queries.json")).unwrap();
    let planted = |name: &String, is_secret| {
        ["messages", "responses", "chat", "gemini"].map(|wire| {
            let query = name.replace('$', CANARY);
            Planted {
                name: format!("{wire} ?{name}"),
                is_secret,
                path: format!("{}?{query}", path_of(wire)),
                header: None,
                body: smallest(wire).to_string(),
            }
        })
    };
    let kept = names.kept.iter().flat_map(|name| planted(name, false));
    let secret = names.secret.iter().flat_map(|name| planted(name, true));
    kept.chain(secret).collect()
}

fn headers() -> Vec<Planted> {
    let names: Names = serde_json::from_str(include_str!("redact/headers.json")).unwrap();
    let planted = |name: &String, is_secret| Planted {
        name: name.clone(),
        is_secret,
        path: path_of("messages").to_owned(),
        header: Some(name.clone()),
        body: smallest("messages").to_string(),
    };
    let kept = names.kept.iter().map(|name| planted(name, false));
    let secret = names.secret.iter().map(|name| planted(name, true));
    kept.chain(secret).collect()
}

/// Sends each request through a recording proxy and returns the faults: a
/// secret that is recorded or printed, a text that is not recorded, a body that
/// changed on its way, and a recorded body of another length.
async fn faults(planted: &[Planted]) -> Vec<String> {
    let mut faults = Vec::new();
    let upstream = Upstream::answering(RESPONSE).await;
    for it in planted {
        let folder = tempfile::tempdir().unwrap();
        let proxy = proxy(upstream.address, |options| {
            options.record = Some(folder.path().to_owned());
        })
        .await;
        let mut request = client().post(proxy.url(&it.path)).body(it.body.clone());
        if let Some(header) = &it.header {
            request = request.header(header, CANARY);
        }
        assert_eq!(request.send().await.unwrap().status(), 200, "{}", it.name);
        let lines = proxy.lines.clone();
        proxy.stop().await;
        let mut record = String::new();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            record += &std::fs::read_to_string(file.unwrap().path()).unwrap();
        }
        let line = serde_json::to_string(&*lines.lock().unwrap()).unwrap();
        if (record + &line).contains(CANARY) == it.is_secret {
            faults.push(it.name.clone());
        }
        assert!(upstream.last().ends_with(it.body.as_bytes()), "{}", it.name);
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap();
        let record = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let recorded: Recorded<'_> = serde_json::from_str(&record).unwrap();
        let is_json = serde_json::from_str::<&RawValue>(&it.body).is_ok();
        if is_json && recorded.body.get().len() != it.body.len() {
            faults.push(format!("length: {}", it.name));
        }
    }
    faults
}

async fn check(planted: Vec<Planted>, at_least: usize) {
    let secrets = planted.iter().filter(|it| it.is_secret).count();
    assert!(secrets >= at_least, "{secrets}");
    let faults = faults(&planted).await;
    let tried = planted.len();
    assert!(faults.is_empty(), "{} of {tried}: {faults:#?}", faults.len());
}

#[tokio::test]
async fn secrets_in_bodies_are_not_recorded() {
    check(bodies(), 80).await;
}

#[tokio::test]
async fn secrets_in_queries_are_not_recorded() {
    check(queries(), 160).await;
}

#[tokio::test]
async fn secrets_in_headers_are_not_recorded() {
    check(headers(), 40).await;
}
