//! `aside convert` and `aside convert-stream`: requests and streams in another
//! wire's form.
//!
//! ```text
//! convert:        body ─ Request::parse, from_openai, … ─> Request ─ convert ─> body for --to
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

use std::borrow::Cow;
use std::io::{self, Read};

use anyhow::{Context as _, anyhow};
use aside_body::wire::{Hints, decide};
use aside_diagnostic::Diagnostic;
use aside_json::Tape;
use aside_messages::wire::Request;
use aside_models::{Platform, Wire};
use aside_providers::{
    AnswerLimit, ConversionLoss, Event, Framing, ModelChoice, Names, Options, Outgoing, Provider,
    Reasoning, RefusedError, ServerKind, Stream, StreamError, fit, from_gemini, from_openai,
    from_responses, remove_foreign_thinking, repair_messages,
};
use aside_rules::table::UNKNOWN_KIND;
use aside_rules::{Context, Finding, RuleLevel};
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
/// For a Claude model, this removes another vendor's thinking, since its
/// signature would be refused. With `--json`, losses are in the output instead
/// of on stderr, unless the conversion fails.
pub(crate) fn request(arguments: &Convert) -> Result<(), Failure> {
    let json = input::bytes(&arguments.file, MAX_BODY_BYTES).map_err(Failure::usage)?;
    let failed = || format!("failed to read {}", arguments.file.display());
    let Body { mut request, session_id, mut losses, is_own_form } =
        read(arguments, &json).with_context(failed)?;
    if request.model.is_empty() && arguments.model.is_none() {
        let file = arguments.file.display();
        return Err(Failure::usage(anyhow!("{file} has no model: name one with --model")));
    }
    let mut betas = arguments.beta.clone();
    if arguments.to.spec().platform.is_anthropic() {
        move_headers(&mut request, &mut betas, &mut losses);
        losses.extend(remove_foreign_thinking(&mut request.messages));
    }
    let options = Options {
        models: ModelChoice { outright: arguments.model.clone(), ..ModelChoice::default() },
        api_version: arguments.api_version.into(),
        betas,
        session_id: arguments.session_id.clone().or(session_id),
        answer_limit: if arguments.max_tokens_key {
            AnswerLimit::MaxTokens
        } else {
            AnswerLimit::MaxCompletionTokens
        },
        server: if arguments.is_compatible() { ServerKind::Compatible } else { ServerKind::Own },
        reasoning: if arguments.reasoning_content { Reasoning::Passed } else { Reasoning::Dropped },
        ..Options::default()
    };
    let is_same_form = is_own_form && arguments.to.spec().platform.is_anthropic();
    if !is_same_form {
        losses.extend(fit(&mut request, arguments.to, &options));
    }
    let outgoing = aside_providers::convert(&request, arguments.to, &options);
    if let (Ok(outgoing), false) = (&outgoing, is_same_form) {
        losses.extend(outgoing.renamed(&request));
    }
    let context = Context {
        version: Some(arguments.api_version.into()),
        platform: match arguments.to.spec().platform {
            platform if platform.is_anthropic() => Some(platform),
            _ => arguments.is_compatible().then_some(Platform::Compatible),
        },
        ..Context::default()
    };
    if let Ok(outgoing) = &outgoing
        && let Some(refused) = refusals(outgoing, context)
    {
        output::report_all(&losses);
        let error = anyhow::anyhow!(refused).context(provider::refused(arguments.to));
        return Err(error.into());
    }
    if !arguments.json || outgoing.is_err() {
        output::report_all(&losses);
    }
    if arguments.json {
        print_json(outgoing, &losses, arguments.to)
    } else {
        print_outgoing(outgoing, arguments.to)
    }
}

/// Moves members that are API headers to the options: SDKs take `betas`, and
/// clouds `anthropic_beta`, in the body.
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

/// Returns what the provider would refuse in the body as sent: keys, blocks and
/// values that are passed on unchanged.
fn refusals(outgoing: &Outgoing, context: Context) -> Option<String> {
    let context = Context { model: Some(outgoing.model.clone()), ..context };
    let checked = aside_rules::check(&outgoing.body(), outgoing.wire.wire(), &context);
    let refused = checked.findings.iter();
    // Blocks and sources with an unknown type are passed on unread.
    let is_refused = |it: &&Finding| it.level == RuleLevel::Refused || it.rule == UNKNOWN_KIND.id;
    let refused = refused.filter(is_refused);
    let refused: Vec<_> = refused.map(ToString::to_string).collect();
    (!refused.is_empty()).then(|| refused.join("; "))
}

/// A request body in Messages API form.
struct Body {
    /// The request, without what its wire adds.
    request: Request,
    /// The session id in the body; `--session-id` overrides it.
    session_id: Option<String>,
    /// What was lost when reading it.
    losses: Vec<ConversionLoss>,
    /// True when it already was a Messages API body.
    is_own_form: bool,
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
    let converted = Converted {
        body: serde_json::from_slice(&body)?,
        losses: read.iter().chain(&outgoing.losses).map(Into::into).collect(),
    };
    let json = serde_json::to_string(&converted)? + "\n";
    Ok(output::print([json.as_bytes()])?)
}

/// Reads the body in its own form, or in the form that the arguments name.
///
/// Reports when a body is read as another wire's. An unknown form is read as
/// the Messages API, to name the first wrong key in the error. A history that
/// the API would refuse is repaired.
fn read(arguments: &Convert, json: &[u8]) -> anyhow::Result<Body> {
    let hints = Hints { wire: arguments.from.map(Into::into), ..Hints::default() };
    let imported = match decide(json, &hints).wire {
        Wire::ChatCompletions => from_openai(json)?,
        Wire::Responses => from_responses(json)?,
        Wire::GenerateContent => from_gemini(json)?,
        _ => {
            let json = with_model(json, arguments.model.as_deref());
            let parsed = Request::parse(&json)?;
            let mut request = parsed.value;
            let faults = parsed.diagnostics.iter();
            let faults = faults.map(|fault| ConversionLoss::at(fault.path(), fault.what()));
            let mut losses: Vec<_> = faults.collect();
            losses.extend(repair_messages(&mut request.messages));
            return Ok(Body { request, session_id: None, losses, is_own_form: true });
        }
    };
    let imported = imported.written_for(arguments.to);
    let note = format!("read as {}", imported.wire);
    output::report(&kinds::INPUT_FORM.diagnostic(note));
    Ok(Body {
        request: imported.request,
        session_id: imported.session_id,
        losses: imported.losses,
        is_own_form: false,
    })
}

/// Returns a body with a model: some clouds have it in the address.
fn with_model<'a>(json: &'a [u8], model: Option<&str>) -> Cow<'a, [u8]> {
    let has_model = |tape: &Tape<'_>| tape.root().given("model").is_some();
    let is_whole = Tape::parse(json).map_or(true, |it| has_model(&it));
    let rest = json.trim_ascii_start().strip_prefix(b"{");
    match (model, rest) {
        (Some(model), Some(rest)) if !is_whole => {
            let comma = if rest.trim_ascii_start() == b"}" { "" } else { "," };
            let model = format!("{{\"model\":{}{comma}", serde_json::Value::from(model));
            [model.as_bytes(), rest].concat().into()
        }
        _ => json.into(),
    }
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
    output::print(outgoing.segments.iter().map(|segment| &segment[..]))?;
    Ok(())
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
