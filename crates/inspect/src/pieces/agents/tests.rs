use super::*;
use PartKind::{File, Section, Text};

#[track_caller]
fn check(text: &str, expected: &[(PartKind, &str, &str)]) {
    let mut pieces = Vec::new();
    split(text.as_bytes(), 0..text.len(), &mut pieces);
    let found: Vec<_> = pieces
        .iter()
        .map(|it| (it.kind, it.name.as_str(), &text[it.range.clone()]))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn codex_names_the_directory_and_the_environment() {
    let files = r"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>";
    check(files, &[(File, "AGENTS.md for /p", files)]);
    let text = r"<environment_context>\n  <cwd>/p</cwd>\n</environment_context>";
    check(text, &[(Section, "environment_context", text)]);
    check(
        r"<environment_context> without an end",
        &[(Text, "", r"<environment_context> without an end")],
    );
}

#[test]
fn gemini_cli_has_files_in_sections() {
    let file =
        r"--- Context from: GEMINI.md ---\nBe brief.\n--- End of Context from: GEMINI.md ---";
    check(
        &format!(r"<session_context>\nThis is the Gemini CLI.\n{file}\n</session_context>"),
        &[
            (
                Section,
                "session_context",
                r"<session_context>\nThis is the Gemini CLI.\n",
            ),
            (File, "GEMINI.md", file),
            (Text, "", r"\n</session_context>"),
        ],
    );
}

#[test]
fn opencode_and_pi_have_files_up_to_the_next_one() {
    check(
        r"You are it.\nInstructions from: /p/AGENTS.md\nBe brief.\nInstructions from: /h/A.md\nBe kind.",
        &[
            (Text, "", r"You are it.\n"),
            (
                File,
                "/p/AGENTS.md",
                r"Instructions from: /p/AGENTS.md\nBe brief.\n",
            ),
            (File, "/h/A.md", r"Instructions from: /h/A.md\nBe kind."),
        ],
    );
    check(
        r"## /x\nno file\n# Project Context\n\n## /p/AGENTS.md\n\nBe brief.\n\nCurrent date: 2026",
        &[
            (Text, "", r"## /x\nno file\n# Project Context\n\n"),
            (File, "/p/AGENTS.md", r"## /p/AGENTS.md\n\nBe brief.\n\n"),
            (Section, "date", "Current date: 2026"),
        ],
    );
}

#[test]
fn a_mark_within_a_line_is_none() {
    let text = r"see Instructions from: a\nand <env>x</env>";
    check(text, &[(Text, "", text)]);
}
