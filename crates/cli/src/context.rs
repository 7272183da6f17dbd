//! `aside context`: what is in a request, with bytes, tokens, cache state and
//! cost.
//!
//! | input | output |
//! |---|---|
//! | none | the next request of this directory, with the reason for each marker |
//! | `--file BODY` | the parts of that body |
//! | `--file LOG` | a line for each request of the log, and the parts of the last one |
//!
//! `aside_cache_model::Body` parses the body, and `aside_inspect::report`
//! splits it into parts. You can get text, `--json`, a page with `--html`, or
//! one place with `--at`. The command changes nothing and sends nothing, except
//! to count tokens with `--exact`.
//!
//! Exit code 1: the body is not a request, or the log has none. Exit code 2:
//! the file cannot be read, or `--at` names no place in the body.

mod at;
mod exact;
mod log;

use std::path::Path;
#[cfg(feature = "network")]
use std::sync::Arc;

use anyhow::anyhow;
#[cfg(feature = "network")]
use aside_agent::ToolServers;
use aside_cache_model::Body;
use aside_cache_split::Explanation;
use aside_inspect::{TextOptions, report};

use crate::Failure;
use crate::arguments::Context;
use crate::kinds;
#[cfg(feature = "network")]
use crate::mcp;
use crate::output;
use crate::paint::Paint;
use crate::render::{Next, Storage};
use crate::screen;
use crate::session;

/// Shows a body or the requests in a log, as the file's contents decide;
/// without a file, this directory's next request, with the source of each part
/// and, in the text, the reason for each marker.
///
/// `--at` takes precedence, and you can combine `--html` with `--json`.
pub(crate) fn run(arguments: &Context) -> Result<(), Failure> {
    let (request, found, next) = match &arguments.file {
        Some(_) if arguments.format.is_some() => return log::run(arguments, None),
        Some(file) => match log::open(file)? {
            log::Opened::Log(reader) => return log::run(arguments, reader),
            log::Opened::Body(request) => {
                if let Some(number) = arguments.only.filter(|it| *it != 1) {
                    let message = format!("{}: one body, so no request {number}", file.display());
                    return Err(Failure::usage(anyhow!(message)));
                }
                let request = with_model(request, file, arguments)?;
                let found = report(&request, None, None);
                (request, found, None)
            }
        },
        None => {
            if let Some(prompt) = arguments.next.prompt.as_ref().filter(|it| Path::new(it).exists())
            {
                let note =
                    format!("{prompt}: read as the prompt; to read this file: --file {prompt}");
                output::report(&kinds::INPUT_FORM.diagnostic(note));
            }
            let invocation = session::look(&arguments.next.session)?;
            #[cfg(feature = "network")]
            let servers = mcp::connect(&invocation, &arguments.servers, mcp::Calls::Refused)?;
            #[cfg(feature = "network")]
            let offered = servers.clone().map(|it| it as Arc<dyn ToolServers>);
            #[cfg(not(feature = "network"))]
            let offered = None;
            let next = Next::prepare(&arguments.next, Storage::Nothing, &invocation, offered);
            #[cfg(feature = "network")]
            mcp::close(servers)?;
            let next = next?;
            let (request, found) = next.report()?;
            (request, found, Some(next))
        }
    };
    let found = if arguments.exact {
        exact::counted(found, request.as_bytes(), next.as_ref(), arguments)?
    } else {
        found
    };
    if let Some(place) = &arguments.at {
        return at::run(place, &request, &found, arguments.json);
    }
    if let Some(file) = &arguments.html {
        let options = aside_inspect::PageOptions::default().with_texts(!arguments.redact);
        output::page(file, &found.to_html(&request, &options))?;
        if !arguments.json {
            return Ok(());
        }
    }
    if arguments.json {
        let depth = arguments.depth.unwrap_or(usize::MAX);
        return Ok(output::json(&found.view(depth))?);
    }
    output::text(&found.to_text(&options(arguments)))?;
    if let Some(next) = next {
        output::text(&reasons(&next.prepared.explain()))?;
    }
    Ok(())
}

/// Returns the body with `--model`, which is an error for one that names its model. So is
/// `--provider` without `--exact`.
fn with_model(request: Body, file: &Path, arguments: &Context) -> Result<Body, Failure> {
    let given = &arguments.next.request;
    if given.provider.is_some() && !arguments.exact {
        return Err(Failure::usage(anyhow!("--provider is for --exact: a body shows its wire")));
    }
    match (&given.model, request.model()) {
        (Some(_), Some(own)) => {
            let message = format!("{}: the body names its model, {own}", file.display());
            Err(Failure::usage(anyhow!("{message}, so no --model")))
        }
        (Some(model), None) => Ok(request.with_model(model)),
        (None, _) => Ok(request),
    }
}

/// Returns the reason for each marker, and for each place without one.
///
/// ```text
/// why the markers are there
///   messages[0].content[0]: end of the layer shared by all sessions of the project
///   system[1]: no marker: it is at the end of the user's layer instead
/// ```
fn reasons(explanation: &Explanation) -> String {
    let mut text = "\nwhy the markers are there\n".to_owned();
    for covered in &explanation.markers {
        let planned = &covered.planned;
        text.push_str(&format!("  {}: {}\n", planned.marker.at, planned.reason));
    }
    for rejected in &explanation.rejected {
        let (at, why) = (&rejected.at, &rejected.why);
        text.push_str(&format!("  {at}: no marker: {why}\n"));
    }
    text
}

fn options(arguments: &Context) -> TextOptions {
    let options = TextOptions::default()
        .with_width(screen::width())
        .with_depth(arguments.depth.unwrap_or_default());
    match Paint::of_stdout() {
        Paint::Coloured => options.coloured(),
        Paint::Plain => options,
    }
}
