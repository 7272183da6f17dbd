//! Links that are checked into a repository and lead out of it.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aside_claudemd::{Additional, ImportPolicy, Memory, MemoryFile, SkipReason};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::tree::{Tree, busy_time, check, check_with};

/// The files outside the project `p`.
const OUTSIDE: &str = "
    p/
    out/secret.md = secret
    out/CLAUDE.md = secret
    out/rules/secret.md = secret
    out/paths.md = ---\\npaths: '**'\\n---\\nsecret
    out/chain.md -> secret.md
";

/// An instruction file, or a directory with some, that is a link.
struct Case {
    /// The link, and other files.
    tree: &'static str,
    /// The path that is reported.
    path: &'static str,
    /// Where the link leads: this is reported, and can be approved.
    target: &'static str,
    /// The path that the model reads, for files that load only on a touch.
    touch: Option<&'static str>,
}

const fn case(tree: &'static str, path: &'static str, target: &'static str) -> Case {
    Case { tree, path, target, touch: None }
}

const fn touched(tree: &'static str, path: &'static str, target: &'static str) -> Case {
    Case { touch: Some("p/sub/x.rs"), ..case(tree, path, target) }
}

/// Every place where a project's instruction file can be a link.
const CASES: [Case; 19] = [
    case("p/CLAUDE.md -> ../out/secret.md", "p/CLAUDE.md", "out/secret.md"),
    case("p/CLAUDE.md -> ROOT/out/secret.md", "p/CLAUDE.md", "out/secret.md"),
    case("p/CLAUDE.md -> ../out/chain.md", "p/CLAUDE.md", "out/secret.md"),
    case("p/AGENTS.md -> ../out/secret.md", "p/AGENTS.md", "out/secret.md"),
    case("p/.claude/CLAUDE.md -> ../../out/secret.md", "p/.claude/CLAUDE.md", "out/secret.md"),
    case("p/.claude -> ../out", "p/.claude/CLAUDE.md", "out/CLAUDE.md"),
    case("p/.claude -> ../out", "p/.claude/rules", "out/rules"),
    case("p/CLAUDE.local.md -> ../out/secret.md", "p/CLAUDE.local.md", "out/secret.md"),
    case("p/.claude/rules -> ../../out/rules", "p/.claude/rules", "out/rules"),
    case("p/.claude/rules/a.md -> ../../../out/secret.md", "p/.claude/rules/a.md", "out/secret.md"),
    case("p/.claude/rules/sub -> ../../../out/rules", "p/.claude/rules/sub", "out/rules"),
    case("p/CLAUDE.md = @a.md\np/a.md -> ../out/secret.md", "p/a.md", "out/secret.md"),
    case("p/CLAUDE.md = @docs/secret.md\np/docs -> ../out", "p/docs/secret.md", "out/secret.md"),
    touched(
        "p/.claude/rules/a.md -> ../../../out/paths.md",
        "p/.claude/rules/a.md",
        "out/paths.md",
    ),
    touched("p/sub/CLAUDE.md -> ../../out/secret.md", "p/sub/CLAUDE.md", "out/secret.md"),
    touched("p/sub/AGENTS.md -> ../../out/secret.md", "p/sub/AGENTS.md", "out/secret.md"),
    touched(
        "p/sub/CLAUDE.local.md -> ../../out/secret.md",
        "p/sub/CLAUDE.local.md",
        "out/secret.md",
    ),
    touched("p/sub -> ../out", "p/sub/CLAUDE.md", "out/CLAUDE.md"),
    touched("p/sub/.claude/rules -> ../../../out/rules", "p/sub/.claude/rules", "out/rules"),
];

impl Case {
    fn tree(&self) -> Tree {
        Tree::new(&format!("{OUTSIDE}{}", self.tree))
    }

    /// Returns all loaded files, and the memory.
    fn load(&self, tree: &Tree, policy: ImportPolicy) -> (Vec<MemoryFile>, Memory) {
        let mut memory = tree.load("p", |loader| loader.imports(policy));
        let mut files = memory.files().to_vec();
        if let Some(path) = self.touch {
            files.extend(memory.touch(tree.path(path)));
        }
        (files, memory)
    }
}

fn is_secret(file: &MemoryFile) -> bool {
    file.text.contains("secret") && !file.text.contains('@')
}

/// Links are kept inside, not only imports.
#[test]
fn no_link_leads_out_of_the_project() {
    for case in CASES {
        let tree = case.tree();
        let (files, memory) = case.load(&tree, ImportPolicy::Deny);
        let secrets = files.iter().filter(|file| is_secret(file));
        assert_eq!(secrets.count(), 0, "{}", case.tree);
        let (path, target) = (tree.path(case.path), tree.path(case.target));
        let skipped = memory
            .skipped()
            .iter()
            .find(|skipped| skipped.path == path)
            .unwrap_or_else(|| panic!("{} is not reported", case.tree));
        let target_of = |reason: &SkipReason| match reason {
            SkipReason::External { target } => Some(target.clone()),
            _ => None,
        };
        assert_eq!(target_of(&skipped.reason), Some(target.clone()), "{}", case.tree);
        // The diagnostic names both paths.
        let diagnostic = skipped.diagnostic();
        let messages = diagnostic.to_string();
        assert!(memory.diagnostics().contains(&diagnostic));
        for path in [path, target] {
            assert!(messages.contains(path.to_str().unwrap()), "{messages}");
        }
    }
}

#[test]
fn approved_links_are_loaded() {
    for case in CASES {
        let tree = case.tree();
        let targets = BTreeSet::from([tree.path(case.target)]);
        for policy in [ImportPolicy::Allow, ImportPolicy::Only { targets }] {
            let (files, _) = case.load(&tree, policy);
            assert!(files.iter().any(is_secret), "{}", case.tree);
        }
        let targets = BTreeSet::from([tree.path("out/none")]);
        let (files, _) = case.load(&tree, ImportPolicy::Only { targets });
        assert!(!files.iter().any(is_secret), "{}", case.tree);
    }
}

/// A project's link may lead anywhere in the project, and to additional
/// directories.
#[test]
fn links_inside_are_followed() {
    let tree = "
        p/docs/a.md = a
        p/sub/CLAUDE.md -> ../docs/a.md
        p/sub/CLAUDE.local.md -> ROOT/added/b.md
        added/b.md = b
    ";
    check_with(
        &format!("{tree}\np/.git/HEAD = x"),
        "p/sub",
        |loader| loader,
        "
        project session_start p/sub/CLAUDE.md
        skip p/sub/CLAUDE.local.md: outside the project and not approved: added/b.md
        ",
    );
    // Without a repository, the project is the working directory.
    check(
        tree,
        "p/sub",
        "
        skip p/sub/CLAUDE.md: outside the project and not approved: p/docs/a.md
        skip p/sub/CLAUDE.local.md: outside the project and not approved: added/b.md
        ",
    );
    let tree = Tree::new(tree);
    let added = [tree.path("added"), tree.path("p/docs")];
    let memory = tree.load("p/sub", |loader| loader.additional_dirs(added, Additional::InBareMode));
    let texts: Vec<_> = memory.files().iter().map(|file| &*file.text).collect();
    assert_eq!(texts, ["a", "b"]);
}

/// In a repository, an additional directory does not widen the project: only its
/// own files lead into it.
#[test]
fn additional_directories_do_not_belong_to_a_repository() {
    check_with(
        "
        p/.git/HEAD = x
        p/CLAUDE.md = @../q/n.md @../q/CLAUDE.md
        p/CLAUDE.local.md -> ROOT/q/n.md
        q/CLAUDE.md = @n.md @../p/m.md @../out.md
        q/.claude/CLAUDE.md -> ROOT/q/d.md
        q/.claude/rules/r.md -> ROOT/out.md
        q/n.md = n
        q/d.md = d
        p/m.md = m
        out.md = out
        ",
        "p",
        |loader| loader.additional_dirs(["../q"], Additional::Always),
        "
        project session_start p/CLAUDE.md
        project session_start q/CLAUDE.md
        project include q/n.md < q/CLAUDE.md
        project include p/m.md < q/CLAUDE.md
        project session_start q/.claude/CLAUDE.md
        skip q/n.md: outside the project and not approved: q/n.md
        skip q/CLAUDE.md: outside the project and not approved: q/CLAUDE.md
        skip p/CLAUDE.local.md: outside the project and not approved: q/n.md
        skip out.md: outside the project and not approved: out.md
        skip q/.claude/rules/r.md: outside the project and not approved: out.md
        ",
    );
}

#[test]
fn users_and_administrators_may_link_to_anywhere() {
    check(
        "
        p/
        dotfiles/CLAUDE.md = @more.md
        dotfiles/more.md = m
        dotfiles/rules/r.md = r
        home/.claude/CLAUDE.md -> ROOT/dotfiles/CLAUDE.md
        home/.claude/rules -> ROOT/dotfiles/rules
        home/.claude/more.md -> ROOT/dotfiles/more.md
        managed/CLAUDE.md -> ROOT/dotfiles/rules/r.md
        ",
        "p",
        "
        managed session_start managed/CLAUDE.md
        user session_start home/.claude/CLAUDE.md
        user include home/.claude/more.md < home/.claude/CLAUDE.md
        skip home/.claude/rules/r.md: already loaded as managed/CLAUDE.md
        ",
    );
}

/// A directory above the project does not belong to the repository, but may
/// belong to another user.
#[test]
fn above_the_project_links_stay_below_their_directory() {
    check(
        "
        home/x/CLAUDE.md -> notes/a.md
        home/x/CLAUDE.local.md -> ../secret
        home/x/.claude/rules -> ../notes
        home/x/notes/a.md = a
        home/x/notes/b.md = ---\\npaths: '**'\\n---\\nb
        home/x/p/.git/HEAD = x
        home/secret = secret
        ",
        "home/x/p",
        "
        project session_start home/x/CLAUDE.md
        skip home/x/.claude/rules/a.md: already loaded as home/x/CLAUDE.md
        skip home/x/CLAUDE.local.md: outside the project and not approved: home/secret
        touch home/x/p/f
        project path_glob_match home/x/.claude/rules/b.md
        ",
    );
}

/// A FIFO is reported, and the loader does not wait for a writer.
#[test]
fn special_files_are_reported_in_every_place() {
    for (path, touch) in [
        ("p/CLAUDE.md", None),
        ("p/AGENTS.md", None),
        ("p/.claude/CLAUDE.md", None),
        ("p/.claude/rules/a.md", None),
        ("p/CLAUDE.local.md", None),
        ("p/imported.md", None),
        ("home/.claude/CLAUDE.md", None),
        ("home/.claude/rules/a.md", None),
        ("managed/CLAUDE.md", None),
        ("p/sub/CLAUDE.md", Some("p/sub/x")),
        ("p/sub/.claude/rules/a.md", Some("p/sub/x")),
        ("p/sub/CLAUDE.local.md", Some("p/sub/x")),
    ] {
        let imports = match path {
            "p/imported.md" => "p/CLAUDE.md = @imported.md",
            _ => "p/",
        };
        let tree = Tree::new(&format!("{imports}\n{path} |"));
        let mut memory = tree.load("p", |loader| loader);
        if let Some(touch) = touch {
            memory.touch(tree.path(touch));
        }
        let skipped = memory.skipped();
        let reasons: Vec<_> = skipped.iter().map(|it| it.reason.to_string()).collect();
        assert_eq!(reasons, ["a FIFO, not a file"], "{path}");
        assert_eq!(skipped[0].path, tree.path(path));
    }
}

/// Directories are replaced by links to other places, again and again, while
/// instruction files are loaded from them. To resolve a path and open it by its
/// name would load the secret within a few hundred rounds.
#[test]
fn an_exchanged_directory_never_leads_outside() {
    let tree = Tree::new(
        "
        p/CLAUDE.md = @docs/a.md
        p/docs/a.md = a
        p/docs/CLAUDE.md = c
        p/docs/.claude/rules/r.md = r
        p/link -> ../out
        out/a.md = secret
        out/CLAUDE.md = secret
        out/.claude/rules/r.md = secret
        ",
    );
    let (dir, link) = (tree.path("p/docs"), tree.path("p/link"));
    let touched = tree.path("p/docs/x");
    let stop = AtomicBool::new(false);
    let (mut inside, mut leaked, mut rounds) = (0, None, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let start = Instant::now();
        while leaked.is_none()
            && (rounds < 1_000 || (inside == 0 && start.elapsed() < Duration::from_secs(60)))
        {
            let mut memory = tree.load("p", |loader| loader);
            let mut files = memory.files().to_vec();
            files.extend(memory.touch(&touched));
            inside += files.iter().filter(|file| &*file.text == "a").count();
            leaked = files.into_iter().find(is_secret);
            rounds += 1;
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(leaked, None);
    assert!(inside > 0);
}

/// A directory's path is as long as the directory is deep, so work by paths
/// costs the cube of the depth: several minutes here.
#[test]
fn three_thousand_levels_of_rules() {
    let tree = Tree::new("p/.claude/rules/a.md = a");
    tree.nest("p/.claude/rules/b", 3_000);
    let (memory, time) = busy_time(|| tree.load("p", |loader| loader));
    assert!(time < Duration::from_secs(1), "{time:?}");
    assert_eq!(memory.files().len(), 1);
    let deep = tree.path(&format!("p/.claude/rules/b{}", "/d".repeat(32)));
    let skipped: Vec<_> =
        memory.skipped().iter().map(|it| (&it.path, it.reason.to_string())).collect();
    assert_eq!(skipped, [(&deep, "over the limit of 32 levels of directories".to_owned())]);
}

#[test]
fn rules_may_be_32_levels_deep() {
    let deep = "/d".repeat(32);
    let tree =
        Tree::new(&format!("p/.claude/rules{deep}/a.md = a\np/.claude/rules{deep}/d/b.md = b"));
    let memory = tree.load("p", |loader| loader);
    assert_eq!((memory.files().len(), memory.skipped().len()), (1, 1));
    assert_eq!(&*memory.files()[0].text, "a");
}

/// To resolve each directory above the file, and to search all of them for
/// instruction files, would take minutes.
#[test]
fn a_file_three_thousand_levels_down() {
    let tree = Tree::new("p/CLAUDE.md = p");
    tree.nest("p/a", 3_000);
    fs::write(tree.path(&format!("p/a{}/CLAUDE.md", "/d".repeat(60))), "deep").unwrap();
    let mut memory = tree.load("p", |loader| loader);
    let (touched, time) = busy_time(|| {
        [1_900, 3_000].map(|depth| {
            let files = memory.touch(tree.path(&format!("p/a{}/x", "/d".repeat(depth))));
            let texts = files.into_iter().map(|file| file.text);
            texts.collect::<Vec<_>>()
        })
    });
    assert!(time < Duration::from_secs(5), "{time:?}");
    assert_eq!(touched, [vec!["deep".into()], vec![]]);
    let messages = memory.diagnostics().last().unwrap();
    assert_eq!(messages.message, "only 64 levels of directories are looked at");
}
