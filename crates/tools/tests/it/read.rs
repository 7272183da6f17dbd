use std::fs;
use std::os::unix::fs::MetadataExt;

use aside_agent::{FileIdentity, ReadExtent};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::tree::{Tree, text_of};

fn check(text: &str, rest: &str, expected: &str) {
    let tree = Tree::new("");
    tree.write("project/a", text);
    tree.check("Read", &format!(r#"{{"file_path":"a"{rest}}}"#), expected);
}

#[test]
fn lines_are_numbered() {
    check("one\ntwo\n", "", "     1\tone\n     2\ttwo");
    check("one\r\n\n\u{e9}", "", "     1\tone\r\n     2\t\n     3\t\u{e9}");
    check("\n", "", "     1\t");
    check("", "", "(The file is empty.)");
}

#[test]
fn a_mentioned_file_looks_the_same() {
    let text = "one\n\n\ttwo";
    check(text, "", &aside_attachments::numbered_lines(text, 1));
}

#[test]
fn a_range_and_how_to_read_on() {
    let text = "a\nb\nc\nd\n";
    check(
        text,
        r#","offset":2,"limit":2"#,
        "     2\tb\n     3\tc\nOf the file's 4 lines, 2 to 3 are shown. To read on, use `offset` 4.",
    );
    check(text, r#","offset":3"#, "     3\tc\n     4\td\nOf the file's 4 lines, 3 to 4 are shown.");
    check(text, r#","limit":9"#, "     1\ta\n     2\tb\n     3\tc\n     4\td");
    check(text, r#","offset":5"#, "error: a: there is no line 5: it has 4");
}

#[test]
fn two_thousand_lines_at_once() {
    let text: String = (1..=2_001).map(|i| format!("{i}\n")).collect();
    let tree = Tree::new("");
    tree.write("project/a", text);
    let result = tree.result("Read", r#"{"file_path":"a"}"#);
    let note = "Of the file's 2001 lines, 1 to 2000 are shown. To read on, use `offset` 2001.";
    assert!(result.ends_with(&format!("  2000\t2000\n{note}")));
}

#[test]
fn whole_lines_up_to_256_kb() {
    let tree = Tree::new("");
    let line = "x".repeat(100 * 1024);
    tree.write("project/a", format!("{line}\n{line}\n{line}\ny\n"));
    let result = tree.result("Read", r#"{"file_path":"a"}"#);
    assert!(
        result.ends_with("x\nOf the file's 4 lines, 1 to 2 are shown. To read on, use `offset` 3.")
    );
    tree.write("project/a", format!("a\n{}\nb\n", "\u{e9}".repeat(200_000)));
    let result = tree.result("Read", r#"{"file_path":"a","offset":2}"#);
    let note = "Of the file's 3 lines, 2 to 2 are shown. Line 2 is longer than 256 KB, and its \
                end is left out: use Grep to find something in it. To read on, use `offset` 3.";
    assert!(result.ends_with(note), "{}", &result[result.len() - 300..]);
    assert!(result.len() < 263_000);
}

#[test]
fn a_huge_file_is_read_in_pieces() {
    let tree = Tree::new("");
    let line = format!("{}\n", "x".repeat(1023));
    tree.write("project/a", line.repeat(20 * 1024) + "end");
    let output = tree.call("Read", r#"{"file_path":"a","offset":20480}"#);
    let result = text_of(&output);
    assert!(
        result.ends_with("x\n 20481\tend\nOf the file's 20481 lines, 20480 to 20481 are shown.")
    );
    assert_eq!(output.read[0].text, None);
    assert_eq!(output.read[0].extent, ReadExtent::Part);
}

#[test]
fn files_that_were_read_are_reported() {
    let tree = Tree::new("project/a = one\\ntwo\\n\nproject/b -> a");
    let output = tree.call("Read", r#"{"file_path":"b","limit":1}"#);
    let read = &output.read[0];
    assert_eq!(read.path, tree.path("project/b"));
    let metadata = fs::metadata(tree.path("project/a")).unwrap();
    let (device, inode) = (metadata.dev(), metadata.ino());
    assert_eq!(read.identity, FileIdentity::Inode { device, inode });
    let seconds = u64::try_from(metadata.mtime()).unwrap();
    assert_eq!(read.modified.unwrap().as_secs(), seconds);
    assert_eq!(read.extent, ReadExtent::Part);
    assert_eq!(read.text.as_deref(), Some("one\ntwo\n"));
    let whole = tree.call("Read", r#"{"file_path":"ROOT/project/a"}"#);
    assert_eq!(whole.read[0].extent, ReadExtent::Whole);
    assert_eq!(whole.read[0].identity, read.identity);
    assert_eq!(tree.call("Read", r#"{"file_path":"c"}"#).read, []);
}

#[test]
fn binary_files_are_skipped() {
    let tree = Tree::new("");
    let check = |bytes: &[u8], expected: &str| {
        tree.write("project/a", bytes);
        tree.check("Read", r#"{"file_path":"a"}"#, expected);
    };
    check(b"a\0b", "error: a: a binary file, not a text");
    check(
        b"%PDF-1.7\n",
        "error: a: a PDF document: use the parameter `pages`, such as \"1-5\", with at most 20 pages",
    );
    check(
        b"caf\xe9\n",
        "     1\tcaf\u{fffd}\nIt is not UTF-8: what could not be read is shown as \u{fffd}.",
    );
    let output = tree.call("Read", r#"{"file_path":"a"}"#);
    assert_eq!(output.read[0].text, None);
}

#[test]
fn images() {
    let tree = Tree::new("");
    let check = |bytes: &[u8], media_type: &str, data: &str| {
        tree.write("project/a", bytes);
        let expected = format!(
            r#"{{"type":"image","source":{{"type":"base64","media_type":"{media_type}","data":"{data}"}}}}"#
        );
        tree.check("Read", r#"{"file_path":"a"}"#, &expected);
    };
    for (media_type, data) in [
        ("image/png", crate::tree::PNG),
        ("image/gif", "R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs="),
        ("image/webp", "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="),
        ("image/jpeg", "/9j/wAALCAABAAEBAREA/9oACAEBAAA/AH//2Q=="),
    ] {
        check(&STANDARD.decode(data).unwrap(), media_type, data);
    }
    tree.write("project/a", [b"\xff\xd8\xff".to_vec(), vec![0; 3_749_998]].concat());
    tree.check(
        "Read",
        r#"{"file_path":"a"}"#,
        "error: a: an image of 3750001 bytes, more than 3750000",
    );
}

#[test]
fn images_that_the_api_refuses() {
    let tree = Tree::new("");
    let check = |bytes: &[u8], why: &str| {
        tree.write("project/a", bytes);
        let expected = format!("error: a: an image that the API refuses: {why}");
        tree.check("Read", r#"{"file_path":"a"}"#, &expected);
    };
    let png = STANDARD.decode(crate::tree::PNG).unwrap();
    for half in [&png[..8], &png[..16], &png[..33], b"GIF89a", b"\xff\xd8\xff\xe0", b"RIFF1234WEBP"]
    {
        check(half, "its data are incomplete");
    }
    let sides = |width: u32| [&png[..16], &width.to_be_bytes(), &png[20..]].concat();
    check(&sides(9_000), "9000 × 1 pixels: sides have 1 to 8000");
    check(&sides(0), "0 × 1 pixels: sides have 1 to 8000");
}

#[test]
fn bad_input() {
    let tree = Tree::new("");
    for (input, expected) in [
        ("{}", "error: bad input: missing field `file_path`"),
        (r#"["a"]"#, "error: bad input: not an object"),
        (r#"{"file_path":7}"#, "error: bad input: invalid type: integer `7`"),
        (r#"{"file_path":"a","x":1}"#, "error: bad input: unknown field `x`"),
        (r#"{"file_path":"a","offset":-1}"#, "error: bad input: invalid value: integer `-1`"),
        (r#"{"file_path":"a\u0000"}"#, "error: a\0: no path has a NUL in it"),
        (r#"{"file_path":""}"#, "error: : a directory, not a file"),
        (r#"{"file_path":"."}"#, "error: .: a directory, not a file"),
        (r#"{"file_path":"nope"}"#, "error: nope: there is no such file or directory"),
    ] {
        let result = tree.result("Read", input);
        assert!(result.starts_with(expected), "{result}");
    }
}
