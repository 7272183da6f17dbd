//! Findings from `aside-rules` in OpenAI's and Google's words.

use aside_body::wire::Keys;
use aside_models::{ModelFacts, Vendor, Wire};
use aside_rules::{Context, Finding, RefusalText, Rule, RuleLevel, table};

use super::request::ReadRequest;
use crate::strict::{ApiError, choices, fill, ids, unworded};

/// The rules for the order of contents, which Google does not check where it counts tokens: the
/// Gemini CLI counts a tool's result alone.
const OF_TURNS: [&Rule; 5] = [
    &table::FIRST_TURN,
    &table::CALL_TURN,
    &table::UNANSWERED_CALL,
    &table::ORPHANED_RESULT,
    &table::CALL_SIGNATURE,
];

/// Refuses to count what the vendor would refuse.
pub(super) fn check_count(request: &ReadRequest) -> Result<(), ApiError> {
    let is_google = request.wire == Wire::GenerateContent;
    check_but(request, |rule| is_google && OF_TURNS.iter().any(|it| it.id == rule))
}

/// Refuses a request that `aside check` calls refused, and one for a model that
/// the catalogue does not have.
pub(super) fn check(request: &ReadRequest) -> Result<(), ApiError> {
    check_but(request, |_| false)
}

fn check_but(request: &ReadRequest, is_allowed: impl Fn(&str) -> bool) -> Result<(), ApiError> {
    let ReadRequest { wire, model, .. } = request;
    if model.is_empty() && *wire == Wire::ChatCompletions {
        return Err(ApiError::on_wire(*wire, 400, "you must provide a model parameter"));
    }
    // A stored prompt may name the model.
    if model.is_empty()
        && *wire == Wire::Responses
        && !Keys::read(&request.sent).has_value("prompt")
    {
        return Err(ApiError::on_wire(*wire, 400, "Missing required parameter: 'model'."));
    }
    if !model.is_empty() && !is_served(*wire, request.facts) {
        return Err(unknown_model(*wire, model));
    }
    let context =
        Context { model: Some(model.clone()).filter(|it| !it.is_empty()), ..Context::default() };
    let sent = aside_rules::check(&request.sent, *wire, &context);
    let whole = match &request.expanded {
        Some(body) => aside_rules::check(body, *wire, &context).findings,
        None => Vec::new(),
    };
    // What a body that continues a stored response does not show.
    let pairs = whole.into_iter().filter(|it| is_pairing(it.rule));
    let findings = sent.findings.into_iter().chain(pairs);
    let is_refused = |it: &Finding| it.level == RuleLevel::Refused && !is_allowed(it.rule);
    let refused: Vec<_> = findings.filter(is_refused).collect();
    match refused.first() {
        Some(finding) => Err(refuse(*wire, finding, &ids(finding, refused.iter()), model)),
        None => Ok(()),
    }
}

/// Returns true if a server on this wire may have the model: Google's serves
/// Google's, and others serve any but Anthropic's.
fn is_served(wire: Wire, facts: &ModelFacts) -> bool {
    let is_vendor = match wire {
        Wire::GenerateContent => facts.vendor == Vendor::Google,
        _ => facts.vendor != Vendor::Anthropic,
    };
    !facts.id.is_empty() && is_vendor
}

/// Returns true for a rule about a call and its output.
fn is_pairing(rule: &str) -> bool {
    rule.ends_with("-call") || rule.ends_with("-result")
}

/// Refuses a model that the catalogue does not have for the wire.
pub(crate) fn unknown_model(wire: Wire, model: &str) -> ApiError {
    match wire {
        Wire::Messages => ApiError::of_status(404, format!("model: {model}")),
        Wire::GenerateContent => {
            let text = format!(
                "models/{model} is not found for API version v1beta, or is not supported for \
                 generateContent. Call ListModels to see the list of available models and their \
                 supported methods."
            );
            ApiError::on_wire(wire, 404, text)
        }
        _ => {
            let text =
                format!("The model `{model}` does not exist or you do not have access to it.");
            ApiError::on_wire(wire, 404, text).with_code("model_not_found")
        }
    }
}

/// Writes a finding as the vendor does.
fn refuse(wire: Wire, finding: &Finding, ids: &str, model: &str) -> ApiError {
    let path = &*finding.path;
    let (code, text) = match finding.refusal(wire) {
        Some(RefusalText { code, text, .. }) => {
            let choices = choices(&finding.expected, " and ", ", and ");
            let text = fill(text, finding, path, &choices);
            (code, text.replace("{ids}", ids).replace("{model}", model))
        }
        None => (None, unworded(finding, path)),
    };
    ApiError::on_wire(wire, 400, text).with_code(code).with_param(path)
}
