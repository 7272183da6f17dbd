//! Edit and Write, which change files in the workspace and no others.

use std::fs;
use std::sync::Arc;

use aside_agent::{Files, Tool};
use aside_messages::wire::RawJson;
use aside_session::{KnownFile, ReadExtent, ReadState};
use aside_tools::{Edit, Read, Workspace, Write};

use crate::tree::{Tree, call, text_of};

const TREE: &str = "
    project/a = one two one
    project/sub/b = b
    project/.git/config = c
    project/out -> ROOT/else/secret
    project/outdir -> ROOT/else
    project/back -> ROOT/project/sub
    else/secret = secret
";

fn workspace(tree: &Tree) -> Arc<Workspace> {
    let readable = tree.path("else");
    Arc::new(Workspace::new(tree.path("project"), [""; 0]).with_readable([readable]))
}

#[test]
fn a_file_is_the_same_in_every_spelling() {
    let tree = Tree::new(TREE);
    let workspace = workspace(&tree);
    let file = |tool: &dyn Tool, path: &str| {
        let input = format!(r#"{{"file_path":"{path}"}}"#);
        tool.file(&RawJson::parse(&input).unwrap()).unwrap()
    };
    let read = file(&Read::new(workspace.clone()), "sub/b");
    assert!(!read.is_changed);
    let absolute = tree.path("project/sub/b");
    for path in ["./sub//b", "back/b", absolute.to_str().unwrap()] {
        let changed = file(&Write::new(workspace.clone()), path);
        assert_eq!((changed.path, changed.is_changed), (read.path.clone(), true), "{path}");
    }
    let (edit, write) = (Edit::new(workspace.clone()), Write::new(workspace));
    assert_eq!(file(&edit, "sub/./new"), file(&write, "sub/new"), "it does not exist");
}

#[track_caller]
fn edits(old: &str, new: &str, more: &str, expected: &str, after: &str) {
    let tree = Tree::new(TREE);
    let input = format!(r#"{{"file_path":"a","old_string":"{old}","new_string":"{new}"{more}}}"#);
    let output = call(&Edit::new(workspace(&tree)), &input);
    assert_eq!(text_of(&output), expected);
    let text = fs::read_to_string(tree.path("project/a")).unwrap();
    assert_eq!(text, after);
    let read = output.read.iter().map(|it| it.text.as_deref());
    assert!(output.is_error || read.eq([Some(after)]));
}

#[test]
fn a_piece_that_occurs_once_is_replaced() {
    let unchanged = "one two one";
    edits("two", "2", "", "a is changed, at 1 places.", "one 2 one");
    let all = r#","replace_all":true"#;
    edits("one", "1", all, "a is changed, at 2 places.", "1 two 1");
    let twice = "error: a: old_string is in the file 2 times: add the lines around it, or set \
                 replace_all";
    edits("one", "1", "", twice, unchanged);
    edits("three", "3", "", "error: a: old_string is not in the file", unchanged);
    let empty = "error: old_string: it is empty, or equal to new_string";
    edits("", "3", "", empty, unchanged);
    edits("one", "one", all, empty, unchanged);
}

#[test]
fn line_ends_are_kept() {
    let check = |before: &str, old: &str, new: &str, after: &str| {
        let tree = Tree::new("");
        tree.write("project/a", before);
        let input = format!(r#"{{"file_path":"a","old_string":"{old}","new_string":"{new}"}}"#);
        call(&Edit::new(workspace(&tree)), &input);
        assert_eq!(fs::read_to_string(tree.path("project/a")).unwrap(), after);
    };
    check("a\r\nb\r\n", "b", r"B\nX", "a\r\nB\r\nX\r\n");
    check("a\r\nb\r\n", r"a\nb", "c", "c\r\n");
    check("a\r\nb\r\n", r"a\r\nb", r"c\r\nd", "c\r\nd\r\n");
    // In a file with both, and in one with neither, nothing is converted.
    check("a\r\nb\n", r"b\n", r"c\n", "a\r\nc\n");
    check("a\r\nb\n", r"a\nb", "c", "a\r\nb\n");
    check("a", "a", r"b\n", "b\n");
}

#[test]
fn nothing_outside_is_written() {
    let tree = Tree::new(TREE);
    let write = Write::new(workspace(&tree));
    for path in [
        "../else/secret",
        "ROOT/else/secret",
        "ROOT/else/new/file",
        "out",
        "outdir/secret",
        "outdir/new/file",
        "sub/../a",
        ".git/config",
        ".GIT/hooks/pre-commit",
        "sub/.git/hooks/new",
        "sub",
        "",
    ] {
        let path = path.replace("ROOT", &tree.path("").to_string_lossy());
        let output = call(&write, &format!(r#"{{"file_path":"{path}","content":"x"}}"#));
        assert!(output.is_error, "{path}: {}", text_of(&output));
    }
    assert_eq!(fs::read_to_string(tree.path("else/secret")).unwrap(), "secret");
    assert!(!tree.path("else/new").exists());
    assert!(!tree.path("project/.GIT/hooks").exists());
}

#[cfg(unix)]
#[test]
fn a_link_is_not_changed() {
    let tree = Tree::new("project/a = x\nproject/l -> a");
    let edit = Edit::new(workspace(&tree));
    let input =
        |name: &str| format!(r#"{{"file_path":"{name}","old_string":"x","new_string":"y"}}"#);
    let link = text_of(&call(&edit, &input("l")));
    assert_eq!(link, "error: l: a link: change the file that it leads to");
    assert!(!call(&edit, &input("a")).is_error);
}

#[test]
fn files_and_directories_are_created() {
    let tree = Tree::new(TREE);
    let write = Write::new(workspace(&tree));
    for path in ["new/deep/c", "back/b", "a"] {
        let output = call(&write, &format!(r#"{{"file_path":"{path}","content":"x\n"}}"#));
        assert_eq!(text_of(&output), format!("{path} is written: 1 lines."));
        let written = tree.path("project").join(path);
        assert_eq!(fs::read_to_string(written).unwrap(), "x\n");
    }
    // No temporary file is left.
    let names = fs::read_dir(tree.path("project")).unwrap();
    let names = names.map(|it| it.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|it| it.starts_with(".aside")));
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let tree = Tree::new(TREE);
    let path = tree.path("project/a");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let write = Write::new(workspace(&tree));
    call(&write, r#"{"file_path":"a","content":"x"}"#);
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o750);
}

#[test]
fn plan_mode_holds_edits_back() {
    let tree = Tree::new(TREE);
    let workspace = Workspace::new(tree.path("project"), [""; 0]).in_plan_mode("plan.md");
    let write = Write::new(Arc::new(workspace));
    let output = call(&write, r#"{"file_path":"a","content":"x"}"#);
    let plan = tree.path("project/plan.md");
    let refused = format!(
        "error: a: plan mode is on: change nothing but {} before the user has accepted the plan",
        plan.display()
    );
    assert_eq!(text_of(&output), refused);
    for path in [plan.to_str().unwrap(), "./plan.md"] {
        let input = serde_json::json!({"file_path": path, "content": path});
        call(&write, &input.to_string());
        assert_eq!(fs::read_to_string(&plan).unwrap(), path);
    }
    let output = call(&write, r#"{"file_path":"b/../plan.md","content":"x"}"#);
    assert!(text_of(&output).starts_with("error: "), "{}", text_of(&output));
}

#[test]
fn the_plan_of_the_host_may_be_outside() {
    let tree = Tree::new(TREE);
    let plan = tree.path("plans/new/plan.md");
    let input = serde_json::json!({"file_path": plan, "content": "x"}).to_string();
    let workspace = Workspace::new(tree.path("project"), [""; 0]);
    let recorded = Write::new(Arc::new(workspace.clone().in_plan_mode(&plan)));
    assert!(text_of(&call(&recorded, &input)).contains("outside"));
    let write = Write::new(Arc::new(workspace.in_plan_mode_anywhere(&plan)));
    call(&write, &input);
    assert_eq!(fs::read_to_string(&plan).unwrap(), "x");
    for other in [tree.path("plans/new/other.md"), tree.path("project/a")] {
        let input = serde_json::json!({"file_path": other, "content": "x"}).to_string();
        assert!(text_of(&call(&write, &input)).contains("plan mode is on"));
    }
}

/// Write asks for a read of a plan that exists.
#[test]
fn the_plan_of_the_host_is_readable() {
    let tree = Tree::new(TREE);
    let read = |plan: &str, file: &str| {
        let workspace = Workspace::new(tree.path("project"), [""; 0]);
        let workspace = workspace.in_plan_mode_anywhere(tree.path(plan));
        let input = serde_json::json!({"file_path": tree.path(file)}).to_string();
        text_of(&call(&Read::new(Arc::new(workspace)), &input))
    };
    assert!(read("else/secret", "else/secret").contains("secret"));
    assert!(read("else/plan.md", "else/secret").contains("outside"));
}

/// Workers share files, but not what they have read.
#[test]
fn sessions_change_a_file_one_after_the_other() {
    let tree = Tree::new(TREE);
    let marks: Vec<usize> = (0..64).collect();
    let text: String = marks.iter().map(|it| format!("mark{it}.")).collect();
    fs::write(tree.path("project/a"), &text).unwrap();
    let workspace = workspace(&tree);
    std::thread::scope(|scope| {
        for chunk in marks.chunks(16) {
            let edit = Edit::new(Arc::new(workspace.for_another_session()));
            scope.spawn(move || {
                for mark in chunk {
                    let (old, new) = (format!("mark{mark}."), format!("DONE{mark}."));
                    let input =
                        serde_json::json!({"file_path": "a", "old_string": old, "new_string": new});
                    let said = text_of(&call(&edit, &input.to_string()));
                    assert!(said.contains("changed"), "{said}");
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(tree.path("project/a")).unwrap(), text.replace("mark", "DONE"));
}

#[test]
fn a_file_is_changed_only_as_the_model_knows_it() {
    let tree = Tree::new(TREE);
    let workspace = workspace(&tree);
    let tools: [&dyn Tool; 2] = [&Edit::new(workspace.clone()), &Write::new(workspace.clone())];
    let inputs = [
        r#"{"file_path":"a","old_string":"two","new_string":"two!"}"#,
        r#"{"file_path":"a","content":"two, two"}"#,
    ];
    let mut known = ReadState::default();
    let refused = |why: &str, of: &[usize]| {
        let before = fs::read(tree.path("project/a")).unwrap();
        for (tool, input) in of.iter().map(|it| (tools[*it], inputs[*it])) {
            assert_eq!(text_of(&call(tool, input)), format!("error: a: it {why}"));
        }
        assert_eq!(fs::read(tree.path("project/a")).unwrap(), before);
    };
    workspace.set_known(&known);
    refused("exists and was not read: read it first", &[1]);
    let mut read = |path: &str, more: &str| {
        let input = format!(r#"{{"file_path":"{path}"{more}}}"#);
        let read = call(&Read::new(workspace.clone()), &input).read;
        read.into_iter().for_each(|it| known.insert(KnownFile::new(it)));
        workspace.set_known(&known);
    };
    // A part of it is enough.
    read("a", r#","limit":1"#);
    tree.write("project/a", "two, by the user");
    refused("changed since you read it: read it again", &[0, 1]);
    read("./a", "");
    for (tool, input) in tools.iter().zip(inputs) {
        assert!(!call(*tool, input).is_error);
    }
    let new = call(tools[1], r#"{"file_path":"new","content":"x"}"#);
    assert!(!new.is_error);
    // An edit names what it replaces, and does not show the rest.
    let edit = call(tools[0], r#"{"file_path":"sub/b","old_string":"b","new_string":"c"}"#);
    assert!(!edit.is_error);
    // Another session knows other files.
    workspace.for_another_session().set_known(&ReadState::default());
    assert!(!call(tools[1], r#"{"file_path":"new","content":"y"}"#).is_error);
    let overwrite = || text_of(&call(tools[1], r#"{"file_path":"sub/b","content":"x"}"#));
    let unread = "error: sub/b: it exists and was not read: read it first";
    assert_eq!(overwrite(), unread);
    edit.read.into_iter().for_each(|it| known.insert(KnownFile::new(it)));
    workspace.set_known(&known);
    assert_eq!(overwrite(), unread);
    let read = call(&Read::new(workspace.clone()), r#"{"file_path":"sub/b","limit":1}"#).read;
    read.into_iter().for_each(|it| known.insert(KnownFile::new(it)));
    workspace.set_known(&known);
    assert!(!call(tools[0], r#"{"file_path":"sub/b","old_string":"c","new_string":"d"}"#).is_error);
    assert_eq!(overwrite(), "sub/b is written: 1 lines.");
    // The model was not shown all that another program changed.
    let read = call(&Read::new(workspace.clone()), r#"{"file_path":"sub/b"}"#).read;
    read.into_iter().for_each(|mut it| {
        it.extent = ReadExtent::Stale;
        known.insert(KnownFile::new(it));
    });
    workspace.set_known(&known);
    let changed = "error: sub/b: it changed since you read it: read it again";
    assert_eq!(overwrite(), changed);
    assert!(!call(tools[0], r#"{"file_path":"sub/b","old_string":"x","new_string":"d"}"#).is_error);
    assert_eq!(overwrite(), changed);
}

#[test]
fn a_preview_writes_nothing() {
    let tree = Tree::new(TREE);
    let workspace = workspace(&tree);
    workspace.set_known(&ReadState::default());
    let preview = Arc::new(Workspace::clone(&workspace).without_writing());
    let (edit, write) = (Edit::new(preview.clone()), Write::new(preview));
    for (path, before) in [("new/c", None), ("sub/b", Some("b"))] {
        let mut known = ReadState::default();
        let read = call(&Read::new(workspace.clone()), &format!(r#"{{"file_path":"{path}"}}"#));
        read.read.into_iter().for_each(|it| known.insert(KnownFile::new(it)));
        workspace.set_known(&known);
        let output = call(&write, &format!(r#"{{"file_path":"{path}","content":"one\n"}}"#));
        assert_eq!(text_of(&output), format!("{path} is written: 1 lines."));
        // Later calls build on it.
        for (old, new) in [("one", "two"), ("two", "three")] {
            let input =
                format!(r#"{{"file_path":"{path}","old_string":"{old}","new_string":"{new}"}}"#);
            let output = call(&edit, &input);
            assert_eq!(text_of(&output), format!("{path} is changed, at 1 places."));
            assert_eq!(output.read[0].text.as_deref(), Some(&*format!("{new}\n")));
        }
        let after = fs::read_to_string(tree.path("project").join(path)).ok();
        assert_eq!(after.as_deref(), before);
    }
    assert!(!tree.path("project/new").exists());
}

#[test]
fn a_notebook_is_changed_as_a_text_and_not_compared_as_one() {
    let tree = Tree::new(r#"project/a.ipynb = {"cells":[{"cell_type":"raw","source":"one"}]}"#);
    let workspace = workspace(&tree);
    let read = call(&Read::new(workspace.clone()), r#"{"file_path":"a.ipynb"}"#).read;
    let mut known = ReadState::default();
    read.into_iter().for_each(|it| known.insert(KnownFile::new(it)));
    workspace.set_known(&known);
    let edit = Edit::new(workspace);
    for (old, new) in [("one", "two"), ("two", "three")] {
        let input =
            format!(r#"{{"file_path":"a.ipynb","old_string":"{old}","new_string":"{new}"}}"#);
        let output = call(&edit, &input);
        assert_eq!(text_of(&output), "a.ipynb is changed, at 1 places.");
        assert_eq!((&output.read[0].text, output.read[0].extent), (&None, ReadExtent::Edit));
    }
}
