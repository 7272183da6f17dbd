//! A request on one of the wires, with what its address and the stored
//! responses add to it.

use std::borrow::Cow;

use aside_body::stored::{input_items, with_input};
use aside_json::{Kind, Tape, Value};
use aside_models::{ModelFacts, Wire, find};
use aside_providers::{from_gemini, from_openai, from_responses};
use bytes::Bytes;

use super::events::Transfer;
use super::store::Store;
use crate::strict::body::inputs;
use crate::strict::{ApiError, Enforcement, NOT_OBJECT};

/// The largest body to read.
const MAX_BODY_BYTES: usize = 32 << 20;

/// The most choices that a response has.
const MAX_CHOICES: u64 = 128;

/// Where a request was sent.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) wire: Wire,
    /// The path, as in `/v1/messages`.
    pub(crate) path: String,
    /// The model in the path (Gemini).
    pub(crate) model: Option<String>,
    /// How the path asks for the response (Gemini).
    pub(crate) transfer: Transfer,
}

/// A request with the whole conversation.
#[derive(Clone, Debug)]
pub(crate) struct ReadRequest {
    pub(super) wire: Wire,
    pub(crate) model: String,
    pub(super) facts: &'static ModelFacts,
    /// The body as it came.
    pub(super) sent: Bytes,
    /// The body with stored items instead of `previous_response_id` and
    /// references, if it has any.
    pub(super) expanded: Option<Bytes>,
    /// The id of the stored response that it continues.
    pub(super) previous: Option<String>,
    pub(super) transfer: Transfer,
    /// The request in the Messages API's form, for scripts. Empty if the body
    /// is not for this wire.
    pub(crate) messages_form: Vec<u8>,
}

/// How a response has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueForm {
    /// As JSON, if the request has a schema.
    Schema,
    /// As JSON, of any shape without a schema. The Messages API lacks this form.
    AnyJson,
    /// As text: the value of an enum without quotes (Gemini).
    Bare,
}

impl ReadRequest {
    /// Returns the body with the whole conversation.
    pub(crate) fn body(&self) -> &Bytes {
        self.expanded.as_ref().unwrap_or(&self.sent)
    }

    /// Returns how many choices the body asks for.
    pub(super) fn choices(&self, root: Value<'_>) -> u64 {
        let count = match self.wire {
            Wire::ChatCompletions => root.get("n"),
            Wire::GenerateContent => config(root).and_then(|it| it.get("candidateCount")),
            _ => None,
        };
        let count = count.and_then(Value::integer).unwrap_or(1);
        u64::try_from(count).unwrap_or(1).clamp(1, MAX_CHOICES)
    }

    /// Returns how the response has a value.
    pub(crate) fn value_form(&self) -> ValueForm {
        let Ok(tape) = Tape::parse(&self.sent) else {
            return ValueForm::Schema;
        };
        let root = tape.root();
        let (kind, parent, key) = match self.wire {
            Wire::Responses => {
                let text = root.get("text");
                ("json_object", text.and_then(|it| it.get("format")), "type")
            }
            Wire::ChatCompletions => ("json_object", root.get("response_format"), "type"),
            _ => ("application/json", config(root), "responseMimeType"),
        };
        match parent.and_then(|it| it.text_of(key)).as_deref() {
            Some("text/x.enum") => ValueForm::Bare,
            Some(found) if found == kind => ValueForm::AnyJson,
            _ => ValueForm::Schema,
        }
    }
}

/// Returns the parameters of the generation (Gemini).
pub(super) fn config(root: Value<'_>) -> Option<Value<'_>> {
    spelled(root, ["generationConfig", "generation_config"])
}

/// Returns the member that has one of two spellings (Gemini).
pub(super) fn spelled<'t>(object: Value<'t>, keys: [&str; 2]) -> Option<Value<'t>> {
    keys.into_iter().find_map(|key| object.get(key))
}

/// Reads a request.
///
/// # Errors
/// Refuses a body that is too long or no JSON object, and one that continues or
/// refers to what is not stored. Without enforcement, the latter are taken as
/// they are.
pub(super) fn read(
    endpoint: &Endpoint,
    body: &[u8],
    store: &Store,
    enforcement: Enforcement,
) -> Result<ReadRequest, ApiError> {
    let wire = endpoint.wire;
    if body.len() > MAX_BODY_BYTES {
        return Err(ApiError::on_wire(wire, 413, "Request exceeds the maximum size"));
    }
    let tape = Tape::parse(body).map_err(|_| not_json(wire))?;
    let root = tape.root();
    if root.kind() != Kind::Object {
        return Err(ApiError::on_wire(wire, 400, NOT_OBJECT));
    }
    let (mut expanded, mut previous) = (None, None);
    if wire == Wire::Responses {
        previous = root.text_of("previous_response_id").map(Cow::into_owned);
        expanded = match expand(&tape, previous.as_deref(), store) {
            Err(_) if enforcement == Enforcement::Off => None,
            expanded => expanded?,
        };
    }
    let model = match &endpoint.model {
        Some(model) => model.clone(),
        None => root.text_of("model").unwrap_or_default().into_owned(),
    };
    let transfer =
        if root.get("stream").is_some_and(Value::is_true) && wire != Wire::GenerateContent {
            Transfer::Events
        } else {
            endpoint.transfer
        };
    let whole = expanded.as_deref().unwrap_or(body);
    let imported = match wire {
        Wire::Responses => from_responses(whole),
        Wire::ChatCompletions => from_openai(whole),
        _ => from_gemini(whole),
    };
    let imported = imported.ok().map(|mut it| {
        it.request.model.clone_from(&model);
        serde_json::to_vec(&it.request).unwrap_or_default()
    });
    Ok(ReadRequest {
        wire,
        facts: find(&model).facts,
        model,
        sent: Bytes::copy_from_slice(body),
        expanded: expanded.map(Bytes::from),
        previous,
        transfer,
        messages_form: imported.unwrap_or_default(),
    })
}

/// Replaces `previous_response_id` and references by the stored items. `None`
/// if there is nothing to replace. No conversation is stored.
///
/// The earlier request's `instructions` are not carried over, as in the API.
fn expand(
    tape: &Tape<'_>,
    previous: Option<&str>,
    store: &Store,
) -> Result<Option<Vec<u8>>, ApiError> {
    let root = tape.root();
    let conversation = root.given("conversation");
    if let Some(id) = conversation.and_then(|it| it.text().or_else(|| it.text_of("id"))) {
        let text = format!("Conversation with id '{id}' not found.");
        return Err(ApiError::on_wire(Wire::Responses, 404, text).with_param("conversation"));
    }
    let mut is_changed = previous.is_some();
    let mut list = match previous {
        Some(id) => match store.get(id) {
            Some(stored) => stored.items.clone(),
            None => {
                let text = format!("Previous response with id '{id}' not found.");
                let error = ApiError::on_wire(Wire::Responses, 400, text);
                let error = error.with_code("previous_response_not_found");
                return Err(error.with_param("previous_response_id"));
            }
        },
        None => Vec::new(),
    };
    let mut replaced = Vec::new();
    for (index, item) in inputs(root).into_iter().enumerate() {
        // A reference may have no type. Reasoning without its content is one, too.
        let is_reference = match &*item.tag() {
            "item_reference" => true,
            "" => item.given("role").is_none(),
            "reasoning" => item.given("encrypted_content").is_none(),
            _ => false,
        };
        let Some(id) = item.text_of("id").filter(|_| is_reference) else {
            continue;
        };
        let Some(stored) = store.item(&id) else {
            let text = format!(
                "Item with id '{id}' not found. Items are not persisted when `store` is set to \
                 false. Try again with `store` set to true, or remove this item from your input."
            );
            let error = ApiError::on_wire(Wire::Responses, 404, text);
            return Err(error.with_param("input"));
        };
        is_changed = true;
        replaced.push((index, stored));
    }
    if !is_changed {
        return Ok(None);
    }
    let mut own = input_items(root);
    for (index, stored) in replaced {
        stored.clone_into(&mut own[index]);
    }
    list.append(&mut own);
    Ok(Some(with_input(tape, &list)))
}

/// Refuses a body that is no JSON object.
fn not_json(wire: Wire) -> ApiError {
    let text = match wire {
        Wire::GenerateContent => "Invalid JSON payload received.",
        _ => "We could not parse the JSON body of your request.",
    };
    ApiError::on_wire(wire, 400, text)
}
