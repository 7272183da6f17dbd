//! Files that cannot be read as text.

use std::fs;

use aside_claudemd::Profile;

use crate::tree::{Tree, check};

#[test]
fn files_that_are_not_text_are_skipped_and_reported() {
    check("p/CLAUDE.md |", "p", "skip p/CLAUDE.md: a FIFO, not a file");
    check("p/CLAUDE.md/", "p", "skip p/CLAUDE.md: a directory, not a file");
    check(
        "p/CLAUDE.md -> /dev/zero",
        "p",
        "skip p/CLAUDE.md: outside the project and not approved: /dev/zero",
    );
    check(
        "p/\nhome/.claude/CLAUDE.md -> /dev/zero",
        "p",
        "skip home/.claude/CLAUDE.md: a device, not a file",
    );
    check("p/.claude/rules |", "p", "skip p/.claude/rules: unreadable: not a directory");
    check("p/CLAUDE.md -> nowhere", "p", "skip p/CLAUDE.md: unreadable: link that leads nowhere");
    check(
        "p/CLAUDE.md -> CLAUDE.md",
        "p",
        "skip p/CLAUDE.md: unreadable: Too many levels of symbolic links (os error 40)",
    );
    check("p/CLAUDE.md = \\n \\n", "p", "skip p/CLAUDE.md: empty");
    let tree = Tree::new("p/");
    let _socket = std::os::unix::net::UnixListener::bind(tree.path("p/CLAUDE.md")).unwrap();
    tree.check("p", |l| l, "skip p/CLAUDE.md: a socket, not a file");
    check("p/.claude = a file\np/CLAUDE.md = p", "p", "project session_start p/CLAUDE.md");
}

fn bytes(bytes: &[u8], expected: &str) {
    let tree = Tree::new("p/");
    fs::write(tree.path("p/CLAUDE.md"), bytes).unwrap();
    tree.check("p", |loader| loader, expected);
}

#[test]
fn binary_files_are_skipped() {
    bytes(b"a\0b", "skip p/CLAUDE.md: binary");
    let late = [vec![b'a'; 8 * 1024], vec![0]].concat();
    bytes(&late[1..], "skip p/CLAUDE.md: binary");
    bytes(&late, "project session_start p/CLAUDE.md");
    bytes(b"a\nb\xff\n", "skip p/CLAUDE.md: not UTF-8 on line 2");
    bytes(b"caf\xc3", "skip p/CLAUDE.md: not UTF-8 on line 1");
    bytes("\u{feff}caf\u{e9}".as_bytes(), "project session_start p/CLAUDE.md");
}

#[test]
fn at_most_4_mib() {
    let size = 4 * 1024 * 1024;
    bytes(&vec![b'x'; size], "project session_start p/CLAUDE.md");
    bytes(&vec![b'x'; size + 1], "skip p/CLAUDE.md: 4194305 bytes, more than 4 MiB");
}

#[test]
fn a_sparse_gigabyte() {
    let tree = Tree::new("p/");
    let file = fs::File::create(tree.path("p/CLAUDE.md")).unwrap();
    file.set_len(1 << 30).unwrap();
    tree.check("p", |loader| loader, "skip p/CLAUDE.md: 1073741824 bytes, more than 4 MiB");
}

#[test]
fn every_skip_is_a_diagnostic() {
    let tree = Tree::new("p/CLAUDE.md/\np/CLAUDE.local.md = ");
    let memory = tree.load("p", |loader| loader);
    let messages: Vec<_> = memory
        .diagnostics()
        .iter()
        .map(|it| (it.path().unwrap().to_owned(), it.message.as_str()))
        .collect();
    assert_eq!(
        messages,
        [
            (tree.path("p/CLAUDE.md"), "a directory, not a file"),
            (tree.path("p/CLAUDE.local.md"), "empty")
        ]
    );
}

#[test]
fn a_long_file_is_loaded_with_a_warning() {
    let tree = Tree::new("p/");
    fs::write(tree.path("p/CLAUDE.md"), "\u{e9}".repeat(40_000)).unwrap();
    assert_eq!(tree.load("p", |loader| loader).diagnostics(), []);
    fs::write(tree.path("p/CLAUDE.md"), "\u{e9}".repeat(40_001)).unwrap();
    let memory = tree.load("p", |loader| loader);
    assert_eq!(memory.files().len(), 1);
    assert!(memory.diagnostics()[0].message.starts_with("more than 40000 characters"));
}

/// A file that the system refuses for a moment is not reported as gone, nor are its imports; a file
/// that was removed is.
#[test]
fn a_file_that_cannot_be_read_for_now_is_not_gone() {
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join("CLAUDE.md");
    fs::write(project.path().join("more.md"), "More.\n").unwrap();
    fs::write(&file, "Use tabs. @more.md\n").unwrap();
    let memory = aside_claudemd::load(project.path(), &aside_claudemd::Dirs::default()).unwrap();
    assert_eq!(memory.files().len(), 2);
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("CLAUDE.md", &file).unwrap();
    let refused = memory.changed();
    assert_eq!((refused.files, refused.is_whole), (Vec::new(), false));
    fs::remove_file(&file).unwrap();
    let gone = memory.changed();
    assert_eq!((gone.files.len(), gone.is_whole), (2, true));
}

/// What changed during a session has the diagnostics that a new session would have.
#[test]
fn a_file_that_became_invalid_is_reported_and_not_gone() {
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join("CLAUDE.md");
    fs::write(project.path().join("more.md"), "More.\n").unwrap();
    fs::write(&file, "Use tabs. @more.md\n").unwrap();
    let memory = aside_claudemd::load(project.path(), &aside_claudemd::Dirs::default()).unwrap();
    let check = |text: &[u8], expected: &[(&str, bool)], fault: Option<&str>| {
        fs::write(&file, text).unwrap();
        let changes = memory.changed();
        let names = changes
            .files
            .iter()
            .map(|it| (it.now.path.file_name().unwrap().to_str().unwrap(), it.is_unused));
        assert_eq!(names.collect::<Vec<_>>(), expected);
        let faults: Vec<&str> = changes.diagnostics.iter().map(|it| &*it.message).collect();
        assert_eq!(faults, Vec::from_iter(fault));
    };
    check(b"caf\xe9 v2\n", &[], Some("not UTF-8 on line 1"));
    check(b"Use tabs. @more.md\n", &[], None);
    check(b"Use spaces.\n", &[("CLAUDE.md", false), ("more.md", true)], None);
    check(b"", &[("CLAUDE.md", false), ("more.md", true)], Some("empty"));
}

/// Only the state of the file that cannot be read is unknown: others are reported as gone.
#[test]
fn an_unreadable_file_hides_no_other_change() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    fs::create_dir_all(root.join(".claude/rules")).unwrap();
    fs::write(root.join("CLAUDE.md"), "Use tabs.\n").unwrap();
    fs::write(root.join(".claude/rules/tabs.md"), "Always use tabs.\n").unwrap();
    fs::write(root.join("CLAUDE.local.md"), "Mine. @more.md\n").unwrap();
    fs::write(root.join("more.md"), "More.\n").unwrap();
    let mut memory = aside_claudemd::load(root, &aside_claudemd::Dirs::default()).unwrap();
    assert_eq!(memory.files().len(), 4);
    fs::write(root.join("CLAUDE.local.md"), b"caf\xe9").unwrap();
    fs::remove_file(root.join(".claude/rules/tabs.md")).unwrap();
    let changes = memory.changed();
    let gone: Vec<_> = changes.files.iter().map(|it| (&*it.now.path, it.is_unused)).collect();
    assert_eq!(gone, [(&*root.join(".claude/rules/tabs.md"), false)]);
    assert!(changes.unknown.contains(&root.join("more.md")), "{changes:?}");
    // Excludes that come during a session.
    let excluding = aside_claudemd::Loader::default().excludes(["CLAUDE.md"]);
    memory.set_excludes(&excluding);
    let changes = memory.changed();
    assert_eq!(changes.files.len(), 2, "{changes:?}");
    let excluded = changes.files.iter().find(|it| it.now.path == root.join("CLAUDE.md")).unwrap();
    assert!(excluded.is_unused && excluded.now.text.is_empty(), "{excluded:?}");
}

/// A file that loads under another name now has a text, and is not gone.
#[test]
fn a_file_that_loads_under_another_name_is_unused() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    fs::create_dir(root.join(".claude")).unwrap();
    fs::write(root.join(".claude/CLAUDE.md"), "Use tabs.\n").unwrap();
    let memory = aside_claudemd::load(root, &aside_claudemd::Dirs::default()).unwrap();
    std::os::unix::fs::symlink(".claude/CLAUDE.md", root.join("CLAUDE.md")).unwrap();
    let changes = memory.changed();
    let old = changes.files.iter().find(|it| it.now.path == root.join(".claude/CLAUDE.md"));
    assert!(old.unwrap().is_unused, "{changes:?}");
}

/// Agents that send replacements for the bytes are followed, with a warning.
#[test]
fn a_file_that_is_not_utf8_as_other_agents_send_it() {
    let tree = Tree::new("p/");
    fs::write(tree.path("p/AGENTS.md"), b"one\ncaf\xe9\n").unwrap();
    let own = tree.load("p", |it| it);
    assert_eq!(own.files(), []);
    let memory = tree.load("p", |it| it.profile(Profile::Codex));
    assert_eq!(&*memory.files()[0].text, "one\ncaf\u{fffd}");
    let [warning] = memory.diagnostics() else {
        panic!("{:?}", memory.diagnostics());
    };
    assert_eq!(warning.line(), Some(2));
    assert_eq!(warning.message, "not UTF-8: the agent sends U+FFFD for the other bytes");
}
