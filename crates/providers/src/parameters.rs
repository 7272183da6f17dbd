//! Reads Messages API parameters that are raw JSON in the inner form, for wires that have a
//! counterpart.

use std::borrow::Cow;

use aside_messages::wire::{ClearAt, Message, RawJson, Request};
use aside_models::{ModelFacts, ThinkingDefault, find};
use aside_rules::of::schema::{SchemaUse, faults};
use uuid::Uuid;

use crate::loss::{ConversionLoss, Reason};
use crate::read::Members;

/// The values in `metadata`, `service_tier` and `output_config`.
///
/// ```json
/// {"metadata": {"user_id": "u1"}, "service_tier": "standard_only",
///  "output_config": {"effort": "high", "verbosity": "low",
///                    "format": {"type": "json_schema", "schema": {"type": "object"}}}}
/// ```
#[derive(Debug, Default)]
pub(crate) struct Parameters<'a> {
    /// `metadata.user_id`.
    pub(crate) user_id: Option<String>,
    /// `output_config.effort`, such as `low` or `xhigh`; it is not checked here.
    pub(crate) effort: Option<String>,
    /// `output_config.verbosity`, which only some wires have.
    pub(crate) verbosity: Option<String>,
    /// The schema in `output_config.format`.
    pub(crate) schema: Option<RawJson>,
    /// `service_tier`, by Anthropic's name.
    tier: Option<&'a str>,
}

/// The longest `safety_identifier` that OpenAI takes, in bytes.
const MAX_USER_ID: usize = 128;

impl<'a> Parameters<'a> {
    /// Reads the parameters, and reports members without a counterpart.
    ///
    /// An id, effort or verbosity that is not a string counts as missing.
    pub(crate) fn read(request: &'a Request, losses: &mut Vec<ConversionLoss>) -> Self {
        let mut parameters = Self { tier: request.service_tier.as_deref(), ..Self::default() };
        for (key, value) in members(request.metadata.as_ref()) {
            match key.as_str() {
                "user_id" => parameters.user_id = string(&value),
                _ => losses.push(Reason::OnlyUserId.at(format_args!("metadata.{key}"))),
            }
        }
        for (key, value) in members(request.output_config.as_ref()) {
            let path = format!("output_config.{key}");
            match key.as_str() {
                "effort" => parameters.effort = string(&value),
                "verbosity" => parameters.verbosity = string(&value),
                "format" => match schema(&value) {
                    Some(schema) => parameters.schema = Some(schema),
                    None if value.get() == "null" => {}
                    None => losses.push(Reason::OtherFormat.at(path)),
                },
                _ => losses.push(Reason::OnlyAnthropic.at(path)),
            }
        }
        parameters
    }

    /// Returns how much to reason on OpenAI's wires, which have one key both for the effort and for
    /// disabled thinking; `None` leaves this to the server.
    ///
    /// - Disabled thinking becomes `none` if the model is known to accept this. If not, this
    ///   reports it and keeps the request's effort.
    /// - A token budget has no counterpart and is reported.
    /// - A model that does not reason gets no effort.
    pub(crate) fn effort_or_none(
        &self,
        request: &Request,
        facts: &ModelFacts,
        losses: &mut Vec<ConversionLoss>,
    ) -> Option<String> {
        let thinking = request.thinking.as_ref();
        let is_off = is_off(request);
        if facts.refuses_effort() {
            let effort = self.effort.iter().map(|_| Reason::NoEffort.at("output_config.effort"));
            let on = thinking.filter(|_| !is_off);
            losses.extend(effort.chain(on.map(|_| Reason::NoReasoning.at("thinking"))));
            return None;
        }
        if !is_off {
            if thinking.is_some_and(|it| it.budget_tokens.is_some()) {
                losses.push(Reason::NoBudget.at("thinking.budget_tokens"));
            }
            return self.effort.clone();
        }
        let reason = match facts.effort_none {
            Some(true) => {
                if self.effort.is_some() {
                    losses.push(Reason::EffortWithoutThinking.at("output_config.effort"));
                }
                return Some("none".to_owned());
            }
            Some(false) => Reason::AlwaysReasons,
            None => Reason::MayAlwaysThink,
        };
        losses.push(reason.at("thinking"));
        self.effort.clone()
    }

    /// Returns true if OpenAI takes the output schema as strict. If it does not, this reports it:
    /// to make an optional property required would change the output.
    pub(crate) fn is_strict(&self, losses: &mut Vec<ConversionLoss>) -> bool {
        let schema = self.schema.as_ref().map_or("{}", RawJson::get);
        let is_strict = faults(SchemaUse::OpenAiStrict, schema).is_empty();
        if !is_strict {
            losses.push(Reason::LooseFormat.at("output_config.format.schema"));
        }
        is_strict
    }

    /// Returns the user's id as `safety_identifier`. One that is too long is replaced by its hash,
    /// and this is reported.
    pub(crate) fn safety_identifier(
        &self,
        losses: &mut Vec<ConversionLoss>,
    ) -> Option<Cow<'_, str>> {
        let id = self.user_id.as_deref()?;
        if id.len() <= MAX_USER_ID {
            return Some(id.into());
        }
        let hash = Uuid::new_v5(&Uuid::NAMESPACE_OID, id.as_bytes()).to_string();
        let what = format!("sent as {hash:?}: the wire takes {MAX_USER_ID} bytes at most");
        losses.push(ConversionLoss::new("metadata.user_id", what));
        Some(hash.into())
    }

    /// Returns OpenAI's name for the service tier.
    ///
    /// `standard_only` is `default`, and every other tier is `auto`; `None` if the request has
    /// none.
    pub(crate) fn service_tier(&self) -> Option<&'static str> {
        match self.tier? {
            "standard_only" => Some("default"),
            _ => Some("auto"),
        }
    }
}

/// Returns the effort that a system message sets in its `output_config`.
pub(crate) fn message_effort(message: &Message) -> Option<String> {
    member_text(message.output_config.as_ref(), "effort")
}

/// Returns true if a system message applies only to part of the conversation.
pub(crate) fn is_turn_scoped(message: &Message) -> bool {
    let clear_at = message.clear_at.as_ref();
    clear_at.is_some_and(|it| *it != ClearAt::Never)
}

/// Returns another key's value, unless it is null.
///
/// This is for keys without a field in [`Request`], such as `top_p` and `top_k`.
pub(crate) fn extra<'a>(request: &'a Request, key: &str) -> Option<&'a RawJson> {
    let found = request.extra.0.iter().find(|(name, _)| name == key);
    found.map(|(_, value)| value).filter(|value| value.get() != "null")
}

/// The `display` of thinking that returns no summary.
const OMITTED: &str = r#""omitted""#;

/// Returns true if the request turns thinking off, in either form that the Messages API has for it.
/// Sonnet 5.5 takes only `between_tools`.
pub(crate) fn is_off(request: &Request) -> bool {
    let thinking = request.thinking.as_ref();
    thinking.is_some_and(|it| matches!(&*it.kind, "disabled" | "between_tools"))
}

/// Returns true if the request has thinking to read: not off, and not omitted from the answer.
///
/// Without `display`, the model for which it was written decides: one that thinks by default omits
/// it by default.
pub(crate) fn shows_thinking(request: &Request) -> bool {
    let Some(thinking) = request.thinking.as_ref().filter(|_| !is_off(request)) else {
        return false;
    };
    let is_display = |(key, value): &&(String, RawJson)| key == "display" && value.get() != "null";
    match thinking.extra.0.iter().find(is_display) {
        Some((_, display)) => display.get() != OMITTED,
        None => {
            let modes = find(&request.model).facts.thinking;
            modes.is_none_or(|it| it.default == ThinkingDefault::Off)
        }
    }
}

/// Reports the parameters that only Anthropic's API has, except for those that this wire takes.
pub(crate) fn only_anthropic(request: &Request, taken: &[&str], losses: &mut Vec<ConversionLoss>) {
    if request.context_management.is_some() {
        losses.push(Reason::ContextEdits.at("context_management"));
    }
    let further = request.extra.0.iter().map(|(key, _)| key.as_str());
    let lost = further.filter(|key| !taken.contains(key));
    losses.extend(lost.map(|key| Reason::OnlyAnthropic.at(key)));
    // Every wire can leave a summary out, and shows no more than one.
    let thinking = request.thinking.iter().flat_map(|it| &it.extra.0);
    let is_display = |value: &str| [r#""summarized""#, OMITTED].contains(&value);
    let thinking = thinking.filter(|(_, value)| !is_display(value.get()));
    let choice = request.tool_choice.iter().flat_map(|it| &it.extra.0);
    let inner = thinking.map(|it| ("thinking", it)).chain(choice.map(|it| ("tool_choice", it)));
    let inner = inner.filter(|(_, (_, value))| value.get() != "null");
    let inner = inner.map(|(at, (key, _))| format!("{at}.{key}"));
    losses.extend(inner.map(|path| Reason::OnlyAnthropic.at(path)));
}

/// Returns an object's members in order; none if it is missing or not an object.
pub(crate) fn members(object: Option<&RawJson>) -> Vec<(String, RawJson)> {
    let members = object.and_then(|raw| serde_json::from_str::<Members>(raw.get()).ok());
    members.map(|Members(members)| members).unwrap_or_default()
}

/// Returns an object with another value of this member, or without it; `None` if the object does not
/// have it.
pub(crate) fn with_member(
    object: Option<&RawJson>,
    key: &str,
    value: Option<&str>,
) -> Option<RawJson> {
    let members = members(object);
    if members.iter().all(|(name, _)| name != key) {
        return None;
    }
    let members = members.iter().filter_map(|(name, old)| {
        let value = if name == key { value? } else { old.get() };
        Some(format!("{}:{value}", serde_json::Value::from(&**name)))
    });
    RawJson::parse(&format!("{{{}}}", members.collect::<Vec<_>>().join(","))).ok()
}

/// Returns the text of an object's member.
pub(crate) fn member_text(object: Option<&RawJson>, key: &str) -> Option<String> {
    let mut members = members(object).into_iter();
    let (_, value) = members.find(|(name, _)| name == key)?;
    string(&value)
}

/// Returns a JSON string's text; `None` for another value.
fn string(value: &RawJson) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// Returns the schema in `{"type":"json_schema","schema":…}`; `None` when the format has another
/// type or the schema is not an object.
fn schema(format: &RawJson) -> Option<RawJson> {
    let Members(members) = serde_json::from_str(format.get()).ok()?;
    let find = |name: &str| members.iter().find(|(key, _)| key == name);
    let (_, kind) = find("type")?;
    let (_, schema) = find("schema")?;
    (string(kind).as_deref() == Some("json_schema") && schema.is_object()).then(|| schema.clone())
}
