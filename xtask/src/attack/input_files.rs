//! Files without an end, without bytes or without a bottom: each is refused or
//! left out with a diagnostic, in little memory and little time.
//!
//! The attacker is a repository, or a script that passes a path. The promise is
//! number 4 of `docs/security.md`: no input is read without a limit, and
//! nothing waits for a pipe.
//!
//! A case replaces one file by a special file and runs a command with 400 MB of
//! address space. It is broken if the command panics, is killed, hangs, or
//! takes more than five seconds, and for an argument also if the file is
//! accepted. Both extents try all cases. As a control, an honest command has to
//! succeed within the limit, and a program that reads a gigabyte has to fail.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::Extent;
use super::command::{Aside, Place, Ran};
use super::outcome::Outcome;

/// The address space that a command may have, in KiB. A session in an empty
/// project fits into it.
const MAX_MEMORY_KIB: usize = 400_000;
/// The time that a hostile tree may cost.
const MAX_TIME: Duration = Duration::from_secs(5);

/// Every argument that names a file.
///
/// The path is appended as the last argument. A new argument with a file
/// belongs into this list.
const FILE_ARGUMENTS: &[&[&str]] = &[
    &["cache", "explain"],
    &["cache", "lint"],
    &["cache", "plan"],
    &["cache", "simulate"],
    &["check"],
    &["serve", "--replay"],
    &["serve", "--script"],
    &["convert", "--to", "openai"],
    &["convert-stream", "--from", "openai"],
    &["memory", "imports"],
    &["reminders", "simulate"],
    &["reminders", "check"],
    &["render", "--agent"],
    &["render", "--append-system-prompt-file"],
    &["render", "--conversation"],
    &["render", "--messages"],
    &["render", "--settings"],
    &["render", "--state"],
    &["render", "--system-prompt-file"],
    &["render", "--tools"],
    &["run", "hello", "--replay"],
    &["verify"],
];

/// Places in a project that the command reads by itself.
///
/// A directory in the list is replaced as a whole.
const READ_PLACES: &[&str] = &[
    "CLAUDE.md",
    "AGENTS.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    ".claude/rules",
    ".claude/rules/a.md",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/output-styles",
    ".claude/output-styles/style.md",
    ".aside/reminders",
    ".aside/reminders/a.md",
    ".aside/reminders/a.yaml",
    ".git",
    ".git/HEAD",
    ".git/config",
    ".git/index",
    ".git/packed-refs",
    ".gitignore",
    ".gitattributes",
    "mentioned",
];

/// The kind of special file that replaces a file.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A named pipe without a writer: opening it blocks.
    Fifo,
    /// A link to `/dev/zero`, which never ends.
    LinkToZero,
    /// A link that cannot be resolved.
    LinkToItself,
    /// A Unix socket without a server.
    Socket,
    /// A file of one terabyte that takes no space on the disk.
    Sparse,
}

const KINDS: [Kind; 5] = [
    Kind::Fifo,
    Kind::LinkToZero,
    Kind::LinkToItself,
    Kind::Socket,
    Kind::Sparse,
];

/// Tries the arguments, the places and the deep trees.
pub(super) fn run(aside: &Aside, _: Extent) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    arguments(aside, &mut outcome)?;
    for name in READ_PLACES {
        for kind in KINDS {
            let place = aside.place()?;
            if !name.starts_with(".git") {
                place.init()?;
            } else if *name != ".git" {
                place.init()?;
                let _ = fs::remove_file(place.path(format!("project/{name}")));
            }
            place.write(
                "project/.claude/settings.json",
                r#"{"outputStyle": "style"}"#,
            )?;
            let path = format!("project/{name}");
            let _ = fs::remove_file(place.path(&path));
            make(&place, &path, kind)?;
            for arguments in [
                &["render", "see @mentioned"][..],
                &["memory"],
                &["reminders", "list"],
            ] {
                let ran = limited(&place, arguments)?;
                let fault = ran.fault().or_else(|| slow(&ran));
                outcome
                    .check(fault.map(|it| format!("{kind:?} at {name}, {}: {it}", arguments[0])));
            }
        }
    }
    deep(aside, &mut outcome)?;
    Ok(outcome)
}

/// A device, a pipe or a directory for each argument that names a file.
fn arguments(aside: &Aside, outcome: &mut Outcome) -> Result<()> {
    let place = aside.place()?;
    make(&place, "project/fifo", Kind::Fifo)?;
    make(&place, "project/sparse", Kind::Sparse)?;
    make(&place, "project/socket", Kind::Socket)?;
    for arguments in FILE_ARGUMENTS {
        for file in [
            "/dev/zero",
            "/dev/urandom",
            "/dev/full",
            "fifo",
            "sparse",
            "socket",
            "/",
            "/proc/self/mem",
        ] {
            let all = [arguments, &[file][..]].concat();
            let ran = limited(&place, &all)?;
            let accepted = (ran.code == Some(0)).then(|| "is accepted".to_owned());
            // These commands accept a directory.
            let takes_directories = matches!(arguments[0], "verify" | "reminders") && file == "/";
            let accepted = accepted.filter(|_| !takes_directories);
            let fault = ran.fault().or_else(|| slow(&ran)).or(accepted);
            outcome.check(fault.map(|it| format!("{}: {it}", all.join(" "))));
        }
    }
    // The limit permits an honest command, and stops one that reads a gigabyte.
    let honest = limited(&place, &["render", "go"])?;
    outcome
        .check((honest.code != Some(0)).then(|| format!("the limit of memory: {}", honest.text())));
    let mut glutton = Command::new("sh");
    glutton.args([
        "-c",
        &format!("ulimit -v {MAX_MEMORY_KIB}; head -c 1000000000 /dev/zero | tail"),
    ]);
    let glutton = Ran::of(glutton)?;
    outcome
        .check((glutton.code == Some(0)).then(|| "the limit of memory limits nothing".to_owned()));
    Ok(())
}

/// Returns a finding if the command took longer than `MAX_TIME`.
fn slow(ran: &Ran) -> Option<String> {
    (ran.elapsed > MAX_TIME).then(|| format!("takes {:?}", ran.elapsed))
}

/// Runs a command with little memory, and again if it is slow: a delay of the
/// machine does not repeat.
///
/// The limit is set by a shell, which then becomes the command.
fn limited(place: &Place, arguments: &[&str]) -> Result<Ran> {
    let script = format!("ulimit -v {MAX_MEMORY_KIB}; exec \"$0\" \"$@\"");
    let run = || Ran::of(place.command_below("sh", &["-c", &script], arguments));
    let ran = run()?;
    match (ran.fault(), slow(&ran)) {
        (None, Some(_)) => run(),
        _ => Ok(ran),
    }
}

/// Creates a special file, in place of a directory if there is one.
fn make(place: &Place, path: &str, kind: Kind) -> Result<()> {
    let at = place.path(path);
    if let Some(parent) = at.parent() {
        fs::create_dir_all(parent)?;
    }
    let _ = fs::remove_dir_all(&at);
    match kind {
        Kind::Fifo => {
            Ran::of({
                let mut command = Command::new("mkfifo");
                command.arg(&at);
                command
            })?;
        }
        Kind::LinkToZero => place.link("/dev/zero", path)?,
        Kind::LinkToItself => place.link(&at, path)?,
        Kind::Socket => drop(std::os::unix::net::UnixListener::bind(&at)?),
        Kind::Sparse => fs::File::create(&at)?.set_len(1 << 40)?,
    }
    Ok(())
}

/// Trees of thousands of levels, of rules, of nested files and of mentions.
///
/// There are 1,500 levels. Every command has the time limit of a special file
/// and the usual memory.
fn deep(aside: &Aside, outcome: &mut Outcome) -> Result<()> {
    for below in [".claude/rules", ".aside/reminders", "sub", "mentioned"] {
        let place = aside.place()?;
        place.init()?;
        let dir = place.path(format!("project/{below}"));
        fs::create_dir_all(&dir)?;
        // The path of the last one is longer than the system takes.
        let script = "i=0; while [ $i -lt 1500 ]; do mkdir d && cd -P d || exit 1; i=$((i+1)); done; echo x > CLAUDE.md";
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(&dir);
        Ran::of(command)?;
        for arguments in [
            &["render", "see @mentioned/"][..],
            &["memory", "--touch", "sub/d/d/d/x.rs"],
            &["reminders", "list"],
        ] {
            let ran = place.run(arguments)?;
            let fault = ran.fault().or_else(|| slow(&ran));
            outcome.check(
                fault.map(|it| format!("1,500 levels below {below}, {}: {it}", arguments[0])),
            );
        }
    }
    Ok(())
}
