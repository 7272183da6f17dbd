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
mod on_disk;

#[cfg(feature = "network")]
use std::sync::Arc;

#[cfg(feature = "network")]
use aside_agent::ToolServers;
use aside_cache_model::Body;
use aside_cache_split::Explanation;
use aside_inspect::{Report, TextOptions, report};
use aside_models::{estimate, find};
use aside_rules::of::tool::mcp_names;

use crate::Failure;
use crate::arguments::Context;
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
pub(crate) fn run(arguments: &Context) -> Result<(), Failure> {
    if let Some(file) = &arguments.file {
        return match log::open(file)? {
            log::Opened::Body(request) => {
                let found = report(&request, None, None);
                let found = match arguments.exact {
                    true => exact::of_file(found, request.as_bytes(), arguments)?,
                    false => found,
                };
                show(arguments, &request, &found)
            }
            log::Opened::Log(reader) => log::run(arguments, reader),
        };
    }
    let invocation = session::look(&arguments.next.session)?;
    #[cfg(feature = "network")]
    let servers = mcp::connect(&invocation, &arguments.servers, mcp::Calls::Refused)?;
    #[cfg(feature = "network")]
    let tools = servers.clone().map(|it| it as Arc<dyn ToolServers>);
    #[cfg(not(feature = "network"))]
    let tools = None;
    let next = Next::prepare(&arguments.next, Storage::Nothing, &invocation, tools);
    #[cfg(feature = "network")]
    mcp::close(servers)?;
    let next = next?;
    let request = next.to_body()?;
    let sources = next.sources(&request)?;
    let mut found = with_instructions(report(&request, Some(&sources), None), &next);
    found.on_disk = on_disk::sources(&next);
    let found = match arguments.exact {
        true => exact::of_next(found, &next)?,
        false => found,
    };
    show(arguments, &request, &found)?;
    let is_text = !arguments.json && arguments.at.is_none() && arguments.html.is_none();
    if is_text {
        output::text(&reasons(&next.request.explain()))?;
    }
    Ok(())
}

/// Adds the tokens for each MCP server's instructions, which are in the session
/// context or in its messages.
fn with_instructions(report: Report, next: &Next) -> Report {
    let family = find(next.session.model()).facts.estimated_tokenizer();
    let servers = next.session.state().mcp_servers.iter().flatten();
    servers.fold(report, |report, server| {
        let text = server.instructions.as_deref().unwrap_or_default();
        match estimate(text, family).tokens() {
            0 => report,
            // Tool names contain the server name, spelled in the characters
            // that the API accepts.
            tokens => {
                let tool = server.tools.first();
                let name = tool.and_then(|tool| mcp_names(&tool.name));
                report.with_server_instructions(name.map_or(&server.name, |(name, _)| name), tokens)
            }
        }
    })
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

/// Prints a report in the form that the arguments choose. `--at` takes
/// precedence, and you can combine `--html` with `--json`.
fn show(arguments: &Context, request: &Body, report: &Report) -> Result<(), Failure> {
    if let Some(place) = &arguments.at {
        return at::run(place, request, report, arguments.json);
    }
    if let Some(file) = &arguments.html {
        let options = aside_inspect::PageOptions::default().with_texts(!arguments.redact);
        output::page(file, &report.to_html(request, &options))?;
        if !arguments.json {
            return Ok(());
        }
    }
    if arguments.json {
        let depth = arguments.depth.unwrap_or(usize::MAX);
        output::json(&report.view(depth))?;
    } else {
        let text = report.to_text(&options(arguments));
        output::text(&text)?;
    }
    Ok(())
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
