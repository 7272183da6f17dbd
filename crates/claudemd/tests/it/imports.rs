//! Recognizing `@` imports.

use std::collections::BTreeSet;
use std::fs;

use aside_claudemd::{ImportPolicy, scan_imports};
use proptest::prelude::*;

use crate::tree::{Tree, check, check_with};

/// Checks a text's imports; every valid one is written `@yes…`.
#[track_caller]
fn scan(text: &str, expected: &[&str]) {
    let found: Vec<_> = scan_imports(text).into_iter().map(|import| import.path).collect();
    assert_eq!(found, expected, "in:\n{text}");
}

#[test]
fn forms() {
    scan("@yes.md", &["yes.md"]);
    scan(
        "See @./yes.md, @../yes/b.md and\n@~/yes.md\t@/yes/c",
        &["./yes.md", "../yes/b.md", "~/yes.md", "/yes/c"],
    );
    scan("- @yes\n> @yes2\n\n1. @yes3\n| @yes4 |", &["yes", "yes2", "yes3", "yes4"]);
    scan(r"@my\ notes/a\ b.md x", &["my notes/a b.md"]);
    scan("@yes.md#section @yes2#", &["yes.md", "yes2"]);
    scan(
        "(see @yes.md). @yes2.md! @yes3.md?), \"@no\" @yes4.md'\"",
        &["yes.md", "yes2.md", "yes3.md", "yes4.md"],
    );
    scan(
        "@\u{65e5}\u{672c}.md \u{e9}t\u{e9}\u{a0}@caf\u{e9}.md",
        &["\u{65e5}\u{672c}.md", "caf\u{e9}.md"],
    );
    scan(
        "@.hidden/x @_x @-x @CLAUDE.md\r\n@yes\r\n",
        &[".hidden/x", "_x", "-x", "CLAUDE.md", "yes"],
    );
}

#[test]
fn not_an_import() {
    for text in [
        "me@example.org",
        "x@y",
        "(@no)",
        "\"@no\"",
        "**@no**",
        "[a](@no)",
        "@",
        "@ no",
        "@@no",
        "@/",
        "@//no",
        "@.",
        "@..",
        "@...",
        "@(no)",
        "@{no}",
        "@#no",
        "@$no",
        r"\@no",
        "<a@b.c>",
        "@~user/x",
        "@./",
        "@~no",
    ] {
        scan(text, &[]);
    }
}

#[test]
fn not_in_code_spans() {
    scan("`@no` @yes ``@no ` @no`` ```@no `` @no``` ````@no ``` @no```` @yes2", &["yes", "yes2"]);
    scan("` @no\n@no ` @yes", &["yes"]);
    scan("`` @no ` `` @yes", &["yes"]);
    // Not closed, and therefore not code.
    scan("`` @yes ` @yes2", &["yes", "yes2"]);
    scan("` @yes\n\n@yes2 `", &["yes", "yes2"]);
    scan(r"\` @yes ` @yes2", &["yes", "yes2"]);
    // The path ends where the code span starts.
    scan("@yes`no`", &["yes"]);
}

#[test]
fn not_in_fences() {
    scan("```\n@no\n```\n@yes\n~~~md\n@no\n~~~\n@yes2", &["yes", "yes2"]);
    scan("   ```\n   @no\n   ```\n@yes", &["yes"]);
    scan("````\n```\n@no\n```\n@no\n````\n@yes", &["yes"]);
    scan("~~~\n```\n@no\n~~~\n@yes\n", &["yes"]);
    scan("```\n~~~\n@no\n```\n@yes\n", &["yes"]);
    scan("``` \n@no\n `````\n@yes", &["yes"]);
    // Text after the backticks makes it no closing fence.
    scan("```\n@no\n``` no\n@no\n", &[]);
    scan("text\n```\n@no", &[]);
    scan("- a\n  ```\n  @no\n  ```\n  @yes\n", &["yes"]);
    // The list's end ends the fence.
    scan("- ```\n  @no\n\n@yes", &["yes"]);
    scan("> ```\n> @no\n\n@yes", &["yes"]);
    // Three backticks with text and backticks after them are a code span.
    scan("``` @no ``` @yes\n@yes2", &["yes", "yes2"]);
}

#[test]
fn not_in_indented_code() {
    scan("text\n\n    @no\n\t@no\n\n@yes", &["yes"]);
    scan("    @no", &[]);
    scan("text\n    @yes", &["yes"]);
    scan("- item\n\n    @yes\n", &["yes"]);
    scan("- item\n\n     @yes\n\n      @no\n", &["yes"]);
}

#[test]
fn not_in_comments() {
    scan("<!-- @no -->\n@yes", &["yes"]);
    scan("<!--\n@no\n\n @no\n-->\n@yes", &["yes"]);
    scan("a <!-- @no --> @yes", &["yes"]);
    scan("a <!-- @no\n @no --> @yes", &["yes"]);
    scan("<!-- a --> @yes", &["yes"]);
    scan("<!-- a --> @yes <!-- @no --> @yes2", &["yes", "yes2"]);
    scan("<div>\n<!-- @no -->\n@yes\n</div>", &["yes"]);
    scan("<div>\n<!--\n\n@no\n-->\n\n@yes", &["yes"]);
    scan("> <!-- @no -->\n\n- <!-- @no -->\n\n@yes", &["yes"]);
    scan("<!-- not closed\n@no\n\n@no", &[]);
    scan("`<!--` @yes `-->`", &["yes"]);
    scan("<!--> @yes", &["yes"]);
}

#[test]
fn lines_are_those_of_the_text() {
    let lines: Vec<_> = scan_imports("a\n@b @c\n\n@d").into_iter().map(|i| i.line).collect();
    assert_eq!(lines, [2, 2, 4]);
}

#[test]
fn imports_of_a_text_in_its_directory() {
    let tree = Tree::new("p/README = r\np/@org/x = y\np/decorator/");
    let text = "---\na: b\n---\n@README @decorator @org/package @missing.md @none\n@./none";
    let found = aside_claudemd::imports(text, &tree.path("p"), &tree.dirs());
    let found: Vec<_> = found.iter().map(|i| (i.path.as_str(), i.line)).collect();
    assert_eq!(found, [("README", 4), ("decorator", 4), ("missing.md", 4), ("./none", 5)]);
}

#[test]
fn imports_follow_the_importing_file() {
    check(
        "
        p/CLAUDE.md = @a.md @b.md\\n
        p/a.md = @docs/c.md\\n
        p/b.md = b
        p/docs/c.md = @d.md @../b.md @../CLAUDE.md\\n
        p/docs/d.md = d
        p/CLAUDE.local.md = @b.md x
        ",
        "p",
        "
        project session_start p/CLAUDE.md
        project include p/a.md < p/CLAUDE.md
        project include p/docs/c.md < p/a.md
        project include p/docs/d.md < p/docs/c.md
        project include p/b.md < p/docs/c.md
        local session_start p/CLAUDE.local.md
        ",
    );
}

#[test]
fn a_word_that_names_no_file_is_not_reported() {
    check(
        "p/CLAUDE.md = @decorator @org/package @src x@y\\n\np/src/x = y",
        "p",
        "project session_start p/CLAUDE.md",
    );
}

#[test]
fn a_missing_path_is_reported_with_its_line() {
    let tree = Tree::new(
        "p/CLAUDE.md = a\\n@docs/none.md.\\n@./src\\n@src/dir @src @src/none\np/src/x = y\np/src/dir/z = y",
    );
    tree.check(
        "p",
        |l| l,
        "
        project session_start p/CLAUDE.md
        skip p/docs/none.md: import names no file
        skip p/src: a directory, not a file
        skip p/src/dir: a directory, not a file
    ",
    );
    let memory = tree.load("p", |loader| loader);
    let first = &memory.diagnostics()[0];
    assert_eq!((first.path().unwrap(), first.line()), (&*tree.path("p/CLAUDE.md"), Some(2)));
}

#[test]
fn punctuation_belongs_to_the_path_if_such_a_file_exists() {
    check(
        "p/CLAUDE.md = @a.md. @b.md?! (@c) @c)\np/a.md = a\np/b.md? = b\np/c) = c\np/c = c",
        "p",
        "
        project session_start p/CLAUDE.md
        project include p/a.md < p/CLAUDE.md
        project include p/b.md? < p/CLAUDE.md
        project include p/c) < p/CLAUDE.md
    ",
    );
}

#[test]
fn spaces_fragments_and_home() {
    check(
        "
        p/.git/
        home/.claude/CLAUDE.md = @~/notes.md @ROOT/elsewhere.md
        home/notes.md = n
        elsewhere.md = e
        p/CLAUDE.md = @a\\ b.md#top
        p/a b.md = a
        ",
        "p",
        "
        user session_start home/.claude/CLAUDE.md
        user include home/notes.md < home/.claude/CLAUDE.md
        user include elsewhere.md < home/.claude/CLAUDE.md
        project session_start p/CLAUDE.md
        project include p/a b.md < p/CLAUDE.md
    ",
    );
}

#[test]
fn at_most_four_hops() {
    let mut tree = String::from("p/CLAUDE.md = @1.md\n");
    for i in 1..=50 {
        tree.push_str(&format!("p/{i}.md = @{}.md\n", i + 1));
    }
    check(
        &tree,
        "p",
        "
        project session_start p/CLAUDE.md
        project include p/1.md < p/CLAUDE.md
        project include p/2.md < p/1.md
        project include p/3.md < p/2.md
        project include p/4.md < p/3.md
        skip p/5.md: imported over more than 4 files
    ",
    );
}

#[test]
fn text_files_only() {
    let tree = Tree::new("p/CLAUDE.md = @a.png @b @c |\np/b |\np/c/d = e");
    fs::write(tree.path("p/a.png"), b"\x89PNG\0\0").unwrap();
    tree.check(
        "p",
        |l| l,
        "
        project session_start p/CLAUDE.md
        skip p/a.png: binary
        skip p/b: a FIFO, not a file
    ",
    );
}

const LEAVING: &str = "
    p/.git/config = secret
    p/sub/CLAUDE.md = @../up.md @../../out.md @ROOT/out2.md @link.md @../.git/config @gitlink
    p/sub/link.md -> ../../out3.md
    p/sub/gitlink -> ../.git/config
    p/up.md = inside the repository
    out.md = o
    out2.md = o
    out3.md = o
";

#[test]
fn imports_out_of_the_project_need_approval() {
    check(
        LEAVING,
        "p/sub",
        "
        project session_start p/sub/CLAUDE.md
        project include p/up.md < p/sub/CLAUDE.md
        skip out.md: outside the project and not approved: out.md
        skip out2.md: outside the project and not approved: out2.md
        skip p/sub/link.md: outside the project and not approved: out3.md
        skip p/.git/config: lies in a .git directory
        skip p/sub/gitlink: lies in a .git directory
    ",
    );
    check_with(
        LEAVING,
        "p/sub",
        |l| l.imports(ImportPolicy::Allow),
        "
        project session_start p/sub/CLAUDE.md
        project include p/up.md < p/sub/CLAUDE.md
        project include out.md < p/sub/CLAUDE.md
        project include out2.md < p/sub/CLAUDE.md
        project include p/sub/link.md < p/sub/CLAUDE.md
        skip p/.git/config: lies in a .git directory
        skip p/sub/gitlink: lies in a .git directory
    ",
    );
    let tree = Tree::new(LEAVING);
    let targets = BTreeSet::from([tree.path("out3.md")]);
    tree.check(
        "p/sub",
        |l| l.imports(ImportPolicy::Only { targets }),
        "
        project session_start p/sub/CLAUDE.md
        project include p/up.md < p/sub/CLAUDE.md
        project include p/sub/link.md < p/sub/CLAUDE.md
        skip out.md: outside the project and not approved: out.md
        skip out2.md: outside the project and not approved: out2.md
        skip p/.git/config: lies in a .git directory
        skip p/sub/gitlink: lies in a .git directory
    ",
    );
}

#[test]
fn etc_passwd() {
    check("p/CLAUDE.md = @/etc/passwd @/dev/zero x", "p", "project session_start p/CLAUDE.md");
    let tree = Tree::new("p/CLAUDE.md = @/etc/passwd @/dev/zero x");
    let skipped = tree.load("p", |l| l.imports(ImportPolicy::Allow));
    let reasons: Vec<_> = skipped.skipped().iter().map(|s| s.reason.to_string()).collect();
    assert_eq!(reasons, ["a device, not a file"]);
    let skipped = tree.load("p", |l| l);
    let reasons: Vec<_> = skipped.skipped().iter().map(|s| s.reason.to_string()).collect();
    assert_eq!(
        reasons,
        [
            "outside the project and not approved: /etc/passwd",
            "outside the project and not approved: /dev/zero"
        ]
    );
}

#[test]
fn imports_of_a_nested_file_load_once_and_again_after_a_change() {
    check(
        "
        p/a/CLAUDE.md = @x.md
        p/a/x.md = x
        ",
        "p",
        "
        touch p/a/f
        project nested_traversal p/a/CLAUDE.md
        project include p/a/x.md < p/a/CLAUDE.md
        touch p/a/f
        write p/a/x.md = y
        touch p/a/f
        project changed p/a/x.md < p/a/CLAUDE.md
        ",
    );
}

/// Imports count from the name under which the model has the file.
#[test]
fn a_link_to_a_loaded_file_imports_nothing_else() {
    check(
        "
        p/CLAUDE.md = @docs/x.md
        p/docs/x.md = x
        p/a/CLAUDE.md -> ../CLAUDE.md
        p/b/CLAUDE.md -> ../CLAUDE.md
        p/b/docs/x.md = other
        ",
        "p",
        "
        project session_start p/CLAUDE.md
        project include p/docs/x.md < p/CLAUDE.md
        touch p/a/f
        touch p/b/f
        write p/docs/x.md = y
        touch p/a/f
        project changed p/docs/x.md < p/CLAUDE.md
        ",
    );
}

proptest! {
    #[test]
    fn any_text_is_scanned(text in "([@`~<!\\-> #\n\t]|<!--|-->|```|@a|    |- |> |@b\\.md|\\\\ ){0,40}") {
        let lines = text.split('\n').count();
        for import in scan_imports(&text) {
            prop_assert!(!import.path.is_empty());
            prop_assert!((1..=lines).contains(&import.line));
        }
        let fenced = format!("{0}\n{text}\n{0}\n@yes", "~".repeat(100));
        let found: Vec<_> = scan_imports(&fenced).into_iter().map(|i| i.path).collect();
        prop_assert_eq!(found, ["yes"]);
    }
}
