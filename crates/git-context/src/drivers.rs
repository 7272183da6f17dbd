use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use crate::Reason;
use crate::command::Setting;
use crate::hardening::SENTINEL;
use crate::process::Ended;

/// How much of the list is read. The settings made of it must fit into an
/// environment.
pub(crate) const BYTES: usize = 64 * 1024;

/// What to set so that no filter driver runs a program, from the answer to
/// [`Query::FilterDrivers`](crate::Query::FilterDrivers).
///
/// Reading the status would run them: to know whether a file has changed, git
/// compares what would be committed. There is no switch for all of them.
pub(crate) fn switched_off(answer: Result<Ended, Reason>) -> Result<Vec<Setting>, Reason> {
    let list = match answer? {
        Ended::Success(list) => list,
        Ended::Full(_) => return Err(Reason::Flooded { limit: BYTES }),
        // Options or settings that this git does not know.
        Ended::Failure {
            code: Some(1 | 129),
            ..
        } => return Err(Reason::GitTooOld),
        Ended::Failure { code, stderr } => return Err(Reason::failed(code, &stderr)),
    };
    let mut names = BTreeSet::new();
    let mut heeded = false;
    // Scope and key by turns, each ended by a NUL.
    let mut items = list.split(|&byte| byte == 0);
    while let (Some(scope), Some(key)) = (items.next(), items.next()) {
        if scope == b"command" && key == SENTINEL.as_bytes() {
            heeded = true;
            continue;
        }
        let name = key
            .strip_prefix(b"filter.")
            .ok_or_else(|| Reason::unexpected(key))?;
        // Without a second dot it is no driver.
        if let Some(end) = name.iter().rposition(|&byte| byte == b'.') {
            let name = os_str(&name[..end]).ok_or_else(|| Reason::unexpected(key))?;
            names.insert(name);
        }
    }
    if !heeded {
        return Err(Reason::GitTooOld);
    }
    Ok(names.into_iter().flat_map(off).collect())
}

/// Bytes as they can be handed to a process again.
#[cfg(unix)]
fn os_str(bytes: &[u8]) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt as _;

    Some(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn os_str(bytes: &[u8]) -> Option<&OsStr> {
    str::from_utf8(bytes).ok().map(OsStr::new)
}

fn off(name: &OsStr) -> impl Iterator<Item = Setting> {
    // A required filter that does nothing would be an error.
    [
        ("clean", ""),
        ("smudge", ""),
        ("process", ""),
        ("required", "false"),
    ]
    .into_iter()
    .map(move |(variable, value)| {
        let mut key = OsString::from("filter.");
        key.push(name);
        key.push(".");
        key.push(variable);
        (key, value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(list: &str, expected: Result<&[&str], Reason>) {
        let settings = switched_off(Ok(Ended::Success(list.as_bytes().to_vec())));
        let keys = settings.map(|settings| {
            settings
                .into_iter()
                .map(|(key, _)| key.into_string().unwrap())
                .filter(|key| key.ends_with(".clean"))
                .collect::<Vec<_>>()
        });
        let expected = expected.map(|keys| keys.iter().map(ToString::to_string).collect());
        assert_eq!(keys, expected);
    }

    #[test]
    fn names_hold_dots_spaces_and_equals_signs() {
        check(
            "local\0filter.a=b. c.d.clean\0local\0filter.X.process\0local\0filter.lone\0\
             local\0filter.X.required\0command\0filter.aside-sentinel.required\0",
            Ok(&["filter.X.clean", "filter.a=b. c.d.clean"]),
        );
    }

    #[test]
    fn only_the_command_vouches_for_the_git() {
        check(
            "local\0filter.aside-sentinel.required\0",
            Err(Reason::GitTooOld),
        );
        check("", Err(Reason::GitTooOld));
    }

    #[test]
    fn garbage() {
        check(
            "local\0core.pager\0",
            Err(Reason::unexpected(b"core.pager")),
        );
    }
}
