//! Files named in arguments, and stdin.

#[cfg(unix)]
use std::fs::File;
#[cfg(unix)]
use std::io::Write;
#[cfg(unix)]
use std::process::Command;

use super::stderr_of;
#[cfg(unix)]
use super::{BLANK, fifo};

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
