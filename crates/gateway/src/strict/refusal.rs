//! The one seam to the rules of `aside-rules`.
//!
//! `aside check` explains a finding to a person; the judge writes it in the
//! words of the API, since clients match them. Only the first finding is
//! reported, as by the API.

mod wording;

use aside_models::{Platform, Wire};
use aside_rules::{ApiEndpoint, ApiVersion, Context, Finding};

use super::error::ApiError;
use super::request::StrictRequest;
use wording::wording;

/// Refuses a body that `aside check` calls refused.
///
/// The headers are known here, so a rule that depends on a beta or on the
/// version of the API is decided.
///
/// Findings that the API accepts do not refuse a request. An unknown
/// `anthropic-version` is judged as the default version.
pub(crate) fn check(
    request: &StrictRequest<'_>,
    platform: Platform,
    endpoint: ApiEndpoint,
) -> Result<(), ApiError> {
    let context = Context {
        version: Some(ApiVersion::from_name(&request.version).unwrap_or_default()),
        betas: Some(request.betas.clone()),
        platform: Some(platform),
        endpoint,
        ..Context::default()
    };
    let checked = aside_rules::check(request.body, Wire::Messages, &context);
    match checked.refused().next() {
        Some(finding) => Err(refuse(finding)),
        None => Ok(()),
    }
}

/// Writes a finding as the API does. For a rule without a published text, the
/// message has the path, the value found, the expected one and the name of the
/// rule.
fn refuse(finding: &Finding) -> ApiError {
    let path = api_path(&finding.path);
    let Some(wording) = wording(finding.rule) else {
        let Finding {
            rule,
            found,
            expected,
            ..
        } = finding;
        return ApiError::invalid(format!("{path}: {found}, expected {expected} ({rule})"));
    };
    let text = wording
        .text
        .replace("{found}", named(&finding.found))
        .replace("{expected}", &finding.expected);
    let path = wording.at.of(&path);
    let error = ApiError::invalid(match path {
        "" => text,
        path => format!("{path}: {text}"),
    });
    match wording.code {
        Some(code) => error.with_code(code),
        None => error,
    }
}

/// Returns the first part of `found` in double quotes, such as the name of a
/// tool, or all of `found` if nothing is quoted. It replaces `{found}` in a
/// published text.
fn named(found: &str) -> &str {
    let quoted = found.split('"').nth(1);
    quoted.unwrap_or(found)
}

/// Writes `messages[3].content[0]` as the API does: `messages.3.content.0`.
fn api_path(path: &str) -> String {
    path.replace('[', ".").replace(']', "")
}
