//! Files that exist and are not loaded.

use aside_claudemd::{Additional, AgentsMd, Loader, Mode, Profile, Sources};

use crate::tree::Tree;

#[track_caller]
pub(crate) fn check(tree: &str, options: impl FnOnce(Loader) -> Loader, expected: &str) {
    let tree = Tree::new(tree);
    let root = format!("{}/", tree.path("").to_str().unwrap().trim_end_matches('/'));
    let unloaded = tree.load("p", options).unloaded();
    let inside = unloaded.files.iter().filter(|it| it.path.starts_with(&root));
    let lines = inside.map(|it| format!("{}: {}\n", it.path.display(), it.reason));
    let actual = lines.collect::<String>().replace(&root, "");
    let expected: Vec<_> = expected.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
    assert_eq!(actual.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn an_alternative_to_an_existing_file_is_shadowed() {
    let shadowed = "p/AGENTS.md: shadowed by p/CLAUDE.md";
    check("p/CLAUDE.md = a\np/AGENTS.md = b", |it| it, shadowed);
    check("p/AGENTS.md = b", |it| it, "");
    check("p/CLAUDE.md =\np/AGENTS.md = b", |it| it, &format!("p/CLAUDE.md: empty\n{shadowed}"));
}

#[test]
fn rules_that_wait_for_a_path() {
    check(
        "
        p/.claude/rules/a.md = ---\\npaths: src/**, '*.rs'\\n---\\na
        p/.claude/rules/b.md = b
        p/src/CLAUDE.md = c
        p/src/deep/AGENTS.md = d
        p/src/.claude/CLAUDE.md = e
        p/src/.claude/rules/f.md = f
        p/node_modules/x/CLAUDE.md = g
        p/src/CLAUDE.md.bak = h
        ",
        |it| it,
        "
        p/.claude/rules/a.md: rule that waits for a path: src/** *.rs
        p/src/.claude/CLAUDE.md: loads when a file in its directory is read
        p/src/.claude/rules/f.md: loads when a file in its directory is read
        p/src/CLAUDE.md: loads when a file in its directory is read
        p/src/deep/AGENTS.md: loads when a file in its directory is read
        ",
    );
}

/// A file below has the reason that it has once a file in its directory was read.
#[test]
fn files_below_that_reading_does_not_load() {
    check(
        "
        q/CLAUDE.md = q
        p/CLAUDE.md = a
        p/a/CLAUDE.md =
        p/b/CLAUDE.md -> ../../q/CLAUDE.md
        p/c/CLAUDE.md -> ../CLAUDE.md
        p/d/.claude/rules/e.md = ---\\npaths: '*.rs'\\n---\\ne
        p/f/CLAUDE.md = f
        p/g/CLAUDE.md = g
        ",
        |loader| loader.excludes(["**/f/CLAUDE.md".to_owned()]),
        "
        p/a/CLAUDE.md: empty
        p/b/CLAUDE.md: outside the project and not approved: q/CLAUDE.md
        p/c/CLAUDE.md: already loaded as p/CLAUDE.md
        p/d/.claude/rules/e.md: rule that waits for a path: *.rs
        p/f/CLAUDE.md: excluded by **/f/CLAUDE.md
        p/g/CLAUDE.md: loads when a file in its directory is read
        ",
    );
}

#[test]
fn names_of_other_agents_and_wrong_letter_case() {
    check(
        "
        GEMINI.md = a
        p/.cursorrules = a
        p/.cursor/rules/x.mdc = a
        p/.github/copilot-instructions.md = a
        p/.windsurfrules = a
        p/.clinerules = a
        p/CONVENTIONS.md = a
        p/Claude.md = a
        p/sub/GEMINI.md = a
        p/sub/.cursor/rules/y/z.mdc = a
        p/sub/.github/AGENTS.md = a
        ",
        |it| it,
        "
        GEMINI.md: only other agents read it: GitHub Copilot, gemini-cli, Crush, Zed
        p/.clinerules: only other agents read it: Cline, Roo Code, Zed
        p/.cursorrules: only other agents read it: Cursor, Cline, Crush, Zed
        p/.windsurfrules: only other agents read it: Windsurf, Cline, Zed
        p/CONVENTIONS.md: only other agents read it: aider, by convention
        p/Claude.md: letter case of the name: expected CLAUDE.md
        p/.cursor/rules/x.mdc: only other agents read it: Cursor, Cline, Crush
        p/.github/copilot-instructions.md: only other agents read it: GitHub Copilot, Crush, Zed
        p/sub/.cursor/rules/y/z.mdc: only other agents read it: Cursor, Cline, Crush
        p/sub/.github/AGENTS.md: loads when a file in its directory is read
        p/sub/GEMINI.md: only other agents read it: GitHub Copilot, gemini-cli, Crush, Zed
        ",
    );
}

#[test]
fn the_reasons_of_another_agent_follow_its_own_searches() {
    let roo = "p/.roo/rules/a.md = A\np/.roorules = B\np/AGENTS.md = C\np/AGENT.md = D";
    check(
        roo,
        |it| it.profile(Profile::Roo),
        "
        p/.roorules: shadowed by p/.roo/rules
        p/AGENT.md: shadowed by p/AGENTS.md
        ",
    );
    check(
        roo,
        |it| it,
        "
        p/.roorules: only other agents read it: Roo Code
        p/AGENT.md: only other agents read it: Roo Code, Zed
        p/.roo/rules/a.md: only other agents read it: Roo Code
        ",
    );
    // Zed reads only the root, so nothing below it replaces another file.
    check(
        "p/.git/\np/CLAUDE.md = a\np/AGENTS.md = b\np/src/CLAUDE.md = c\np/src/AGENTS.md = d",
        |it| it.profile(Profile::Zed),
        "
        p/AGENTS.md: shadowed by p/CLAUDE.md
        p/src/AGENTS.md: Zed does not read it
        p/src/CLAUDE.md: Zed does not read it
        ",
    );
    // Codex reads it at the start of a session, and on no touch.
    check(
        "p/.git/\np/src/AGENTS.md = a\np/src/CLAUDE.md = b",
        |it| it.profile(Profile::Codex),
        "
        p/src/AGENTS.md: Codex reads it in sessions that begin there
        p/src/CLAUDE.md: Codex does not read it
        ",
    );
    let cursor = "p/src/.cursor/rules/r.mdc = ---\\nglobs: '*.ts'\\n---\\nr";
    let expected = "p/src/.cursor/rules/r.mdc: rule that waits for a path: *.ts";
    check(cursor, |it| it.profile(Profile::Cursor), expected);
    let expected = "p/src/.cursor/rules/r.mdc: Codex does not read it";
    check(cursor, |it| it.profile(Profile::Codex), expected);
    // opencode reads each directory's first name on touch.
    check(
        "p/.git/\np/AGENTS.md = a\np/src/CLAUDE.md = c\np/src/AGENTS.md = d",
        |it| it.profile(Profile::Opencode),
        "
        p/src/AGENTS.md: loads when a file in its directory is read
        p/src/CLAUDE.md: shadowed by p/src/AGENTS.md
        ",
    );
}

/// Claude Code from 2.1.277 reads `AGENTS.md` and `.claude/AGENTS.md`, unless a
/// `CLAUDE.md` that it reads is in the working directory or above.
#[test]
fn what_an_agents_md_waits_for() {
    let claude = |it: Loader| it.profile(Profile::Claude277);
    let tree = "p/a/AGENTS.md = a\np/a/.claude/AGENTS.md = b";
    let waits = "
        p/a/.claude/AGENTS.md: loads when a file in its directory is read
        p/a/AGENTS.md: loads when a file in its directory is read
        ";
    check(tree, claude, waits);
    let with_claude_md = format!("p/CLAUDE.md = c\n{tree}");
    check(
        &with_claude_md,
        claude,
        "
        p/a/.claude/AGENTS.md: switched off: a CLAUDE.md is in the working directory or above
        p/a/AGENTS.md: switched off: a CLAUDE.md is in the working directory or above
        ",
    );
    check(
        &format!("{tree}\np/a/CLAUDE.local.md = c"),
        claude,
        "
        p/a/.claude/AGENTS.md: shadowed by p/a/CLAUDE.local.md
        p/a/AGENTS.md: shadowed by p/a/CLAUDE.local.md
        p/a/CLAUDE.local.md: loads when a file in its directory is read
        ",
    );
    let empty = format!("p/CLAUDE.md: empty\n{waits}");
    check(&format!("p/CLAUDE.md =\n{tree}"), claude, &empty);
    let excluded = format!("p/CLAUDE.md: excluded by **/p/CLAUDE.md\n{waits}");
    check(&with_claude_md, |it| claude(it).excludes(["**/p/CLAUDE.md"]), &excluded);
    let shared = Sources { user: false, project: true, local: false };
    let off = "p/CLAUDE.local.md: switched off: the user's files in projects are off";
    check(
        &format!("p/CLAUDE.local.md = c\n{tree}"),
        |it| claude(it).sources(shared),
        &format!("{off}\n{waits}"),
    );
}

#[test]
fn options_that_leave_files_out() {
    check(
        "p/AGENTS.md = a",
        |it| it.agents_md(AgentsMd::Ignore),
        "p/AGENTS.md: switched off: AGENTS.md is not read",
    );
    let off = Sources { user: false, project: false, local: false };
    check(
        "p/CLAUDE.md = a\np/CLAUDE.local.md = b\nhome/.claude/CLAUDE.md = c",
        |it| it.sources(off),
        "
        home/.claude/CLAUDE.md: switched off: the user's files are off
        p/CLAUDE.local.md: switched off: the user's files in projects are off
        p/CLAUDE.md: switched off: the files of projects are off
        ",
    );
    check(
        "p/CLAUDE.md = a\np/add/.claude/rules/r.md = r",
        |it| it.sources(off).additional_dirs(["add"], Additional::InBareMode),
        "
        p/CLAUDE.md: switched off: the files of projects are off
        p/add/.claude/rules/r.md: switched off: the files of projects are off
        ",
    );
    let tree = "p/CLAUDE.md = a\np/y/CLAUDE.md = y\nz/CLAUDE.md = z";
    let add = |it: Loader| it.additional_dirs(["../z"], Additional::InBareMode);
    check(
        tree,
        add,
        "
        z/CLAUDE.md: switched off: additional directories are not searched
        p/y/CLAUDE.md: loads when a file in its directory is read
        ",
    );
    check(
        tree,
        |it| add(it).mode(Mode::Bare),
        "
        p/CLAUDE.md: switched off: only additional directories are read
        p/y/CLAUDE.md: switched off: only additional directories are read
        ",
    );
    check(
        tree,
        |it| add(it).mode(Mode::Off),
        "
        p/CLAUDE.md: switched off: no instruction file is read
        z/CLAUDE.md: switched off: no instruction file is read
        p/y/CLAUDE.md: switched off: no instruction file is read
        ",
    );
    check("p/CLAUDE.md = a", |it| it.excludes(["CLAUDE.md"]), "p/CLAUDE.md: excluded by CLAUDE.md");
}

#[test]
fn notes_and_managed_text_that_options_leave_out() {
    let tree = Tree::new("notes/MEMORY.md = n\nnotes/CLAUDE.md = c\np/");
    let root = format!("{}/", tree.path("").to_str().unwrap().trim_end_matches('/'));
    let check = |options: fn(Loader) -> Loader, text: &str, notes: &str| {
        let with_both = |it: Loader| options(it.auto_memory(tree.path("notes")).managed_text("m"));
        let memory = tree.load("p", with_both);
        let listed: Vec<_> = memory
            .unloaded()
            .files
            .iter()
            .map(|it| {
                format!("{}: not loaded: {}", it.path.display(), it.reason).replace(&root, "")
            })
            .collect();
        let mut expected = Vec::new();
        for (path, answer) in
            [("managed-settings.json#claudeMd", text), ("../notes/MEMORY.md", notes)]
        {
            assert_eq!(memory.explain(path.as_ref()).to_string(), answer, "{path}");
            if answer.starts_with("not loaded") {
                expected.push(format!("{}: {answer}", path.trim_start_matches("../")));
            }
        }
        assert_eq!(listed, expected);
        let is_searched = memory.unloaded().searched.iter().any(|dir| dir.ends_with("notes"));
        assert_eq!(is_searched, notes.starts_with("loaded"));
    };
    let loaded = "loaded: session_start";
    check(|it| it, loaded, loaded);
    let off = "not loaded: switched off: auto memory is off";
    check(Loader::without_auto_memory, loaded, off);
    let bare = "not loaded: switched off: only additional directories are read";
    check(|it| it.mode(Mode::Bare), bare, bare);
    let none = "not loaded: switched off: no instruction file is read";
    check(|it| it.mode(Mode::Off), none, none);
    let codex = "not loaded: Codex does not read it";
    check(|it| it.profile(Profile::Codex), codex, codex);
    let none = tree.load("p", |it| it.auto_memory("../gone").managed_text(" ").mode(Mode::Bare));
    assert!(none.unloaded().files.is_empty());
}

#[test]
fn the_notes_have_their_name_only_in_their_directory() {
    let tree = Tree::new(
        "
        p/docs/memory.md = a
        p/src/MEMORY.md = b
        p/MEMORY.md = c
        p/docs/claude.md = d
        notes/memory.md = e
        ",
    );
    let memory = tree.load("p", |it| it.auto_memory(tree.path("notes")));
    let listed: Vec<_> = memory.unloaded().files.into_iter().map(|it| it.path).collect();
    assert_eq!(listed, [tree.path("p/docs/claude.md")]);
    let other = "not loaded: no instruction file has this name, and none that is loaded imports it";
    for (path, answer) in [
        ("docs/memory.md", other),
        ("src/MEMORY.md", other),
        ("MEMORY.md", other),
        ("docs/claude.md", "not loaded: letter case of the name: expected CLAUDE.md"),
        ("../notes/memory.md", "not loaded: letter case of the name: expected MEMORY.md"),
    ] {
        assert_eq!(memory.explain(path.as_ref()).to_string(), answer, "{path}");
    }
}

#[test]
fn rules_that_options_leave_out() {
    let tree = "home/.claude/rules/u.md = u\np/.claude/rules/a/r.md = r\nz/.claude/rules/z.md = z";
    let add = |it: Loader| it.additional_dirs(["../z"], Additional::InBareMode);
    check(tree, add, "z/.claude/rules/z.md: switched off: additional directories are not searched");
    check(
        tree,
        |it| add(it).sources(Sources { user: false, project: false, local: false }),
        "
        home/.claude/rules/u.md: switched off: the user's files are off
        p/.claude/rules/a/r.md: switched off: the files of projects are off
        z/.claude/rules/z.md: switched off: additional directories are not searched
        ",
    );
    check(
        tree,
        |it| add(it).mode(Mode::Bare),
        "
        home/.claude/rules/u.md: switched off: only additional directories are read
        p/.claude/rules/a/r.md: switched off: only additional directories are read
        ",
    );
    check(
        tree,
        |it| add(it).mode(Mode::Off),
        "
        home/.claude/rules/u.md: switched off: no instruction file is read
        p/.claude/rules/a/r.md: switched off: no instruction file is read
        z/.claude/rules/z.md: switched off: no instruction file is read
        ",
    );
}

#[test]
fn one_file_is_explained() {
    let tree = Tree::new(
        "p/CLAUDE.md = @docs/a.md\np/docs/a.md = a\np/b/AGENTS.md = @i.md\np/b/i.md = i\nq/CLAUDE.md = q\np/x.md = x\np/target/CLAUDE.md = t\np/.claude/rules/r.md = ---\\npaths: b/**\\n---\\nr",
    );
    let root = format!("{}/", tree.path("").to_str().unwrap().trim_end_matches('/'));
    let mut memory = tree.load("p", |it| it);
    let check = |memory: &aside_claudemd::Memory, path: &str, expected: &str| {
        let status = memory.explain(path.as_ref()).to_string().replace(&root, "");
        assert_eq!(status, expected, "{path}");
    };
    check(&memory, "CLAUDE.md", "loaded: session_start");
    check(&memory, "docs/../docs/a.md", "loaded: include, imported by p/CLAUDE.md");
    check(&memory, "b/AGENTS.md", "not loaded: loads when a file in its directory is read");
    check(
        &memory,
        "../q/CLAUDE.md",
        "not loaded: a session in this directory does not search there",
    );
    check(
        &memory,
        "x.md",
        "not loaded: no instruction file has this name, and none that is loaded imports it",
    );
    check(&memory, "target/CLAUDE.md", "not loaded: loads when a file in its directory is read");
    check(&memory, ".claude/rules/r.md", "not loaded: rule that waits for a path: b/**");
    check(&memory, "gone.md", "not loaded: there is no such file");
    assert_eq!(memory.touch("b/main.rs").len(), 3);
    assert!(memory.unloaded().files.is_empty());
    check(&memory, "b/AGENTS.md", "loaded: nested_traversal");
    check(&memory, "b/i.md", "loaded: include, imported by p/b/AGENTS.md");
    check(&memory, ".claude/rules/r.md", "loaded: path_glob_match");
    check(&memory, "target/CLAUDE.md", "not loaded: loads when a file in its directory is read");
}

/// A rule is at most 32 directories below its rules directory, an instruction file at most 64 below
/// the working directory.
#[test]
fn a_file_below_the_last_level_never_loads() {
    let levels = |count: usize| "d/".repeat(count);
    let rules = |dir: &str, count| format!("{dir}/.claude/rules/{}r.md", levels(count));
    let below = |count| format!("p/{}CLAUDE.md", levels(count));
    let files = [
        rules("home", 32),
        rules("home", 33),
        rules("p", 32),
        rules("p", 33),
        rules("p/s", 32),
        rules("p/s", 33),
        below(64),
        below(65),
    ];
    let tree = Tree::new(&files.map(|file| format!("{file} = r\n")).concat());
    let mut memory = tree.load("p", |it| it);
    let check = |memory: &aside_claudemd::Memory, file: &str, expected: &str| {
        assert_eq!(memory.explain(&tree.path(file)).to_string(), expected, "{file}");
    };
    let rule_limit = "not loaded: over the limit of 32 levels of directories";
    let waits = "not loaded: loads when a file in its directory is read";
    check(&memory, &rules("home", 32), "loaded: session_start");
    check(&memory, &rules("home", 33), rule_limit);
    check(&memory, &rules("p", 32), "loaded: session_start");
    check(&memory, &rules("p", 33), rule_limit);
    check(&memory, &rules("p/s", 32), waits);
    check(&memory, &rules("p/s", 33), rule_limit);
    check(&memory, &below(64), waits);
    check(&memory, &below(65), "not loaded: over the limit of 64 levels of directories");
    assert_eq!(memory.touch("s/a.rs").len(), 1);
    assert_eq!(memory.touch(format!("{}a.rs", levels(65))).len(), 1);
}

/// Only a file is loaded. Files in a directory with a rule's name are rules.
#[test]
fn a_directory_with_the_name_of_a_file_is_none() {
    let tree = Tree::new(
        "p/.claude/rules/dir.md/a.md = a\np/b/.claude/rules/dir.md/a.md = a\np/c/CLAUDE.md/\np/c/.claude/rules/r.md = r",
    );
    let memory = tree.load("p", |it| it);
    let check = |path: &str, expected: &str| {
        assert_eq!(memory.explain(path.as_ref()).to_string(), expected, "{path}");
    };
    check(".claude/rules/dir.md", "not loaded: a directory, not a file");
    check(".claude/rules/dir.md/a.md", "loaded: session_start");
    check("b/.claude/rules/dir.md", "not loaded: a directory, not a file");
    check("c/CLAUDE.md", "not loaded: a directory, not a file");
    let below = "not loaded: loads when a file in its directory is read";
    check("b/.claude/rules/dir.md/a.md", below);
    check("c/.claude/rules/r.md", below);
}

/// A directory has several names if links lead to it.
#[test]
fn a_file_is_explained_by_any_name_of_its_directory() {
    let tree = Tree::new(
        "p/CLAUDE.md = @docs/a.md\np/docs/a.md = a\np/b/CLAUDE.md = b\np/x.md = x\np/target/CLAUDE.md = t\nl -> p\nq/CLAUDE.md = q\nk -> q",
    );
    for (cwd, other) in [("p", "../l"), ("l", "../p"), ("l", "../l"), ("p", "../k/../l")] {
        let memory = tree.load(cwd, |it| it);
        let root = format!("{}/", tree.path("").to_str().unwrap().trim_end_matches('/'));
        let check = |file: &str, expected: &str| {
            let path = tree.path(cwd).join(other).join(file);
            let status = memory.explain(&path).to_string().replace(&root, "");
            assert_eq!(status, expected, "{} in {cwd}", path.display());
        };
        check("CLAUDE.md", "loaded: session_start");
        check("docs/a.md", &format!("loaded: include, imported by {cwd}/CLAUDE.md"));
        check("b/CLAUDE.md", "not loaded: loads when a file in its directory is read");
        check("target/CLAUDE.md", "not loaded: loads when a file in its directory is read");
        check("gone.md", "not loaded: there is no such file");
        check(
            "x.md",
            "not loaded: no instruction file has this name, and none that is loaded imports it",
        );
        check("../k/CLAUDE.md", "not loaded: a session in this directory does not search there");
    }
}

#[test]
fn the_searched_directories_are_named() {
    let tree = Tree::new("p/");
    let searched = tree.load("p", |it| it).unloaded().searched;
    for dir in ["managed", "home/.claude", "", "p"] {
        let dir = tree.path(dir).components().collect::<std::path::PathBuf>();
        assert!(searched.contains(&dir), "{dir:?} in {searched:?}");
    }
}
