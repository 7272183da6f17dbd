use crate::part::PartKind::{File, Section, Text};
use crate::pieces::header_lines;
use crate::pieces::tests::check;

#[test]
fn codex_names_the_directory_and_the_environment() {
    let files = r"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>";
    check(files, &[(File, "AGENTS.md for /p", files)]);
    let text = r"<environment_context>\n  <cwd>/p</cwd>\n</environment_context>";
    check(text, &[(Section, "environment_context", text)]);
    let text = r"<permissions instructions>\nRead only.\n</permissions instructions>";
    check(text, &[(Section, "permissions instructions", text)]);
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
            (Section, "session_context", r"<session_context>\nThis is the Gemini CLI.\n"),
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
            (File, "/p/AGENTS.md", r"Instructions from: /p/AGENTS.md\nBe brief.\n"),
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
fn opencode_has_skills_after_its_files() {
    check(
        r"Instructions from: /p/A.md\nBe brief.\n\nSkills provide specialized instructions and more.\n<available_skills>\n</available_skills>\nEnd",
        &[
            (File, "/p/A.md", r"Instructions from: /p/A.md\nBe brief.\n\n"),
            (
                Section,
                "available_skills",
                r"Skills provide specialized instructions and more.\n<available_skills>\n</available_skills>",
            ),
            (Text, "", r"\nEnd"),
        ],
    );
}

#[test]
fn cline_has_rules_at_the_end_of_its_prompt() {
    let rules = r"# Rules\n## style\nBe brief.\n\n## Workspace AGENTS.md\nUse tabs.";
    check(
        &format!(r"You are Cline, an agent.\n{rules}"),
        &[(Text, "", r"You are Cline, an agent.\n"), (Section, "rules", rules)],
    );
    // In other prompts this heading is one of many.
    check(rules, &[(Text, "", rules)]);
}

#[test]
fn the_text_of_a_file_begins_below_its_header() {
    for (header, expected) in [
        (r"Contents of a.md (mine):\n\n", 2),
        (r"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\n", 3),
        (r"--- Context from: GEMINI.md ---\n", 1),
        (r"Instructions from: /p/AGENTS.md\n", 1),
        (r"## /p/AGENTS.md\n\n", 2),
    ] {
        assert_eq!(header_lines(header.as_bytes()), expected, "{header}");
        assert_eq!(header.matches(r"\n").count(), expected, "{header}");
    }
}

#[test]
fn a_mark_within_a_line_is_none() {
    let text = r"see Instructions from: a\nand <env>x</env>";
    check(text, &[(Text, "", text)]);
}
