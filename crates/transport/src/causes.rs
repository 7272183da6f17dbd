//! An error's whole text: reqwest's own message leaves out the cause, such as a
//! certificate or a refused connection.

use std::error::Error as _;

/// Joins an error's text with those of its sources by `: `.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
