//! Files that `.gitignore` names.

use crate::tree::{Tree, make_fifo};

const TREE: &str = "
    project/.git/HEAD = x
    project/.gitignore = target/\\n*.log\\n!keep.log\\n/top\\n
    project/a.rs = run
    project/a.log = run
    project/keep.log = run
    project/top = run
    project/target/b.rs = run
    project/src/top = run
    project/src/.gitignore = *.tmp\\n!a.log\\n
    project/src/a.log = run
    project/src/c.tmp = run
    project/other/c.tmp = run
    project/other/target = run
";

fn check(input: &str, expected: &str) {
    let tree = Tree::new(TREE);
    tree.check("Grep", &format!(r#"{{"pattern":"run"{input}}}"#), expected);
    tree.check("Glob", &format!(r#"{{"pattern":"[!.]*"{input}}}"#), expected);
}

#[test]
fn ignored_files_are_left_out() {
    check("", "a.rs\nkeep.log\nother/c.tmp\nother/target\nsrc/a.log\nsrc/top");
    // The lists above count too.
    check(r#","path":"src""#, "src/a.log\nsrc/top");
    check(r#","path":"other""#, "other/c.tmp\nother/target");
}

#[test]
fn unless_it_is_asked_for() {
    let all = "a.log\na.rs\nkeep.log\nother/c.tmp\nother/target\nsrc/a.log\nsrc/c.tmp\nsrc/top\n\
               target/b.rs\ntop";
    check(r#","ignored":"include""#, all);
    // A call that names it asks for it.
    check(r#","path":"target""#, "target/b.rs");
    let tree = Tree::new(TREE);
    tree.check("Grep", r#"{"pattern":"run","path":"a.log"}"#, "a.log");
}

#[test]
fn lists_out_of_reach_do_not_count() {
    let tree = Tree::new("project/a.log = run\n.gitignore = *.log\n.git/HEAD = x");
    tree.check("Grep", r#"{"pattern":"run"}"#, "a.log");
    let tree = Tree::new("project/a.log = run\nproject/.gitignore -> ../list\nlist = *.log");
    tree.check("Grep", r#"{"pattern":"run"}"#, "a.log");
}

#[test]
fn a_list_may_be_anything() {
    let tree = Tree::new("project/a.log = run\nproject/sub/b.log = run\nproject/x/c.log = run");
    make_fifo(&tree.path("project/.gitignore"));
    tree.write("project/sub/.gitignore", b"\xff\n{{{\n[\n*.log");
    tree.write("project/x/.gitignore", "*a*b*c{d,e}*\n".repeat(100_000));
    tree.check("Grep", r#"{"pattern":"run"}"#, "a.log\nx/c.log");
}
