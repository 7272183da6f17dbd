//! How to point an agent to the proxy when it does not read the base URL
//! variables.
//!
//! As of 2026-11-23: codex 0.169.0, pi 0.74.2, cline 3.0.65, continue 1.5.47.

use std::ffi::OsStr;
use std::path::Path;

/// Agents, by program name.
const AGENTS: [(&str, &str); 5] = [
    ("codex", "pass its address: sh -c 'codex -c openai_base_url=\"$OPENAI_BASE_URL\"'"),
    ("pi", "use --listen 127.0.0.1:4010, and set baseUrl in its models.json to that address"),
    (
        "cline",
        "it takes only the base URL of OpenAI, when you sign in: sh -c 'cline auth -p openai \
         -k KEY -m MODEL -b \"$OPENAI_BASE_URL\" && cline PROMPT'",
    ),
    ("cn", CONTINUE),
    ("continue", CONTINUE),
];

const CONTINUE: &str =
    "use --listen 127.0.0.1:4010, and set apiBase in its config.yaml to that address";

/// Returns what to suggest when a command sent no request to the proxy.
pub(crate) fn without_requests(program: &OsStr) -> String {
    let name = Path::new(program).file_stem().and_then(OsStr::to_str);
    let agent = AGENTS.iter().find(|(agent, _)| name == Some(*agent));
    match agent {
        Some((agent, advice)) => {
            format!(
                "no request arrived: {agent} does not read the variables of the proxy; {advice}"
            )
        }
        None => "no request arrived: does the command read ANTHROPIC_BASE_URL, OPENAI_BASE_URL or \
                 GOOGLE_GEMINI_BASE_URL, or a base URL in its settings?"
            .to_owned(),
    }
}
