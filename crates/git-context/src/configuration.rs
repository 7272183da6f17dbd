//! Parsing `git config`: the user's name, the filter drivers, and `core.bare`.
//!
//! ```text
//! global NUL user.name LF Ada NUL local NUL filter.lfs.clean LF git-lfs clean NUL
//! command NUL filter.aside-sentinel.required LF false NUL
//! ```
//!
//! The last entry is a setting that the command itself passes. If it is
//! missing, this git ignores such settings, and has no way to switch its
//! filters off.

use std::collections::BTreeSet;
use std::ffi::OsString;

use crate::FailureReason;
use crate::brief::brief;
use crate::data_file::os_str;
use crate::hardening::SENTINEL;
use crate::process::Ended;

/// The settings made from the list must fit into an environment.
pub(crate) const MAX_OUTPUT_BYTES: usize = 64 * 1024;

const TRUE: [&[u8]; 4] = [b"true", b"yes", b"on", b"1"];

/// The part of the configuration that a snapshot needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// The last `user.name`, on one line; `None` if it is empty or not set.
    pub(crate) user_name: Option<String>,
    /// True if the repository's `core.bare` is true.
    pub(crate) is_bare: bool,
    /// The names of all filter drivers; an error when this git cannot switch
    /// them off.
    pub(crate) drivers: Result<BTreeSet<OsString>, FailureReason>,
}

/// Parses [`Query::Configuration`](crate::Query::Configuration).
///
/// # Errors
///
/// The output is too long or not a list of these entries, or this git does not
/// have the options.
pub(crate) fn configuration(
    answer: Result<Ended, FailureReason>,
) -> Result<Configuration, FailureReason> {
    let list = match answer? {
        // Even the sentinel setting is missing.
        Ended::Failure { code: Some(1), .. } => Vec::new(),
        // This git does not know the options.
        Ended::Failure { code: Some(129), .. } => return Err(FailureReason::GitTooOld),
        ended => ended.whole()?,
    };
    let mut user_name = None;
    let mut is_bare = false;
    let mut names = BTreeSet::new();
    let mut is_heeded = false;
    // Scope and entry by turns, each ended by a NUL.
    let mut items = list.split(|&byte| byte == 0);
    while let (Some(scope), Some(entry)) = (items.next(), items.next()) {
        let (key, value) = match entry.iter().position(|&byte| byte == b'\n') {
            Some(end) => (&entry[..end], &entry[end + 1..]),
            None => (entry, &b""[..]),
        };
        if key == b"user.name" {
            // The last value counts.
            user_name = Some(value);
        } else if key == b"core.bare" {
            // Git reads no other file for it.
            if scope == b"local" {
                is_bare = TRUE.iter().any(|word| value.eq_ignore_ascii_case(word));
            }
        } else if key == SENTINEL.as_bytes() && scope == b"command" {
            is_heeded = true;
        } else {
            let name =
                key.strip_prefix(b"filter.").ok_or_else(|| FailureReason::unexpected(entry))?;
            // A key without a second dot names no driver.
            if let Some(end) = name.iter().rposition(|&byte| byte == b'.') {
                let name = os_str(&name[..end]).ok_or_else(|| FailureReason::unexpected(key))?;
                names.insert(name.to_owned());
            }
        }
    }
    let user_name = user_name.map(|name| brief(name.trim_ascii_end()));
    Ok(Configuration {
        user_name: user_name.filter(|name| !name.is_empty()),
        is_bare,
        drivers: is_heeded.then_some(names).ok_or(FailureReason::GitTooOld),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Result<Configuration, FailureReason> {
        configuration(Ok(Ended::Success(list.as_bytes().to_vec())))
    }

    fn check(list: &str, user_name: Option<&str>, drivers: Result<&[&str], FailureReason>) {
        let drivers = drivers.map(|names| names.iter().map(OsString::from).collect());
        let user_name = user_name.map(str::to_owned);
        let expected = Configuration { user_name, is_bare: false, drivers };
        assert_eq!(read(list), Ok(expected), "{list:?}");
    }

    #[test]
    fn names_hold_dots_spaces_and_equals_signs() {
        check(
            "local\0filter.a=b. c.d.clean\nx\0local\0filter.X.process\ny\0local\0filter.lone\n\0\
             local\0filter.X.required\0command\0filter.aside-sentinel.required\nfalse\0",
            None,
            Ok(&["X", "a=b. c.d"]),
        );
    }

    #[test]
    fn the_last_user_counts() {
        let sentinel = "command\0filter.aside-sentinel.required\nfalse\0";
        let check = |list: &str, expected| check(&format!("{list}{sentinel}"), expected, Ok(&[]));
        check("", None);
        check("global\0user.name\nAda\0", Some("Ada"));
        check("global\0user.name\nAda\0local\0user.name\nGrace\nHopper \0", Some("Grace\\nHopper"));
        check("global\0user.name\nAda\0local\0user.name\n\0", None);
        check("local\0user.name\0", None);
    }

    #[test]
    fn the_repository_says_that_it_is_bare() {
        let check = |list: &str, expected| assert_eq!(read(list).unwrap().is_bare, expected);
        check("local\0core.bare\nTrue\0", true);
        check("local\0core.bare\ntrue\0local\0core.bare\nfalse\0", false);
        check("global\0core.bare\ntrue\0", false);
    }

    #[test]
    fn only_the_command_vouches_for_the_git() {
        let too_old = || Err(FailureReason::GitTooOld);
        check("local\0filter.aside-sentinel.required\nfalse\0", None, too_old());
        check("local\0user.name\nAda\0", Some("Ada"), too_old());
        check("", None, too_old());
    }

    #[test]
    fn garbage() {
        let odd = "core.pager\nless";
        let garbage = FailureReason::unexpected(odd.as_bytes());
        assert_eq!(read(&format!("local\0{odd}\0")), Err(garbage));
    }
}
