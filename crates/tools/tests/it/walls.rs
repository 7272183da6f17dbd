//! Paths outside the directories that the tools may read.

use crate::tree::{Tree, call_in, told};

const TREE: &str = "
    work/in = in
    work/sub/CLAUDE.md = sub
    work/out -> ROOT/else/secret
    work/outdir -> ROOT/else
    work/back -> ROOT/work/sub
    work/more -> ROOT/more/m
    else/secret = secret
    work2/secret = secret
    more/m = more
";

const OUTSIDE: &str = "outside of the directories that you work in";

#[test]
fn nothing_outside_is_read() {
    let tree = Tree::new(TREE);
    for path in [
        "../else/secret",
        "ROOT/else/secret",
        "ROOT/work2/secret",
        "out",
        "outdir/secret",
        "sub/../../else/secret",
        "/etc/passwd",
        "/dev/zero",
        "/proc/self/environ",
        // The error does not reveal whether the file exists.
        "../else/nothing",
        "outdir/nothing",
        "/etc/nothing/at/all",
        "..",
        "../else",
    ] {
        let told = tree.told("Read", &format!(r#"{{"file_path":"{path}"}}"#));
        assert_eq!(
            told,
            format!("error: {path}: {OUTSIDE}").replace("ROOT", "ROOT")
        );
    }
}

#[test]
fn files_inside_are_read_by_every_path() {
    let tree = Tree::new(TREE);
    for (path, text) in [
        ("in", "in"),
        ("./sub/../in", "in"),
        ("ROOT/work/in", "in"),
        ("../work/in", "in"),
        ("back/CLAUDE.md", "sub"),
        ("more", "more"),
        ("ROOT/more/m", "more"),
    ] {
        let told = tree.told("Read", &format!(r#"{{"file_path":"{path}"}}"#));
        assert_eq!(told, format!("     1\t{text}"), "{path}");
    }
}

#[test]
fn without_limits() {
    let tree = Tree::new(TREE);
    let read = |path: &str| {
        let input = format!(r#"{{"file_path":"{}"}}"#, tree.path(path).display());
        told(&call_in(tree.workspace().without_limits(), "Read", &input))
    };
    assert_eq!(read("else/secret"), "     1\tsecret");
    assert_eq!(read("work/out"), "     1\tsecret");
    let nowhere = tree.path("nowhere").display().to_string();
    assert_eq!(
        read("nowhere"),
        format!("error: {nowhere}: there is no such file or directory")
    );
}

#[test]
fn searches_stay_inside() {
    let tree = Tree::new(TREE);
    tree.check("Grep", r#"{"pattern":"secret|more"}"#, "more");
    tree.check("Glob", r#"{"pattern":"*"}"#, "in\nmore\nsub/CLAUDE.md");
    tree.check(
        "Grep",
        r#"{"pattern":"s","path":"outdir"}"#,
        &format!("error: outdir: {OUTSIDE}"),
    );
}

#[test]
fn a_working_directory_that_is_not_there_holds_nothing() {
    let tree = Tree::new(TREE);
    let workspace = aside_tools::Workspace::new(tree.path("gone"), [tree.path("gone2")]);
    let told = told(&call_in(workspace, "Read", r#"{"file_path":"../work/in"}"#));
    assert_eq!(told, format!("error: ../work/in: {OUTSIDE}"));
}
