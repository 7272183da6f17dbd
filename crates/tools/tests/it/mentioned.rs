//! What a prompt mentions, and files that changed since.

use std::fs;
use std::path::Path;

use aside_agent::{Files, ReadExtent};
use aside_attachments::{Attachment, FileContent, LineRange, TextFile};
use aside_tools::Workspace;

fn check(write: impl Fn(&Path), path: &str, expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    write(&root);
    let workspace = Workspace::new(&root, [&root; 0]);
    let found = workspace.mentioned(path, None);
    let found = found.map_or("nothing".to_owned(), |it| match it.attachment {
        Attachment::File(file) => match file.content {
            FileContent::Text(text) => format!("text {:?} of {}", text.content, text.total_lines),
            FileContent::Image(_) => "image".to_owned(),
            FileContent::Notebook(it) => format!("notebook of {}", it.cells.len()),
            FileContent::Pdf(it) => format!("pdf of {}", it.pages),
            _ => "file".to_owned(),
        },
        Attachment::Directory(it) => it.entries.join(" "),
        other => other.kind().to_owned(),
    });
    assert_eq!(found, expected, "{path}");
}

fn with(name: &'static str, bytes: &'static [u8]) -> impl Fn(&Path) {
    move |root| fs::write(root.join(name), bytes).unwrap()
}

#[test]
fn by_kind() {
    check(with("a.txt", b"one\n"), "a.txt", "text \"one\\n\" of 0");
    check(with("a.txt", b""), "a.txt", "text \"\" of 0");
    check(with("a.bin", b"a\0b"), "a.bin", "nothing");
    check(with("a.txt", b"\xff"), "a.txt", "nothing");
    check(with("a.png", b"\x89PNG\r\n\x1a\n"), "a.png", "image");
    let cells = br#"{"cells":[{"cell_type":"code","source":["x"],"outputs":[{"text":"1"}]}]}"#;
    check(with("a.ipynb", cells), "a.ipynb", "notebook of 1");
    check(with("a.ipynb", b"{"), "a.ipynb", "nothing");
    check(with("a.pdf", b"%PDF-1 /Type /Page >>"), "a.pdf", "pdf of 1");
    check(with("a.pdf", b"%PDF-1 /Count 11"), "a.pdf", "pdf_reference");
    check(with("a.pdf", b"%PDF-1"), "a.pdf", "nothing");
    check(with("a.txt", b""), "b.txt", "nothing");
    check(with("a.txt", b""), "/etc/passwd", "nothing");
    check(with("a.txt", b""), "../", "nothing");
}

#[test]
fn a_directory_is_listed_in_order() {
    let write = |root: &Path| {
        fs::create_dir(root.join("b")).unwrap();
        fs::write(root.join("c"), "").unwrap();
        fs::write(root.join("a"), "").unwrap();
    };
    check(write, ".", "a b/ c");
}

#[test]
fn of_a_long_text_the_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::write(root.join("long"), "0123456\n".repeat(1024 * 1024)).unwrap();
    let found = Workspace::new(&root, [&root; 0]).mentioned("long", None);
    let Some(Attachment::File(file)) = found.map(|it| it.attachment) else {
        unreachable!("a file");
    };
    let FileContent::Text(text) = file.content else {
        unreachable!("a text");
    };
    assert_eq!(text.total_lines, 1024 * 1024 + 1);
    assert!(text.content.len() <= 256 * 1024);
    assert!(text.content.ends_with("0123456"));
}

#[test]
fn some_lines() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::write(root.join("a"), "1\n2\n3\n").unwrap();
    let workspace = Workspace::new(&root, [&root; 0]);
    let lines = |first, last| {
        let found = workspace.mentioned("a", Some(LineRange { first, last }))?;
        assert_eq!(found.read.unwrap().extent, ReadExtent::Part);
        match found.attachment {
            Attachment::File(file) => match file.content {
                FileContent::Text(text) => Some(text),
                _ => None,
            },
            _ => None,
        }
    };
    let expected = TextFile {
        content: "2\n3".into(),
        start_line: 2,
        total_lines: 3,
    };
    assert_eq!(lines(2, 9), Some(expected));
    assert_eq!(lines(4, 9), None);
    assert_eq!(lines(3, 2), None);
    assert_eq!(lines(0, u32::MAX).unwrap().content, "1\n2\n3");
}

#[test]
fn a_file_that_changed() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let path = root.join("a");
    fs::write(&path, "1\n").unwrap();
    let workspace = Workspace::new(&root, [&root; 0]);
    let then = workspace.mentioned("a", None).unwrap().read.unwrap();
    assert_eq!(workspace.changed(&then), None);
    // An editor that puts another file in its place.
    fs::write(root.join("b"), "2\n").unwrap();
    fs::rename(root.join("b"), &path).unwrap();
    let now = workspace.changed(&then).unwrap();
    assert_eq!(now.text.as_deref(), Some("2\n"));
    assert_eq!(now.path, then.path);
    fs::remove_file(&path).unwrap();
    assert_eq!(workspace.changed(&then), None);
}
