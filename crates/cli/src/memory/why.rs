//! `aside memory why FILE`: whether a file is loaded when a session starts, and
//! why.
//!
//! ```text
//! CLAUDE.md: loaded: session_start
//! README.md: not loaded: no instruction file has this name, and none that is loaded imports it
//! ```
//!
//! The exit code is 0 in both cases.

use aside_text::one_line;
use serde::Serialize;

use super::load;
use crate::Failure;
use crate::arguments::Why;
use crate::common_args;
use crate::output;

/// The object that `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    /// The file as given; bytes that are not UTF-8 are replaced.
    path: &'a str,
    /// True when it is in the first request.
    loaded: bool,
    /// The reason as a sentence.
    answer: &'a str,
}

/// Prints what happens to the file in a session in this directory.
pub(super) fn run(arguments: &Why) -> Result<(), Failure> {
    let (mut config, _) = common_args::check(&arguments.common)?.session();
    if let Some(profile) = arguments.profile {
        config.memory = config.memory.profile(profile);
    }
    let status = load(config.memory, &config.cwd)?.explain(&arguments.path);
    let loaded = matches!(status, aside_claudemd::LoadStatus::Loaded { .. });
    let (path, answer) = (arguments.path.to_string_lossy(), status.to_string());
    if arguments.json {
        let (path, answer) = (path.as_ref(), answer.as_str());
        output::json(&Document { path, loaded, answer })?;
    } else {
        output::lines(&format!("{}: {}\n", one_line(&path), one_line(&answer)))?;
    }
    Ok(())
}
