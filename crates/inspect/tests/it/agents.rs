//! Instruction files and context in other agents' requests.

use aside_cache_model::Body;
use aside_inspect::{PartKind, PartLayer, RequestPart, report};

use crate::bodies::foreign;

/// Checks a body's files and sections, each with its layer.
#[track_caller]
fn check(name: &str, expected: &[(&str, PartLayer)]) {
    let bodies = foreign();
    let (_, body) = bodies.iter().find(|it| it.0 == name).unwrap();
    let request = Body::parse(body.as_bytes()).unwrap();
    let report = report(&request, None, None);
    let mut found: Vec<&RequestPart> = Vec::new();
    report.root.walk(&mut |part| {
        if matches!(part.kind, PartKind::File | PartKind::Section) {
            found.push(part);
        }
    });
    let mut found: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.layer.unwrap())).collect();
    // A block with one text is a part, and that text is one in it.
    found.dedup();
    assert_eq!(found, expected, "{name}");
}

#[test]
fn files_and_sections_have_their_layers() {
    use PartLayer::{Project, Session};
    check(
        "codex",
        &[
            ("permissions instructions", Session),
            ("AGENTS.md for /p", Project),
            ("environment_context", Session),
        ],
    );
    check(
        "gemini-cli",
        &[
            ("global_context", Project),
            ("/h/.gemini/GEMINI.md", Project),
            ("session_context", Session),
            ("GEMINI.md", Project),
        ],
    );
    check("opencode", &[("env", Session), ("/p/AGENTS.md", Project), ("/h/AGENTS.md", Project)]);
}
