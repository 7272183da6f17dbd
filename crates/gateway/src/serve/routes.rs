//! Routes, and what responses look like.
//!
//! The state is locked while a request is judged, never while a response is
//! sent: a slow stream does not hold up other requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aside_models::Wire;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State as Shared};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::{StreamExt, stream};
use tokio::sync::Mutex;

use super::models;
use super::state::{Answered, Content, Failure, Outcome, State};
use super::target::Target;
use crate::admission::{Admission, NotRead, Room};
use crate::decode::{decode, is_encoded};
use crate::guard::Guard;
use crate::redact;
use crate::strict::{ApiError, TokenCount};
use crate::wires::{Endpoint, Frames, StoredAction};
use crate::written::errors_last;

/// How large a body to read. The API accepts less, so the judge refuses a body
/// that is too large, with the API's status and text.
const MAX_BODY_BYTES: usize = 40 << 20;

type Api = Arc<Mutex<State>>;

#[derive(Clone)]
struct Served {
    state: Api,
    admission: Admission,
    /// How many requests were refused that the report does not count.
    uncounted: Arc<AtomicU64>,
}

impl Served {
    /// Refuses a request that the report does not count. Its id has an `f` first.
    fn refuse(&self, wire: Wire, error: &ApiError) -> Response {
        let number = self.uncounted.fetch_add(1, Ordering::Relaxed);
        refusal(wire, error, &format!("req_f{number:023x}"))
    }
}

/// Creates the routes. The guard checks every request first, even those with an
/// unknown path. The path's tail decides, so a base URL may end in `/v1` or
/// not.
///
/// | route | response |
/// |---|---|
/// | `POST …/messages`, `…/responses`, `…/chat/completions` | a message, as JSON or as events |
/// | `POST …/models/{id}:generateContent`, `:streamGenerateContent` | a message, as JSON, as events or as an array |
/// | `POST …/messages/count_tokens`, `…/responses/input_tokens`, `…:countTokens` | the number of tokens |
/// | `GET`, `DELETE …/responses/{id}` | a stored response, as JSON or as events |
/// | `GET …/responses/{id}/input_items` | the items before its output |
/// | `GET …/models`, `…/models/{id}` | the catalogue |
/// | `GET /report` | the report of the server |
///
/// Any other path is a 404 in the API's form.
pub(crate) fn router(state: Api, guard: Guard) -> Router {
    Router::new()
        .route("/report", get(report))
        .fallback(dispatch)
        .layer(middleware::from_fn_with_state(guard, check))
        .with_state(Served {
            state,
            admission: Admission::new(MAX_BODY_BYTES),
            uncounted: Arc::default(),
        })
}

/// Responds by the path's tail.
async fn dispatch(Shared(it): Shared<Served>, request: Request) -> Result<Response, Response> {
    let (Parts { method, uri, headers, .. }, body) = request.into_parts();
    match Target::new(&method, &uri, &headers) {
        Target::Message(endpoint) => {
            let wire = endpoint.wire;
            message(wire, judged(&it, endpoint, headers, body, State::respond).await?).await
        }
        Target::Count(endpoint) => {
            let wire = endpoint.wire;
            let (id, counted) = judged(&it, endpoint, headers, body, State::count).await?;
            let counted = counted.map_err(|error| refusal(wire, &error, &id));
            counted.map(|tokens| count(wire, &tokens))
        }
        Target::Stored { id, action } => stored(&it, &id, &action).await,
        Target::Models(wire, page) => Ok(json(models::list(wire, &page))),
        Target::Model(wire, id) => {
            models::one(wire, &id).map(json).map_err(|error| it.refuse(wire, &error))
        }
        Target::Unknown(wire) => {
            let asked = format!("{method} {}", redact::path(uri.path()));
            it.state.lock().await.report.add_not_found(asked);
            Err(it.refuse(wire, &ApiError::on_wire(wire, 404, "Not found")))
        }
    }
}

/// Refuses requests that a web page could send, with a text and not with an API
/// error.
async fn check(Shared(guard): Shared<Guard>, request: Request, next: Next) -> Response {
    match guard.check(request.headers(), request.uri()) {
        Ok(()) => next.run(request).await,
        Err((status, text)) => (status, text).into_response(),
    }
}

/// Reads a body and decompresses it, with its room. If it is too long, or breaks
/// off, it is refused with status 413; if it does not arrive, with 408; if it
/// cannot be decompressed, with 400; if there is no room for that now, with 503.
async fn read(
    it: &Served,
    wire: Wire,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Bytes, Room), Response> {
    let refused = |status, text| it.refuse(wire, &ApiError::on_wire(wire, status, text));
    let length = body.size_hint().exact();
    let body = it.admission.read(length, 1, body.into_data_stream()).await;
    let (body, mut room) = body.map_err(|fault| match fault {
        NotRead::TooSlow => refused(408, "Request did not arrive in time"),
        NotRead::TooLong | NotRead::BrokeOff => refused(413, "Request exceeds the maximum size"),
    })?;
    if !is_encoded(headers) {
        return Ok((body, room));
    }
    let mut is_full = false;
    let mut grow = |bytes| {
        is_full = !room.grow(bytes);
        !is_full
    };
    match decode(headers, &body, MAX_BODY_BYTES, &mut grow) {
        Some(body) => Ok((body.into_owned().into(), room)),
        None if is_full => Err(refused(503, "There is no room to decompress the request now")),
        None => Err(refused(400, "The request body does not match its content-encoding")),
    }
}

/// Judges a request on a thread of its own, one after the other in order of
/// arrival: a long body holds up no connection.
///
/// If the judge panics, the response is an error with status 500.
async fn judged<T: Send + 'static>(
    it: &Served,
    endpoint: Endpoint,
    headers: HeaderMap,
    body: Body,
    judge: fn(&mut State, &Endpoint, &HeaderMap, &[u8]) -> T,
) -> Result<T, Response> {
    let wire = endpoint.wire;
    let (body, _room) = read(it, wire, &headers, body).await?;
    let mut state = it.state.clone().lock_owned().await;
    let judge = move || judge(&mut state, &endpoint, &headers, &body);
    let judged = tokio::task::spawn_blocking(judge).await;
    let failed = ApiError::on_wire(wire, 500, "the request was not judged");
    judged.map_err(|_| it.refuse(wire, &failed))
}

/// Responds with a message, or says why not.
async fn message(wire: Wire, outcome: Outcome) -> Result<Response, Response> {
    if !outcome.delay.is_zero() {
        tokio::time::sleep(outcome.delay).await;
    }
    let mut response = outcome.result.map(sent).map_err(|Failure { error, is_on_demand }| {
        let mut refused = refusal(wire, &error, &outcome.request_id);
        // The script has no response; asking again does not help.
        if error.status() == 500 && !is_on_demand {
            let never = HeaderValue::from_static("false");
            refused.headers_mut().insert("x-should-retry", never);
        }
        refused
    })?;
    if let Ok(id) = outcome.request_id.parse() {
        response.headers_mut().insert(id_header(wire), id);
    }
    Ok(response)
}

/// Returns a number of input tokens in a wire's form.
fn count(wire: Wire, count: &TokenCount) -> Response {
    let tokens = count.input_tokens;
    json(match wire {
        Wire::Responses => {
            format!(r#"{{"object":"response.input_tokens","input_tokens":{tokens}}}"#)
        }
        Wire::GenerateContent => format!(r#"{{"totalTokens":{tokens}}}"#),
        _ => count.to_json(),
    })
}

/// Responds to a request for a stored response, or removes it.
async fn stored(it: &Served, id: &str, action: &StoredAction) -> Result<Response, Response> {
    let found = it.state.lock().await.stored(id, action).ok_or_else(|| {
        let missing = format!("Response with id '{id}' not found.");
        it.refuse(Wire::Responses, &ApiError::on_wire(Wire::Responses, 404, missing))
    });
    let whole = |content| Answered { content, breaks_off: false, event_delay: Duration::ZERO };
    found.map(|content| sent(whole(content)))
}

/// Responds to `GET /report`.
async fn report(Shared(it): Shared<Served>) -> Response {
    let report = serde_json::to_string(&it.state.lock().await.report);
    json(report.expect("the report is JSON"))
}

fn json(body: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Names the header with a request's id.
fn id_header(wire: Wire) -> &'static str {
    match wire {
        Wire::Messages => "request-id",
        _ => "x-request-id",
    }
}

/// Writes a refusal with the headers that clients read: the request id, and
/// when to send again.
fn refusal(wire: Wire, error: &ApiError, request_id: &str) -> Response {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let body = json(error.to_json_on(wire, request_id));
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    if let Ok(id) = request_id.parse() {
        headers.insert(id_header(wire), id);
    }
    if matches!(error.status(), 429 | 503 | 529) {
        // In milliseconds for clients that read it, so that tests do not wait.
        headers.insert("retry-after", "1".parse().expect("a header value"));
        headers.insert("retry-after-ms", "10".parse().expect("a header value"));
    }
    response
}

/// Sends a response as it was asked for.
///
/// If the script breaks off a response, it ends with a connection error after a
/// part of the last block, or before the last byte if it is no stream, so that
/// a client sees an incomplete message.
fn sent(answered: Answered) -> Response {
    let (frames, kind) = match answered.content {
        Content::Whole(body) if !answered.breaks_off => return json(body),
        Content::Whole(mut body) => {
            body.pop();
            let frames = vec![body];
            (Frames { frames, tail: 0 }, "application/json")
        }
        Content::Events(frames) => (frames, "text/event-stream; charset=utf-8"),
        Content::Array(frames) => (frames, "application/json"),
    };
    let (frames, broken) = if answered.breaks_off {
        let text = "the script breaks the stream off";
        let error = std::io::Error::new(std::io::ErrorKind::ConnectionReset, text);
        (frames.broken_off(), Some(Err(error)))
    } else {
        (frames.frames, None)
    };
    let frames = frames.into_iter().map(|frame| Ok(Bytes::from(frame)));
    let delay = answered.event_delay;
    let frames = stream::iter(frames.chain(broken)).then(move |frame| async move {
        if delay > Duration::ZERO {
            tokio::time::sleep(delay).await;
        }
        frame
    });
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(errors_last(frames))).into_response()
}
