//! Usage errors and help.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs::OpenOptions;
use std::process::{Command, Output};

fn aside(arguments: &[&str]) -> Output {
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
    aside.args(arguments).output().unwrap()
}

#[test]
fn arguments_cannot_steer_the_terminal() {
    let check = |arguments: &[&str], shown: &str| {
        let output = aside(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        let steers = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!said.contains(steers) && said.contains(shown), "{said}");
    };
    check(&["render", "--modle\u{1b}[31mx"], "--modle\\u{1b}[31mx");
    check(&["render", "--layout", "\u{1b}[31m"], "'\\u{1b}[31m'");
    check(&["render", "--date", "\u{9b}2J"], "'\\u{9b}2J'");
    check(&["render", "--resume", "a\nb"], "'a\\nb'");
    check(&["\u{202e}x"], "'\\u{202e}x'");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    for arguments in [&["--help"][..], &["--version"], &["render", "-h"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        let output = aside.args(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("aside: error: failed to write to stdout: "));
    }
}

#[test]
fn exit_codes_are_those_of_clap() {
    assert_eq!(aside(&["--help"]).status.code(), Some(0));
    assert_eq!(aside(&["--version"]).status.code(), Some(0));
    assert_eq!(aside(&[]).status.code(), Some(2));
    assert_eq!(aside(&["reminders"]).status.code(), Some(2));
    assert_eq!(aside(&["render", "--modle"]).status.code(), Some(2));
}

/// Only the arguments of the command that runs are built; the script needs
/// them all.
#[test]
fn completions_know_every_command_and_argument() {
    let script = String::from_utf8(aside(&["completions", "bash"]).stdout).unwrap();
    for command in [
        "aside__subcmd__memory,imports)",
        "aside__subcmd__help__subcmd__memory,imports)",
        "aside__subcmd__help__subcmd__reminders,simulate)",
    ] {
        assert!(script.contains(command), "{command}");
    }
    let arguments = |command: &str| {
        let (_, rest) = script
            .split_once(&format!("{command})\n            opts=\""))
            .unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    assert!(arguments("aside__subcmd__render").contains("--override-system-prompt"));
    assert!(arguments("aside__subcmd__memory__subcmd__imports").contains("--setting-sources"));
}

#[test]
fn suggestions_come_from_every_command() {
    let said = |arguments: &[&str]| String::from_utf8(aside(arguments).stderr).unwrap();
    assert!(said(&["rendr"]).contains("'render'"));
    assert!(said(&["render", "--layuot", "classic"]).contains("'--layout'"));
    assert!(said(&["memory", "import"]).contains("'imports'"));
}
