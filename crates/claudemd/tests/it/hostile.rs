//! Hostile trees: time and memory stay bounded.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::cases::all_or;
use crate::tree::{Tree, busy_time, check};

/// Much longer than any of these tests takes.
const LONG: Duration = Duration::from_secs(60);

fn in_time<T>(run: impl FnOnce() -> T) -> T {
    let (result, time) = busy_time(run);
    assert!(time < LONG, "took {time:?}");
    result
}

#[test]
fn link_loops() {
    check(
        "
        p/.claude/rules/a.md = a
        p/.claude/rules/loop -> ../rules
        p/.claude/rules/up -> ROOT
        p/.claude/rules/self -> self
        p/.claude/rules/gone -> nowhere
        ",
        "p",
        "
        project session_start p/.claude/rules/a.md
        skip p/.claude/rules/gone: unreadable: link that leads nowhere
        skip p/.claude/rules/loop: unreadable: link that leads back to p/.claude/rules
        skip p/.claude/rules/self: unreadable: Too many levels of symbolic links (os error 40)
        skip p/.claude/rules/up: unreadable: link that leads back to ROOT
        ",
    );
}

#[test]
fn links_into_the_git_directory() {
    check(
        "
        p/.git/config = secret
        p/.git/x.md = secret
        p/CLAUDE.md -> .git/config
        p/.claude/rules/git -> ../../.git
        ",
        "p",
        "
        skip p/CLAUDE.md: lies in a .git directory
        skip p/.claude/rules/git: lies in a .git directory
        ",
    );
}

#[test]
fn links_that_double_at_every_level() {
    let mut tree = String::new();
    for i in 0..30 {
        for name in ["a", "b"] {
            tree.push_str(&format!("p/d/{i}/{name} -> ../{}\n", i + 1));
        }
    }
    tree.push_str("p/d/30/r.md = r\np/.claude/rules -> ROOT/p/d/0\n");
    let tree = Tree::new(&tree);
    let memory = in_time(|| tree.load("p", |loader| loader));
    assert_eq!(memory.files().len(), 1);
    assert_eq!(memory.skipped().len(), 30);
}

#[test]
fn thousands_of_rules() {
    let tree = Tree::new("p/.claude/rules/");
    let count = all_or(2_000, 10_000);
    for i in 0..count {
        let text = match i % 2 {
            0 => format!("---\npaths: dir{i}/**/*.rs\n---\nrule {i}"),
            _ => format!("rule {i}"),
        };
        fs::write(tree.path(&format!("p/.claude/rules/{i}.md")), text).unwrap();
    }
    let mut memory = in_time(|| tree.load("p", |loader| loader));
    assert_eq!(memory.files().len(), count / 2);
    let loaded = in_time(|| memory.touch("dir42/a/b.rs"));
    assert_eq!(loaded.len(), 1);
    assert_eq!(&*loaded[0].text, "rule 42");
}

#[test]
fn brace_bombs() {
    let bombs = [
        "{a,b}".repeat(30),
        format!("{}a{}", "{".repeat(900), "}".repeat(900)),
        format!("{}{}", "{a,b}".repeat(9), "{a}".repeat(700)),
        "{a,".repeat(900),
        "x".repeat(5_000),
        "*a".repeat(2_000),
        format!("{{{}}}", "a,".repeat(1_500)),
    ];
    for bomb in bombs {
        let tree =
            Tree::new(&format!("p/.claude/rules/r.md = ---\\npaths: ['{bomb}', 'x.rs']\\n---\\nr"));
        let mut memory = in_time(|| tree.load("p", |loader| loader));
        in_time(|| {
            assert_eq!(memory.touch("y").len(), 0, "{bomb}");
            assert_eq!(memory.touch("x.rs").len(), 1, "{bomb}");
        });
    }
}

#[test]
fn more_brace_bombs_than_all_rules_may_have() {
    let tree = Tree::new("p/.claude/rules/");
    let bomb = format!("{}{}", "{a,b}".repeat(9), "{a}".repeat(600));
    let bombs = format!("---\npaths: ['{}']\n---\nr", [bomb.as_str(); 25].join("', '"));
    // Each spends a thirteenth of the budget: a file has enough for two.
    for i in 0..all_or(10, 1_000) {
        fs::write(tree.path(&format!("p/.claude/rules/{i}.md")), &bombs).unwrap();
    }
    let mut memory = in_time(|| tree.load("p", |loader| loader));
    in_time(|| memory.touch("x"));
    let last = memory.diagnostics().last().unwrap();
    let limit = "over the limit of 50000 patterns in all rules";
    assert!(last.message.ends_with(limit), "{last:?}");
}

#[test]
fn a_thousand_patterns_and_one_more() {
    for (count, expected) in [(1_000, 0), (1_001, 1)] {
        let names: Vec<_> = (0..count).map(|i| format!("{i}")).collect();
        let tree = Tree::new(&format!(
            "p/.claude/rules/r.md = ---\\npaths: '{{{}}}'\\n---\\nr",
            names.join(",")
        ));
        let mut memory = tree.load("p", |loader| loader);
        assert_eq!(memory.diagnostics().len(), expected);
        assert_eq!(memory.touch("999").len(), 1 - expected);
    }
}

#[test]
fn deep_nesting_is_refused() {
    // Up to a file's limit, or an eighth of it.
    let scale = all_or(1, 8);
    let texts = [
        format!("{}x\n{}@y", "- ".repeat(scale * 62_500), "a\n".repeat(scale * 62_500)),
        format!("{}x\n{}@y", "> ".repeat(scale * 62_500), "a\n".repeat(scale * 62_500)),
        format!("{}x\n{}@y", "> ".repeat(100), "a\n".repeat(scale * 237_500)),
        format!("{}@y", "<!-- ".repeat(scale * 100_000)),
        "<div>\n<!--\n\n".repeat(scale * 37_500),
        format!("{}-->", "<div>\n<!--\n\n".repeat(scale * 37_500)),
        "<!---->x".repeat(scale * 62_500),
        r"@a\ ".repeat(scale * 125_000),
        format!("{}@y", "`` ` ".repeat(scale * 100_000)),
        format!("{}@y", "[".repeat(scale * 500_000)),
        "@a.b ".repeat(scale * 100_000),
        "@ ".repeat(scale * 250_000),
        format!("@{}", ".".repeat(scale * 500_000)),
        format!("---\n{}", "- ".repeat(scale * 250_000)),
    ];
    let tree = Tree::new("p/");
    for text in texts {
        fs::write(tree.path("p/CLAUDE.md"), &text).unwrap();
        let memory = in_time(|| tree.load("p", |loader| loader));
        assert_eq!(memory.files().len(), 1);
    }
}

#[test]
fn the_total_size_is_limited() {
    let tree = Tree::new("p/.claude/rules/");
    for i in 0..20 {
        let text = format!("{i}{}", "x".repeat(4 * 1024 * 1024 - 10));
        fs::write(tree.path(&format!("p/.claude/rules/{i}.md")), text).unwrap();
    }
    let memory = tree.load("p", |loader| loader);
    assert_eq!((memory.files().len(), memory.skipped().len()), (17, 3));
    assert_eq!(memory.skipped()[0].reason.to_string(), "over the limit of 64 MiB read at once");
}

#[test]
fn a_file_of_imports_only() {
    let tree = Tree::new("p/");
    let imports: String = (0..5_000).map(|i| format!("@./{i}.md\n")).collect();
    fs::write(tree.path("p/CLAUDE.md"), imports).unwrap();
    let memory = in_time(|| tree.load("p", |loader| loader));
    assert_eq!(memory.skipped().len(), 1_000);
    let last = memory.diagnostics().last().unwrap();
    assert_eq!(last.message, "only the first 1000 imports are followed");
}

#[test]
fn files_of_imports_only() {
    let tree = Tree::new("p/");
    let imports: String = (0..1_000).map(|i| format!("@./missing{i}.md\n")).collect();
    let files: String = (0..12).map(|i| format!("@./{i}.md\n")).collect();
    fs::write(tree.path("p/CLAUDE.md"), files).unwrap();
    for i in 0..12 {
        fs::write(tree.path(&format!("p/{i}.md")), &imports).unwrap();
    }
    let memory = in_time(|| tree.load("p", |loader| loader));
    // The first ten files were followed, whose own imports count, too.
    assert_eq!(memory.skipped().len(), 9_990);
    let last = memory.diagnostics().last().unwrap();
    assert_eq!(last.message, "only the first 10000 imports of all files are followed");
    assert_eq!(memory.changed().diagnostics, []);
}

#[test]
fn a_directory_that_is_removed_meanwhile() {
    let tree = Tree::new(
        "p/CLAUDE.md = p\np/a/CLAUDE.md = a\np/.claude/rules/r.md = ---\\npaths: '**'\\n---\\nr",
    );
    let mut memory = tree.load("p", |loader| loader);
    fs::remove_dir_all(tree.path("p")).unwrap();
    assert_eq!(memory.touch("a/x"), []);
    memory.after_compact();
    assert_eq!(memory.files(), []);
}

/// Root can read everything. If the tests run as root, this one runs itself as
/// the user `nobody`.
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn unreadable_files_and_directories() {
    use std::os::unix::process::CommandExt;
    const NAME: &str = "hostile::unreadable_files_and_directories";
    const NOBODY: u32 = 65_534;

    if !rustix::process::geteuid().is_root() {
        return unreadable();
    }
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", NAME]).uid(NOBODY).gid(NOBODY).current_dir("/");
    match again.output() {
        Ok(output) => {
            let messages = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && messages.contains("1 passed"), "{messages}");
        }
        Err(error) => eprintln!("{NAME}: skipped, nobody cannot run it: {error}"),
    }
}

fn unreadable() {
    let tree = Tree::new(
        "
        p/CLAUDE.md = p
        p/CLAUDE.local.md = l
        p/.claude/rules/a/b.md = b
        p/.claude/rules/c.md = c
        p/closed/CLAUDE.md = x
        ",
    );
    let closed = ["p/CLAUDE.md", "p/.claude/rules/a", "p/closed"];
    let set = |mode| {
        for path in closed {
            fs::set_permissions(tree.path(path), fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    set(0o000);
    tree.check(
        "p",
        |loader| loader,
        "
        project session_start p/.claude/rules/c.md
        local session_start p/CLAUDE.local.md
        skip p/CLAUDE.md: unreadable: Permission denied (os error 13)
        skip p/.claude/rules/a: unreadable: Permission denied (os error 13)
        touch p/closed/x
        skip p/closed/CLAUDE.md: unreadable: Permission denied (os error 13)
        skip p/closed/.claude/CLAUDE.md: unreadable: Permission denied (os error 13)
        skip p/closed/.claude/rules: unreadable: Permission denied (os error 13)
        skip p/closed/CLAUDE.local.md: unreadable: Permission denied (os error 13)
        ",
    );
    set(0o700);
}
