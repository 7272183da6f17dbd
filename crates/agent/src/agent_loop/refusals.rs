//! What the API refuses in one form of a request and accepts in another.

use aside_messages::encode::Body;
use aside_session::Diagnostic;

use super::Loop;
use crate::client_error::{ClientError, ClientErrorKind};
use crate::kinds;

/// What was given up for one request.
#[derive(Debug, Default)]
pub(super) struct GivenUp {
    /// Earlier thinking was left out.
    thinking: bool,
    /// Beta features were switched off.
    betas: bool,
    /// How often the conversation was compacted.
    pub(super) compactions: u32,
}

impl Loop {
    /// Changes the request's form, if the API refused it for its thinking or
    /// for a beta. Returns the report; `None` if the error remains.
    pub(super) fn give_up(
        &mut self,
        error: &ClientError,
        body: &Body,
        given_up: &mut GivenUp,
    ) -> Option<Diagnostic> {
        if error.kind() != ClientErrorKind::Refused {
            return None;
        }
        let message = error.message();
        // The message also names the header `anthropic-beta`.
        if is_bound_elsewhere(error) {
            if std::mem::replace(&mut given_up.thinking, true) {
                return None;
            }
            self.session.drop_thinking();
            let report = format!(
                "the API refused thinking as bound to another prefix, which is a fault of this \
                 program; all earlier thinking is left out: {message}"
            );
            return Some(kinds::THINKING_REFUSED.diagnostic(report));
        }
        let beta = refused_beta(message, &body.betas())?;
        if std::mem::replace(&mut given_up.betas, true) || !self.session.disable_betas() {
            return None;
        }
        let report = format!(
            "the API refused the beta {beta}; the session continues without beta features \
             (CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1 switches them off for good): {message}"
        );
        Some(kinds::BETA_REFUSED.diagnostic(report))
    }
}

/// Returns true if the API refused thinking that was produced under another
/// prefix.
pub(super) fn is_bound_elsewhere(error: &ClientError) -> bool {
    error.message().contains("bound to a different conversation")
}

/// Returns the session's beta that the API does not accept, if that is the
/// reason.
///
/// The API either names the beta, or refuses a key in the body that only a beta
/// allows.
fn refused_beta(message: &str, betas: &[&'static str]) -> Option<&'static str> {
    let named = betas.iter().find(|beta| message.contains(**beta));
    if message.contains("anthropic-beta") && named.is_some() {
        return named.copied();
    }
    let keys = ["clear_at", "tool_addition", "tool_removal", "output_config"];
    let is_key = message.contains("Extra inputs are not permitted")
        && keys.iter().any(|key| message.contains(key));
    betas.first().copied().filter(|_| is_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_beta_is_recognized() {
        let betas = ["mid-conversation-system-clear-at-2026-08-21"];
        let check = |message: &str, expected: bool| {
            assert_eq!(refused_beta(message, &betas).is_some(), expected, "{message}");
        };
        check("messages.3.clear_at: Extra inputs are not permitted", true);
        check(
            "Unexpected value(s) `mid-conversation-system-clear-at-2026-08-21` for the \
             `anthropic-beta` header.",
            true,
        );
        check("Unexpected value(s) `other` for the `anthropic-beta` header.", false);
        check("metadata.x: Extra inputs are not permitted", false);
        assert_eq!(refused_beta("clear_at: Extra inputs are not permitted", &[]), None);
    }
}
