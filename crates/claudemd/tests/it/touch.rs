//! The files that load when the model reads a file.

use std::fs;

use aside_claudemd::{Additional, Memory, MemoryFile, Mode, Sources};

use crate::tree::{check, check_with};

const TREE: &str = "
    managed/.claude/rules/m.md = ---\\npaths: '**/*.rs'\\n---\\nm
    home/.claude/rules/u.md = ---\\npaths: '**/*.rs'\\n---\\nu
    .claude/rules/top.md = ---\\npaths: '**/*.rs'\\n---\\ntop
    p/.claude/rules/p.md = ---\\npaths: '**/*.rs'\\n---\\np
    p/a/CLAUDE.md = a
    p/a/.claude/CLAUDE.md = a2
    p/a/.claude/rules/always.md = a3
    p/a/.claude/rules/rs.md = ---\\npaths: '*/*.rs'\\n---\\na4
    p/a/CLAUDE.local.md = a5
    p/a/b/AGENTS.md = b
    p/a/b/c/CLAUDE.md = c
";

#[test]
fn files_load_in_order_and_once() {
    check(
        TREE,
        "p",
        "
        touch p/a/b/x.rs
        managed path_glob_match managed/.claude/rules/m.md
        user path_glob_match home/.claude/rules/u.md
        project nested_traversal p/a/CLAUDE.md
        project nested_traversal p/a/.claude/CLAUDE.md
        project nested_traversal p/a/.claude/rules/always.md
        project path_glob_match p/a/.claude/rules/rs.md
        local nested_traversal p/a/CLAUDE.local.md
        project nested_traversal p/a/b/AGENTS.md
        project path_glob_match .claude/rules/top.md
        project path_glob_match p/.claude/rules/p.md
        touch p/a/b/x.rs
        touch p/a/b/c/x.txt
        project nested_traversal p/a/b/c/CLAUDE.md
        touch p/a/b/c
    ",
    );
}

#[test]
fn only_matching_rules_load() {
    check(
        TREE,
        "p",
        "
        touch p/a/x.txt
        project nested_traversal p/a/CLAUDE.md
        project nested_traversal p/a/.claude/CLAUDE.md
        project nested_traversal p/a/.claude/rules/always.md
        local nested_traversal p/a/CLAUDE.local.md
        touch p/x.txt
        touch elsewhere/x.txt
        touch p/none/such/x.txt
        touch elsewhere/x.rs
        project path_glob_match .claude/rules/top.md
    ",
    );
}

#[test]
fn sources_apply_to_touched_files() {
    let sources = Sources { user: false, project: false, local: true };
    check_with(
        TREE,
        "p",
        |l| l.sources(sources),
        "
        touch p/a/b/x.rs
        managed path_glob_match managed/.claude/rules/m.md
        local nested_traversal p/a/CLAUDE.local.md
    ",
    );
    check_with(TREE, "p", |l| l.mode(Mode::Off), "touch p/a/b/x.rs");
    check_with(TREE, "p", |l| l.mode(Mode::Bare), "touch p/a/b/x.rs");
}

#[test]
fn a_directory_is_its_own() {
    check(
        "p/a/CLAUDE.md = a",
        "p",
        "
        touch p/a
        project nested_traversal p/a/CLAUDE.md
    ",
    );
}

#[test]
fn below_an_additional_directory() {
    let tree = "p/x = x\nq/CLAUDE.md = q\nq/a/CLAUDE.md = qa";
    check_with(
        tree,
        "p",
        |l| l.additional_dirs(["../q"], Additional::Always),
        "
        project session_start q/CLAUDE.md
        touch q/a/f
        project nested_traversal q/a/CLAUDE.md
    ",
    );
    check(tree, "p", "touch q/a/f");
}

#[test]
fn changed_files_load_again() {
    check(
        "p/a/CLAUDE.md = a\np/.claude/rules/r.md = ---\\npaths: a/*\\n---\\nr",
        "p",
        "
        touch p/a/f
        project nested_traversal p/a/CLAUDE.md
        project path_glob_match p/.claude/rules/r.md
        write p/a/CLAUDE.md = b
        touch p/a/f
        project changed p/a/CLAUDE.md
        touch p/a/f
        write p/a/CLAUDE.md = b
        touch p/a/f
        write p/.claude/rules/r.md = other
        touch p/a/f
        project changed p/.claude/rules/r.md
        remove p/a/CLAUDE.md
        write p/a/CLAUDE.md = c
        touch p/a/f
        project changed p/a/CLAUDE.md
    ",
    );
}

#[test]
fn a_new_file_with_a_reused_inode_number_loads() {
    check(
        "p/a/CLAUDE.md = a\np/b/x = x",
        "p",
        "
        touch p/a/f
        project nested_traversal p/a/CLAUDE.md
        remove p/a/CLAUDE.md
        write p/b/CLAUDE.md = a
        touch p/b/f
        project nested_traversal p/b/CLAUDE.md
    ",
    );
}

#[test]
fn once_under_two_names() {
    check(
        "p/a/CLAUDE.md = a\np/b -> a\np/c/CLAUDE.md -> ../a/CLAUDE.md",
        "p",
        "
        touch p/b/f
        project nested_traversal p/b/CLAUDE.md
        touch p/a/f
        touch p/c/f
    ",
    );
}

#[test]
fn everything_loads_again_after_compaction() {
    check(
        "
        home/.claude/CLAUDE.md = @more.md
        home/.claude/more.md = m
        p/CLAUDE.md = p
        p/a/CLAUDE.md = a
        p/.claude/rules/r.md = ---\\npaths: a/*\\n---\\nr
        ",
        "p",
        "
        user session_start home/.claude/CLAUDE.md
        user include home/.claude/more.md < home/.claude/CLAUDE.md
        project session_start p/CLAUDE.md
        touch p/a/f
        project nested_traversal p/a/CLAUDE.md
        project path_glob_match p/.claude/rules/r.md
        write p/CLAUDE.local.md = new
        compact
        user compact home/.claude/CLAUDE.md
        user include home/.claude/more.md < home/.claude/CLAUDE.md
        project compact p/CLAUDE.md
        local compact p/CLAUDE.local.md
        touch p/a/f
        project nested_traversal p/a/CLAUDE.md
        project path_glob_match p/.claude/rules/r.md
        ",
    );
}

#[test]
fn what_a_touch_loaded_is_compared_too() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    let write = |path: &str, text: &str| {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    };
    write("a/CLAUDE.md", "One.\n");
    write(".claude/rules/md.md", "---\npaths: '**/*.md'\n---\nMarkdown.\n");
    let mut memory = aside_claudemd::load(root, &aside_claudemd::Dirs::default()).unwrap();
    let changed = |memory: &Memory| {
        let text = |file: &MemoryFile| file.text.to_string();
        let files = memory.changed().files.into_iter();
        files.map(|it| (text(&it.before), text(&it.now))).collect::<Vec<_>>()
    };
    write("a/x.md", "x\n");
    assert_eq!(memory.touch("a/x.md").len(), 2);
    assert_eq!(changed(&memory), []);
    write("a/CLAUDE.md", "Two.\n");
    fs::remove_file(root.join(".claude/rules/md.md")).unwrap();
    let both = [("One.", "Two."), ("Markdown.", "")];
    let both = both.map(|(before, now)| (before.to_owned(), now.to_owned()));
    assert_eq!(changed(&memory), both);
    let stored = serde_json::to_string(&memory).unwrap();
    assert_eq!(changed(&serde_json::from_str(&stored).unwrap()), both);
    // A touch gives the new text.
    assert_eq!(memory.touch("a/x.md").len(), 1);
    assert_eq!(changed(&memory), both[1..]);
}
