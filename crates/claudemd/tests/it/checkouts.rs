//! Repositories and worktrees.

use crate::tree::check;

const WORKTREE: &str = "
    CLAUDE.md = above
    main/.git/worktrees/w/commondir = ../..
    main/CLAUDE.md = m
    main/CLAUDE.local.md = ml
    main/.claude/CLAUDE.md = m
    main/.claude/rules/r.md = r
    main/trees/AGENTS.md = t
    main/trees/w/.git = gitdir: GITDIR
    main/trees/w/CLAUDE.md = w
    main/trees/w/src/CLAUDE.md = src
";

#[test]
fn a_worktree_in_its_main_checkout_skips_checked_in_files() {
    for gitdir in ["ROOT/main/.git/worktrees/w", "../../.git/worktrees/w"] {
        check(
            &WORKTREE.replace("GITDIR", gitdir),
            "main/trees/w/src",
            "
            project session_start CLAUDE.md
            local session_start main/CLAUDE.local.md
            project session_start main/trees/w/CLAUDE.md
            project session_start main/trees/w/src/CLAUDE.md
            skip main/CLAUDE.md: belongs to the checkout around this worktree
            skip main/.claude/CLAUDE.md: belongs to the checkout around this worktree
            skip main/.claude/rules/r.md: belongs to the checkout around this worktree
            skip main/trees/AGENTS.md: belongs to the checkout around this worktree
        ",
        );
    }
}

#[test]
fn a_worktree_elsewhere_skips_nothing() {
    check(
        "
        main/.git/worktrees/w/commondir = ../..
        main/CLAUDE.md = m
        w/.git = gitdir: ROOT/main/.git/worktrees/w
        w/CLAUDE.md = w
        ",
        "w",
        "project session_start w/CLAUDE.md",
    );
}

#[test]
fn a_submodule_is_no_worktree() {
    check(
        "
        main/.git/modules/s/HEAD = x
        main/CLAUDE.md = m
        main/s/.git = gitdir: ../.git/modules/s
        main/s/CLAUDE.md = s
        ",
        "main/s",
        "
        project session_start main/CLAUDE.md
        project session_start main/s/CLAUDE.md
        ",
    );
}

#[test]
fn user_and_managed_rules_are_relative_to_the_repository() {
    check(
        "
        managed/.claude/rules/m.md = ---\\npaths: src/*.rs\\n---\\nm
        home/.claude/rules/u.md = ---\\npaths: src/*.rs\\n---\\nu
        p/.git/
        p/sub/.claude/rules/r.md = ---\\npaths: src/*.rs\\n---\\nr
        ",
        "p/sub",
        "
        touch p/sub/src/a.rs
        project path_glob_match p/sub/.claude/rules/r.md
        touch p/src/a.rs
        managed path_glob_match managed/.claude/rules/m.md
        user path_glob_match home/.claude/rules/u.md
        ",
    );
}
