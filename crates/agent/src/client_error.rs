use aside_providers::ErrorBody;
use aside_session::ResponseTooLong;

/// Why a request has no response, or an incomplete one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", self.response())]
pub struct ClientError {
    kind: ClientErrorKind,
    message: String,
    status: Option<u16>,
    request_id: Option<String>,
}

/// The kinds of [`ClientError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientErrorKind {
    /// The provider does not accept the request, and would not accept it later.
    Refused,
    /// The key is missing, wrong, or lacks the permission.
    Unauthorized,
    /// The request is longer than the model's context.
    ContextFull,
    /// A limit on requests or spending was exceeded.
    RateLimited,
    /// The provider is overloaded.
    Overloaded,
    /// The provider failed.
    Server,
    /// The provider was not reached, or did not respond in time.
    Transport,
    /// The response broke off.
    BrokenStream,
    /// The request was cancelled.
    Cancelled,
    /// A recording expects another request.
    Unexpected,
}

impl ClientError {
    /// Creates an error without a response. The message is a fragment that
    /// reads after "failed to": the fault, with the value concerned.
    pub fn new(kind: ClientErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), status: None, request_id: None }
    }

    /// Creates the error for a response with this status and this body.
    #[must_use]
    pub fn of_response(status: u16, body: &ErrorBody) -> Self {
        Self {
            status: Some(status),
            request_id: body.request_id.clone(),
            ..Self::new(kind_of(status, body), body.to_string())
        }
    }

    /// Sets the response's status.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Sets the provider's id for the request.
    #[must_use]
    pub fn with_request_id(self, id: impl Into<String>) -> Self {
        Self { request_id: Some(id.into()), ..self }
    }

    fn response(&self) -> String {
        let status = self.status.map(|status| format!("status {status}"));
        let id = self.request_id.as_ref().map(|id| format!("request {id}"));
        let facts: Vec<String> = status.into_iter().chain(id).collect();
        if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) }
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ClientErrorKind {
        self.kind
    }

    /// Returns the message, which is the provider's if it sent one. It is not
    /// safe for a terminal.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the response's status, if there was one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the provider's id for the request, if it sent one.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }
}

fn kind_of(status: u16, body: &ErrorBody) -> ClientErrorKind {
    let is = |kind: &str| body.kind.as_deref() == Some(kind);
    match status {
        200..=299 | 400 | 413 | 422 if reports_too_long(body) => ClientErrorKind::ContextFull,
        // The response had begun.
        200..=299 => ClientErrorKind::BrokenStream,
        401 | 403 => ClientErrorKind::Unauthorized,
        402 | 429 => ClientErrorKind::RateLimited,
        503 | 529 => ClientErrorKind::Overloaded,
        _ if is("overloaded_error") => ClientErrorKind::Overloaded,
        408 | 409 => ClientErrorKind::Server,
        400..=499 => ClientErrorKind::Refused,
        _ => ClientErrorKind::Server,
    }
}

/// Returns true if the request is too long. Providers have no common code for
/// it; these codes and texts are from their documentation and their responses.
fn reports_too_long(body: &ErrorBody) -> bool {
    const NAMES: [&str; 2] = ["request_too_large", "context_length_exceeded"];
    const PHRASES: [&str; 7] = [
        "prompt is too long",
        "input is too long",
        "exceed context limit",
        "exceeds the context window",
        "maximum context length",
        "maximum prompt length",
        "exceeds the maximum number of tokens",
    ];
    let message = body.message.to_ascii_lowercase();
    let mut names = [&body.kind, &body.code].into_iter().flatten();
    names.any(|it| NAMES.contains(&&**it)) || PHRASES.iter().any(|phrase| message.contains(phrase))
}

impl From<ResponseTooLong> for ClientError {
    fn from(error: ResponseTooLong) -> Self {
        Self::new(ClientErrorKind::BrokenStream, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, body: &str, kind: ClientErrorKind, shown: &str) {
        let error = ClientError::of_response(status, &ErrorBody::parse(body.as_bytes()));
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, shown));
    }

    #[test]
    fn a_response_has_its_kind() {
        check(
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"},"request_id":"req_1"}"#,
            ClientErrorKind::ContextFull,
            "invalid_request_error: prompt is too long: 213462 tokens > 200000 maximum (status 400, request req_1)",
        );
        check(
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            ClientErrorKind::ContextFull,
            "invalid_request_error: This model's maximum context length is 8192 tokens. (status 400)",
        );
        for body in [
            r#"{"error":{"type":"invalid_request_error","message":"M","code":"context_length_exceeded"}}"#,
            r#"{"error":{"type":"invalid_request_error","message":"Your input exceeds the context window of this model."}}"#,
        ] {
            for (status, kind) in
                [(400, ClientErrorKind::ContextFull), (200, ClientErrorKind::ContextFull)]
            {
                let error = ClientError::of_response(status, &ErrorBody::parse(body.as_bytes()));
                assert_eq!(error.kind(), kind, "{status} {body}");
            }
        }
        check(200, "x", ClientErrorKind::BrokenStream, "x (status 200)");
        check(
            400,
            r#"{"error":{"type":"invalid_request_error","message":"No.","code":"invalid_prompt"}}"#,
            ClientErrorKind::Refused,
            "invalid_request_error: No. (status 400)",
        );
        check(
            400,
            r#"{"error":{"type":"invalid_request_error","message":"No."}}"#,
            ClientErrorKind::Refused,
            "invalid_request_error: No. (status 400)",
        );
        for (status, kind) in [
            (401, ClientErrorKind::Unauthorized),
            (404, ClientErrorKind::Refused),
            (429, ClientErrorKind::RateLimited),
            (500, ClientErrorKind::Server),
            (529, ClientErrorKind::Overloaded),
        ] {
            check(status, "x", kind, &format!("x (status {status})"));
        }
    }
}
