//! Forwards one request.
//!
//! A long body is sent on while it arrives, unless it may get other markers: the plan for these
//! depends on its end. It is kept for the record. The response is a stream from the first byte on,
//! even if the upstream responds before it has read the body.

use std::error::Error as _;
use std::iter::successors;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::future::join;
use futures_util::{Stream, stream};
use reqwest::Url;
use tokio::sync::oneshot;

use super::bookkeeper::{Ended, Job};
use super::exchange::{Exchange, PROXY_ERROR};
use super::forwarder::Forwarder;
use super::headers;
use super::prepare::{may_be_placed, prepare};
use super::route::Route;
use super::summary::Refusal;
use super::upstream::Wire;
use crate::admission::{NotRead, Room};
use crate::arriving::{Arriving, Forwarded};
use crate::decode::is_encoded;
use crate::redact;
use crate::strict::envelope;
use crate::written::errors_last;

/// Shorter bodies arrive in one or two reads, so they are sent in one piece.
const MIN_FORWARDED_BYTES: usize = 64 << 10;

/// Reads a body with its room, or returns the status and the message to refuse it with.
type Reading = Pin<Box<dyn Future<Output = Result<(Bytes, Room), (StatusCode, String)>> + Send>>;

/// Forwards a request, or refuses it: by the guard, with 404 for a path without
/// an upstream, 413 for a body that is too long, 408 for one that does not
/// arrive, 502 if the upstream cannot be reached.
///
/// Requests that the proxy itself refuses, even because their upstream did not
/// respond, have a body
/// `{"type":"error","error":{"type":"proxy_error","message":…}}`. One that was
/// sent to the upstream has its record and its line; the others are reported as
/// refused. A request waits here, unread, if other requests' bodies fill the
/// room.
pub(crate) async fn forward(State(it): State<Arc<Forwarder>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let method = parts.method.clone();
    let path = parts.uri.path_and_query().map_or("/", |it| it.as_str()).to_owned();
    let forwarded = exchange(&it, parts, body, &path).await;
    forwarded.unwrap_or_else(|(status, message)| {
        it.bookkeeper.add(Job::Refused(Refusal {
            request: format!("{method} {}", redact::path(&path)),
            status: status.as_u16(),
            message: message.clone(),
        }));
        refusal(status, &message)
    })
}

/// Returns the response to a request that the upstream did not respond to.
fn refusal(status: StatusCode, message: &str) -> Response {
    let text = format!("aside proxy: {message}");
    let body = envelope(PROXY_ERROR, &text, None, None);
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, body).into_response()
}

/// # Errors
/// The status and the message to refuse with.
async fn exchange(
    it: &Arc<Forwarder>,
    parts: Parts,
    body: Body,
    path: &str,
) -> Result<Response, (StatusCode, String)> {
    let guarded = it.guard.check(&parts.headers, &parts.uri);
    guarded.map_err(|(status, text)| (status, text.to_owned()))?;
    let route = it.upstreams.route(&parts.method, path, &parts.headers);
    let Route { wire, url } = route.map_err(|text| (StatusCode::NOT_FOUND, text.to_owned()))?;
    // The body may be kept twice: as it came, and with other markers or
    // decompressed.
    let copies = 1 + usize::from(it.placer.is_some() || is_encoded(&parts.headers));
    let length = body.size_hint().exact();
    let is_kept_back = wire.is_some_and(|wire| may_be_placed(it, wire, &parts));
    let early = length.and_then(|it| usize::try_from(it).ok());
    let early = early.filter(|it| *it >= MIN_FORWARDED_BYTES && !is_kept_back);
    let arriving = Arriving::default();
    let forwarded = early.map(|length| arriving.forwarded(length));
    let mut reading = reading(it.clone(), arriving, length, copies, body);
    let Some(wire) = wire else {
        let response = match forwarded {
            None => {
                let (body, _room) = reading.await?;
                send(it, url, &parts, body.into()).await
            }
            Some(forwarded) => {
                let mut sending = pin!(send_on(it, url, &parts, forwarded));
                tokio::select! {
                    biased;
                    read = &mut reading => {
                        let _read = read?;
                        sending.await
                    }
                    response = &mut sending => {
                        tokio::spawn(reading);
                        response
                    }
                }
            }
        };
        let response = answered(response)?;
        it.bookkeeper.add(Job::Passed);
        let (status, headers) = (response.status(), response.headers().clone());
        return Ok(passed(status, &headers, response.bytes_stream()));
    };
    let new = |room| Exchange::new(it.clone(), wire, path, &parts.headers, room);
    let mut first = None;
    let (mut exchange, response) = if let Some(forwarded) = forwarded {
        let started = Instant::now();
        let mut sending = pin!(send_on(it, url, &parts, forwarded));
        tokio::select! {
            biased;
            read = &mut reading => {
                let (body, room) = read?;
                let mut exchange = new(room);
                let (_, response) = join(prepare(it, wire, &parts, body, &mut exchange), sending).await;
                (exchange, response)
            }
            response = &mut sending => {
                let mut exchange = new(it.admission.no_room()).since(started);
                tokio::spawn(read_on(it.clone(), wire, parts.clone(), reading, exchange.lend()));
                (exchange, response)
            }
        }
    } else {
        let (body, room) = reading.await?;
        let mut exchange = new(room);
        let sent = prepare(it, wire, &parts, body, &mut exchange).await;
        if let Some(agent) = exchange.cached_agent() {
            let has_waited;
            (first, has_waited) = it.twins.enter(agent).await;
            if has_waited {
                exchange.waited();
            }
        }
        (exchange, send(it, url, &parts, sent).await)
    };
    let response = match answered(response) {
        Ok(response) => response,
        Err((status, message)) => {
            let refusal = refusal(status, &message);
            exchange.fail(message);
            return Ok(refusal);
        }
    };
    let (status, headers) = (response.status(), response.headers().clone());
    if let Some(first) = first.filter(|_| status.is_success()) {
        first.begins();
    }
    exchange.begin(status, &headers);
    Ok(passed(status, &headers, observed(response, exchange)))
}

/// Reads a body. Others see in `arriving` what there is of it.
fn reading(
    it: Arc<Forwarder>,
    arriving: Arriving,
    length: Option<u64>,
    copies: usize,
    body: Body,
) -> Reading {
    Box::pin(async move {
        let chunks = body.into_data_stream();
        let read = it.admission.read_into(&arriving, length, copies, chunks).await;
        read.map_err(|fault| not_read(&it, fault))
    })
}

/// Reads the rest of a body whose response has begun, to send it on and to record it.
async fn read_on(
    it: Arc<Forwarder>,
    wire: Wire,
    parts: Parts,
    reading: Reading,
    ended: oneshot::Receiver<Box<Ended>>,
) {
    let read = reading.await;
    let Ok(ended) = ended.await else {
        return;
    };
    let mut exchange = Exchange::resume(it.clone(), ended);
    match read {
        Ok((body, room)) => {
            exchange.merge_room(room);
            prepare(&it, wire, &parts, body, &mut exchange).await;
        }
        Err((_, message)) => exchange.set(|it| it.note = Some(message)),
    }
}

/// Passes chunks on as they arrive, each only after the client took the one before: a client that
/// reads slowly slows the upstream down.
///
/// The last chunk ends the exchange. If the upstream breaks off or the client disconnects, it is
/// dropped, and so recorded as aborted.
fn observed(
    response: reqwest::Response,
    exchange: Exchange,
) -> impl Stream<Item = reqwest::Result<Bytes>> {
    stream::unfold(Some((response, exchange)), |open| async move {
        let (mut response, mut exchange) = open?;
        match response.chunk().await {
            Ok(Some(chunk)) => {
                exchange.push(&chunk);
                Some((Ok(chunk), Some((response, exchange))))
            }
            Ok(None) => {
                exchange.complete();
                None
            }
            Err(error) => Some((Err(error), None)),
        }
    })
}

/// Says how to refuse a body that was not read.
fn not_read(it: &Forwarder, fault: NotRead) -> (StatusCode, String) {
    match fault {
        NotRead::TooSlow => {
            let text = "the request did not arrive within a minute".to_owned();
            (StatusCode::REQUEST_TIMEOUT, text)
        }
        NotRead::TooLong | NotRead::BrokeOff => {
            let limit = it.max_request_bytes;
            let text = format!("the request is longer than {limit} bytes, or broke off");
            (StatusCode::PAYLOAD_TOO_LARGE, text)
        }
    }
}

/// Passes on an upstream's response, chunk by chunk.
fn passed(
    status: StatusCode,
    headers: &HeaderMap,
    chunks: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
) -> Response {
    let mut passed = Response::new(Body::from_stream(errors_last(chunks)));
    *passed.status_mut() = status;
    *passed.headers_mut() = headers::of_response(headers);
    passed
}

/// Returns the response, or a refusal if the upstream did not respond.
fn answered(
    response: reqwest::Result<reqwest::Response>,
) -> Result<reqwest::Response, (StatusCode, String)> {
    response.map_err(|error| {
        let causes = redact::line(&causes(&error.without_url()));
        let text = format!("the upstream did not answer: {causes}");
        (StatusCode::BAD_GATEWAY, text)
    })
}

/// Sends a body on while it arrives.
async fn send_on(
    it: &Forwarder,
    url: Url,
    parts: &Parts,
    body: Forwarded,
) -> reqwest::Result<reqwest::Response> {
    // A request that waits for room opens no connection.
    body.begins().await;
    send(it, url, parts, reqwest::Body::wrap(body)).await
}

/// Sends the body with the agent's headers.
///
/// A body is sent with its length, even an empty one if the agent sent a
/// length. A connection to loopback uses no proxy from the environment.
async fn send(
    it: &Forwarder,
    url: Url,
    parts: &Parts,
    body: reqwest::Body,
) -> reqwest::Result<reqwest::Response> {
    let has_length = parts.headers.contains_key(header::CONTENT_LENGTH);
    let client = it.clients.of(&url);
    let mut request = client.request(parts.method.clone(), url);
    let mut headers: HeaderMap = headers::of_request(&parts.headers);
    // The client would write its own.
    headers.entry(header::ACCEPT).or_insert(HeaderValue::from_static("*/*"));
    let is_empty = body.as_bytes().is_some_and(<[u8]>::is_empty);
    if is_empty && has_length {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(0));
    }
    request = request.headers(headers);
    if !is_empty {
        request = request.body(body);
    }
    request.send().await
}

/// Returns the error with all of its causes, in one line.
fn causes(error: &reqwest::Error) -> String {
    let sources = successors(error.source(), |source| (*source).source());
    sources.fold(error.to_string(), |text, source| format!("{text}: {source}"))
}
