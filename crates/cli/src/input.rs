//! What the user names to be read: a file, or `-` for stdin. Nothing is read
//! without an end.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Arg, ArgMatches, Command};

/// The most of a request body, in bytes: eight times what the API takes.
pub(crate) const LONGEST_BODY: u64 = 256 * MIB;

/// 1 MiB, in bytes.
pub(crate) const MIB: u64 = 1024 * 1024;

/// With this some editors begin a text. It belongs to no form of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// An input that is read piece by piece.
pub(crate) struct Input {
    path: PathBuf,
    reader: Box<dyn BufRead>,
}

/// The bytes of a file, without a byte order mark. `most` is in bytes.
pub(crate) fn bytes(file: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Input::open(file)?.rest(&mut bytes, most)?;
    Ok(bytes)
}

/// The same as text.
pub(crate) fn text(file: &Path, most: u64) -> anyhow::Result<String> {
    let bytes = bytes(file, most)?;
    let failed = || format!("failed to read {}", file.display());
    String::from_utf8(bytes)
        .map_err(|_| anyhow!("not UTF-8"))
        .with_context(failed)
}

impl Input {
    /// Opens a file, or stdin. A byte order mark is passed over.
    pub(crate) fn open(file: &Path) -> anyhow::Result<Self> {
        let failed = || format!("failed to read {}", file.display());
        let reader = open(file).with_context(failed)?;
        let path = file.to_owned();
        let mut input = Self { path, reader };
        input.pass_mark().with_context(failed)?;
        Ok(input)
    }

    fn pass_mark(&mut self) -> io::Result<()> {
        let mut start = Vec::new();
        let length = BYTE_ORDER_MARK.len() as u64;
        self.reader.by_ref().take(length).read_to_end(&mut start)?;
        if start != BYTE_ORDER_MARK {
            let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
            self.reader = Box::new(BufReader::new(io::Cursor::new(start).chain(reader)));
        }
        Ok(())
    }

    /// Appends a line with its newline; whether there was one. What is
    /// appended to has at most `most` bytes then.
    pub(crate) fn line(&mut self, to: &mut Vec<u8>, most: u64) -> anyhow::Result<bool> {
        let before = to.len();
        let room = room(to, most);
        let read = self.reader.by_ref().take(room).read_until(b'\n', to);
        self.check(read, to, most)?;
        Ok(to.len() > before)
    }

    /// Appends what is left.
    pub(crate) fn rest(&mut self, to: &mut Vec<u8>, most: u64) -> anyhow::Result<()> {
        let room = room(to, most);
        let read = self.reader.by_ref().take(room).read_to_end(to);
        self.check(read, to, most)
    }

    fn check(&self, read: io::Result<usize>, text: &[u8], most: u64) -> anyhow::Result<()> {
        let failed = || format!("failed to read {}", self.path.display());
        read.with_context(failed)?;
        if text.len() as u64 > most {
            return Err(anyhow!("more than {} MiB", most / MIB).context(failed()));
        }
        Ok(())
    }
}

/// For a stream, of which nothing is kept.
impl Read for Input {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.reader.read(to)
    }
}

/// One byte more than there may be, to see that there is more.
fn room(text: &[u8], most: u64) -> u64 {
    (most + 1).saturating_sub(text.len() as u64)
}

fn open(file: &Path) -> io::Result<Box<dyn BufRead>> {
    if file == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(BufReader::new(File::open(file)?)))
}

/// Whether the arguments name stdin twice, which can be read once.
pub(crate) fn is_stdin_twice(command: &Command, matches: &ArgMatches) -> bool {
    let is_stdin = |value: &&OsStr| *value == "-";
    let files = command.get_arguments().filter(|it| is_file(it));
    let times: usize = files
        .map(|file| {
            let values = matches
                .get_raw(file.get_id().as_str())
                .into_iter()
                .flatten();
            values.filter(is_stdin).count()
        })
        .sum();
    let inner = matches.subcommand().and_then(|(name, matches)| {
        let command = command.find_subcommand(name)?;
        Some(is_stdin_twice(command, matches))
    });
    let steers = matches.try_get_one::<bool>("steer");
    let steers = steers.is_ok_and(|it| it == Some(&true));
    times + usize::from(steers) > 1 || inner.unwrap_or(false)
}

/// Whether the argument is a file that is read.
fn is_file(argument: &Arg) -> bool {
    let names = argument.get_value_names().into_iter().flatten();
    names.into_iter().any(|name| name == "FILE")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> Input {
        let mut input = Input {
            path: "file".into(),
            reader: Box::new(io::Cursor::new(text.to_owned())),
        };
        input.pass_mark().unwrap();
        input
    }

    #[test]
    fn a_byte_order_mark_is_passed_over_once() {
        let check = |text: &str, expected: &str| {
            let mut read = Vec::new();
            input(text).rest(&mut read, 100).unwrap();
            assert_eq!(String::from_utf8(read).unwrap(), expected);
        };
        check("", "");
        check("a", "a");
        check("long enough", "long enough");
        check("\u{feff}", "");
        check("\u{feff}a\u{feff}", "a\u{feff}");
        check("\u{feff}\u{feff}", "\u{feff}");
    }

    #[test]
    fn nothing_is_longer_than_it_may_be() {
        let long = "a".repeat(1 + MIB as usize);
        let mut lines = input(&format!("ab\n{long}"));
        let mut line = Vec::new();
        assert!(lines.line(&mut line, MIB).unwrap());
        assert_eq!(line, b"ab\n");
        line.clear();
        let error = lines.line(&mut line, MIB).unwrap_err();
        assert_eq!(format!("{error:#}"), "failed to read file: more than 1 MiB");
        let mut rest = Vec::new();
        assert!(input("abc").rest(&mut rest, 3).is_ok());
        rest.clear();
        assert!(input("abcd").rest(&mut rest, 3).is_err());
        let mut end = Vec::new();
        assert!(!input("").line(&mut end, 3).unwrap());
    }
}
