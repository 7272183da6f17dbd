//! Long text is truncated between two characters, with a mark.

use aside_attachments::{
    Attachment, Cell, CellKind, CellOutput, DiagnosticSeverity, Diagnostics, Directory, EditedFile,
    File, FileContent, FileDiagnostics, HookAdditionalContext, InvokedSkill, InvokedSkills,
    LineDiagnostic, MAX_FILE_BYTES, MAX_FILE_LINES, McpContent, McpResource, Media, Notebook,
    RelevantMemories, RelevantMemory, SelectedLines, Skill, SkillListing,
};
use aside_messages::conversation::Part;
use aside_messages::{TokenEstimate, estimate_tokens};

use crate::examples::{pdf, text};

/// Returns an attachment's reminders, before lowering.
fn reminders(attachment: Attachment) -> Vec<String> {
    let parts = attachment.into_entries().into_iter().flat_map(|it| it.parts);
    let body = |part| match part {
        Part::Reminder { body } => Some(body.to_string()),
        _ => None,
    };
    parts.filter_map(body).collect()
}

fn only(attachment: Attachment) -> String {
    let [body] = &reminders(attachment)[..] else { panic!("not one reminder") };
    body.clone()
}

fn file(content: FileContent) -> Vec<String> {
    let path = "a.txt".into();
    reminders(Attachment::File(File { path, content }))
}

fn lines(count: usize) -> String {
    "é\n".repeat(count)
}

#[test]
fn a_file_at_the_limit_is_whole() {
    let found = file(text(&lines(MAX_FILE_LINES), 1, MAX_FILE_LINES));
    assert_eq!(found.len(), 2);
    assert!(found[1].ends_with("\n  2000\té"));
}

#[test]
fn a_file_with_too_many_lines() {
    let found = file(text(&lines(MAX_FILE_LINES + 1), 1, 0));
    assert!(found[1].ends_with("\n  2000\té"));
    assert_eq!(
        found[2],
        "Of the file's 2001 lines, 1 to 2000 are shown. It is too long to be shown whole: 1 more \
         line is left out. To read on, use the Read tool with `offset` 2001 and a `limit`."
    );
}

#[test]
fn a_file_with_too_many_bytes() {
    let line = "é".repeat(511);
    let content = format!("{line}\n").repeat(300);
    let found = file(text(&content, 1, 300));
    // 1,022 bytes and a line feed: 256 such lines are 256 KB but for 256 bytes.
    let shown = MAX_FILE_BYTES / 1_023;
    assert!(found[1].ends_with(&format!("\n   {shown}\t{line}")), "{}", found[1].len());
    let rest = 300 - shown;
    assert!(found[2].contains(&format!("{rest} more lines are left out")));
    assert!(found[2].contains(&format!("`offset` {}", shown + 1)));
}

#[test]
fn a_file_with_one_long_line() {
    let found = file(text(&"é".repeat(MAX_FILE_BYTES), 1, 0));
    assert_eq!(found[1].matches('é').count(), MAX_FILE_BYTES / 2);
    assert_eq!(
        found[2],
        "Line 1 alone is longer than what may be shown, and its last 256.0 KB are left out: to see these, search the file."
    );
}

#[test]
fn a_range_of_lines_has_its_place() {
    let found = file(text("a\nb", 5, 9));
    assert!(found[0].ends_with(r#"{"file_path":"a.txt","offset":5,"limit":2}"#));
    assert_eq!(
        found[2],
        "Of the file's 9 lines, 5 to 6 are shown. To read on, use the Read tool with `offset` 7 \
         and a `limit`."
    );
    // A range up to the file's end has no rest to read.
    assert_eq!(file(text("a\nb", 5, 6))[2], "Of the file's 6 lines, 5 to 6 are shown.");
}

#[test]
fn line_numbers_out_of_range_are_accepted() {
    assert_eq!(file(text("", 0, 0))[1], "Result of calling the Read tool:\n(The file is empty.)");
    let found = file(text("", 20, 9));
    assert!(found[0].ends_with(r#"{"file_path":"a.txt","offset":20}"#));
    assert!(found[1].ends_with("(Nothing from line 20 on: the file has 9 lines.)"));
    let found = file(text("a\nb", usize::MAX, usize::MAX));
    assert!(found[1].contains("18446744073709551615\ta"));
    assert_eq!(file(text("a", 0, 0)), file(text("a", 1, 1)));
}

#[test]
fn a_long_notebook() {
    let cell = |source: String| Cell { kind: CellKind::Raw, source, outputs: vec![] };
    let half = "é".repeat(MAX_FILE_BYTES / 4);
    let cells = vec![cell(half.clone()), cell(half), cell("x".into())];
    let found = file(FileContent::Notebook(Notebook { cells }));
    assert_eq!(found[1].matches("<cell number=").count(), 1);
    assert_eq!(
        found[2],
        "Of the notebook's 3 cells, 1 to 1 are shown. It is too long to be shown whole: 2 more cells are left out. To read on, use the Read tool with `offset` 2 and a `limit`, which count cells."
    );

    let cells = vec![cell("é".repeat(MAX_FILE_BYTES))];
    let found = file(FileContent::Notebook(Notebook { cells }));
    assert_eq!(found.len(), 2);
    assert!(found[1].contains("[… 131072 more characters are left out]\n</cell>"));
}

#[test]
fn long_outputs_of_a_cell() {
    let output = |text: String| CellOutput::Text { text };
    let mut outputs = vec![output("é".repeat(10_001))];
    outputs.extend((0..100).map(|_| output("é".repeat(9_000))));
    let cells = vec![Cell { kind: CellKind::Code, source: String::new(), outputs }];
    let found = file(FileContent::Notebook(Notebook { cells }));
    assert!(found[1].contains("é\n[… 1 more character is left out]\n</output>"));
    assert!(found[1].contains(" more outputs are left out]"));
    assert!(found[1].len() < MAX_FILE_BYTES + 40_000);
}

#[test]
fn many_images_of_a_notebook() {
    let image = Media::Base64 { media_type: "image/png".into(), data: "iVBORw0KGgo=".into() };
    let cells = vec![Cell {
        kind: CellKind::Code,
        source: String::new(),
        outputs: vec![CellOutput::Image { image }; 22],
    }];
    let content = FileContent::Notebook(Notebook { cells });
    let found = file(content.clone());
    assert!(found[1].contains("It is image 20 behind the cells."));
    assert_eq!(found[1].matches("An image that is left out: there are too many.").count(), 2);
    let path = "a.ipynb".into();
    let entry = Attachment::File(File { path, content }).into_entries().remove(0);
    let images = entry.parts.iter().filter(|part| matches!(part, Part::Image(_)));
    assert_eq!(images.count(), 20);
}

#[test]
fn a_pdf_of_more_than_ten_pages_is_a_reference() {
    assert_eq!(file(pdf(10)).len(), 2);
    let [reference] = &file(pdf(11))[..] else { panic!("not one reminder") };
    assert!(reference.contains("11 pages"));
}

#[test]
fn a_large_directory() {
    let listed = |count: usize| {
        let entries = (0..count).map(|it| format!("{it}")).collect();
        let path = "x y".into();
        reminders(Attachment::Directory(Directory { path, entries }))
    };
    let found = listed(1_000);
    assert!(found[1].ends_with("\n999"));
    let found = listed(1_000 + 23);
    assert!(found[0].ends_with(r#"{"command":"ls 'x y'"}"#));
    assert!(found[1].ends_with("\n999\n[… 23 more entries are left out]"));
    assert!(listed(0)[1].ends_with("(The directory is empty.)"));
}

#[test]
fn a_large_resource() {
    let resource = |name: &str, contents: Vec<McpContent>| {
        let (server, uri, name) = ("s".into(), "u".into(), name.into());
        only(Attachment::McpResource(McpResource { server, uri, name, contents }))
    };
    let text = |text: &str, count: usize| McpContent::Text { text: text.repeat(count) };
    let found = resource("n", vec![text("é", MAX_FILE_BYTES)]);
    assert_eq!(found.matches('é').count(), MAX_FILE_BYTES / 2);
    assert!(found.ends_with("[… 131072 more characters are left out]\n</mcp-resource>"));

    // The contents of a resource share the limit.
    let found = resource("n", vec![text("x", MAX_FILE_BYTES / 2 - 1); 2]);
    assert!(!found.contains("left out"));
    let found = resource("n", vec![text("x", MAX_FILE_BYTES - 3), text("y", 9), text("z", 9)]);
    assert!(found.ends_with("xx\n\ny\n[… 19 more characters are left out]\n</mcp-resource>"));
    let blob = McpContent::Blob { media_type: None, bytes: 1 };
    assert!(resource("n", vec![blob; 100_000]).len() < MAX_FILE_BYTES + 200);
    assert!(resource(&"n".repeat(100_000), vec![text("x", 1)]).len() < 1_200);
}

#[test]
fn long_memories() {
    let memory = |content: String| RelevantMemory { path: "/m.md".into(), content, age_days: 0 };
    let memories = vec![
        memory("a\n".repeat(201)),
        memory("é".repeat(4_096)),
        memory("3".into()),
        memory("4".into()),
        memory("5".into()),
        memory("6".into()),
    ];
    let found = only(Attachment::RelevantMemories(RelevantMemories { memories }));
    let pieces: Vec<&str> = found.split("\n\n").collect();
    assert_eq!(pieces.len(), 6);
    assert_eq!(pieces[0].matches("\na").count(), 200);
    assert!(
        pieces[0].ends_with("\n[… 3 more bytes are left out; the whole memory is in the file]")
    );
    assert_eq!(pieces[1].matches('é').count(), 2_048);
    assert_eq!(pieces[4], "Memory /m.md:\n5");
    assert_eq!(pieces[5], "[… 1 more memory is left out]");
}

#[test]
fn a_long_selection() {
    let selected = |content: String| {
        only(Attachment::SelectedLinesInIde(SelectedLines {
            path: "a".into(),
            first_line: 1,
            last_line: 2,
            content,
        }))
    };
    assert!(selected("é".repeat(2_000)).ends_with("é"));
    let found = selected("é".repeat(2_003));
    assert_eq!(found.matches('é').count(), 2_000);
    assert!(found.ends_with("é\n[… 3 more characters are left out]"));
}

#[test]
fn a_long_diff() {
    let diff = format!("@@ -1,9 +1,9 @@\n{}", "+é\n".repeat(2_000));
    let path = "a".into();
    let edited = EditedFile { path, diff };
    assert!(!edited.is_shown_whole());
    let found = only(Attachment::EditedTextFile(edited));
    let (_, diff) = found.split_once("line numbers:\n").unwrap();
    let (shown, note) = diff.rsplit_once('\n').unwrap();
    assert!(shown.chars().count() <= 8_000);
    assert!(shown.ends_with("\t+é"), "the last line is whole");
    assert!(note.contains("more characters are left out; use the Read tool"));
}

#[test]
fn a_change_without_a_diff_says_so() {
    let lines: Vec<String> = (1..=2_500).map(|number| number.to_string()).collect();
    let before = lines.join("\n");
    let after = format!("import x\n{}", before.replace("\n2400\n", "\n2400 LATE\n"));
    let edited = EditedFile::between("f", &before, &after);
    assert!(!edited.is_shown_whole());
    assert!(EditedFile::between("f", "a\nb", "a\nc").is_shown_whole());
    let found = only(Attachment::EditedTextFile(edited));
    let note = " What changed is not shown here: use the Read tool to see the file as it is.";
    assert!(found.ends_with(note), "{found}");
}

#[test]
fn many_skills_keep_their_names() {
    let skill = |index: usize| Skill {
        name: format!("skill-{index}"),
        description: "é".repeat(100 + index),
        path: None,
    };
    let listing = |count, characters| {
        let skills = (0..count).map(skill).collect();
        only(Attachment::SkillListing(SkillListing { characters, ..SkillListing::new(skills) }))
    };
    let whole = listing(3, 8_000);
    assert!(!whole.contains('…'));
    let cut = listing(100, 8_000);
    let list = cut.lines().filter(|line| line.starts_with("- "));
    let length: usize = list.clone().map(|line| line.chars().count() + 1).sum();
    assert!((7_000..=8_000).contains(&length), "{length}");
    assert_eq!(list.filter(|line| line.ends_with('…')).count(), 100);
    assert!(cut.ends_with("[… descriptions that are cut or left out to save room: 100]"));
    let names = listing(100, 10);
    for index in 0..100 {
        assert!(names.contains(&format!("\n- skill-{index}\n")));
    }
    assert!(!names.contains('é'));
}

#[test]
fn long_skills() {
    let skill = |name: &str| InvokedSkill {
        name: name.into(),
        path: format!("/{name}.md"),
        content: "é word\n".repeat(9_000),
    };
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let skills = names.map(skill).to_vec();
    let found = only(Attachment::InvokedSkills(InvokedSkills { skills }));
    let (whole, rest) = found.split_once("\n\n[… too long").unwrap();
    assert!(rest.ends_with("\nf (/f.md)\ng (/g.md)]"), "{rest}");
    let pieces: Vec<&str> = whole.split("\n\n### Skill ").skip(1).collect();
    assert_eq!(pieces.len(), 5);
    for piece in &pieces {
        let tokens = estimate_tokens(&format!("### Skill {piece}"));
        assert!((4_990..=5_000).contains(&tokens.tokens()), "{tokens} is as much as fits");
        assert!(
            piece.ends_with("[… the rest of the skill is left out; read its file if you need it]")
        );
    }
    let all: TokenEstimate = pieces.iter().map(|it| estimate_tokens(it)).sum();
    assert!(all.tokens() <= 25_000);
}

#[test]
fn many_diagnostics() {
    let found = |message: &str| LineDiagnostic {
        line: 1,
        column: 1,
        severity: DiagnosticSeverity::Error,
        message: message.into(),
        source: None,
        code: None,
    };
    let of = |diagnostics| {
        let path = "a.rs".into();
        let files = vec![FileDiagnostics { path, diagnostics }];
        only(Attachment::Diagnostics(Diagnostics { files }))
    };
    let many = of(vec![found(&"é".repeat(90)); 100]);
    assert!(many.chars().count() < 4_000 + 150);
    assert_eq!(many.matches('✘').count(), 40);
    assert!(many.ends_with("\n[… 60 more diagnostics are left out]\n</new-diagnostics>"));
    let long = of(vec![found(&"é".repeat(9_000)), found("x")]);
    assert!(long.chars().count() < 4_000 + 150);
    assert!(long.contains("é…\n[… 1 more diagnostic is left out]"));
}

#[test]
fn a_long_hook_output() {
    let texts = vec!["é".repeat(6_000), "é".repeat(6_000)];
    let hook = "Stop".into();
    let found = only(Attachment::HookAdditionalContext(HookAdditionalContext { hook, texts }));
    assert_eq!(found.matches('é').count(), 10_000 - 1);
    assert!(found.ends_with("\n[… 2001 more characters are left out]"));
}

#[test]
fn an_empty_attachment_has_no_entry() {
    for json in [
        r#"{"type":"already_read_file","path":"a"}"#,
        r#"{"type":"relevant_memories","memories":[]}"#,
        r#"{"type":"skill_listing","skills":[]}"#,
        r#"{"type":"invoked_skills","skills":[]}"#,
        r#"{"type":"skill_discovery","skills":[]}"#,
        r#"{"type":"diagnostics","files":[{"path":"a","diagnostics":[]}]}"#,
        r#"{"type":"hook_additional_context","hook":"a","texts":[" "]}"#,
        r#"{"type":"async_hook_response","system_message":""}"#,
        r#"{"type":"tools_delta"}"#,
        r#"{"type":"agents_delta"}"#,
        r#"{"type":"mcp_instructions_delta"}"#,
    ] {
        let attachment: Attachment = serde_json::from_str(json).unwrap();
        assert_eq!(attachment.into_entries(), [], "{json}");
    }
}
