//! Converting a body that another program wrote.

mod third_wire;

use std::borrow::Cow;
use std::str::FromStr;

use aside_body::wire::{Hints, Keys, decide};
use aside_messages::history::{NO_CONTENT, repair_with_positions};
use aside_messages::wire::{ContentBlock, ReadError, Request};
use aside_models::{Platform, Wire};
use aside_rules::{Context, Finding, RuleLevel, table};

use crate::converter::convert;
use crate::fit::scope::without_global_scope;
use crate::fit::{fit_from, fit_system_messages};
use crate::import::{IN_STORAGE, ImportError, from_gemini, from_openai, from_responses};
use crate::inner_form::remove_foreign_thinking_at;
use crate::loss::{ConversionLoss, Reason};
use crate::options::Options;
use crate::outgoing::Outgoing;
use crate::provider::{Provider, ProviderError};
use crate::provider_spec::ServerKind;
use crate::refused::RefusedError;
use crate::sources::Sources;
use crate::stand_in::elsewhere;

/// Where a body goes: a provider, and whether its server is a compatible one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The provider.
    pub provider: Provider,
    /// Whose server it is.
    pub server: ServerKind,
}

impl Destination {
    /// Returns the names to choose from: those of the providers, then those of the wires.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Provider::ALL.map(Provider::as_str).into_iter().chain(Wire::ALL.map(Wire::as_str))
    }
}

/// Reads the name of a provider, or of a wire: `chat-completions` is a compatible server, since
/// the vendors' own prefer Responses, and any other wire is its vendor, on that wire for all models.
///
/// ```
/// use aside_providers::{Destination, Provider};
///
/// assert_eq!("generate-content".parse::<Destination>()?.provider, Provider::Gemini);
/// # Ok::<(), aside_providers::ProviderError>(())
/// ```
impl FromStr for Destination {
    type Err = ProviderError;

    fn from_str(name: &str) -> Result<Self, ProviderError> {
        let Ok(wire) = name.parse::<Wire>() else {
            return Ok(Self { provider: name.parse()?, server: ServerKind::Own });
        };
        let speaks = |it: &Provider| it.spec().wires.iter().any(|it| it.wire.wire() == wire);
        let provider = Provider::ALL.into_iter().find(speaks).unwrap_or_default();
        let server = match wire {
            Wire::ChatCompletions => ServerKind::Compatible,
            Wire::Responses => ServerKind::OwnResponses,
            _ => ServerKind::Own,
        };
        Ok(Self { provider, server })
    }
}

/// A converted body, or why the provider would refuse it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConvertedBody {
    /// The wire that it was read as.
    pub read_as: Wire,
    /// What was lost or changed before the request was written, and the header `anthropic-beta` if
    /// the body needs one that the options do not name; [`Outgoing::losses`] follow.
    pub losses: Vec<ConversionLoss>,
    /// The request to send.
    pub outgoing: Result<Outgoing, RefusedError>,
}

/// Why a body cannot be converted at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// It is no request in the form of the Messages API.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is no request in the form of another wire.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// Neither the body nor the options name a model.
    #[error("the body has no model")]
    NoModel,
}

/// Converts a body of any wire, as `aside convert` does: reads it, repairs its history, fits it to
/// the model, writes it, and checks what was written.
///
/// `from` is the body's wire; without it, the body's shape decides. An unknown form is read as the
/// Messages API, so that the error names the first wrong key.
///
/// ```
/// use aside_providers::{Options, Provider, convert_body};
///
/// let body = br#"{"model":"gpt-5.5","input":"Hi"}"#;
/// let converted = convert_body(body, None, Provider::Gemini, Options::default())?;
/// let outgoing = converted.outgoing?;
/// assert!(outgoing.body().ends_with(br#"[{"role":"user","parts":[{"text":"Hi"}]}]}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The path to a value that does not fit the form, or that there is no model.
pub fn convert_body(
    json: &[u8],
    from: Option<Wire>,
    to: Provider,
    mut options: Options,
) -> Result<ConvertedBody, BodyError> {
    let is_anthropic = to.spec().platform.is_anthropic();
    let hints = Hints { wire: from, ..Hints::default() };
    let imported = match decide(json, &hints).wire {
        Wire::ChatCompletions => Some(from_openai(json)?),
        Wire::Responses => Some(from_responses(json)?),
        Wire::GenerateContent => Some(from_gemini(json)?),
        _ => None,
    };
    let read_as = imported.as_ref().map_or(Wire::Messages, |it| it.wire);
    let has_key = imported.as_ref().is_some_and(|it| it.session_id.is_some());
    let (mut request, mut losses, mut sources) = match imported.map(|it| it.written_for(to)) {
        Some(imported) => {
            let model = options.model(to.spec(), &imported.request.model);
            let max_output = to.spec().facts(&model).and_then(|it| it.max_output);
            let imported = imported.limited_by(max_output);
            options.session_id = options.session_id.or(imported.session_id);
            (imported.request, imported.losses, imported.sources)
        }
        None => own(json, options.models.outright.as_deref())?,
    };
    let passes_form = read_as != Wire::Messages && !is_anthropic;
    if passes_form {
        third_wire::explain(&mut losses, to.spec());
    }
    if request.model.is_empty() && options.models.outright.is_none() {
        return Err(BodyError::NoModel);
    }
    if is_anthropic {
        if options.models.outright.is_none()
            && let Some(id) = elsewhere(&request.model, to.spec().platform)
        {
            let what = format!("{} is replaced by {}", request.model, options.model(to.spec(), id));
            losses.push(ConversionLoss::new("model", what));
            request.model = id.to_owned();
        }
        move_headers(&mut request, &mut options.betas, &mut losses);
        if !takes_scope(to, &options) {
            let mut scopes = without_global_scope(&mut request);
            sources.rename(&mut scopes);
            losses.append(&mut scopes);
        }
        let positions = &mut sources.messages;
        losses.extend(remove_foreign_thinking_at(&mut request.messages, positions));
    }
    let is_same_form = read_as == Wire::Messages && is_anthropic;
    // The repair of your own form may fill a message that you left empty.
    let had_content = read_as != Wire::Messages || has_content(&request);
    let fit = if is_same_form { fit_system_messages } else { fit_from };
    losses.extend(fit(&mut request, &mut sources, to.spec(), &options));
    let path = |path: &str| sources.path(path);
    let is_lost = request.messages.is_empty() || (had_content && !has_content(&request));
    let mut outgoing = match is_lost.then(|| nothing_left(read_as, &losses)).flatten() {
        Some(error) => Err(error),
        None => convert(&request, to, &options).map_err(|it| it.renamed(path)),
    };
    if let Ok(outgoing) = &mut outgoing {
        if passes_form {
            third_wire::keep_looseness(&mut losses, &mut outgoing.losses);
        }
        sources.rename(&mut outgoing.losses);
        // What is left out in the end was read as something else before.
        let is_left_out = |loss: &ConversionLoss| {
            let mut last = outgoing.losses.iter().filter(|it| it.path == loss.path);
            last.any(|it| it.what.starts_with("left out"))
        };
        losses.retain(|it| !is_left_out(it));
        if has_key && !outgoing.wire.takes_session_id() {
            losses.push(Reason::NoSessionId.at("prompt_cache_key"));
        }
        if !is_same_form {
            let mut renamed = outgoing.renamed(&request);
            sources.rename(&mut renamed);
            losses.append(&mut renamed);
        }
        losses.extend(added_betas(outgoing, &options.betas));
    }
    let outgoing = outgoing.and_then(|it| match summaries_lost(losses.iter().chain(&it.losses)) {
        Some(error) => Err(error),
        None => Ok(it),
    });
    let outgoing = outgoing.and_then(|it| {
        // The body of another wire has paths of its own.
        let checked = accepted(it, to, &options);
        if is_anthropic { checked.map_err(|it| it.renamed(path)) } else { checked }
    });
    Ok(ConvertedBody { read_as, losses, outgoing })
}

/// Returns true if a message has more than the text that stands for none.
fn has_content(request: &Request) -> bool {
    let is_filler =
        |block: &ContentBlock| matches!(block, ContentBlock::Text(it) if &*it.text == NO_CONTENT);
    request.messages.iter().flat_map(|it| &it.content).any(|it| !is_filler(it))
}

/// Returns the error for a conversation of which nothing is left: why, at each part of the body.
fn nothing_left(wire: Wire, losses: &[ConversionLoss]) -> Option<RefusedError> {
    let is_of_conversation = |path: &str| {
        path.starts_with(aside_body::wire::messages_key(wire)) || IN_STORAGE.contains(&path)
    };
    let of_conversation = losses.iter().filter(|it| is_of_conversation(&it.path));
    let errors =
        of_conversation.map(|it| RefusedError::one(&table::NO_MESSAGE, &it.path, &it.what));
    errors.reduce(RefusedError::and)
}

/// Returns the error for summaries that the target cannot read: each stands for the conversation
/// before it.
fn summaries_lost<'a>(losses: impl Iterator<Item = &'a ConversionLoss>) -> Option<RefusedError> {
    let lost = losses.filter(|it| **it == Reason::Summary.at(&it.path));
    let errors = lost.map(|it| RefusedError::one(&table::FOREIGN_KIND, &it.path, &it.what));
    errors.reduce(RefusedError::and)
}

/// Reads a body in the form of the Messages API. A history that the API would refuse is repaired.
fn own(
    json: &[u8],
    model: Option<&str>,
) -> Result<(Request, Vec<ConversionLoss>, Sources), ReadError> {
    let parsed = Request::parse(&with_model(json, model))?;
    let mut request = parsed.value;
    let faults = parsed.diagnostics.iter();
    let mut losses: Vec<_> =
        faults.map(|fault| ConversionLoss::at(fault.path(), fault.what())).collect();
    let (repairs, positions) = repair_with_positions(&mut request.messages);
    let repairs = repairs.into_iter();
    losses.extend(repairs.map(|(path, repair)| ConversionLoss::new(path, repair.to_string())));
    let sources = Sources { messages: positions, ..Sources::of(&request) };
    Ok((request, losses, sources))
}

/// Returns a body with a model: some clouds have it in the address.
fn with_model<'a>(json: &'a [u8], model: Option<&str>) -> Cow<'a, [u8]> {
    let keys = Keys::read(json);
    let lacks_model = keys.has_messages().is_some() && !keys.has(&["model"]);
    let rest = json.trim_ascii_start().strip_prefix(b"{");
    match (model, rest) {
        (Some(model), Some(rest)) if lacks_model => {
            let comma = if rest.trim_ascii() == b"}" { "" } else { "," };
            let model = format!("{{\"model\":{}{comma}", serde_json::Value::from(model));
            [model.as_bytes(), rest].concat().into()
        }
        _ => json.into(),
    }
}

/// Moves members that are API headers to the options: SDKs take `betas`, and clouds
/// `anthropic_beta`, in the body.
fn move_headers(request: &mut Request, betas: &mut Vec<String>, losses: &mut Vec<ConversionLoss>) {
    request.extra.0.retain(|(key, value)| match key.as_str() {
        "betas" | "anthropic_beta" => match serde_json::from_str::<Vec<String>>(value.get()) {
            Ok(names) => {
                let what = format!("moved to the betas of the request: {}", names.join(", "));
                losses.push(ConversionLoss::at(key, what));
                betas.extend(names);
                false
            }
            Err(_) => true,
        },
        "anthropic_version" => {
            losses.push(ConversionLoss::at(key, "replaced by the version that is asked for"));
            false
        }
        _ => true,
    });
}

/// Returns true if markers for the provider can have the global scope.
fn takes_scope(to: Provider, options: &Options) -> bool {
    to.spec().capabilities(options.enabled_scope()).global_scope
}

/// Reports the betas that a converted body needs and the caller has not named: they are in a
/// header, not in the body. Of betas that permit the same, one is enough.
fn added_betas(outgoing: &Outgoing, given: &[String]) -> Option<ConversionLoss> {
    let (name, sent) = outgoing.headers.iter().find(|(name, _)| *name == "anthropic-beta")?;
    let is_given = |beta: &str| given.iter().any(|it| it == beta);
    let is_permitted = |beta: &str| {
        let mut rules = table::RULES.iter().filter(|it| it.betas.contains(&beta));
        is_given(beta) || rules.any(|it| it.betas.iter().any(|it| is_given(it)))
    };
    let added: Vec<_> = sent.split(',').filter(|it| !is_permitted(it)).collect();
    let what = format!("the body needs this header: {}", added.join(","));
    (!added.is_empty()).then(|| ConversionLoss::at(name, what))
}

/// Checks the body as it is sent: keys, blocks and values that were passed on unread can be such
/// that the provider refuses them.
fn accepted(outgoing: Outgoing, to: Provider, options: &Options) -> Result<Outgoing, RefusedError> {
    let platform = match to.spec().platform {
        own if own.is_anthropic() => Some(own),
        _ => (options.server == ServerKind::Compatible).then_some(Platform::Compatible),
    };
    let model = Some(outgoing.model.clone());
    let context =
        Context { version: Some(options.api_version), platform, model, ..Context::default() };
    let mut refused = aside_rules::check(&outgoing.body(), outgoing.wire.wire(), &context).findings;
    let takes_scope = takes_scope(to, options);
    // Blocks and sources with an unknown type are passed on unread.
    let is_refused = |it: &Finding| match it.rule {
        rule if rule == table::GLOBAL_SCOPE.id => !takes_scope,
        rule => it.level == RuleLevel::Refused || rule == table::UNKNOWN_KIND.id,
    };
    refused.retain(is_refused);
    if refused.is_empty() { Ok(outgoing) } else { Err(RefusedError::new(refused)) }
}
