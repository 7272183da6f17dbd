//! `check`: what the API would refuse in a body.

use aside_body::wire::{Decision, Hints, decide};
use aside_rules::{ApiVersion, Checked, Context, Finding, NotChecked};
use serde::{Deserialize, Serialize};

use crate::error::BindingError;
use crate::input;
use crate::output::{Output, inputs, options};

/// The same options as `aside check`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Options {
    wire: Option<String>,
    model: Option<String>,
    platform: Option<String>,
    /// The betas to send; unknown by default.
    betas: Option<Vec<String>>,
    api_version: Option<String>,
}

#[derive(Serialize)]
struct Facts<'a> {
    wire: &'static str,
    /// What the wire was decided by.
    reason: &'static str,
    findings: &'a [Finding],
    not_checked: &'a [NotChecked],
}

pub(crate) fn check(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [body] = inputs(given)?;
    let (checked, decision) = checked(body, &options(json)?)?;
    Output::facts(&Facts {
        wire: decision.wire.as_str(),
        reason: decision.reason.as_str(),
        findings: &checked.findings,
        not_checked: &checked.not_checked,
    })
}

pub(crate) fn checked(body: &[u8], given: &Options) -> Result<(Checked, Decision), BindingError> {
    let version = given.api_version.as_deref();
    let context = Context {
        version: version.map(api_version).transpose()?,
        betas: given.betas.clone(),
        model: given.model.clone(),
        platform: given.platform.as_deref().map(input::platform).transpose()?,
        ..Context::default()
    };
    let hints = Hints {
        wire: given.wire.as_deref().map(input::wire).transpose()?,
        platform: context.platform,
        model: context.model.as_deref(),
        ..Hints::default()
    };
    let decision = decide(body, &hints);
    Ok((aside_rules::check(body, decision.wire, &context), decision))
}

fn api_version(name: &str) -> Result<ApiVersion, BindingError> {
    name.parse().map_err(|_| {
        BindingError::option(format!(
            "there is no api_version {name:?}: expected 2023-06-01 or 2026-10-21"
        ))
    })
}
