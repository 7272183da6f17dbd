use crate::tree::Tree;

const TREE: &str = "
    work/a.rs = a
    work/src/b.rs = b
    work/src/deep/c.rs = c
    work/src/deep/c.md = c
    work/.hidden/d.rs = d
    work/.git/e.rs = e
    work/link.rs -> src/b.rs
    work/linked -> src
    work/away.rs -> ROOT/else/f.rs
    work/gone.rs -> nowhere
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
    check(
        r#"{"pattern":"src/**/*.{md,rs}"}"#,
        "src/b.rs\nsrc/deep/c.md\nsrc/deep/c.rs",
    );
    check(r#"{"pattern":"ROOT/work/src/*.rs"}"#, "src/b.rs");
    check(r#"{"pattern":"*.py"}"#, "(No file matches.)");
}

#[test]
fn below_a_directory() {
    check(r#"{"pattern":"*.md","path":"src"}"#, "src/deep/c.md");
    check(r#"{"pattern":"*.rs","path":"ROOT/more"}"#, "ROOT/more/g.rs");
    // A link that is named directly is followed.
    check(r#"{"pattern":"*.md","path":"linked"}"#, "linked/deep/c.md");
    check(
        r#"{"pattern":"*","path":"a.rs"}"#,
        "error: a.rs: not a directory",
    );
    check(
        r#"{"pattern":"*","path":"../else"}"#,
        "error: ../else: outside of the directories that you work in",
    );
    check(
        r#"{"pattern":"../*"}"#,
        "error: the glob: it has a `..` in it: set `path`",
    );
}

#[test]
fn five_hundred_paths() {
    let tree = Tree::new("");
    for i in 0..502 {
        tree.write(&format!("work/{i:03}"), "");
    }
    let told = tree.told("Glob", r#"{"pattern":"*"}"#);
    assert!(told.starts_with("000\n001\n"));
    assert!(told.ends_with("\n499\n(2 more files match: ask for something narrower.)"));
}

#[test]
fn a_name_is_one_line() {
    let tree = Tree::new("");
    tree.write("work/a\n(No file matches.)\u{1b}[31m", "");
    tree.check(
        "Glob",
        r#"{"pattern":"*"}"#,
        "a\\n(No file matches.)\\u{1b}[31m",
    );
}
