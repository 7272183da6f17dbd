//! Hostile trees and files.

use std::fs;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::tree::{Tree, make_fifo, text_of};

#[test]
fn only_regular_files_are_opened() {
    let tree = Tree::new("project/text = run");
    make_fifo(&tree.path("project/fifo"));
    let _socket = UnixListener::bind(tree.path("project/socket")).unwrap();
    for (name, kind) in [("fifo", "a FIFO"), ("socket", "a socket"), (".", "a directory")] {
        let input = format!(r#"{{"file_path":"{name}"}}"#);
        tree.check("Read", &input, &format!("error: {name}: {kind}, not a file"));
    }
    tree.check("Grep", r#"{"pattern":"run"}"#, "text");
    tree.check("Grep", r#"{"pattern":"run","path":"fifo"}"#, "(No line matches.)");
    tree.check("Glob", r#"{"pattern":"*"}"#, "text");
}

#[test]
fn a_device_is_not_opened_even_where_it_may_be() {
    let tree = Tree::new("");
    let workspace = tree.workspace().without_limits();
    let output = crate::tree::call_in(workspace, "Read", r#"{"file_path":"/dev/zero"}"#);
    assert_eq!(text_of(&output), "error: /dev/zero: a device, not a file");
}

#[test]
fn link_loops() {
    let tree =
        Tree::new("project/a/x = run\nproject/a/up -> ..\nproject/self -> self\nproject/b -> a");
    tree.check("Grep", r#"{"pattern":"run"}"#, "a/x");
    tree.check("Glob", r#"{"pattern":"**"}"#, "a/x");
    let result = tree.result("Read", r#"{"file_path":"self"}"#);
    assert!(result.starts_with("error: self: Too many levels"), "{result}");
}

#[test]
fn a_sparse_terabyte() {
    let tree = Tree::new("project/text = run");
    let file = fs::File::create(tree.path("project/huge")).unwrap();
    file.set_len(1 << 40).unwrap();
    tree.check("Read", r#"{"file_path":"huge"}"#, "error: huge: a binary file, not a text");
    tree.check("Grep", r#"{"pattern":"run"}"#, "text");
}

#[test]
fn a_line_without_end() {
    let tree = Tree::new("project/text = run");
    tree.write("project/line", "x".repeat(20 * 1024 * 1024));
    let result = tree.result("Grep", r#"{"pattern":"run"}"#);
    assert_eq!(result, "text\n(Files that could not be searched: 1.)");
}

#[test]
fn names_that_are_not_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let tree = Tree::new("");
    let name = OsStr::from_bytes(b"a\xff.rs");
    fs::write(tree.path("project").join(name), "run").unwrap();
    tree.check("Grep", r#"{"pattern":"run"}"#, "a\u{fffd}.rs");
    tree.check("Glob", r#"{"pattern":"*.rs"}"#, "a\u{fffd}.rs");
}

/// To resolve each directory above a missing path takes minutes here: a
/// directory's path is as long as the directory is deep.
#[test]
fn three_thousand_levels() {
    let tree = Tree::new("project/a/text = run");
    tree.nest("project/b", 3_000);
    let start = Instant::now();
    let note = "(Directories 32 levels down are not looked into: 1.)";
    tree.check("Grep", r#"{"pattern":"run"}"#, &format!("a/text\n{note}"));
    tree.check("Glob", r#"{"pattern":"**"}"#, &format!("a/text\n{note}"));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let result = tree.result("Read", &format!(r#"{{"file_path":"b/{}x"}}"#, "d/".repeat(3_000)));
    assert!(result.ends_with("there is no such file or directory"), "{result}");
}

/// A link to elsewhere replaces a directory, again and again, while it is read.
/// To open a resolved path by name shows the secret.
#[test]
fn an_exchanged_directory_never_leads_outside() {
    let tree = Tree::new("project/d/f = in\nelse/f = secret\nproject/link -> ROOT/else");
    let (dir, link) = (tree.path("project/d"), tree.path("project/link"));
    let stop = AtomicBool::new(false);
    let (mut opened, mut rounds) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let exchange = RenameFlags::EXCHANGE;
                renameat_with(CWD, &dir, CWD, &link, exchange).unwrap();
            }
        });
        let start = Instant::now();
        while rounds < 500 || (opened == 0 && start.elapsed() < Duration::from_secs(60)) {
            let read = tree.result("Read", r#"{"file_path":"d/f"}"#);
            let found = tree.result("Grep", r#"{"pattern":".","output":"lines","path":"d"}"#);
            let is_leaked = read.contains("secret") || found.contains("secret");
            if is_leaked {
                stop.store(true, Ordering::Relaxed);
                unreachable!("{read}\n{found}");
            }
            opened += usize::from(read == "     1\tin");
            rounds += 1;
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(opened > 0);
}
