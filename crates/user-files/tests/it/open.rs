//! Opening files in a tree that others control.

#![cfg(unix)]
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aside_user_files::open::{
    DirEntryKind, Fence, FileKind, NamedInput, OpenError, OpenErrorKind, RegularFile, TrustedDir,
    open_file, open_file_to_append,
};

/// A project `p` with a directory `out` next to it. Each file holds its own
/// path.
struct Tree {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let tree = Self { _dir: dir, root };
        for dir in ["p/a/b", "out/deep"] {
            fs::create_dir_all(tree.at(dir)).unwrap();
        }
        for file in ["p/file", "p/a/b/file", "out/secret", "out/deep/secret"] {
            fs::write(tree.at(file), file).unwrap();
        }
        for (link, target) in [
            ("p/inside", "a/b/file"),
            ("p/to-a", "a"),
            ("p/secret", "../out/secret"),
            ("p/to-out", "../out"),
            ("p/twice", "to-out/secret"),
            ("p/and-back", "../p/file"),
            ("p/dangling", "nothing"),
            ("p/loop", "loop"),
            ("p/null", "/dev/null"),
            ("out/to-p", "../p/file"),
        ] {
            symlink(target, tree.at(link)).unwrap();
        }
        let made = std::process::Command::new("mkfifo").arg(tree.at("p/fifo")).status();
        assert!(made.unwrap().success());
        tree
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Returns the opened file's text, or the error without the tree's own
    /// path.
    fn describe(&self, opened: Result<RegularFile, OpenError>) -> String {
        match opened.and_then(|file| file.read(4096)) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => {
                let root = format!("{}/", self.root.display());
                error.to_string().replace(&root, "")
            }
        }
    }
}

const OUTSIDE: &str = "outside the project and not approved";

/// An argument that leads through the project is a project file.
#[test]
fn a_named_input_of_the_project_stays_inside_the_fence() {
    let tree = Tree::new();
    let fence = Fence::around([tree.at("p")]);
    let read = |path: &str| {
        let mut text = Vec::new();
        let opened = NamedInput::open_within(&fence, &tree.at(path));
        let read = opened.and_then(|mut input| input.read_to_end(&mut text, 4096));
        read.map(|()| String::from_utf8(text).unwrap())
    };
    for (path, expected) in [
        ("p/file", "p/file"),
        ("p/inside", "p/a/b/file"),
        ("out/secret", "out/secret"),
        ("out/to-p", "p/file"),
        ("p/and-back", "p/file"),
        ("p/a/../../out/secret", "out/secret"),
    ] {
        assert_eq!(read(path).unwrap(), expected);
    }
    for path in ["p/secret", "p/to-out/secret", "p/twice", "p/a/../secret"] {
        let error = read(path).unwrap_err();
        assert_eq!(error.kind(), OpenErrorKind::Outside, "{path}");
        assert_eq!(error.path(), tree.at(path));
    }
    assert!(read("p/nothing").unwrap_err().is_missing());
}

#[test]
fn a_fence_keeps_links_inside() {
    let tree = Tree::new();
    let _socket = UnixListener::bind(tree.at("p/socket")).unwrap();
    let fence = Fence::around([tree.at("p")]);
    for (path, expected) in [
        ("p/file", "p/file"),
        ("p/a/b/file", "p/a/b/file"),
        ("p/inside", "p/a/b/file"),
        ("p/to-a/b/file", "p/a/b/file"),
        ("p/and-back", "p/file"),
        ("p/to-out/to-p", "p/file"),
        ("p/a/../file", "p/file"),
        ("p/secret", &format!("p/secret: {OUTSIDE}: out/secret")),
        ("p/to-out/secret", &format!("p/to-out/secret: {OUTSIDE}: out/secret")),
        ("p/twice", &format!("p/twice: {OUTSIDE}: out/secret")),
        ("p/null", &format!("p/null: {OUTSIDE}: /dev/null")),
        ("out/secret", &format!("out/secret: {OUTSIDE}: out/secret")),
        ("p/dangling", "p/dangling: link that leads nowhere"),
        ("p/loop", "p/loop: Too many levels of symbolic links (os error 40)"),
        ("p/none", "p/none: no such file or directory"),
        ("p/file/x", "p/file/x: no such file or directory"),
        ("p/a", "p/a: a directory, not a file"),
        ("p/fifo", "p/fifo: a FIFO, not a file"),
        ("p/socket", "p/socket: a socket, not a file"),
    ] {
        let opened = fence.open_file(&tree.at(path));
        assert_eq!(tree.describe(opened), expected, "{path}");
    }
}

#[test]
fn approved_targets_are_opened() {
    let tree = Tree::new();
    let fence = || Fence::around([tree.at("p")]);
    let open = |fence: &Fence, path: &str| tree.describe(fence.open_file(&tree.at(path)));
    let refused = |path: &str, target: &str| format!("{path}: {OUTSIDE}: {target}");

    let file = fence().approve([tree.at("out/secret")]);
    assert_eq!(open(&file, "p/secret"), "out/secret");
    assert_eq!(
        open(&file, "p/to-out/deep/secret"),
        refused("p/to-out/deep/secret", "out/deep/secret")
    );
    assert_eq!(file.open_dir(&tree.at("p/to-out")).unwrap_err().kind(), OpenErrorKind::Outside);
    let dir = fence().approve([tree.at("out")]);
    assert_eq!(open(&dir, "p/to-out/deep/secret"), "out/deep/secret");
    assert_eq!(dir.open_dir(&tree.at("p/to-out")).unwrap().path(), tree.at("out"));
    let everything = fence().approve_everything();
    assert_eq!(open(&everything, "p/secret"), "out/secret");
    assert_eq!(open(&everything, "p/null"), "p/null: a device, not a file");
    let added = fence().with_dir(&tree.at("p/to-out"));
    assert_eq!(open(&added, "p/secret"), "out/secret");
    // Without directories, everything is outside.
    assert_eq!(open(&Fence::default(), "p/file"), refused("p/file", "p/file"));
}

#[test]
fn below_a_trusted_directory_no_link_is_followed() {
    let tree = Tree::new();
    let dir = TrustedDir::open(&tree.at("p")).unwrap();
    let exchanged = "exchanged for a link while it was opened";
    let not_below = "not a path below a directory";
    for (path, expected) in [
        ("file", "p/file"),
        ("a/b/file", "p/a/b/file"),
        ("./a/./b/file", "p/a/b/file"),
        ("inside", &format!("p/inside: {exchanged}")),
        ("to-a/b/file", &format!("p/to-a/b/file: {exchanged}")),
        ("to-out/secret", &format!("p/to-out/secret: {exchanged}")),
        ("null", &format!("p/null: {exchanged}")),
        ("a", "p/a: a directory, not a file"),
        ("fifo", "p/fifo: a FIFO, not a file"),
        ("none", "p/none: no such file or directory"),
        ("file/x", "p/file/x: no such file or directory"),
        ("../out/secret", &format!("p/../out/secret: {not_below}")),
        ("a/../file", &format!("p/a/../file: {not_below}")),
        ("/etc/passwd", &format!("/etc/passwd: {not_below}")),
        ("", &format!("p/: {not_below}")),
    ] {
        let opened = dir.open_file(Path::new(path));
        assert_eq!(tree.describe(opened), expected, "{path}");
    }
    for (path, expected) in [
        ("to-a", OpenErrorKind::Exchanged),
        ("file", OpenErrorKind::NotADirectory),
        ("fifo", OpenErrorKind::NotADirectory),
        ("file/x", OpenErrorKind::Missing),
        ("..", OpenErrorKind::NotBelow),
        ("none", OpenErrorKind::Missing),
    ] {
        assert_eq!(dir.open_dir(Path::new(path)).unwrap_err().kind(), expected, "{path}");
    }
    let deep = dir.open_dir(Path::new("a/b")).unwrap();
    assert_eq!(deep.path(), tree.at("p/a/b"));
    // A trusted directory's own path may contain a link.
    let through = TrustedDir::open(&tree.at("p/to-a/b")).unwrap();
    assert_eq!(through.path(), tree.at("p/a/b"));
}

#[test]
fn a_handle_stays_with_its_directory() {
    let tree = Tree::new();
    let dir = TrustedDir::open(&tree.at("p/a")).unwrap();
    fs::rename(tree.at("p/a"), tree.at("p/moved")).unwrap();
    symlink("../out/deep", tree.at("p/a")).unwrap();
    assert_eq!(tree.describe(dir.open_file(Path::new("b/file"))), "p/a/b/file");
    let opened = dir.open_file(Path::new("secret"));
    assert_eq!(opened.unwrap_err().kind(), OpenErrorKind::Missing);
}

#[test]
fn entries_have_their_kinds_and_order() {
    let tree = Tree::new();
    let dir = TrustedDir::open(&tree.at("p")).unwrap();
    let entries = dir.entries(100).unwrap();
    let found: Vec<_> = entries
        .list
        .iter()
        .map(|entry| (entry.name.to_str().unwrap(), entry.kind))
        .take(5)
        .collect();
    assert_eq!(
        found,
        [
            ("a", DirEntryKind::Directory),
            ("and-back", DirEntryKind::Link),
            ("dangling", DirEntryKind::Link),
            ("fifo", DirEntryKind::Special),
            ("file", DirEntryKind::File),
        ]
    );
    assert!(!entries.is_cut);
    let some = dir.entries(2).unwrap();
    assert_eq!((some.list.len(), some.is_cut), (2, true));
}

#[test]
fn a_named_file_may_be_a_link_and_has_to_be_a_file() {
    let tree = Tree::new();
    for (path, expected) in [
        ("p/secret", "out/secret"),
        ("p/fifo", "p/fifo: a FIFO, not a file"),
        ("p/null", "p/null: a device, not a file"),
        ("p/dangling", "p/dangling: link that leads nowhere"),
    ] {
        assert_eq!(tree.describe(open_file(&tree.at(path))), expected, "{path}");
        let appending = open_file_to_append(&tree.at(path));
        assert_eq!(tree.describe(appending), expected, "{path}");
    }
    let error = open_file(&tree.at("p/fifo")).unwrap_err();
    assert_eq!(error.kind(), OpenErrorKind::NotAFile(FileKind::Fifo));
}

#[test]
fn reading_has_a_limit() {
    let tree = Tree::new();
    let read = |limit| open_file(&tree.at("p/file")).unwrap().read(limit);
    assert_eq!(read(6).unwrap(), b"p/file");
    let error = read(5).unwrap_err();
    assert_eq!(error.kind(), OpenErrorKind::TooLarge { bytes: 6, limit: 5 });
    // A sparse file is refused by its size; a file in /proc has no size.
    fs::File::create(tree.at("huge")).unwrap().set_len(1 << 40).unwrap();
    let error = open_file(&tree.at("huge")).unwrap().read(1 << 20).unwrap_err();
    assert_eq!(error.message(), "more than 1 MiB");
    if let Ok(file) = open_file(Path::new("/proc/self/status")) {
        let error = file.read(10).unwrap_err();
        let kind = OpenErrorKind::TooLarge { bytes: 11, limit: 10 };
        assert_eq!(error.kind(), kind);
    }
}

/// A link to another directory replaces a directory, again and again, while a
/// file in it is opened.
///
/// An implementation that resolves the path, compares it with the project and
/// then opens it by name fails here: on an idle machine within the first ten
/// rounds, on a busy one within a few thousand.
#[cfg(target_os = "linux")]
#[test]
fn an_exchanged_directory_never_leads_outside() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::atomic::{AtomicBool, Ordering};

    let tree = Tree::new();
    fs::create_dir(tree.at("p/d")).unwrap();
    fs::write(tree.at("p/d/secret"), "inside").unwrap();
    let (dir, link) = (tree.at("p/d"), tree.at("p/to-out"));
    let fence = Fence::around([tree.at("p")]);
    let stop = AtomicBool::new(false);
    let (mut opened, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        // Long enough for both states to occur on a busy machine.
        let start = Instant::now();
        while opened + refused < 20_000 || opened * refused == 0 {
            match tree.describe(fence.open_file(&dir.join("secret"))).as_str() {
                "inside" => opened += 1,
                "out/secret" => {
                    stop.store(true, Ordering::Relaxed);
                    unreachable!("a file outside was opened");
                }
                _ => refused += 1,
            }
            if start.elapsed() > Duration::from_secs(60) {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(opened > 0 && refused > 0, "{opened} opened, {refused} refused");
}
