use aside_text::one_line;
use serde::Serialize;

use super::load;
use crate::Failure;
use crate::arguments::Why;
use crate::common_args;
use crate::output;

#[derive(Serialize)]
struct Document<'a> {
    path: &'a str,
    loaded: bool,
    answer: &'a str,
}

pub(super) fn run(arguments: &Why) -> Result<(), Failure> {
    let (config, _) = common_args::check(&arguments.common)?.session();
    let status = load(config)?.explain(&arguments.path);
    let loaded = matches!(status, aside_claudemd::LoadStatus::Loaded { .. });
    let (path, answer) = (arguments.path.to_string_lossy(), status.to_string());
    let text = if arguments.json {
        let (path, answer) = (path.as_ref(), answer.as_str());
        serde_json::to_string_pretty(&Document {
            path,
            loaded,
            answer,
        })? + "\n"
    } else {
        format!("{}: {}\n", one_line(&path), one_line(&answer))
    };
    output::print([text.as_bytes()])?;
    Ok(())
}
