//! `aside context`: the parts of a request.

mod at;
mod exact;
mod log;

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use aside_cache_model::RequestBytes;
use aside_cache_split::Explanation;
use aside_host::EnvVars;
use aside_inspect::{Report, TextOptions, report};

use crate::Failure;
use crate::arguments::Context;
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::render::{self, Storage};

/// The width of output that is not a terminal, in columns.
const DEFAULT_WIDTH: usize = 80;

pub(crate) fn run(arguments: &Context) -> Result<(), Failure> {
    let Some(file) = &arguments.file else {
        return next(arguments);
    };
    match log::open(file)? {
        log::Opened::Body(bytes) => {
            let request = RequestBytes::parse(&bytes);
            let failed = || format!("failed to read {}", file.display());
            let request = request.with_context(failed)?;
            let found = report(&request, None, None);
            let found = match arguments.exact {
                true => exact::of_file(found, &bytes, arguments)?,
                false => found,
            };
            show(arguments, &request, &found)
        }
        log::Opened::Log(reader) => log::run(arguments, reader),
    }
}

/// The next request of this directory.
fn next(arguments: &Context) -> Result<(), Failure> {
    let next = render::next(&arguments.next, Storage::Nothing)?;
    let bytes = next.bytes();
    let request = RequestBytes::parse(&bytes).context("failed to read the request")?;
    let found = report(&request, Some(&next.sources(&request)?), None);
    let found = match arguments.exact {
        true => exact::of_next(found, &next)?,
        false => found,
    };
    show(arguments, &request, &found)?;
    let is_text = !arguments.json && arguments.at.is_none() && arguments.html.is_none();
    if is_text {
        output::print([reasons(&next.explanation).as_bytes()])?;
    }
    Ok(())
}

/// Returns the reason for each marker, and for the places without one.
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

fn show(arguments: &Context, request: &RequestBytes, report: &Report) -> Result<(), Failure> {
    if let Some(place) = &arguments.at {
        return at::run(place, request, report, arguments.json);
    }
    if let Some(file) = &arguments.html {
        let options = aside_inspect::PageOptions::default().with_texts(!arguments.redact);
        write(file, &report.to_html(request, &options))?;
        if !arguments.json {
            return Ok(());
        }
    }
    if arguments.json {
        let depth = arguments.depth.unwrap_or(usize::MAX);
        let json = serde_json::to_string_pretty(&report.view(depth))? + "\n";
        output::print([json.as_bytes()])?;
    } else {
        let text = report.to_text(&options(arguments));
        output::print([text.as_bytes()])?;
    }
    Ok(())
}

/// Returns the options of text for this terminal.
fn options(arguments: &Context) -> TextOptions {
    let environment = EnvVars::of_process();
    let width = aside_host::Host::look()
        .terminal_width
        .map_or(DEFAULT_WIDTH, usize::from);
    let options = TextOptions::default()
        .with_width(width)
        .with_depth(arguments.depth.unwrap_or_default());
    match Paint::of_stdout(&environment) {
        Paint::Coloured => options.coloured(),
        Paint::Plain => options,
    }
}

fn write(file: &Path, page: &str) -> Result<(), Failure> {
    let failed = || format!("failed to write {}", file.display());
    fs::write(file, page).with_context(failed)?;
    output::progress("page", &file.display().to_string());
    Ok(())
}

/// The maximum length of a body, in bytes.
const MAX_BODY_BYTES: u64 = input::MAX_BODY_BYTES;
