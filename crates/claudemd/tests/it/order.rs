//! The files that a session starts with, and their order.

use aside_claudemd::{Additional, AgentsMd, LoadErrorKind, Mode, Sources, load};

use crate::tree::{Tree, check, check_with};

const EVERYTHING: &str = "
    managed/CLAUDE.md = m
    managed/.claude/rules/r.md = mr
    home/.claude/CLAUDE.md = u
    home/.claude/rules/a/b.md = ur
    home/.claude/rules/a.md = ur
    CLAUDE.md = top
    p/CLAUDE.md = p
    p/.claude/CLAUDE.md = p2
    p/.claude/rules/z.md = r
    p/.claude/rules/deep/er/y.md = r
    p/CLAUDE.local.md = l
    p/src/CLAUDE.md = s
    p/src/CLAUDE.local.md = sl
    p/src/below/CLAUDE.md = below
    more/CLAUDE.md = more
    more/.claude/CLAUDE.md = more
";

#[test]
fn from_low_to_high_precedence() {
    check_with(
        EVERYTHING,
        "p/src",
        |loader| loader.managed_text("inline").additional_dirs(["../../more"], Additional::Always),
        "
        managed session_start managed-settings.json#claudeMd
        managed session_start managed/CLAUDE.md
        managed session_start managed/.claude/rules/r.md
        user session_start home/.claude/CLAUDE.md
        user session_start home/.claude/rules/a/b.md
        user session_start home/.claude/rules/a.md
        project session_start CLAUDE.md
        project session_start p/CLAUDE.md
        project session_start p/.claude/CLAUDE.md
        project session_start p/.claude/rules/deep/er/y.md
        project session_start p/.claude/rules/z.md
        local session_start p/CLAUDE.local.md
        project session_start p/src/CLAUDE.md
        local session_start p/src/CLAUDE.local.md
        project session_start more/CLAUDE.md
        project session_start more/.claude/CLAUDE.md
        ",
    );
}

#[test]
fn additional_directories_exclude_their_parents() {
    let tree = "
        more/CLAUDE.md = above
        more/dir/CLAUDE.md = m
        p/CLAUDE.md = p
    ";
    let more = ["../more/dir"];
    check_with(
        tree,
        "p",
        |l| l.additional_dirs(more, Additional::InBareMode),
        "project session_start p/CLAUDE.md",
    );
    check_with(
        tree,
        "p",
        |l| l.additional_dirs(more, Additional::InBareMode).mode(Mode::Bare).managed_text("m"),
        "project session_start more/dir/CLAUDE.md",
    );
}

#[test]
fn switches() {
    check_with(EVERYTHING, "p", |l| l.mode(Mode::Off).managed_text("x"), "");
    check_with(EVERYTHING, "p", |l| l.mode(Mode::Bare), "");
    let none = Sources { user: false, project: false, local: false };
    let managed = "
        managed session_start managed/CLAUDE.md
        managed session_start managed/.claude/rules/r.md
    ";
    let with = |sources, more: &str| {
        check_with(EVERYTHING, "p", |l| l.sources(sources), &format!("{managed}{more}"));
    };
    with(none, "");
    with(
        Sources { user: true, ..none },
        "user session_start home/.claude/CLAUDE.md
         user session_start home/.claude/rules/a/b.md
         user session_start home/.claude/rules/a.md",
    );
    with(
        Sources { project: true, ..none },
        "project session_start CLAUDE.md
         project session_start p/CLAUDE.md
         project session_start p/.claude/CLAUDE.md
         project session_start p/.claude/rules/deep/er/y.md
         project session_start p/.claude/rules/z.md",
    );
    with(Sources { local: true, ..none }, "local session_start p/CLAUDE.local.md");
}

#[test]
fn agents_md_replaces_a_missing_claude_md() {
    let tree = "
        AGENTS.md = top
        p/AGENTS.md = p
        p/CLAUDE.md = p
        home/.claude/AGENTS.md = not here
    ";
    check(
        tree,
        "p",
        "
        project session_start AGENTS.md
        project session_start p/CLAUDE.md
    ",
    );
    check_with(tree, "p", |l| l.agents_md(AgentsMd::Ignore), "project session_start p/CLAUDE.md");
    check(
        "p/AGENTS.md = p\np/.claude/CLAUDE.md = q",
        "p",
        "
        project session_start p/AGENTS.md
        project session_start p/.claude/CLAUDE.md
    ",
    );
    check("p/AGENTS.md = p\np/CLAUDE.md =  ", "p", "skip p/CLAUDE.md: empty");
}

#[test]
fn user_files_are_not_loaded_twice_from_the_home_directory() {
    check(
        "
        home/.claude/CLAUDE.md = u
        home/.claude/rules/r.md = ur
        home/p/CLAUDE.md = p
        ",
        "home/p",
        "
        user session_start home/.claude/CLAUDE.md
        user session_start home/.claude/rules/r.md
        project session_start home/p/CLAUDE.md
        ",
    );
}

#[test]
fn one_file_under_two_names_is_given_once() {
    check(
        "p/CLAUDE.md = p\np/CLAUDE.local.md -> CLAUDE.md",
        "p",
        "
        project session_start p/CLAUDE.md
        skip p/CLAUDE.local.md: already loaded as p/CLAUDE.md
    ",
    );
    let tree = Tree::new("p/CLAUDE.md = p");
    std::fs::hard_link(tree.path("p/CLAUDE.md"), tree.path("p/CLAUDE.local.md")).unwrap();
    tree.check(
        "p",
        |loader| loader,
        "
        project session_start p/CLAUDE.md
        skip p/CLAUDE.local.md: already loaded as p/CLAUDE.md
    ",
    );
}

#[test]
fn the_working_directory_has_to_be_a_directory() {
    let tree = Tree::new("p/file = x");
    let fault = |path: &std::path::Path| load(path, &tree.dirs()).unwrap_err();
    assert_eq!(fault("p".as_ref()).kind(), LoadErrorKind::NotAbsolute);
    assert_eq!(fault(&tree.path("none")).kind(), LoadErrorKind::Unreachable);
    let file = fault(&tree.path("p/file"));
    assert_eq!(file.kind(), LoadErrorKind::NotADirectory);
    assert!(file.to_string().starts_with("working directory is not a directory: /"));
}
