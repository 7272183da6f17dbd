//! Files named in arguments, and stdin.

use std::fs;
#[cfg(unix)]
use std::fs::File;
#[cfg(unix)]
use std::io::Write;
use std::process::Command;

#[cfg(unix)]
use super::fifo;
use super::{BLANK, GOOD, stderr_of};

/// Every argument that names a file to read.
const FILE_ARGUMENTS: [&[&str]; 13] = [
    &["check"],
    &["convert", "--to", "openai"],
    &["convert-stream", "--from", "openai"],
    &["memory", "imports"],
    &["reminders", "simulate"],
    &["render", "--agent"],
    &["render", "--append-system-prompt-file"],
    &["render", "--conversation"],
    &["render", "--messages"],
    &["render", "--state"],
    &["render", "--system-prompt-file"],
    &["render", "--tools"],
    &["run", "hello", "--replay"],
];

#[cfg(unix)]
#[test]
fn devices_pipes_and_directories_are_refused_unread() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    fifo::make(&fifo);
    let fifo = fifo.to_str().unwrap();
    for arguments in FILE_ARGUMENTS {
        for (file, kind) in [
            ("/dev/zero", "a device"),
            ("/dev/null", "a device"),
            (fifo, "a FIFO"),
            ("/", "a directory"),
        ] {
            // This one reads the logs in a directory.
            if (arguments, file) == (&["check"], "/") {
                continue;
            }
            assert_eq!(
                stderr_of(&[arguments, &[file]].concat(), 2),
                format!("aside: error: failed to read {file}: {kind}, not a file\n"),
                "{arguments:?}"
            );
        }
    }
}

/// A shell passes a path like this for `<(command)`.
#[cfg(unix)]
#[test]
fn a_pipe_of_the_shell_is_read() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(BLANK.as_bytes()).unwrap();
    drop(writer);
    let output = Command::new(env!("CARGO_BIN_EXE_aside"))
        .args(["check", "/dev/fd/0"])
        .stdin(reader)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with("/dev/fd/0: "), "{printed}");
}

#[cfg(unix)]
#[test]
fn stdin_without_an_end_is_refused() {
    let zero = || File::open("/dev/zero").unwrap();
    for arguments in FILE_ARGUMENTS {
        let output = Command::new(env!("CARGO_BIN_EXE_aside"))
            .args(arguments)
            .arg("-")
            .stdin(zero())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "aside: error: failed to read -: begins with a NUL byte, so not a text\n",
            "{arguments:?}"
        );
    }
}

#[test]
fn stdin_is_read_once() {
    for arguments in [
        &["check", "-", "-"][..],
        &["render", "--messages", "-", "--tools", "-"],
        &["render", "--state", "-", "--agent", "-"],
        &["run", "hello", "--steer", "--state", "-"],
    ] {
        let printed = "aside: error: stdin can be read once, and is given twice\n";
        assert_eq!(stderr_of(arguments, 2), printed);
    }
}

/// Returns the beginning of a gzip file, with this text in a block that is not the last one.
fn cut_gzip(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 0];
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let check = |arguments: &[&str], code: i32, printed: &[&str], reported: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_aside"))
            .current_dir(path)
            .arg("check")
            .args(arguments)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        let begins = |text: &str, expected: &[&str]| {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines.len(), expected.len(), "{text}");
            assert!(lines.iter().zip(expected).all(|(it, start)| it.starts_with(start)), "{text}");
        };
        begins(&stdout, printed);
        begins(&stderr, reported);
    };
    fs::create_dir(path.join("logs")).unwrap();
    fs::write(path.join("logs/b.json"), BLANK).unwrap();
    check(&["logs"], 1, &["logs/b.json: blank-text"], &["aside: error: 1 violation in 1 body"]);
    fs::write(path.join("logs/a.json"), "\0").unwrap();
    let failed = "aside: error: failed to read logs/a.json: begins with a NUL byte";
    check(&["logs"], 2, &["logs/b.json: blank-text"], &[failed]);
    fs::write(path.join("logs/c.json"), "\0").unwrap();
    let other = "aside: warning: failed to read logs/c.json: begins with a NUL byte";
    check(&["logs"], 2, &["logs/b.json: blank-text"], &[other, failed]);

    let failed = "aside: error: failed to read cut.gz: ";
    for (text, printed) in [
        (format!("{BLANK}\n"), "cut.gz:1: blank-text"),
        (format!("{GOOD}\n{BLANK}\n{}", &BLANK[..20]), "cut.gz:2: blank-text"),
        (format!("{{\n{BLANK}\n{}", &BLANK[..20]), "cut.gz:2: blank-text"),
    ] {
        fs::write(path.join("cut.gz"), cut_gzip(&text)).unwrap();
        let invalid = "cut.gz:1: json";
        let printed = if text.starts_with("{\n") { vec![invalid, printed] } else { vec![printed] };
        check(&["cut.gz"], 2, &printed, &[failed]);
    }
}
