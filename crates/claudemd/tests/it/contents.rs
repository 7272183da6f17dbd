//! Processing a file's text.

use crate::tree::Tree;

/// Checks the text that the model gets for a file, and whether it differs from
/// the file.
#[track_caller]
fn check(file: &str, text: &str, differs: bool) {
    let tree = Tree::new("p/");
    std::fs::write(tree.path("p/CLAUDE.md"), file).unwrap();
    let memory = tree.load("p", |loader| loader);
    let found = memory.files().last().unwrap();
    assert_eq!(&*found.text, text);
    assert_eq!(found.bytes, text.len());
    assert_eq!(found.differs_from_disk, differs, "of {file:?}");
}

#[test]
fn the_text_without_white_space_at_both_ends() {
    check("\n\n a\r\n\n  b \n\n", "a\r\n\n  b", false);
    check("\u{feff}a\n", "a", false);
}

#[test]
fn front_matter_is_taken_out() {
    check("---\ndescription: x\n---\n\na\n---\nb\n", "a\n---\nb", true);
    check("---\nBe brief.\n---\nUse tabs.\n", "---\nBe brief.\n---\nUse tabs.", false);
    check("---\nnot closed\n", "---\nnot closed", false);
    check("---\na: \"\n---\nx\n", "x", true);
}

#[test]
fn comment_blocks_are_taken_out() {
    check("a\n<!-- x -->\nb", "a\nb", true);
    check("a\n\n  <!-- x\n\n y -->  \n\nb", "a\n\n\nb", true);
    check("<!-- x --> <!-- y -->\r\nb", "b", true);
    check("<!-- x --> rest\nb", "rest\nb", true);
    check("a\n<!-- x -->", "a", true);
    check("<!-- a --><!-- b -->c\nd", "c\nd", true);
}

#[test]
fn other_comments_stay() {
    for text in [
        "a <!-- x --> b",
        "```\n<!-- x -->\n```",
        "`<!-- x -->`",
        "a\n\n    <!-- x -->\n\nb",
        "- a\n\n  <!-- x -->\n- b",
        "> <!-- x -->",
        "<div>\n<!-- x -->\n</div>",
        "<!-- never closed\n\nb",
    ] {
        check(text, text.trim(), false);
    }
}

#[test]
fn faults_have_lines() {
    let tree = Tree::new(
        "p/CLAUDE.md = ---\\na: \"\\n---\\nx\\n\\n<!-- y\\n\np/CLAUDE.local.md = \\n---\\nx",
    );
    let memory = tree.load("p", |loader| loader);
    let lines: Vec<_> = memory.diagnostics().iter().map(aside_claudemd::Diagnostic::line).collect();
    assert_eq!(lines, [Some(3), Some(6), Some(2)], "{:?}", memory.diagnostics());
}

/// A rule whose front matter never ends always loads, with it.
#[test]
fn front_matter_that_is_not_closed_is_a_warning() {
    let tree = Tree::new(
        "
        p/.claude/rules/a.md = ---\\npaths: '*.rs'\\nUse tabs.
        p/.claude/rules/b.md = ---\\n# After a thematic break
        p/CLAUDE.md = c
        ",
    );
    let memory = tree.load("p", |loader| loader);
    let reported: Vec<_> =
        memory.diagnostics().iter().map(|it| (it.code.as_str(), it.severity, it.line())).collect();
    let expected = [
        ("front-matter-not-closed", aside_claudemd::Severity::Warning, Some(1)),
        ("front-matter-absent", aside_claudemd::Severity::Note, Some(1)),
    ];
    assert_eq!(reported, expected);
}

#[test]
fn front_matter_that_takes_too_long_is_reported_and_left_out() {
    let brackets = "[".repeat(60_000);
    let file = format!("p/CLAUDE.md = ---\\npaths: {brackets}\\n---\\nx");
    let memory = Tree::new(&file).load("p", |loader| loader);
    let reported: Vec<_> =
        memory.diagnostics().iter().map(|it| (it.line(), it.message.as_str())).collect();
    let expected = "expected at most 1000 brackets that may be open at once";
    assert!(
        matches!(reported[..], [(Some(2), message)] if message.contains(expected)),
        "{reported:?}"
    );
    assert_eq!(&*memory.files()[0].text, "x");
}

#[test]
fn auto_memory_is_cut_at_the_end_of_a_line() {
    let of = |text: &str| {
        let tree = Tree::new("p/\nm/");
        std::fs::write(tree.path("m/MEMORY.md"), text).unwrap();
        let memory = tree.load("p", |loader| loader.auto_memory(tree.path("m")));
        let file = memory.files().last().unwrap().clone();
        (file.kind.as_str(), file.text, file.differs_from_disk)
    };
    let lines = |n: usize| (1..=n).map(|i| format!("{i}\n")).collect::<String>();
    let plain = of(&lines(200));
    assert_eq!(plain, ("auto_memory", lines(200).trim().into(), false));
    let long = of(&format!("---\na: b\n---\n<!-- c -->\n{}", lines(201)));
    let note = "\n\n[Cut here: 200 of 201 lines are shown, at most 200 lines or 25000 bytes.]";
    assert_eq!(long, ("auto_memory", format!("{}{note}", lines(200).trim()).into(), true));
    let wide = of(&format!("{}\n{}\nx", "a".repeat(20_000), "b".repeat(5_000)));
    assert!(wide.1.starts_with(&format!("{}\n\n[Cut here: 1 of 3 ", "a".repeat(20_000))));
    let endless = of(&"\u{e9}".repeat(20_000));
    assert!(endless.1.starts_with(&format!(
        "{}\n\n[Cut here: 25000 bytes of the first of 1 lines ",
        "\u{e9}".repeat(12_500)
    )));
}

#[test]
fn auto_memory_imports_nothing_and_comes_last() {
    Tree::new("p/CLAUDE.md = p\nm/MEMORY.md = @ROOT/p/x.md\np/x.md = x").check(
        "p",
        |loader| loader.auto_memory("../m"),
        "
        project session_start p/CLAUDE.md
        auto_memory session_start p/../m/MEMORY.md
        ",
    );
}
