//! The body as a whole: syntax and size.
//!
//! - `json`: no JSON object, such as `{"model":` or `[]`.
//! - `body-size`: more than 32 MiB, 30 on Google Cloud, 20 with `InvokeModel`.
//!   The API answers with status 413, `request_too_large`.
//! - `message-count`: 100,001 messages; 100,000 are accepted.
//!
//! Source: the documentation on errors and limits. It states sizes in MB; the
//! limits here are as many MiB.

use aside_models::Platform;

use super::view::View;
use crate::checker::Checker;
use crate::table::{BODY_SIZE, MESSAGE_COUNT};

const MIB: usize = 1024 * 1024;
/// The documented limit for `messages`.
const MAX_MESSAGES: usize = 100_000;

/// Returns how many bytes a body may have on this Claude platform.
#[must_use]
pub const fn max_body_bytes(platform: Platform) -> usize {
    match platform {
        Platform::BedrockInvoke => 20 * MIB,
        Platform::GoogleCloud => 30 * MIB,
        _ => 32 * MIB,
    }
}

/// Reports a body that is too large or has too many messages. When the platform
/// is unknown, the Claude API's limit applies.
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
