//! The body as a whole: its syntax and its size.
//!
//! - `json`: no JSON object, such as `{"model":` or `[]`.
//! - `body-size`: more than 32 MiB, 30 on Google Cloud, 20 with `InvokeModel`.
//!   The API answers with status 413, `request_too_large`.
//! - `message-count`: 100,001 messages; 100,000 are accepted.
//!
//! Source: the documentation of errors and limits. It states the sizes in MB,
//! and the limits here are the MiB of the same number.

use aside_models::Platform;

use super::view::View;
use crate::checker::Checker;
use crate::table::{BODY_SIZE, MESSAGE_COUNT};

const MIB: usize = 1024 * 1024;
/// The documented limit of `messages`.
const MAX_MESSAGES: usize = 100_000;

/// Returns the maximum length in bytes of a body that a platform of Claude
/// accepts.
#[must_use]
pub const fn max_body_bytes(platform: Platform) -> usize {
    match platform {
        Platform::BedrockInvoke => 20 * MIB,
        Platform::GoogleCloud => 30 * MIB,
        _ => 32 * MIB,
    }
}

/// Reports the size of the body and the number of messages. If the platform is
/// not known, the limit of the Claude API applies.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let platform = checker.platform().unwrap_or(Platform::FirstParty);
    let limit = max_body_bytes(platform);
    let size = view.root.raw().len();
    if size > limit {
        let expected = format!("at most {} MiB", limit / MIB);
        checker.add_expecting(&BODY_SIZE, "", format!("{size} bytes"), expected);
    }
    if view.messages.len() > MAX_MESSAGES {
        let found = view.messages.len().to_string();
        checker.add(&MESSAGE_COUNT, "messages", found);
    }
}
