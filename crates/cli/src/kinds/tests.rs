//! Keeps the documented list of codes in line with the code.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use aside_diagnostic::Kind;

/// Every crate that reports, in documentation order.
const CRATES: &[(&str, &str, &[Kind])] = &[
    ("Instruction files", "aside-claudemd", aside_claudemd::DIAGNOSTICS),
    ("Settings", "aside-host", aside_host::DIAGNOSTICS),
    #[cfg(feature = "network")]
    ("MCP servers", "aside-mcp", aside_mcp::DIAGNOSTICS),
    ("Git", "aside-git-context", aside_git_context::DIAGNOSTICS),
    ("System prompt", "aside-prompt-sections", aside_prompt_sections::DIAGNOSTICS),
    ("Reminders", "aside-reminder", aside_reminder::DIAGNOSTICS),
    ("Messages", "aside-messages", aside_messages::DIAGNOSTICS),
    ("Sessions", "aside-session", aside_session::DIAGNOSTICS),
    ("The loop", "aside-agent", aside_agent::DIAGNOSTICS),
    ("Providers", "aside-providers", aside_providers::DIAGNOSTICS),
    ("Command", "aside", super::DIAGNOSTICS),
];

const BEGIN: &str = "<!-- codes -->\n";

fn tables() -> String {
    let mut text = String::new();
    for (title, package, kinds) in CRATES {
        write!(
            text,
            "\n## {title}\n\nReported by `{package}`.\n\n| code | severity | meaning |\n|---|---|---|\n"
        )
        .unwrap();
        for kind in *kinds {
            let (code, severity) = (kind.code(), kind.severity());
            writeln!(text, "| `{code}` | {severity} | {} |", kind.summary()).unwrap();
        }
    }
    text
}

/// To write the tables, run this with `ASIDE_BLESS_DOCS=1`.
#[test]
fn the_documentation_lists_every_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (intro, listed) = written.split_once(BEGIN).unwrap();
    let tables = tables();
    if std::env::var_os("ASIDE_BLESS_DOCS").is_some() {
        std::fs::write(&path, format!("{intro}{BEGIN}{tables}")).unwrap();
        return;
    }
    let command = "docs/diagnostics.md is stale: run this test with ASIDE_BLESS_DOCS=1";
    assert_eq!(listed, tables, "{command}");
}

#[test]
fn a_code_has_one_meaning() {
    let mut by_code = BTreeMap::new();
    for (_, package, kinds) in CRATES {
        for kind in *kinds {
            let other = by_code.insert(kind.code(), package);
            assert_eq!(other, None, "{} of {package}", kind.code());
            let is_sentence = kind.summary().ends_with('.');
            assert!(is_sentence, "{}: {}", kind.code(), kind.summary());
        }
    }
}
