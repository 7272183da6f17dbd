//! Files that a prompt mentions, and later changes to them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use aside_agent::{FileRead, Files, ReadExtent};
use aside_attachments::{Attachment, File, FileContent, LineRange, TextFile};
use aside_messages::conversation::Part;
use aside_tools::Workspace;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::tree::make_fifo;

fn check(write: impl Fn(&Path), path: &str, expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    write(&root);
    let workspace = Workspace::new(&root, [&root; 0]);
    let found = match workspace.mentioned(path, None) {
        Ok(found) => found,
        Err(error) => {
            let result = error.to_string().replace(root.to_str().unwrap(), "ROOT");
            return assert_eq!(result, format!("@{path} stays text: {expected}"));
        }
    };
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
    check(with("a.bin", b"a\0b"), "a.bin", "a binary file");
    check(with("a.txt", b"\xff"), "a.txt", "not UTF-8");
    let png = STANDARD.decode(crate::tree::PNG).unwrap().leak();
    check(with("a.png", png), "a.png", "image");
    let half = "an image that the API refuses: its data are incomplete";
    check(with("a.png", &png[..33]), "a.png", half);
    let cells = br#"{"cells":[{"cell_type":"code","source":["x"],"outputs":[{"text":"1"}]}]}"#;
    check(with("a.ipynb", cells), "a.ipynb", "notebook of 1");
    check(with("a.ipynb", b"{"), "a.ipynb", "not a Jupyter notebook");
    check(with("a.pdf", b"%PDF-1 /Type /Page >> %%EOF"), "a.pdf", "pdf of 1");
    check(with("a.pdf", b"%PDF-1 /Count 11 %%EOF"), "a.pdf", "pdf_reference");
    let encrypted =
        b"%PDF-1 /Type /Page >>\nxref\n0 0\ntrailer\n<</Encrypt 9 0 R>>\nstartxref\n22\n%%EOF";
    check(with("a.pdf", encrypted), "a.pdf", "a PDF document with a password");
    check(
        with("a.pdf", b"%PDF-1 /Count 11"),
        "a.pdf",
        "a PDF document whose pages cannot be counted",
    );
    check(with("a.txt", b""), "b.txt", "nothing");
    check(with("a.txt", b""), "a.txt/b", "nothing");
    check(with("a.txt", b""), "/none/such", "nothing");
}

/// A mention of something that exists and cannot be shown must not silently
/// become text.
#[test]
fn a_file_that_cannot_be_shown_is_an_error() {
    let outside = "outside the directories of the session";
    let write = |root: &Path| {
        make_fifo(&root.join("fifo"));
        symlink("/etc/passwd", root.join("passwd")).unwrap();
        symlink("/etc", root.join("etc")).unwrap();
        symlink("/dev/zero", root.join("zero")).unwrap();
        symlink("none", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
    };
    for (path, expected) in [
        ("fifo", "a FIFO, not a file".to_owned()),
        ("passwd", format!("{outside}: /etc/passwd")),
        ("etc/passwd", format!("{outside}: /etc/passwd")),
        ("etc", format!("{outside}: /etc")),
        ("zero", format!("{outside}: /dev/zero")),
        ("/etc/passwd", format!("{outside}: /etc/passwd")),
        ("/", format!("{outside}: /")),
        ("dangling", "link that leads nowhere".to_owned()),
        ("loop", "Too many levels of symbolic links (os error 40)".to_owned()),
    ] {
        check(write, path, &expected);
    }
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

/// The system decides which entries a part of a directory has.
#[test]
fn a_directory_is_listed_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    for index in 0..12_000 {
        fs::write(root.join(index.to_string()), "").unwrap();
    }
    let found = Workspace::new(&root, [&root; 0]).mentioned(".", None).unwrap().unwrap();
    match found.attachment {
        Attachment::Directory(directory) => assert_eq!(directory.entries.len(), 12_000),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn of_a_long_text_the_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::write(root.join("long"), "0123456\n".repeat(1024 * 1024)).unwrap();
    let workspace = Workspace::new(&root, [&root; 0]);
    let text = lines(&workspace, "long", None).unwrap();
    assert_eq!(text.total_lines, 1024 * 1024);
    assert!(text.content.len() <= 256 * 1024);
    assert!(text.content.ends_with("0123456\n"));
}

#[test]
fn some_lines_of_a_long_text() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let count = 700_000;
    let text: String = (1..=count).map(|it| format!("line {it}\n")).collect();
    fs::write(root.join("long"), text + "end").unwrap();
    let workspace = Workspace::new(&root, [&root; 0]);
    let lines = |first, last| lines(&workspace, "long", Some(LineRange { first, last }));
    let total_lines = 700_001;
    let part = |content: &str, start_line| {
        Some(TextFile { content: content.to_owned(), start_line, total_lines })
    };
    assert_eq!(lines(9, 10), part("line 9\nline 10\n", 9));
    assert_eq!(lines(count, count + 9), part("line 700000\nend", 700_000));
    assert_eq!(lines(count + 2, count + 9), None);
    assert_eq!(lines(3, 2), None);
    let cut = lines(2, count).unwrap().content;
    assert!(cut.len() <= 256 * 1024 && cut.starts_with("line 2\n") && cut.ends_with('\n'));
}

/// Returns the part of a text that is attached; `None` if it is refused.
fn lines(workspace: &Workspace, path: &str, lines: Option<LineRange>) -> Option<TextFile> {
    match workspace.mentioned(path, lines).ok()??.attachment {
        Attachment::File(File { content: FileContent::Text(text), .. }) => Some(text),
        _ => None,
    }
}

#[test]
fn some_lines() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::write(root.join("a"), "1\n2\n3\n").unwrap();
    let workspace = Workspace::new(&root, [&root; 0]);
    let found = workspace.mentioned("a", Some(LineRange { first: 1, last: 1 })).unwrap().unwrap();
    assert_eq!(found.read.unwrap().extent, ReadExtent::Part);
    let lines = |first, last| lines(&workspace, "a", Some(LineRange { first, last }));
    let expected = TextFile { content: "2\n3\n".into(), start_line: 2, total_lines: 3 };
    assert_eq!(lines(2, 9), Some(expected));
    assert_eq!(lines(4, 9), None);
    assert_eq!(lines(3, 2), None);
    assert_eq!(lines(0, u32::MAX).unwrap().content, "1\n2\n3\n");
}

#[test]
fn blank_lines_and_carriage_returns() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let workspace = Workspace::new(&root, [&root; 0]);
    for (text, first, last, shown) in [
        ("a\n\nc\n", 1, 2, "\n     1\ta\n     2\t"),
        ("a\n\nc\n", 2, 2, "\n     2\t"),
        ("a\n\nc", 2, 3, "\n     2\t\n     3\tc"),
        ("a\r\nb\r\nc", 1, 2, "\n     1\ta\r\n     2\tb\r"),
    ] {
        fs::write(root.join("a"), text).unwrap();
        let found = workspace.mentioned("a", Some(LineRange { first, last })).unwrap().unwrap();
        let entries = found.attachment.into_entries();
        let parts: Vec<_> = entries.into_iter().flat_map(|it| it.parts).collect();
        let is_shown =
            |part: &Part| matches!(part, Part::Reminder { body } if body.contains(shown));
        assert!(parts.iter().any(is_shown), "{text:?}: {parts:?}");
    }
}

/// Writes the file `a`, and returns its directory and what the model read of it.
fn mentioned_once(dir: &tempfile::TempDir) -> (PathBuf, Workspace, FileRead) {
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::write(root.join("a"), "1\n").unwrap();
    let workspace = Workspace::new(&root, [&root; 0]);
    let mentioned = workspace.mentioned("a", None).unwrap().unwrap();
    (root, workspace, mentioned.read.unwrap())
}

#[test]
fn a_file_that_changed() {
    let dir = tempfile::tempdir().unwrap();
    let (root, workspace, then) = mentioned_once(&dir);
    let path = root.join("a");
    assert_eq!(workspace.changed(&then), None);
    // An editor that puts another file in its place.
    fs::write(root.join("b"), "2\n").unwrap();
    fs::rename(root.join("b"), &path).unwrap();
    let now = workspace.changed(&then).unwrap();
    assert_eq!(now.text.as_deref(), Some("2\n"));
    assert_eq!(now.path, then.path);
    fs::write(&path, "a\0b").unwrap();
    assert_eq!(workspace.changed(&now).unwrap().text, None);
    assert!(!workspace.is_removed(&then));
    fs::remove_file(&path).unwrap();
    assert_eq!(workspace.changed(&then), None);
    assert!(workspace.is_removed(&then));
    fs::create_dir(&path).unwrap();
    assert!(workspace.is_removed(&then));
}

#[cfg(unix)]
#[test]
fn a_change_that_hides_its_time_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let (root, workspace, then) = mentioned_once(&dir);
    let path = root.join("a");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    // Another moment, for the file system's clock.
    std::thread::sleep(std::time::Duration::from_millis(20));
    fs::write(&path, "2\n").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    let now = workspace.changed(&then).unwrap();
    assert_eq!((now.text.as_deref(), now.modified), (Some("2\n"), then.modified));
    assert_ne!(now.stamp, then.stamp);
    assert_eq!(workspace.changed(&now), None);
}

/// The model never saw the JSON of a notebook or the source of a document.
#[test]
fn only_a_text_that_is_shown_is_compared() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let workspace = Workspace::new(&root, [&root; 0]);
    let notebook = r#"{"cells":[{"cell_type":"code","source":["x"],"outputs":[]}]}"#;
    let document = "%PDF-1 /Type /Page >> %%EOF";
    for (name, content, is_text) in [
        ("a.ipynb", notebook, false),
        ("a.pdf", document, false),
        ("a.json", notebook, true),
        ("a.txt", "one", true),
    ] {
        let path = root.join(name);
        fs::write(&path, content).unwrap();
        let then = workspace.mentioned(name, None).unwrap().unwrap().read.unwrap();
        assert_eq!((then.text.is_some(), then.extent), (is_text, ReadExtent::Whole), "{name}");
        assert_eq!(workspace.changed(&then), None, "{name}");
        fs::write(&path, format!("{content} ")).unwrap();
        assert_eq!(workspace.changed(&then).unwrap().text.is_some(), is_text, "{name}");
    }
}
