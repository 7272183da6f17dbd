//! `convert` and `convert_stream`: requests and streams for another wire.

use std::str::FromStr;

use aside_diagnostic::Diagnostic;
use aside_providers::{
    BodyError, Destination, ModelChoice, Names, Options, Provider, ProviderError, Stream,
    convert_body,
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
    let to = named::<Destination>("to", given.to.as_deref())?;
    let from = given.from.as_deref().map(input::wire).transpose()?;
    let options = Options {
        models: ModelChoice { outright: given.model, ..ModelChoice::default() },
        betas: given.betas,
        session_id: given.session_id,
        server: to.server,
        ..Options::default()
    };
    let converted =
        convert_body(body, from, to.provider, options).map_err(|error| unread(error, body))?;
    let outgoing = converted.outgoing;
    let outgoing = outgoing.map_err(|error| BindingError::new(BindingErrorKind::Refused, error))?;
    let losses = converted.losses.iter().chain(&outgoing.losses).map(Into::into);
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
    let mut stream = Stream::new(named::<Provider>("from", from.as_deref())?, Names::default());
    let mut events = Vec::new();
    let read = stream.push(bytes, &mut events).and_then(|()| stream.finish(&mut events));
    read.map_err(BindingError::shape)?;
    Output::facts(&events)
}

/// Returns the error for a body that no wire has.
fn unread(error: BodyError, body: &[u8]) -> BindingError {
    match error {
        BodyError::Read(error) => BindingError::read(&error, body),
        error => BindingError::shape(error).of_input(body),
    }
}

/// Reads the name of a provider.
fn named<T: FromStr<Err = ProviderError>>(
    option: &str,
    name: Option<&str>,
) -> Result<T, BindingError> {
    let name = name.ok_or_else(|| BindingError::option(format!("{option}: no provider")))?;
    name.parse().map_err(|error| BindingError::option(format!("{option}: {error}")))
}
