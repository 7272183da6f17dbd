//! `aside render`: the exact body to be sent next for a directory. Nothing is
//! sent.
//!
//! | arguments | the request is prepared by | stored between two calls |
//! |---|---|---|
//! | a prompt, or `--resume ID` | `run::next_request`, the loop of `aside run` | the transcript, which is not changed |
//! | no prompt, or `--tools FILE` | `next::without_loop` | nothing |
//! | `--messages`, `--conversation` | the same, in the session of `caller::begin` | nothing |
//! | `--messages` with `--context FILE` | the same | the file |
//! | `--conversation FILE --append` | the same | the file |
//!
//! All of them create a `Next`: the body as it is sent to the provider, its
//! sources and its report. `aside context` shows the same value.
//!
//! Exit code 1: the request cannot be made, or the provider would refuse it.
//! Exit code 2: an input file cannot be read or is invalid.

mod caller;
mod json;
mod next;
mod sources;

use aside_messages::wire::Request;

use crate::Failure;
use crate::arguments::Render;
use crate::session;
use crate::{kinds, output, output_file};

pub(crate) use caller::Storage;
pub(crate) use next::Next;

/// Prints the body: its exact bytes, an indented copy with `--pretty`, or one
/// JSON object with `--json`.
///
/// This writes the source map before printing anything. When a body needs a
/// beta header, a note on stderr says so, since the body alone does not show
/// it; `--json` has it among the headers.
pub(crate) fn run(arguments: &Render) -> Result<(), Failure> {
    let appended = arguments.next.conversation.iter().filter(|_| arguments.append);
    arguments.context.iter().chain(appended).try_for_each(|file| output_file::check(file))?;
    let invocation = session::look(&arguments.next.session)?;
    let next = Next::prepare(&arguments.next, storage(arguments), &invocation, None)?;
    if let Some(file) = &arguments.source_map {
        let mut map = serde_json::to_vec_pretty(&next.report()?.1.source_map())?;
        map.push(b'\n');
        output_file::write(file, map)?;
    }
    let betas = next.prepared.body.betas();
    if !betas.is_empty() && !arguments.json {
        let message = format!("the request needs anthropic-beta: {}", betas.join(","));
        output::report(&kinds::BETA_NEEDED.diagnostic(message));
    }
    if arguments.explain {
        next.report_reasons();
    }
    next.report_reset();
    if arguments.json {
        let json = next.to_json()? + "\n";
        output::print([json.as_bytes()])?;
    } else if arguments.pretty {
        let sent = Request::parse(&next.outgoing.body());
        output::json(&sent.map_or_else(|_| next.prepared.request(), |it| it.value))?;
    } else {
        output::print(next.outgoing.segments.iter().map(|segment| &segment[..]))?;
    }
    Ok(next.store()?)
}

/// Returns where the caller stores state between two calls.
///
/// Without `--append`, the `--conversation` file is only read.
fn storage(arguments: &Render) -> Storage<'_> {
    match (&arguments.context, &arguments.next.conversation) {
        (Some(file), _) if arguments.json => Storage::ContextAndMessages(file),
        (Some(file), _) => Storage::Context(file),
        (None, Some(file)) if arguments.append => Storage::Conversation(file),
        (None, _) => Storage::Nothing,
    }
}
