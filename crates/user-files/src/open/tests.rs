//! The ways to open a path below a directory, on the same tree. The kernel's
//! way, the manual way and the portable way have to agree.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use super::{Fault, portable, unix};

type Way = fn(dir: &Path, parent: &Path, name: &Path) -> Result<fs::File, Fault>;

const WAYS: [(&str, Way); 3] = [
    ("the kernel's way", |dir, parent, name| {
        let dir = unix::open_dir(dir)?;
        let dir = unix::open_dir_below(&dir, parent)?;
        unix::open_file(&dir, name.as_os_str())
    }),
    ("the way by hand", |dir, parent, name| {
        let dir = unix::open_dir(dir)?;
        let dir = unix::open_dir_by_hand(&dir, parent)?;
        unix::open_file(&dir, name.as_os_str())
    }),
    ("the portable way", |dir, parent, name| {
        let dir = portable::open_dir(dir)?;
        let dir = portable::open_dir_below(&dir, parent)?;
        portable::open_file(&dir, name.as_os_str())
    }),
];

fn make_fifo(at: &Path) {
    let made = std::process::Command::new("mkfifo").arg(at).status();
    assert!(made.unwrap().success());
}

fn describe(opened: Result<fs::File, Fault>) -> String {
    match opened {
        Ok(mut file) => {
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            text
        }
        Err(Fault::Link) => "link".to_owned(),
        Err(Fault::Special(kind)) => kind.to_string(),
        Err(Fault::Io(error)) => error.kind().to_string(),
    }
}

#[test]
fn every_way_opens_the_same_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let at = |path: &str| root.join(path);
    fs::create_dir_all(at("p/a/b")).unwrap();
    fs::create_dir(at("out")).unwrap();
    for path in ["p/top", "p/a/b/deep", "out/secret"] {
        fs::write(at(path), path).unwrap();
    }
    symlink("a", at("p/inner")).unwrap();
    symlink("../out", at("p/outer")).unwrap();
    symlink("top", at("p/to-file")).unwrap();
    symlink("nowhere", at("p/dangling")).unwrap();
    make_fifo(&at("p/fifo"));
    let _socket = UnixListener::bind(at("p/socket")).unwrap();

    let table = [
        ("", "top", "p/top"),
        ("a/b", "deep", "p/a/b/deep"),
        ("a/./b", "deep", "p/a/b/deep"),
        ("a", "b", "a directory"),
        ("", "none", "entity not found"),
        ("none", "x", "entity not found"),
        ("top", "x", "not a directory"),
        ("inner/b", "deep", "link"),
        ("outer", "secret", "link"),
        ("", "to-file", "link"),
        ("", "dangling", "link"),
        ("dangling", "x", "link"),
        ("", "fifo", "a FIFO"),
        ("", "socket", "a socket"),
    ];
    for (parent, name, expected) in table {
        for (way, open) in WAYS {
            let opened = open(&at("p"), Path::new(parent), Path::new(name));
            assert_eq!(describe(opened), expected, "{parent}/{name}, {way}");
        }
    }
}

#[test]
fn every_way_lists_the_same_entries() {
    let dir = tempfile::tempdir().unwrap();
    let at = |path: &str| dir.path().join(path);
    fs::create_dir(at("b")).unwrap();
    fs::write(at("a"), "").unwrap();
    symlink("a", at("c")).unwrap();
    let root = dir.path().to_owned();
    let listed = unix::entries(&unix::open_dir(&root).unwrap(), 10).unwrap();
    assert_eq!(listed, portable::entries(&root, 10).unwrap());
    let names: Vec<_> = listed.list.iter().map(|entry| &entry.name).collect();
    assert_eq!(names, ["a", "b", "c"]);
    for (limit, is_cut) in [(3, false), (2, true)] {
        let listed = portable::entries(&root, limit).unwrap();
        assert_eq!((listed.list.len(), listed.is_cut), (limit, is_cut));
    }
}

type Replace = fn(&Path, &str) -> Result<(), Fault>;

#[test]
fn both_ways_replace_regular_files_only() {
    let ways: [(&str, Replace); 2] = [
        ("with handles", |dir, name| {
            let dir = unix::open_dir(dir)?;
            unix::create_dir(&dir, "sub".as_ref())?;
            unix::create_dir(&dir, "sub".as_ref())?;
            unix::replace_file(&dir, name.as_ref(), ".t".as_ref(), b"new")
        }),
        ("the portable way", |dir, name| {
            let dir = portable::open_dir(dir)?;
            portable::create_dir(&dir, "sub".as_ref())?;
            portable::create_dir(&dir, "sub".as_ref())?;
            portable::replace_file(&dir, name.as_ref(), ".t".as_ref(), b"new")
        }),
    ];
    for (way, replace) in ways {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::write(root.join("file"), "old").unwrap();
        symlink("file", root.join("link")).unwrap();
        for name in ["new", "file"] {
            assert!(replace(&root, name).is_ok(), "{way}");
            assert_eq!(fs::read(root.join(name)).unwrap(), b"new", "{way}");
        }
        assert!(matches!(replace(&root, "link"), Err(Fault::Link)), "{way}");
        assert!(matches!(replace(&root, "sub"), Err(Fault::Special(_))), "{way}");
        assert!(root.join("sub").is_dir() && !root.join(".t").exists(), "{way}");
    }
}

#[test]
fn a_replaced_file_is_private_while_it_is_written_and_never_setuid() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let dir = unix::open_dir(&root).unwrap();
    let mode = |name: &str| fs::metadata(root.join(name)).unwrap().permissions().mode() & 0o7777;
    for (before, written, after) in [
        (0o600, 0o600, 0o600),
        (0o400, 0o400, 0o400),
        (0o640, 0o600, 0o640),
        (0o666, 0o600, 0o666),
        (0o755, 0o700, 0o755),
        (0o6755, 0o700, 0o755),
    ] {
        fs::write(root.join("file"), "old").unwrap();
        fs::set_permissions(root.join("file"), fs::Permissions::from_mode(before)).unwrap();
        let bits = rustix::fs::Mode::from_raw_mode(before);
        drop(unix::create_temporary(&dir, "open".as_ref(), Some(bits)).unwrap());
        assert_eq!(mode("open"), written, "{before:o}");
        unix::replace_file(&dir, "file".as_ref(), ".t".as_ref(), b"new").unwrap();
        assert_eq!(mode("file"), after, "{before:o}");
        assert_eq!(fs::read(root.join("file")).unwrap(), b"new");
        fs::remove_file(root.join("open")).unwrap();
        fs::remove_file(root.join("file")).unwrap();
    }
}
