//! Trees and files that somebody made to hurt.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::tree::{Tree, make_fifo, told};

#[test]
fn only_regular_files_are_opened() {
    let tree = Tree::new("work/text = run");
    make_fifo(&tree.path("work/fifo"));
    let _socket = UnixListener::bind(tree.path("work/socket")).unwrap();
    for (name, kind) in [
        ("fifo", "a FIFO"),
        ("socket", "a socket"),
        (".", "a directory"),
    ] {
        let input = format!(r#"{{"file_path":"{name}"}}"#);
        tree.check(
            "Read",
            &input,
            &format!("error: {name}: {kind}, not a file"),
        );
    }
    tree.check("Grep", r#"{"pattern":"run"}"#, "text");
    tree.check(
        "Grep",
        r#"{"pattern":"run","path":"fifo"}"#,
        "(No line matches.)",
    );
    tree.check("Glob", r#"{"pattern":"*"}"#, "text");
}

#[test]
fn a_device_is_not_opened_even_where_it_may_be() {
    let tree = Tree::new("");
    let workspace = tree.workspace().without_limits();
    let output = crate::tree::call_in(workspace, "Read", r#"{"file_path":"/dev/zero"}"#);
    assert_eq!(told(&output), "error: /dev/zero: a device, not a file");
}

#[test]
fn link_loops() {
    let tree = Tree::new("work/a/x = run\nwork/a/up -> ..\nwork/self -> self\nwork/b -> a");
    tree.check("Grep", r#"{"pattern":"run"}"#, "a/x");
    tree.check("Glob", r#"{"pattern":"**"}"#, "a/x");
    let told = tree.told("Read", r#"{"file_path":"self"}"#);
    assert!(told.starts_with("error: self: Too many levels"), "{told}");
}

#[test]
fn a_sparse_terabyte() {
    let tree = Tree::new("work/text = run");
    let file = fs::File::create(tree.path("work/huge")).unwrap();
    file.set_len(1 << 40).unwrap();
    tree.check(
        "Read",
        r#"{"file_path":"huge"}"#,
        "error: huge: a binary file, not a text",
    );
    tree.check("Grep", r#"{"pattern":"run"}"#, "text");
}

#[test]
fn a_line_without_end() {
    let tree = Tree::new("work/text = run");
    tree.write("work/line", "x".repeat(20 * 1024 * 1024));
    let told = tree.told("Grep", r#"{"pattern":"run"}"#);
    assert_eq!(told, "text\n(Files that could not be searched: 1.)");
}

#[test]
fn names_that_are_not_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let tree = Tree::new("");
    let name = OsStr::from_bytes(b"a\xff.rs");
    fs::write(tree.path("work").join(name), "run").unwrap();
    tree.check("Grep", r#"{"pattern":"run"}"#, "a\u{fffd}.rs");
    tree.check("Glob", r#"{"pattern":"*.rs"}"#, "a\u{fffd}.rs");
}

/// Somebody exchanges a directory for a link to elsewhere, again and again,
/// while it is read: what lies elsewhere is never shown.
#[test]
fn exchanges_in_the_meantime() {
    let tree = Tree::new("work/real/f = in\nelse/f = secret\nwork/link -> ROOT/else");
    fs::create_dir(tree.path("work/d")).unwrap();
    tree.write("work/d/f", "in");
    let stop = Arc::new(AtomicBool::new(false));
    let work = tree.path("work");
    let attacker = {
        let stop = stop.clone();
        let exchange = move |work: &Path| {
            let _ = fs::rename(work.join("d"), work.join("away"));
            let _ = fs::rename(work.join("link"), work.join("d"));
            let _ = fs::rename(work.join("d"), work.join("link"));
            let _ = fs::rename(work.join("away"), work.join("d"));
        };
        std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                exchange(&work);
            }
        })
    };
    let mut seen = 0;
    for _ in 0..500 {
        let read = tree.told("Read", r#"{"file_path":"d/f"}"#);
        let found = tree.told("Grep", r#"{"pattern":".","output":"lines","path":"d"}"#);
        assert!(
            !read.contains("secret") && !found.contains("secret"),
            "{read}\n{found}"
        );
        seen += usize::from(read == "     1\tin");
    }
    stop.store(true, Ordering::Relaxed);
    attacker.join().unwrap();
    assert!(seen > 0);
}
