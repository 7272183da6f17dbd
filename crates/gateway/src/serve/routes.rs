//! The routes and the form of responses.
//!
//! The state is locked while a request is judged, never while a response is
//! sent: a slow stream does not hold up other requests.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Request, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::{StreamExt, stream};
use serde::Serialize;
use tokio::sync::Mutex;

use super::models;
use super::state::{Answered, State};
use crate::guard::Guard;
use crate::strict::ApiError;

/// The maximum size of a body that is read. The API accepts less, so a body
/// that is too long is refused by the judge, with the status and the text of
/// the API.
const MAX_BODY_BYTES: usize = 40 << 20;

/// The minimum time between the last event and the break of a stream, so that
/// the events before it reach the client.
const BREAK: Duration = Duration::from_millis(50);

/// The state that the routes share.
type Api = Arc<Mutex<State>>;

/// Creates the routes. The guard checks every request first, also those with an
/// unknown path.
///
/// | route | response |
/// |---|---|
/// | `POST /v1/messages` | a message, as JSON or as events |
/// | `POST /v1/messages/count_tokens` | `{"input_tokens": 12}` |
/// | `GET /v1/models`, `GET /v1/models/{id}` | the catalogue |
/// | `GET /report` | the report of the server |
///
/// Any other path is a 404 in the form of the API.
pub(crate) fn router(state: Api, guard: Guard) -> Router {
    Router::new()
        .route("/v1/messages", post(message))
        .route("/v1/messages/count_tokens", post(count))
        .route("/v1/models", get(|| async { json(models::list()) }))
        .route("/v1/models/{id}", get(model))
        .route("/report", get(report))
        .fallback(|| async { refusal(&ApiError::of_status(404, "Not found"), "req_0") })
        .layer(middleware::from_fn_with_state(guard, check))
        .with_state(state)
}

/// Refuses requests that a web page could send, with a text and not with an
/// error of the API.
async fn check(Shared(guard): Shared<Guard>, request: Request, next: Next) -> Response {
    match guard.check(request.headers(), request.uri()) {
        Ok(()) => next.run(request).await,
        Err((status, text)) => (status, text).into_response(),
    }
}

/// Judges a request on a thread of its own, one after the other in the order of
/// arrival: a long body holds up no connection.
///
/// If the judge panics, the response is an error with status 500.
async fn judged<T: Send + 'static>(
    state: Api,
    judge: impl FnOnce(&mut State) -> T + Send + 'static,
) -> Result<T, Response> {
    let mut state = state.lock_owned().await;
    let judged = tokio::task::spawn_blocking(move || judge(&mut state)).await;
    let failed = ApiError::of_status(500, "the request was not judged");
    judged.map_err(|_| refusal(&failed, "req_0"))
}

/// Reads a body. One that is too long, or that breaks off, is refused with
/// status 413.
async fn read(body: Body) -> Result<Bytes, Response> {
    let too_large = ApiError::of_status(413, "Request exceeds the maximum size");
    let body = to_bytes(body, MAX_BODY_BYTES).await;
    body.map_err(|_| refusal(&too_large, "req_0"))
}

/// Responds to `POST /v1/messages`.
async fn message(Shared(state): Shared<Api>, headers: HeaderMap, body: Body) -> Response {
    let body = match read(body).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let judge = move |state: &mut State| state.message(&headers, &body);
    let outcome = match judged(state, judge).await {
        Ok(outcome) => outcome,
        Err(failed) => return failed,
    };
    if !outcome.delay.is_zero() {
        tokio::time::sleep(outcome.delay).await;
    }
    let mut response = match outcome.result {
        Ok(answered) if answered.is_stream => events(answered),
        Ok(answered) => json(answered.response.to_json()),
        Err(error) => return refusal(&error, &outcome.request_id),
    };
    if let Ok(id) = outcome.request_id.parse() {
        response.headers_mut().insert("request-id", id);
    }
    response
}

/// Responds to `POST /v1/messages/count_tokens`.
async fn count(Shared(state): Shared<Api>, headers: HeaderMap, body: Body) -> Response {
    #[derive(Serialize)]
    struct Count {
        input_tokens: u64,
    }
    let body = match read(body).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let judge = move |state: &mut State| state.count(&headers, &body);
    let (id, counted) = match judged(state, judge).await {
        Ok(counted) => counted,
        Err(failed) => return failed,
    };
    match counted {
        Ok(input_tokens) => {
            json(serde_json::to_string(&Count { input_tokens }).expect("a number is JSON"))
        }
        Err(error) => refusal(&error, &id),
    }
}

/// Responds to `GET /v1/models/{id}`.
async fn model(Path(id): Path<String>) -> Response {
    match models::one(&id) {
        Ok(model) => json(model),
        Err(error) => refusal(&error, "req_0"),
    }
}

/// Responds to `GET /report`.
async fn report(Shared(state): Shared<Api>) -> Response {
    let report = serde_json::to_string(&state.lock().await.report);
    json(report.expect("the report is JSON"))
}

/// Returns a response of status 200 with JSON.
fn json(body: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Writes a refusal with the headers that clients read: the request id, and
/// when to send again.
fn refusal(error: &ApiError, request_id: &str) -> Response {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let mut response = (status, json(error.to_json(request_id))).into_response();
    let headers = response.headers_mut();
    if let Ok(id) = request_id.parse() {
        headers.insert("request-id", id);
    }
    if matches!(error.status(), 429 | 529) {
        // In milliseconds for clients that read it, so that tests do not wait.
        headers.insert("retry-after", "1".parse().expect("a header value"));
        headers.insert("retry-after-ms", "10".parse().expect("a header value"));
    }
    response
}

/// Sends a response as a stream of events.
///
/// A stream that the script breaks off ends with a connection error after a
/// part of the last block, so that a client sees an incomplete message.
fn events(answered: Answered) -> Response {
    let mut frames = answered.response.events();
    if answered.breaks_off {
        // Removes the end of the last block and the frames after it.
        frames.truncate(frames.len().saturating_sub(3));
    }
    let frames = frames.into_iter().map(|frame| Ok(Bytes::from(frame)));
    let broken = answered.breaks_off.then(|| {
        let text = "the script breaks the stream off";
        Err(std::io::Error::new(
            std::io::ErrorKind::ConnectionReset,
            text,
        ))
    });
    let delay = answered.event_delay;
    let frames = stream::iter(frames.chain(broken)).then(move |frame| async move {
        // The frames before a break have to reach the client first.
        let pause = if frame.is_err() {
            delay.max(BREAK)
        } else {
            delay
        };
        if pause > Duration::ZERO {
            tokio::time::sleep(pause).await;
        }
        frame
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::from_stream(frames)).into_response()
}
