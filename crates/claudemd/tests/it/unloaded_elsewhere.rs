//! Files that are not loaded because of files in other directories, or that are in directories that
//! are not searched.

use aside_claudemd::{LoadStatus, Loader, Profile, Sources};

use crate::tree::Tree;
use crate::unloaded::check;

/// A file that another one replaces is shadowed, in whatever directory that is.
#[test]
fn files_of_the_user_and_of_other_directories_are_shadowed() {
    check(
        "home/.codex/AGENTS.override.md = a\nhome/.codex/AGENTS.md = b\np/",
        |it| it.profile(Profile::Codex),
        "home/.codex/AGENTS.md: shadowed by home/.codex/AGENTS.override.md",
    );
    let off = Sources { user: false, ..Sources::default() };
    check(
        "home/.codex/AGENTS.md = a\np/",
        |it| it.profile(Profile::Codex).sources(off),
        "home/.codex/AGENTS.md: switched off: the user's files are off",
    );
    let opencode = |it: Loader| it.profile(Profile::Opencode);
    check(
        "home/.config/opencode/AGENTS.md = a\nhome/.claude/CLAUDE.md = b\np/",
        opencode,
        "home/.claude/CLAUDE.md: shadowed by home/.config/opencode/AGENTS.md",
    );
    check(
        "
        .git/
        CLAUDE.md = a
        AGENTS.md = b
        p/CLAUDE.md = c
        p/CONTEXT.md = d
        ",
        opencode,
        "
        CLAUDE.md: shadowed by AGENTS.md
        p/CLAUDE.md: shadowed by AGENTS.md
        p/CONTEXT.md: shadowed by AGENTS.md
        ",
    );
    check(
        ".git/\nAGENTS.md = a\np/AGENTS.md = b",
        |it| it.profile(Profile::AgentsMd),
        "AGENTS.md: shadowed by p/AGENTS.md",
    );
}

/// A file of another directory has a known name, or it has not.
#[test]
fn names_in_directories_that_are_not_searched() {
    let names = ["CLAUDE.md", "GEMINI.md", ".claude/rules/r.md", ".cursor/rules/x.mdc", "notes.md"];
    let tree = names.map(|name| format!("q/{name} = a")).join("\n");
    let tree = Tree::new(&format!("p/\n{tree}"));
    let memory = tree.load("p", |it| it);
    let is_known = |name: &str| match memory.explain(&tree.path("q").join(name)) {
        LoadStatus::OtherDirectory => true,
        LoadStatus::NotAnInstructionFile => false,
        other => panic!("{other}"),
    };
    assert_eq!(names.map(is_known), [true, true, true, true, false]);
}
