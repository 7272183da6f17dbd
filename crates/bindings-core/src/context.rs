//! `context` and `readable`: a body as parts, and as lines to read.

use aside_inspect::{BodyLine, body_lines, report};

use crate::compare::NoOptions;
use crate::error::BindingError;
use crate::input;
use crate::output::{Output, inputs, options};

#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    depth: Option<usize>,
}

/// As `aside context --json` prints it.
pub(crate) fn context(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [body] = inputs(given)?;
    let depth = options::<Options>(json)?.depth.unwrap_or(usize::MAX);
    let report = report(&input::body(body)?, None, None);
    Output::facts(&report.view(depth))
}

/// As `aside verify` writes it, without a margin.
pub(crate) fn readable(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [body] = inputs(given)?;
    options::<NoOptions>(json)?;
    input::body(body)?;
    let lines: String = body_lines(body).iter().map(|line| BodyLine::shown(line) + "\n").collect();
    Ok(Output::default().with_body(lines.into_bytes()))
}
