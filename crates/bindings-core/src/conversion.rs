//! `convert` and `convert_stream`: requests and streams for another wire.

use std::str::FromStr;

use aside_diagnostic::Diagnostic;
use aside_providers::{
    BodyError, Destination, ModelChoice, Names, Options, Provider, Stream, convert_body,
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
    let to: Destination = named("to", given.to.as_deref(), Destination::names())?;
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
    let names = Provider::ALL.into_iter().map(Provider::as_str);
    let from: Provider = named("from", from.as_deref(), names)?;
    let mut stream = Stream::new(from, Names::default());
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

/// Reads a name, of which the error lists all.
fn named<T: FromStr>(
    option: &str,
    name: Option<&str>,
    names: impl Iterator<Item = &'static str>,
) -> Result<T, BindingError> {
    let name = name.ok_or_else(|| BindingError::option(format!("{option}: no provider")))?;
    name.parse().map_err(|_| {
        let names: Vec<&str> = names.collect();
        let names = names.join(", ");
        BindingError::option(format!("{option}: there is no {name:?}: expected one of {names}"))
    })
}
