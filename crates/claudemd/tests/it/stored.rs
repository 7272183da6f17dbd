//! Storing a memory and reading it back.

use aside_claudemd::{Memory, MemoryFile, SkipReason};

use crate::tree::Tree;

fn stored(memory: &Memory) -> Memory {
    let json = serde_json::to_string(memory).unwrap();
    serde_json::from_str(&json).unwrap()
}

#[test]
fn a_restored_memory_is_equal_and_continues() {
    let tree = Tree::new(
        "
        home/.claude/CLAUDE.md = u
        p/CLAUDE.md = p
        p/a/CLAUDE.md = a
        p/a/b/CLAUDE.md = b
        p/a/.claude/rules/r.md = ---\\npaths: \"**/*.rs\"\\n---\\nar
        p/a/.claude/rules/s.md = as
        p/.claude/rules/r.md = ---\\npaths: \"**/*.rs\"\\n---\\nr
        p/CLAUDE.local.md =  
        ",
    );
    let mut memory = tree.load("p", |loader| loader);
    memory.touch("a/x.txt");
    let mut again = stored(&memory);
    assert_eq!(again, memory);
    let (next, next_again) = (memory.touch("a/b/x.rs"), again.touch("a/b/x.rs"));
    assert_eq!(next.len(), 3);
    assert_eq!(next, next_again);
    assert_eq!(again, memory);
}

#[test]
fn the_same_tree_gives_the_same_bytes() {
    let tree = Tree::new("p/.claude/rules/b.md = b\np/.claude/rules/a.md = a\np/CLAUDE.md = p");
    let json = |memory: &Memory| serde_json::to_string(memory).unwrap();
    let first = json(&tree.load("p", |loader| loader));
    for _ in 0..8 {
        assert_eq!(json(&tree.load("p", |loader| loader)), first);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_survives() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new("p/");
    let dir = tree.path("p").join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("CLAUDE.md"), "x").unwrap();
    let memory = aside_claudemd::load(&dir, &tree.dirs()).unwrap();
    let file = memory.files().last().unwrap();
    assert_eq!(file.path, dir.join("CLAUDE.md"));
    assert_eq!(stored(&memory), memory);
    let json = serde_json::to_string(file).unwrap();
    assert_eq!(&serde_json::from_str::<MemoryFile>(&json).unwrap(), file);
    assert!(file.render(&[]).contains("caf\u{fffd}/CLAUDE.md"));
}

#[test]
fn reasons_have_the_names_of_the_stored_form() {
    let text = String::new;
    let path = std::path::PathBuf::new;
    for reason in [
        SkipReason::Empty,
        SkipReason::Excluded { pattern: text(), place: None },
        SkipReason::OuterCheckout,
        SkipReason::AlreadyLoaded { path: path() },
        SkipReason::External { target: path() },
        SkipReason::GitDirectory,
        SkipReason::TooManyHops,
        SkipReason::NotFound,
        SkipReason::Punctuation,
        SkipReason::NotTextEnding,
        SkipReason::TooLarge { bytes: 0 },
        SkipReason::Binary,
        SkipReason::NotUtf8 { line: 1 },
        SkipReason::NotAFile { found: text() },
        SkipReason::Unreadable { error: text() },
        SkipReason::OnRequest,
        SkipReason::Manual,
        SkipReason::OverLimit { limit: text() },
    ] {
        let stored = serde_json::to_value(&reason).unwrap();
        assert_eq!(stored["reason"], reason.as_str());
    }
}
