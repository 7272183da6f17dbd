use aside_messages::wire::{ReadError, Request};
use serde_json::Value;

use crate::{BreakpointPlan, PlanError, PlanOptions, plan_request};

/// Sets cache markers in a Messages API body that you have as plain JSON, as [`plan_request`] and
/// [`BreakpointPlan::apply`] do, and returns the plan.
///
/// ```
/// use aside_cache_split::{PlanOptions, mark_json};
/// use serde_json::json;
///
/// let mut body = json!({"model": "claude-haiku-4-5", "max_tokens": 1, "system": "Be kind.",
///     "messages": [{"role": "user", "content": "Hi"}]});
/// mark_json(&mut body, PlanOptions::default())?;
/// assert_eq!(body["system"][0]["cache_control"], json!({"type": "ephemeral"}));
/// # Ok::<(), aside_cache_split::MarkError>(())
/// ```
///
/// # Errors
///
/// The body is no request, or has markers that the API refuses. Nothing is changed then.
pub fn mark_json(body: &mut Value, options: PlanOptions) -> Result<BreakpointPlan, MarkError> {
    let mut request = Request::try_from(&*body).map_err(MarkError::Request)?;
    let plan = plan_request(&request, options).map_err(MarkError::Plan)?;
    plan.apply(&mut request);
    if let Ok(value) = serde_json::to_value(&request) {
        *body = value;
    }
    Ok(plan)
}

/// Why [`mark_json`] failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MarkError {
    /// The body is no Messages API request.
    Request(ReadError),
    /// Your own markers break a rule.
    Plan(PlanError),
}

impl std::fmt::Display for MarkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Request(error) => error.fmt(f),
            Self::Plan(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MarkError {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_change_nothing() {
        let marked = json!({"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}});
        let five = json!({"model": "m", "max_tokens": 1,
            "messages": [{"role": "user", "content": vec![marked; 5]}]});
        for (before, is_plan) in [(json!([]), false), (five, true)] {
            let mut body = before.clone();
            let error = mark_json(&mut body, PlanOptions::default()).unwrap_err();
            assert_eq!(matches!(error, MarkError::Plan(_)), is_plan, "{error}");
            assert_eq!(body, before);
        }
    }
}
