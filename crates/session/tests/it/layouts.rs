//! One readable request in each layout, with the instruction file of a project.

use aside_cache_split::Layout;
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::EntryDraft;
use aside_prompt_sections::{OsKind, fixed_section};
use aside_session::{Git, Session, SessionConfig};
use serde_json::Value;
use uuid::Uuid;

use crate::support::run;

/// Returns the request of a session that begins, indented and without the machine's paths.
fn request(layout: Layout) -> String {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path().canonicalize().unwrap();
    std::fs::write(cwd.join("CLAUDE.md"), "Use tabs.\n").unwrap();
    let date = "2026-01-31".parse().unwrap();
    let memory = Loader::new(Dirs::default());
    let mut config = SessionConfig {
        layout,
        git: Git::Skip,
        sections: vec![fixed_section("house", "Be kind.")],
        ..SessionConfig::new(cwd.clone(), OsKind::Linux, memory, date)
    };
    config.prompt.custom = Some("You review changes.".to_owned());
    let mut session = run(Session::open(config));
    let mut conversation = session.begin(Uuid::nil());
    conversation.push(EntryDraft::human("Review the last commit"));
    let body = session.prepare(&conversation).unwrap().body.to_vec();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let text = serde_json::to_string_pretty(&body).unwrap();
    text.replace(&*cwd.to_string_lossy(), "/project")
}

#[test]
fn a_request_reads_in_each_layout() {
    for (name, layout) in [("layered", Layout::Layered), ("classic", Layout::Classic)] {
        insta::assert_snapshot!(name, request(layout));
    }
}
