//! The API's errors: status, type, text and code, and the JSON object around
//! them.

use aside_models::Wire;

use crate::object::{Object, Raw};

/// The text for a body that is JSON, but no request on any wire.
pub(crate) const NOT_OBJECT: &str = "The request body is not a JSON object";

/// A refusal in the API's own form.
///
/// ```
/// use aside_gateway::strict::ApiError;
///
/// let error = ApiError::of_status(529, "Overloaded");
/// assert_eq!(error.kind(), "overloaded_error");
/// assert_eq!(
///     error.to_json("req_1"),
///     r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{status} {kind}: {message}")]
pub struct ApiError {
    status: u16,
    kind: String,
    message: String,
    code: Option<&'static str>,
    /// The parameter at fault, as OpenAI names it.
    param: Option<String>,
    /// The longest side in pixels, and the images that exceed it.
    large_images: Option<Box<(u32, Vec<String>)>>,
}

impl ApiError {
    /// Creates a 400 `invalid_request_error`.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::of_status(400, message)
    }

    /// Creates an error with the API's error type for a status.
    #[must_use]
    pub fn of_status(status: u16, message: impl Into<String>) -> Self {
        let kind = match status {
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            409 => "conflict_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            504 => "timeout_error",
            529 => "overloaded_error",
            500..=599 => "api_error",
            _ => "invalid_request_error",
        };
        Self {
            status,
            kind: kind.to_owned(),
            message: message.into(),
            code: None,
            param: None,
            large_images: None,
        }
    }

    /// Creates an error with a wire's error type for a status.
    #[must_use]
    pub fn on_wire(wire: Wire, status: u16, message: impl Into<String>) -> Self {
        let error = Self::of_status(status, message);
        let kind = match (wire, status) {
            (Wire::Messages, _) => return error,
            (Wire::GenerateContent, status) => google_status(status),
            (_, 429) => return error.with_kind("requests").with_code("rate_limit_exceeded"),
            (_, 500..) => "server_error",
            _ => "invalid_request_error",
        };
        error.with_kind(kind)
    }

    /// Sets the error type.
    #[must_use]
    pub fn with_kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = kind.into();
        self
    }

    /// Adds the parameter at fault, which OpenAI's errors have.
    #[must_use]
    pub fn with_param(mut self, path: impl Into<String>) -> Self {
        self.param = Some(path.into()).filter(|it| !it.is_empty());
        self
    }

    /// Sets `error.details.error_code`, or OpenAI's `error.code`.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<Option<&'static str>>) -> Self {
        self.code = code.into();
        self
    }

    /// Adds the fields that the code `image_dimensions_too_large` has.
    pub(crate) fn with_large_images(mut self, max_side: u32, paths: Vec<String>) -> Self {
        self.large_images = Some(Box::new((max_side, paths)));
        self
    }

    /// Returns the HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the error type, such as `invalid_request_error`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the text.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns `error.details.error_code`, if there is one.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.code
    }

    /// Returns the response body on a wire.
    #[must_use]
    pub fn to_json_on(&self, wire: Wire, request_id: &str) -> String {
        let Self { status, kind, message, code, param, .. } = self;
        let error = match wire {
            Wire::Messages => return self.to_json(request_id),
            Wire::GenerateContent => {
                Object::default().with("code", status).with("message", message).with("status", kind)
            }
            _ => Object::default()
                .with("message", message)
                .with("type", kind)
                .with("param", param)
                .with("code", code),
        };
        Object::default().with("error", error.end()).into_json()
    }

    /// Returns the response body.
    #[must_use]
    pub fn to_json(&self, request_id: &str) -> String {
        let details = self.code.map(|code| {
            let details = Object::default().with("error_code", code);
            let sides = self.large_images.as_deref();
            let details = details.given("max_side_length_pixels", sides.map(|it| it.0));
            details.given("paths", sides.map(|it| &it.1)).end()
        });
        envelope(&self.kind, &self.message, details, Some(request_id))
    }
}

/// Names an HTTP status as Google does.
fn google_status(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

/// Returns a Messages API error's JSON:
///
/// ```json
/// {"type": "error", "error": {"type": "…", "message": "…"}, "request_id": "req_…"}
/// ```
///
/// `error.details` is absent if there are none.
pub(crate) fn envelope(
    kind: &str,
    message: &str,
    details: Option<Raw>,
    request_id: Option<&str>,
) -> String {
    let error = Object::default().with("type", kind).with("message", message);
    let envelope = Object::default().with("type", "error");
    let envelope = envelope.with("error", error.given("details", details).end());
    envelope.given("request_id", request_id).into_json()
}
