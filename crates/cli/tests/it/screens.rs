//! What commands print on an 80-column terminal, as snapshots.

mod logs;
mod project;

use std::path::{Path, PathBuf};

use aside_text::columns;
use regex::Regex;

use crate::support::clean;

/// The terminal's width, in columns.
const SCREEN_COLUMNS: usize = 80;

/// A directory for test files. Its path has the same length everywhere, because
/// this decides where lines break.
fn directory() -> tempfile::TempDir {
    let mut builder = tempfile::Builder::new();
    builder.prefix("aside-screen-").tempdir_in("/tmp").unwrap()
}

fn write(directory: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = directory.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `aside` in `cwd` with the home below `root`, and returns its stdout.
fn stdout(root: &Path, cwd: &Path, arguments: &[&str]) -> String {
    let columns = SCREEN_COLUMNS.to_string();
    let mut aside = clean::aside(root, cwd);
    let output = aside.env("COLUMNS", columns).args(arguments).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Compares what a command prints to the snapshot `name`. No line may be wider
/// than the screen, except for a word that you may want to copy.
fn screen(name: &str, root: &Path, cwd: &Path, arguments: &[&str]) {
    let printed = stdout(root, cwd, arguments);
    assert!(!printed.trim().is_empty(), "{arguments:?} prints nothing");
    for line in printed.lines() {
        let is_one_word = !line.trim().contains(' ');
        assert!(columns(line) <= SCREEN_COLUMNS || is_one_word, "{arguments:?}: {line}");
    }
    let shown = printed.replace(root.to_str().unwrap(), "/ROOT");
    // A new request's id depends on all its bytes.
    let ids = Regex::new(r"(?m)^\[[0-9a-f]{6}\]").unwrap();
    let shown = ids.replace_all(&shown, "[ID]");
    insta::with_settings!({
        description => format!("aside {}", arguments.join(" ")),
        omit_expression => true,
        prepend_module_to_snapshot => false,
        snapshot_path => "snapshots/screens",
    }, {
        insta::assert_snapshot!(name, shown);
    });
}

/// Tables grow with the catalogue, so they only have to fit: nothing is
/// compared.
#[test]
fn long_tables_fit() {
    let root = directory();
    for arguments in [&["models"][..], &["rules"], &["memory", "--as", "all"], &["prompt"]] {
        let printed = stdout(root.path(), root.path(), arguments);
        for line in printed.lines() {
            assert!(columns(line) <= SCREEN_COLUMNS, "{arguments:?}: {line}");
        }
    }
}

#[test]
fn a_narrow_terminal_is_respected() {
    let root = directory();
    let run = |width: &str| {
        let mut aside = clean::aside(root.path(), &workspace());
        aside.env("COLUMNS", width);
        let arguments = ["cache", "explain", "docs/cache/log.jsonl"];
        let output = aside.args(["prompt"]).output().unwrap();
        let prompt = String::from_utf8(output.stdout).unwrap();
        let mut aside = clean::aside(root.path(), &workspace());
        let output = aside.env("COLUMNS", width).args(arguments).output();
        prompt + &String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let widest = |text: &str| text.lines().map(columns).max().unwrap();
    let (narrow, usual, wide) = (run("60"), run("80"), run("160"));
    assert!(widest(&narrow) <= 60, "{narrow}");
    assert!(widest(&usual) <= 80, "{usual}");
    assert!((81..=160).contains(&widest(&wide)), "{wide}");
}

#[test]
fn colours_mark_the_miss_and_the_changed_bytes() {
    let root = directory();
    let run = |arguments: &[&str]| stdout(root.path(), &workspace(), arguments);
    let (before, after) = ("docs/cache/turn-5.json", "docs/cache/turn-6.json");
    let colours = Regex::new("\x1b\\[[0-9;]*m").unwrap();
    for (arguments, expected) in [
        (
            &["diff", before, after][..],
            &["\x1b[31mbroken\x1b[0m\n", "10:5\x1b[31m6\x1b[0m.", " \x1b[31m^\x1b[0m\n"][..],
        ),
        (
            &["cache", "explain", "docs/cache/log.jsonl"],
            &[
                "\x1b[31m      miss: system_changed: 1,605 tokens, $0.00770 lost\x1b[0m\n",
                "10:5\x1b[31m3\x1b[0m.",
            ],
        ),
        (&["context", "--file", "docs/cache/log.jsonl"], &["\x1b[31m      miss: system_changed: "]),
    ] {
        let plain = run(arguments);
        let coloured = run(&[arguments, &["--color", "always"]].concat());
        for text in expected {
            assert!(coloured.contains(text), "{text:?} is not in {coloured}");
        }
        assert_eq!(colours.replace_all(&coloured, ""), plain);
        assert!(!plain.contains('\x1b'));
    }
}
