//! `aside convert` and `aside convert-stream`: requests and streams in another
//! wire's form.
//!
//! ```text
//! convert:        a body of any wire ─ convert_body ─> body for --to
//! convert-stream: server-sent events ─ Stream ─> events of the Messages API, one per line
//! ```
//!
//! Both run `aside-providers` alone: no session, no settings and no network.
//! When the other wire cannot express something, this is a conversion loss,
//! reported on stderr.
//!
//! Exit code 1: the body is not a request, the provider would refuse it, or the
//! stream is invalid. Exit code 2: the file cannot be read, or the provider
//! does not send server-sent events.

use std::io::{self, Read};

use anyhow::{Context as _, anyhow};
use aside_diagnostic::Diagnostic;
use aside_models::Wire;
use aside_providers::{
    AnswerLimit, BodyError, ConversionLoss, ConvertedBody, Event, Framing, ModelChoice, Names,
    Options, Outgoing, Provider, Reasoning, RefusedError, Stream, StreamError, convert_body,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::Failure;
use crate::arguments::{Convert, ConvertStream};
use crate::input::{self, Input, MAX_BODY_BYTES};
use crate::kinds;
use crate::output;
use crate::provider;

/// Prints a request body for the `--to` provider.
///
/// With `--json`, losses are in the output instead of on stderr, unless the
/// conversion fails.
pub(crate) fn request(arguments: &Convert) -> Result<(), Failure> {
    let json = input::bytes(&arguments.file, MAX_BODY_BYTES).map_err(Failure::usage)?;
    let file = arguments.file.display();
    let options = Options {
        models: ModelChoice { outright: arguments.model.clone(), ..ModelChoice::default() },
        api_version: arguments.api_version,
        betas: arguments.beta.clone(),
        session_id: arguments.session_id.clone(),
        answer_limit: if arguments.max_tokens_key {
            AnswerLimit::MaxTokens
        } else {
            AnswerLimit::MaxCompletionTokens
        },
        server: arguments.server().map_err(Failure::usage)?,
        reasoning: if arguments.reasoning_content { Reasoning::Passed } else { Reasoning::Dropped },
        ..Options::default()
    };
    let to = arguments.to.provider;
    let converted = match convert_body(&json, arguments.from.map(Into::into), to, options) {
        Err(BodyError::NoModel) => {
            let error = anyhow!("{file} has no model: name one with --model");
            return Err(Failure::usage(error));
        }
        converted => converted.with_context(|| format!("failed to read {file}"))?,
    };
    let ConvertedBody { read_as, losses, outgoing, .. } = converted;
    if read_as != Wire::Messages {
        output::report(&kinds::INPUT_FORM.diagnostic(format!("read as {read_as}")));
    }
    if !arguments.json || outgoing.is_err() {
        output::report_all(&losses);
    }
    if arguments.json { print_json(outgoing, &losses, to) } else { print_outgoing(outgoing, to) }
}

/// The object that `--json` prints.
///
/// ```json
/// {"body": {"model": "gpt-5.5", "input": []},
///  "losses": [{"severity": "warning", "code": "conversion-loss",
///              "message": "top_k: left out: a parameter of Anthropic's API only"}]}
/// ```
#[derive(Serialize)]
struct Converted<'a> {
    body: &'a RawValue,
    /// What was lost when reading the body, then when writing it.
    losses: Vec<Diagnostic>,
}

/// Prints the body and its losses as one JSON object.
fn print_json(
    outgoing: Result<Outgoing, RefusedError>,
    read: &[ConversionLoss],
    provider: Provider,
) -> Result<(), Failure> {
    let outgoing = outgoing.with_context(|| provider::refused(provider))?;
    let body: Vec<u8> = outgoing.segments.iter().flatten().copied().collect();
    Ok(output::compact_json(&Converted {
        body: serde_json::from_slice(&body)?,
        losses: read.iter().chain(&outgoing.losses).map(Into::into).collect(),
    })?)
}

/// Prints a request body for a provider, and reports conversion losses.
///
/// # Errors
/// Fails with the broken rules when the provider would refuse the request.
pub(crate) fn print_outgoing(
    outgoing: Result<Outgoing, RefusedError>,
    provider: Provider,
) -> Result<(), Failure> {
    let outgoing = outgoing.with_context(|| provider::refused(provider))?;
    output::report_all(&outgoing.losses);
    Ok(output::print(outgoing.segments.iter().map(|segment| &segment[..]))?)
}

/// Prints the events in a recorded stream as they are read, so that the input
/// may be a pipe still being written.
///
/// # Errors
/// When a stream ends early or has invalid data, this fails with exit code 1,
/// after the events before the fault.
pub(crate) fn stream(arguments: &ConvertStream) -> Result<(), Failure> {
    let provider = arguments.from;
    if provider.spec().framing != Framing::ServerSentEvents {
        let what = format!("a stream of {provider} comes in frames, not as server-sent events");
        return Err(Failure::usage(anyhow::anyhow!(what)));
    }
    let failed = || format!("failed to read {}", arguments.file.display());
    let mut source = Input::open(&arguments.file).map_err(Failure::usage)?;
    let mut stream = Stream::new(provider, Names::default());
    let mut events = Vec::new();
    let mut bytes = vec![0; 64 << 10];
    loop {
        let length = match source.read(&mut bytes) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::usage(anyhow::Error::new(error).context(failed()))),
        };
        let result = match length {
            0 => stream.finish(&mut events),
            _ => stream.push(&bytes[..length], &mut events),
        };
        print(&mut events, result).with_context(failed)?;
        if length == 0 {
            return Ok(());
        }
    }
}

/// Prints the events so far, even when an error follows.
fn print(events: &mut Vec<Event>, result: Result<(), StreamError>) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    for event in events.drain(..) {
        serde_json::to_writer(&mut lines, &event)?;
        lines.push(b'\n');
    }
    if !lines.is_empty() {
        output::print([&lines[..]])?;
    }
    Ok(result?)
}
