//! `convert` and `convert_stream`: requests and streams for another wire.

use std::str::FromStr;

use aside_body::wire::{Hints, decide};
use aside_diagnostic::Diagnostic;
use aside_messages::wire::Request;
use aside_models::Wire;
use aside_providers::{
    Imported, ModelChoice, Names, Options, Provider, Stream, fit, from_gemini, from_openai,
    from_responses, remove_foreign_thinking, repair_messages,
};
use serde::{Deserialize, Serialize};

use crate::error::{BindingError, BindingErrorKind};
use crate::input;
use crate::output::{Output, inputs, options};

/// The same options as `aside convert`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConvertOptions {
    to: Option<String>,
    from: Option<String>,
    model: Option<String>,
    betas: Vec<String>,
    session_id: Option<String>,
}

#[derive(Serialize)]
struct Losses {
    losses: Vec<Diagnostic>,
}

pub(crate) fn convert(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [body] = inputs(given)?;
    let given: ConvertOptions = options(json)?;
    let to = provider("to", given.to.as_deref())?;
    let named = given.from.as_deref().map(input::wire);
    let hints = Hints { wire: named.transpose()?, ..Hints::default() };
    let imported = match decide(body, &hints).wire {
        Wire::ChatCompletions => Some(from_openai(body)),
        Wire::Responses => Some(from_responses(body)),
        Wire::GenerateContent => Some(from_gemini(body)),
        _ => None,
    };
    let imported =
        imported.transpose().map_err(|error| BindingError::new(BindingErrorKind::Shape, error))?;
    let is_own_form = imported.is_none();
    let imported = imported.map(|it| it.written_for(to));
    let (mut request, session_id, mut losses) = match imported {
        Some(Imported { request, session_id, losses, .. }) => (request, session_id, losses),
        None => {
            let read = Request::parse(body).map_err(|error| BindingError::read(&error))?;
            let mut request = read.value;
            let repairs = repair_messages(&mut request.messages);
            (request, None, repairs)
        }
    };
    if to.spec().platform.is_anthropic() {
        losses.extend(remove_foreign_thinking(&mut request.messages));
    }
    let options = Options {
        models: ModelChoice { outright: given.model, ..ModelChoice::default() },
        betas: given.betas,
        session_id: given.session_id.or(session_id),
        ..Options::default()
    };
    let is_same_form = is_own_form && to.spec().platform.is_anthropic();
    if !is_same_form {
        losses.extend(fit(&mut request, to, &options));
    }
    let outgoing = aside_providers::convert(&request, to, &options)
        .map_err(|error| BindingError::new(BindingErrorKind::Refused, error))?;
    if !is_same_form {
        losses.extend(outgoing.renamed(&request));
    }
    let losses = losses.iter().chain(&outgoing.losses).map(Into::into);
    let facts = Output::facts(&Losses { losses: losses.collect() })?;
    Ok(facts.with_body(outgoing.body()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct StreamOptions {
    from: Option<String>,
}

/// Returns Messages API events; `data` is what that API's client gets.
pub(crate) fn convert_stream(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [bytes] = inputs(given)?;
    let from = options::<StreamOptions>(json)?.from;
    let mut stream = Stream::new(provider("from", from.as_deref())?, Names::default());
    let mut events = Vec::new();
    let read = stream.push(bytes, &mut events).and_then(|()| stream.finish(&mut events));
    read.map_err(|error| BindingError::new(BindingErrorKind::Shape, error))?;
    Output::facts(&events)
}

fn provider(option: &str, name: Option<&str>) -> Result<Provider, BindingError> {
    let name = name.ok_or_else(|| BindingError::option(format!("{option}: no provider")))?;
    Provider::from_str(name).map_err(|error| BindingError::option(format!("{option}: {error}")))
}
