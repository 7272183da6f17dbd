//! Signed reasoning: encrypted content on Responses, and thought signatures in
//! `generateContent`.
//!
//! A Responses signature holds a digest of the prefix: tools, text format, and
//! the items before it without reasoning. From GPT-6.2 on, the API removes
//! reasoning after another prefix from the model's view and reports this; it
//! refuses no request for it. On both wires, a signature that this server did
//! not make is refused, as the API refuses an altered one.
//!
//! Ids, states and cache breakpoints are not part of the prefix, and a string
//! is the same as a list with one text.

use std::collections::BTreeMap;

use aside_json::{Kind, Value};
use aside_models::{ModelFacts, Vendor, Wire};
use aside_providers::is_placeholder_signature;
use serde::Serialize;

use crate::strict::ApiError;
use crate::strict::body::inputs;
use crate::strict::digest::{Digest, Sum, compact, members};
use crate::strict::seal::{Signer, ThinkingSeal};

/// The first generation that removes reasoning after a changed prefix.
const REMOVES_REASONING: (u16, u16) = (6, 2);

/// Keys in an item or a part that the prefix does not contain.
const UNBOUND_KEYS: [&str; 6] =
    ["annotations", "id", "logprobs", "prompt_cache_breakpoint", "status", "type"];

/// A request's reasoning as the model sees it.
#[derive(Debug, Default)]
pub(super) struct SeenReasoning {
    /// The items that are removed, in input order.
    pub(super) removed: Vec<RemovedReasoning>,
    /// The number of the response that the last remaining item comes from.
    pub(super) latest: Option<u64>,
    /// A digest of everything before the response.
    pub(super) prefix: Digest,
}

/// A reasoning item that the API removed from the model's view, an item in
/// `input_transformations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RemovedReasoning {
    /// The item's id; empty if the request has none.
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) action: &'static str,
    /// The reason, as in `prefix_mismatch`.
    pub(super) reason: &'static str,
}

impl RemovedReasoning {
    pub(super) fn new(id: String, reason: &'static str) -> Self {
        Self { id, kind: "reasoning", action: "removed", reason }
    }
}

/// Verifies a Responses request's reasoning items.
///
/// # Errors
/// Refuses a signature that this server did not make.
pub(super) fn verify_items(
    root: Value<'_>,
    facts: &ModelFacts,
    model: u64,
    signer: &Signer,
) -> Result<SeenReasoning, ApiError> {
    let is_bound = facts.vendor == Vendor::OpenAi && facts.generation >= REMOVES_REASONING;
    let items = inputs(root);
    let own_turn = turn_start(root, &items);
    let mut seen = SeenReasoning { prefix: head(root), ..SeenReasoning::default() };
    for (index, item) in items.into_iter().enumerate() {
        let signature = item.text_of("encrypted_content");
        let Some(signature) = signature.filter(|_| item.tag() == "reasoning") else {
            seen.prefix = extended(seen.prefix, item);
            continue;
        };
        let id = item.text_of("id").unwrap_or_default().into_owned();
        let Some(seal) = signer.open_thinking(&signature) else {
            let text = format!(
                "The encrypted content for item {id} could not be verified. Reason: Encrypted \
                 content could not be decrypted or parsed."
            );
            let error = ApiError::on_wire(Wire::Responses, 400, text);
            return Err(error.with_code("invalid_encrypted_content"));
        };
        let reason = if seal.model != model {
            "model_mismatch"
        } else if is_bound && seal.prefix != seen.prefix {
            "prefix_mismatch"
        } else if index < own_turn {
            "turn_boundary"
        } else {
            seen.latest = Some(seal.response);
            continue;
        };
        seen.removed.push(RemovedReasoning::new(id, reason));
    }
    Ok(seen)
}

/// Returns an item's id without its type: ids of one server are in the order of its responses.
pub(super) fn place_of(id: &str) -> &str {
    id.split_once('_').map_or(id, |it| it.1)
}

/// Refuses an item that this server sent behind reasoning, if it comes back with its id and without
/// the reasoning directly before it. `paired` has the reasoning of each such item, by [`place_of`].
///
/// # Errors
/// The refusal names both items.
pub(super) fn verify_pairs(
    root: Value<'_>,
    paired: &BTreeMap<String, String>,
) -> Result<(), ApiError> {
    let mut before = None;
    for item in inputs(root) {
        let id = item.text_of("id");
        if let Some(id) = &id
            && let Some(needed) = paired.get(place_of(id))
            && before != Some((Some(needed.into()), true))
        {
            let kind = item.tag();
            let kind = if kind.is_empty() { "message".into() } else { kind };
            let text = format!(
                "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: \
                 '{needed}'."
            );
            return Err(ApiError::on_wire(Wire::Responses, 400, text).with_param("input"));
        }
        before = Some((id, item.tag() == "reasoning"));
    }
    Ok(())
}

/// Returns the index of the first item whose reasoning the model sees: 0,
/// unless the request limits it to the current turn.
fn turn_start(root: Value<'_>, items: &[Value<'_>]) -> usize {
    let reasoning = root.get("reasoning");
    let context = reasoning.and_then(|it| it.text_of("context"));
    if context.as_deref() != Some("current_turn") {
        return 0;
    }
    let is_user = |it: &Value<'_>| it.text_of("role").as_deref() == Some("user");
    items.iter().rposition(is_user).unwrap_or(0)
}

/// Digests what comes before the items.
fn head(root: Value<'_>) -> Digest {
    let tools = root.items_of("tools");
    let listed = tools.filter(|it| !it.get("defer_loading").is_some_and(Value::is_true));
    let sum = listed.fold(Sum::new("tools"), |sum, it| sum.with(&compact(it)));
    let format = root.get("text").and_then(|it| it.given("format"));
    sum.with(&format.map(compact).unwrap_or_default()).end()
}

/// Digests a prefix and the item after it; a string is a user message.
pub(super) fn extended(prefix: Digest, item: Value<'_>) -> Digest {
    if item.tag() == "reasoning" {
        return prefix;
    }
    if item.kind() == Kind::String {
        let sum = Sum::new("item").with(&prefix).with(b"message");
        let sum = sum.with(b"content").with(&text_part(item));
        return sum.with(b"role").with(b"\"user\"").end();
    }
    let kind = match item.tag() {
        kind if kind.is_empty() => "message".into(),
        kind => kind,
    };
    let sum = Sum::new("item").with(&prefix).with(kind.as_bytes());
    members(item, &UNBOUND_KEYS)
        .into_iter()
        .fold(sum, |sum, (key, value)| {
            let sum = sum.with(key.as_bytes());
            match (&*key, value.kind()) {
                ("content" | "output", Kind::String) => sum.with(&text_part(value)),
                ("content" | "output", Kind::Array) => {
                    value.items().fold(sum, |sum, it| sum.with(&part(it)))
                }
                _ => sum.with(&compact(value)),
            }
        })
        .end()
}

fn part(part: Value<'_>) -> Digest {
    match &*part.tag() {
        "input_text" | "output_text" => part.get("text").map_or(Digest::default(), text_part),
        kind => members(part, &UNBOUND_KEYS)
            .into_iter()
            .fold(Sum::new("part").with(kind.as_bytes()), |sum, (key, it)| {
                sum.with(key.as_bytes()).with(&compact(it))
            })
            .end(),
    }
}

fn text_part(text: Value<'_>) -> Digest {
    Sum::new("text").with(text.raw().as_bytes()).end()
}

/// Verifies a `generateContent` request's thought signatures. Returns the
/// number of the latest response that one comes from.
///
/// # Errors
/// Refuses a signature that neither this server made nor Google documents.
pub(super) fn verify_thoughts(root: Value<'_>, signer: &Signer) -> Result<Option<u64>, ApiError> {
    let mut latest = None;
    for part in root.items_of("contents").flat_map(|it| it.items_of("parts")) {
        let names = ["thoughtSignature", "thought_signature"];
        let Some(signature) = names.into_iter().find_map(|key| part.text_of(key)) else {
            continue;
        };
        match signer.open_thinking(&signature) {
            Some(ThinkingSeal { response, .. }) => latest = Some(response),
            None if is_placeholder_signature(&signature) => {}
            None => {
                let text = "Corrupted thought signature.";
                return Err(ApiError::on_wire(Wire::GenerateContent, 400, text));
            }
        }
    }
    Ok(latest)
}
