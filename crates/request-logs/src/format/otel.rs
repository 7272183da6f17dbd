//! OpenTelemetry spans with GenAI attributes. Request parts have a form of
//! their own, so you can only compare whole sections.
//!
//! Source: the semantic conventions for generative AI. Exporters write
//! attributes as an object or as OTLP's typed list, and messages as JSON in a
//! string.
//!
//! ```text
//! gen_ai.request.model             → model
//! gen_ai.system_instructions       → the section "system"
//! gen_ai.tool.definitions          → the section "tools"
//! gen_ai.input.messages            → the section "messages"
//! gen_ai.usage.…                   → usage
//! gen_ai.conversation.id           → session; else session.id, else the trace
//! ```

use std::collections::BTreeMap;

use aside_models::usage::Telemetry;
use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde_json::{Map, Value, json};

use crate::exchange::{Exchange, RecordedBody};
use crate::json::{list, text};

use super::{Fault, no_entry};

/// Operations that are no request to a model that has a cache. The usage of an agent is the sum of
/// its requests'.
const NO_REQUESTS: [&str; 5] =
    ["create_agent", "embeddings", "execute_tool", "invoke_agent", "invoke_workflow"];

/// Reads a span, or an export with many.
///
/// An export is `{"resourceSpans": [{"scopeSpans": [{"spans": […]}]}]}`. An
/// export may have no request to a model; a single span that is none is an
/// error.
pub(super) fn read(value: &Value) -> Result<Vec<Exchange>, Fault> {
    let mut spans = Vec::new();
    if value.get("resourceSpans").is_some() {
        for resource in list(value, &["resourceSpans"]) {
            for scope in list(resource, &["scopeSpans"]) {
                spans.extend(list(scope, &["spans"]));
            }
        }
    } else {
        spans.push(value);
    }
    let all: Vec<Exchange> = spans.into_iter().filter_map(span).collect();
    if all.is_empty() && value.get("resourceSpans").is_none() {
        return Err(no_entry("gen_ai attributes"));
    }
    Ok(all)
}

/// Reads a span; `None` if it is not a request to a model.
///
/// A span counts as a request when it has input messages or an input token
/// count. Exporters leave out messages unless they are configured to record
/// content; the exchange then has usage and no body.
fn span(span: &Value) -> Option<Exchange> {
    let attributes = attributes(span.get("attributes")?);
    let operation = attributes.get("gen_ai.operation.name");
    if operation.and_then(Value::as_str).is_some_and(|it| NO_REQUESTS.contains(&it)) {
        return None;
    }
    let model = attributes.get("gen_ai.request.model").and_then(Value::as_str);
    let messages = attributes.get("gen_ai.input.messages").map(parsed);
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    let sections = [("tools", "gen_ai.tool.definitions"), ("system", "gen_ai.system_instructions")];
    for (key, attribute) in sections {
        if let Some(value) = attributes.get(attribute) {
            body.insert(key.to_owned(), parsed(value));
        }
    }
    let figures = attributes.iter().filter(|(key, _)| key.starts_with("gen_ai.usage."));
    let figures = figures.map(|(key, it)| (key.as_str(), number(it)));
    let figures = MapDeserializer::<_, serde_json::Error>::new(figures);
    let figures = Telemetry::deserialize(figures).ok()?;
    let has_input = figures.input.or(figures.earlier_input).is_some();
    let billed = (has_input || figures.unread.is_some()).then(|| (&figures).into());
    if messages.is_none() && billed.is_none() {
        return None;
    }
    let request = match messages {
        Some(messages) => {
            body.insert("messages".to_owned(), messages);
            RecordedBody::Sections(serde_json::to_vec(&body).ok()?.into())
        }
        None => RecordedBody::Missing,
    };
    let start = span.get("startTimeUnixNano").or(span.get("start_time"));
    let string = |key: &str| attributes.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut exchange = Exchange {
        session: string("gen_ai.conversation.id")
            .or(string("session.id"))
            .or(text(span, &["traceId"])),
        id: string("gen_ai.response.id").or(text(span, &["spanId"])),
        provider: string("gen_ai.provider.name").or(string("gen_ai.system")),
        model: string("gen_ai.response.model").or(model.map(str::to_owned)),
        request,
        ..Exchange::sent(start)
    };
    exchange.bill(billed);
    Some(exchange)
}

/// Reads attributes: an object, or OTLP's list, ignoring the types:
///
/// ```json
/// [{"key": "gen_ai.request.model", "value": {"stringValue": "claude-opus-5-5"}}]
/// ```
fn attributes(value: &Value) -> BTreeMap<String, Value> {
    match value {
        Value::Object(map) => map.iter().map(|(key, it)| (key.clone(), it.clone())).collect(),
        Value::Array(list) => list
            .iter()
            .filter_map(|it| {
                let key = it.get("key")?.as_str()?.to_owned();
                let Value::Object(kinds) = it.get("value")? else {
                    return None;
                };
                Some((key, kinds.values().next()?.clone()))
            })
            .collect(),
        _ => BTreeMap::new(),
    }
}

/// Parses JSON in a string, as in attributes; any other value stays.
fn parsed(value: &Value) -> Value {
    let text = value.as_str();
    let parsed = text.and_then(|it| serde_json::from_str(it).ok());
    parsed.unwrap_or_else(|| value.clone())
}

/// Reads the string that OTLP writes for an `intValue`; any other value stays.
fn number(value: &Value) -> Value {
    let number: Option<u64> = value.as_str().and_then(|it| it.parse().ok());
    number.map_or_else(|| value.clone(), Value::from)
}
