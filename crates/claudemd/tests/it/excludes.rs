//! Excludes in the settings.

use aside_claudemd::Profile;

use crate::tree::Tree;

const TREE: &str = "
    managed/CLAUDE.md = m
    home/.claude/CLAUDE.md = u
    p/CLAUDE.md = @x.md
    p/x.md = x
    p/.claude/rules/a.md = a
    p/real/CLAUDE.md = r
    p/link -> real
";

#[track_caller]
fn check(exclude: &str, expected: &str) {
    let tree = Tree::new(TREE);
    let exclude = exclude.replace("ROOT", tree.path("").to_str().unwrap().trim_end_matches('/'));
    tree.check("p", |loader| loader.excludes([exclude]), expected);
}

const REST: &str = "
    managed session_start managed/CLAUDE.md
    user session_start home/.claude/CLAUDE.md
    project session_start p/CLAUDE.md
    project include p/x.md < p/CLAUDE.md
    project session_start p/.claude/rules/a.md
";

#[track_caller]
fn check_without(exclude: &str, files: &[&str]) {
    let left =
        REST.lines().filter(|line| !files.iter().any(|file| line.contains(&format!(" {file}"))));
    let mut expected: Vec<String> = left.map(str::to_owned).collect();
    expected.extend(
        files
            .iter()
            .map(|file| format!("skip {file}: excluded by {}", exclude.replace("ROOT/", ""))),
    );
    check(exclude, &expected.join("\n"));
}

#[test]
fn globs_and_paths() {
    check_without("ROOT/p/x.md", &["p/x.md"]);
    check_without("**/x.md", &["p/x.md"]);
    check_without("x.md", &["p/x.md"]);
    check_without("./x.md", &["p/x.md"]);
    check_without("~/.claude/CLAUDE.md", &["home/.claude/CLAUDE.md"]);
    check_without("ROOT/p/.claude/rules/**", &["p/.claude/rules/a.md"]);
    check_without("ROOT/p/.claude", &["p/.claude/rules/a.md"]);
    check_without("**/{x,y}.md", &["p/x.md"]);
    check("ROOT/*/x", REST);
    check("x", REST);
}

#[test]
fn a_directory_may_have_the_name_of_a_pattern() {
    for name in ["p", "[p]", "{p}", "{p,q}", "p?", "p*", "p\\q"] {
        Tree::new(&format!(
            "{name}/CLAUDE.md = p\n{name}/.claude/rules/a.md = a\n"
        ))
        .check(
            name,
            |loader| loader.excludes([".claude"]),
            &format!(
                "project session_start {name}/CLAUDE.md\nskip {name}/.claude/rules/a.md: excluded by .claude"
            ),
        );
    }
}

#[test]
fn a_special_character_is_written_as_a_class() {
    let tree = Tree::new("p/CLAUDE.md = p\np/[id]/CLAUDE.md = c\n");
    let exclude = tree.path("p/[[]id[]]");
    let exclude = exclude.to_str().unwrap();
    tree.check(
        "p/[id]",
        |loader| loader.excludes([exclude]),
        "project session_start p/CLAUDE.md\nskip p/[id]/CLAUDE.md: excluded by p/[[]id[]]",
    );
}

#[test]
fn a_path_with_special_characters_is_excluded_as_written() {
    for name in ["[slug]", "[[...slug]]", "[post-id]", "{a,b}", "a[", "a"] {
        let tree =
            Tree::new(&format!("p/CLAUDE.md = p\np/{name}/CLAUDE.md = c\np/s/CLAUDE.md = s"));
        let absolute = tree.path(&format!("p/{name}/CLAUDE.md"));
        for exclude in [&format!("{name}/CLAUDE.md"), name, absolute.to_str().unwrap()] {
            let files = |touched: &str| {
                let mut memory = tree.load("p", |loader| loader.excludes([exclude]));
                memory.touch(tree.path(&format!("p/{touched}/f"))).len()
            };
            assert_eq!(files(name), 0, "{exclude}");
            // `[slug]` is also a glob, for the directory `s`.
            let is_glob = exclude.contains("[slug]/");
            assert_eq!(files("s"), usize::from(!is_glob), "{exclude}");
        }
    }
}

#[test]
fn managed_files_cannot_be_excluded() {
    check(
        "**",
        "
        managed session_start managed/CLAUDE.md
        skip home/.claude/CLAUDE.md: excluded by **
        skip p/CLAUDE.md: excluded by **
        skip p/.claude/rules/a.md: excluded by **
    ",
    );
}

#[test]
fn the_resolved_path_is_matched_too() {
    check(
        "**/real/CLAUDE.md",
        &format!(
            "{REST}
        touch p/link/f
        skip p/link/CLAUDE.md: excluded by **/real/CLAUDE.md
    "
        ),
    );
    check(
        "**/link/**",
        &format!(
            "{REST}
        touch p/link/f
        skip p/link/CLAUDE.md: excluded by **/link/**
        touch p/real/f
        project nested_traversal p/real/CLAUDE.md
    "
        ),
    );
}

#[test]
fn an_invalid_exclude_is_reported_and_the_others_apply() {
    let tree = Tree::new(TREE);
    let memory = tree.load("p", |loader| loader.excludes(["**/{a", "**/x.md"]));
    let messages: Vec<_> = memory.diagnostics().iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].starts_with("bad exclude \"**/{a\": "), "{messages:?}");
    assert!(messages[1].ends_with("excluded by **/x.md"), "{messages:?}");
}

#[test]
fn an_exclude_without_a_name_is_reported_and_excludes_nothing() {
    let tree = Tree::new(TREE);
    let files = |excludes: Vec<&str>| {
        let memory = tree.load("p", |loader| loader.excludes(excludes));
        let messages = memory.diagnostics().iter().map(|it| it.message.clone());
        (memory.files().len(), messages.collect::<Vec<_>>())
    };
    let (all, none) = files(Vec::new());
    assert!(none.is_empty(), "{none:?}");
    for exclude in ["", " ", ".", "./", "/", "..", "./."] {
        let (count, messages) = files(vec![exclude]);
        assert_eq!(count, all, "{exclude}");
        assert_eq!(messages, [format!("bad exclude \"{exclude}\": names no file or directory")]);
    }
    let (count, messages) = files(vec!["x.md"]);
    assert_eq!((count, messages.len()), (all - 1, 1), "{messages:?}");
}

#[test]
fn an_invalid_exclude_is_reported_at_its_settings_file() {
    let tree = Tree::new(TREE);
    let memory = tree.load("p", |loader| {
        let places = [("**/{a", "/etc/settings.json")];
        loader.excludes(["**/{a", "**/{b"]).exclude_places(places.into_iter())
    });
    let reported: Vec<_> = memory.diagnostics().iter().map(|it| it.path().unwrap()).collect();
    assert_eq!(reported.len(), 2, "{reported:?}");
    assert_eq!(reported[0].to_str(), Some("/etc/settings.json"));
    assert!(reported[1].ends_with("p"), "{reported:?}");
}

/// They are in Claude Code's settings, which no other agent reads.
#[test]
fn other_agents_have_no_excludes() {
    let tree = Tree::new("p/.git/\np/AGENTS.md = a");
    for (profile, count) in [(Profile::Codex, 1), (Profile::default(), 0)] {
        let memory = tree.load("p", |loader| loader.profile(profile).excludes(["**/AGENTS.md"]));
        assert_eq!(memory.files().len(), count, "{profile:?}");
    }
}

/// Claude Code compares its excludes with absolute paths only. Aside's own rules take names, too.
#[test]
fn claude_code_ignores_an_exclude_that_is_not_absolute() {
    let tree = Tree::new("p/CLAUDE.md = a\np/.claude/CLAUDE.md = b");
    let root = tree.path("p").to_str().unwrap().to_owned();
    for (exclude, meant, is_ignored) in [
        ("CLAUDE.md", "**/CLAUDE.md", true),
        ("./CLAUDE.md", "**/CLAUDE.md", true),
        (".claude", "**/.claude/**", true),
        (&*root, &*format!("{root}/**"), true),
        ("**/CLAUDE.md", "", false),
        ("{**/CLAUDE.md,/x}", "", false),
        (&*format!("{root}/CLAUDE.md"), "", false),
        (&*format!("{root}/**"), "", false),
    ] {
        let with = |profile| tree.load("p", |it| it.excludes([exclude]).profile(profile));
        assert!(with(Profile::Claude).files().len() < 2, "{exclude}");
        let memory = with(Profile::Claude277);
        assert_eq!(memory.files().len() == 2, is_ignored, "{exclude}");
        let messages: Vec<_> = memory.diagnostics().iter().map(|it| &*it.message).collect();
        let expected = format!("bad exclude \"{exclude}\": Claude Code ignores it: write {meant}");
        assert_eq!(messages.contains(&&*expected), is_ignored, "{messages:?}");
    }
}
