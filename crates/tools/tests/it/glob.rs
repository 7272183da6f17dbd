use crate::tree::Tree;

const TREE: &str = "
    project/a.rs = a
    project/src/b.rs = b
    project/src/deep/c.rs = c
    project/src/deep/c.md = c
    project/.hidden/d.rs = d
    project/.git/e.rs = e
    project/link.rs -> src/b.rs
    project/linked -> src
    project/away.rs -> ROOT/else/f.rs
    project/gone.rs -> nowhere
    else/f.rs = f
    more/g.rs = g
";

fn check(input: &str, expected: &str) {
    Tree::new(TREE).check("Glob", input, expected);
}

#[test]
fn by_pattern() {
    let all = ".hidden/d.rs\na.rs\nlink.rs\nsrc/b.rs\nsrc/deep/c.rs";
    check(r#"{"pattern":"**/*.rs"}"#, all);
    check(r#"{"pattern":"*.rs"}"#, all);
    check(r#"{"pattern":"./*.rs"}"#, "a.rs\nlink.rs");
    check(r#"{"pattern":"src/**/*.{md,rs}"}"#, "src/b.rs\nsrc/deep/c.md\nsrc/deep/c.rs");
    check(r#"{"pattern":"ROOT/project/src/*.rs"}"#, "src/b.rs");
    check(r#"{"pattern":"*.py"}"#, "(No file matches.)");
}

#[test]
fn below_a_directory() {
    check(r#"{"pattern":"*.md","path":"src"}"#, "src/deep/c.md");
    check(r#"{"pattern":"*.rs","path":"ROOT/more"}"#, "ROOT/more/g.rs");
    // A link that is named directly is followed.
    check(r#"{"pattern":"*.md","path":"linked"}"#, "linked/deep/c.md");
    check(r#"{"pattern":"*","path":"a.rs"}"#, "error: a.rs: not a directory");
    check(
        r#"{"pattern":"*","path":"../else"}"#,
        "error: ../else: outside of the directories that you work in",
    );
    check(r#"{"pattern":"../*"}"#, "error: the glob: it has a `..` in it: set `path`");
}

#[test]
fn five_hundred_paths() {
    let tree = Tree::new("");
    for i in 0..502 {
        tree.write(&format!("project/{i:03}"), "");
    }
    let result = tree.result("Glob", r#"{"pattern":"*"}"#);
    assert!(result.starts_with("000\n001\n"));
    assert!(result.ends_with("\n499\n(2 more files match: ask for something narrower.)"));
}

#[test]
fn a_name_is_one_line() {
    let tree = Tree::new("");
    tree.write("project/a\n(No file matches.)\u{1b}[31m", "");
    tree.check("Glob", r#"{"pattern":"*"}"#, "a\\n(No file matches.)\\u{1b}[31m");
}
