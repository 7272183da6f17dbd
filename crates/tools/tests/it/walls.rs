//! Paths outside the directories that the tools may read.

use crate::tree::{Tree, call_in, text_of};

const TREE: &str = "
    project/in = in
    project/sub/CLAUDE.md = sub
    project/out -> ROOT/else/secret
    project/outdir -> ROOT/else
    project/back -> ROOT/project/sub
    project/more -> ROOT/more/m
    else/secret = secret
    project2/secret = secret
    more/m = more
";

const OUTSIDE: &str = "outside of the directories that you work in";

#[test]
fn nothing_outside_is_read() {
    let tree = Tree::new(TREE);
    for path in [
        "../else/secret",
        "ROOT/else/secret",
        "ROOT/project2/secret",
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
        let result = tree.result("Read", &format!(r#"{{"file_path":"{path}"}}"#));
        assert_eq!(result, format!("error: {path}: {OUTSIDE}").replace("ROOT", "ROOT"));
    }
}

#[test]
fn files_inside_are_read_by_every_path() {
    let tree = Tree::new(TREE);
    for (path, text) in [
        ("in", "in"),
        ("./sub/../in", "in"),
        ("ROOT/project/in", "in"),
        ("../project/in", "in"),
        ("back/CLAUDE.md", "sub"),
        ("more", "more"),
        ("ROOT/more/m", "more"),
    ] {
        let result = tree.result("Read", &format!(r#"{{"file_path":"{path}"}}"#));
        assert_eq!(result, format!("     1\t{text}"), "{path}");
    }
}

#[test]
fn without_limits() {
    let tree = Tree::new(TREE);
    let read = |path: &str| {
        let input = format!(r#"{{"file_path":"{}"}}"#, tree.path(path).display());
        text_of(&call_in(tree.workspace().without_limits(), "Read", &input))
    };
    assert_eq!(read("else/secret"), "     1\tsecret");
    assert_eq!(read("project/out"), "     1\tsecret");
    let nowhere = tree.path("nowhere").display().to_string();
    assert_eq!(read("nowhere"), format!("error: {nowhere}: there is no such file or directory"));
}

#[test]
fn searches_stay_inside() {
    let tree = Tree::new(TREE);
    tree.check("Grep", r#"{"pattern":"secret|more"}"#, "more");
    tree.check("Glob", r#"{"pattern":"*"}"#, "in\nmore\nsub/CLAUDE.md");
    tree.check("Grep", r#"{"pattern":"s","path":"outdir"}"#, &format!("error: outdir: {OUTSIDE}"));
}

#[test]
fn a_working_directory_that_is_not_there_holds_nothing() {
    let tree = Tree::new(TREE);
    let workspace = aside_tools::Workspace::new(tree.path("gone"), [tree.path("gone2")]);
    let result = text_of(&call_in(workspace, "Read", r#"{"file_path":"../project/in"}"#));
    assert_eq!(result, format!("error: ../project/in: {OUTSIDE}"));
}
