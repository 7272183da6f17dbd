use std::ffi::OsStr;
use std::path::Path;

use aside_prompt_sections::Platform;

pub(crate) fn platform() -> Platform {
    match std::env::consts::OS {
        "linux" => Platform::Linux,
        "macos" => Platform::MacOs,
        "windows" => Platform::Windows,
        other => Platform::Other(other.to_owned()),
    }
}

/// The name of a shell by its path: `bash` of `/bin/bash`.
pub(crate) fn shell_name(shell: &OsStr) -> String {
    let name = Path::new(shell)
        .file_name()
        .unwrap_or(shell)
        .to_string_lossy();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}

/// Such as `Linux 6.8.0`.
#[cfg(unix)]
pub(crate) fn os_version() -> Option<String> {
    let name = rustix::system::uname();
    let (system, release) = (
        name.sysname().to_string_lossy(),
        name.release().to_string_lossy(),
    );
    Some(format!("{system} {release}"))
}

/// Not known without running a program.
#[cfg(not(unix))]
pub(crate) fn os_version() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_keeps_its_version() {
        assert_eq!(shell_name(OsStr::new("/usr/bin/zsh-5.9")), "zsh-5.9");
        assert_eq!(shell_name(OsStr::new("fish")), "fish");
        assert_eq!(shell_name(OsStr::new("bash.exe")), "bash");
    }
}
