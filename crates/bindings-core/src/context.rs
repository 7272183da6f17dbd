//! `context` and `readable`: a body as parts, and as lines of text.

use aside_inspect::{BodyLine, body_lines, report};

use crate::compare::NoOptions;
use crate::error::BindingError;
use crate::input;
use crate::output::{Output, inputs, options};

/// The options of `context`.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    depth: Option<usize>,
}

/// Returns the parts of a body, as `aside context --json` prints them.
pub(crate) fn context(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [body] = inputs(given)?;
    let depth = options::<Options>(json)?.depth.unwrap_or(usize::MAX);
    let report = report(&input::body(body)?, None, None);
    Output::facts(&report.view(depth))
}

/// Returns the lines of a body, without a margin, as `aside verify` writes them.
pub(crate) fn readable(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [body] = inputs(given)?;
    options::<NoOptions>(json)?;
    input::body(body)?;
    let lines: String = body_lines(body)
        .iter()
        .map(|line| BodyLine::shown(line) + "\n")
        .collect();
    Ok(Output::default().with_body(lines.into_bytes()))
}
