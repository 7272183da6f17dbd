//! What the standard library does not know about this machine: the operating
//! system's version, the terminal's width.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use aside_prompt_sections::OsKind;

/// Returns the operating system that the program was compiled for.
pub(crate) fn platform() -> OsKind {
    match std::env::consts::OS {
        "linux" => OsKind::Linux,
        "macos" => OsKind::MacOs,
        "windows" => OsKind::Windows,
        other => OsKind::Other(other.to_owned()),
    }
}

/// Returns this process's command line, starting with its name.
#[must_use]
pub fn arguments() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// Returns a shell's name from its path: `bash` for `/bin/bash`.
pub(crate) fn shell_name(shell: &OsStr) -> String {
    let name = Path::new(shell).file_name().unwrap_or(shell).to_string_lossy();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}

/// Returns the system's name and version, such as `Linux 6.8.0`.
#[cfg(unix)]
pub(crate) fn os_version() -> Option<String> {
    let name = rustix::system::uname();
    let (system, release) = (name.sysname().to_string_lossy(), name.release().to_string_lossy());
    Some(format!("{system} {release}"))
}

/// Finding the version would take another program.
#[cfg(not(unix))]
pub(crate) fn os_version() -> Option<String> {
    None
}

/// Returns the width of the terminal on stdout or stderr in columns, or the value of `COLUMNS` if
/// neither is a terminal.
///
/// A width of 0 counts as unknown.
#[must_use]
pub fn terminal_width(columns: Option<&OsStr>) -> Option<u16> {
    system_width().or_else(|| columns?.to_str()?.parse().ok().filter(|width| *width > 0))
}

#[cfg(unix)]
fn system_width() -> Option<u16> {
    use rustix::termios::tcgetwinsize;

    let size = tcgetwinsize(std::io::stdout()).or_else(|_| tcgetwinsize(std::io::stderr()));
    size.ok().map(|size| size.ws_col).filter(|width| *width > 0)
}

/// Finding the width would take a crate for this system.
#[cfg(not(unix))]
fn system_width() -> Option<u16> {
    None
}

/// Asks a process to end, as the system does.
#[cfg(unix)]
pub fn terminate(process: u32) {
    use rustix::process::{Pid, Signal, kill_process};

    let id = i32::try_from(process).ok().and_then(Pid::from_raw);
    if let Some(id) = id {
        // An error means that it has ended.
        let _ = kill_process(id, Signal::TERM);
    }
}

/// Other systems have no such request.
#[cfg(not(unix))]
pub fn terminate(_: u32) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_is_a_number_of_columns() {
        // If the tests run on a terminal, its width counts.
        let Some(width) = system_width() else {
            let check = |columns: &str| terminal_width(Some(OsStr::new(columns)));
            assert_eq!(check("80"), Some(80));
            assert!(["", "0", "-1", "wide", "65536"].map(check).iter().all(Option::is_none));
            return assert_eq!(terminal_width(None), None);
        };
        assert_eq!(terminal_width(None), Some(width));
    }

    #[test]
    fn a_shell_keeps_its_version() {
        assert_eq!(shell_name(OsStr::new("/usr/bin/zsh-5.9")), "zsh-5.9");
        assert_eq!(shell_name(OsStr::new("fish")), "fish");
        assert_eq!(shell_name(OsStr::new("bash.exe")), "bash");
    }
}
