//! The whole text of an error: reqwest's own message leaves out the cause, such
//! as a certificate or a refused connection.

use std::error::Error as _;

/// Returns the text of an error with those of its sources, joined by `: `.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
